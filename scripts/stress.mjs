// npm run stress [-- --seconds N --processes 32 --seed N --race]: bundles the stress program and runs it.
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
// One for each run: a test and a developer may run it at once.
const outfile = join(root, 'node_modules', '.cache', 'teddy-stress', `main-${process.pid}.mjs`);

await build({
  entryPoints: [join(root, 'test', 'workspace', 'stress', 'main.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  sourcemap: false,
  logLevel: 'warning',
});
process.once('exit', () => rmSync(outfile, { force: true }));
const { main } = await import(pathToFileURL(outfile).href);
process.exitCode = await main(process.argv.slice(2));
