import { Milestone } from '../concurrency.js';
import { type ExecutorEnd, NOTHING_USED } from '../executors/types.js';
import type { GraphTask } from '../graph/types.js';
import type { Worktree } from '../isolation/types.js';

/** One attempt at a task. */
export interface Attempt {
  task: GraphTask;
  /** From 1. */
  number: number;
  /** Told from any other attempt of that number, such as one that was cut off and did not count. */
  key: string;
  executor: string;
  place: Worktree;
  /** How often a person had decided on the task when it began. */
  decisions: number;
  /** Somebody else ended the task meanwhile: what it still brings is recorded, and not applied. */
  superseded?: true;
}

/** An attempt of this run, from when it is chosen until it is recorded. */
export class Running {
  /** Missing until it is handed out, and of what a person does. */
  attempt?: Attempt;
  /** Its end is known, and being judged. */
  isBack = false;
  /** It is done, and only to be recorded. */
  isDone = false;
  /** Ends the work. */
  readonly cancelling = new AbortController();
  /** Somebody works on it. */
  readonly begun = new Milestone();
  /** It is handed out, and waits to be recorded. */
  readonly handedOut = new Milestone();
  /** The journal says that it has begun; what comes of the work is told only after that. */
  readonly recorded = new Milestone();
  /** Nobody works on it any more. */
  readonly over = new Milestone();
  readonly end = new Milestone<ExecutorEnd>();

  constructor(
    readonly task: GraphTask,
    readonly number: number,
    /** How often a person had decided on the task when it began, or was last heard. */
    public decisions: number,
    readonly by: 'worker' | 'person' | 'earlier-run',
    /** Begins what is ready because this one is done, before that is recorded. */
    readonly beginNext: () => Promise<void>,
  ) {}

  /** It takes up one of the jobs. */
  get isBusy(): boolean {
    return this.by === 'worker' && !this.isDone;
  }

  bring(end: ExecutorEnd): void {
    this.isBack = true;
    this.end.reach(end);
  }
}

/** An attempt that is done and could not be landed or recorded. `isIn`: the project has it. */
export interface UnrecordedAttempt {
  attempt: Attempt;
  isIn: boolean;
  finish(): Promise<void>;
}

/** Nobody began with it, or we asked it to end. */
export const CANCELLED: ExecutorEnd = { status: 'cancelled', durationMs: 0, usage: NOTHING_USED };

/** Its worker could not run it. */
export function crashed(reason: string): ExecutorEnd {
  return { status: 'crashed', reason, limited: false, durationMs: 0, usage: NOTHING_USED };
}
