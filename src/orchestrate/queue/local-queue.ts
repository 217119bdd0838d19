import { UserError } from '../../node/errors.js';
import { MB } from '../../node/files.js';
import { sha256 } from '../../node/ids.js';
import type { AppendFile } from '../../workspace/append-file.js';
import type { View } from '../../workspace/view.js';
import type { Workspace } from '../../workspace/workspace.js';
import {
  LARGEST_STATE_FILE,
  prepareState,
  readSealedLines,
  rewriteState,
  STATE,
  sealLine,
} from '../state-files.js';
import type { Job, JobName, JobState, Lease, Queue, QueueEvent } from './types.js';

const PATH = STATE.queue;
const HEARTBEAT_MS = 5_000;
/** Most ends are recorded and cancelled at once; only those that are not are synced to disk. */
const SYNC_AFTER_MS = 20;
/** More tokens than one process uses: they are reserved when it opens the queue, not lease by lease. */
const TOKENS_PER_PROCESS = 1_000_000_000;
const NEWLINE = 0x0a;

type End<R> = JobName & { token: number } & ({ op: 'complete'; result: R } | { op: 'fail'; reason: string });

type EndLine<R> = End<R> & { superseded: boolean };

/** Jobs without an end are not in the file: after a crash their attempts are repeated. */
type QueueLine<R> = EndLine<R> | { op: 'cancel'; task: string } | { op: 'tokens'; next: number };

/** Every operation that was ever written; earlier versions wrote jobs and leases too. */
const OPERATIONS = new Set(['tokens', 'complete', 'fail', 'cancel', 'opened', 'enqueue', 'lease', 'expire']);

/**
 * The queue of a coordinator whose workers are in its own process: the file has the ends that are not recorded yet. The
 * caller holds the project (`holdProject`), so leases of earlier processes are void. Throws `UserError` if the file
 * cannot be used.
 */
export async function openLocalQueue<P, R>(
  workspace: Workspace,
  { heartbeatMs = HEARTBEAT_MS } = {},
): Promise<Queue<P, R>> {
  await prepareState(workspace);
  const { ends, nextToken } = await rewriteState(workspace, PATH, (view) => {
    const { hash, ...read } = readQueueFile<R>(view);
    const lines: QueueLine<R>[] = [{ op: 'tokens', next: read.nextToken + TOKENS_PER_PROCESS }, ...read.ends];
    const after = new TextEncoder().encode(encodeLines(lines));
    return { changes: [{ path: PATH, before: hash, after, mode: 0o600 }], value: read };
  });
  return new LocalQueue(workspace.grow(PATH), ends, nextToken, heartbeatMs);
}

interface KeptJob<P, R> extends JobName {
  /** Missing for a job of an earlier process, which has its end. */
  job?: Job<P>;
  lease?: { token: number; worker: string };
  end?: EndLine<R>;
}

/** A worker that waits for a job. */
interface Waiter<P> {
  worker: string;
  resolve(lease: Lease<P> | undefined): void;
}

class LocalQueue<P, R> implements Queue<P, R> {
  /** In the order in which they were offered. */
  private readonly jobs = new Map<string, KeptJob<P, R>>();
  private superseded: EndLine<R>[] = [];
  private waiters: Waiter<P>[] = [];
  private readonly listeners = new Set<(event: QueueEvent<R>) => void>();
  /** Cancelled tasks that still have an end in the file. */
  private cancelled = new Set<string>();
  /** Cancelled tasks whose line may not survive a power cut. */
  private unsynced = new Set<string>();
  private syncing: NodeJS.Timeout | undefined;
  private written = 0;
  private isClosed = false;

  constructor(
    private readonly file: AppendFile,
    ends: readonly EndLine<R>[],
    private nextToken: number,
    readonly heartbeatMs: number,
  ) {
    for (const end of ends) {
      const { task, attempt } = end;
      if (end.superseded) this.superseded.push(end);
      else this.jobs.set(keyOf(end), { task, attempt, end });
    }
  }

