// What a project may hold or a command may do to hinder the look at the files: nothing outside is read or written, nothing
// hangs, and whatever is not restored is named.

import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { setFileSeam } from '../../../src/node/file-calls.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { makeFolder } from '../../folder.js';
import { look, makeProject, runCommandIn, undoWhole } from './project.js';

const BYTES = Buffer.from([0x61, 0xff, 0x62]);

/** The files of teddy's own that hold it. */
function findText(text: string, root: string): string {
  return execFileSync('sh', ['-c', `grep -rl "${text}" ${root}/.teddy || true`], { encoding: 'utf8' });
}

function inBytes(root: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), BYTES]);
}

test.each([true, false])(
  'pipes and sockets are not opened, and named if they change (git: %s)',
  async (git) => {
    const root = makeProject('printf a > a; mkfifo pipe old-pipe; mkdir deep; mkfifo deep/pipe', { git });
    const { run, workspace, changes } = await runCommandIn(
      root,
      `printf b > a; rm old-pipe; mkfifo new-pipe; rm deep/pipe; printf x > deep/pipe
    node -e 'require("net").createServer().listen("socket", () => process.kill(process.pid, "SIGKILL"))' || true`,
    );
    expect(changes.changed).toEqual(expect.arrayContaining([{ path: 'a', change: 'edited' }]));
    const named = changes.unrestorable!.map(({ path }) => path).sort();
    expect(named).toEqual(['deep/pipe', 'new-pipe', 'old-pipe', 'socket']);
    await workspace.undo(run);
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('a');
    expect(lstatSync(join(root, 'pipe')).isFIFO()).toBe(true);
    expect(lstatSync(join(root, 'new-pipe')).isFIFO()).toBe(true);
  },
);

test.each([true, false])('a name that is not UTF-8 is left alone, and named (git: %s)', async (git) => {
  const root = makeProject('printf a > a', { git });
  writeFileSync(inBytes(root), 'bytes');
  const { run, workspace, changes } = await runCommandIn(
    root,
    'printf b > a; for f in a?b; do printf changed > "$f"; done; printf new > "$(printf \'n\\377\')"',
  );
  expect(changes.changed).toEqual([{ path: 'a', change: 'edited' }]);
  expect(changes.unrestorable?.every(({ path }) => path.includes('\ufffd'))).toBe(true);
  expect(changes.unrestorable?.length).toBeGreaterThan(0);
  await workspace.undo(run);
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('a');
  expect(readFileSync(inBytes(root), 'utf8')).toBe('changed');
  expect(readdirSync(root, { encoding: 'buffer' }).map(String)).toHaveLength(git ? 5 : 4);
});

test('a sparse file is restored, and does not fill the memory', async () => {
  const root = makeProject('printf a > a; truncate -s 300M sparse');
  const limits = { maxFile: 1024 * 1024, maxTotal: 1024 * 1024 };
  const { changes } = await runCommandIn(root, 'printf x >> sparse', limits);
  expect(changes).toMatchObject({
    changed: [{ path: 'sparse', change: 'edited' }],
    unrestorable: [{ path: 'sparse', reason: 'is larger than 1 MB' }],
  });
  const small = makeProject('truncate -s 500K sparse; printf end >> sparse');
  const before = look(small);
  const { run, workspace } = await runCommandIn(small, ': > sparse');
  await undoWhole(workspace, run);
  expect(look(small)).toEqual(before);
});

test('a folder for a link that leads outside: nothing outside is read, kept or changed', async () => {
  const outside = realpathSync(makeFolder({ 'a.txt': 'outside', 'secret.txt': 'secret' }));
  const root = makeProject('mkdir src; printf inside > src/a.txt; printf b > src/b.txt');
  const before = look(root);
  const { run, workspace, changes } = await runCommandIn(root, `rm -r src; ln -s ${outside} src`);
  expect(changes.changed).toEqual([
    { path: 'src', change: 'created' },
    { path: 'src/a.txt', change: 'deleted' },
    { path: 'src/b.txt', change: 'deleted' },
  ]);
  await undoWhole(workspace, run);
  expect(look(root)).toEqual(before);
  expect(look(outside)).toEqual(look(makeFolder({ 'a.txt': 'outside', 'secret.txt': 'secret' })));
  expect(findText('secret', root)).toBe('');
});

test('a link that is swapped in while the undo is planned', async () => {
  const outside = realpathSync(makeFolder({ 'a.txt': 'outside' }));
  const root = makeProject('mkdir src; printf inside > src/a.txt');
  const { run, workspace } = await runCommandIn(root, 'printf changed > src/a.txt');
  execFileSync('sh', ['-c', `mv src real; ln -s ${outside} src`], { cwd: root });
  const result = await workspace.undo(run);
  expect(result).toMatchObject({ status: 'undone', refused: [{ path: 'src/a.txt' }] });
  expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('outside');
  expect(readFileSync(join(root, 'real/a.txt'), 'utf8')).toBe('changed');
});

