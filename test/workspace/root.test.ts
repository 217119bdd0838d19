import { chmodSync, chownSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { UserError } from '../../src/node/errors.js';
import { realPath } from '../../src/node/files.js';
import { sharedFolders } from '../../src/node/user-folders.js';
import { findRoot } from '../../src/workspace/root.js';
import { makeFolder } from '../folder.js';

afterEach(() => vi.unstubAllEnvs());

const isRoot = process.geteuid?.() === 0;

function makeHouse(files: Record<string, string>) {
  const house = realPath(makeFolder({ 'a/b/c/file': '', ...files }))!;
  return { house, c: join(house, 'a/b/c') };
}

test('the folder that was named, relative to the current one', () => {
  const { house, c } = makeHouse({ 'a/b/c/.teddy/memos.yaml': '' });
  expect(findRoot(c, '../..')).toBe(join(house, 'a'));
});

describe('the nearest with .teddy or .git', () => {
  test.each([
    ['.git before .teddy', { 'a/.teddy/memos.yaml': '', 'a/b/.git/HEAD': '' }, 'a/b'],
    ['.teddy before .git', { 'a/.git/HEAD': '', 'a/b/.teddy/memos.yaml': '' }, 'a/b'],
    ['a .git file, as in a worktree', { 'a/.git/HEAD': '', 'a/b/.git': 'gitdir: elsewhere\n' }, 'a/b'],
    ['a .git file before .teddy', { 'a/.teddy/memos.yaml': '', 'a/b/c/.git': 'gitdir: x\n' }, 'a/b/c'],
    ['both in one folder', { 'a/.teddy/memos.yaml': '', 'a/.git/HEAD': '' }, 'a'],
    ['a file called .teddy is not one', { 'a/b/.teddy': '', 'a/.git/HEAD': '' }, 'a'],
  ])('%s', (_, files, root) => {
    const { house, c } = makeHouse(files as unknown as Record<string, string>);
    expect(findRoot(c)).toBe(join(house, root));
  });

  test('a link called .teddy is not one', () => {
    const { house, c } = makeHouse({ 'a/.git/HEAD': '' });
    symlinkSync('..', join(c, '.teddy'));
    expect(findRoot(c)).toBe(join(house, 'a'));
  });

  test('else the current folder', () => {
    const { c } = makeHouse({});
    expect(findRoot(c)).toBe(c);
  });
});

describe('a home or temporary folder', () => {
  const both = { '.teddy/memos.yaml': '', '.git/HEAD': '' };

  test.each(['HOME', 'TMPDIR'])('%s is never the root of what is below it', (name) => {
    const { house, c } = makeHouse(both);
    vi.stubEnv(name, house);
    expect(findRoot(c)).toBe(c);
    expect(findRoot(join(house, 'a'))).toBe(join(house, 'a'));
  });

  test.each(['HOME', 'TMPDIR'])('%s, by whatever link', (name) => {
    const { house, c } = makeHouse(both);
    const links = makeFolder();
    symlinkSync(house, join(links, 'link'));
    vi.stubEnv(name, join(links, 'link'));
    expect(findRoot(c)).toBe(c);
    expect(findRoot(join(links, 'link/a/b'))).toBe(join(house, 'a/b'));
  });

  test('a project below it is its own root', () => {
    const { house, c } = makeHouse({ ...both, 'a/.git/HEAD': '' });
    vi.stubEnv('HOME', house);
    expect(findRoot(c)).toBe(join(house, 'a'));
  });

  test('nor is what is above it', () => {
    const { house, c } = makeHouse(both);
    vi.stubEnv('HOME', join(house, 'a/b'));
    expect(findRoot(c)).toBe(c);
  });

  test('is the root of who stands in it, or names it', () => {
    const { house, c } = makeHouse(both);
    vi.stubEnv('HOME', house);
    expect(findRoot(house)).toBe(house);
    expect(findRoot(c, house)).toBe(house);
    expect(findRoot(c, '../../..')).toBe(house);
  });

  test('and so it is where nothing is in it', () => {
    const { house } = makeHouse({});
    vi.stubEnv('HOME', join(house, 'a'));
    expect(findRoot(join(house, 'a'))).toBe(join(house, 'a'));
  });

  test('an environment that says nothing of use is passed over', () => {
    const { house, c } = makeHouse({ 'a/.git/HEAD': '' });
    for (const home of ['', 'a', join(house, 'nowhere')]) {
      vi.stubEnv('HOME', home);
      expect(findRoot(c)).toBe(join(house, 'a'));
    }
  });

  test('the one that the system knows counts as well, and so do the usual temporary ones', () => {
    const { homedir } = userInfo();
    vi.stubEnv('HOME', makeFolder());
    vi.stubEnv('TMPDIR', makeFolder());
    const known = [homedir, '/tmp', '/var/tmp', '/'].map((path) => realpathSync(path));
    expect([...sharedFolders()]).toEqual(expect.arrayContaining(known));
  });

  test.each(['/tmp', '/var/tmp'])('%s, whatever is planted there', (path) => {
    const folder = join(realpathSync(path), `teddy-test-${process.pid}-${Math.random()}`);
    mkdirSync(join(folder, 'a'), { recursive: true });
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    vi.stubEnv('TMPDIR', makeFolder());
    expect(findRoot(join(folder, 'a'))).toBe(join(folder, 'a'));
  });
});

test('the root is a real path, whatever link led there', () => {
  const { house, c } = makeHouse({});
  mkdirSync(join(house, 'links'));
  symlinkSync(c, join(house, 'links/c'));
  expect(findRoot(house, 'links/c')).toBe(c);
});

test('a named root must be a folder that is there', () => {
  const { c } = makeHouse({});
  expect(() => findRoot(c, 'nowhere')).toThrow(new UserError('--root nowhere does not exist.'));
  expect(() => findRoot(c, 'file')).toThrow(new UserError('--root file is not a folder.'));
});

describe('a .teddy that is not this user’s alone', () => {
  const sentence = (path: string) =>
    new UserError(
      `${path} is not used because other users can write to it (mode 0777); run: chmod -R go-w ${path}`,
    );

  test('stops every search that finds it, and every name for its folder', () => {
    const { house, c } = makeHouse({ 'a/.teddy/memos.yaml': '' });
    const path = join(house, 'a/.teddy');
    chmodSync(path, 0o777);
    expect(() => findRoot(c)).toThrow(sentence(path));
    expect(() => findRoot(join(house, 'a'))).toThrow(sentence(path));
    expect(() => findRoot(house, 'a')).toThrow(sentence(path));
    chmodSync(path, 0o755);
    expect(findRoot(c)).toBe(join(house, 'a'));
  });

  test('does nothing where a nearer .git is found', () => {
    const { house, c } = makeHouse({ 'a/.teddy/memos.yaml': '', 'a/b/.git/HEAD': '' });
    chmodSync(join(house, 'a/.teddy'), 0o777);
    expect(findRoot(c)).toBe(join(house, 'a/b'));
  });

  test.runIf(isRoot)('is not used where it belongs to another', () => {
    vi.stubEnv('SUDO_UID', undefined);
    const { house, c } = makeHouse({ 'a/.teddy/memos.yaml': '', 'a/.git/HEAD': '' });
    const path = join(house, 'a/.teddy');
    chownSync(path, 54321, 54321);
    expect(() => findRoot(c)).toThrow(
      new UserError(
        `${path} is not used because it belongs to another user (uid 54321); if you trust what it holds, run: chown -R 0 ${path}`,
      ),
    );
    vi.stubEnv('SUDO_UID', '54321');
    expect(findRoot(c)).toBe(join(house, 'a'));
  });
});

test('the folders in which teddy keeps what is the user’s are no roots', () => {
  const { house } = makeHouse({ 'state/teddy/trust/x.json': '', 'state/teddy-2/file': '' });
  vi.stubEnv('XDG_STATE_HOME', join(house, 'state'));
  for (const path of ['teddy', 'teddy/trust'])
    expect(() => findRoot(house, `state/${path}`)).toThrow(
      `${join(house, 'state', path)} is where teddy keeps its own files. Run teddy in another folder.`,
    );
  expect(findRoot(house, 'state/teddy-2')).toBe(join(house, 'state/teddy-2'));
  writeFileSync(join(house, 'state/file'), '');
  expect(findRoot(house, 'state')).toBe(join(house, 'state'));
});