  async enqueue(jobs: readonly Job<P>[]): Promise<void> {
    for (const job of jobs) {
      const { task, attempt } = job;
      if (!this.jobs.has(keyOf(job))) this.jobs.set(keyOf(job), { task, attempt, job });
    }
    this.assign();
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
      this.assign();
    });
  }

  async heartbeat({ job, token }: Lease<P>): Promise<boolean> {
    return this.findLeased(job, token) !== undefined;
  }

  complete({ job: { task, attempt }, token }: Lease<P>, result: R): Promise<boolean> {
    return this.end({ op: 'complete', task, attempt, token, result });
  }

  fail({ job: { task, attempt }, token }: Lease<P>, reason: string): Promise<boolean> {
    return this.end({ op: 'fail', task, attempt, token, reason });
  }

  async cancel(task: string): Promise<void> {
    if (this.ends.some((end) => end.task === task)) this.cancelled.add(task);
    for (const [key, kept] of this.jobs) if (kept.task === task) this.jobs.delete(key);
    this.superseded = this.superseded.filter((end) => end.task !== task);
  }

  async flush(task: string): Promise<void> {
    if (this.cancelled.has(task)) this.write();
    if (this.unsynced.has(task)) this.sync();
  }

  listen(listener: (event: QueueEvent<R>) => void): () => void {
    this.listeners.add(listener);
    for (const end of this.ends) this.report(listener, end);
    return () => this.listeners.delete(listener);
  }

  async list(): Promise<JobState<R>[]> {
    return [...this.jobs.values()].map(describeJob);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const waiter of this.waiters.splice(0)) waiter.resolve(undefined);
    clearTimeout(this.syncing);
    try {
      this.write();
    } catch {
      // As after a crash, cancelled ends are reported again at the next start.
    }
    this.file.close();
  }

  private get ends(): EndLine<R>[] {
    return [...[...this.jobs.values()].flatMap(({ end }) => end ?? []), ...this.superseded];
  }

  private findLeased(job: JobName, token: number): KeptJob<P, R> | undefined {
    const kept = this.jobs.get(keyOf(job));
    return kept?.lease?.token === token && !kept.end ? kept : undefined;
  }

  private async end(end: End<R>): Promise<boolean> {
    const known = this.ends.find((each) => isSameEnd(each, end));
    if (known) return !known.superseded;
    const kept = this.findLeased(end, end.token);
    const line = { ...end, superseded: kept === undefined };
    this.write(line);
    if (kept) kept.end = line;
    else this.superseded.push(line);
    for (const listener of this.listeners) this.report(listener, line);
    this.syncing ??= setTimeout(() => this.syncLater(), SYNC_AFTER_MS);
    return kept !== undefined;
  }

  /** Gives waiting jobs to waiting workers. */
  private assign(): void {
    for (const kept of this.jobs.values()) {
      const { job, lease } = kept;
      if (this.waiters.length === 0) return;
      if (!job || lease) continue;
      const { worker, resolve } = this.waiters.shift()!;
      const token = this.nextToken++;
      kept.lease = { token, worker };
      resolve({ job, token, worker });
    }
  }

  private report(listener: (event: QueueEvent<R>) => void, end: EndLine<R>): void {
    queueMicrotask(() => {
      if (this.listeners.has(listener)) listener(describeEnd(end));
    });
  }

  /** Cancellations come first: the end may be that of a new job of the same task. */
  private write(...ends: EndLine<R>[]): void {
    const cancels = [...this.cancelled].map((task) => ({ op: 'cancel' as const, task }));
    if (cancels.length + ends.length === 0) return;
    const text = encodeLines<R>([...cancels, ...ends]);
    if (this.written + text.length > LARGEST_STATE_FILE / 2)
      throw new UserError(`${PATH} would be larger than ${LARGEST_STATE_FILE / 2 / MB} MB. Start again.`);
    this.append(text);
    this.written += text.length;
    this.unsynced = new Set([...this.unsynced, ...this.cancelled]);
    this.cancelled = new Set();
  }

  private syncLater(): void {
    this.syncing = undefined;
    if (this.ends.length === 0) return;
    try {
      this.sync();
    } catch {
      // The next write fails too, and says so.
    }
  }

  private sync(): void {
    this.file.sync();
    this.append('');
    this.unsynced = new Set();
  }

  private append(text: string): void {
    if (!this.file.write(text)) throw new UserError(`${PATH} cannot be written.`);
  }
}

function keyOf({ task, attempt }: JobName): string {
  return `${attempt} ${task}`;
}

function isSameEnd<R>({ superseded: _, ...known }: EndLine<R>, end: End<R>): boolean {
  return JSON.stringify(known) === JSON.stringify(end);
}

function describeJob<R>({ task, attempt, lease, end }: KeptJob<unknown, R>): JobState<R> {
  if (end?.op === 'complete')
    return { task, attempt, state: 'completed', token: end.token, result: end.result };
  if (end?.op === 'fail') return { task, attempt, state: 'failed', token: end.token, reason: end.reason };
  return lease ? { task, attempt, state: 'leased', ...lease } : { task, attempt, state: 'waiting' };
}

function describeEnd<R>(end: EndLine<R>): QueueEvent<R> {
  const { task, attempt, token, superseded } = end;
  return end.op === 'complete'
    ? { type: 'completed', task, attempt, token, result: end.result, superseded }
    : { type: 'failed', task, attempt, token, reason: end.reason, superseded };
}

/** The ends that are not cancelled. Throws `UserError` if the file has something that we did not write. */
function readQueueFile<R>(view: View): { ends: EndLine<R>[]; nextToken: number; hash: string | null } {
  const read = view.read(PATH, LARGEST_STATE_FILE);
  if (read.status === 'missing') return { ends: [], nextToken: 1, hash: null };
  if (read.status === 'refused') throw new UserError(`${PATH} ${read.reason}.`);
  // An incomplete last line was never reported to anyone.
  const sealed = readSealedLines(PATH, read.bytes.subarray(0, read.bytes.lastIndexOf(NEWLINE) + 1));
  if (sealed.status === 'refused') throw refusal(sealed.line, sealed.reason);
  const unknown = sealed.records.findIndex(({ op }) => !OPERATIONS.has(String(op)));
  if (unknown !== -1) throw refusal(unknown + 1, 'was written by a newer version of teddy');
  let ends: EndLine<R>[] = [];
  let nextToken = 1;
  for (const line of sealed.records as QueueLine<R>[]) {
    if (line.op === 'tokens') nextToken = Math.max(nextToken, line.next);
    else if (line.op === 'cancel') ends = ends.filter(({ task }) => task !== line.task);
    else if (line.op === 'complete' || line.op === 'fail')
      ends.push({ ...line, superseded: line.superseded ?? false });
  }
  return { ends, nextToken, hash: sha256(read.bytes) };
}

function refusal(line: number, reason: string): UserError {
  return new UserError(
    `${PATH}, line ${line}, ${reason}. If you do not need that file, delete it: attempts that only it records are repeated.`,
  );
}

function encodeLines<R>(lines: readonly QueueLine<R>[]): string {
  return lines.map((line) => sealLine(PATH, line)).join('');
}
