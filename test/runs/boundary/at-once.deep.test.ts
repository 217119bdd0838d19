// Several teddies in one root at the same time: no update is lost, and every report is true.
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { parseDocument } from 'yaml';
import type { Run } from '../../../src/core/report/record.js';
import { setFileSeam } from '../../../src/node/file-calls.js';
import { recoverRuns } from '../../../src/sessions/recover-runs.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { makeFolder } from '../../folder.js';
import { SOAK } from '../../workspace/faults/random.js';
import { killableRun } from '../kill/killable-run.js';
import { executeHere } from './execute-here.js';
import { create, edit, execute, planOf, read } from './plan.js';

const runWorker = killableRun();

describe('eight processes', () => {
  const EIGHT = Array.from({ length: 8 }, (_, at) => at + 1);

  test('each with a file of its own and a line of a common one', async () => {
    for (let round = 0; round < (SOAK ? 15 : 2); round++) {
      const root = newRoot();
      writeFileSync(join(root, 'common.txt'), EIGHT.map((n) => `slot ${n}\n`).join(''));
      const recordOf = (id: string) =>
        JSON.parse(readFileSync(join(root, '.teddy/runs', id, 'run.json'), 'utf8')) as Run;
      const isDone = (n: number) =>
        readFileSync(join(root, 'common.txt'), 'utf8').includes(`slot ${n} taken\n`);

      let open = EIGHT;
      const runs: { n: number; id: string }[] = [];
      for (let tries = 0; open.length > 0 && tries < 12; tries++) {
        let over = false;
        const looking = lookOn(root, () => over);
        const started = await Promise.allSettled(
          open.map(async (n) => ({
            n,
            child: await runWorker({
              root,
              work: 'execute',
              plan: planFor(n, tries === 0),
              killBefore: null,
            }),
          })),
        );
        over = true;
        await looking;
        const ended = started.map((each) => {
          if (each.status === 'rejected') throw each.reason;
          return each.value;
        });
        for (const { n, child } of ended) {
          if (child.how !== 'returned') throw new Error('killed by someone else');
          expect(child.recovered).toEqual([]);
          runs.push({ n, id: child.run!.id });
        }
        for (const { n, id } of runs.slice(-open.length)) {
          const { actions, interrupted } = recordOf(id);
          const statuses = actions.map(({ outcome }) => outcome.status);
          expect(interrupted).toBeNull();
          expect(statuses).toEqual(
            isDone(n)
              ? ['success', 'success', 'success', 'success']
              : ['failure', 'failure', 'not-run', 'not-run'],
          );
          expect(existsSync(join(root, `own-${n}.txt`))).toBe(isDone(n));
          expect(existsSync(join(root, `ran-${n}`))).toBe(isDone(n));
        }
        open = open.filter((n) => !isDone(n));
      }
      expect(open).toEqual([]);
      expect(readFileSync(join(root, 'common.txt'), 'utf8')).toBe(
        EIGHT.map((n) => `slot ${n} taken\n`).join(''),
      );
      expect(new Set(runs.map(({ id }) => id)).size).toBe(runs.length);

      // Of memos and context each run says what became of its own.
      const memos = parseDocument(readFileSync(join(root, '.teddy/memos.yaml'), 'utf8')).toJS() as string[];
      const context = readFileSync(join(root, '.teddy/turn.context'), 'utf8').split('\n');
      for (const n of EIGHT) {
        const told = runs.filter((run) => run.n === n).map(({ id }) => recordOf(id));
        const applied = told.filter(({ stateChanges }) => stateChanges[0]?.notApplied.length === 0);
        expect(memos.filter((memo) => memo === `Fact ${n}.`)).toHaveLength(applied.length > 0 ? 1 : 0);
        const notes = told.flatMap(({ actions }) =>
          actions[3]!.outcome.status === 'success' ? [actions[3]!.outcome.notes ?? []] : [],
        );
        if (!notes.flat().join().includes('could not be changed')) expect(context).toContain(`own-${n}.txt`);
      }
    }
  });

  const planFor = (n: number, isFirst: boolean) =>
    planOf(
      [
        create(`own-${n}.txt`, `mine ${n}\n`),
        edit('common.txt', [`slot ${n}`, `slot ${n} taken`]),
        execute(`touch ran-${n}`),
        read(`own-${n}.txt`),
      ],
      { memos: isFirst ? [`+ Fact ${n}.`] : [], title: `Number ${n}` },
    );

  /** Looks again and again whether something is to be recovered, as any command does. */
  async function lookOn(root: string, isOver: () => boolean): Promise<void> {
    const workspace = new Workspace(root);
    while (!isOver()) {
      expect(await recoverRuns(workspace)).toEqual([]);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
});

describe('a run that ends while another command looks for dead ones', () => {
  afterEach(() => setFileSeam(undefined));

  test('keeps its own report, at whatever call of theirs that is', async () => {
    const root = realpathSync(makeFolder());
    const { run } = await executeHere(root, planOf([create('a.txt', 'a\n')]));
    const record = join(root, '.teddy/runs', run.id, 'run.json');
    const report = join(root, '.teddy/runs', run.id, 'report.md');
    const [recordText, reportText] = [readFileSync(record, 'utf8'), readFileSync(report, 'utf8')];
    const workspace = new Workspace(root);
    let isOver = true;
    for (let at = 0; isOver; at++) {
      // As it is a moment before the run's end: alive, and without its record.
      rmSync(record);
      const folder = workspace.takeRun(run.id)!;
      let calls = 0;
      isOver = false;
      setFileSeam((call, perform) => {
        const result = perform(call.args);
        if (calls++ === at) {
          isOver = true;
          writeFileSync(record, recordText);
          setFileSeam(undefined);
          folder.close();
        }
        return result;
      });
      expect(await recoverRuns(new Workspace(root)), `after call ${at}`).toEqual([]);
      setFileSeam(undefined);
      expect(readFileSync(report, 'utf8'), `after call ${at}`).toBe(reportText);
      if (isOver) expect(readFileSync(record, 'utf8')).toBe(recordText);
      else folder.close();
    }
  });

  test('and one that begins is not taken from its process, at whatever call of its own that is', async () => {
    const root = realpathSync(makeFolder());
    const others = new Workspace(root);
    let calls = 0;
    for (let at = 0, isOver = false; !isOver; at++) {
      let looked: Promise<Run[]> | undefined;
      calls = 0;
      setFileSeam((call, perform) => {
        const result = perform(call.args);
        if (calls++ === at) {
          setFileSeam(undefined);
          looked = recoverRuns(others);
        }
        return result;
      });
      const { run } = await executeHere(root, planOf([create(`${at}.txt`, 'a\n')]));
      isOver = looked === undefined;
      setFileSeam(undefined);
      expect(await looked, `after call ${at}`).toEqual(isOver ? undefined : []);
      expect(run.overall, `after call ${at}`).toBe('Completed');
      expect(existsSync(join(root, '.teddy/runs', run.id, 'report.md')), `after call ${at}`).toBe(true);
      rmSync(join(root, '.teddy/runs'), { recursive: true });
    }
    expect(calls).toBeGreaterThan(30);
  });
});

function newRoot(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'teddy-at-once-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}