test('links swapped in at any moment of the scans: nothing outside is opened', async () => {
  const outside = realpathSync(makeFolder({ 'a.txt': 'the secret outside', deep: 'x' }));
  const root = makeProject('mkdir -p src/deep; printf inside > src/a.txt; printf d > src/deep/d.txt');
  const swap = spawn(
    'sh',
    ['-c', `while :; do mv src other; ln -s ${outside} src; rm src; mv other src; done`],
    { cwd: root, stdio: 'ignore' },
  );
  onTestFinished(() => {
    swap.kill('SIGKILL');
  });
  for (let round = 0; round < 20; round++) await runCommandIn(root, ':');
  swap.kill('SIGKILL');
  expect(findText('secret outside', root)).toBe('');
  expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('the secret outside');
});

test('a file that changes while it is read is read again, and restored to something that it held', async () => {
  const root = makeProject('printf one > a.txt; printf b > b.txt');
  let isChanged = false;
  // Between the reading and the second look at the file's times.
  setFileSeam((call, perform) => {
    const result = perform(call.args);
    if (call.name === 'read' && !isChanged) {
      isChanged = true;
      writeFileSync(join(root, 'a.txt'), 'two');
      writeFileSync(join(root, 'b.txt'), 'two');
    }
    return result;
  });
  onTestFinished(() => setFileSeam(undefined));
  await runCommandIn(root, ':');
  expect(isChanged).toBe(true);
  setFileSeam(undefined);
  const before = look(root);
  const { run, workspace, changes } = await runCommandIn(root, 'printf six > a.txt; printf six > b.txt');
  expect(changes.changed.map(({ path }) => path)).toEqual(['a.txt', 'b.txt']);
  await undoWhole(workspace, run);
  expect(look(root)).toEqual(before);
});

test('a file of the same size with the time that it had is noticed', async () => {
  const root = makeProject('printf one > a.txt; touch -d 2001-02-03 a.txt');
  await runCommandIn(root, ':');
  const before = look(root);
  const { run, workspace, changes } = await runCommandIn(
    root,
    'printf two > a.txt; touch -d 2001-02-03 a.txt',
  );
  expect(changes.changed).toEqual([{ path: 'a.txt', change: 'edited' }]);
  await undoWhole(workspace, run);
  expect(look(root)).toEqual(before);
});

test('files that a command makes git ignore, and files that it no longer ignores', async () => {
  const root = makeProject('printf one > a.md; printf "*.log\\n" > .gitignore; printf l > x.log');
  writeFileSync(join(root, 'new.md'), 'new\n');
  const before = look(root);
  const { run, workspace, changes } = await runCommandIn(
    root,
    'printf "*.md\\n" > .gitignore; printf two > a.md; printf two > new.md; rm -f gone.md',
  );
  expect(changes.changed).toEqual([
    { path: '.gitignore', change: 'edited' },
    { path: 'a.md', change: 'edited' },
    { path: 'new.md', change: 'edited' },
  ]);
  expect(changes.unrestorable).toMatchObject([{ path: 'x.log' }]);
  const undone = await workspace.undo(run);
  expect(undone).toMatchObject({ status: 'undone', refused: [] });
  expect(look(root)).toEqual(before);
});

test('contents that are no longer in git are named, not called restored', async () => {
  const root = makeProject('printf one > a.txt');
  const script = `rm a.txt; git add -A; git commit -qm gone; git checkout -q --orphan new; git commit -qm first --allow-empty
    git branch -D main; git reflog expire --expire=now --all; git gc -q --prune=now`;
  const { run, workspace, changes } = await runCommandIn(root, script);
  expect(changes.changed).toEqual([{ path: 'a.txt', change: 'deleted' }]);
  expect(changes.unrestorable).toEqual([{ path: 'a.txt', reason: 'is no longer in git' }]);
  expect(changes.moved?.map(({ name }) => name)).toEqual(['HEAD', 'main', 'new']);
  const undone = await workspace.undo(run);
  expect(undone).toMatchObject({ restored: [], refused: [{ path: 'a.txt' }] });
  expect(existsSync(join(root, 'a.txt'))).toBe(false);
});

test('another repository within the project is left alone, and named', async () => {
  const root = makeProject('printf a > a.txt');
  execFileSync('sh', ['-c', 'git init -q inner; printf i > inner/file'], { cwd: root });
  const { changes } = await runCommandIn(
    root,
    'printf b > a.txt; git init -q other; printf x > other/x; rm -r inner',
  );
  expect(changes.changed).toEqual([{ path: 'a.txt', change: 'edited' }]);
  expect(changes.unrestorable?.map(({ path }) => path).sort()).toEqual(['inner', 'other']);
});

