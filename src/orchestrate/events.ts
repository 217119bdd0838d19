import type { ResultStatus } from '../core/task-result/types.js';
import type { Usage } from './executors/types.js';

/** A task as faces name it. */
export interface NamedTask {
  id: string;
  name: string;
}

/** The preview that faces show before anything starts. */
export interface OrchestrationOverview {
  plans: OverviewPlan[];
  /** Every verify command that will run, each once, in order: starting approves them. */
  commands: { command: string; tasks: string[] }[];
  executor: string;
  jobs: number;
  isolation: 'worktree' | 'none';
  /** How programs are confined; null if they are not. Not in a preview, which does not try it. */
  confinement?: { network: boolean } | null;
  /** Sentences: what to know before it starts. */
  notes: string[];
}

export interface OverviewPlan {
  id: string;
  path: string;
  phase: string | null;
  wave: number | null;
  tasks: OverviewTask[];
}

export interface OverviewTask extends NamedTask {
  status: TaskState;
  isCheckpoint: boolean;
  /** The command as written; null if there is none. */
  verify: string | null;
  /** The tasks it waits for, as ids and words. */
  waitsOn: string[];
}

/** The state of a task in this run. */
export type TaskState =
  | 'waiting'
  | 'ready'
  | 'running'
  | 'verifying'
  /** The user must decide. */
  | 'asking'
  | 'done'
  | 'failed'
  | 'blocked'
  | 'skipped';

/** Why an attempt failed. */
export type FailureKind =
  | 'reported'
  | 'invalid'
  | 'verification'
  | 'vacuous'
  | 'conflict'
  | 'crash'
  | 'rate-limit'
  | 'time-out';

/** A question about a task. */
export interface TaskQuestion extends NamedTask {
  why:
    | 'attempts-exhausted'
    | 'blocked'
    | 'checkpoint'
    | 'verify-changed'
    | 'cannot-land'
    | 'review'
    | 'unusable'
    | 'budget';
  /** Whole sentences about what happened. */
  message: string;
  /** What the user needs to decide: the task as written, or its changes if they need a review. */
  detail: string;
  answers: ('retry' | 'skip' | 'abort' | 'fix' | 'done' | 'back' | 'land' | 'drop')[];
  /** Ids of the tasks that depend on it. */
  blocks: string[];
  /** Files with the output of its attempts, from the root. */
  outputs: string[];
}

/** The answers that make sense, the most likely one first. `checked`: how many tasks a checkpoint checks. */
export function answersTo(why: TaskQuestion['why'], checked: number): TaskQuestion['answers'] {
  if (why === 'review') return ['land', 'drop', 'fix', 'skip', 'abort'];
  if (why !== 'checkpoint') return ['retry', 'fix', 'done', 'skip', 'abort'];
  return checked === 1 ? ['done', 'back', 'skip', 'abort'] : ['done', 'skip', 'abort'];
}

/** Everything that happens, as it happens. Every face listens to it; `--json` prints one event a line. */
export type OrchestrateEvent = {
  at: string;
} /** `resumed`: a killed run left something to resume. */ & (
  | { type: 'began'; run: string; overview: OrchestrationOverview; resumed: boolean }
  | { type: 'started'; task: NamedTask; attempt: number; executor: string }
  /** The last line that an executor printed, masked. */
  | { type: 'output'; task: NamedTask; line: string }
  | { type: 'verifying'; task: NamedTask; command: string }
  | ({ type: 'finished' } & Finished)
  /** `state`: of a task for which nothing ran, such as one that became ready or was blocked. */
  | { type: 'state'; task: NamedTask; state: TaskState; waitsOn: string[] }
  /** `attempt` of `lastAttempt`, after which the user is asked. */
  | {
      type: 'retry';
      task: NamedTask;
      attempt: number;
      lastAttempt: number;
      waitMs: number;
      why: FailureKind;
      reason: string;
    }
  /** The task is the user's until there is a result. */
  | { type: 'handed'; task: NamedTask; planPath: string; text: string }
  | { type: 'asked'; question: TaskQuestion }
  | { type: 'answered'; task: NamedTask; answer: string; blocks: string[] }
  /** A superseded attempt ended: it was recorded but not applied. */
  | { type: 'late'; task: NamedTask; attempt: number; logged: string | null }
  | { type: 'wave-stopped'; phase: string | null; wave: number | null; tasks: NamedTask[] }
  /** Nothing new starts. `tasks` are still running; `ending`: their executors are being ended, and they do not count. */
  | {
      type: 'stopping';
      why: NonNullable<Summary['stopped']>;
      tasks: NamedTask[];
      ending: boolean;
    }
  | { type: 'note'; message: string }
  | { type: 'ended'; summary: Summary }
);

type WithoutTime<T> = T extends { at: string } ? Omit<T, 'at'> : never;

/** An event without its time. */
export type UntimedEvent = WithoutTime<OrchestrateEvent>;

