import { MB, sha256, Unusable } from '../../platform/index.js';
import type { Change, View, Workspace } from '../../workspace/index.js';
import { readSealedLines, sealLine } from '../sealed-lines.js';
import { LARGEST_STATE_FILE, STATE, updateState } from '../state-files.js';
import { type Line, QueueState } from './queue-state.js';

const PATH = STATE.queue;
/** A file that holds more than so many times what still counts is written anew. */
const WASTE = 4;
/** While the queue is open, not for less than this. */
const WORTH_IT = MB;
/** More than one process will ever give: they are written off when it opens the queue, not lease by lease. */
const TOKENS_OF_ONE = 1_000_000_000;

const OPERATIONS: Record<Line<unknown, unknown>['op'], true> = {
  tokens: true,
  opened: true,
  enqueue: true,
  lease: true,
  expire: true,
  complete: true,
  fail: true,
  cancel: true,
};

/** The file that says what happened to a queue. One process has it open; see `holdProject`. */
export class QueueFile<P, R> {
  private constructor(
    private readonly workspace: Workspace,
    private size: number,
    /** How large it is allowed to become before it is looked at for what no longer counts. */
    private looseUpTo: number,
  ) {}

  /** All tokens from `firstToken` on are this process's own. Throws `Unusable` where it holds what we did not write. */
  static async open<P, R>(workspace: Workspace): Promise<Opened<P, R>> {
    return updateState(workspace, PATH, (view) => {
      const read = readFile<P, R>(view);
      const state = new QueueState<P, R>();
      for (const line of read?.lines ?? []) state.apply(line);
      const firstToken = state.freeToken;
      const first: Line<P, R>[] = [{ op: 'opened' }, { op: 'tokens', next: firstToken + TOKENS_OF_ONE }];
      for (const line of first) state.apply(line);
      const added = encode(first);
      const compact = encode(state.toLines());
      const grown = (read?.size ?? 0) + added.length;
      const isLoose = !read || isEmpty(state) || isWasteful(compact, grown);
      const looseUpTo = Math.max(WORTH_IT, compact.length * WASTE);
      const file = new QueueFile<P, R>(workspace, isLoose ? compact.length : grown, looseUpTo);
      const change: Change = isLoose
        ? { path: PATH, before: read?.hash ?? null, after: compact, mode: 0o600 }
        : { path: PATH, append: added, offset: read.size };
      return { changes: [change], value: { file, state, firstToken } };
    });
  }

  /** Writes what happened; `after` is what it leads to. All of it or, with `Unusable`, nothing. */
  async write(lines: readonly Line<P, R>[], after: QueueState<P, R>): Promise<void> {
    if (lines.length === 0) return;
    const added = encode(lines);
    const grown = this.size + added.length;
    const compact = grown > this.looseUpTo ? encode(after.toLines()) : undefined;
    const anew = compact && isWasteful(compact, grown) ? compact : undefined;
    if (compact) this.looseUpTo = Math.max(WORTH_IT, (anew ?? compact).length * WASTE, anew ? 0 : grown * 2);
    const size = anew?.length ?? grown;
    if (size > LARGEST_STATE_FILE)
      throw new Unusable(`${PATH} would be larger than ${LARGEST_STATE_FILE / MB} MB.`);
    await updateState(this.workspace, PATH, (view) => ({
      changes: [this.changeFor(view, added, anew)],
      value: undefined,
    }));
    this.size = size;
  }

  private changeFor(view: View, added: Uint8Array, anew: Uint8Array | undefined): Change {
    const old = anew && view.read(PATH, LARGEST_STATE_FILE);
    // Where it is not as long as we left it, this is refused: nothing of another's is written over.
    if (old?.status !== 'bytes' || old.size !== this.size)
      return { path: PATH, append: added, offset: this.size };
    return { path: PATH, before: sha256(old.bytes), after: anew!, mode: 0o600 };
  }
}

interface Opened<P, R> {
  file: QueueFile<P, R>;
  /** All of it is written. */
  state: QueueState<P, R>;
  firstToken: number;
}

interface FileRead<P, R> {
  lines: Line<P, R>[];
  size: number;
  hash: string;
}

function readFile<P, R>(view: View): FileRead<P, R> | undefined {
  const read = view.read(PATH, LARGEST_STATE_FILE);
  if (read.status === 'missing') return undefined;
  if (read.status === 'refused') throw new Unusable(`${PATH} ${read.reason}.`);
  const sealed = readSealedLines(PATH, read.bytes);
  if (sealed.status === 'refused') throw refusal(sealed.line, sealed.reason);
  if (sealed.torn) throw refusal(sealed.records.length + 1, 'has no end: it was cut off');
  const unknown = sealed.records.findIndex(({ op }) => !Object.hasOwn(OPERATIONS, String(op)));
  if (unknown !== -1) throw refusal(unknown + 1, 'is of a kind that only a newer teddy knows');
  return { lines: sealed.records as Line<P, R>[], size: read.size, hash: sha256(read.bytes) };
}

function refusal(line: number, reason: string): Unusable {
  return new Unusable(
    `${PATH}, line ${line}, ${reason}. Where that file is of no use to you, remove it: attempts that it alone knows of are made again.`,
  );
}

function isEmpty(state: QueueState<unknown, unknown>): boolean {
  return state.toLines().length === 1;
}

function isWasteful(compact: Uint8Array, size: number): boolean {
  return size > compact.length * WASTE;
}

function encode(lines: readonly Line<unknown, unknown>[]): Uint8Array {
  return new TextEncoder().encode(lines.map((line) => sealLine(PATH, line)).join(''));
}
