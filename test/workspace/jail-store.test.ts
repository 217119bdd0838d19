import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { setFileSeam } from '../../src/node/file-calls.js';
import type { Change } from '../../src/workspace/commit/change.js';
import { Workspace } from '../../src/workspace/workspace.js';
import {
  fingerprint,
  type House,
  hashOf,
  makeHouse,
  openIn,
  SECRET,
  watchCalls,
  write,
} from './jail/house.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const PLAIN = { path: 'plain.txt', before: null, after: bytes('plain') };

/** What a repository may bring along in its `.teddy`, as a clone or an archive lays it down. */
function plant({ root }: House, entries: object[], files: Record<string, string> = {}, mode = 0o600): void {
  const entry = { before: null, after: null, staged: null, kept: 'k', aside: null, mode: 0o755, folders: [] };
  const body = JSON.stringify({
    id: 'evil',
    begun: entries.length,
    entries: entries.map((each) => ({ ...entry, offset: 0, length: 4, ...each })),
  });
  for (const state of ['log', 'undo']) {
    const name = `evil.${state}`;
    write(join(root, '.teddy/tx'), { ...files, [name]: `${hashOf(body)}\n${body}\n` });
    chmodSync(join(root, '.teddy/tx', name), mode);
  }
  chmodSync(join(root, '.teddy/tx'), 0o700);
}

describe('a log that a cloned repository brings is not carried out', () => {
  const up = '../../../root-outside';
  const cases: Record<string, [entries: object[], files?: Record<string, string>]> = {
    'to write a hook': [
      [{ kind: 'write', path: '.git/hooks/pre-commit', after: hashOf('evil'), staged: 'p' }],
      { p: 'evil' },
    ],
    'to write a file': [[{ kind: 'write', path: 'x.sh', after: hashOf('evil'), staged: 'p' }], { p: 'evil' }],
    'to remove a file': [[{ kind: 'remove', path: 'in.txt', before: hashOf('inside') }]],
    'to overwrite an outside file by a kept name': [
      [{ kind: 'remove', path: 'in.txt', before: hashOf('inside'), kept: `${up}/secret.txt` }],
    ],
    'to read an outside file by a staged name': [
      [{ kind: 'append', path: 'leak.txt', staged: `${up}/secret.txt`, length: SECRET.length }],
    ],
    'to move an outside file in': [
      [{ kind: 'write', path: 'leak.txt', after: hashOf(SECRET), staged: `${up}/secret.txt` }],
    ],
    'to take an outside folder for its own': [
      [
        {
          kind: 'write',
          path: 'x.sh',
          after: hashOf(SECRET),
          staged: 'secret.txt',
          aside: '../root-outside',
        },
      ],
    ],
    'by a path that leads out': [
      [{ kind: 'write', path: '../root-outside/new', after: hashOf('evil'), staged: 'p' }],
      { p: 'evil' },
    ],
    'to remove outside folders': [[{ kind: 'remove', path: 'no', folders: ['../root-outside/empty'] }]],
    'without any shape': [[{ kind: 7, path: {}, staged: [], kept: null }]],
  };
  test.each(Object.entries(cases))('%s', async (_, [entries, files]) => {
    const house = makeHouse();
    mkdirSync(join(house.outside, 'empty'));
    plant(house, entries, files);
    const before = [fingerprint(house.outside), treeOf(house.root)];
    const strays = watchCalls(house.root);
    const result = await new Workspace(house.root).commit([PLAIN]);
    expect(result).toMatchObject({ status: 'failed', reason: expect.stringContaining('.teddy/tx/evil.') });
    expect((await new Workspace(house.root).recover()).status).toBe('stopped');
    expect(strays).toEqual([]);
    expect(openIn(house.house)).toEqual([]);
    expect([fingerprint(house.outside), treeOf(house.root)]).toEqual(before);
  });
});

function treeOf(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (path) => !path.startsWith('.teddy'),
  );
}

