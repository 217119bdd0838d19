import type { FailureKind, TaskQuestion } from './events.js';

/** What follows an attempt that did not make its task done. */
export type Following =
  | { next: 'retry'; waitMs: number }
  /** A person has to say how it goes on. */
  | { next: 'ask'; why: TaskQuestion['why'] };

export interface Standstill {
  why: FailureKind;
  /** The failures since a person last decided on the task, this one at the end. */
  failures: readonly FailureKind[];
  maxAttempts: number;
  costUsd: number;
  /** What one task may cost; null is no limit. */
  taskBudgetUsd: number | null;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;

/** Of these nothing is learnt by trying again at once. */
const WAITED_OUT = new Set<FailureKind>(['crash', 'rate-limit', 'time-out']);

/** Again with what was learnt, as long as there are attempts and money left; then a person. */
export function decideFollowing({
  why,
  failures,
  maxAttempts,
  costUsd,
  taskBudgetUsd,
}: Standstill): Following {
  if (taskBudgetUsd !== null && costUsd >= taskBudgetUsd) return { next: 'ask', why: 'budget' };
  if (failures.length >= maxAttempts) return { next: 'ask', why: 'attempts-exhausted' };
  return { next: 'retry', waitMs: WAITED_OUT.has(why) ? waitAfter(failures) : 0 };
}

/** 1, 2, 4 s …, by how many in a row had to be waited out. */
function waitAfter(failures: readonly FailureKind[]): number {
  const last = failures.findLastIndex((kind) => !WAITED_OUT.has(kind));
  const inARow = failures.length - 1 - last;
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (inARow - 1));
}
