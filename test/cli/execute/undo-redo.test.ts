import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listTree } from '../../../spec/run-teddy.js';
import { makeFolder } from '../../folder.js';
import { createAction, editAction, execTeddy, executeAction, planOf, runIds } from './program.js';

const FILES = {
  'a.txt': 'one\ntwo\n',
  'first.md': planOf('First', editAction('a.txt', 'one\n', '1\n'), createAction('new/b.txt')),
  'second.md': planOf(
    'Second',
    editAction('a.txt', 'two\n', '2\n'),
    executeAction('echo ran >> ran.log'),
    createAction('c.txt'),
  ),
  'third.md': planOf('Third', executeAction('true')),
};

/** A project in which the three plans ran, with the trees before and after each. */
async function projectWithRuns() {
  const project = makeFolder(FILES);
  const teddy = (...words: string[]) => execTeddy(words, { cwd: project });
  const trees = [listTree(project)];
  for (const plan of ['first.md', 'second.md', 'third.md']) {
    expect((await teddy('execute', plan, '-y')).exit).toBe(0);
    trees.push(listTree(project));
  }
  // The ids of one second are in no order.
  const ids = JSON.parse((await teddy('runs', '--json')).stdout).map(({ id }: { id: string }) => id);
  const [third, second, first] = ids as string[];
  return { project, teddy, trees, first, second, third };
}

test('undo goes further back each time, and redo returns step by step', async () => {
  const { project, teddy, trees, first, second, third } = await projectWithRuns();
  const undone = await teddy('undo');
  expect(undone.exit).toBe(0);
  expect(undone.stdout).toBe(`${third}  Third: nothing to undo, skipped
${second}  Second: undone
  restored  a.txt
  deleted   ran.log
  deleted   c.txt
Undo does not cover ignored files, nested repositories or other folders:
  action 2 EXECUTE: A command.
Revert this undo with: teddy redo
`);
  expect(listTree(project)).toEqual(trees[1]);
  expect((await teddy('undo')).stdout).toContain(`${first}  First: undone\n`);
  expect(listTree(project)).toEqual(trees[0]);
  const nothing = await teddy('undo');
  expect([nothing.exit, nothing.stderr]).toEqual([
    2,
    'teddy: Nothing to undo: every run here has been undone, or changed no file.\n',
  ]);

  expect((await teddy('redo')).stdout).toBe(`${first}  First: redone
  restored  a.txt
  restored  new/b.txt
`);
  expect((await teddy('redo')).stdout).toBe(`${second}  Second: redone
  restored  ran.log
  restored  c.txt
  restored  a.txt
Commands are not run again:
  action 2 EXECUTE: A command.
`);
  expect(listTree(project)).toEqual(trees[3]);
  expect(readFileSync(join(project, 'ran.log'), 'utf8')).toBe('ran\n');
  const list = JSON.parse((await teddy('runs', '--json')).stdout);
  expect(list.map(({ undone }: { undone: boolean }) => undone)).toEqual([false, false, false]);
  const done = await teddy('redo');
  expect([done.exit, done.stderr]).toEqual([2, 'teddy: Nothing to redo: no run here is undone.\n']);
});