test.skipIf(process.getuid?.() === 0)('a folder without permission is named, and left alone', async () => {
  const root = makeProject('mkdir closed; printf c > closed/c; printf a > a.txt', { git: false });
  chmodSync(join(root, 'closed'), 0);
  const { run, workspace, changes } = await runCommandIn(root, 'printf b > a.txt');
  expect(changes.changed).toEqual([{ path: 'a.txt', change: 'edited' }]);
  await undoWhole(workspace, run);
  chmodSync(join(root, 'closed'), 0o755);
  expect(readFileSync(join(root, 'closed/c'), 'utf8')).toBe('c');
});

test('what is kept is for this user alone, and git has nothing more than before', async () => {
  const root = makeProject('printf a > a.txt');
  writeFileSync(join(root, 'untracked'), 'untracked\n');
  const objects = () => readdirSync(join(root, '.git/objects'), { recursive: true }).map(String).sort();
  const before = objects();
  await runCommandIn(root, 'printf b > a.txt; printf changed > untracked');
  expect(objects()).toEqual(before);
  const contents = join(root, '.teddy/contents');
  expect(statSync(contents).mode & 0o777).toBe(0o700);
  for (const path of readdirSync(contents, { recursive: true }).map(String)) {
    const stats = statSync(join(contents, path));
    if (stats.isFile() && !path.endsWith('.gitignore')) expect([path, stats.mode & 0o077]).toEqual([path, 0]);
  }
  // Committed content is git's already.
  const kept = execFileSync('sh', ['-c', `cat ${contents}/??/* 2> /dev/null || true`], { encoding: 'utf8' });
  expect(kept).toContain('untracked\n');
});

test('what no run needs is pruned once the total is reached', async () => {
  const root = makeProject('', { git: false });
  const limits = { maxFile: 100_000, maxTotal: 150_000 };
  mkdirSync(join(root, 'files'));
  for (let round = 0; round < 5; round++) {
    writeFileSync(join(root, 'files/large'), String(round).repeat(60_000));
    const { changes } = await runCommandIn(root, ':', limits);
    expect(changes.unrestorable).toBeUndefined();
  }
  const { run, workspace } = await runCommandIn(root, 'rm files/large', limits);
  const found = await new Workspace(root).findUnrestorable(run, limits);
  expect(found).toEqual([]);
  await undoWhole(workspace, run);
  expect(readFileSync(join(root, 'files/large'), 'utf8')).toBe('4'.repeat(60_000));
});

test('with runs that are pruned go the contents that only they needed, and what dead processes left', async () => {
  const root = makeProject('printf 0 > a.txt', { git: false });
  for (let round = 1; round < 4; round++) await runCommandIn(root, `printf ${round} > a.txt`);
  const { run, workspace } = await runCommandIn(root, 'printf 4 > a.txt');
  const contents = join(root, '.teddy/contents');
  const kept = () => readdirSync(contents, { recursive: true }).map(String).sort();
  const contentOf = (path: string) => readFileSync(join(contents, path), 'utf8');
  const objects = () => kept().filter((path) => /^..\/[0-9a-f]{64}$/.test(path));
  expect(objects().map(contentOf).sort()).toEqual(['0', '1', '2', '3']);
  const part = `${objects()[0]}-abcd1234`;
  const fresh = `${objects()[0]}-abcd5678`;
  mkdirSync(join(contents, 'new-abcd1234'));
  for (const path of [part, fresh, 'new-abcd1234/x']) writeFileSync(join(contents, path), 'part');
  for (const path of [part, 'new-abcd1234']) utimesSync(join(contents, path), 1, 1);
  expect(await workspace.pruneRuns(1)).toMatchObject({ status: 'pruned', removed: { length: 3 } });
  expect(objects().map(contentOf)).toEqual(['3']);
  expect(kept()).not.toContain(part);
  expect(kept()).not.toContain('new-abcd1234');
  expect(kept()).toContain(fresh);
  await undoWhole(workspace, run);
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('3');
});

test('a project that cannot be recorded: the user learns it before the command', async () => {
  const root = makeProject('printf a > a.txt');
  const { run, workspace } = await runCommandIn(root, ':');
  setFileSeam((call, perform) => {
    if (call.name === 'write') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    return perform(call.args);
  });
  onTestFinished(() => setFileSeam(undefined));
  expect(await workspace.findUnrestorable(run, { maxFile: 1e6, maxTotal: 1e6 })).toEqual([
    { path: 'anything', reason: 'the project cannot be recorded: the disk is full (ENOSPC)' },
  ]);
});
