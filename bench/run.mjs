// npm run bench [-- repair|edit|start|speed|commit|execute|capture|agent|context|graph|orchestrate|mcp|walk|page|web|wrap|undo]: bundles the benchmark and runs it from the project's root.
import { loadBundle, ROOT } from '../scripts/bundle.mjs';

process.chdir(ROOT);
const { main } = await loadBundle('bench/main.ts');
process.exitCode = await main(process.argv.slice(2));
