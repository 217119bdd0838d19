import type { Workspace } from '../../workspace/index.js';
import { prepareState } from '../state-files.js';
import { QueueFile } from './queue-file.js';
import { type End, type Line, QueueState } from './queue-state.js';
import type { Job, JobState, Lease, Queue, QueueEvent } from './types.js';

export interface LocalQueueOptions {
  heartbeatMs?: number;
  expiresAfterMs?: number;
}

const HEARTBEAT_MS = 5_000;
const EXPIRES_AFTER_MS = 30_000;

/**
 * The queue of one coordinator whose workers are in its own process, in a file of the project. The caller has the
 * project (`holdProject`): whoever had a lease before is dead, and what they had is offered again. Throws `Unusable`
 * where the file cannot be used; so do the methods that wait for the disk.
 */
export async function openLocalQueue<P, R>(
  workspace: Workspace,
  { heartbeatMs = HEARTBEAT_MS, expiresAfterMs = EXPIRES_AFTER_MS }: LocalQueueOptions = {},
): Promise<Queue<P, R>> {
  await prepareState(workspace);
  const { file, state, firstToken } = await QueueFile.open<P, R>(workspace);
  return new LocalQueue(file, state, firstToken, heartbeatMs, Math.ceil(expiresAfterMs / heartbeatMs));
}

/** Who waits for the disk. */
interface Demand<R> {
  /** What was said is written already, or is about to be. */
  isWritten: boolean;
  event?: QueueEvent<R> | undefined;
  resolve(): void;
  reject(error: unknown): void;
}

/** A worker that waits for a job. */
interface Waiter<P> {
  worker: string;
  resolve(lease: Lease<P> | undefined): void;
}

class LocalQueue<P, R> implements Queue<P, R> {
  /** What happened and is not written. Ends are in it for as long as somebody waits for them to be. */
  private pending: Line<P, R>[] = [];
  /** `written` with `pending`. */
  private state: QueueState<P, R>;
  private demands: Demand<R>[] = [];
  private waiters: Waiter<P>[] = [];
  private readonly listeners = new Set<(event: QueueEvent<R>) => void>();
  /** By token: how many ticks ago its worker was heard of. */
  private readonly silences = new Map<number, number>();
  private clock: NodeJS.Timeout | undefined;
  private writing: Promise<void> | undefined;
  private isClosed = false;

  constructor(
    private readonly file: QueueFile<P, R>,
    /** As in the file. */
    private readonly written: QueueState<P, R>,
    private nextToken: number,
    readonly heartbeatMs: number,
    private readonly longestSilence: number,
  ) {
    this.state = new QueueState(written);
  }

  async enqueue(jobs: readonly Job<P>[]): Promise<void> {
    for (const { task, attempt, payload } of jobs)
      if (!this.state.find({ task, attempt })) this.add({ op: 'enqueue', task, attempt, payload });
    this.hand();
  }

