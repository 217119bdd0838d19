import type { JobState, Lease, QueueEvent } from '../../../src/orchestrate/queue/types.js';
import { job, type Payload, type Result } from './queue-cases.js';

/** One thing that is asked of a queue. `lease` names one of all leases that there ever were. */
export type Ask =
  | { ask: 'enqueue'; task: string; attempt: number }
  | { ask: 'lease' }
  | { ask: 'complete'; lease: number; text: string }
  | { ask: 'fail'; lease: number; reason: string }
  | { ask: 'cancel'; task: string }
  | { ask: 'flush'; task: string };

type Told = QueueEvent<Result>;

/** What somebody is handed once there is something. */
export type Handed = { lease?: Lease<Payload> };

/** A queue as its contract tells it, in a few lists: it knows nothing of files, and of writing only what has to be. */
export class QueueModel {
  jobs: JobState<Result>[] = [];
  late: Told[] = [];
  told: Told[] = [];
  private waiting: Handed[] = [];
  private token = 0;
  private openings = 0;
  /** What is there when the process dies. */
  private kept: { jobs: JobState<Result>[]; late: Told[] } = { jobs: [], late: [] };
  /** What was taken back, where that is not kept. */
  private cancelled = new Set<string>();

  enqueue(task: string, attempt: number): void {
    if (!this.find(task, attempt)) this.jobs.push({ task, attempt, state: 'waiting' });
    this.hand();
  }

  lease(): Handed {
    const handed: Handed = {};
    this.waiting.push(handed);
    this.hand();
    return handed;
  }

  private hand(): void {
    while (this.waiting.length > 0) {
      const next = this.jobs.find(({ state }) => state === 'waiting');
      if (!next) return;
      const { task, attempt } = next;
      const token = ++this.token;
      this.replace({ task, attempt, state: 'leased', token, worker: 'w' });
      this.waiting.shift()!.lease = { job: job(task, attempt), token, worker: 'w' };
    }
  }

  /** What was asked for at once is all answered; who still waits has left. */
  settle(): void {
    this.waiting = [];
  }

  private keep(): void {
    this.kept = { jobs: this.ended, late: [...this.late] };
    this.cancelled.clear();
  }

  /** Whether it counts. */
  end(lease: Lease<Payload>, said: { result: Result } | { reason: string }): boolean {
    const { task, attempt } = lease.job;
    const { token } = lease;
    const found = this.find(task, attempt);
    const event = (superseded: boolean): Told =>
      'result' in said
        ? { type: 'completed', task, attempt, token, result: said.result, superseded }
        : { type: 'failed', task, attempt, token, reason: said.reason, superseded };
    const ended: JobState<Result> =
      'result' in said
        ? { task, attempt, state: 'completed', token, result: said.result }
        : { task, attempt, state: 'failed', token, reason: said.reason };
    if (found && text(found) === text(ended)) return true;
    if (this.late.some((each) => text(each) === text(event(true)))) return false;
    const counts = found?.state === 'leased' && found.token === token;
    if (counts) this.replace(ended);
    else this.late.push(event(true));
    this.told.push(event(!counts));
    this.keep();
    return counts;
  }

  cancel(task: string): void {
    const isOf = (each: { task: string }) => each.task === task;
    if (this.late.some(isOf) || this.ended.some(isOf)) this.cancelled.add(task);
    this.jobs = this.jobs.filter((each) => each.task !== task);
    this.late = this.late.filter((each) => each.task !== task);
  }

  flush(task: string): void {
    if (this.cancelled.has(task)) this.keep();
  }

  close(): void {
    this.keep();
    this.crash();
  }

  crash(): void {
    this.token = ++this.openings * 1_000_000_000;
    this.cancelled.clear();
    this.late = [...this.kept.late];
    this.jobs = [...this.kept.jobs];
    this.told = [
      ...this.jobs.flatMap((each): Told[] => {
        const { task, attempt } = each;
        if (each.state === 'completed')
          return [
            { type: 'completed', task, attempt, token: each.token, result: each.result, superseded: false },
          ];
        if (each.state === 'failed')
          return [
            { type: 'failed', task, attempt, token: each.token, reason: each.reason, superseded: false },
          ];
        return [];
      }),
      ...this.late,
    ];
  }

  private get ended(): JobState<Result>[] {
    return this.jobs.filter(({ state }) => state === 'completed' || state === 'failed');
  }

  private find(task: string, attempt: number) {
    return this.jobs.find((each) => each.task === task && each.attempt === attempt);
  }

  private replace(next: JobState<Result>): void {
    this.jobs = this.jobs.map((each) =>
      each.task === next.task && each.attempt === next.attempt ? next : each,
    );
  }
}

/** The same for the same, in whatever order its fields are. */
function text(value: object): string {
  return JSON.stringify(Object.entries(value).sort());
}
