import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../src/node/errors.js';
import { captureResult } from '../../src/tasks/capture-results.js';
import { rotateLogs } from '../../src/tasks/logs/rotate.js';
import { verifyLogs } from '../../src/tasks/logs/verify-logs.js';
import { getExecutorMetrics, getProjectMetrics } from '../../src/tasks/metrics/metrics.js';
import { rebuildMetrics } from '../../src/tasks/metrics/rebuild.js';
import type { ProjectRecord } from '../../src/tasks/metrics/records.js';
import { resolveTask, startTask } from '../../src/tasks/plans/change-task.js';
import { listProject, showTask } from '../../src/tasks/plans/tasks.js';
import type { Verified } from '../../src/tasks/types.js';
import { AT, blocked, failure, LOGS, PLAN, PLAN_TEXT, resultText, TestProject } from './project.js';

const LOG = `${LOGS}/executions/2026-01-26/03-01-task-01`;

const verified = (run: Partial<Verified['run']> = {}): Verified => ({
  taskIndex: 1,
  command: 'npm test',
  run: { command: 'npm test', exitCode: 0, durationMs: 12, outputSummary: '3 passed', ...run },
});

const codes = ({ notes }: { notes: { code: string }[] }) => notes.map(({ code }) => code);

/** Records, logs and ledger agree with each other. */
async function expectSound(site: TestProject): Promise<void> {
  expect(await rebuildMetrics(site.project)).toMatchObject({ drift: false, damaged: [] });
  expect((await verifyLogs(site.project)).problems).toEqual([]);
}

describe('who worked on it', () => {
  test('is logged and counted by name', async () => {
    const site = new TestProject();
    await site.submit(failure(), { executor: 'claude', verified: verified({ exitCode: 1 }) });
    await site.submit(resultText({ metadata: '{attempt: 2}' }), { executor: 'claude', verified: verified() });
    const lie = resultText({ metadata: '{attempt: 3}' });
    await site.submit(lie, { executor: 'codex', verified: verified({ exitCode: 1 }) });
    await site.submit(resultText({ metadata: '{attempt: 4}' }));
    expect(site.yaml(`${LOG}-failure.yaml`)).toMatchObject({ executor: 'claude' });
    expect(site.yaml(`${LOG}-success-2.yaml`)).not.toHaveProperty('executor');
    expect(getExecutorMetrics(site.project)).toEqual([
      {
        executor: 'claude',
        results: 2,
        succeeded: 1,
        successRate: 0.5,
        verified: 2,
        falseClaims: 0,
        falseClaimRate: 0,
      },
      {
        executor: 'codex',
        results: 1,
        succeeded: 0,
        successRate: 0,
        verified: 1,
        falseClaims: 1,
        falseClaimRate: 1,
      },
    ]);
    await expectSound(site);
  });

  test('is masked', async () => {
    const site = new TestProject();
    const mask = (text: string) => text.replaceAll('hunter22', '[masked:00000000]');
    await site.submit(resultText(), { executor: 'x-hunter22', mask, filesChanged: ['hunter22.txt'] });
    expect(JSON.stringify(site.logs.map((path) => site.read(`${LOGS}/${path}`)))).not.toContain('hunter22');
    expect(getExecutorMetrics(site.project)[0]?.executor).toBe('x-[masked:00000000]');
    await expectSound(site);
  });

  test('is missing in records of earlier versions, which are read all the same', async () => {
    const site = new TestProject();
    await site.submit(failure());
    const path = `${LOGS}/summary/project.json`;
    expect(site.json<ProjectRecord>(path)).not.toHaveProperty('executors');
    expect(getProjectMetrics(site.project)?.results).toBe(1);
    expect(getExecutorMetrics(site.project)).toEqual([]);
    await site.submit(resultText({ metadata: '{attempt: 2}' }), { executor: '__proto__' });
    expect(getExecutorMetrics(site.project)).toMatchObject([{ executor: '__proto__', results: 1 }]);
    await expectSound(site);
  });

  test('is counted again from the log, where somebody was at the record', async () => {
    const site = new TestProject();
    await site.submit(resultText(), { executor: 'claude' });
    const path = `${LOGS}/summary/project.json`;
    const { executors, ...rest } = site.json<ProjectRecord>(path);
    writeFileSync(join(site.root, path), JSON.stringify(rest));
    const { drift } = await rebuildMetrics(site.project, { write: true });
    expect(drift).toBe(true);
    expect(site.json<ProjectRecord>(path).executors).toEqual(executors);
    writeFileSync(
      join(site.root, path),
      JSON.stringify({ ...rest, executors: { claude: { results: 'x' } } }),
    );
    expect(() => getExecutorMetrics(site.project)).toThrow('is damaged');
    await rebuildMetrics(site.project, { write: true });
    expect(site.json<ProjectRecord>(path).executors).toEqual(executors);
  });

  test('is still known when the log is in the archive', async () => {
    const site = new TestProject();
    await site.submit(resultText(), {
      executor: 'claude',
      attempt: 1,
      filesChanged: [],
      verified: verified(),
    });
    expect(await rotateLogs(site.project, '2026-06-01')).toMatchObject({ days: ['2026-01-26'] });
    await expectSound(site);
    expect(getExecutorMetrics(site.project)).toMatchObject([{ executor: 'claude', results: 1 }]);
  });
});