describe('a store that is not what it should be', () => {
  const cases: Record<string, (house: House) => void> = {
    '.teddy is a link to outside': ({ root, outside }) => symlinkSync(outside, join(root, '.teddy')),
    '.teddy is a link to inside': ({ root }) => symlinkSync('dir', join(root, '.teddy')),
    '.teddy is a dangling link': ({ root, outside }) => symlinkSync(`${outside}/new`, join(root, '.teddy')),
    '.teddy is a file': ({ root }) => writeFileSync(join(root, '.teddy'), ''),
    'tx is a link to outside': ({ root, outside }) => {
      mkdirSync(join(root, '.teddy'));
      symlinkSync(outside, join(root, '.teddy/tx'));
    },
    'the lock is a link to outside': ({ root, outside }) => {
      mkdirSync(join(root, '.teddy/tx'), { recursive: true });
      symlinkSync(join(outside, 'new-lock'), join(root, '.teddy/lock'));
    },
    'the lock is a folder': ({ root }) => mkdirSync(join(root, '.teddy/lock'), { recursive: true }),
    'a log is a link to outside': ({ root, outside }) => {
      mkdirSync(join(root, '.teddy/tx'), { recursive: true });
      symlinkSync(join(outside, 'secret.txt'), join(root, '.teddy/tx/x.log'));
    },
    'a log is a folder': ({ root }) => mkdirSync(join(root, '.teddy/tx/x.log'), { recursive: true }),
    'a log is a pipe': ({ root }) => {
      mkdirSync(join(root, '.teddy/tx'), { recursive: true });
      execFileSync('mkfifo', [join(root, '.teddy/tx/x.log')]);
    },
  };
  test.each(Object.entries(cases))('%s: nothing is done, and that is said', async (_, place) => {
    const house = makeHouse();
    place(house);
    const before = [fingerprint(house.outside), treeOf(house.root)];
    const strays = watchCalls(house.root);
    expect(await new Workspace(house.root).commit([PLAIN])).toMatchObject({ status: 'failed' });
    expect(strays).toEqual([]);
    expect(openIn(house.house)).toEqual([]);
    expect([fingerprint(house.outside), treeOf(house.root)]).toEqual(before);
  });

  test('folders in tx are in nobody’s way', async () => {
    const { root } = makeHouse();
    for (const name of ['x', 'x-part', 'x-1-old'])
      mkdirSync(join(root, '.teddy/tx', name), { recursive: true });
    expect(await new Workspace(root).commit([PLAIN])).toMatchObject({ status: 'committed' });
  });

  test('a journal behind a link to outside is not used', async () => {
    const house = makeHouse();
    mkdirSync(join(house.root, '.teddy'));
    symlinkSync(house.outside, join(house.root, '.teddy/runs'));
    const before = fingerprint(house.outside);
    const strays = watchCalls(house.root);
    expect((await new Workspace(house.root).commit([PLAIN], { run: 'r' })).status).toBe('failed');
    expect(strays).toEqual([]);
    expect(openIn(house.house)).toEqual([]);
    expect(fingerprint(house.outside)).toEqual(before);
  });

  test.each(['..', '../..', '../../../root-outside', '', '.', 'a/b', '/'])('a run called %j', async (run) => {
    const house = makeHouse();
    const before = fingerprint(house.outside);
    const strays = watchCalls(house.root);
    expect((await new Workspace(house.root).commit([PLAIN], { run })).status).toBe('failed');
    expect(strays).toEqual([]);
    expect(openIn(house.house)).toEqual([]);
    expect(fingerprint(house.outside)).toEqual(before);
  });
});

