// Some tests want programs that npm does not bring. Where one is missing and cannot be installed, its tests are
// skipped, which this says; it never fails.
import { spawnSync } from 'node:child_process';

const works = () =>
  spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', '--proc', '/proc', 'true']).status === 0;
const isInstalled = () => spawnSync('bwrap', ['--version']).status === 0;

if (!isInstalled() && process.platform === 'linux') installBubblewrap();
if (!works()) {
  console.log(
    `NOTE: bubblewrap ${isInstalled() ? 'does not work here' : 'is not installed'}: the tests of the sandbox are skipped.`,
  );
}

function installBubblewrap() {
  if (process.getuid?.() !== 0) {
    console.log('bubblewrap is missing, and only root can install it: apt-get install bubblewrap');
    return;
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const words of [['update'], ['install', '-y', '--no-install-recommends', 'bubblewrap']]) {
    const { status, error } = spawnSync('apt-get', ['-q', ...words], {
      env,
      stdio: 'inherit',
      timeout: 120_000,
    });
    if (status !== 0) console.log(`apt-get ${words[0]} did not succeed (${error?.message ?? status}).`);
  }
}
