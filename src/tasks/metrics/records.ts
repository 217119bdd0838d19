import type { ResultStatus } from '../../core/task-result/types.js';

// The records that capture keeps, with the keys of their files, the counters that they share, and the check of their shape.

/** What one logged result adds to the counters. */
export interface ResultFacts {
  planId: string;
  taskIndex: number;
  taskName: string;
  /** `2026-01-26T10:30:45Z` */
  loggedAt: string;
  /** The effective status: verification overrides the claim. */
  status: ResultStatus;
  /** The executor's claim. */
  claimed: ResultStatus;
  attempt: number | null;
  durationMs: number | null;
  /** How long teddy's verification took; null if there was none. */
  verificationMs: number | null;
  files: number;
  executorId: string | null;
  /** The executor that had the task; null if unknown. */
  executor: string | null;
  /** A later attempt had already completed the task: it is counted, but does not change the task. */
  late: boolean;
  /** The attempt was superseded; the same applies. */
  superseded: boolean;
  /** Ids of the tasks and plans that a blocked task waits for. */
  behind: string[];
}

export interface DailyPlan {
  tasks: number;
  succeeded: number;
  failed: number;
  /** Only if it is not 0. */
  blocked?: number;
  duration_ms: number;
}

/** Sums over any set of results. */
export type Counters = ReturnType<typeof emptyCounters>;

/** One task's results. */
export interface TaskRecord extends Counters {
  name: string;
  /** Whether its first result was a success. */
  first_attempt_success: boolean;
  last_status: ResultStatus;
  last_at: string;
  /** The highest that a result named; null while none did. */
  last_attempt: number | null;
  /** How many of `results` were superseded. Only if it is not 0. */
  superseded?: number;
  /** Ids of the tasks and plans that it waits for since its last result. Only if there are any. */
  behind?: string[];
}

/** `summary/plan-03-01.json`: all results of a plan. */
export interface PlanRecord extends Counters {
  plan_id: string;
  /** By index, as text. */
  tasks: Record<string, TaskRecord>;
  /** Every result that was applied, by its identity. */
  ids: Record<string, KnownResult>;
  /** Tasks in progress, by index. Not derived from the log. */
  started: Record<string, Start>;
}

/** `name` is the task's: its position may change. */
export interface Start {
  at: string;
  name: string;
}

/** `log` is the log's path from the logs' folder, `text` the beginning of a hash of what was submitted. */
export interface KnownResult {
  log: string;
  text: string;
}

/** `summary/project.json`: all results. */
export interface ProjectRecord extends Counters {
  /** Tasks with at least one result, and how many of them succeeded with their first. */
  tasks: number;
  first_attempt_successes: number;
  /** Results by executor, where it is known; missing if there are none. */
  executors?: Record<string, ExecutorCounters>;
}

type ExecutorCounters = Pick<Counters, 'results' | 'succeeded' | 'verified' | 'false_claims'>;

/** `summary/earlier.json`: totals from STATE.md from before the first result. Written once. */
export interface PriorTotals {
  plans_completed: number;
  average_ms: number;
  duration_ms: number;
  /** Of the last plans, the newest first. */
  recent_ms: number[];
  phases: Record<string, { completed: number; plans: number; duration_ms: number }>;
}

/** A line of `ledger.jsonl`. Its own hash is that of its bytes without the line ending. */
export interface LedgerEntry {
  n: number;
  at: string;
  plan: string;
  task: number;
  /** The result's identity within its plan. */
  id: string;
  status: ResultStatus;
  claimed: ResultStatus;
  /** From the logs' folder. */
  log: string;
  /** Of the log's bytes. */
  sha256: string;
  /** The first 16 digits of the hash of what was submitted. */
  text: string;
  /** The hash of the line before; 64 zeros in the first. */
  prev: string;
}

/** `current-session.json`; `sessions/<id>.json` after it has ended. */
export interface SessionRecord {
  session_id: string;
  started_at: string;
  /** The plan of the last result. */
  plan_id: string;
  tasks: SessionTask[];
  last_updated: string;
  /** The end of the ledger at that time. */
  ledger: { count: number; head: string };
}

export interface SessionTask {
  task_id: string;
  task_name: string;
  /** `abandoned`: it was started, and the user decided about it before it had a result. */
  status: ResultStatus | 'in_progress' | 'abandoned';
  attempts: number;
  started_at?: string;
  /** Of a success. */
  completed_at?: string;
  /** Of anything that ended without success. */
  ended_at?: string;
  duration_ms?: number;
}

/** A line of `resolutions.jsonl`: the user's decision about a task. */
export interface Resolution {
  at: string;
  task_id: string;
  /** As in the plan: its position may change. */
  task_name?: string;
  decision: 'retry' | 'skip' | 'abort' | 'fix' | 'back' | 'land' | 'drop';
  /** With `fix`: what to do differently. */
  instruction?: string;
  /** How many results the task had: the decision is valid until the next one. */
  results?: number;
}

