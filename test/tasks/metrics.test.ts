import { describe, expect, test } from 'vitest';
import { UserError } from '../../src/node/errors.js';
import { setFileSeam } from '../../src/node/file-calls.js';
import {
  getDailyMetrics,
  getPhaseMetrics,
  getPlanMetrics,
  getProjectMetrics,
  getTaskMetrics,
  getTrend,
} from '../../src/tasks/metrics/metrics.js';
import type { ResultFacts } from '../../src/tasks/metrics/records.js';
import { emptyPlan } from '../../src/tasks/metrics/summaries.js';
import { type CaptureProject, openCapture } from '../../src/tasks/project.js';
import { aResult, LogBook } from './logs.js';

function saved(...results: Partial<ResultFacts>[]): LogBook {
  const book = new LogBook();
  for (const facts of results) book.add(aResult(facts));
  return book.save();
}

/** Task 1 needs three attempts, the second claims too much; task 2 succeeds at once; task 3 is blocked. */
const book = () =>
  saved(
    { status: 'failure', durationMs: 40_000, files: 1 },
    { status: 'failure', claimed: 'success', attempt: 2, durationMs: 20_000, files: 2, verificationMs: 300 },
    { attempt: 3, durationMs: null, files: 3, verificationMs: 101, loggedAt: '2026-01-27T09:00:00Z' },
    { taskIndex: 2, taskName: 'Task 2: Test it', durationMs: 10_001, files: 0, attempt: null },
    { taskIndex: 3, status: 'blocked', durationMs: null, files: 0 },
  );

describe('metrics', () => {
  test('of a task', () => {
    expect(getTaskMetrics(book().project, '03-01', 1)).toEqual({
      planId: '03-01',
      taskIndex: 1,
      name: 'Task 1: Create the file',
      results: 3,
      succeeded: 1,
      failed: 2,
      blocked: 0,
      successRate: 0.33,
      retries: 2,
      filesTouched: 6,
      duration: { count: 2, total: 60_000, average: 30_000, min: 20_000, max: 40_000 },
      verification: { count: 2, total: 401, average: 201, falseClaims: 1 },
      firstAttemptSuccess: false,
      lastStatus: 'success',
      lastAt: '2026-01-27T09:00:00Z',
    });
  });

  test('of a plan', () => {
    expect(getPlanMetrics(book().project, '03-01')).toEqual({
      planId: '03-01',
      results: 5,
      succeeded: 2,
      failed: 2,
      blocked: 1,
      successRate: 0.4,
      retries: 2,
      filesTouched: 6,
      duration: { count: 3, total: 70_001, average: 23_334, min: 10_001, max: 40_000 },
      verification: { count: 2, total: 401, average: 201, falseClaims: 1 },
      tasks: 3,
      firstAttemptSuccessRate: 0.33,
    });
  });

  test('of a project', () => {
    const { project } = saved(
      {},
      { planId: '04-01', status: 'failure', durationMs: 1 },
      { planId: '04-01', attempt: 2, durationMs: 5 },
    );
    expect(getProjectMetrics(project)).toEqual({
      results: 3,
      succeeded: 2,
      failed: 1,
      blocked: 0,
      successRate: 0.67,
      retries: 1,
      filesTouched: 6,
      duration: { count: 3, total: 30_006, average: 10_002, min: 1, max: 30_000 },
      verification: { count: 0, total: 0, average: null, falseClaims: 0 },
      tasks: 2,
      firstAttemptSuccessRate: 0.5,
    });
  });

  test('of a day', () => {
    expect(getDailyMetrics(book().project, '2026-01-26')).toEqual({
      date: '2026-01-26',
      results: 4,
      succeeded: 1,
      failed: 2,
      blocked: 1,
      successRate: 0.25,
      retries: 1,
      filesTouched: 3,
      duration: { count: 3, total: 70_001, average: 23_334 },
      byPlan: [{ planId: '03-01', results: 4, succeeded: 1, failed: 2, blocked: 1, totalDuration: 70_001 }],
    });
  });

  test('of a phase: its plans together, and no others', () => {
    const { project } = saved(
      { planId: '03-01', durationMs: null },
      { planId: '03-02', status: 'failure', durationMs: 4 },
      { planId: '3-10', durationMs: 8, verificationMs: 2 },
      { planId: '03.1-01' },
      { planId: '30-01' },
      { planId: '3x-01' },
      { planId: 'notes' },
      { planId: '3' },
    );
    expect(getPhaseMetrics(project, '3')).toEqual({
      phase: '3',
      plans: ['03-01', '03-02', '3-10'],
      results: 3,
      succeeded: 2,
      failed: 1,
      blocked: 0,
      successRate: 0.67,
      retries: 0,
      filesTouched: 6,
      duration: { count: 2, total: 12, average: 6, min: 4, max: 8 },
      verification: { count: 1, total: 2, average: 2, falseClaims: 0 },
      tasks: 3,
      firstAttemptSuccessRate: 0.67,
    });
    expect(getPhaseMetrics(project, '03')).toEqual(getPhaseMetrics(project, '3'));
    expect(getPhaseMetrics(project, '3.1')).toMatchObject({ phase: '3.1', plans: ['03.1-01'] });
    expect(getPhaseMetrics(project, '30')).toMatchObject({ plans: ['30-01'] });
  });

  test('a plan id that is no file name is found all the same', () => {
    const { project } = saved({ planId: '05-01/β:x', files: 7 });
    expect(getPlanMetrics(project, '05-01/β:x')).toMatchObject({ results: 1, filesTouched: 7 });
    expect(getPhaseMetrics(project, '5')).toMatchObject({ plans: ['05-01/β:x'] });
  });

  test('where there is nothing, there is null', () => {
    const { project } = book();
    expect(getTaskMetrics(project, '03-01', 9)).toBeNull();
    expect(getTaskMetrics(project, '09-09', 1)).toBeNull();
    expect(getPlanMetrics(project, '09-09')).toBeNull();
    expect(getPlanMetrics(project, '')).toBeNull();
    expect(getPhaseMetrics(project, '9')).toBeNull();
    expect(getPhaseMetrics(project, '')).toBeNull();
    expect(getPhaseMetrics(project, 'x')).toBeNull();
    expect(getDailyMetrics(project, '2026-02-01')).toBeNull();
    expect(getDailyMetrics(project, '../project')).toBeNull();
    expect(getProjectMetrics(new LogBook().project)).toBeNull();
  });

  test('cost the same whatever the number of results', () => {
    const calls = (project: CaptureProject) => {
      let count = 0;
      setFileSeam(({ args }, perform) => {
        count++;
        return perform(args);
      });
      try {
        getProjectMetrics(project);
        getPlanMetrics(project, '03-01');
        getTaskMetrics(project, '03-01', 1);
        getDailyMetrics(project, '2026-01-26');
      } finally {
        setFileSeam(undefined);
      }
      return count;
    };
    const many = Array.from({ length: 300 }, (_, i) => ({ planId: `03-${i % 20}`, taskIndex: 1 + i }));
    expect(calls(saved({}, ...many).project)).toBe(calls(saved({}).project));
  });

  test('a plan that was only begun has no metrics', () => {
    const begun = book();
    const record = { ...emptyPlan('03-07'), started: { 1: { at: '2026-01-26T10:00:00Z', name: 'Task 1' } } };
    begun.writeJson('summary/plan-03-07.json', record);
    expect(getPlanMetrics(begun.project, '03-07')).toBeNull();
    expect(getPhaseMetrics(begun.project, '3')).toMatchObject({ plans: ['03-01'] });
  });

  test('a damaged record is an error that says what to do, not a wrong number', () => {
    const damaged = book();
    damaged.writeJson('summary/project.json', { ...damaged.summaries.project, results: 'many' });
    damaged.write('summary/plan-03-01.json', 'torn');
    for (const ask of [
      () => getProjectMetrics(damaged.project),
      () => getPlanMetrics(damaged.project, '03-01'),
      () => getPhaseMetrics(damaged.project, '3'),
    ]) {
      expect(ask).toThrow(UserError);
      expect(ask).toThrow(/--rebuild/);
    }
  });
});

