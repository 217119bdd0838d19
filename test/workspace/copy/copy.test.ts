import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { diffTrees } from '../../../src/core/changeset/changeset.js';
import { createCopy } from '../../../src/workspace/copy/create-copy.js';
import { readCopy } from '../../../src/workspace/copy/read-copy.js';
import type { ProjectCopy } from '../../../src/workspace/copy/types.js';
import { makeFolder } from '../../folder.js';

function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8' });
}

function makeProject(files: Record<string, string | Uint8Array>): string {
  const root = realpathSync(makeFolder(files));
  git(root, 'init', '-q', '-b', 'main');
  git(root, 'add', '-A');
  git(root, 'commit', '-q', '--allow-empty', '-m', 'first');
  return root;
}

async function copyOf(root: string, bring: string[] = []): Promise<ProjectCopy> {
  const folder = join(realpathSync(makeFolder()), 'one');
  mkdirSync(folder);
  const made = await createCopy(root, folder, { bring });
  if (made.status !== 'ok') throw new Error(made.reason);
  return made.copy;
}

async function changesOf(copy: ProjectCopy) {
  const read = await readCopy(copy);
  if (read.status !== 'ok') throw new Error(read.reason);
  const files = diffTrees(read.base, read.folder);
  return { changes: files.map(({ change, path }) => `${change} ${path}`), skipped: read.skipped };
}

/** The whole of a repository, to see that nothing in it changed. */
function sumOf(folder: string): string {
  return execFileSync('sh', ['-c', 'find . -type f -print0 | sort -z | xargs -0 sha256sum; find . | sort'], {
    cwd: folder,
    encoding: 'utf8',
  });
}

test('has the project as it is: staged, unstaged, untracked, deleted, links, modes; writes nothing to its repository', async () => {
  const root = makeProject({ kept: 'a\n', edited: 'a\n', gone: 'a\n', '.gitignore': '*.log\n' });
  writeFileSync(join(root, 'edited'), 'b\r\n');
  rmSync(join(root, 'gone'));
  writeFileSync(join(root, 'new'), Uint8Array.of(0, 255, 10));
  writeFileSync(join(root, 'run'), '#!/bin/sh\n');
  chmodSync(join(root, 'run'), 0o755);
  symlinkSync('/etc/passwd', join(root, 'link'));
  writeFileSync(join(root, 'staged'), 'staged\n');
  git(root, 'add', 'staged');
  writeFileSync(join(root, 'x.log'), 'log');
  const before = sumOf(join(root, '.git'));
  const copy = await copyOf(root);
  expect(sumOf(join(root, '.git'))).toBe(before);
  expect(readFileSync(join(copy.copy, 'edited'), 'utf8')).toBe('b\r\n');
  expect(existsSync(join(copy.copy, 'gone'))).toBe(false);
  expect([...readFileSync(join(copy.copy, 'new'))]).toEqual([0, 255, 10]);
  expect(spawnSync(join(copy.copy, 'run')).status).toBe(0);
  expect(readFileSync(join(copy.copy, 'staged'), 'utf8')).toBe('staged\n');
  expect(readFileSync(join(copy.copy, 'x.log'), 'utf8')).toBe('log');
  expect(await changesOf(copy)).toEqual({ changes: [], skipped: [] });
});

test('gives back created, edited, deleted, renamed and mode changes, and nothing that is ignored', async () => {
  const lines = Array.from({ length: 30 }, (_, at) => `line ${at}\n`).join('');
  const root = makeProject({ a: 'a\n', b: 'b\n', c: lines, m: 'm\n', 'd/e': 'e\n', '.gitignore': 'out/\n' });
  mkdirSync(join(root, 'out'));
  writeFileSync(join(root, 'out/file'), '');
  const copy = await copyOf(root);
  writeFileSync(join(copy.copy, 'a'), 'changed\n');
  rmSync(join(copy.copy, 'b'));
  renameSync(join(copy.copy, 'c'), join(copy.copy, 'c2'));
  chmodSync(join(copy.copy, 'm'), 0o755);
  rmSync(join(copy.copy, 'd'), { recursive: true });
  symlinkSync('/etc', join(copy.copy, 'd'));
  writeFileSync(join(copy.copy, 'out/new'), 'ignored');
  // The rule is gone, the lent folder is still not part of the changes.
  writeFileSync(join(copy.copy, '.gitignore'), '');
  const { changes } = await changesOf(copy);
  expect(changes).toEqual([
    ...['edited .gitignore', 'edited a', 'deleted b', 'renamed c2', 'created d', 'deleted d/e', 'edited m'],
  ]);
});