describe('the attempt, as it is counted by who handed the task out', () => {
  test('goes before what the executor says', async () => {
    const site = new TestProject();
    await site.submit(failure({ metadata: '{attempt: 1}' }), { attempt: 3 });
    expect(site.yaml(`${LOG}-failure.yaml`)).toMatchObject({ attempt: 3 });
    expect(showTask(site.project, '03-01:1').record).toMatchObject({ retries: 1, last_attempt: 3 });
    expect(site.session.tasks).toMatchObject([{ attempts: 3 }]);
    await expectSound(site);
  });

  test('tells which of two is the later', async () => {
    const site = new TestProject();
    await site.submit(resultText({ metadata: '{attempt: 1}' }), { attempt: 2 });
    const late = await site.submit(failure({ metadata: '{attempt: 7}' }), { attempt: 1 });
    expect(codes(late)).toContain('result-late');
    expect(site.read(PLAN)).toContain('status="completed"');
  });
});

test('a result about another task than the one that was handed out is rejected', async () => {
  const site = new TestProject();
  const captured = await site.submit(resultText(), { expectedIndex: 2 });
  expect(captured).toMatchObject({ status: 'rejected', verdict: { verdict: 'INVALID' } });
  expect(site.read(captured.logged)).toContain('task-not-asked');
  expect(site.read(PLAN)).toBe(PLAN_TEXT);
  expect((await site.submit(resultText(), { expectedIndex: 1 })).status).toBe('applied');
});

test('what git says was changed is logged, and compared with what is listed', async () => {
  const site = new TestProject();
  const { verdict } = await site.submit(resultText(), { filesChanged: ['src/other.ts'] });
  expect(verdict.issues.map(({ code }) => code).sort()).toEqual([
    'file-unchanged',
    'file-unclaimed',
    'file-unplanned',
  ]);
  expect(site.yaml(`${LOG}-success.yaml`)).toMatchObject({ files_changed: ['src/other.ts'] });
  await expectSound(site);
});

