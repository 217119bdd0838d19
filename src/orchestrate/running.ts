import type { Attempt } from './attempt.js';
import { type ExecutorEnd, NOTHING_USED } from './executors/types.js';
import type { GraphTask } from './graph/types.js';

/** One attempt, from its hand-out until it is recorded. */
export interface Running {
  task: GraphTask;
  number: number;
  /** Missing while its place is being made. */
  attempt?: Attempt;
  /** How often a person had decided on the task when it began, or was last heard. */
  decisions: number;
  /** It takes up one of the jobs. */
  busy: boolean;
  /** The records say that it has begun; missing before anybody has. */
  recorded?: Promise<void>;
  /** Its end is known, and being settled. */
  isBack?: true;
  /** It is done, and only to be recorded. */
  isDone?: true;
  /** For a person. */
  giving?: AbortController;
}

/** Nobody began with it, or we asked it to end. */
export const CANCELLED: ExecutorEnd = { status: 'cancelled', durationMs: 0, usage: NOTHING_USED };

/** Its worker could not run it. */
export function crashed(reason: string): ExecutorEnd {
  return { status: 'crashed', reason, limited: false, durationMs: 0, usage: NOTHING_USED };
}
