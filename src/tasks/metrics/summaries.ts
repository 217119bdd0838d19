import { type CaptureProject, logFiles } from '../project.js';
import type {
  Counters,
  DailyPlan,
  KnownResult,
  PlanRecord,
  ProjectRecord,
  ResultFacts,
  TaskRecord,
} from './records.js';
import { countersOf, emptyCounters, isRetry, sumCounters } from './records.js';

/**
 * Summaries of results, counted one by one. Capture starts from the records on disk and adds one result; a rebuild starts
 * from nothing and adds all of them. Records are replaced, never mutated.
 */
export class Summaries {
  readonly days = new Map<string, DailySummary>();
  /** Without added ids: copying all of them for each result would be quadratic. */
  readonly plans = new Map<string, PlanRecord>();
  private readonly ids = new Map<string, Map<string, KnownResult>>();

  constructor(public project: ProjectRecord = emptyProject()) {}

  plan(id: string): PlanRecord {
    const plan = this.plans.get(id) ?? emptyPlan(id);
    return { ...plan, ids: { ...plan.ids, ...Object.fromEntries(this.ids.get(id) ?? []) } };
  }

  add(facts: ResultFacts): void {
    const { planId, taskIndex } = facts;
    const date = dayOf(facts.loggedAt);
    const plan = this.plans.get(planId) ?? emptyPlan(planId);
    const isFirst = !Object.hasOwn(plan.tasks, String(taskIndex));
    this.project = addToProject(this.project, facts, isFirst);
    this.plans.set(planId, addToPlan(plan, facts));
    this.days.set(date, addToDay(this.days.get(date) ?? emptyDay(date), facts));
  }

  /** Even if its log is gone: an applied result is never applied again. */
  addId(planId: string, id: string, result: KnownResult): void {
    const ids = this.ids.get(planId) ?? new Map<string, KnownResult>();
    this.ids.set(planId, ids.set(id, result));
  }

  /** By path, from the root. */
  files(project: CaptureProject): Map<string, DailySummary | PlanRecord | ProjectRecord> {
    const planIds = [...new Set([...this.plans.keys(), ...this.ids.keys()])];
    const files = new Map<string, DailySummary | PlanRecord | ProjectRecord>([
      ...[...this.days].map(([date, day]) => [logFiles.day(project, date), day] as const),
      ...planIds.map((id) => [logFiles.plan(project, id), this.plan(id)] as const),
    ]);
    return files.size === 0 ? files : files.set(logFiles.project(project), this.project);
  }
}

/** `2026-01-26` of `2026-01-26T10:30:45Z` */
export function dayOf(time: string): string {
  return time.slice(0, 'YYYY-MM-DD'.length);
}

export function emptyPlan(planId: string): PlanRecord {
  return { plan_id: planId, ...emptyCounters(), tasks: {}, ids: {}, started: {} };
}

function addToPlan(record: PlanRecord, facts: ResultFacts): PlanRecord {
  const key = String(facts.taskIndex);
  const { [key]: _, ...others } = record.started;
  return {
    plan_id: record.plan_id,
    ...sumCounters(record, countersOf(facts)),
    tasks: { ...record.tasks, [key]: addToTask(record.tasks[key], facts) },
    ids: record.ids,
    // A superseded attempt is not the one that is being worked on now.
    started: facts.superseded ? record.started : others,
  };
}

function addToTask(record: TaskRecord | undefined, facts: ResultFacts): TaskRecord {
  const superseded = (record?.superseded ?? 0) + Number(facts.superseded);
  const isOutdated = record !== undefined && (facts.late || facts.superseded);
  const behind = isOutdated ? (record.behind ?? []) : facts.behind;
  return {
    name: facts.taskName,
    ...sumCounters(record ?? emptyCounters(), countersOf(facts)),
    first_attempt_success: record ? record.first_attempt_success : isFirstSuccess(facts),
    ...(isOutdated
      ? { last_status: record.last_status, last_at: record.last_at, last_attempt: record.last_attempt }
      : {
          last_status: facts.status,
          last_at: facts.loggedAt,
          last_attempt: facts.attempt ?? record?.last_attempt ?? null,
        }),
    ...(superseded > 0 && { superseded }),
    ...(behind.length > 0 && { behind }),
  };
}

