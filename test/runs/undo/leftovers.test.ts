// Runs of which something is left that undo cannot restore.

import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chooseUndo } from '../../../src/runs/undo-run.js';
import { makeFolder } from '../../folder.js';
import { plainGit } from '../../repository.js';
import { executeHere } from '../boundary/execute-here.js';
import { execute, planOf } from '../boundary/plan.js';

test.each(['rm -rf .teddy', 'rm -rf .teddy/runs', 'git init -q; git clean -xdfq'])(
  'a command that deletes the record of its run: %s',
  async (script) => {
    const root = makeFolder({ 'a.txt': 'one\n' });
    const unsaved: string[] = [];
    const { run, workspace } = await executeHere(root, planOf([execute(`${script}; echo two > a.txt`)]), {
      onUnsaved: (reason) => unsaved.push(reason),
    });
    expect(run.actions[0]!.outcome).toMatchObject({
      notes: [
        `Undo does not cover what the command changed, because it could not be recorded: it deleted .teddy/runs/${run.id}.`,
      ],
    });
    expect(run.actions[0]!.outcome).not.toHaveProperty('changed');
    expect(unsaved).toEqual([
      `.teddy/runs/${run.id} was deleted during the run: its report is not kept, and it cannot be undone.`,
    ]);
    expect(await chooseUndo(workspace, undefined)).toMatchObject({ status: 'missing' });
    expect(existsSync(join(root, '.teddy/runs')) ? readdirSync(join(root, '.teddy/runs')) : []).toEqual([]);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('two\n');
  },
);

test('a run that left only what undo cannot restore is not passed over', async () => {
  const root = makeFolder({ 'a.txt': 'one\n' });
  await executeHere(root, planOf([execute('echo two > a.txt')]));
  const pipe = await executeHere(root, planOf([execute('mkfifo pipe')]));
  expect(await chooseUndo(pipe.workspace, undefined)).toMatchObject({ run: { id: pipe.run.id } });
  plainGit(root, 'init', '-q', '-b', 'main');
  const commit = 'git -c user.name=T -c user.email=t@example.org commit -q --allow-empty -m one';
  const moved = await executeHere(root, planOf([execute(commit)]));
  expect(await chooseUndo(moved.workspace, undefined)).toMatchObject({ run: { id: moved.run.id } });
});

test('a run that only made empty folders is not passed over, and they are listed', async () => {
  const root = makeFolder({ 'a.txt': 'one\n', 'src/b.txt': 'two\n' });
  const { run, workspace } = await executeHere(root, planOf([execute('mkdir -p src/deep/er empty')]));
  expect(await chooseUndo(workspace, undefined)).toMatchObject({ run: { id: run.id } });
  const listed = ['src/deep/er/', 'src/deep/', 'empty/'];
  const preview = await workspace.undo(run.id, { dryRun: true });
  expect(preview).toMatchObject({ status: 'undone', restored: listed, deleted: listed, refused: [] });
  expect(await workspace.undo(run.id)).toEqual(preview);
  expect(readdirSync(root).sort()).toEqual(['.teddy', 'a.txt', 'src']);
  expect(readdirSync(join(root, 'src'))).toEqual(['b.txt']);
  expect(await chooseUndo(workspace, undefined)).toMatchObject({ status: 'missing' });
});

test('a link that became a folder with an ignored file in it is left, and the reason named', async () => {
  const root = makeFolder({ '.gitignore': '*.log\n', 'a.txt': 'one\n' });
  symlinkSync('a.txt', join(root, 'src'));
  const script = 'rm src; mkdir src; echo two > src/b.txt; echo three > src/c.log';
  const { run, workspace } = await executeHere(root, planOf([execute(script)]));
  expect(await workspace.undo(run.id)).toMatchObject({
    status: 'undone',
    restored: ['src/b.txt'],
    refused: [{ path: 'src', reason: 'is a folder with other files in it' }],
  });
  expect(readdirSync(join(root, 'src'))).toEqual(['c.log']);
});