  async lease(worker: string, signal?: AbortSignal): Promise<Lease<P> | undefined> {
    if (this.isClosed || signal?.aborted) return undefined;
    return new Promise((resolve) => {
      const leave = () => {
        this.waiters = this.waiters.filter((each) => each !== waiter);
        resolve(undefined);
      };
      const waiter: Waiter<P> = {
        worker,
        resolve: (lease) => {
          signal?.removeEventListener('abort', leave);
          resolve(lease);
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.waiters.push(waiter);
      this.hand();
    });
  }

  async heartbeat(lease: Lease<P>): Promise<boolean> {
    if (!this.state.isHolder(nameOf(lease))) return false;
    this.silences.set(lease.token, 0);
    return true;
  }

  complete(lease: Lease<P>, result: R): Promise<boolean> {
    return this.end({ op: 'complete', ...nameOf(lease), result });
  }

  fail(lease: Lease<P>, reason: string): Promise<boolean> {
    return this.end({ op: 'fail', ...nameOf(lease), reason });
  }

  async cancel(task: string): Promise<void> {
    if (this.state.knows(task)) this.add({ op: 'cancel', task });
    this.listenForSilence();
  }

  async flush(task: string): Promise<void> {
    if (this.pending.some((line) => line.op === 'cancel' && line.task === task)) await this.write();
  }

  listen(listener: (event: QueueEvent<R>) => void): () => void {
    this.listeners.add(listener);
    for (const event of this.known().tellEnds()) this.tell(listener, event);
    return () => this.listeners.delete(listener);
  }

  async list(): Promise<JobState<P, R>[]> {
    return this.known().list();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.listenForSilence();
    for (const waiter of this.waiters.splice(0)) waiter.resolve(undefined);
    // Where this fails, no more is forgotten than where the process dies.
    if (this.pending.length > 0) await this.write().catch(() => {});
    await this.writing;
  }

  private async end(end: End<R>): Promise<boolean> {
    const known = this.state.recall(end);
    if (known !== undefined) {
      await this.write({ isWritten: true });
      return known;
    }
    const counts = this.state.isHolder(end);
    const event = this.add(end);
    this.listenForSilence();
    await this.write({ isWritten: false, event });
    return counts;
  }

  private add(line: Line<P, R>): QueueEvent<R> | undefined {
    this.pending.push(line);
    return this.state.apply(line);
  }

  /** Without ends that are not written: nobody is told of them yet. */
  private known(): QueueState<P, R> {
    return this.pending.some(isEnd) ? this.replay(this.pending.filter((line) => !isEnd(line))) : this.state;
  }

  private replay(lines: readonly Line<P, R>[]): QueueState<P, R> {
    const state = new QueueState(this.written);
    for (const line of lines) state.apply(line);
    return state;
  }

  /** Returns once all that is pending is written. What is asked for meanwhile is written together, right after. */
  private write(what: Pick<Demand<R>, 'isWritten' | 'event'> = { isWritten: false }): Promise<void> {
    return new Promise((resolve, reject) => {
      this.demands.push({ ...what, resolve, reject });
      // Not at once: whoever asks for several things in a row has them in one commit.
      this.writing ??= Promise.resolve().then(() => this.writeAll());
    });
  }

  private async writeAll(): Promise<void> {
    while (this.demands.length > 0) {
      const demands = this.demands.splice(0);
      try {
        if (!demands.every(({ isWritten }) => isWritten)) await this.writePending();
      } catch (error) {
        this.takeBackEnds();
        for (const { reject } of [...demands, ...this.demands.splice(0)]) reject(error);
        continue;
      }
      for (const { resolve, event } of demands) {
        resolve();
        if (event) this.tellAll(event);
      }
    }
    this.writing = undefined;
  }

  private async writePending(): Promise<void> {
    const lines = [...this.pending];
    await this.file.write(lines, this.state);
    this.pending.splice(0, lines.length);
    for (const line of lines) this.written.apply(line);
  }

  /** None of those that are pending came to anything; whatever else happened did. */
  private takeBackEnds(): void {
    this.pending = this.pending.filter((line) => !isEnd(line));
    this.state = this.replay(this.pending);
    this.listenForSilence();
  }

  /** Gives jobs that wait to workers that do. */
  private hand(): void {
    while (this.waiters.length > 0) {
      const job = this.state.findWaiting();
      if (!job) break;
      const { worker, resolve } = this.waiters.shift()!;
      const { task, attempt, payload } = job;
      const lease = { job: { task, attempt, payload }, token: this.nextToken++, worker };
      this.add({ op: 'lease', ...nameOf(lease), worker });
      resolve(lease);
    }
    this.listenForSilence();
  }

  private tellAll(event: QueueEvent<R>): void {
    for (const listener of this.listeners) this.tell(listener, event);
  }

  private tell(listener: (event: QueueEvent<R>) => void, event: QueueEvent<R>): void {
    queueMicrotask(() => {
      if (this.listeners.has(listener)) listener(event);
    });
  }

  private listenForSilence(): void {
    const isWatched = !this.isClosed && this.state.list().some((job) => job.state === 'leased');
    if (isWatched) this.clock ??= setInterval(() => this.tick(), this.heartbeatMs).unref();
    if (isWatched) return;
    clearInterval(this.clock);
    this.clock = undefined;
    this.silences.clear();
  }

  /**
   * Silence is counted in ticks, not by the time: where this process was kept from running, be it for minutes, its
   * workers were too.
   */
  private tick(): void {
    for (const job of this.state.list()) {
      if (job.state !== 'leased') continue;
      const { task, attempt, token } = job;
      const silence = (this.silences.get(token) ?? 0) + 1;
      this.silences.set(token, silence);
      if (silence <= this.longestSilence) continue;
      const event = this.add({ op: 'expire', task, attempt, token });
      if (event) this.tellAll(event);
    }
    this.hand();
  }
}

function isEnd<P, R>({ op }: Line<P, R>): boolean {
  return op === 'complete' || op === 'fail';
}

function nameOf<P>({ job: { task, attempt }, token }: Lease<P>): {
  task: string;
  attempt: number;
  token: number;
} {
  return { task, attempt, token };
}