describe('getTrend', () => {
  /** Plans that were completed one day after the other, with one result each. */
  function completed(...durationsMs: (number | null)[]): CaptureProject {
    const done = new LogBook();
    durationsMs.forEach((durationMs, i) => {
      const number = String(i + 1).padStart(2, '0');
      const loggedAt = `2026-01-${number}T10:00:00Z`;
      done.add(aResult({ planId: `01-${number}`, durationMs, loggedAt }));
      done.write(
        `../../01-${number}-PLAN.md`,
        [
          '<tasks>',
          `<task type="auto" status="completed" completed_at="${loggedAt}">`,
          '<name>Task 1: Create the file</name>',
          '</task>',
          '</tasks>',
          '',
        ].join('\n'),
      );
    });
    done.save();
    const config = { capture: { dir: done.project.dir, state: null }, plans: { glob: ['*-PLAN.md'] } };
    return openCapture(done.project.workspace, config);
  }

  test('is made of the last plans, the newest first', () => {
    const trend = getTrend(completed(90, 31, 22, 28, 32, 25));
    expect(trend.plans.map(({ durationMs }) => durationMs)).toEqual([25, 32, 28, 22, 31]);
    expect(trend).toMatchObject({
      trend: 'Stable',
      plans: [{ id: '01-06', completedAt: '2026-01-06T10:00:00Z' }, {}, {}, {}, {}],
    });
  });

  test('plans that do not say how long they took are passed over', () => {
    const { plans, trend } = getTrend(completed(10, null, 10, 30));
    expect(plans.map(({ id }) => id)).toEqual(['01-04', '01-03', '01-01']);
    expect(trend).toBe('Declining');
  });

  test('the window can be another', () => {
    const project = completed(90, 31, 22, 28, 32, 25);
    expect(getTrend(project, 6)).toMatchObject({ trend: 'Improving', plans: { length: 6 } });
    expect(getTrend(project, 2)).toMatchObject({ trend: 'Not enough data', plans: { length: 2 } });
  });

  test('without plans there is not enough', () => {
    expect(getTrend(new LogBook().project)).toEqual({ trend: 'Not enough data', plans: [] });
  });
});
