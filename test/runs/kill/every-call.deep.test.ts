// SIGKILL before every file call of a run that changes anything, and then of the recovery that follows.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { recoverRuns } from '../../../src/sessions/recover-runs.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { inParallel } from '../../worker.js';
import { SOAK, sample, seeded } from '../../workspace/faults/random.js';
import { planOf } from '../boundary/plan.js';
import { judge, Site } from './judge.js';
import { killableRun } from './killable-run.js';
import { SMALL } from './mixed-plan.js';

const runWorker = killableRun();

const POINTS = SOAK ? 1e9 : 9;

test.each([false, true])('killed before any call, a person being asked: %s', async (person) => {
  const plan = planOf(SMALL.actions, SMALL.around);
  const attempt = (site: Site, killBefore: number | null) =>
    runWorker({ root: site.root, work: 'execute', plan, person, killBefore });

  const calm = newSite();
  const whole = await attempt(calm, null);
  if (whole.how !== 'returned') throw new Error('killed by someone else');
  expect(judge(calm, { end: 'ended', person })).toEqual([]);
  expect(whole.run?.overall).toBe('Completed');

  const wrong: string[] = [];
  const random = seeded(5);
  const points = sample([...Array(whole.calls).keys()], POINTS, 3).map((n, i) => ({
    n,
    m: i % 3 === 0 ? Math.floor(random() * 60) : undefined,
  }));
  await inParallel(points, 2, async ({ n, m }) => {
    const site = newSite();
    const killed = await attempt(site, n);
    if (killed.how !== 'killed') wrong.push(`call ${n}: it was not killed`);
    const twice =
      m === undefined ? 'no' : (await runWorker({ root: site.root, work: 'recover', killBefore: m })).how;
    await recoverRuns(new Workspace(site.root));
    for (const each of judge(site, { end: 'killed', person }))
      wrong.push(`call ${n}, of the recovery ${m} (${twice}): ${each}`);
    for (const pid of site.leftovers()) process.kill(-pid, 'SIGKILL');
    rmSync(site.base, { recursive: true, force: true });
  });
  if (SOAK) console.log(`${points.length} of ${whole.calls} calls`);
  expect(wrong).toEqual([]);
});

function newSite(): Site {
  const base = mkdtempSync(join(tmpdir(), 'teddy-run-kill-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  return new Site(realpathSync(base), SMALL);
}
