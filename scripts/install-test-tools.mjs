// Some tests want programs that npm does not bring. Where one is missing and cannot be installed, its tests are
// skipped, which this says; it never fails.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const works = () =>
  spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', '--proc', '/proc', 'true']).status === 0;
const isInstalled = () => spawnSync('bwrap', ['--version']).status === 0;
const CHROMIUM = '/usr/bin/chromium';

if (!isInstalled() && process.platform === 'linux') install('bubblewrap');
if (!existsSync(CHROMIUM) && process.platform === 'linux') install('chromium');
for (const name of ['vim', 'less']) {
  const isMissing = () => spawnSync(name, ['--version']).status !== 0;
  if (isMissing() && process.platform === 'linux') install(name);
  if (isMissing()) console.log(`NOTE: ${name} is not installed: its test under teddy wrap is skipped.`);
}
if (!existsSync(CHROMIUM)) console.log('NOTE: chromium is not installed: the tests of the page are skipped.');
if (!works()) {
  console.log(
    `NOTE: bubblewrap ${isInstalled() ? 'does not work here' : 'is not installed'}: the tests of the sandbox are skipped.`,
  );
}

function install(name) {
  if (process.getuid?.() !== 0) {
    console.log(`${name} is missing, and only root can install it: apt-get install ${name}`);
    return;
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const words of [['update'], ['install', '-y', '--no-install-recommends', name]]) {
    const { status, error } = spawnSync('apt-get', ['-q', ...words], {
      env,
      stdio: 'inherit',
      timeout: 300_000,
    });
    if (status !== 0) console.log(`apt-get ${words[0]} did not succeed (${error?.message ?? status}).`);
  }
}
