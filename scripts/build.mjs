// Builds dist/: the bundles, the types, and the licences of what is bundled.
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
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

const dist = new URL('../dist/', import.meta.url);
rmSync(dist, { recursive: true, force: true });
const results = await bundleDist({ write: true });
writeFileSync(new URL('THIRD-PARTY-NOTICES.txt', dist), writeNotices(bundledPackages(results)));
buildTypes();