test('runs no filter, hook or monitor of the project or of the copy', async () => {
  const root = makeProject({
    a: 'a\n',
    '.gitattributes': '* filter=evil\n*.txt text eol=crlf\n',
    'x.txt': 'x\n',
  });
  const mark = join(root, 'mark');
  for (const key of ['filter.evil.clean', 'filter.evil.smudge', 'core.fsmonitor'])
    git(root, 'config', key, `touch '${mark}'; cat`);
  writeFileSync(join(root, '.git/hooks/post-index-change'), `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
  writeFileSync(join(root, 'a'), 'b\n');
  const copy = await copyOf(root);
  expect(existsSync(mark)).toBe(false);
  expect(readFileSync(join(copy.copy, 'x.txt'), 'utf8')).toBe('x\n');
  const config = readFileSync(join(copy.copy, '.git/config'), 'utf8');
  expect(config).not.toMatch(/evil|fsmonitor/);
  for (const line of [
    '[core]',
    `fsmonitor = touch '${mark}'`,
    '[filter "evil"]',
    `clean = touch '${mark}'; cat`,
  ])
    writeFileSync(join(copy.copy, '.git/config'), `${line}\n`, { flag: 'a' });
  writeFileSync(join(copy.copy, 'a'), 'c\n');
  expect((await changesOf(copy)).changes).toEqual(['edited a']);
  expect(existsSync(mark)).toBe(false);
});

test('names what it cannot take: pipes, repositories, names that are not UTF-8', async () => {
  const copy = await copyOf(makeProject({ a: 'a\n', replaced: 'a\n' }));
  rmSync(join(copy.copy, 'replaced'));
  for (const name of ['pipe', 'replaced']) spawnSync('mkfifo', [join(copy.copy, name)]);
  mkdirSync(join(copy.copy, 'inner'));
  git(join(copy.copy, 'inner'), 'init', '-q');
  writeFileSync(join(copy.copy, 'inner/file'), '');
  git(join(copy.copy, 'inner'), 'add', '.');
  git(join(copy.copy, 'inner'), 'commit', '-qm', 'x');
  writeFileSync(Buffer.concat([Buffer.from(`${copy.copy}/caf`), Buffer.of(0xe9)]), 'x');
  const { changes, skipped } = await changesOf(copy);
  expect(changes).toEqual([]);
  expect(skipped.map(({ path }) => path).sort()).toEqual(['caf\ufffd', 'inner/', 'pipe', 'replaced']);
});

test('a file that was changed back in size and time is seen', async () => {
  const copy = await copyOf(makeProject({ a: 'aaaa\n' }));
  const path = join(copy.copy, 'a');
  spawnSync('sh', [
    '-c',
    'touch -r "$1" ref; printf "bbbb\\n" > "$1"; touch -r ref "$1"; rm ref',
    'sh',
    path,
  ]);
  expect((await changesOf(copy)).changes).toContain('edited a');
});

test('git works in it, and knows what the project had staged', async () => {
  const root = makeProject({ a: 'a\n', b: 'b\n' });
  writeFileSync(join(root, 'a'), 'staged\n');
  git(root, 'add', 'a');
  writeFileSync(join(root, 'b'), 'edited\n');
  writeFileSync(join(root, 'c'), 'new\n');
  git(root, 'config', 'credential.helper', 'store');
  git(root, 'config', 'remote.origin.url', 'https://user:password@example.org/x.git');
  const copy = await copyOf(root);
  const config = readFileSync(join(copy.copy, '.git/config'), 'utf8');
  expect(config).toContain('https://example.org/x.git');
  expect(config).not.toMatch(/password|helper/);
  const borrowed = copy.lent.find(({ path }) => path.startsWith('.git/'))!;
  rmSync(join(copy.copy, borrowed.path), { recursive: true });
  symlinkSync(borrowed.from, join(copy.copy, borrowed.path));
  expect(git(copy.copy, 'status', '--porcelain')).toBe('M  a\n M b\n?? c\n');
  git(copy.copy, 'commit', '-qam', 'second');
  expect(git(copy.copy, 'log', '--format=%s')).toBe('second\nfirst\n');
  expect(git(root, 'log', '--format=%s')).toBe('first\n');
});

test('ignored folders are lent, secrets are withheld unless they are named', async () => {
  const root = makeProject({ '.gitignore': 'node_modules/\nbuild/\n.env\n.env.example\nkeys/\n' });
  const files = ['node_modules/x/.env', 'build/.env', 'build/out', '.env', '.env.example', 'keys/server.pem'];
  for (const path of files) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), 'secret');
  }
  const copy = await copyOf(root);
  expect(
    copy.lent.filter(({ path }) => !path.startsWith('.git/')).map(({ path, hidden }) => ({ path, hidden })),
  ).toEqual([
    { path: 'build', hidden: ['.env'] },
    { path: 'keys', hidden: ['server.pem'] },
    { path: 'node_modules', hidden: [] },
  ]);
  expect([...copy.withheld].sort()).toEqual(['.env', 'build/.env', 'keys/server.pem']);
  expect(existsSync(join(copy.copy, '.env'))).toBe(false);
  expect(existsSync(join(copy.copy, '.env.example'))).toBe(true);
  const brought = await copyOf(root, ['.env']);
  expect(readFileSync(join(brought.copy, '.env'), 'utf8')).toBe('secret');
  expect((await changesOf(brought)).changes).toEqual([]);
});

test('secrets that git does not ignore are named, unless they are committed', async () => {
  const root = makeProject({ '.gitignore': '.env\n', 'test/key.pem': 'for tests\n' });
  for (const path of ['.env', '.env.local', 'id_rsa', 'plain.txt']) writeFileSync(join(root, path), 'secret');
  const note = 'Visible to the agent: .env.local, id_rsa (may hold secrets, but git does not ignore it).';
  expect((await copyOf(root)).notes).toEqual([note]);
  expect((await copyOf(root, ['.env.local', 'id_rsa'])).notes).toEqual([]);
  const plain = await copyOf(realpathSync(makeFolder({ '.env': 'secret', a: 'a\n' })));
  expect(plain.notes).toEqual(['Visible to the agent: .env (may hold secrets, but git does not ignore it).']);
});

test.each(['', 'folder'])(
  'a home folder is not copied: its keys would be in the copy (%s)',
  async (below) => {
    const root = realpathSync(makeFolder({ '.ssh/id': 'key', 'folder/.ssh/id': 'key' }));
    vi.stubEnv('HOME', join(root, below));
    const folder = join(realpathSync(makeFolder()), 'one');
    mkdirSync(folder);
    expect(await createCopy(root, folder)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining(`${root} holds your home folder`),
    });
    expect(readdirSync(folder)).toEqual([]);
    vi.unstubAllEnvs();
  },
);

test('only folders of objects are borrowed, whatever the repository names', async () => {
  const other = realpathSync(makeFolder({ 'objects/x': '', 'diary/y': '' }));
  const root = makeProject({ a: 'a\n' });
  const alternates = ['diary', 'objects', 'gone/objects'].map((path) => `${join(other, path)}\n`);
  writeFileSync(join(root, '.git/objects/info/alternates'), alternates.join(''));
  const { lent, notes } = await copyOf(root);
  expect(lent.map(({ from }) => from)).toEqual([join(root, '.git/objects'), join(other, 'objects')]);
  expect(notes).toEqual([
    `The agent can read ${join(other, 'objects')}, which the project's repository borrows.`,
  ]);
});

