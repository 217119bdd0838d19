import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { setFileSeam } from '../../src/node/file-calls.js';
import type { Change } from '../../src/workspace/commit/change.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { createAction, editAction, planOf } from '../cli/execute/program.js';
import { TEDDY } from '../cli/teddy.js';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'teddy-handles-'));
});
afterEach(() => {
  setFileSeam(undefined);
  rmSync(root, { recursive: true, force: true });
});

const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** In each folder one file that is there and one that is not. */
function manyChanges(folders: number): Change[] {
  return Array.from({ length: folders }, (_, i) => {
    mkdirSync(join(root, `d${i}`));
    writeFileSync(join(root, `d${i}/old.txt`), 'old\n');
    return [
      { path: `d${i}/old.txt`, before: hash('old\n'), after: Buffer.from('new\n') },
      { path: `d${i}/made/new.txt`, before: null, after: Buffer.from('made\n') },
    ];
  }).flat();
}

function fail(code: string): never {
  throw Object.assign(new Error(`${code}: as the test says`), { code });
}

/** The paths of folders that are open, at most. */
function countFolders(): () => number {
  const open = new Set<unknown>();
  let most = 0;
  setFileSeam(({ name, args }, perform) => {
    const result = perform(args);
    if (name === 'open') open.add(result);
    if (name === 'close') open.delete(args[0]);
    most = Math.max(most, open.size);
    return result;
  });
  return () => most;
}

describe('a commit across many folders', () => {
  test('holds only so many open, and is complete', async () => {
    const changes = manyChanges(400);
    const most = countFolders();
    expect(await new Workspace(root).commit(changes)).toMatchObject({ status: 'committed' });
    expect(most()).toBeLessThan(150);
    for (let i = 0; i < 400; i++)
      expect([read(`d${i}/old.txt`), read(`d${i}/made/new.txt`)]).toEqual(['new\n', 'made\n']);
  });

  test('is complete where the system says once, at any call, that too many files are open', async () => {
    let call = 0;
    for (let at = 1; at === 1 || call >= at; at += 7) {
      rmSync(root, { recursive: true });
      mkdirSync(root);
      const changes = manyChanges(4);
      call = 0;
      setFileSeam(({ name, args }, perform) => {
        if ((name === 'open' || name === 'list') && ++call === at) fail('EMFILE');
        return perform(args);
      });
      const result = await new Workspace(root).commit(changes);
      setFileSeam(undefined);
      // Before a folder was entered nothing can be given back, and nothing was begun.
      if (result.status === 'failed') expect(read('d0/old.txt')).toBe('old\n');
      else expect([result.status, read('d3/made/new.txt')]).toEqual(['committed', 'made\n']);
    }
  });

  test('where it lasts, nothing is begun; past the commit point the next command completes it', async () => {
    const ends = new Set<string>();
    let isHit = true;
    for (let from = 1; isHit; from++) {
      rmSync(root, { recursive: true });
      mkdirSync(root);
      const changes = manyChanges(2);
      let call = 0;
      isHit = false;
      setFileSeam(({ name, args }, perform) => {
        if ((name !== 'open' && name !== 'list') || ++call < from) return perform(args);
        isHit = true;
        return fail('EMFILE');
      });
      const workspace = new Workspace(root);
      const { status } = await workspace.commit(changes);
      setFileSeam(undefined);
      expect((await workspace.recover()).status).toBe('recovered');
      const isDone = read('d0/old.txt') === 'new\n';
      if (isDone) expect([read('d1/old.txt'), read('d1/made/new.txt')]).toEqual(['new\n', 'made\n']);
      // It is never said to be done when it is not, nor to have failed when it is done.
      if (status !== 'stuck') expect([from, status === 'committed']).toEqual([from, isDone]);
      ends.add(status);
    }
    expect([...ends].sort()).toEqual(['committed', 'failed', 'refused', 'stuck']);
  });
});

test.skipIf(process.platform !== 'linux')('a plan runs with 40 file handles, and is undone with them', () => {
  const actions = Array.from({ length: 60 }, (_, i) => {
    mkdirSync(join(root, `d${i}/deep`), { recursive: true });
    writeFileSync(join(root, `d${i}/deep/old.txt`), 'old\nend\n');
    return [editAction(`d${i}/deep/old.txt`, 'old\n', 'new\n'), createAction(`d${i}/made/new.txt`)];
  });
  writeFileSync(join(root, 'plan.md'), planOf('Many', ...actions.flat()));
  const env = { PATH: process.env.PATH, HOME: root, XDG_STATE_HOME: join(root, 'state') };
  const run = (words: string) =>
    spawnSync('sh', ['-c', `ulimit -n 40; exec "${process.execPath}" "${TEDDY}" ${words}`], {
      cwd: root,
      env,
      encoding: 'utf8',
    });
  const { status, stdout } = run('execute plan.md -y --json');
  expect([status, JSON.parse(stdout).overall]).toEqual([0, 'Completed']);
  expect([read('d0/deep/old.txt'), read('d59/made/new.txt')]).toEqual(['new\nend\n', 'text\n']);
  expect(run('undo').status).toBe(0);
  expect(read('d59/deep/old.txt')).toBe('old\nend\n');
});
