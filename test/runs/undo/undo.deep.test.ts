// Undoing a run that ran no command leaves everything as it was before, to the byte.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { readPlan } from '../../../src/core/plan/read.js';
import { yesReviewer } from '../../../src/review/compose.js';
import { decisionsReviewer, parseDecisions } from '../../../src/review/decisions.js';
import type { Reviewer } from '../../../src/review/question.js';
import { chooseUndo, redoRun, undoRun } from '../../../src/runs/undo-run.js';
import { makeFolder } from '../../folder.js';
import { inParallel } from '../../worker.js';
import { SOAK, sample } from '../../workspace/faults/random.js';
import { executeHere } from '../boundary/execute-here.js';
import { create, edit, execute, planOf, prune, read } from '../boundary/plan.js';
import { killableRun } from '../kill/killable-run.js';
import {
  anyActions,
  anyAround,
  anyDecisions,
  anyEntries,
  decisionsText,
  moodyPerson,
} from './arbitrary-run.js';
import { makeEntries, snapshot } from './snapshot.js';

const runWorker = killableRun();

const who = fc.oneof(
  { weight: 2, arbitrary: fc.constant('yes' as const) },
  { weight: 2, arbitrary: anyDecisions },
  { weight: 1, arbitrary: fc.array(fc.nat(9), { minLength: 1, maxLength: 5 }) },
);

