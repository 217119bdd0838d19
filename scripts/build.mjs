// Builds dist/: the bundles, the module that exports the library, the types, and the licences of what is bundled.
// --keep-types leaves the types of unchanged sources as they are, which saves most of the time.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { bundleDist } from './dist.mjs';
import { bundledPackages, writeNotices } from './notices.mjs';

function buildTypes() {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The types could not be built; tsc says why above.');
}

/** The library is a part of the program: this module only names what it exports. */
function writeLibrary() {
  const { openProgram } = createRequire(import.meta.url)('../bin/loader.cjs');
  const names = Object.keys(openProgram(fileURLToPath(dist))('./library.cjs'));
  return `import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const { openProgram } = createRequire(import.meta.url)('../bin/loader.cjs');
const program = fileURLToPath(new URL('.', import.meta.url));
export const {
${names.map((name) => `  ${name},`).join('\n')}
} = openProgram(program)('./library.cjs');
`;
}

const dist = new URL('../dist/', import.meta.url);
const kept = process.argv.includes('--keep-types') ? ['types', 'types.tsbuildinfo'] : [];
mkdirSync(dist, { recursive: true });
for (const name of readdirSync(dist))
  if (!kept.includes(name)) rmSync(new URL(name, dist), { recursive: true });
mkdirSync(new URL('page', dist));
const { files, metafiles } = await bundleDist();
// The loader decides what an image looks like.
const hash = createHash('sha256').update(readFileSync(new URL('../bin/loader.cjs', import.meta.url)));
for (const { path, text } of files) {
  writeFileSync(path, text);
  hash.update(text);
}
writeFileSync(new URL('index.js', dist), writeLibrary());
writeFileSync(new URL('THIRD-PARTY-NOTICES.txt', dist), writeNotices(bundledPackages(metafiles)));
buildTypes();
// Last: a dist/ that has it is whole.
writeFileSync(new URL('hash', dist), hash.digest('hex').slice(0, 32));
