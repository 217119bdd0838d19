import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { makeFolder } from '../folder.js';

const isRoot = process.geteuid?.() === 0;
let home: string;

beforeEach(() => {
  home = makeFolder();
  vi.stubEnv('XDG_STATE_HOME', home);
  // The key is read once by each process.
  vi.resetModules();
});
afterEach(() => vi.unstubAllEnvs());

const load = async () => ({
  ...(await import('../../src/node/user-folders.js')),
  ...(await import('../../src/node/user-folders.js')),
});
const refused = (path: string, why: string) =>
  expect.objectContaining({
    name: 'UserError',
    message: expect.stringContaining(`${path} is not used because ${why}`),
  });

test('what teddy makes there it uses afterwards, whatever the umask', async () => {
  const { userKey, writeUserState, readUserState } = await load();
  const umask = process.umask(0);
  try {
    writeUserState('trust', 'x.json', '{}');
    expect(userKey()).toMatch(/^\w{32,}$/);
  } finally {
    process.umask(umask);
  }
  expect(readUserState('trust', 'x.json')).toBe('{}');
  const mode = (path: string) => statSync(join(home, path)).mode & 0o777;
  expect([mode('teddy'), mode('teddy/trust'), mode('teddy/key')]).toEqual([0o700, 0o700, 0o600]);
  vi.resetModules();
  expect((await load()).userKey()).toBe(userKey());
});

describe('a folder that is not this user’s alone is not used', () => {
  const spoilers = [
    ['other users can write to it (mode 0777)', (path: string) => chmodSync(path, 0o777)],
    ...(isRoot
      ? ([
          ['it belongs to another user (uid 54321)', (path: string) => chownSync(path, 54321, 54321)],
        ] as const)
      : []),
  ] as const;

  test.each(spoilers)('the one of all: %s', async (why, spoil) => {
    const { userKey, writeUserState, readUserState } = await load();
    writeUserState('trust', 'x.json', '{}');
    spoil(join(home, 'teddy'));
    for (const use of [
      () => userKey(),
      () => readUserState('trust', 'x.json'),
      () => writeUserState('trust', 'x.json', 'other'),
    ])
      expect(use).toThrow(refused(join(home, 'teddy'), why));
    expect(readFileSync(join(home, 'teddy/trust/x.json'), 'utf8')).toBe('{}');
  });

  test.each(spoilers)('the one for trust: %s', async (why, spoil) => {
    const { userKey, writeUserState, readUserState } = await load();
    writeUserState('trust', 'x.json', '{}');
    spoil(join(home, 'teddy/trust'));
    expect(() => readUserState('trust', 'x.json')).toThrow(refused(join(home, 'teddy/trust'), why));
    expect(() => writeUserState('trust', 'x.json', '')).toThrow(refused(join(home, 'teddy/trust'), why));
    expect(userKey()).toBeDefined();
  });

  test('by whatever link', async () => {
    const elsewhere = makeFolder({ 'trust/x.json': '{}' });
    chmodSync(elsewhere, 0o777);
    symlinkSync(elsewhere, join(home, 'teddy'));
    const { readUserState } = await load();
    expect(() => readUserState('trust', 'x.json')).toThrow(
      refused(join(home, 'teddy'), 'other users can write to it'),
    );
  });
});

describe('a key', () => {
  function makeKey(): string {
    const path = join(home, 'teddy/key');
    mkdirSync(join(home, 'teddy'), { mode: 0o700 });
    writeFileSync(path, `${'k'.repeat(48)}\n`, { mode: 0o600 });
    return path;
  }

  test.each([
    [0o644, 'other users can read it (mode 0644); run: chmod 600 '],
    [0o640, 'other users can read it (mode 0640); run: chmod 600 '],
    [0o666, 'other users can write to it (mode 0666); run: chmod -R go-w '],
  ])('of mode %o is not used', async (mode, why) => {
    const path = makeKey();
    chmodSync(path, mode);
    const { userKey } = await load();
    expect(userKey).toThrow(refused(path, `${why}${path}`));
    chmodSync(path, 0o600);
    expect(userKey()).toBe('k'.repeat(48));
  });

  test.runIf(isRoot)('of another user is not used', async () => {
    const path = makeKey();
    chownSync(path, 54321, 54321);
    const { userKey } = await load();
    expect(userKey).toThrow(refused(path, 'it belongs to another user (uid 54321)'));
    vi.stubEnv('SUDO_UID', '54321');
    expect(userKey()).toBe('k'.repeat(48));
  });
});
