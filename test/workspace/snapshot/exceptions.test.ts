// What a command did and undo leaves as it is: each is named, and the rest is restored.

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { look, makeProject, runCommandIn, undoWhole } from './project.js';

const namesOf = (files: readonly { path: string }[] = []) => files.map(({ path }) => path).sort();

test('a file of more than 1 GB that a command makes is not read, and left', async () => {
  const root = makeProject('printf a > a.txt');
  const { run, workspace, changes } = await runCommandIn(root, 'truncate -s 2G huge; printf b > a.txt');
  expect(changes.unrestorable).toEqual([{ path: 'huge', reason: 'is larger than 1 GB' }]);
  const undone = await workspace.undo(run);
  expect(undone).toMatchObject({
    restored: ['a.txt'],
    refused: [{ path: 'huge', reason: 'is larger than 1 GB' }],
  });
  expect(lstatSync(join(root, 'huge')).size).toBe(2 ** 31);
});

test.each([
  ['made', 'git init -q', '.git', false],
  ['removed', 'rm -rf .git', '.git', true],
  ['made within', 'git init -q src', 'src/.git', true],
])('a repository that is %s', async (_, script, path, git) => {
  const root = makeProject('mkdir src; printf a > src/a.txt', { git });
  writeFileSync(join(root, 'u.txt'), 'u');
  const { run, workspace, changes } = await runCommandIn(root, `${script}; printf b > u.txt`);
  expect(changes.changed).toEqual([{ path: 'u.txt', change: 'edited' }]);
  expect(namesOf(changes.unrestorable)).toEqual([path]);
  await undoWhole(workspace, run);
  expect(readFileSync(join(root, 'u.txt'), 'utf8')).toBe('u');
});

test('a file that a command makes, and makes git ignore', async () => {
  const root = makeProject('printf a > a.txt');
  const { run, workspace, changes } = await runCommandIn(
    root,
    'mkdir out; printf x > out/x; printf n > new.txt; printf "new.txt\\nout/\\n" > .gitignore',
  );
  expect(changes.changed).toEqual([{ path: '.gitignore', change: 'created' }]);
  expect(namesOf(changes.unrestorable)).toEqual(['new.txt', 'out']);
  await undoWhole(workspace, run);
  expect(existsSync(join(root, 'new.txt'))).toBe(true);
});

test('a pipe in the place of a file: what the file was is kept', async () => {
  const root = makeProject('printf a > a.txt; ln -s a.txt link');
  const before = look(root);
  const { run, workspace, changes } = await runCommandIn(
    root,
    'rm a.txt link; mkfifo a.txt; ln -s "$(printf \'t\\377\')" link',
  );
  expect(namesOf(changes.changed)).toEqual(['a.txt', 'link']);
  expect(namesOf(changes.unrestorable)).toEqual(['a.txt', 'link']);
  const undone = await workspace.undo(run);
  expect(undone).toMatchObject({
    restored: [],
    refused: [
      { path: 'a.txt', reason: 'is no longer a file' },
      { path: 'link', reason: 'could not be read after the command' },
    ],
  });
  rmSync(join(root, 'a.txt'));
  await workspace.undo(run, { force: 'a.txt' });
  await workspace.undo(run, { force: 'link' });
  expect(look(root)).toEqual(before);
});

test('a folder that a command removed, in the place of which the user put a file', async () => {
  const root = makeProject('mkdir hollow full; printf f > full/f');
  const { run, workspace } = await runCommandIn(root, 'rm -r hollow full');
  for (const name of ['hollow', 'full']) writeFileSync(join(root, name), 'by the user');
  const preview = await workspace.undo(run, { dryRun: true });
  const undone = await workspace.undo(run);
  expect(undone).toEqual(preview);
  expect(undone).toMatchObject({ restored: [], refused: [{ path: 'full/f' }, { path: 'hollow/' }] });
});

test('a tracked name that is not UTF-8 and is gone', async () => {
  const root = makeProject(
    'printf a > a.txt; printf a > "$(printf \'n\\377\')"; mkdir deep; printf b > "$(printf \'deep/n\\377\')"',
  );
  const { changes } = await runCommandIn(root, 'rm n?; rm -r deep');
  expect(namesOf(changes.unrestorable)).toEqual(['deep/n\ufffd', 'n\ufffd']);
});

test('folders that are too deep to be looked at, without git', async () => {
  const deep = Array.from({ length: 120 }, () => 'd').join('/');
  const root = makeProject('printf a > a.txt', { git: false });
  mkdirSync(join(root, deep), { recursive: true });
  writeFileSync(join(root, deep, 'file'), 'deep');
  const { workspace, changes, run } = await runCommandIn(root, 'printf b > a.txt');
  expect(changes.changed).toEqual([{ path: 'a.txt', change: 'edited' }]);
  const [found] = await workspace.findUnrestorable(run, { maxFile: 1e6, maxTotal: 1e6 });
  expect(found).toMatchObject({ reason: 'is too many folders deep' });
});

test('contents that teddy no longer keeps', async () => {
  const root = makeProject('printf a > a.txt');
  writeFileSync(join(root, 'untracked'), 'u');
  const { changes } = await runCommandIn(root, 'rm -r .teddy/contents/??; rm untracked');
  expect(changes.unrestorable).toEqual([{ path: 'untracked', reason: 'is no longer in .teddy/contents' }]);
});

test.skipIf(process.getuid?.() === 0)('a folder that a command closes', async () => {
  const root = makeProject('mkdir -p shut/deep; printf s > shut/s; printf d > shut/deep/d; printf a > a.txt');
  const before = look(root);
  const { run, workspace, changes } = await runCommandIn(root, 'printf b > a.txt; chmod 0 shut');
  expect(changes.changed).toEqual([{ path: 'a.txt', change: 'edited' }]);
  expect(namesOf(changes.unrestorable)).toEqual(['shut', 'shut/deep/d', 'shut/s']);
  await undoWhole(workspace, run);
  expect(await workspace.redo(run)).toMatchObject({ status: 'redone' });
  await undoWhole(workspace, run);
  chmodSync(join(root, 'shut'), 0o755);
  expect(look(root)).toEqual(before);
});

test('git keeps nothing of what is recorded, and runs nothing of its config', async () => {
  const root = makeProject('printf a > a.txt; printf b > b.txt');
  const script = `git config core.fsmonitor 'touch ran; true'; git config filter.x.smudge 'touch ran; cat'
    git config filter.x.clean 'touch ran; cat'; echo '* filter=x' > .gitattributes; rm a.txt`;
  const { run, workspace } = await runCommandIn(root, script);
  await undoWhole(workspace, run);
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('a');
  expect(execFileSync('find', [root, '-name', 'ran'], { encoding: 'utf8' })).toBe('');
});
