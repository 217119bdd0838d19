// Bundles a program of ours that is written in TypeScript, and loads it.
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

let bundles = 0;

/** What the module at `entry`, a path from the project's root, exports. */
export async function loadBundle(entry) {
  return import(pathToFileURL(await writeBundle(entry)).href);
}

/** The path of the program at `entry` in one file, which is there until this process ends. */
export async function writeBundle(entry) {
  // One for each process: a test and a developer may run it at once.
  const name = `${process.pid}-${Date.now()}-${bundles++}.mjs`;
  const outfile = join(ROOT, 'node_modules', '.cache', 'teddy-bundles', name);
  await build({
    entryPoints: [join(ROOT, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    loader: { '.md': 'text' },
    sourcemap: false,
    logLevel: 'warning',
  });
  process.once('exit', () => rmSync(outfile, { force: true }));
  return outfile;
}