describe('another program at the same moment', () => {
  /** Does something just before the commit point. */
  function atCommitPoint(work: () => void): void {
    setFileSeam((call, perform) => {
      if (call.name === 'rename' && String(call.args[1]).endsWith('.log')) work();
      return perform(call.args);
    });
    onTestFinished(() => setFileSeam(undefined));
  }

  test('what it appended is kept, and ours is a conflict', async () => {
    const { root } = makeHouse({ 'log.txt': '0123456789' });
    atCommitPoint(() => appendFileSync(join(root, 'log.txt'), 'OTHER'));
    const result = await new Workspace(root).commit([{ path: 'log.txt', append: bytes('mine'), offset: 10 }]);
    expect(result.status).toBe('conflict');
    expect(readFileSync(join(root, 'log.txt'), 'utf8')).toBe('0123456789OTHER');
  });

  test('what it created is kept, where we would have appended', async () => {
    const { root } = makeHouse();
    atCommitPoint(() => writeFileSync(join(root, 'log.txt'), 'OTHER'));
    const result = await new Workspace(root).commit([{ path: 'log.txt', append: bytes('mine'), offset: 0 }]);
    expect(result.status).toBe('conflict');
    expect(readFileSync(join(root, 'log.txt'), 'utf8')).toBe('OTHER');
  });

  test('what it created is kept, where we would have made the folder', async () => {
    const { root } = makeHouse();
    atCommitPoint(() => write(root, { 'new/x.txt': 'OTHER' }));
    const result = await new Workspace(root).commit([
      { path: 'in.txt', before: hashOf('inside'), after: bytes('mine') },
      { path: 'new/x.txt', before: null, after: bytes('mine') },
    ]);
    expect(result.status).toBe('conflict');
    expect(readFileSync(join(root, 'new/x.txt'), 'utf8')).toBe('OTHER');
    expect(readFileSync(join(root, 'in.txt'), 'utf8')).toBe('inside');
  });

  test('a link that it put in the way is not followed', async () => {
    const house = makeHouse();
    const before = fingerprint(house.outside);
    atCommitPoint(() => symlinkSync(house.outside, join(house.root, 'new')));
    const result = await new Workspace(house.root).commit([
      { path: 'new/x.txt', before: null, after: bytes('mine') },
      { path: 'new/deep/y.txt', before: null, after: bytes('mine') },
    ]);
    expect(['conflict', 'failed', 'stuck']).toContain(result.status);
    expect(fingerprint(house.outside)).toEqual(before);
  });
});

describe('a change that cannot be made fails, and nothing is in the way afterwards', () => {
  async function expectFree({ root }: House, changes: Change[]): Promise<void> {
    const before = treeOf(root);
    const first: Change = { path: 'in.txt', before: hashOf('inside'), after: bytes('mine') };
    expect(['failed', 'refused']).toContain((await new Workspace(root).commit([first, ...changes])).status);
    expect(readFileSync(join(root, 'in.txt'), 'utf8')).toBe('inside');
    expect(treeOf(root)).toEqual(before);
    expect(readdirSync(join(root, '.teddy/tx'))).toEqual(['.gitignore']);
    expect(await new Workspace(root).commit([PLAIN])).toMatchObject({ status: 'committed' });
  }

  test.each([[['p', 'p/q']], [['p/q', 'p']], [['p/q/r', 'p']], [['dir/in.txt/x']]])(
    '%j in one commit',
    async (paths) => {
      await expectFree(
        makeHouse(),
        paths.map((path) => ({ path, before: null, after: bytes(path) })),
      );
    },
  );

  const asRoot = process.platform === 'linux' && process.getuid?.() === 0;
  test.runIf(asRoot).each([
    ['a file that nobody may change', '+i', { before: hashOf('old'), after: bytes('new') }],
    ['a file that nobody may remove', '+i', { before: hashOf('old'), after: null }],
    ['a file that nobody may add to', '+i', { append: bytes('new'), offset: 3 }],
    ['a file that may only be added to, changed', '+a', { before: hashOf('old'), after: bytes('new') }],
  ])('%s', async (_, attribute, change) => {
    const house = makeHouse({ fixed: 'old' });
    const path = join(house.root, 'fixed');
    try {
      execFileSync('chattr', [attribute, path], { stdio: 'pipe' });
    } catch {
      return;
    }
    try {
      await expectFree(house, [{ path: 'fixed', ...change }]);
    } finally {
      execFileSync('chattr', [`-${attribute[1]}`, path]);
    }
  });

  test.runIf(process.platform === 'linux')('a read-only file that is added to', async () => {
    const house = makeHouse({ fixed: 'old' });
    chmodSync(join(house.root, 'fixed'), 0o444);
    // Root may write to it all the same; then it is the open call that says no.
    setFileSeam((call, perform) => {
      const writes = call.name === 'open' && (Number(call.args[1]) & 0o3) === 2;
      if (writes && String(call.args[0]).endsWith('/fixed'))
        throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      return perform(call.args);
    });
    onTestFinished(() => setFileSeam(undefined));
    await expectFree(house, [{ path: 'fixed', append: bytes('new'), offset: 3 }]);
  });
});

