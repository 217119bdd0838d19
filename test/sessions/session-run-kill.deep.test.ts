// SIGKILL before every file call that changes anything, while a turn is planned and while its plan is carried out: no turn
// is half written, nothing that was said or done is lost, and the session goes on.
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recoverRuns } from '../../src/sessions/recover-runs.js';
import { Sessions } from '../../src/sessions/turns/sessions.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { type ModelServer, startModelServer } from '../model-server.mjs';
import { inParallel, workerOf } from '../worker.js';
import { SOAK, sample, seeded } from '../workspace/faults/random.js';
import { answerTo, findFaults, findFaultsAtTheEnd, type Left } from './session-faults.js';
import { beginSession, goOn, SESSION } from './session-step.js';
import type { Task } from './session-worker.js';

const POINTS = SOAK ? 1e9 : 5;
const NOW = '2026-01-02T03:04:05Z';

const runWorker = workerOf<Task, { calls: number }>('test/sessions/session-worker.ts');
let base = '';
let model: ModelServer;

beforeAll(async () => {
  process.env.TEDDY_NOW = NOW;
  base = realpathSync(mkdtempSync(join(tmpdir(), 'teddy-session-kill-')));
  model = await startModelServer((request) => ({ answer: answerTo(request), chunk: 40 }));
});
afterAll(async () => {
  delete process.env.TEDDY_NOW;
  await model.close();
  rmSync(base, { recursive: true, force: true });
});

let sites = 0;
function newSite(from?: string): Left {
  const root = join(base, `${sites++}`, 'root');
  if (from !== undefined) cpSync(from, root, { recursive: true });
  return { root, seen: join(root, '../seen') };
}

const work = (site: Left, killBefore: number | null) =>
  runWorker({ ...site, url: model.url, now: NOW, killBefore });

test.each(['planned', 'carried out'] as const)('killed before any call while a turn is %s', async (what) => {
  const template = newSite();
  mkdirSync(template.root, { recursive: true });
  writeFileSync(join(template.root, 'notes.txt'), 'A note.\n');
  await beginSession(template.root);
  if (what === 'carried out') await goOn({ root: template.root, url: model.url });

  const calm = newSite(template.root);
  const whole = await work(calm, null);
  if (whole.how !== 'returned') throw new Error('killed by someone else');
  expect(await findFaults(calm)).toEqual([]);

  const wrong: string[] = [];
  const random = seeded(7);
  // Every third time whoever comes next is killed, too.
  const points = sample([...Array(whole.calls).keys()], POINTS, 7).map((n, i) => ({
    n,
    next: i % 3 === 0 ? Math.floor(random() * whole.calls) : undefined,
  }));
  const stages = new Map<string, number>();
  await inParallel(points, 2, async ({ n, next }) => {
    const site = newSite(template.root);
    const say = (fault: string) => wrong.push(`call ${n}, and then ${next}: ${fault}`);
    try {
      if ((await work(site, n)).how !== 'killed') say('it was not killed');
      if (next !== undefined) await work({ ...site, seen: `${site.seen}-again` }, next);
      await recoverRuns(new Workspace(site.root));
      const stage = new Sessions(new Workspace(site.root)).lastTurn(SESSION);
      const name = `${stage.meta.turn} ${stage.stage}`;
      stages.set(name, (stages.get(name) ?? 0) + 1);
      for (const fault of await findFaults(site)) say(fault);
      for (const fault of await findFaultsAtTheEnd(site, () => goOn({ root: site.root, url: model.url })))
        say(fault);
    } catch (error) {
      say(String(error));
    }
    rmSync(join(site.root, '..'), { recursive: true, force: true });
  });
  if (SOAK) console.log(`${points.length} of ${whole.calls} calls: ${JSON.stringify([...stages])}`);
  expect(wrong).toEqual([]);
  // Kills that all fall on one side would show nothing.
  expect(stages.size).toBeGreaterThan(1);
});