/** One attempt is over and recorded. */
export interface Finished {
  task: NamedTask;
  attempt: number;
  executor: string;
  outcome: 'done' | 'failed' | 'blocked';
  /** The executor's claim; null if it returned nothing readable. */
  claimed: ResultStatus | null;
  why: FailureKind | null;
  /** Whole sentences; null if it is done. */
  reason: string | null;
  /** The command that confirmed the claim; missing if none ran. */
  verified?: string;
  /** Remarks about its verification and changes: `flaky`, unclaimed files. */
  warnings: string[];
  durationMs: number;
  usage: Usage;
  /** From the root; null if nothing could be logged. */
  logged: string | null;
}

export interface Summary {
  /** All tasks are completed. */
  complete: boolean;
  /** All tasks of the run. */
  total: number;
  /** Why nothing more was started although something could: `interrupted`, or a limit was reached. */
  stopped: 'interrupted' | 'budget' | 'time' | null;
  done: number;
  /** Tasks that were completed before. */
  doneBefore: number;
  failed: number;
  skipped: number;
  /** The other tasks, in order, and what each waits for. */
  open: { task: NamedTask; waitsOn: string[] }[];
  /** What the user must decide before more can be done. */
  questions: TaskQuestion[];
  attempts: number;
  retries: number;
  /** The share of the tasks completed by an attempt of this run that needed only one; null if there are none. */
  firstAttemptRate: number | null;
  elapsedMs: number;
  /** The longest chain of tasks that had to follow each other, and the sum of all, by what they took in this run. */
  criticalPathMs: number;
  workMs: number;
  /** Usage as reported by executors. `unknown`: attempts without a reported cost. */
  usage: Usage & { unknown: number };
}

/** A failed attempt, for the next executor. */
export interface ExecutorFailure {
  attempt: number;
  kind: FailureKind;
  /** Whole sentences. */
  reason: string;
  /** The executor's own words; null if it returned nothing readable. */
  evidence: string | null;
  /** From the root; null if unknown. */
  filesChanged: string[] | null;
}

/** A task as faces name it. */
export function nameOf({ id, name }: NamedTask): NamedTask {
  return { id, name };
}

/** Counts what happens in one run of the orchestrator. */
export class Tally {
  private readonly durations = new Map<string, number>();
  private readonly passed = new Set<string>();
  private readonly passedAtFirst = new Set<string>();
  private done = 0;
  private attempts = 0;
  private retries = 0;
  private unknown = 0;
  private input: number | null = null;
  private output: number | null = null;
  private cost: number | null = null;
  private readonly costs = new Map<string, number>();

  /** How long tasks took here, all their attempts together. */
  get workOf(): ReadonlyMap<string, number> {
    return this.durations;
  }

  get costUsd(): number {
    return this.cost ?? 0;
  }

  costOf(task: string): number {
    return this.costs.get(task) ?? 0;
  }

  count({ task, outcome, durationMs }: Finished, isRetry: boolean): void {
    this.attempts++;
    if (isRetry) this.retries++;
    this.durations.set(task.id, (this.durations.get(task.id) ?? 0) + durationMs);
    if (outcome !== 'done') return;
    this.done++;
    this.passed.add(task.id);
    if (!isRetry) this.passedAtFirst.add(task.id);
  }

  /** The user or another program completed it. */
  countOther(): void {
    this.done++;
  }

  /** A completed task goes back to its executor. */
  countReturned(task: string): void {
    this.done--;
    this.passed.delete(task);
    this.passedAtFirst.delete(task);
  }

  /** As soon as it is known, and also for interrupted attempts. */
  spend(task: string, { inputTokens, outputTokens, costUsd }: Usage): void {
    this.input = sum(this.input, inputTokens);
    this.output = sum(this.output, outputTokens);
    this.cost = sum(this.cost, costUsd);
    if (costUsd === null) this.unknown++;
    else this.costs.set(task, this.costOf(task) + costUsd);
  }

  summarize(ending: {
    stopped: Summary['stopped'];
    doneBefore: number;
    total: number;
    failed: number;
    skipped: number;
    open: { task: NamedTask; waitsOn: string[] }[];
    questions: TaskQuestion[];
    elapsedMs: number;
    criticalPathMs: number;
  }): Summary {
    const { failed, skipped, open, questions } = ending;
    const works = [...this.durations.values()];
    const complete = failed === 0 && skipped === 0 && open.length === 0 && questions.length === 0;
    return {
      ...ending,
      complete,
      stopped: complete ? null : ending.stopped,
      done: this.done,
      attempts: this.attempts,
      retries: this.retries,
      firstAttemptRate: this.passed.size === 0 ? null : round(this.passedAtFirst.size / this.passed.size),
      elapsedMs: Math.round(ending.elapsedMs),
      criticalPathMs: Math.round(ending.criticalPathMs),
      workMs: works.reduce((total, each) => total + each, 0),
      usage: {
        inputTokens: this.input,
        outputTokens: this.output,
        costUsd: this.cost,
        unknown: this.unknown,
      },
    };
  }
}

function sum(one: number | null, other: number | null): number | null {
  return other === null ? one : (one ?? 0) + other;
}

/** Rounds to 0 or 1 only if it is exactly that. */
function round(rate: number): number {
  if (rate === 0 || rate === 1) return rate;
  return Math.min(99, Math.max(1, Math.round(rate * 100))) / 100;
}
