import { execFile } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT } from '../docs/page.js';
import { makeFolder } from '../folder.js';

const run = promisify(execFile);

/** A clone after `npm ci`: built, with its dependencies. A build in it leaves a file. */
function makeClone(scripts: Record<string, string> = {}): string {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const folder = makeFolder({
    'package.json': JSON.stringify({ ...manifest, scripts: { ...manifest.scripts, ...scripts } }),
    'scripts/build.mjs': "import { appendFileSync } from 'node:fs';\nappendFileSync('built', 'again');\n",
  });
  for (const name of ['bin', 'dist', 'package-lock.json'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true, preserveTimestamps: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function listDist(folder: string): string[] {
  return readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' })
    .map((path) => `${path} ${statSync(join(folder, 'dist', path)).mtimeMs}`)
    .sort();
}

/** As the first `npx teddy` of a user, whose npm has nothing in its cache. */
async function runNpx(folder: string): Promise<string> {
  const home = makeFolder();
  const env = { PATH: process.env.PATH, HOME: home, npm_config_cache: join(home, 'cache') };
  const { stdout } = await run('npx', ['--offline', 'teddy', '--version'], { cwd: folder, env });
  return stdout;
}

test('in a clone, npx teddy starts what npm ci has built and builds nothing', async () => {
  const folder = makeClone();
  const before = listDist(folder);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  expect(await runNpx(folder)).toBe(`${version}\n`);
  expect(existsSync(join(folder, 'built'))).toBe(false);
  expect(listDist(folder)).toEqual(before);
});

test('a script named prepare would build again at every first start', async () => {
  const folder = makeClone({ prepare: 'npm run build' });
  await runNpx(folder);
  expect(existsSync(join(folder, 'built'))).toBe(true);
});
