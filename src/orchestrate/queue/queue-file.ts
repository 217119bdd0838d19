import { join } from 'node:path';
import { UserError } from '../../node/errors.js';
import { files } from '../../node/file-calls.js';
import { MB } from '../../node/files.js';
import { sha256 } from '../../node/ids.js';
import type { AppendFile } from '../../workspace/append-file.js';
import type { Change } from '../../workspace/commit/change.js';
import type { View } from '../../workspace/view.js';
import type { Workspace } from '../../workspace/workspace.js';
import { LARGEST_STATE_FILE, readSealedLines, rewriteState, STATE, sealLine } from '../state-files.js';
import type { Job, JobState, QueueEvent } from './types.js';

const PATH = STATE.queue;
/** A file that holds more than so many times what still counts is written anew. */
const WASTE = 4;
/** Not for less than this. */
const WORTH_IT = MB;
/** More than one process will ever give: they are written off when it opens the queue, not lease by lease. */
const TOKENS_OF_ONE = 1_000_000_000;

const NEWLINE = 0x0a;

const OPERATIONS: Record<QueueLine<unknown, unknown>['op'], true> = {
  tokens: true,
  opened: true,
  enqueue: true,
  lease: true,
  expire: true,
  complete: true,
  fail: true,
  cancel: true,
};

/**
 * The file that says what happened to a queue, and grows with it: what was written is there when the process dies, and
 * is on the disk after `sync`. One process has it open; see `holdProject`.
 */
export class QueueFile<P, R> {
  /** Undefined between two writes after it was closed. */
  private growing: AppendFile | undefined;
  /** A line may be cut off: what came after it would be lost with it. */
  private isBroken = false;
  /** How large it is allowed to become before it is looked at for what no longer counts. */
  private looseUpTo: number;

  private constructor(
    private readonly workspace: Workspace,
    private size: number,
  ) {
    this.growing = workspace.grow(PATH);
    this.looseUpTo = looseUpTo(size);
  }

  /** All tokens from `firstToken` on are this process's own. Throws `UserError` where it holds what we did not write. */
  static async open<P, R>(workspace: Workspace): Promise<Opened<P, R>> {
    const { state, firstToken, size } = await rewriteState(workspace, PATH, (view) => {
      const read = readFile<P, R>(view);
      const state = new QueueState<P, R>();
      for (const line of read?.lines ?? []) state.apply(line);
      const firstToken = state.freeToken;
      state.apply({ op: 'opened' });
      state.apply({ op: 'tokens', next: firstToken + TOKENS_OF_ONE });
      const after = encode(state.toLines());
      const change: Change = { path: PATH, before: read?.hash ?? null, after, mode: 0o600 };
      return { changes: [change], value: { state, firstToken, size: after.length } };
    });
    return { file: new QueueFile<P, R>(workspace, size), state, firstToken };
  }

  /** Writes what happened. Throws `UserError` where it cannot; from then on nothing can be written. */
  write(lines: readonly QueueLine<P, R>[]): void {
    const text = lines.map((line) => sealLine(PATH, line)).join('');
    const size = this.size + new TextEncoder().encode(text).length;
    if (size > LARGEST_STATE_FILE)
      throw new UserError(`${PATH} would be larger than ${LARGEST_STATE_FILE / MB} MB.`);
    this.append(text);
    this.size = size;
  }

  /** Makes what was written last. Throws `UserError` where it cannot; from then on nothing can be written. */
  sync(): void {
    if (!this.growing) return;
    this.growing.sync();
    this.append('');
  }

  /** Whether it may hold much that no longer counts. */
  get isLoose(): boolean {
    return this.size > this.looseUpTo;
  }

  /** Writes only what still counts. Nothing else may be written meanwhile. Throws `UserError` where it cannot. */
  async tighten(state: QueueState<P, R>): Promise<void> {
    const after = encode(state.toLines());
    await rewriteState(this.workspace, PATH, (view) => {
      const old = view.read(PATH, Number.MAX_SAFE_INTEGER);
      // Nothing of another's is written over.
      if (old.status !== 'bytes' || old.size !== this.size) throw notOurs();
      return {
        changes: [{ path: PATH, before: sha256(old.bytes), after, mode: 0o600 }],
        value: undefined,
      };
    });
    this.close();
    this.size = after.length;
    this.looseUpTo = looseUpTo(this.size);
  }

