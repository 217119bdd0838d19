import type { View } from '../../workspace/view.js';
import { findPlans } from '../plans/find-plans.js';
import { readConditions, recordOfTask } from '../plans/project-snapshot.js';
import { type CaptureProject, logFiles, readRecordAt } from '../project.js';
import { completedPlans, trendOf } from '../state-facts.js';
import type { FoundPlan } from '../types.js';
import type { Counters, PlanRecord, TaskRecord } from './records.js';
import { emptyCounters, sumCounters } from './records.js';
import { emptyDay, emptyPlan, emptyProject } from './summaries.js';

// Times are in milliseconds; rates are from 0 to 1, to two places, and null if there is nothing to divide by.
// Each function reads only the record it needs, however many results there are, without the lock. It returns null if there is
// nothing, and throws `UserError` if a record is damaged.

export function getTaskMetrics(
  project: CaptureProject,
  planId: string,
  taskIndex: number,
): TaskMetrics | null {
  return project.workspace.view((view) => {
    const record = readPlanRecord(view, logFiles.plan(project, planId));
    if (!record) return null;
    const [plan, another] = findPlans(view, project).plans.filter(({ id }) => id === planId);
    const isKnown = plan !== undefined && another === undefined;
    const task = isKnown ? recordOfTask(plan, record, taskIndex) : recordAt(record, taskIndex);
    return task ? taskMetrics(planId, taskIndex, task) : null;
  });
}

/** Without the plan, a task is known only by the position at which it had its results. */
function recordAt({ tasks }: PlanRecord, index: number): TaskRecord | undefined {
  return Object.hasOwn(tasks, String(index)) ? tasks[String(index)] : undefined;
}

/** Metrics of all tasks of a plan that have results, in order. */
export function getMetricsOfTasks(project: CaptureProject, plan: FoundPlan): TaskMetrics[] {
  const record = project.workspace.view((view) => readPlanRecord(view, logFiles.plan(project, plan.id)));
  return readConditions(plan, record, []).flatMap(({ record: own }, at) =>
    own ? [taskMetrics(plan.id, at + 1, own)] : [],
  );
}

export type TaskMetrics = ReturnType<typeof taskMetrics>;

function taskMetrics(planId: string, taskIndex: number, task: TaskRecord) {
  return {
    planId,
    taskIndex,
    name: task.name,
    ...resultMetrics(task),
    firstAttemptSuccess: task.first_attempt_success,
    lastStatus: task.last_status,
    lastAt: task.last_at,
  };
}

export interface PlanMetrics extends SetMetrics {
  planId: string;
}

export function getPlanMetrics(project: CaptureProject, planId: string): PlanMetrics | null {
  return project.workspace.view((view) => {
    const record = readPlanRecord(view, logFiles.plan(project, planId));
    return record && record.results > 0 ? { planId, ...setMetrics(record, tasksOf([record])) } : null;
  });
}

export interface PhaseMetrics extends SetMetrics {
  phase: string;
  /** Ids, sorted, of the plans with at least one result. */
  plans: string[];
}

/** `phase` may have zeros in front: `03` is `3`. */
export function getPhaseMetrics(project: CaptureProject, phase: string): PhaseMetrics | null {
  const wanted = phaseOfPlanId(`${phase}-`);
  if (wanted === null) return null;
  const records = project.workspace.view((view) => readPhase(view, project, wanted));
  if (records.length === 0) return null;
  return {
    phase: wanted,
    plans: records.map(({ plan_id }) => plan_id),
    ...setMetrics(records.reduce(sumCounters, emptyCounters()), tasksOf(records)),
  };
}

export type ProjectMetrics = SetMetrics;

export function getProjectMetrics(project: CaptureProject): ProjectMetrics | null {
  return project.workspace.view((view) => {
    const record = readRecordAt(view, logFiles.project(project), emptyProject());
    if (!record || record.results === 0) return null;
    return setMetrics(record, { count: record.tasks, succeededAtOnce: record.first_attempt_successes });
  });
}

export type ExecutorMetrics = ReturnType<typeof getExecutorMetrics>[number];

/** By name. Results without a known executor are not included. */
export function getExecutorMetrics(project: CaptureProject) {
  const record = project.workspace.view((view) =>
    readRecordAt(view, logFiles.project(project), emptyProject()),
  );
  return Object.entries(record?.executors ?? {})
    .map(([executor, { results, succeeded, verified, false_claims: falseClaims }]) => ({
      executor,
      results,
      succeeded,
      successRate: rate(succeeded, results),
      verified,
      falseClaims,
      falseClaimRate: rate(falseClaims, verified),
    }))
    .sort((one, other) => (one.executor < other.executor ? -1 : 1));
}

export type DailyMetrics = NonNullable<ReturnType<typeof getDailyMetrics>>;

