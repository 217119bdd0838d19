import type { Workspace } from '../../workspace/workspace.js';
import { prepareState } from '../state-files.js';
import { type End, type Leased, QueueFile, type QueueLine, type QueueState } from './queue-file.js';
import type { Job, JobState, Lease, Queue, QueueEvent } from './types.js';

export interface LocalQueueOptions {
  heartbeatMs?: number;
  expiresAfterMs?: number;
}

const HEARTBEAT_MS = 5_000;
const EXPIRES_AFTER_MS = 30_000;
/** What a worker brings is mostly dealt with and taken back at once: for what is not by then we wait for the disk. */
const PATIENCE_MS = 20;

/**
 * The queue of one coordinator whose workers are in its own process, in a file of the project. The caller has the
 * project (`holdProject`): whoever had a lease before is dead, and what they had is offered again. Throws `UserError`
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

/** A worker that waits for a job. */
interface Waiter<P> {
  worker: string;
  resolve(lease: Lease<P> | undefined): void;
}

class LocalQueue<P, R> implements Queue<P, R> {
  /** What happened and is not written. */
  private pending: QueueLine<P, R>[] = [];
  private waiters: Waiter<P>[] = [];
  private readonly listeners = new Set<(event: QueueEvent<R>) => void>();
  /** By token: how many ticks ago its worker was heard of. */
  private readonly silences = new Map<number, number>();
  private clock: NodeJS.Timeout | undefined;
  private patience: NodeJS.Timeout | undefined;
  /** Tasks that were taken back, where that may not be on the disk. */
  private fleeting = new Set<string>();
  /** Nothing is written meanwhile, and nothing ever again where it failed. */
  private tightening: Promise<void> | undefined;
  private isClosed = false;

  constructor(
    private readonly file: QueueFile<P, R>,
    /** The file with `pending`. */
    private readonly state: QueueState<P, R>,
    private nextToken: number,
    readonly heartbeatMs: number,
    private readonly longestSilence: number,
  ) {}

  async enqueue(jobs: readonly Job<P>[]): Promise<void> {
    for (const { task, attempt, payload } of jobs)
      if (!this.state.has({ task, attempt })) this.add({ op: 'enqueue', task, attempt, payload });
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
    if (!this.state.isHolder(nameLease(lease))) return false;
    this.silences.set(lease.token, 0);
    return true;
  }

  complete(lease: Lease<P>, result: R): Promise<boolean> {
    return this.end({ op: 'complete', ...nameLease(lease), result });
  }

  fail(lease: Lease<P>, reason: string): Promise<boolean> {
    return this.end({ op: 'fail', ...nameLease(lease), reason });
  }

  async cancel(task: string): Promise<void> {
    if (!this.state.knows(task)) return;
    this.fleeting.add(task);
    this.add({ op: 'cancel', task });
    this.listenForSilence();
  }

  async flush(task: string): Promise<void> {
    while (this.tightening) await this.tightening;
    if (this.pending.some((line) => line.op === 'cancel' && line.task === task)) this.write();
    if (this.fleeting.has(task)) this.sync();
  }

  listen(listener: (event: QueueEvent<R>) => void): () => void {
    this.listeners.add(listener);
    for (const event of this.state.tellEnds()) this.tell(listener, event);
    return () => this.listeners.delete(listener);
  }

  async list(): Promise<JobState<P, R>[]> {
    return this.state.list();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.listenForSilence();
    for (const waiter of this.waiters.splice(0)) waiter.resolve(undefined);
    try {
      while (this.tightening) await this.tightening;
      this.write();
    } catch {
      // No more is forgotten than where the process dies.
    }
    this.rest();
  }

  private async end(end: End<R>): Promise<boolean> {
    while (this.tightening) await this.tightening;
    const known = this.state.recall(end);
    if (known !== undefined) return known;
    const counts = this.state.isHolder(end);
    this.write(end);
    const event = this.state.apply(end);
    this.listenForSilence();
    if (event) this.tellAll(event);
    this.patience ??= setTimeout(() => this.makeLast(), PATIENCE_MS);
    if (this.file.isLoose) await this.tighten();
    else if (this.isClosed) this.rest();
    return counts;
  }

  private tighten(): Promise<void> {
    this.tightening = this.file.tighten(this.state).then(() => {
      this.tightening = undefined;
    });
    return this.tightening;
  }

  /** All is written, and on the disk. More may come. */
  private rest(): void {
    clearTimeout(this.patience);
    this.patience = undefined;
    this.file.close();
  }

  private add(line: QueueLine<P, R>): QueueEvent<R> | undefined {
    this.pending.push(line);
    return this.state.apply(line);
  }

  /** All that happened, and this. */
  private write(...more: QueueLine<P, R>[]): void {
    const lines = [...this.pending, ...more];
    if (lines.length > 0) this.file.write(lines);
    this.pending = [];
  }

  private makeLast(): void {
    this.patience = undefined;
    if (this.state.tellEnds().length === 0) return;
    try {
      this.sync();
    } catch {
      // Whoever brings something next hears of it.
    }
  }

  private sync(): void {
    this.file.sync();
    this.fleeting = new Set(this.pending.flatMap((line) => (line.op === 'cancel' ? line.task : [])));
  }

  /** Gives jobs that wait to workers that do. */
  private hand(): void {
    while (this.waiters.length > 0) {
      const job = this.state.findWaiting();
      if (!job) break;
      const { worker, resolve } = this.waiters.shift()!;
      const { task, attempt, payload } = job;
      const lease = { job: { task, attempt, payload }, token: this.nextToken++, worker };
      this.add({ op: 'lease', ...nameLease(lease), worker });
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
    const isWatched = !this.isClosed && this.state.leases.length > 0;
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
    for (const lease of this.state.leases) {
      const silence = (this.silences.get(lease.token) ?? 0) + 1;
      this.silences.set(lease.token, silence);
      if (silence <= this.longestSilence) continue;
      const event = this.add({ op: 'expire', ...lease });
      if (event) this.tellAll(event);
    }
    this.hand();
  }
}

function nameLease({ job: { task, attempt }, token }: Lease<unknown>): Leased {
  return { task, attempt, token };
}
