// npm run picture: makes docs/review.svg, the picture of a review, by running the built program in a pseudo-terminal.
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const outfile = join(root, 'node_modules', '.cache', 'teddy-picture', `main-${process.pid}.mjs`);

await build({
  entryPoints: [join(root, 'test', 'docs', 'picture', 'make-picture.ts')],
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
const { makePicture } = await import(pathToFileURL(outfile).href);
writeFileSync(join(root, 'docs', 'review.svg'), await makePicture(root));