test('links in a repository lead nowhere else, and a git folder elsewhere is named', async () => {
  const home = realpathSync(makeFolder({ '.ssh/key': 'SECRET\n', 'diary/x': '' }));
  const root = makeProject({ a: 'a\n' });
  for (const name of ['info/exclude', 'shallow']) {
    rmSync(join(root, '.git', name), { force: true });
    symlinkSync(join(home, '.ssh/key'), join(root, '.git', name));
  }
  mkdirSync(join(root, '.git/x'));
  symlinkSync(home, join(root, '.git/x/objects'));
  writeFileSync(join(root, '.git/objects/info/alternates'), '../x/objects\n');
  const copy = await copyOf(root);
  expect(copy.lent.map(({ from }) => from)).toEqual([join(root, '.git/objects')]);
  expect(spawnSync('grep', ['-r', 'SECRET', copy.copy], { encoding: 'utf8' }).stdout).toBe('');
  rmSync(join(root, '.git/objects'), { recursive: true });
  symlinkSync(home, join(root, '.git/objects'));
  rmSync(join(root, '.git/shallow'));
  expect((await copyOf(root)).lent).toEqual([]);
  const outside = join(home, 'data.git');
  const separate = realpathSync(makeFolder());
  git(separate, 'init', '-q', '--separate-git-dir', outside);
  expect((await copyOf(separate)).notes).toEqual([
    `The agent can read the project's repository, ${outside}.`,
  ]);
});

