// A disk that fails, once or from then on, at any call of an undo or a redo: all of it happened or none, and it can be
// repeated.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { setFileSeam } from '../../../src/node/file-calls.js';
import { chooseUndo, redoRun, undoRun } from '../../../src/runs/undo-run.js';
import { recoverRuns } from '../../../src/sessions/recover-runs.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { changesDisk } from '../../workspace/faults/changing-calls.js';
import { SOAK, sample } from '../../workspace/faults/random.js';
import { executeHere } from '../boundary/execute-here.js';
import { create, edit, planOf, prune, read } from '../boundary/plan.js';
import { makeEntries, snapshot } from './snapshot.js';

afterEach(() => setFileSeam(undefined));

const PLAN = planOf(
  [
    edit('a.txt', ['one', 'ONE']),
    create('new/d.txt', 'd\n'),
    create('b.txt', 'replaced\n', true),
    read('a.txt'),
    prune('b.txt'),
    create('new/deep/e.txt', 'e\n'),
  ],
  { memos: ['+ New.', '- Old.'] },
);

type Work = 'undo' | 'redo';
type Tree = ReturnType<typeof snapshot>;

/** A run that is there to undo or to redo, with the trees before and after that. */
async function prepare(work: Work): Promise<{ root: string; run: string; from: Tree; to: Tree }> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'teddy-undo-')));
  const file = (path: string, text: string) =>
    ({ kind: 'file', path, bytes: Buffer.from(text), mode: 0o644 }) as const;
  makeEntries(root, [
    file('a.txt', 'one\ntwo\n'),
    file('b.txt', 'one\ntwo\n'),
    file('.teddy/memos.yaml', '- Old.\n'),
  ]);
  const before = snapshot(root);
  const { run, workspace } = await executeHere(root, PLAN);
  const after = snapshot(root);
  if (work === 'undo') return { root, run: run.id, from: after, to: before };
  await undoRun(workspace, run);
  return { root, run: run.id, from: before, to: after };
}

interface Attempted {
  status: string;
  /** The files that an undo names as left alone. */
  left: string[];
}

async function attempt(work: Work, workspace: Workspace, run: string): Promise<Attempted> {
  if (work === 'redo') {
    const redone = await redoRun(workspace);
    return { status: redone.status === 'found' ? redone.result.status : redone.status, left: [] };
  }
  const chosen = await chooseUndo(workspace, run);
  if (chosen.status !== 'found') return { status: chosen.status, left: [] };
  const { result } = await undoRun(workspace, chosen.run);
  return {
    status: result.status,
    left: result.status === 'undone' ? result.refused.map(({ path }) => path) : [],
  };
}

test.each([
  ['undo', 'once'],
  ['undo', 'from then on'],
  ['redo', 'once'],
  ['redo', 'from then on'],
] as const)('%s on a disk that fails %s', async (work, how) => {
  const whole = await prepare(work);
  let total = 0;
  setFileSeam((call, perform) => {
    if (changesDisk(call)) total++;
    return perform(call.args);
  });
  const done = work === 'undo' ? 'undone' : 'redone';
  expect(await attempt(work, new Workspace(whole.root), whole.run)).toEqual({ status: done, left: [] });
  setFileSeam(undefined);
  rmSync(whole.root, { recursive: true, force: true });

  const wrong: string[] = [];
  const ends = new Map<string, number>();
  for (const at of sample([...Array(total).keys()], SOAK ? 1e9 : 25, 2)) {
    const { root, run, from, to } = await prepare(work);
    const say = (what: string) => wrong.push(`call ${at} of ${total}: ${what}`);
    let calls = 0;
    setFileSeam((call, perform) => {
      const number = changesDisk(call) ? calls++ : -1;
      if (number === at || (how === 'from then on' && number > at))
        throw Object.assign(new Error(`ENOSPC: no space left on device, ${call.name}`), { code: 'ENOSPC' });
      return perform(call.args);
    });
    const { status: end, left } = await attempt(work, new Workspace(root), run).catch(({ code }) => ({
      status: `threw ${code}`,
      left: [],
    }));
    setFileSeam(undefined);
    ends.set(end, (ends.get(end) ?? 0) + 1);
    try {
      const workspace = new Workspace(root);
      await recoverRuns(workspace);
      const tree = snapshot(root);
      const isDone = sameFiles(tree, withFilesOf(to, from, left));
      if (!isDone && !sameFiles(tree, from))
        say(`after '${end}' the files are neither as before nor as after`);
      if (end === done && !isDone) say('it reported success, and the files are not so');
      if ((workspace.readUndone(run) !== undefined) !== (work === 'undo' ? isDone : !isDone))
        say(`after '${end}' the mark of the undo disagrees with the files`);
      // Also where the files are as expected, an undo that was interrupted may have left empty folders.
      if (work === 'undo' || !isDone) expect((await attempt(work, workspace, run)).status).toBe(done);
      expect(snapshot(root)).toEqual(to);
      await attempt(work === 'undo' ? 'redo' : 'undo', workspace, run);
      expect(snapshot(root)).toEqual(from);
    } catch (error) {
      say(`after '${end}' then ${error}`);
    }
    rmSync(root, { recursive: true, force: true });
  }
  if (SOAK) console.log(JSON.stringify({ work, how, total, ends: [...ends] }));
  expect(wrong).toEqual([]);
  expect(ends.size).toBeGreaterThan(1);
});

/** A tree in which some files are as in another one. */
function withFilesOf(tree: Tree, other: Tree, paths: readonly string[]): Tree {
  const kept = Object.entries(tree).filter(([path]) => !paths.includes(path));
  return Object.fromEntries([...kept, ...paths.map((path) => [path, other[path]!] as const)].sort());
}

function sameFiles(a: Tree, b: Tree): boolean {
  const files = (tree: Tree) => Object.entries(tree).filter(([, what]) => !what.startsWith('folder '));
  return JSON.stringify(files(a).sort()) === JSON.stringify(files(b).sort());
}
