import type { Verify } from '../../core/task-plan/types.js';
import type { ProcessMark } from '../../node/process/process-table.js';

/** All that an executor is told of one attempt. It can be written as JSON. */
export interface TaskAssignment {
  /** `03-01:2` */
  taskId: string;
  taskIndex: number;
  /** As the plan has it. */
  taskName: string;
  /** Absolute: the plan in the project itself, wherever the work is done. */
  planPath: string;
  attempt: number;
  prompt: string;
  /** What was shown and approved when the run began; missing where there is no command, or it is not the executor's. */
  verify?: Verify;
  /** The folder to work in, absolute. */
  cwd: string;
  /** Null: it takes as long as it takes. */
  timeoutMs: number | null;
}

/** What an executor does its work with, in this process. */
export interface ExecutorIO {
  /** All of it: nothing else is inherited. */
  environment: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
  /** Secrets become masks, in one stream of text. */
  mask(): { push(text: string): string; end(): string };
  /** Called with the mark of every process group before it begins, so that it can be ended after a crash of ours. */
  onStart(mark: ProcessMark): void;
  /** What is printed, masked, as it comes. It is on disk when this returns. */
  onOutput(stream: 'stdout' | 'stderr', text: string): void;
}

/** What an attempt took, as far as the executor says so. */
export interface Usage {
  inputTokens: number | null;
  outputTokens: number | null;
  costUsd: number | null;
}

export const NOTHING_USED: Usage = { inputTokens: null, outputTokens: null, costUsd: null };

/** How an attempt ended. It can be written as JSON. */
export type ExecutorEnd = { durationMs: number; usage: Usage } & ExecutorOutcome;

export type ExecutorOutcome =
  | {
      /** There is a text that may be a result. */
      status: 'returned';
      text: string;
      /** Null where it did not end by itself. Other than 0 it says nothing about the result. */
      exitCode: number | null;
    }
  /** A person submits the result themselves, and it is captured already. */
  | { status: 'submitted' }
  /** It ended with nothing that could be a result. `reason` is whole sentences; `limited`: too many requests. */
  | { status: 'crashed'; reason: string; limited: boolean }
  | { status: 'timed-out'; reason: string }
  /** There is no such program, or it may not be run: no further attempt will do better. */
  | { status: 'unusable'; reason: string }
  /** We asked it to end. */
  | { status: 'cancelled' };

/** Whoever works on tasks. */
export interface Executor {
  /** As it is called by `--executor` and in metrics. */
  readonly name: string;
  /** `person`: it takes no slot of `--jobs` away, has no time limit, and works in the project itself. */
  readonly kind: 'machine' | 'person';
  /** Never throws. */
  run(assignment: TaskAssignment, site: ExecutorIO): Promise<ExecutorEnd>;
}