  /** Makes what was written last, and lets go of the file until more is written. */
  close(): void {
    this.growing?.close();
    this.growing = undefined;
  }

  /** Another may have it by now. */
  private growAgain(): AppendFile {
    if (files.statAt(join(this.workspace.root, PATH))?.size !== this.size) throw notOurs();
    return this.workspace.grow(PATH);
  }

  private append(text: string): void {
    if (!this.isBroken) {
      this.growing ??= this.growAgain();
      this.isBroken = !this.growing.write(text);
    }
    if (this.isBroken) throw new UserError(`${PATH} cannot be written.`);
  }
}

function looseUpTo(size: number): number {
  return Math.min(LARGEST_STATE_FILE / 2, Math.max(WORTH_IT, size * WASTE));
}

function notOurs(): UserError {
  return new UserError(`${PATH} was changed by another program.`);
}

interface Opened<P, R> {
  file: QueueFile<P, R>;
  /** All of it is written. */
  state: QueueState<P, R>;
  firstToken: number;
}

interface FileRead<P, R> {
  lines: QueueLine<P, R>[];
  hash: string;
}

function readFile<P, R>(view: View): FileRead<P, R> | undefined {
  const read = view.read(PATH, LARGEST_STATE_FILE);
  if (read.status === 'missing') return undefined;
  if (read.status === 'refused') throw new UserError(`${PATH} ${read.reason}.`);
  // A last line that was cut off, be it within a character, is of something that nobody was told of.
  const sealed = readSealedLines(PATH, read.bytes.subarray(0, read.bytes.lastIndexOf(NEWLINE) + 1));
  if (sealed.status === 'refused') throw refusal(sealed.line, sealed.reason);
  const unknown = sealed.records.findIndex(({ op }) => !Object.hasOwn(OPERATIONS, String(op)));
  if (unknown !== -1) throw refusal(unknown + 1, 'was written by a newer version of teddy');
  return { lines: sealed.records as QueueLine<P, R>[], hash: sha256(read.bytes) };
}

function refusal(line: number, reason: string): UserError {
  return new UserError(
    `${PATH}, line ${line}, ${reason}. If you do not need that file, delete it: attempts that only it records are repeated.`,
  );
}

function encode(lines: readonly QueueLine<unknown, unknown>[]): Uint8Array {
  return new TextEncoder().encode(lines.map((line) => sealLine(PATH, line)).join(''));
}

/** Which lease it is about. */
export interface Leased {
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

/** A job, who has it, and what came of that. */
interface KeptJob<P, R> {
  job: Job<P>;
  lease?: { token: number; worker: string } | undefined;
  end?: End<R>;
}

/** Jobs and how they stand, by what happened. The same lines in the same order always give the same. */
export class QueueState<P, R> {
  /** The lowest token that nobody can have been given. */
  freeToken = 1;
  /** In the order in which they were offered. */
  private readonly jobs = new Map<string, KeptJob<P, R>>();
  /** What came of leases that were superseded by then. */
  private readonly late = new Map<string, End<R>>();

  /** Whether there is that very job. */
  has(job: JobName): boolean {
    return this.jobs.has(keyOf(job));
  }

  /** Whether there is anything of a task. */
  knows(task: string): boolean {
    const jobs = [...this.jobs.values()].map(({ job }) => job);
    return [...jobs, ...this.late.values()].some((each) => each.task === task);
  }

  list(): JobState<P, R>[] {
    return [...this.jobs.values()].map(stateOf);
  }

  /** The one that was offered first. */
  findWaiting(): Job<P> | undefined {
    for (const { job, lease } of this.jobs.values()) if (!lease) return job;
    return undefined;
  }

  /** Leases of which nothing came yet. */
  get leases(): Leased[] {
    return [...this.jobs.values()].flatMap(({ job: { task, attempt }, lease, end }) =>
      lease && !end ? [{ task, attempt, token: lease.token }] : [],
    );
  }