/**
 * `date` is `2026-01-26`. A day's summary keeps neither the shortest and longest time nor the first attempts; its plans'
 * records do.
 */
export function getDailyMetrics(project: CaptureProject, date: string) {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return null;
  return project.workspace.view((view) => {
    const day = readRecordAt(view, logFiles.day(project, date), emptyDay(date));
    if (!day || day.tasks_executed === 0) return null;
    return {
      date,
      results: day.tasks_executed,
      succeeded: day.tasks_succeeded,
      failed: day.tasks_failed,
      blocked: day.tasks_blocked,
      successRate: rate(day.tasks_succeeded, day.tasks_executed),
      retries: day.total_retries,
      filesTouched: day.files_modified_count,
      duration: {
        count: day.tasks_with_duration,
        total: day.total_duration_ms,
        average: average(day.total_duration_ms, day.tasks_with_duration),
      },
      byPlan: Object.entries(day.by_plan).map(([planId, plan]) => ({
        planId,
        results: plan.tasks,
        succeeded: plan.succeeded,
        failed: plan.failed,
        blocked: plan.blocked ?? 0,
        totalDuration: plan.duration_ms,
      })),
    };
  });
}

export type TrendMetrics = ReturnType<typeof getTrend>;

/** The trend of the last `windowSize` completed plans with a known duration, newest first. */
export function getTrend(project: CaptureProject, windowSize = 5) {
  const completed = project.workspace.view((view) => completedPlans(view, project));
  const plans = completed
    .flatMap(({ id, completedAt, durationMs }) =>
      durationMs === null ? [] : [{ id, completedAt, durationMs }],
    )
    .slice(0, Math.max(0, windowSize));
  return { trend: trendOf(plans.map(({ durationMs }) => durationMs)), plans };
}

/** `3` of `03-01`, `2.1` of `02.1-03`; null if the id does not begin with a number. */
function phaseOfPlanId(id: string): string | null {
  const number = id.slice(0, Math.max(0, id.indexOf('-')));
  const isNumber = number.split('.').every((digits) => /^\d+$/.test(digits));
  return isNumber ? number.replace(/^0+(?=\d)/, '') : null;
}

function readPhase(view: View, project: CaptureProject, phase: string): PlanRecord[] {
  const folder = `${project.dir}/summary`;
  return view
    .list(folder)
    .filter((name) => name.startsWith(PLAN) && phaseOfPlanId(name.slice(PLAN.length)) === phase)
    .flatMap((name) => readPlanRecord(view, `${folder}/${name}`) ?? [])
    .filter(({ plan_id, results }) => results > 0 && phaseOfPlanId(plan_id) === phase)
    .sort((one, other) => (one.plan_id < other.plan_id ? -1 : 1));
}

const PLAN = 'plan-';

function readPlanRecord(view: View, path: string): PlanRecord | undefined {
  return readRecordAt(view, path, emptyPlan(''));
}

interface TaskCount {
  count: number;
  succeededAtOnce: number;
}

function tasksOf(records: readonly PlanRecord[]): TaskCount {
  const tasks = records.flatMap((record) => Object.values(record.tasks));
  const succeededAtOnce = tasks.filter(({ first_attempt_success }) => first_attempt_success).length;
  return { count: tasks.length, succeededAtOnce };
}

/** Of results of several tasks. */
export type SetMetrics = ReturnType<typeof setMetrics>;

function setMetrics(counters: Counters, { count, succeededAtOnce }: TaskCount) {
  return {
    ...resultMetrics(counters),
    /** Tasks with at least one result, and how many of them succeeded with their first. */
    tasks: count,
    firstAttemptSuccessRate: rate(succeededAtOnce, count),
  };
}

/** Of any set of results. */
export type ResultMetrics = ReturnType<typeof resultMetrics>;

function resultMetrics(counters: Counters) {
  return {
    results: counters.results,
    succeeded: counters.succeeded,
    failed: counters.failed,
    blocked: counters.blocked,
    successRate: rate(counters.succeeded, counters.results),
    /** Results with an attempt above 1. */
    retries: counters.retries,
    /** The sum over all results. */
    filesTouched: counters.files,
    /** Of the `count` results with a duration. */
    duration: {
      count: counters.with_duration,
      total: counters.duration_ms,
      average: average(counters.duration_ms, counters.with_duration),
      min: counters.min_duration_ms,
      max: counters.max_duration_ms,
    },
    /** Of the `count` verified results. `falseClaims`: the claim differed from the verification. */
    verification: {
      count: counters.verified,
      total: counters.verification_ms,
      average: average(counters.verification_ms, counters.verified),
      falseClaims: counters.false_claims,
    },
  };
}

function rate(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 100) / 100;
}

function average(total: number, count: number): number | null {
  return count === 0 ? null : Math.round(total / count);
}
