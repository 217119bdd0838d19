import type { ResultStatus } from '../core/task-result/types.js';
import type { Usage } from './executors/types.js';

/** A task as faces name it. */
export interface NamedTask {
  id: string;
  name: string;
}

/** What faces show before anything begins. */
export interface OrchestrationOverview {
  plans: OverviewPlan[];
  /** Every `<verify>` that will be run, each once, in order: to start is to approve them. */
  commands: { command: string; tasks: string[] }[];
  executor: string;
  jobs: number;
  isolation: 'worktree' | 'none';
  /** Sentences: what to know before it begins. */
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
  /** The command, as a person reads it; null where none can be run. */
  verify: string | null;
  /** What it waits for, as ids and words. */
  waitsOn: string[];
}

/** How a task stands in this run. */
export type TaskState =
  | 'waiting'
  | 'ready'
  | 'running'
  | 'verifying'
  /** A person is to say how it goes on. */
  | 'asking'
  | 'done'
  | 'failed'
  | 'blocked'
  | 'skipped';

/** Why an attempt did not make its task done. */
export type FailureKind =
  | 'reported'
  | 'invalid'
  | 'verification'
  | 'vacuous'
  | 'conflict'
  | 'crash'
  | 'rate-limit'
  | 'time-out';

/** What a person is asked about a task. `answers` are the words that make sense. */
export interface TaskQuestion extends NamedTask {
  why:
    | 'attempts-exhausted'
    | 'blocked'
    | 'checkpoint'
    | 'verify-changed'
    | 'cannot-land'
    | 'unusable'
    | 'budget';
  /** Whole sentences on what happened. */
  message: string;
  /** What the person has to see to decide: the task as written, the last output. */
  detail: string;
  answers: ('retry' | 'skip' | 'abort' | 'fix' | 'done')[];
  /** Ids of the tasks that cannot go on without it. */
  blocks: string[];
  /** From the root: what its attempts printed. */
  outputs: string[];
}

/** Everything that happens, as it happens: every face listens to this, and `--json` prints it, one a line. */
export type OrchestrateEvent = {
  at: string;
} /** `resumed`: something of a run that was killed was left to see to. */ & (
  | { type: 'began'; run: string; overview: OrchestrationOverview; resumed: boolean }
  | { type: 'started'; task: NamedTask; attempt: number; executor: string }
  /** What the executor of a task printed last, masked. */
  | { type: 'output'; task: NamedTask; line: string }
  | { type: 'verifying'; task: NamedTask; command: string }
  | ({ type: 'finished' } & Finished)
  /** `state`: of a task for which nothing ran, such as one that became ready or was blocked. */
  | { type: 'state'; task: NamedTask; state: TaskState; waitsOn: string[] }
  | { type: 'retry'; task: NamedTask; attempt: number; waitMs: number; why: FailureKind; reason: string }
  /** For a person: the task is theirs, until there is a result. */
  | { type: 'handed'; task: NamedTask; planPath: string; text: string }
  | { type: 'asked'; question: TaskQuestion }
  | { type: 'answered'; task: NamedTask; answer: string; blocks: string[] }
  /** A superseded attempt came back: it was recorded, and not applied. */
  | { type: 'late'; task: NamedTask; attempt: number; logged: string | null }
  | { type: 'wave-stopped'; phase: string | null; wave: number | null; tasks: NamedTask[] }
  | { type: 'note'; message: string }
  | { type: 'ended'; summary: Summary }
);

type WithoutTime<T> = T extends { at: string } ? Omit<T, 'at'> : never;

/** An event, before it is told when it happened. */
export type UntimedEvent = WithoutTime<OrchestrateEvent>;

/** One attempt is over and recorded. */
export interface Finished {
  task: NamedTask;
  attempt: number;
  executor: string;
  outcome: 'done' | 'failed' | 'blocked';
  /** What the executor said; null where it said nothing that can be read. */
  claimed: ResultStatus | null;
  why: FailureKind | null;
  /** Whole sentences; null where it is done. */
  reason: string | null;
  /** The command that bore the claim out; missing where none was run. */
  verified?: string;
  /** Words about how it was verified and what it changed: `flaky`, files that nobody claimed. */
  warnings: string[];
  durationMs: number;
  usage: Usage;
  /** From the root; null where nothing could be logged. */
  logged: string | null;
}

export interface Summary {
  /** Everything that was to be done is done. */
  complete: boolean;
  /** All tasks of the run. */
  total: number;
  /** Why nothing more was begun, where that was not because nothing could be: `interrupted`, or a budget is used up. */
  stopped: 'interrupted' | 'budget' | 'time' | null;
  done: number;
  /** Tasks that were done when it began. */
  doneBefore: number;
  failed: number;
  skipped: number;
  /** Tasks that are neither, in order, and what each waits for. */
  open: { task: NamedTask; waitsOn: string[] }[];
  /** What a person has to decide on before more can be done. */
  questions: TaskQuestion[];
  attempts: number;
  retries: number;
  /** Of the tasks that were done in this run, how many with their first attempt; null where none was. */
  firstAttemptRate: number | null;
  elapsedMs: number;
  /** The longest chain of tasks that had to follow each other, and the sum of all, by what they took in this run. */
  criticalPathMs: number;
  workMs: number;
  /** What executors said that they used. `unknown`: attempts that said nothing of their cost. */
  usage: Usage & { unknown: number };
}

/** What an attempt came to that did not make its task done, for whoever tries next. */
export interface ExecutorFailure {
  attempt: number;
  kind: FailureKind;
  /** Whole sentences. */
  reason: string;
  /** The executor's own words on what it did; null where it said nothing that can be read. */
  evidence: string | null;
  /** From the root; null where it cannot be told. */
  filesChanged: string[] | null;
}

/** A task as faces name it. */
export function nameOf({ id, name }: NamedTask): NamedTask {
  return { id, name };
}

/** Counts what happens in one run of the orchestrator. */
export class Tally {
  private readonly durations = new Map<string, number>();
  private readonly doneAtFirst = new Set<string>();
  private done = 0;
  private doneHere = 0;
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
    this.doneHere++;
    if (!isRetry) this.doneAtFirst.add(task.id);
  }

  /** A person did it, or somebody submitted it, while nobody here was at it. */
  countOther(): void {
    this.done++;
  }

  /** As soon as it is known, and also of what was cut off: it cost what it cost. */
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
      firstAttemptRate: this.doneHere === 0 ? null : round(this.doneAtFirst.size / this.doneHere),
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

/** What is nearly none or nearly all is neither. */
function round(rate: number): number {
  if (rate === 0 || rate === 1) return rate;
  return Math.min(99, Math.max(1, Math.round(rate * 100))) / 100;
}
