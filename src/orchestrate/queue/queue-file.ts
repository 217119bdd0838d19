import { join } from 'node:path';
import { files } from '../../node/file-calls.js';
import { MB } from '../../node/files.js';
import { sha256 } from '../../node/ids.js';
import { UserError } from '../../node/user-error.js';
import type { AppendFile } from '../../workspace/append-file.js';
import type { Change } from '../../workspace/commit/change.js';
import type { View } from '../../workspace/view.js';
import type { Workspace } from '../../workspace/workspace.js';
import { LARGEST_STATE_FILE, readSealedLines, rewriteState, STATE, sealLine } from '../state-files.js';
import { type QueueLine, QueueState } from './queue-state.js';

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
  return new UserError(`${PATH} is not as this process left it.`);
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
  if (unknown !== -1) throw refusal(unknown + 1, 'is of a kind that only a newer teddy knows');
  return { lines: sealed.records as QueueLine<P, R>[], hash: sha256(read.bytes) };
}

function refusal(line: number, reason: string): UserError {
  return new UserError(
    `${PATH}, line ${line}, ${reason}. Where that file is of no use to you, remove it: attempts that it alone knows of are made again.`,
  );
}

function encode(lines: readonly QueueLine<unknown, unknown>[]): Uint8Array {
  return new TextEncoder().encode(lines.map((line) => sealLine(PATH, line)).join(''));
}