describe('a success that shows nothing', () => {
  test('passed without a test: the task is not done', async () => {
    const site = new TestProject();
    const run = { outputSummary: 'No tests found, exiting with code 0', vacuous: true as const };
    const captured = await site.submit(resultText(), { executor: 'claude', verified: verified(run) });
    expect(captured).toMatchObject({ status: 'applied', effectiveStatus: 'failure' });
    expect(captured.notes).toContainEqual(
      expect.objectContaining({
        code: 'vacuous',
        message:
          'The verification passed, but no test ran: No tests found, exiting with code 0. So Task 1: Create the agent is not done.',
      }),
    );
    expect(site.read(PLAN)).toContain('status="failed"');
    expect(site.yaml(`${LOG}-failure.yaml`)).toMatchObject({
      effective_status: 'failure',
      verification_run: { exit_code: 0, vacuous: true },
    });
    expect(getExecutorMetrics(site.project)).toMatchObject([{ falseClaims: 1 }]);
    await expectSound(site);
  });

  test('was refused for another reason', async () => {
    const site = new TestProject();
    const refused = 'What was done conflicts with what others landed meanwhile, in src/agent.ts.';
    const captured = await site.submit(resultText(), { refused });
    expect(captured).toMatchObject({ effectiveStatus: 'failure' });
    expect(captured.notes).toContainEqual(
      expect.objectContaining({ code: 'result-refused', message: refused }),
    );
    expect(site.yaml(`${LOG}-failure.yaml`)).toMatchObject({ effective_status: 'failure', refused });
    expect(site.ledger).toMatchObject([{ status: 'failure', claimed: 'success' }]);
    await expectSound(site);
  });
});

test('a flaky verification counts as passed, and is told', async () => {
  const site = new TestProject();
  const captured = await site.submit(resultText(), { verified: verified({ flaky: true }) });
  expect(captured).toMatchObject({ effectiveStatus: 'success', verification: { flaky: true } });
  expect(codes(captured)).toContain('flaky');
  expect(site.yaml(`${LOG}-success.yaml`)).toMatchObject({ verification_run: { flaky: true } });
  expect(site.read(PLAN)).toContain('status="completed"');
});

describe('a superseded attempt', () => {
  const statusOf = (site: TestProject) => listProject(site.project, '03-01').plans[0]!.tasks[0]!.status;

  test.each([
    ['success', resultText()],
    ['failure', failure()],
    ['blocked', blocked()],
  ])('that says %s is logged and counted, and changes nothing of its task', async (_, text) => {
    const site = new TestProject();
    await startTask(site.project, '03-01:1', { session: 'run-1' });
    const [plan, before] = [site.read(PLAN), site.session.tasks];
    const captured = await site.submit(text, {
      superseded: true,
      executor: 'claude',
      id: '03-01:1#1',
      session: 'run-1',
    });
    expect(captured.status).toBe('applied');
    expect(codes(captured)).toContain('result-superseded');
    expect(captured.logged).toBe(`${LOG}-superseded.yaml`);
    expect(site.yaml(captured.logged)).toMatchObject({ superseded: true });
    expect(site.read(PLAN)).toBe(plan);
    expect(site.read('STATE.md')).not.toMatch(/(?:Completed|Failed|Blocked) Task 1/);
    expect(site.session.tasks).toEqual(before);
    expect(statusOf(site)).toBe('in_progress');
    expect(getProjectMetrics(site.project)).toMatchObject({ results: 1, firstAttemptSuccessRate: 0 });
    await expectSound(site);
  });

  test('says nothing of a task that stands in a checkbox alone', async () => {
    const text = '- [ ] Task 1: Create the agent\n- [ ] Task 2: Add the protocol\n';
    const site = new TestProject({ [PLAN]: text });
    await site.submit(failure(), { superseded: true });
    expect(statusOf(site)).toBe('pending');
    await site.submit(failure({ metadata: '{attempt: 2}' }));
    expect(statusOf(site)).toBe('failed');
    await site.submit(resultText({ metadata: '{attempt: 3}' }), { superseded: true });
    expect(statusOf(site)).toBe('failed');
  });

  test('does not take away what a person decided', async () => {
    const site = new TestProject();
    await site.submit(failure());
    await resolveTask(site.project, '03-01:1', 'abort');
    await site.submit(failure({ metadata: '{attempt: 2}' }), { superseded: true });
    await expect(startTask(site.project, '03-01:1')).rejects.toThrow('it was aborted');
    await resolveTask(site.project, '03-01:1', 'skip');
    await site.submit(failure({ metadata: '{attempt: 3}' }), { superseded: true });
    expect(statusOf(site)).toBe('skipped');
    await expectSound(site);
  });

  test('that comes again is known, and is not applied then either', async () => {
    const site = new TestProject();
    const submission = { superseded: true as const, id: 'a' };
    await site.submit(resultText(), submission);
    const again = await site.submit(resultText(), submission);
    expect(again).toMatchObject({
      status: 'duplicate',
      effectiveStatus: null,
      logged: `${LOG}-superseded.yaml`,
    });
    expect(await site.submit(resultText(), { id: 'a' })).toMatchObject({ status: 'duplicate' });
    expect(site.read(PLAN)).toBe(PLAN_TEXT);
    expect(site.ledger).toHaveLength(1);
  });

  test('has no part in what the last result was', async () => {
    const site = new TestProject();
    await site.submit(failure({ error: '"The first."' }));
    await site.submit(failure({ error: '"Too late."', metadata: '{attempt: 9}' }), { superseded: true });
    expect(showTask(site.project, '03-01:1')).toMatchObject({
      last: { error: 'The first.' },
      record: { results: 2, superseded: 1, last_attempt: 1 },
    });
  });
});