test('a file that was changed is left, with its old text to look at, and stops a redo', async () => {
  const { project, teddy, second } = await projectWithRuns();
  writeFileSync(join(project, 'a.txt'), 'mine\n');
  const undone = await teddy('undo');
  expect(undone.exit).toBe(1);
  expect(undone.stdout).toContain('  left      a.txt: it was changed after the run\n');
  const words = /old text: teddy (.*)/.exec(undone.stdout)![1]!.split(' ');
  expect(await teddy(...words)).toMatchObject({ exit: 0, stdout: '1\ntwo\n', stderr: '' });
  const report = await teddy('report', second!);
  expect(report.stderr).toBe(`${second} was undone, except for a.txt.\n`);

  writeFileSync(join(project, 'c.txt'), 'mine, too\n');
  const tree = listTree(project);
  const refused = await teddy('redo');
  expect(refused.exit).toBe(1);
  expect(refused.stdout).toContain(`${second}  Second: not redone, nothing was changed
  left      c.txt: it was changed after the undo
`);
  expect(runOf(project, /run's text: (.*)/, refused.stdout)).toBe('text\n');
  expect(listTree(project)).toEqual(tree);
});

test('--dry-run changes nothing, and --json says the same', async () => {
  const { project, teddy, second, third } = await projectWithRuns();
  const tree = listTree(project);
  expect((await teddy('undo', '--dry-run')).stdout).toContain(`${second}  Second: dry run, nothing changes
  restore  a.txt
  delete   ran.log
  delete   c.txt
`);
  const json = JSON.parse((await teddy('undo', '--dry-run', '--json')).stdout);
  expect(json).toMatchObject({
    run: second,
    dryRun: true,
    restored: ['a.txt', 'ran.log', 'c.txt'],
    deleted: ['ran.log', 'c.txt'],
    refused: [],
    passedOver: [third],
  });
  expect(listTree(project)).toEqual(tree);
  expect(runIds(project)).toHaveLength(3);
});

test('--force restores one file over later changes, and redo brings these back', async () => {
  const { project, teddy, trees, second } = await projectWithRuns();
  writeFileSync(join(project, 'a.txt'), 'mine\n');
  writeFileSync(join(project, 'ran.log'), 'mine, too\n');
  const tree = listTree(project);
  const wrong = await teddy('undo', second!, '--force', 'other.txt');
  expect([wrong.exit, wrong.stderr]).toEqual([
    2,
    `teddy: Nothing was undone: ${second} did not change other.txt.\n`,
  ]);
  expect(listTree(project)).toEqual(tree);
  const forced = await teddy('undo', second!, '--force', 'a.txt');
  expect(forced.exit).toBe(1);
  expect(forced.stdout).toContain('  restored  a.txt\n');
  expect(forced.stdout).toContain('  left      ran.log: it was changed after the run\n');
  expect(listTree(project)).toEqual({ ...trees[1], 'ran.log': 'mine, too\n' });
  expect((await teddy('redo')).exit).toBe(0);
  expect(listTree(project)).toEqual(tree);
});

test('a file that is too large to be kept is named with the reason, by undo and by diff', async () => {
  const config = 'undo:\n  maxFile: 1MB\n';
  const plan = planOf('Large', executeAction('echo more >> large.bin; echo more >> a.txt'));
  const files = {
    'a.txt': 'one\n',
    'large.bin': 'x'.repeat(2_000_000),
    '.teddy/config.yaml': config,
    'p.md': plan,
  };
  const project = makeFolder(files);
  const teddy = (...words: string[]) => execTeddy(words, { cwd: project });
  expect((await teddy('execute', 'p.md', '-y', '--trust')).exit).toBe(0);
  const [id] = runIds(project);
  expect((await teddy('diff', id!, '--trust')).stderr).toContain(
    'large.bin cannot be compared: it is larger than 1 MB.',
  );
  const undone = await teddy('undo', '--trust');
  expect(undone.exit).toBe(1);
  expect(undone.stdout).toContain(`  left      large.bin: it cannot be restored: it is larger than 1 MB
Undo does not cover`);
  expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('one\n');
});

/** What the command that teddy printed shows, pasted into a shell. */
function runOf(project: string, pattern: RegExp, stdout: string): string {
  return execFileSync('sh', ['-c', pattern.exec(stdout)![1]!], { cwd: project, encoding: 'utf8' });
}

test('diff shows what a run changed, as a patch, also once it is undone', async () => {
  const { project, teddy, first } = await projectWithRuns();
  const { exit, stdout, stderr } = await teddy('diff', first!.slice(-4));
  expect([exit, stderr]).toEqual([0, '']);
  expect(stdout).toBe(`diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@
-one
+1
 two
diff --git a/new/b.txt b/new/b.txt
new file mode 100644
--- /dev/null
+++ b/new/b.txt
@@ -0,0 +1 @@
+text
`);
  const last = await teddy('diff');
  expect([last.exit, last.stdout]).toEqual([0, '']);
  expect(last.stderr).toContain('changed no file.\n');
  await teddy('undo');
  await teddy('undo');
  const undone = await teddy('diff', first!);
  expect([undone.exit, undone.stdout]).toEqual([0, stdout]);
  expect(undone.stderr).toBe(`Run ${first} was undone; this is what it had changed.\n`);
  writeFileSync(join(project, 'run.patch'), undone.stdout);
  execFileSync('git', ['apply', 'run.patch'], { cwd: project });
  expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('1\ntwo\n');
  expect((await teddy('diff', 'nope')).exit).toBe(2);
});

test('what a command left that undo cannot restore is listed, and the exit code says so', async () => {
  const plan = planOf('Pipe', executeAction('mkfifo pipe; echo more >> a.txt'));
  const project = makeFolder({ 'a.txt': 'one\n', 'p.md': plan });
  const teddy = (...words: string[]) => execTeddy(words, { cwd: project });
  expect((await teddy('execute', 'p.md', '-y')).exit).toBe(0);
  const dry = await teddy('undo', '--dry-run');
  const undone = await teddy('undo');
  expect([dry.exit, undone.exit]).toEqual([1, 1]);
  expect(undone.stdout).toContain(`  restored  a.txt
Changed by commands and left as it is:
  pipe: it is a socket, a pipe or a device
`);
});
