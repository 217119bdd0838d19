import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Workspace } from '../../../src/workspace/workspace.js';
import { begin, hash, put, root, snapshot } from './project.js';

describe('undo', () => {
  test('a file that was changed since is refused by name, and the others are restored', async () => {
    const workspace = new Workspace(root);
    await begin(workspace, 'r');
    await put(workspace, 'mine.txt', 'by the run\n');
    await put(workspace, 'other.txt', 'by the run\n');
    writeFileSync(join(root, 'mine.txt'), 'by a person\n');
    expect(await workspace.undo('r')).toMatchObject({
      status: 'undone',
      restored: ['other.txt'],
      deleted: ['other.txt'],
      refused: [{ path: 'mine.txt', reason: 'was changed after the run', oldText: null }],
    });
    expect(snapshot()).toMatchObject({ 'mine.txt': '644 by a person\n' });
  });

  test('a file that has its old content again, but not its old mode, is refused by name', async () => {
    const workspace = new Workspace(root);
    writeFileSync(join(root, 'a.txt'), 'old\n', { mode: 0o644 });
    await begin(workspace, 'r');
    await put(workspace, 'a.txt', 'by the run\n', 0o755);
    writeFileSync(join(root, 'a.txt'), 'old\n');
    expect(await workspace.undo('r')).toMatchObject({ restored: [], refused: [{ path: 'a.txt' }] });
    await workspace.undo('r', { force: 'a.txt' });
    expect(snapshot()).toMatchObject({ 'a.txt': '644 old\n' });
  });

  test('a file changed by someone else in the middle of the run is refused', async () => {
    const workspace = new Workspace(root);
    await begin(workspace, 'r');
    await put(workspace, 'a.txt', 'one\n');
    writeFileSync(join(root, 'a.txt'), 'by a person\n');
    await put(workspace, 'a.txt', 'two\n');
    const result = await workspace.undo('r');
    expect(result).toMatchObject({ refused: [{ path: 'a.txt' }] });
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('two\n');
  });

  test('a dry run changes nothing', async () => {
    const workspace = new Workspace(root);
    await begin(workspace, 'r');
    await put(workspace, 'a.txt', 'one\n');
    expect(await workspace.undo('r', { dryRun: true })).toMatchObject({
      status: 'undone',
      restored: ['a.txt'],
    });
    expect(snapshot()).toEqual({ 'a.txt': '644 one\n' });
  });

  test('a journal that this user did not write is no journal', async () => {
    const workspace = new Workspace(root);
    await begin(workspace, 'r');
    await put(workspace, 'a.txt', 'one\n');
    const journal = join(root, '.teddy/runs/r/journal');
    const name = readdirSync(journal).find((each) => each.endsWith('.json'))!;
    const [, body] = readFileSync(join(journal, name), 'utf8').split('\n');
    writeFileSync(join(journal, name), `${hash(body!)}\n${body}\n`);
    expect(await workspace.undo('r')).toEqual({ status: 'unknown' });
    expect(await workspace.undo('no such run')).toEqual({ status: 'unknown' });
  });
});

describe('redo', () => {
  const undoneRun = async () => {
    writeFileSync(join(root, 'old.txt'), 'before\n');
    const workspace = new Workspace(root);
    await begin(workspace, 'r');
    await put(workspace, 'old.txt', 'by the run\n', 0o755);
    await put(workspace, 'new/made.txt', 'by the run\n');
    const left = snapshot();
    expect((await workspace.undo('r')).status).toBe('undone');
    return { workspace, left, undone: snapshot() };
  };

  test('gives back what the run left, and the run counts as not undone', async () => {
    const { workspace, left, undone } = await undoneRun();
    expect(workspace.readUndone('r')).toMatchObject({ left: [] });
    expect(await workspace.redo('r')).toEqual({
      status: 'redone',
      restored: ['old.txt', 'new/made.txt'],
      deleted: [],
    });
    expect(snapshot()).toEqual(left);
    expect(workspace.readUndone('r')).toBeUndefined();
    expect(readdirSync(join(root, '.teddy/runs/r/journal/undo'))).toEqual([]);
    await workspace.undo('r');
    expect(snapshot()).toEqual(undone);
    await workspace.redo('r');
    expect(snapshot()).toEqual(left);
  });

  test('changes nothing when a file was changed after the undo, and names it', async () => {
    const { workspace } = await undoneRun();
    writeFileSync(join(root, 'old.txt'), 'by a person\n');
    const tree = snapshot();
    const result = await workspace.redo('r');
    expect(result).toEqual({
      status: 'changed',
      refused: [
        {
          path: 'old.txt',
          reason: 'was changed after the undo',
          oldText: expect.stringMatching(/^\.teddy\/runs\/r\/journal\/undo\//),
        },
      ],
    });
    if (result.status !== 'changed') return;
    expect(readFileSync(join(root, result.refused[0]!.oldText!), 'utf8')).toBe('by the run\n');
    expect(snapshot()).toEqual(tree);
    expect(workspace.readUndone('r')).toBeDefined();
  });

  test('does not believe a record that was written for something else', async () => {
    const { workspace, undone } = await undoneRun();
    const journal = join(root, '.teddy/runs/r/journal');
    const record = readdirSync(journal).find((name) => name.endsWith('.json'))!;
    writeFileSync(join(journal, 'undo', record), readFileSync(join(journal, record)));
    expect(await workspace.redo('r')).toEqual({ status: 'unknown' });
    expect(snapshot()).toEqual(undone);
  });

  test('of a run that is not undone is refused', async () => {
    const { workspace } = await undoneRun();
    await workspace.redo('r');
    expect(await workspace.redo('r')).toEqual({ status: 'unknown' });
    expect(await workspace.redo('no such run')).toEqual({ status: 'unknown' });
  });
});

describe('what a run leaves', () => {
  test('is for this user alone, and not for git', async () => {
    const workspace = new Workspace(root);
    writeFileSync(join(root, 'a.txt'), 'secret\n');
    await put(workspace, 'a.txt', 'public\n');
    const journal = join(root, '.teddy/runs/r/journal');
    for (const folder of ['.teddy/tx', '.teddy/runs', '.teddy/runs/r', '.teddy/runs/r/journal']) {
      expect([folder, statSync(join(root, folder)).mode & 0o777]).toEqual([folder, 0o700]);
    }
    for (const name of readdirSync(journal)) expect(statSync(join(journal, name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(root, '.teddy/.gitignore'), 'utf8').split('\n')).toContain('/runs/');
  });

  test('is pruned oldest first; the last run and runs that live stay', async () => {
    const workspace = new Workspace(root);
    const ids = [
      '20260101-000000-aaaa',
      '20260102-000000-aaaa',
      '20260103-000000-aaaa',
      '20260104-000000-aaaa',
    ];
    for (const run of ids) {
      await begin(workspace, run);
      await workspace.commit([{ path: 'a.txt', append: Buffer.from('x'), offset: ids.indexOf(run) }], {
        run,
      });
    }
    const alive = workspace.takeRun(ids[0]!);
    expect(alive).toBeDefined();
    expect(workspace.takeRun(ids[0]!)).toBeUndefined();
    expect(await begin(workspace, ids[0]!)).toBe('stopped');
    expect(await workspace.pruneRuns(2)).toEqual({ status: 'pruned', removed: [ids[1]] });
    alive?.close();
    expect(await workspace.pruneRuns(0)).toEqual({ status: 'pruned', removed: [ids[0], ids[2]] });
    expect(readdirSync(join(root, '.teddy/runs'))).toEqual(['.gitignore', ids[3]]);
  });
});
