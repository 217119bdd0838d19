// Builds dist/: the bundles, the module that exports the library, the types, and the licences of what is bundled.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  const require = createRequire(import.meta.url);
  const { loadCached } = require('../bin/code-cache.cjs');
  const names = Object.keys(loadCached(fileURLToPath(new URL('teddy.cjs', dist))).library());
  return `import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const { loadCached } = createRequire(import.meta.url)('../bin/code-cache.cjs');
const program = fileURLToPath(new URL('teddy.cjs', import.meta.url));
export const {
${names.map((name) => `  ${name},`).join('\n')}
} = loadCached(program).library();
`;
}

const dist = new URL('../dist/', import.meta.url);
rmSync(dist, { recursive: true, force: true });
const results = await bundleDist({ write: true });
const hash = createHash('sha256').update(readFileSync(new URL('teddy.cjs', dist)));
writeFileSync(new URL('teddy.hash', dist), hash.digest('hex').slice(0, 32));
writeFileSync(new URL('index.js', dist), writeLibrary());
writeFileSync(new URL('THIRD-PARTY-NOTICES.txt', dist), writeNotices(bundledPackages(results)));
buildTypes();