/** How many results count for their task. */
export function countOwn({ results, superseded = 0 }: Pick<TaskRecord, 'results' | 'superseded'>): number {
  return results - superseded;
}

export function emptyProject(): ProjectRecord {
  return { ...emptyCounters(), tasks: 0, first_attempt_successes: 0 };
}

/** `isFirst`: the task had no result before. */
function addToProject(record: ProjectRecord, facts: ResultFacts, isFirst: boolean): ProjectRecord {
  const executors = addToExecutors(record.executors, facts);
  return {
    ...sumCounters(record, countersOf(facts)),
    tasks: record.tasks + Number(isFirst),
    first_attempt_successes: record.first_attempt_successes + Number(isFirst && isFirstSuccess(facts)),
    ...(executors && { executors }),
  };
}

function addToExecutors(
  executors: ProjectRecord['executors'],
  facts: ResultFacts,
): ProjectRecord['executors'] {
  const { executor } = facts;
  if (executor === null) return executors;
  const before = executors && Object.hasOwn(executors, executor) ? executors[executor] : undefined;
  const counters = sumCounters({ ...emptyCounters(), ...before }, countersOf(facts));
  const { results, succeeded, verified, false_claims } = counters;
  return { ...executors, [executor]: { results, succeeded, verified, false_claims } };
}

/** `summary/daily-2026-01-26.json` */
export type DailySummary = ReturnType<typeof emptyDay>;

export function emptyDay(date: string) {
  return {
    date,
    tasks_executed: 0,
    tasks_succeeded: 0,
    tasks_failed: 0,
    tasks_blocked: 0,
    /** Results with an attempt above 1. */
    total_retries: 0,
    /** To two places. */
    success_rate: 0,
    total_duration_ms: 0,
    tasks_with_duration: 0,
    /** Whole milliseconds over those that have a duration. */
    average_duration_ms: 0,
    by_plan: {} as Record<string, DailyPlan>,
    files_modified_count: 0,
  };
}

function addToDay(day: DailySummary, facts: ResultFacts): DailySummary {
  const one = countersOf(facts);
  const executed = day.tasks_executed + one.results;
  const succeeded = day.tasks_succeeded + one.succeeded;
  const duration = day.total_duration_ms + one.duration_ms;
  const timed = day.tasks_with_duration + one.with_duration;
  return {
    date: day.date,
    tasks_executed: executed,
    tasks_succeeded: succeeded,
    tasks_failed: day.tasks_failed + one.failed,
    tasks_blocked: day.tasks_blocked + one.blocked,
    total_retries: day.total_retries + one.retries,
    success_rate: Math.round((succeeded / executed) * 100) / 100,
    total_duration_ms: duration,
    tasks_with_duration: timed,
    average_duration_ms: timed === 0 ? 0 : Math.round(duration / timed),
    by_plan: { ...day.by_plan, [facts.planId]: addToDailyPlan(day.by_plan[facts.planId], one) },
    files_modified_count: day.files_modified_count + one.files,
  };
}

function addToDailyPlan(plan: DailyPlan | undefined, one: Counters): DailyPlan {
  const blocked = (plan?.blocked ?? 0) + one.blocked;
  return {
    tasks: (plan?.tasks ?? 0) + one.results,
    succeeded: (plan?.succeeded ?? 0) + one.succeeded,
    failed: (plan?.failed ?? 0) + one.failed,
    ...(blocked > 0 && { blocked }),
    duration_ms: (plan?.duration_ms ?? 0) + one.duration_ms,
  };
}

/** If the first result is a retry, its first attempt was not captured. */
function isFirstSuccess(facts: ResultFacts): boolean {
  return facts.status === 'success' && !isRetry(facts) && !facts.superseded;
}