describe('what is changed in the same commit', () => {
  const JOURNAL = '.ultraplan/state/journal.jsonl';
  const line = (text: string) => ({
    also: (view: Parameters<NonNullable<Parameters<typeof captureResult>[1]['also']>>[0]) => {
      const end = view.readEnd(JOURNAL, 0);
      const offset = end.status === 'bytes' ? end.size : 0;
      return [{ path: JOURNAL, append: new TextEncoder().encode(`${text}\n`), offset }];
    },
  });
  const capture = (site: TestProject, text: string, more: Partial<Parameters<typeof captureResult>[1]>) =>
    captureResult(site.project, {
      submission: { plan: PLAN, text, id: '1' },
      now: new Date(AT),
      mask: (each) => each,
      ...more,
    });

  test('comes with a result that is applied, one that was before, and one that is INVALID', async () => {
    const site = new TestProject();
    await capture(site, resultText(), line('applied'));
    await capture(site, resultText(), line('again'));
    await capture(site, 'status: superb', line('rejected'));
    expect(site.read(JOURNAL)).toBe('applied\nagain\nrejected\n');
  });

  test('is told what became of the result', async () => {
    const site = new TestProject();
    const told: string[] = [];
    const also = (_: unknown, { status, logged }: { status: string; logged: string }) => {
      told.push(`${status} ${logged}`);
      return [];
    };
    await capture(site, resultText(), { also });
    await capture(site, resultText(), { also });
    expect(told).toEqual([`applied ${LOG}-success.yaml`, `duplicate ${LOG}-success.yaml`]);
  });

  test('is worked out again, and made once, when another program was in the way', async () => {
    const site = new TestProject();
    let calls = 0;
    const captured = await capture(site, resultText(), {
      also: (view) => {
        // An editor, which waits for nobody.
        if (calls++ === 0) appendFileSync(join(site.root, PLAN), '\n');
        return line('once').also(view);
      },
    });
    expect({ conflicts: captured.conflicts, calls }).toEqual({ conflicts: 1, calls: 2 });
    expect(site.read(JOURNAL)).toBe('once\n');
  });

  test('keeps everything from happening where it cannot be made', async () => {
    const site = new TestProject();
    const also = () => {
      throw new UserError('The journal is gone.');
    };
    await expect(capture(site, resultText(), { also })).rejects.toThrow(
      'The result was not recorded. The journal is gone.',
    );
    mkdirSync(join(site.root, JOURNAL), { recursive: true });
    await expect(capture(site, resultText(), line('x'))).rejects.toThrow('The result was not recorded');
    expect(site.read(PLAN)).toBe(PLAN_TEXT);
    expect(site.logs.filter((path) => !path.startsWith('conflicts'))).toEqual([]);
  });
});