test('objects that are borrowed in turn are lent, too, without the file that says where they are', async () => {
  const [first, second] = [makeProject({ a: 'a\n' }), realpathSync(makeFolder())];
  git(second, 'clone', '-q', '--shared', first, 'second');
  git(second, 'clone', '-q', '--shared', join(second, 'second'), 'third');
  const { lent } = await copyOf(join(second, 'third'));
  expect(lent.map(({ from, hidden }) => [from, hidden])).toEqual([
    [join(second, 'third/.git/objects'), ['info']],
    [join(second, 'second/.git/objects'), ['info']],
    [join(first, '.git/objects'), []],
  ]);
});

test('a folder without git is copied, too', async () => {
  const root = realpathSync(makeFolder({ a: 'a\n', 'b/c': 'c\n' }));
  const copy = await copyOf(root);
  expect(existsSync(join(root, '.git'))).toBe(false);
  expect(existsSync(join(copy.copy, '.git'))).toBe(false);
  writeFileSync(join(copy.copy, 'b/c'), 'd\n');
  expect((await changesOf(copy)).changes).toEqual(['edited b/c']);
});

test('a merge that is not finished, files assumed unchanged, and a repository without a commit', async () => {
  const root = realpathSync(makeFolder({ a: 'a\n' }));
  git(root, 'init', '-q');
  expect((await changesOf(await copyOf(root))).changes).toEqual([]);
  git(root, 'add', '.');
  git(root, 'commit', '-qm', 'x');
  git(root, 'update-index', '--assume-unchanged', 'a');
  writeFileSync(join(root, 'a'), 'own\n');
  const copy = await copyOf(root);
  expect(readFileSync(join(copy.copy, 'a'), 'utf8')).toBe('own\n');
  git(root, 'update-index', '--no-assume-unchanged', 'a');
  git(root, 'commit', '-qam', 'own');
  git(root, 'checkout', '-q', '-b', 'other', 'HEAD~1');
  writeFileSync(join(root, 'a'), 'theirs\n');
  git(root, 'commit', '-qam', 'theirs');
  spawnSync('git', ['merge', '-q', '-'], { cwd: root });
  const merging = await copyOf(root);
  expect(readFileSync(join(merging.copy, 'a'), 'utf8')).toContain('<<<<<<<');
  expect((await changesOf(merging)).changes).toEqual([]);
});
