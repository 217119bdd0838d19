// SIGKILL before every file call of `teddy task move`, in a process of its own, and what the next command finds.
import { expect, test } from 'vitest';
import { listRuns } from '../../src/runs/run-list.js';
import { chooseUndo, undoRun } from '../../src/runs/undo-run.js';
import { recoverRuns } from '../../src/sessions/recover-runs.js';
import { inParallel, workerOf } from '../worker.js';
import { SOAK, sample } from '../workspace/faults/random.js';
import type { Task } from './edit-worker.js';
import { PLAN, PLAN_TEXT, TestProject } from './project.js';

const move = workerOf<Task, { calls: number; id: string }>('test/tasks/edit-worker.ts');

test('killed before any call, the file is as before or as meant, and its run is undone or was never there', async () => {
  const whole = new TestProject();
  const done = await move({ root: whole.root, killBefore: null });
  if (done.how !== 'returned') throw new Error('killed by someone else');
  const meant = whole.read(PLAN);
  expect(meant).not.toBe(PLAN_TEXT);

  const wrong: string[] = [];
  const tally = { before: 0, meant: 0 };
  const points = sample([...Array(done.calls).keys()], SOAK ? 1e9 : 16, 7);
  await inParallel(points, 2, async (killBefore) => {
    const site = new TestProject();
    const killed = await move({ root: site.root, killBefore });
    if (killed.how !== 'killed') wrong.push(`call ${killBefore}: it was not killed`);
    const { workspace } = site.project;
    await recoverRuns(workspace);
    const text = site.read(PLAN);
    const isMeant = text === meant;
    tally[isMeant ? 'meant' : 'before']++;
    if (!isMeant && text !== PLAN_TEXT) wrong.push(`call ${killBefore}: half a change`);
    const completed = listRuns(workspace).filter(({ overall }) => overall === 'Completed').length;
    if (completed !== (isMeant ? 1 : 0)) wrong.push(`call ${killBefore}: ${completed} runs are Completed`);
    const chosen = await chooseUndo(workspace, undefined);
    if ((chosen.status === 'found') !== isMeant) wrong.push(`call ${killBefore}: to undo: ${chosen.status}`);
    if (chosen.status === 'found') await undoRun(workspace, chosen.run);
    if (site.read(PLAN) !== PLAN_TEXT) wrong.push(`call ${killBefore}: it is not undone`);
  });
  if (SOAK) console.log(`${points.length} of ${done.calls} calls: ${JSON.stringify(tally)}`);
  expect(wrong).toEqual([]);
  expect(tally.before).toBeGreaterThan(0);
  expect(tally.meant).toBeGreaterThan(0);
});