test('any run, on any tree', async () => {
  const tally = { runs: 0, changed: 0, refused: 0, failures: 0, successes: 0, skips: 0 };
  await fc.assert(
    fc.asyncProperty(anyEntries, anyActions, anyAround, who, async (entries, actions, around, decider) => {
      const root = realpathSync(mkdtempSync(join(tmpdir(), 'teddy-undo-')));
      try {
        makeEntries(root, entries);
        const before = snapshot(root);
        const text = planOf(actions, around);
        const reviewer = await reviewerFor(decider, text);
        const { run, workspace } = await executeHere(root, text, { reviewer, keepGoing: true });
        const after = snapshot(root);
        const { result } = await undoRun(workspace, run);
        const undone = snapshot(root);
        expect(result).toMatchObject({ status: 'undone', refused: [] });
        expect(undone).toEqual(before);
        expect(await redoRun(workspace)).toMatchObject({ status: 'found', result: { status: 'redone' } });
        expect(snapshot(root)).toEqual(after);
        await undoRun(workspace, run);
        expect(snapshot(root)).toEqual(before);

        const count = (status: string) =>
          run.actions.filter(({ outcome }) => outcome.status === status).length;
        tally.runs++;
        tally.refused += run.refused ? 1 : 0;
        tally.changed += JSON.stringify(after) === JSON.stringify(before) ? 0 : 1;
        tally.successes += count('success');
        tally.failures += count('failure');
        tally.skips += count('not-run');
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    }),
    { numRuns: SOAK ? 4000 : 60, interruptAfterTimeLimit: SOAK ? 600_000 : 30_000 },
  );
  if (SOAK) console.log(JSON.stringify(tally));
  expect(tally.changed).toBeGreaterThan(tally.runs / 2);
  expect(tally.refused).toBeLessThan(tally.runs / 3);
});

async function reviewerFor(
  decider: 'yes' | number[] | { fallback: string; skips: number[]; reply: string | null },
  text: string,
): Promise<Reviewer> {
  if (decider === 'yes') return yesReviewer();
  if (Array.isArray(decider)) return moodyPerson(decider);
  const { plan } = readPlan(text);
  if (plan === null) return yesReviewer();
  const parsed = await parseDecisions(decisionsText(decider, plan.actions), plan);
  if (parsed.status === 'refused') throw new Error(JSON.stringify(parsed.problems));
  return decisionsReviewer(parsed.decisions);
}

const FILES = {
  'a.txt': 'one\ntwo\n',
  'b.txt': 'one\ntwo\n',
  'c.txt': 'one\ntwo\n',
  '.teddy/memos.yaml': '- Old.\n',
};
const ACTIONS = [
  edit('a.txt', ['one', 'ONE']),
  create('new/d.txt', 'd\n'),
  create('b.txt', 'replaced\n', true),
  edit('c.txt', ['two', 'TWO']),
  read('a.txt'),
  prune('b.txt'),
];

test.each(['a.txt', 'b.txt', 'c.txt', 'new/d.txt', '.teddy/memos.yaml', '.teddy/turn.context'])(
  'what another program changed since is left and named, and all else put back: %s',
  async (changed) => {
    const root = makeFolder(FILES);
    const before = snapshot(root);
    const text = planOf(ACTIONS, { memos: ['+ New.', '- Old.'] });
    const { run, workspace } = await executeHere(root, text);
    expect(run.overall).toBe('Completed');
    writeFileSync(join(root, changed), 'theirs\n');
    const theirs = snapshot(root);

    const { result } = await undoRun(workspace, run);
    const all = ['.teddy/memos.yaml', '.teddy/turn.context', 'a.txt', 'b.txt', 'c.txt', 'new/d.txt'];
    expect(result).toMatchObject({
      status: 'undone',
      refused: [{ path: changed, reason: 'was changed after the run' }],
    });
    if (result.status === 'undone')
      expect(result.restored.toSorted()).toEqual(all.filter((path) => path !== changed));
    const kept =
      changed === 'new/d.txt'
        ? { new: theirs.new, [changed]: theirs[changed] }
        : { [changed]: theirs[changed] };
    expect(snapshot(root)).toEqual({ ...before, ...kept });
  },
);

test('what a command of the run changed is undone with the rest', async () => {
  const root = makeFolder(FILES);
  const before = snapshot(root);
  const actions = [
    edit('a.txt', ['one', 'ONE']),
    edit('c.txt', ['one', 'ONE']),
    execute('echo more >> a.txt; chmod 600 c.txt; rm b.txt; mkdir -p new; echo new > new/file'),
    edit('a.txt', ['two', 'TWO']),
  ];
  const { run, workspace } = await executeHere(root, planOf(actions));
  expect(run.overall).toBe('Completed');
  expect(run.actions[2]!.outcome).toMatchObject({
    changed: [
      { path: 'a.txt', change: 'edited' },
      { path: 'b.txt', change: 'deleted' },
      { path: 'c.txt', change: 'edited' },
      { path: 'new/file', change: 'created' },
    ],
  });
  const { result, commands } = await undoRun(workspace, run);
  expect(result).toMatchObject({ status: 'undone', deleted: ['new/file'], refused: [] });
  expect(commands).toMatchObject([{ number: 3, recorded: true }]);
  expect(snapshot(root)).toEqual(before);
});

test('two runs are undone in the order of a stack', async () => {
  const root = makeFolder(FILES);
  const start = snapshot(root);
  const first = await executeHere(root, planOf([edit('a.txt', ['one', '1']), create('x/y.txt', 'y\n')]));
  const middle = snapshot(root);
  const second = await executeHere(
    root,
    planOf([edit('a.txt', ['two', '2']), create('x/z.txt', 'z\n'), edit('x/y.txt', ['y', 'Y\ny'])]),
    {
      keepGoing: true,
    },
  );
  const early = await undoRun(first.workspace, first.run, { dryRun: true });
  expect(early.result).toMatchObject({ refused: [{ path: 'a.txt' }] });
  await undoRun(second.workspace, second.run);
  expect(snapshot(root)).toEqual(middle);
  const { result } = await undoRun(first.workspace, first.run);
  expect(result).toMatchObject({ status: 'undone', refused: [] });
  expect(snapshot(root)).toEqual(start);
});

test('a dry undo changes nothing and says the same', async () => {
  const root = makeFolder(FILES);
  const { run, workspace } = await executeHere(root, planOf(ACTIONS, { memos: ['+ New.'] }));
  const after = snapshot(root);
  const dry = await undoRun(workspace, run, { dryRun: true });
  expect(snapshot(root)).toEqual(after);
  const real = await undoRun(workspace, run);
  expect(real.result).toEqual(dry.result);
});

test('what was left the first time is put back the second time, once it can be', async () => {
  const root = makeFolder(FILES);
  const before = snapshot(root);
  const { run, workspace } = await executeHere(root, planOf(ACTIONS));
  const left = readFileSync(join(root, 'a.txt'));
  writeFileSync(join(root, 'a.txt'), 'theirs\n');
  expect((await undoRun(workspace, run)).result).toMatchObject({ refused: [{ path: 'a.txt' }] });
  writeFileSync(join(root, 'a.txt'), left);
  await undoRun(workspace, run);
  expect(snapshot(root)).toEqual(before);
});

test('repeated, it goes further back, and redo returns the same way', async () => {
  const root = makeFolder(FILES);
  const states = [snapshot(root)];
  const plans = [
    planOf([edit('a.txt', ['one', '1'])]),
    planOf([read('b.txt')]),
    planOf([edit('a.txt', ['two', '2'])]),
    planOf([execute('true')]),
  ];
  const runs: Awaited<ReturnType<typeof executeHere>>[] = [];
  for (const plan of plans) {
    runs.push(await executeHere(root, plan));
    states.push(snapshot(root));
  }
  const { workspace } = runs[0]!;
  const undoNext = async () => {
    const chosen = await chooseUndo(workspace, undefined);
    if (chosen.status === 'missing') return chosen.reason;
    await undoRun(workspace, chosen.run);
    return [chosen.run.id, ...chosen.passedOver.map(({ id }) => id)];
  };
  const id = (at: number) => runs[at]!.run.id;
  expect(await undoNext()).toEqual([id(2), id(3)]);
  expect(snapshot(root)).toEqual(states[2]);
  // READ changed the context, which is a file of the project.
  expect(await undoNext()).toEqual([id(1), id(3)]);
  expect(await undoNext()).toEqual([id(0), id(3)]);
  expect(snapshot(root)).toEqual(states[0]);
  expect(await undoNext()).toBe('Nothing to undo: every run here has been undone, or changed no file.');
  for (const at of [0, 1, 2]) {
    expect(await redoRun(workspace)).toMatchObject({ run: { id: id(at) }, result: { status: 'redone' } });
    expect(snapshot(root)).toEqual(states[at + 1]);
  }
  expect(await redoRun(workspace)).toMatchObject({ status: 'missing' });
});

test.each(['undo', 'redo'] as const)('%s: killed at any call, and asked for again', async (work) => {
  const text = planOf([...ACTIONS, create('new/deep/e.txt', 'e\n')], { memos: ['+ New.'] });
  const fresh = async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'teddy-undo-')));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    for (const [path, content] of Object.entries(FILES)) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
    const before = snapshot(root);
    const { run, workspace } = await executeHere(root, text);
    if (work === 'undo') return { root, expected: before };
    const left = snapshot(root);
    await undoRun(workspace, run);
    return { root, expected: left };
  };
  const whole = await runWorker({ root: (await fresh()).root, work, killBefore: null });
  if (whole.how !== 'returned') throw new Error('killed by someone else');
  const wrong: string[] = [];
  const points = sample([...Array(whole.calls).keys()], SOAK ? 1e9 : 8, 8);
  await inParallel(points, 2, async (killBefore) => {
    const { root, expected } = await fresh();
    expect(await runWorker({ root, work, killBefore })).toEqual({ how: 'killed' });
    await runWorker({ root, work, killBefore: null });
    const after = snapshot(root);
    const paths = [...new Set([...Object.keys(expected), ...Object.keys(after)])];
    const odd = paths.filter((path) => expected[path] !== after[path]);
    if (odd.length > 0) wrong.push(`call ${killBefore} of ${whole.calls}: ${odd.join(', ')} not as expected`);
  });
  expect(wrong).toEqual([]);
});
