// SIGKILL before every file call of a submit, in a process of its own, and what the next one finds.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseTaskPlan } from '../../src/core/task-plan/parse.js';
import { verifyLogs } from '../../src/tasks/logs/verify-logs.js';
import { rebuildMetrics } from '../../src/tasks/metrics/rebuild.js';
import { inParallel, workerOf } from '../worker.js';
import { SOAK, sample } from '../workspace/faults/random.js';
import { failure, PLAN, resultText, TestProject } from './project.js';
import type { Task } from './submit-worker.js';

const submit = workerOf<Task, { calls: number; status: string }>('test/tasks/submit-worker.ts');

test('killed before any call, it is whole or not there, and can be sent again', async () => {
  const whole = await submit({ root: (await begunProject()).root, text: resultText(), killBefore: null });
  if (whole.how !== 'returned') throw new Error('killed by someone else');
  expect(whole.status).toBe('applied');

  const wrong: string[] = [];
  const tally = { applied: 0, duplicate: 0 };
  const points = sample([...Array(whole.calls).keys()], SOAK ? 1e9 : 14, 7);
  await inParallel(points, 2, async (killBefore) => {
    const site = await begunProject();
    const killed = await submit({ root: site.root, text: resultText(), killBefore });
    if (killed.how !== 'killed') wrong.push(`call ${killBefore}: it was not killed`);
    const left = site.project.workspace.incoming.left();
    const again = await submit({ root: site.root, text: resultText(), killBefore: null });
    const status = again.how === 'returned' ? again.status : again.how;
    for (const each of await judge(site, status, left)) wrong.push(`call ${killBefore}: ${each}`);
    if (status === 'applied' || status === 'duplicate') tally[status]++;
  });
  if (SOAK) console.log(`${points.length} of ${whole.calls} calls: ${JSON.stringify(tally)}`);
  expect(wrong).toEqual([]);
  expect(tally.applied).toBeGreaterThan(0);
  expect(tally.duplicate).toBeGreaterThan(0);
});

async function begunProject(): Promise<TestProject> {
  const site = new TestProject();
  await site.submit(failure(), { session: 'sess-1' });
  return site;
}

async function judge(site: TestProject, status: string, left: string[]): Promise<string[]> {
  const wrong: string[] = [];
  if (status !== 'applied' && status !== 'duplicate') wrong.push(`sent again it is ${status}`);
  if (site.ledger.length !== 2) wrong.push(`the ledger has ${site.ledger.length} lines`);
  const marks = parseTaskPlan(site.read(PLAN)).tasks.map((task) => task.status);
  if (marks[0] !== 'completed') wrong.push(`the task is ${marks[0]}`);
  if (!site.read('STATE.md').includes('Completed Task 1')) wrong.push('STATE.md does not know it');
  const { problems } = await verifyLogs(site.project);
  if (problems.length > 0) wrong.push(JSON.stringify(problems));
  if ((await rebuildMetrics(site.project)).drift) wrong.push('there is drift');
  // A text that nobody captured stays; one that was captured is gone with the commit.
  const kept = readdirSync(join(site.root, '.teddy/incoming')).filter((name) => !name.includes('.'));
  if (status === 'duplicate' && kept.length > 0) wrong.push(`captured, and still in ${kept}`);
  if (status === 'applied' && kept.length !== left.length) wrong.push(`of ${left} there is ${kept}`);
  return wrong;
}
