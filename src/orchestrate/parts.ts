import type { Person } from './asking.js';
import type { Attempt } from './attempt.js';
import type { Desk } from './desk.js';
import type { ExecutorEnd, TaskAssignment } from './executors/types.js';
import type { TaskGraph } from './graph/task-graph.js';
import type { GraphTask } from './graph/types.js';
import type { HandedOut } from './hand-out.js';
import type { ProjectState } from './project-state.js';
import type { Queue, QueueEvent } from './queue/types.js';
import type { Settled } from './settle-attempt.js';

/** How far a run may go. Null is no limit. */
export interface Limits {
  jobs: number;
  maxAttempts: number;
  taskBudgetUsd: number | null;
  budgetUsd: number | null;
  timeMs: number | null;
}

/** How attempts begin and end elsewhere. */
export interface Hands {
  /** Hands the next attempt at a task out; its end comes through the queue. Throws `UserError` where that cannot be. */
  start(task: GraphTask, number: number): Promise<HandedOut>;
  /** Gives it to a person, and waits for the result that they submit. */
  give(task: GraphTask, number: number, signal: AbortSignal): Promise<{ attempt: Attempt; settled: Settled }>;
  /** Whoever works on it is to stop. */
  cancel(task: GraphTask): void;
  /** A superseded attempt came back: recorded, and not applied. Gives its log. */
  recordLate(task: GraphTask, event: Back): Promise<string | null>;
  /** A person's word on a task. Throws `UserError` where it is none. */
  decide(task: GraphTask, answer: string): Promise<void>;
}

export type Back = Exclude<QueueEvent<ExecutorEnd>, { type: 'expired' }>;

/** What a coordinator works with. */
export interface Parts {
  graph: TaskGraph;
  desk: Desk;
  queue: Queue<TaskAssignment, ExecutorEnd>;
  state: ProjectState;
  hands: Hands;
  limits: Limits;
  person: Person | undefined;
  /** Every task is for people. */
  byPeople: boolean;
  /** Beginning takes no longer than recording: it comes first then. */
  beginsAtOnce: boolean;
}
