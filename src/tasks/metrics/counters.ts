import type {
  Counters,
  DailyPlan,
  DailySummary,
  KnownResult,
  PlanRecord,
  ProjectRecord,
  ResultFacts,
  TaskRecord,
} from './records.js';

// Every number that capture keeps is the sum of these over its results, whether added one by one or all again. None of
// these changes what it is given.

export function emptyCounters(): Counters {
  return {
    results: 0,
    succeeded: 0,
    failed: 0,
    blocked: 0,
    retries: 0,
    files: 0,
    with_duration: 0,
    duration_ms: 0,
    min_duration_ms: null,
    max_duration_ms: null,
    verified: 0,
    verification_ms: 0,
    false_claims: 0,
  };
}

function addResult(counters: Counters, facts: ResultFacts): Counters {
  const { durationMs, verificationMs } = facts;
  const verified = verificationMs !== null;
  return {
    results: counters.results + 1,
    succeeded: counters.succeeded + Number(facts.status === 'success'),
    failed: counters.failed + Number(facts.status === 'failure'),
    blocked: counters.blocked + Number(facts.status === 'blocked'),
    retries: counters.retries + Number(isRetry(facts)),
    files: counters.files + facts.files,
    with_duration: counters.with_duration + Number(durationMs !== null),
    duration_ms: counters.duration_ms + (durationMs ?? 0),
    min_duration_ms: pick(Math.min, counters.min_duration_ms, durationMs),
    max_duration_ms: pick(Math.max, counters.max_duration_ms, durationMs),
    verified: counters.verified + Number(verified),
    verification_ms: counters.verification_ms + (verificationMs ?? 0),
    false_claims: counters.false_claims + Number(verified && facts.claimed !== facts.status),
  };
}

export function emptyPlan(planId: string): PlanRecord {
  return { plan_id: planId, ...emptyCounters(), tasks: {}, ids: {}, started: {} };
}

export function addToPlan(
  record: PlanRecord,
  facts: ResultFacts,
  id: string,
  result: KnownResult,
): PlanRecord {
  const key = String(facts.taskIndex);
  const { [key]: _, ...others } = record.started;
  // Whoever works on it now is not the one whom nobody waited for.
  const started = facts.superseded ? record.started : others;
  return {
    plan_id: record.plan_id,
    ...addResult(record, facts),
    tasks: { ...record.tasks, [key]: addToTask(record.tasks[key], facts) },
    ids: { ...record.ids, [id]: result },
    started,
  };
}

function addToTask(record: TaskRecord | undefined, facts: ResultFacts): TaskRecord {
  const superseded = (record?.superseded ?? 0) + Number(facts.superseded);
  const isOutdated = record !== undefined && (facts.late || facts.superseded);
  const behind = isOutdated ? (record.behind ?? []) : facts.behind;
  return {
    name: facts.taskName,
    ...addResult(record ?? emptyCounters(), facts),
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

/** How many results say something of their task. */
export function countOwn({ results, superseded = 0 }: Pick<TaskRecord, 'results' | 'superseded'>): number {
  return results - superseded;
}

export function emptyProject(): ProjectRecord {
  return { ...emptyCounters(), tasks: 0, first_attempt_successes: 0 };
}

/** `isFirst`: the task had no result before. */
export function addToProject(record: ProjectRecord, facts: ResultFacts, isFirst: boolean): ProjectRecord {
  const executors = addToExecutors(record.executors, facts);
  return {
    ...addResult(record, facts),
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
  const { results, succeeded, verified, false_claims } = addResult({ ...emptyCounters(), ...before }, facts);
  return { ...executors, [executor]: { results, succeeded, verified, false_claims } };
}

export function emptyDay(date: string): DailySummary {
  return {
    date,
    tasks_executed: 0,
    tasks_succeeded: 0,
    tasks_failed: 0,
    tasks_blocked: 0,
    total_retries: 0,
    success_rate: 0,
    total_duration_ms: 0,
    tasks_with_duration: 0,
    average_duration_ms: 0,
    by_plan: {},
    files_modified_count: 0,
  };
}

export function addToDay(day: DailySummary, facts: ResultFacts): DailySummary {
  const executed = day.tasks_executed + 1;
  const succeeded = day.tasks_succeeded + Number(facts.status === 'success');
  const duration = day.total_duration_ms + (facts.durationMs ?? 0);
  const timed = day.tasks_with_duration + Number(facts.durationMs !== null);
  return {
    date: day.date,
    tasks_executed: executed,
    tasks_succeeded: succeeded,
    tasks_failed: day.tasks_failed + Number(facts.status === 'failure'),
    tasks_blocked: day.tasks_blocked + Number(facts.status === 'blocked'),
    total_retries: day.total_retries + Number(isRetry(facts)),
    success_rate: Math.round((succeeded / executed) * 100) / 100,
    total_duration_ms: duration,
    tasks_with_duration: timed,
    average_duration_ms: timed === 0 ? 0 : Math.round(duration / timed),
    by_plan: { ...day.by_plan, [facts.planId]: addToDailyPlan(day.by_plan[facts.planId], facts) },
    files_modified_count: day.files_modified_count + facts.files,
  };
}

function addToDailyPlan(plan: DailyPlan | undefined, facts: ResultFacts): DailyPlan {
  const blocked = (plan?.blocked ?? 0) + Number(facts.status === 'blocked');
  return {
    tasks: (plan?.tasks ?? 0) + 1,
    succeeded: (plan?.succeeded ?? 0) + Number(facts.status === 'success'),
    failed: (plan?.failed ?? 0) + Number(facts.status === 'failure'),
    ...(blocked > 0 && { blocked }),
    duration_ms: (plan?.duration_ms ?? 0) + (facts.durationMs ?? 0),
  };
}

/** A first result that says it is a retry had a first attempt that nobody captured. */
function isFirstSuccess(facts: ResultFacts): boolean {
  return facts.status === 'success' && !isRetry(facts) && !facts.superseded;
}

function isRetry({ attempt }: ResultFacts): boolean {
  return attempt !== null && attempt > 1;
}

function pick(of: (a: number, b: number) => number, old: number | null, next: number | null): number | null {
  if (next === null) return old;
  return old === null ? next : of(old, next);
}
