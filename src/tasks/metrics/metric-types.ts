import type { Trend } from '../../core/state/types.js';
import type { ResultStatus } from '../../core/task-result/types.js';

/** Of any set of results. Times are in milliseconds; rates are from 0 to 1, to two places. */
export interface ResultMetrics {
  results: number;
  succeeded: number;
  failed: number;
  blocked: number;
  /** Null where there are no results. */
  successRate: number | null;
  /** Results with an attempt above 1. */
  retries: number;
  /** The sum over all results. */
  filesTouched: number;
  duration: DurationMetrics;
  verification: VerificationMetrics;
}

/** Of the `count` results that say how long they took. Null where none does. */
interface DurationMetrics {
  count: number;
  total: number;
  average: number | null;
  min: number | null;
  max: number | null;
}

/** Of the `count` results that we verified ourselves. `falseClaims`: they had claimed something else. */
interface VerificationMetrics {
  count: number;
  total: number;
  average: number | null;
  falseClaims: number;
}

export interface TaskMetrics extends ResultMetrics {
  planId: string;
  taskIndex: number;
  name: string;
  firstAttemptSuccess: boolean;
  lastStatus: ResultStatus;
  lastAt: string;
}

/** Of results of several tasks. */
export interface SetMetrics extends ResultMetrics {
  /** Tasks with at least one result. */
  tasks: number;
  /** How many of them succeeded with their first; null where there are none. */
  firstAttemptSuccessRate: number | null;
}

export interface PlanMetrics extends SetMetrics {
  planId: string;
}

export interface PhaseMetrics extends SetMetrics {
  phase: string;
  /** Ids, sorted, of the plans with at least one result. */
  plans: string[];
}

export type ProjectMetrics = SetMetrics;

/** Of the results of one executor, as whoever handed it tasks calls it. */
export interface ExecutorMetrics {
  executor: string;
  results: number;
  succeeded: number;
  successRate: number | null;
  /** Results that we verified ourselves, and how many of them had claimed something else. */
  verified: number;
  falseClaims: number;
  /** Null where none was verified. */
  falseClaimRate: number | null;
}

/** A day's summary keeps neither the shortest and longest time nor the first attempts; its plans' records do. */
export interface DailyMetrics
  extends Pick<
    ResultMetrics,
    'results' | 'succeeded' | 'failed' | 'blocked' | 'successRate' | 'retries' | 'filesTouched'
  > {
  date: string;
  duration: Pick<DurationMetrics, 'count' | 'total' | 'average'>;
  byPlan: DailyPlanMetrics[];
}

interface DailyPlanMetrics {
  planId: string;
  results: number;
  succeeded: number;
  failed: number;
  blocked: number;
  totalDuration: number;
}

export interface TrendMetrics {
  trend: Trend;
  /** The plans that it is made of, the newest first. */
  plans: { id: string; completedAt: string; durationMs: number }[];
}