// Counters of one result, and sums of counters.

export function emptyCounters() {
  return {
    results: 0,
    succeeded: 0,
    failed: 0,
    blocked: 0,
    /** Results with an attempt above 1. */
    retries: 0,
    files: 0,
    with_duration: 0,
    duration_ms: 0,
    /** Null while `with_duration` is 0. */
    min_duration_ms: null as number | null,
    max_duration_ms: null as number | null,
    /** Verified results, the time that took, and how many of them had made a false claim. */
    verified: 0,
    verification_ms: 0,
    false_claims: 0,
  };
}

/** The counters of one result. */
export function countersOf(facts: ResultFacts): Counters {
  const { status, durationMs, verificationMs } = facts;
  const verified = verificationMs !== null;
  return {
    results: 1,
    succeeded: Number(status === 'success'),
    failed: Number(status === 'failure'),
    blocked: Number(status === 'blocked'),
    retries: Number(isRetry(facts)),
    files: facts.files,
    with_duration: Number(durationMs !== null),
    duration_ms: durationMs ?? 0,
    min_duration_ms: durationMs,
    max_duration_ms: durationMs,
    verified: Number(verified),
    verification_ms: verificationMs ?? 0,
    false_claims: Number(verified && facts.claimed !== status),
  };
}

const SUMMED = Object.entries(emptyCounters()).flatMap(([key, value]) => (value === null ? [] : key));

export function sumCounters(one: Counters, other: Counters): Counters {
  const sum = emptyCounters();
  for (const key of SUMMED as ('results' | 'files')[]) sum[key] = one[key] + other[key];
  sum.min_duration_ms = extreme(Math.min, one.min_duration_ms, other.min_duration_ms);
  sum.max_duration_ms = extreme(Math.max, one.max_duration_ms, other.max_duration_ms);
  return sum;
}

function extreme(of: typeof Math.min, one: number | null, other: number | null): number | null {
  const values = [one, other].filter((value) => value !== null);
  return values.length === 0 ? null : of(...values);
}

/** Whether it is a second or later attempt. */
export function isRetry({ attempt }: ResultFacts): boolean {
  return attempt !== null && attempt > 1;
}

const STATUSES = ['success', 'failure', 'blocked'];

/**
 * Examples for the items of lists and maps in records, by key: a set lists the allowed words, and a key that ends in `?` is
 * optional.
 */
const ITEMS: Readonly<Record<string, { list?: unknown; map?: unknown }>> = {
  tasks: {
    list: {
      task_id: '',
      task_name: '',
      status: new Set([...STATUSES, 'in_progress', 'abandoned']),
      attempts: 0,
      'started_at?': '',
      'completed_at?': '',
      'ended_at?': '',
      'duration_ms?': 0,
    },
    map: {
      name: '',
      ...emptyCounters(),
      first_attempt_success: false,
      last_status: new Set(STATUSES),
      last_at: '',
      last_attempt: null,
      'superseded?': 0,
      'behind?': [],
    },
  },
  behind: { list: '' },
  ids: { map: { log: '', text: '' } },
  started: { map: { at: '', name: '' } },
  executors: { map: { results: 0, succeeded: 0, verified: 0, false_claims: 0 } },
  by_plan: { map: { tasks: 0, succeeded: 0, failed: 0, 'blocked?': 0, duration_ms: 0 } },
};

/**
 * Whether a JSON value has the shape that teddy writes: at least the keys of `like`, with values of the same types. Null in
 * `like` also allows a number.
 */
export function isLike<T extends object>(value: unknown, like: T): value is T {
  return fits(value, { ...like, ...ADDED }, '');
}

/** Optional keys of records. */
const ADDED = { 'executors?': {} };

function fits(value: unknown, example: unknown, key: string): boolean {
  if (example === null) return value === null || Number.isFinite(value);
  if (typeof example === 'number') return Number.isFinite(value);
  if (typeof example !== 'object') return typeof value === typeof example;
  if (example instanceof Set) return example.has(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(example))
    return false;
  const item = Object.hasOwn(ITEMS, key) ? ITEMS[key]![Array.isArray(example) ? 'list' : 'map'] : undefined;
  if (item !== undefined) return Object.values(value).every((each) => fits(each, item, ''));
  return Object.entries(example).every(([name, inside]) => {
    const bare = name.replace(/\?$/, '');
    const found = Object.hasOwn(value, bare) ? (value as Record<string, unknown>)[bare] : undefined;
    return (found === undefined && bare !== name) || fits(found, inside, bare);
  });
}
