import type { Job, JobState, QueueEvent } from './types.js';

/** Which lease it is about. */
interface Leased {
  task: string;
  attempt: number;
  token: number;
}

/** How a lease ended, as its worker said it. */
export type End<R> = Leased & ({ op: 'complete'; result: R } | { op: 'fail'; reason: string });

/** One thing that happened to the queue. The lines of its file are these, and nothing else changes it. */
export type QueueLine<P, R> =
  /** All below may have been given, written down or not: whoever opens the queue next gives none of them again. */
  | { op: 'tokens'; next: number }
  /** Another process has the queue from here on: whoever had a lease died. */
  | { op: 'opened' }
  | ({ op: 'enqueue' } & Job<P>)
  | ({ op: 'lease'; worker: string } & Leased)
  /** Its worker was not heard of. */
  | ({ op: 'expire' } & Leased)
  | End<R>
  | { op: 'cancel'; task: string };

type JobName = Pick<Job<unknown>, 'task' | 'attempt'>;

/** Jobs and how they stand, by what happened. The same lines in the same order always give the same. */
export class QueueState<P, R> {
  /** In the order in which they were offered; what stands for a job is replaced, never changed. */
  private readonly jobs = new Map<string, JobState<P, R>>();
  /** What came of leases that were superseded by then. */
  private readonly late = new Map<string, End<R>>();
  private taken = 1;

  /** The lowest that nobody can have been given. */
  get freeToken(): number {
    return this.taken;
  }

  find(job: JobName): JobState<P, R> | undefined {
    return this.jobs.get(keyOf(job));
  }

  list(): JobState<P, R>[] {
    return [...this.jobs.values()];
  }

  /** The one that was offered first. */
  findWaiting(): Job<P> | undefined {
    for (const job of this.jobs.values()) if (job.state === 'waiting') return job;
    return undefined;
  }

  isHolder({ task, attempt, token }: Leased): boolean {
    const job = this.find({ task, attempt });
    return job?.state === 'leased' && job.token === token;
  }

  /** Whether that very end counts, where it came before; undefined where it did not. */
  recall(end: End<R>): boolean | undefined {
    const job = this.find(end);
    const before = job && endOf(job);
    if (before && isSameEnd(before, end)) return true;
    return this.late.has(lateKey(end)) ? false : undefined;
  }

  /** Whether anything ended and was not taken back. */
  get hasEnds(): boolean {
    return this.late.size > 0 || this.list().some((job) => endOf(job) !== undefined);
  }

  /** Everything that ended and was not taken back. */
  tellEnds(): QueueEvent<R>[] {
    const ends = this.list().flatMap((job) => endOf(job) ?? []);
    return [
      ...ends.map((end) => eventOf(end, false)),
      ...[...this.late.values()].map((end) => eventOf(end, true)),
    ];
  }

  /** What is to be told of it, where something is. */
  apply(line: QueueLine<P, R>): QueueEvent<R> | undefined {
    switch (line.op) {
      case 'tokens':
        this.taken = Math.max(this.taken, line.next);
        return undefined;
      case 'opened':
        for (const job of this.jobs.values()) if (job.state === 'leased') this.offer(job);
        return undefined;
      case 'enqueue':
        if (!this.find(line)) this.offer(line);
        return undefined;
      case 'lease':
        this.lease(line);
        return undefined;
      case 'expire':
        return this.expire(line);
      case 'complete':
      case 'fail':
        return this.end(line);
      case 'cancel':
        this.forget(line.task);
        return undefined;
    }
  }

  /** Fewest lines that come to the same. */
  toLines(): QueueLine<P, R>[] {
    const lines: QueueLine<P, R>[] = [{ op: 'tokens', next: this.taken }];
    for (const job of this.jobs.values()) {
      const { task, attempt, payload } = job;
      lines.push({ op: 'enqueue', task, attempt, payload });
      if (job.state === 'waiting') continue;
      const worker = job.state === 'leased' ? job.worker : '';
      lines.push({ op: 'lease', task, attempt, token: job.token, worker });
      const end = endOf(job);
      if (end) lines.push(end);
    }
    return [...lines, ...this.late.values()];
  }

  private offer({ task, attempt, payload }: Job<P>): void {
    this.jobs.set(keyOf({ task, attempt }), { task, attempt, payload, state: 'waiting' });
  }

  private lease({ task, attempt, token, worker }: Leased & { worker: string }): void {
    this.taken = Math.max(this.taken, token + 1);
    const job = this.find({ task, attempt });
    if (job)
      this.jobs.set(keyOf(job), { task, attempt, payload: job.payload, state: 'leased', token, worker });
  }

  private expire({ task, attempt, token }: Leased): QueueEvent<R> | undefined {
    const job = this.find({ task, attempt });
    if (!job || !this.isHolder({ task, attempt, token })) return undefined;
    this.offer(job);
    return { type: 'expired', task, attempt, token };
  }

  private end(end: End<R>): QueueEvent<R> {
    const { task, attempt, token } = end;
    const job = this.find(end);
    if (!job || !this.isHolder(end)) {
      this.late.set(lateKey(end), end);
      return eventOf(end, true);
    }
    const kept = { task, attempt, payload: job.payload, token };
    this.jobs.set(
      keyOf(end),
      end.op === 'complete'
        ? { ...kept, state: 'completed', result: end.result }
        : { ...kept, state: 'failed', reason: end.reason },
    );
    return eventOf(end, false);
  }

  /** All of a task, what came late included. */
  private forget(task: string): void {
    for (const kept of [this.jobs, this.late])
      for (const [key, each] of kept) if (each.task === task) kept.delete(key);
  }

  /** Whether there is anything of a task. */
  knows(task: string): boolean {
    return [...this.jobs.values(), ...this.late.values()].some((each) => each.task === task);
  }
}

function keyOf({ task, attempt }: JobName): string {
  return `${attempt} ${task}`;
}

function lateKey<R>(end: End<R>): string {
  return JSON.stringify([end.token, keyOf(end), end.op === 'complete' ? [end.result] : end.reason]);
}

function isSameEnd<R>(one: End<R>, other: End<R>): boolean {
  return lateKey(one) === lateKey(other);
}

function endOf<P, R>(job: JobState<P, R>): End<R> | undefined {
  if (job.state === 'waiting' || job.state === 'leased') return undefined;
  const { task, attempt, token } = job;
  return job.state === 'completed'
    ? { op: 'complete', task, attempt, token, result: job.result }
    : { op: 'fail', task, attempt, token, reason: job.reason };
}

function eventOf<R>(end: End<R>, superseded: boolean): QueueEvent<R> {
  const { task, attempt, token } = end;
  return end.op === 'complete'
    ? { type: 'completed', task, attempt, token, result: end.result, superseded }
    : { type: 'failed', task, attempt, token, reason: end.reason, superseded };
}