  isHolder({ task, attempt, token }: Leased): boolean {
    const kept = this.jobs.get(keyOf({ task, attempt }));
    return kept?.lease?.token === token && !kept.end;
  }

  /** Whether that very end counts, where it came before; undefined where it did not. */
  recall(end: End<R>): boolean | undefined {
    const before = this.jobs.get(keyOf(end))?.end;
    if (before && lateKey(before) === lateKey(end)) return true;
    return this.late.has(lateKey(end)) ? false : undefined;
  }

  /** Everything that ended and was not taken back. */
  tellEnds(): QueueEvent<R>[] {
    const ends = [...this.jobs.values()].flatMap(({ end }) => end ?? []);
    return [
      ...ends.map((end) => eventOf(end, false)),
      ...[...this.late.values()].map((end) => eventOf(end, true)),
    ];
  }

  /** What is to be told of it, where something is. */
  apply(line: QueueLine<P, R>): QueueEvent<R> | undefined {
    switch (line.op) {
      case 'tokens':
        this.freeToken = Math.max(this.freeToken, line.next);
        return undefined;
      case 'opened':
        for (const kept of this.jobs.values()) if (!kept.end) kept.lease = undefined;
        return undefined;
      case 'enqueue': {
        const { task, attempt, payload } = line;
        if (!this.has(line)) this.jobs.set(keyOf(line), { job: { task, attempt, payload } });
        return undefined;
      }
      case 'lease': {
        const { token, worker } = line;
        this.freeToken = Math.max(this.freeToken, token + 1);
        const kept = this.jobs.get(keyOf(line));
        if (kept) kept.lease = { token, worker };
        return undefined;
      }
      case 'expire': {
        const { task, attempt, token } = line;
        if (!this.isHolder(line)) return undefined;
        this.jobs.get(keyOf(line))!.lease = undefined;
        return { type: 'expired', task, attempt, token };
      }
      case 'complete':
      case 'fail': {
        const counts = this.isHolder(line);
        if (counts) this.jobs.get(keyOf(line))!.end = line;
        else this.late.set(lateKey(line), line);
        return eventOf(line, !counts);
      }
      case 'cancel':
        for (const [key, { job }] of this.jobs) if (job.task === line.task) this.jobs.delete(key);
        for (const [key, { task }] of this.late) if (task === line.task) this.late.delete(key);
        return undefined;
    }
  }

  /** Fewest lines that come to the same. */
  toLines(): QueueLine<P, R>[] {
    const lines: QueueLine<P, R>[] = [{ op: 'tokens', next: this.freeToken }];
    for (const { job, lease, end } of this.jobs.values()) {
      const { task, attempt } = job;
      lines.push({ op: 'enqueue', ...job });
      // Of what has ended nobody asks who had it.
      if (lease)
        lines.push({ op: 'lease', task, attempt, token: lease.token, worker: end ? '' : lease.worker });
      if (end) lines.push(end);
    }
    return [...lines, ...this.late.values()];
  }
}

type JobName = Pick<Job<unknown>, 'task' | 'attempt'>;

function keyOf({ task, attempt }: JobName): string {
  return `${attempt} ${task}`;
}

/** Tells an end from any other. */
function lateKey<R>(end: End<R>): string {
  return JSON.stringify([end.token, keyOf(end), end.op === 'complete' ? [end.result] : end.reason]);
}

function stateOf<P, R>({ job, lease, end }: KeptJob<P, R>): JobState<P, R> {
  if (!lease) return { ...job, state: 'waiting' };
  const { token, worker } = lease;
  if (!end) return { ...job, state: 'leased', token, worker };
  return end.op === 'complete'
    ? { ...job, state: 'completed', token, result: end.result }
    : { ...job, state: 'failed', token, reason: end.reason };
}

function eventOf<R>(end: End<R>, superseded: boolean): QueueEvent<R> {
  const { task, attempt, token } = end;
  return end.op === 'complete'
    ? { type: 'completed', task, attempt, token, result: end.result, superseded }
    : { type: 'failed', task, attempt, token, reason: end.reason, superseded };
}
