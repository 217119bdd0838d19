// npm run stress [-- --seconds N --processes 32 --seed N --race]: bundles the stress program and runs it.
import { loadBundle } from './bundle.mjs';

const { main } = await loadBundle('test/workspace/stress/main.ts');
process.exitCode = await main(process.argv.slice(2));