test('what is appended to a hard link does not reach the outside file', async () => {
  const house = makeHouse();
  linkSync(join(house.outside, 'secret.txt'), join(house.root, 'h'));
  const result = await new Workspace(house.root).commit([
    { path: 'h', append: bytes('mine'), offset: Buffer.byteLength(SECRET) },
  ]);
  expect(['committed', 'refused']).toContain(result.status);
  expect(readFileSync(join(house.outside, 'secret.txt'), 'utf8')).toBe(SECRET);
});

describe.runIf(process.platform === 'linux' && process.getuid?.() === 0 && canMount())('mounts', () => {
  function mount(house: House, ...args: string[]): void {
    execFileSync('mount', args, { cwd: house.root, stdio: 'pipe' });
    onTestFinished(() => void execFileSync('umount', [args.at(-1)!], { cwd: house.root, stdio: 'pipe' }));
  }

  test.each([
    ['another file system', ['-t', 'tmpfs', 'none', 'vol']],
    ['another mount of the same one', ['--bind', '../volume', 'vol']],
  ])('%s: works as any folder', async (_, args) => {
    const house = makeHouse({ '../volume/.keep': '', 'vol/.keep': '' });
    mount(house, ...args);
    write(house.root, { 'vol/edit.txt': 'old', 'vol/gone.txt': 'old', 'vol/add.txt': 'old' });
    const result = await new Workspace(house.root).commit([
      { path: 'in.txt', before: hashOf('inside'), after: bytes('new') },
      { path: 'vol/edit.txt', before: hashOf('old'), after: bytes('new') },
      { path: 'vol/gone.txt', before: hashOf('old'), after: null },
      { path: 'vol/add.txt', append: bytes('new'), offset: 3 },
      { path: 'vol/a/b/new.txt', before: null, after: bytes('new') },
    ]);
    expect(result).toMatchObject({ status: 'committed' });
    const vol = readdirSync(join(house.root, 'vol'), { recursive: true, encoding: 'utf8' }).sort();
    expect(vol.filter((name) => name !== '.keep')).toEqual([
      'a',
      'a/b',
      'a/b/new.txt',
      'add.txt',
      'edit.txt',
    ]);
    expect(readFileSync(join(house.root, 'vol/edit.txt'), 'utf8')).toBe('new');
    expect(readFileSync(join(house.root, 'vol/add.txt'), 'utf8')).toBe('oldnew');
    expect(readdirSync(join(house.root, '.teddy/tx'))).toEqual(['.gitignore']);
  });

  test('a protected tree under another name is still protected', async () => {
    const house = makeHouse({ '.git/hooks/x': '', 'alias/.keep': '' });
    mount(house, '--bind', '.git', 'alias');
    for (const path of ['alias/new', 'alias/hooks/new', 'alias/no/such/new'])
      expect(
        await new Workspace(house.root).commit([{ path, before: null, after: bytes('x') }]),
      ).toMatchObject({ status: 'refused', path, reason: 'is in a protected folder' });
    expect(existsSync(join(house.root, '.git/new'))).toBe(false);
  });
});

function canMount(): boolean {
  try {
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}
