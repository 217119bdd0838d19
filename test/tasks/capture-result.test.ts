import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { DEFAULTS } from '../../src/config/config-file.js';
import { setFileSeam } from '../../src/node/file-calls.js';
import { sha256 } from '../../src/node/ids.js';
import { captureResults } from '../../src/tasks/capture-results.js';
import { verifyLogs } from '../../src/tasks/logs/verify-logs.js';
import { rebuildMetrics } from '../../src/tasks/metrics/rebuild.js';
import type { PlanRecord } from '../../src/tasks/metrics/records.js';
import type { DailySummary } from '../../src/tasks/metrics/summaries.js';
import { resolveTask } from '../../src/tasks/plans/change-task.js';
import { openCapture } from '../../src/tasks/project.js';
import { describeState } from '../../src/tasks/state.js';
import { readTree } from '../folder.js';
import {
  AT,
  blocked,
  failure,
  LOGS,
  PLAN,
  PLAN_TEXT,
  resultText,
  STATE_TEXT,
  TestProject,
} from './project.js';

afterEach(() => setFileSeam(undefined));

describe('a success', () => {
  test('is in PLAN.md, and nothing else of it changed', async () => {
    const site = new TestProject();
    const captured = await site.submit(resultText());
    expect(captured).toMatchObject({ status: 'applied', effectiveStatus: 'success', conflicts: 0 });
    expect(site.read(PLAN)).toBe(
      PLAN_TEXT.replace(
        '<task type="auto">',
        `<task type="auto" status="completed" completed_at="${AT}">`,
      ).replace('- [ ] Task 1: Create the agent', '- [x] Task 1: Create the agent (completed 2026-01-26)'),
    );
  });

  test('is in STATE.md, and what people wrote there stays', async () => {
    const site = new TestProject();
    await site.submit(resultText());
    const state = site.read('STATE.md');
    expect(state).toContain('Last activity: 2026-01-26 - Completed Task 1: Create the agent\n');
    expect(state).toContain('Progress: [#######░░░░░░░░░░░░░] 33%\n');
    expect(state).toContain('Phase: 3 of 8 (Execute)\nPlan: 1 of 5 in current phase\nStatus: In progress\n');
    expect(state).toContain('Total plans completed: 0');
    expect(state).toContain('Total execution time: 32s');
    expect(state).toContain('| 3 | 0/1 | 32s | - |');
    for (const line of STATE_TEXT.split('\n').filter((each) => /Nobody|^#|None yet/.test(each)))
      expect(state.split('\n')).toContain(line);
  });

  test('is logged with the lines of the executor as they came', async () => {
    const site = new TestProject();
    const text = resultText({ evidence: '|\n  Two lines,\n  # and no comment.' });
    const { logged, session } = await site.submit(text);
    expect(logged).toBe(`${LOGS}/executions/2026-01-26/03-01-task-01-success.yaml`);
    expect(site.read(logged)).toBe(
      `logged_at: "${AT}"\nplan_id: "03-01"\ntask_index: 1\nsession_id: "${session}"\nverdict: VALID\nissues: []\n\nresult:\n${text
        .trimEnd()
        .split('\n')
        .map((line) => `  ${line}`)
        .join('\n')}\n`,
    );
  });

  test('is in the session, the summaries and the ledger', async () => {
    const site = new TestProject();
    const { logged, session } = await site.submit(resultText());
    const [line] = site.read(`${LOGS}/ledger.jsonl`).split('\n');
    expect(site.ledger).toEqual([
      {
        n: 1,
        at: AT,
        plan: '03-01',
        task: 1,
        id: sha256(`03-01\0${resultText()}`).slice(0, 32),
        status: 'success',
        claimed: 'success',
        log: 'executions/2026-01-26/03-01-task-01-success.yaml',
        sha256: sha256(site.read(logged)),
        text: sha256(resultText()).slice(0, 16),
        prev: '0'.repeat(64),
      },
    ]);
    expect(site.session).toEqual({
      session_id: session,
      started_at: AT,
      plan_id: '03-01',
      tasks: [
        {
          task_id: '03-01:1',
          task_name: 'Task 1: Create the agent',
          status: 'success',
          attempts: 1,
          completed_at: AT,
          duration_ms: 32000,
        },
      ],
      last_updated: AT,
      ledger: { count: 1, head: sha256(line!) },
    });
    expect(site.json<DailySummary>(`${LOGS}/summary/daily-2026-01-26.json`)).toEqual({
      date: '2026-01-26',
      tasks_executed: 1,
      tasks_succeeded: 1,
      tasks_failed: 0,
      tasks_blocked: 0,
      total_retries: 0,
      success_rate: 1,
      total_duration_ms: 32000,
      tasks_with_duration: 1,
      average_duration_ms: 32000,
      by_plan: { '03-01': { tasks: 1, succeeded: 1, failed: 0, duration_ms: 32000 } },
      files_modified_count: 1,
    });
  });

  test('says what is ready now, and what waits', async () => {
    const site = new TestProject();
    const { next, waiting } = await site.submit(resultText());
    expect(next).toEqual([{ id: '03-01:2', name: 'Task 2: Add the protocol' }]);
    expect(waiting).toEqual([{ id: '03-01:3', name: 'Task 3: Look at it', on: ['03-01:2'] }]);
  });
});

describe('other results', () => {
  test('a failure marks the task, ticks nothing, and the task is ready again', async () => {
    const site = new TestProject();
    const { next } = await site.submit(failure());
    expect(site.read(PLAN)).toBe(
      PLAN_TEXT.replace('<task type="auto">', '<task type="auto" status="failed">'),
    );
    expect(site.read('STATE.md')).toContain('Last activity: 2026-01-26 - Failed Task 1: Create the agent\n');
    expect(next).toEqual([{ id: '03-01:1', name: 'Task 1: Create the agent' }]);
  });

  test('a success behind a failure takes its mark away', async () => {
    const site = new TestProject();
    await site.submit(failure());
    await site.submit(resultText({ metadata: '{duration_ms: 1000, attempt: 2}' }));
    expect(site.read(PLAN)).toContain(`<task type="auto" status="completed" completed_at="${AT}">`);
    expect(site.json<PlanRecord>(`${LOGS}/summary/plan-03-01.json`)).toMatchObject({
      results: 2,
      succeeded: 1,
      failed: 1,
      retries: 1,
      duration_ms: 33000,
      min_duration_ms: 1000,
      max_duration_ms: 32000,
      tasks: { 1: { results: 2, first_attempt_success: false, last_status: 'success' } },
    });
    expect(site.session.tasks).toMatchObject([{ attempts: 2, status: 'success' }]);
  });

  test('a block stands under Blockers until the task goes on', async () => {
    const site = new TestProject();
    const { next, waiting } = await site.submit(blocked());
    expect(next).toEqual([]);
    expect(waiting.map(({ id }) => id)).toEqual(['03-01:1', '03-01:2', '03-01:3']);
    const state = site.read('STATE.md');
    expect(state).toContain('Status: Blocked\n');
    expect(state).toMatch(/^- .*03-01:1.*The database is missing\.$/m);
    expect(state).not.toContain('None yet.');
    await site.submit(resultText());
    expect(site.read('STATE.md')).toContain('None yet.');
    expect(site.read('STATE.md')).not.toContain('The database is missing.');
  });

  test('the second of the same name on a day gets a number', async () => {
    const site = new TestProject();
    const first = await site.submit(failure());
    const second = await site.submit(failure({ evidence: '"another try"' }));
    const third = await site.submit(failure({ evidence: '"a third"' }));
    const base = `${LOGS}/executions/2026-01-26/03-01-task-01-failure`;
    expect([first, second, third].map(({ logged }) => logged)).toEqual([
      `${base}.yaml`,
      `${base}-2.yaml`,
      `${base}-3.yaml`,
    ]);
    expect(site.yaml(second.logged)).toMatchObject({ result: { evidence: 'another try' } });
  });

  test('an INVALID one changes nothing, and is kept with the reasons', async () => {
    const site = new TestProject();
    const text = resultText({ done_criteria_met: 'false' });
    const { status, logged, verdict } = await site.submit(text);
    expect(status).toBe('rejected');
    expect(verdict.verdict).toBe('INVALID');
    expect(site.read(PLAN)).toBe(PLAN_TEXT);
    expect(site.read('STATE.md')).toBe(STATE_TEXT);
    expect(site.logs).toEqual([logged.slice(LOGS.length + 1)]);
    expect(logged).toMatch(/^\.ultraplan\/logs\/rejected\/2026-01-26\/03-01-[0-9a-f]{8}\.yaml$/);
    expect(site.yaml(logged)).toMatchObject({
      rejected_at: AT,
      plan_id: '03-01',
      reasons: [{ field: 'done_criteria_met', line: 5 }],
    });
  });

  test('nothing at all is rejected too', async () => {
    const site = new TestProject();
    const { status, logged } = await site.submit('');
    expect(status).toBe('rejected');
    expect(site.yaml(logged)).toMatchObject({ result_text: '' });
  });
});

describe('a result that comes again', () => {
  test('is not applied again', async () => {
    const site = new TestProject();
    const first = await site.submit(resultText());
    const before = site.logs.map((path) => site.read(`${LOGS}/${path}`));
    const again = await site.submit(resultText(), { at: '2026-01-26T11:00:00Z' });
    expect(again).toMatchObject({ status: 'duplicate', logged: first.logged });
    expect(site.logs.map((path) => site.read(`${LOGS}/${path}`))).toEqual(before);
  });

  test('is known by its key, whatever its text', async () => {
    const site = new TestProject();
    await site.submit(resultText(), { id: 'constructor' });
    expect(await site.submit(failure(), { id: 'constructor' })).toMatchObject({ status: 'duplicate' });
    expect(await site.submit(failure(), { id: '__proto__' })).toMatchObject({ status: 'applied' });
    expect(await site.submit(resultText(), { id: '__proto__' })).toMatchObject({ status: 'duplicate' });
  });
});

describe('a plan that was put back', () => {
  const attempt = (number: number, more = {}) => ({ metadata: `{attempt: ${number}}`, ...more });

  test('is marked again by the success that it no longer shows', async () => {
    const site = new TestProject();
    await site.submit(resultText());
    writeFileSync(join(site.root, PLAN), PLAN_TEXT);
    const again = await site.submit(resultText());
    expect(again).toMatchObject({ status: 'duplicate', effectiveStatus: 'success' });
    expect(again.notes.map(({ code }) => code)).toEqual(['marked-again']);
    expect(site.read(PLAN)).toContain('status="completed"');
  });

  test('is never marked by a failure, nor by a success behind which there is something else', async () => {
    const site = new TestProject();
    await site.submit(resultText(attempt(2)));
    writeFileSync(join(site.root, PLAN), PLAN_TEXT);
    await site.submit(failure(attempt(1)));
    await site.submit(failure(attempt(1)));
    expect(site.read(PLAN)).toContain('status="failed"');
    await site.submit(resultText(attempt(2)));
    expect(site.read(PLAN)).toContain('status="failed"');
  });

  test('is left alone where a person wants the task done again', async () => {
    const site = new TestProject();
    await site.submit(failure());
    await site.submit(resultText());
    writeFileSync(join(site.root, PLAN), PLAN_TEXT);
    await resolveTask(site.project, '03-01:1', 'retry');
    await site.submit(resultText());
    expect(site.read(PLAN)).toBe(PLAN_TEXT);
  });
});

test('a record that is gone is not taken for a plan without results', async () => {
  const site = new TestProject();
  await site.submit(resultText());
  rmSync(join(site.root, LOGS, 'summary/plan-03-01.json'));
  await expect(site.submit(resultText())).rejects.toThrow('teddy metrics --rebuild');
  await rebuildMetrics(site.project, { write: true });
  expect((await site.submit(resultText())).status).toBe('duplicate');
});

test('a key that comes with another text is told, and the text is kept', async () => {
  const site = new TestProject();
  const { logged } = await site.submit(resultText(), { id: 'build-1' });
  const again = await site.submit(failure(), { id: 'build-1' });
  expect(again).toMatchObject({
    status: 'duplicate',
    logged,
    notes: [{ code: 'key-reused', severity: 'warning' }],
  });
  const aside = site.logs.filter((path) => path.startsWith('rejected/'));
  expect(site.yaml(`${LOGS}/${aside[0]}`)).toMatchObject({ result_text: failure() });
  expect(again.notes[0]!.message).toContain(aside[0]);
});

test('several that wait are captured one on top of the other, in one commit', async () => {
  const site = new TestProject();
  const item = (text: string) => ({
    submission: { plan: '03-01', text },
    now: new Date(AT),
    mask: (each: string) => each,
  });
  const second = resultText({ task_name: '"Task 2: Add the protocol"' });
  const items = [failure(), resultText(), resultText(), 'nonsense', second].map(item);
  const lost = { ...item(resultText()), submission: { plan: '99-99', text: resultText() } };
  let commits = 0;
  setFileSeam((call, perform) => {
    if (call.name === 'rename' && String(call.args[1]).endsWith('.log')) commits++;
    return perform(call.args);
  });
  const ends = await captureResults(site.project, () => [...items, lost]);
  setFileSeam(undefined);
  const statuses = [...items, lost].map((each) => {
    const end = ends!.get(each)!;
    return end.status === 'captured' ? end.result.status : end.reason;
  });
  expect(statuses).toEqual([
    'applied',
    'applied',
    'duplicate',
    'rejected',
    'applied',
    expect.stringContaining('No task file "99-99" in this project. Available: 03-01.'),
  ]);
  expect(commits).toBe(1);
  expect(site.ledger.map(({ n, task, status }) => `${n} ${task} ${status}`)).toEqual([
    '1 1 failure',
    '2 1 success',
    '3 2 success',
  ]);
  expect((await verifyLogs(site.project)).problems).toEqual([]);
  expect(await rebuildMetrics(site.project)).toMatchObject({ drift: false, results: 3 });
  expect(site.read('STATE.md')).toContain('Progress: [#############░░░░░░░] 67%');
  expect(site.session.tasks.map(({ task_id, attempts }) => [task_id, attempts])).toEqual([
    ['03-01:1', 2],
    ['03-01:2', 1],
  ]);
});

test('one that cannot be written does not take the others with it', async () => {
  const site = new TestProject();
  symlinkSync('nowhere', join(site.root, 'dangling.md'));
  const item = (text: string, state?: string) => ({
    submission: { plan: '03-01', text },
    now: new Date(AT),
    mask: (each: string) => each,
    ...(state !== undefined && { state }),
  });
  const items = [item(failure()), item(failure({ evidence: '"x"' }), 'dangling.md'), item(resultText())];
  const ends = await captureResults(site.project, () => items);
  expect(items.map((each) => ends!.get(each)!.status)).toEqual(['captured', 'failed', 'captured']);
  expect(site.ledger).toHaveLength(2);
});

describe('an earlier attempt that comes late', () => {
  const attempt = (number: number) => ({ metadata: `{attempt: ${number}}` });

  test('counts, and does not undo what a later one completed', async () => {
    const site = new TestProject();
    await site.submit(resultText(attempt(2)));
    const before = site.read(PLAN);
    const late = await site.submit(failure(attempt(1)));
    expect(late.notes.map(({ code }) => code)).toContain('result-late');
    expect(site.read(PLAN)).toBe(before);
    expect(site.read('STATE.md')).toContain('Completed Task 1');
    expect(site.ledger).toHaveLength(2);
    expect(await rebuildMetrics(site.project)).toMatchObject({ drift: false });
  });

  test('is none where it succeeds, or where the task is to be done again', async () => {
    const site = new TestProject();
    await site.submit(failure(attempt(3)));
    expect((await site.submit(resultText(attempt(1)))).notes).toEqual([]);
    expect(site.read(PLAN)).toContain('status="completed"');
    writeFileSync(join(site.root, PLAN), PLAN_TEXT);
    await site.submit(failure({ ...attempt(1), evidence: '"again"' }));
    expect(site.read(PLAN)).toContain('status="failed"');
  });

  test('is none of another task that stands in its place now', async () => {
    const site = new TestProject();
    await site.submit(resultText(attempt(2)));
    const other = site.read(PLAN).replaceAll('Task 1: Create the agent', 'Task 1: Paint the fence');
    writeFileSync(join(site.root, PLAN), other);
    await site.submit(failure({ ...attempt(1), task_name: '"Task 1: Paint the fence"' }));
    expect(site.read(PLAN)).toContain('status="failed"');
  });
});

describe('what was done before the first result', () => {
  const METRICS = `
## Performance Metrics

**Velocity:**
- Total plans completed: 12
- Average duration: 28 minutes
- Total execution time: 5h 36m

**By Phase:**

| Phase | Plans | Total | Avg/Plan |
|-------|-------|-------|----------|
| 1 | 5/5 | 2h 10m | 26m |
| 2 | 7/7 | 3h 26m | 29m |
| 3 | 0/8 | - | - |

**Recent Trend:**
- Last 5 plans: 25m, 32m, 28m, 22m, 31m
- Trend: Stable
`;
  const minutes = (number: number) => ({ metadata: `{duration_ms: ${number * 60_000}, attempt: 1}` });

  test('goes on to count', async () => {
    const site = new TestProject({ 'STATE.md': `${STATE_TEXT}${METRICS}` });
    const names = ['Task 1: Create the agent', 'Task 2: Add the protocol', 'Task 3: Look at it'];
    await site.submit(resultText({ task_name: `"${names[0]}"`, ...minutes(10) }));
    expect(site.read('STATE.md')).toContain('Total plans completed: 12\n');
    expect(site.read('STATE.md')).toContain('Average duration: 28 minutes\n');
    expect(site.read('STATE.md')).toContain('Total execution time: 5h 46m\n');
    expect(site.read('STATE.md')).toContain(
      '| 1 | 5/5 | 2h 10m | 26m |\n| 2 | 7/7 | 3h 26m | 29m |\n| 3 | 0/8 | 10m | - |\n',
    );
    expect(site.read('STATE.md')).toContain('Last 5 plans: 25m, 32m, 28m, 22m, 31m\n- Trend: Stable\n');
    for (const name of names.slice(1))
      await site.submit(resultText({ task_name: `"${name}"`, ...minutes(10) }));
    const state = site.read('STATE.md');
    expect(state).toContain('Total plans completed: 13\n');
    expect(state).toContain('Total execution time: 6h 6m\n');
    expect(state).toContain('| 3 | 1/8 | 30m | 30m |\n');
    expect(state).toContain('Last 5 plans: 30m, 25m, 32m, 28m, 22m\n');
    expect(describeState(site.project)).toMatchObject({ updated: state, text: state });
    expect(await rebuildMetrics(site.project)).toMatchObject({ drift: false });
  });

  test('a table with more plans than there are files: 0/8 becomes 1/8, and nothing is complete', async () => {
    const site = new TestProject({ 'STATE.md': `${STATE_TEXT}${METRICS}` });
    const names = ['Task 1: Create the agent', 'Task 2: Add the protocol', 'Task 3: Look at it'];
    for (const name of names) await site.submit(resultText({ task_name: `"${name}"`, ...minutes(10) }));
    const state = site.read('STATE.md');
    expect(state).toContain('Plan: 1 of 8 in current phase\nStatus: In progress\n');
    expect(state).toContain('| 3 | 1/8 | 30m | 30m |\n');
    // 13 of 20 plans.
    expect(state).toContain('Progress: [#############░░░░░░░] 65%\n');
  });

  test('with every listed plan done, the phase is complete, but not the project: there are 8 phases', async () => {
    const site = new TestProject({ 'STATE.md': STATE_TEXT + METRICS.replace('0/8', '7/8') });
    const names = ['Task 1: Create the agent', 'Task 2: Add the protocol', 'Task 3: Look at it'];
    for (const name of names) await site.submit(resultText({ task_name: `"${name}"`, ...minutes(10) }));
    expect(site.read('STATE.md')).toContain('Status: Phase complete\n');
    expect(site.read('STATE.md')).toContain('| 3 | 8/8 | 30m |');
    expect(site.read('STATE.md')).toContain('Total plans completed: 20\n');
  });

  test('a plan after completed ones whose files are gone is one more', async () => {
    const plan = PLAN.replace('03-01', '03-03');
    const site = new TestProject({
      [plan]: PLAN_TEXT,
      'STATE.md': STATE_TEXT + METRICS.replace('| 0/8 | - | - |', '| 2 | 40 min | 20 min |'),
    });
    rmSync(join(site.root, PLAN));
    await site.submit(resultText(minutes(10)), { plan });
    expect(site.read('STATE.md')).toContain('| 3 | 2/3 | 50m | 20m |\n');
    expect(site.read('STATE.md')).toContain('Plan: 3 of 5 in current phase\n');
  });

  test('plain counts, times with remarks and lists with plan ids are read', async () => {
    const site = new TestProject({
      'STATE.md':
        STATE_TEXT +
        METRICS.replace('| 5/5 |', '| 5 |')
          .replace('| 7/7 |', '| 7/? |')
          .replace('| 0/8 | - | - |', '| 4 | 40 min | 10 min |')
          .replace('completed: 12', 'completed: 16 (5 before May)')
          .replace('25m, 32m, 28m, 22m, 31m', '02-06 (25m), 02-07 (32 min), 03-01 (1 task, 28m)'),
    });
    await site.submit(resultText(minutes(10)));
    const state = site.read('STATE.md');
    expect(state).toContain(
      '| 1 | 5 | 2h 10m | 26m |\n| 2 | 7/? | 3h 26m | 29m |\n| 3 | 4/4 | 50m | 10m |\n',
    );
    expect(state).toContain('- Total plans completed: 16\n- Earlier: 16 (5 before May)\n');
    expect(state).toContain(
      '- Last 5 plans: 25m, 32m, 28m\n- Earlier: 02-06 (25m), 02-07 (32 min), 03-01 (1 task, 28m)\n',
    );
  });

  test('is nothing where the plans say it themselves', async () => {
    const done = PLAN_TEXT.replaceAll('<task type="auto">', '<task type="auto" status="completed">').replace(
      '<task type="checkpoint:human-verify">',
      '<task type="checkpoint:human-verify" status="completed">',
    );
    const site = new TestProject({
      '03-02-PLAN.md': done,
      'STATE.md':
        STATE_TEXT +
        METRICS.replace('completed: 12', 'completed: 1')
          .replace('0/8', '1/8')
          .replace(/\| [12] .*\n/g, ''),
    });
    await site.submit(resultText(minutes(10)));
    expect(site.read('STATE.md')).toContain('Total plans completed: 1\n');
    expect(site.read('STATE.md')).toContain('| 3 | 1/8 | 10m | - |\n');
  });
});

describe('links', () => {
  test.each([
    ['STATE.md', '.git/config'],
    [`${LOGS}/ledger.jsonl`, 'package.json'],
    [`${LOGS}/current-session.json`, '.git/config'],
    [`${LOGS}/summary`, '.git/hooks'],
    ['.ultraplan', '.git/hooks'],
    [PLAN, '.teddy/x'],
  ])('%s that leads to %s takes nothing there', async (path, target) => {
    const site = new TestProject({
      '.git/config': PLAN_TEXT,
      '.git/hooks/keep': '',
      '.teddy/x': PLAN_TEXT,
      'package.json': '{}\n',
    });
    const link = join(site.root, path);
    rmSync(link, { recursive: true, force: true });
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(relative(dirname(link), join(site.root, target)), link);
    const before = readTree(site.root);
    await site.submit(resultText()).catch(() => {});
    const after = readTree(site.root);
    for (const kept of ['.git/config', '.git/hooks/keep', '.teddy/x', 'package.json'])
      expect(after[kept]).toBe(before[kept]);
    expect(Object.keys(after).filter((each) => each.startsWith('.git/'))).toEqual([
      '.git/config',
      '.git/hooks/keep',
    ]);
  });

  test('a STATE.md that leads to another file of the project is that file', async () => {
    const site = new TestProject({ 'docs/state.md': STATE_TEXT });
    rmSync(join(site.root, 'STATE.md'));
    symlinkSync('docs/state.md', join(site.root, 'STATE.md'));
    await site.submit(resultText());
    expect(site.read('docs/state.md')).toContain('Completed Task 1');
  });
});

describe('places of logs', () => {
  const open = (capture: Partial<typeof DEFAULTS.capture>) =>
    openCapture(new TestProject().project.workspace, {
      ...DEFAULTS,
      capture: { ...DEFAULTS.capture, ...capture },
    });

  test.each(['.git/hooks', '.teddy', '.', '.TEDDY/x', 'src/.git'])('%s is none', (dir) => {
    expect(() => open({ dir })).toThrow('capture.dir');
    expect(() => open({ state: dir })).toThrow('capture.state');
  });

  test.each(['.ultraplan/logs', 'logs', '.ultraplan/x/y'])('%s is one', (dir) => {
    expect(open({ dir }).dir).toBe(dir);
  });
});

describe('what came with it', () => {
  test('a fence and words around a result are kept', async () => {
    const site = new TestProject();
    const text = `All done:\n\n\`\`\`yaml\n${resultText()}\`\`\`\n`;
    const { logged, verdict } = await site.submit(text);
    expect(verdict.verdict).toBe('VALID_WITH_WARNINGS');
    expect(site.yaml(logged)).toMatchObject({ result: { status: 'success' }, result_text: text });
  });

  test('YAML that cannot stand below a header is kept as a text', async () => {
    const site = new TestProject();
    const text = `---\n${resultText()}...\n`;
    const { logged, status } = await site.submit(text);
    expect(status).toBe('applied');
    const log = site.yaml(logged);
    expect(log.result ?? log.result_text).toBeDefined();
    expect(JSON.stringify(log)).toContain('It is there.');
  });

  test('secrets are masked, and it is said', async () => {
    const site = new TestProject();
    const mask = (text: string) => text.replaceAll('hunter2-hunter2', '[masked:0a1b2c3d]');
    const { logged } = await site.submit(
      blocked({ evidence: 'hunter2-hunter2', error: '"no access with hunter2-hunter2"' }),
      { mask },
    );
    const all = site.logs.map((path) => site.read(`${LOGS}/${path}`)).join('') + site.read('STATE.md');
    expect(all).not.toContain('hunter2');
    expect(site.yaml(logged)).toMatchObject({ masked: true, result: { evidence: '[masked:0a1b2c3d]' } });
    const rejected = await site.submit(
      resultText({ error: '"hunter2-hunter2"', hunter2: '"hunter2-hunter2"' }),
      {
        mask,
        id: 'hunter2-hunter2',
      },
    );
    expect(rejected.status).toBe('rejected');
    expect(JSON.stringify(rejected)).not.toContain('hunter2-');
    expect(site.read(rejected.logged)).not.toContain('hunter2-');
    await site.submit(resultText(), { mask, id: 'hunter2-hunter2', session: 'hunter2-hunter2' });
    expect(site.logs.map((path) => site.read(`${LOGS}/${path}`)).join('')).not.toContain('hunter2-');
  });

  test('what was verified goes before what was claimed', async () => {
    const site = new TestProject();
    const run = { command: 'npm test', exitCode: 1, durationMs: 700, outputSummary: '1 failed' };
    const captured = await site.submit(resultText(), {
      verified: { taskIndex: 1, command: 'npm test', run },
    });
    expect(captured).toMatchObject({ status: 'applied', effectiveStatus: 'failure', verification: run });
    expect(captured.logged).toBe(`${LOGS}/executions/2026-01-26/03-01-task-01-failure.yaml`);
    expect(site.read(PLAN)).toBe(
      PLAN_TEXT.replace('<task type="auto">', '<task type="auto" status="failed">'),
    );
    expect(site.yaml(captured.logged)).toMatchObject({
      effective_status: 'failure',
      verification_run: { command: 'npm test', exit_code: 1, duration_ms: 700, output_summary: '1 failed' },
      result: { status: 'success' },
    });
    expect(site.ledger).toMatchObject([{ status: 'failure', claimed: 'success' }]);
    expect(site.json<PlanRecord>(`${LOGS}/summary/plan-03-01.json`)).toMatchObject({
      verified: 1,
      false_claims: 1,
    });
  });

  test('a command that the plan no longer says verifies nothing', async () => {
    const site = new TestProject();
    const run = { command: 'npm test', exitCode: 0, durationMs: 700, outputSummary: 'ok' };
    await expect(
      site.submit(resultText(), { verified: { taskIndex: 1, command: 'true', run } }),
    ).rejects.toThrow('changed while its verify command was running');
    expect(site.read(PLAN)).toBe(PLAN_TEXT);
  });
});

describe('sessions', () => {
  const next = (attempt: number) => failure({ metadata: `{attempt: ${attempt}}` });

  test('go on for twelve hours', async () => {
    const site = new TestProject();
    const first = await site.submit(next(1));
    const second = await site.submit(next(2), { at: '2026-01-26T22:30:44Z' });
    const third = await site.submit(next(3), { at: '2026-01-27T10:30:44Z' });
    expect(second.session).toBe(first.session);
    expect(third.session).not.toBe(first.session);
    expect(site.json(`${LOGS}/sessions/${first.session}.json`)).toMatchObject({
      session_id: first.session,
      tasks: [{ task_id: '03-01:1', attempts: 2 }],
      last_updated: '2026-01-26T22:30:44Z',
    });
    expect(site.session.tasks).toMatchObject([{ attempts: 3 }]);
  });

  test('end where another is named, and can be taken up again', async () => {
    const site = new TestProject();
    await site.submit(next(1), { session: 'one' });
    await site.submit(next(2), { session: 'two' });
    expect(site.session.session_id).toBe('two');
    expect(site.logs).toContain('sessions/one.json');
    await site.submit(next(3), { session: 'one' });
    expect(site.session).toMatchObject({ session_id: 'one', started_at: AT, tasks: [{ attempts: 3 }] });
    expect(site.logs).toContain('sessions/two.json');
    expect(site.logs).not.toContain('sessions/one.json');
  });

  test('end with another plan', async () => {
    const site = new TestProject({ '03-02-PLAN.md': PLAN_TEXT });
    const first = await site.submit(next(1));
    const second = await site.submit(next(1), { plan: '03-02-PLAN.md' });
    expect(second.plan.id).toBe('03-02');
    expect(second.session).not.toBe(first.session);
    expect(site.logs).toContain(`sessions/${first.session}.json`);
  });

  test('a name of any characters is kept in the folder of sessions', async () => {
    const site = new TestProject();
    await site.submit(next(1), { session: '../../../../etc/passwd' });
    await site.submit(next(2), { session: 'two' });
    expect(site.logs.filter((path) => path.startsWith('sessions/'))).toHaveLength(1);
  });
});

describe('another program', () => {
  /** Does something when our change has been worked out and is about to be compared. */
  function betweenLookAndChange(times: number, act: () => void): void {
    let left = times;
    let reads = 0;
    setFileSeam((call, perform) => {
      // STATE.md is opened when the changes are worked out, and again when they are compared.
      const isState = call.name === 'open' && String(call.args[0]).endsWith('/STATE.md');
      if (isState && ++reads % 2 === 0 && left > 0) {
        left--;
        act();
      }
      return perform(call.args);
    });
  }

  test('that changes a file in between makes all of it begin again', async () => {
    const site = new TestProject();
    let number = 0;
    betweenLookAndChange(2, () => appendFileSync(join(site.root, 'STATE.md'), `Added ${++number}\n`));
    const captured = await site.submit(resultText());
    setFileSeam(undefined);
    expect(captured.status).toBe('applied');
    expect(captured.conflicts).toBe(number);
    expect(number).toBeGreaterThan(0);
    const state = site.read('STATE.md');
    for (let i = 1; i <= number; i++) expect(state).toContain(`Added ${i}\n`);
    expect(state).toContain('Completed Task 1');
    const conflicts = site.read(`${LOGS}/conflicts.jsonl`).split('\n').slice(0, -1);
    expect(conflicts.map((line) => JSON.parse(line))).toMatchObject(
      Array.from({ length: number }, (_, i) => ({ attempt: i + 1, conflicts: [{ path: 'STATE.md' }] })),
    );
    expect(site.ledger).toHaveLength(1);
  });

  test('that never stops is given up on, with nothing changed', async () => {
    const site = new TestProject();
    betweenLookAndChange(1e9, () => appendFileSync(join(site.root, 'STATE.md'), 'x\n'));
    await expect(site.submit(resultText())).rejects.toThrow('STATE.md was changed by another program');
    setFileSeam(undefined);
    expect(site.read(PLAN)).toBe(PLAN_TEXT);
    expect(site.logs).toEqual(['conflicts.jsonl']);
  });

  test('that overwrites PLAN.md right behind us does not take the mark away', async () => {
    const site = new TestProject();
    let done = false;
    setFileSeam((call, perform) => {
      const result = perform(call.args);
      if (!done && call.name === 'unlink' && String(call.args[0]).endsWith('.new')) {
        done = true;
        writeFileSync(join(site.root, PLAN), PLAN_TEXT.replace('Look at it', 'Look at it well'));
      }
      return result;
    });
    await site.submit(resultText());
    setFileSeam(undefined);
    expect(site.read(PLAN)).toContain('Look at it well');
    expect(site.read(PLAN)).toContain('status="completed"');
    expect(site.read(`${LOGS}/conflicts.jsonl`)).toContain('was overwritten by another program');
  });

  test('that was at the ledger is not covered up', async () => {
    const site = new TestProject();
    await site.submit(failure());
    appendFileSync(join(site.root, LOGS, 'ledger.jsonl'), 'not a line of ours');
    await site.submit(resultText());
    const lines = site.read(`${LOGS}/ledger.jsonl`).split('\n');
    expect(lines[1]).toBe('not a line of ours');
    expect(JSON.parse(lines[2]!)).toMatchObject({ status: 'success', prev: sha256('not a line of ours') });
  });
});

describe('odd projects', () => {
  test('a summary that is damaged stops everything, with a way out', async () => {
    const site = new TestProject();
    await site.submit(failure());
    writeFileSync(join(site.root, LOGS, 'summary/project.json'), '{"results": "many"}');
    await expect(site.submit(resultText())).rejects.toThrow('teddy metrics --rebuild');
  });

  test('STATE.md is made where there is none, with the plans', async () => {
    const site = new TestProject();
    rmSync(join(site.root, 'STATE.md'));
    const { statePath } = await site.submit(resultText());
    expect(statePath).toBe('.planning/STATE.md');
    expect(site.read('.planning/STATE.md')).toContain('Last activity: 2026-01-26 - Completed Task 1');
  });

  test('a plan of checkboxes alone is a plan', async () => {
    const path = 'notes-PLAN.md';
    const text = '# Notes\r\n\r\n- [ ] Task 1: Write\r\n- [ ] Task 2: Read\r\n';
    const site = new TestProject({ [path]: text });
    const { next, plan } = await site.submit(
      resultText({ task_name: '"Task 1: Write"', files_modified: '[]' }),
      {
        plan: path,
      },
    );
    expect(plan.id).toBe('notes-PLAN');
    expect(site.read(path)).toBe(
      text.replace('[ ] Task 1: Write', '[x] Task 1: Write (completed 2026-01-26)'),
    );
    expect(next).toEqual([{ id: 'notes-PLAN:2', name: 'Task 2: Read' }]);
  });

  test('a plan that leads out of the root is not touched', async () => {
    const site = new TestProject();
    await expect(site.submit(resultText(), { plan: '../outside-PLAN.md' })).rejects.toThrow(
      'outside-PLAN.md',
    );
  });

  test('a plan whose dependants wait lets them go when it is done', async () => {
    const site = new TestProject({
      '.planning/phases/03/03-02-PLAN.md': `---\ndepends_on: ["03-01"]\n---\n- [ ] Task 1: After it\n`,
    });
    const rows = ['Create the agent', 'Add the protocol', 'Look at it'].map((name, i) =>
      resultText({ task_name: `"Task ${i + 1}: ${name}"` }),
    );
    expect((await site.submit(rows[0]!)).next.map(({ id }) => id)).toEqual(['03-01:2']);
    expect((await site.submit(rows[1]!)).next.map(({ id }) => id)).toEqual(['03-01:3']);
    expect((await site.submit(rows[2]!)).next.map(({ id }) => id)).toEqual(['03-02:1']);
    expect(site.read('STATE.md')).toContain('Total plans completed: 1');
  });
});
