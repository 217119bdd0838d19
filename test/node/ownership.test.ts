import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { UserError } from '../../src/node/errors.js';
import { setFileSeam } from '../../src/node/file-calls.js';
import { isOwn, refuseForeign, requireOwn } from '../../src/node/files.js';
import { makeFolder } from '../folder.js';

const me = process.geteuid!();
const OTHER = 54321;

afterEach(() => vi.unstubAllEnvs());

function makeOwned(mode: number, name = 'own'): string {
  const path = join(makeFolder(), name);
  mkdirSync(path);
  chmodSync(path, mode);
  return path;
}

const judge = (path: string) => refuseForeign(path, statSync(path));

test.each([0o700, 0o755, 0o555, 0o711, 0o2755])('a folder of this user, mode %o, is used', (mode) => {
  expect(judge(makeOwned(mode))).toBeUndefined();
});

test.each([0o777, 0o757, 0o1777, 0o702])('one that everybody can write to, mode %o, is not', (mode) => {
  const path = makeOwned(mode);
  const shown = mode.toString(8).padStart(4, '0');
  expect(judge(path)).toBe(
    `${path} is not used because other users can write to it (mode ${shown}); run: chmod -R go-w ${path}`,
  );
  expect(() => requireOwn(path, statSync(path))).toThrow(UserError);
});

test('the remedy can be pasted, whatever the name', () => {
  const path = makeOwned(0o777, "it's; here");
  expect(judge(path)).toContain(`run: chmod -R go-w '${path.replace("'", "'\\''")}'`);
});

test('one of another user is not used, whatever its mode', () => {
  const remedy = me === 0 ? 'chown -R 0 /p' : `sudo chown -R ${me} /p`;
  expect(refuseForeign('/p', { uid: me + OTHER, gid: 0, mode: 0o700 })).toBe(
    `/p is not used because it belongs to another user (uid ${me + OTHER}); if you trust what it holds, run: ${remedy}`,
  );
});

test.runIf(me === 0)('as root, a folder that belongs to a user is another’s, too', () => {
  vi.stubEnv('SUDO_UID', undefined);
  const path = makeOwned(0o755);
  chownSync(path, OTHER, OTHER);
  expect(judge(path)).toContain(`belongs to another user (uid ${OTHER})`);
});

describe.runIf(me === 0)('under sudo', () => {
  test.each([
    [String(OTHER), true],
    [String(OTHER + 1), false],
    ['', false],
    [`${OTHER}x`, false],
  ])('SUDO_UID %j', (uid, used) => {
    vi.stubEnv('SUDO_UID', uid);
    expect(isOwn({ uid: OTHER, gid: OTHER, mode: 0o755 })).toBe(used);
    expect(isOwn({ uid: 0, gid: 0, mode: 0o755 })).toBe(true);
  });
});

test.runIf(me !== 0)('only root is two users', () => {
  vi.stubEnv('SUDO_UID', String(me + OTHER));
  expect(isOwn({ uid: me + OTHER, gid: 0, mode: 0o755 })).toBe(false);
});

describe('a folder that its group can write to', () => {
  const name = userInfo().username;
  const own = `${name}:x:${me}:4711:::`;

  /** Judged with these tables of users and groups in place of the machine's. */
  function judgeWith(tables: { passwd: string; group: string }, gid = 4711): string | undefined {
    const folder = makeFolder(tables);
    setFileSeam((call, perform) =>
      perform(
        call.args.map((arg) =>
          arg === '/etc/passwd' || arg === '/etc/group' ? join(folder, arg.slice(5)) : arg,
        ),
      ),
    );
    onTestFinished(() => setFileSeam(undefined));
    return refuseForeign('/p', { uid: me, gid, mode: 0o2775 });
  }

  test.each([`${name}:x:4711:\n`, `other:x:1:\n${name}:x:4711:${name}\n`])(
    'is used where the group is the user’s own: %j',
    (group) => {
      expect(judgeWith({ passwd: `${own}\nbob:x:12:12:::\n`, group })).toBeUndefined();
    },
  );

  test.each([
    ['another is a member', own, `${name}:x:4711:${name},bob\n`],
    ['another has it as their first group', `${own}\nbob:x:12:4711:::\n`, `${name}:x:4711:\n`],
    ['it has another name', own, 'team:x:4711:\n'],
    ['it has two names', own, `${name}:x:4711:\nteam:x:4711:\n`],
    ['nothing is known of it', own, 'team:x:4712:\n'],
    ['there are no tables', '', ''],
  ])('is not used where %s', (_, passwd, group) => {
    expect(judgeWith({ passwd, group })).toBe(
      '/p is not used because other users can write to it (mode 2775); run: chmod -R go-w /p',
    );
  });
});
