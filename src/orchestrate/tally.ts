import type { Finished, NamedTask, Summary, TaskQuestion } from './events.js';
import type { Usage } from './executors/types.js';

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
