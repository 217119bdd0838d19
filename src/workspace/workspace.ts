import { explainSystemError, UserError } from '../node/errors.js';
import { Folder } from '../node/folder.js';
import { mainWorktree } from '../node/git/repository.js';
import { randomId, sha256 } from '../node/ids.js';
import { type AppendFile, type GrowOptions, holdFile, isFileHeld, openAppendFile } from './append-file.js';
import type { Change, CommitListener, CommitResult } from './commit/change.js';
import { Journal } from './commit/journal.js';
import { type Recovery, recover } from './commit/recover.js';
import { Transaction } from './commit/transaction.js';
import {
  answerOffered,
  type Incoming,
  type KeepOptions,
  keepIncoming,
  listLeftIncoming,
  listOffered,
  type Offered,
  takeIncoming,
} from './incoming.js';
import { describeError, Jail } from './jail.js';
import { acquireLock, type Lock } from './lock.js';
import { type FolderMove, moveFolder } from './move-folder.js';
import { type RunChange, readRunChanges } from './runs/run-changes.js';
import { type RootMark, type RunFolder, SEAL_FILE } from './runs/run-folder.js';
import {
  createRun,
  listDeadRuns,
  listForeignRuns,
  listRunIds,
  ownershipOfRun,
  pruneRunFolders,
  type RecordRead,
  RUNS_KEPT,
  type RunNotes,
  type RunStart,
  readRunFile,
  readRunNotes,
  readRunRecord,
  runNames,
  sealedRecord,
  takeRun,
} from './runs/runs.js';
import {
  clearImages,
  describePlan,
  planRedo,
  planUndo,
  type RedoResult,
  removeEmptyFolders,
  UNDO_JOURNAL,
  type UndoNote,
  type UndoResult,
} from './runs/undo.js';
import { lastUndo, markUndone, readUndone, type Undone } from './runs/undone-mark.js';
import { findStore, hasChangesUnderWay, makeFolder, openContent, prepareContent, Store } from './store.js';
import { View } from './view.js';

export interface CommitOptions {
  /** Whose paths these are: a plan's never lead into the protected trees. */
  origin?: 'plan' | 'tool';
  /** The run whose journal keeps what the commit overwrites, for `undo`. */
  run?: string;
  /** With `run`: anything that is to be known afterwards exactly when the commit happened; see `runNotes`. */
  note?: unknown;
}

/** Changes worked out from what is there, with whatever else is to be known of them. */
export interface Update<T> {
  changes: readonly Change[];
  value: T;
}

export type UpdateResult<T> =
  /** `lost` names files that were read again right after, and were not what had been written: someone else was there. */
  { status: 'committed'; value: T; lost: string[] } | Exclude<CommitResult, { status: 'committed' }>;

/** The machine failed, or nobody let go of the lock in time. */
type Failed = { status: 'failed'; reason: string } | { status: 'locked' };

export type MoveResult = { status: 'moved'; moved: FolderMove[] } | Failed;

export type PruneResult = { status: 'pruned'; removed: string[] } | Failed;

export type BeginResult =
  | { status: 'begun'; folder: RunFolder }
  | { status: 'locked' }
  /** `reason` is a whole sentence. */
  | { status: 'stopped'; reason: string };

const LOCK_TIMEOUT = 60_000;
const MOST_TRIES = 20;

const LEADER = 'incoming.lock';

/**
 * The only way to change anything in a root. Every change waits its turn at the root lock,
 * which is held from the comparison with what is there to the end of the commit, and never longer.
 */
export class Workspace {
  /** Called while files are written, for those who wait for it. */
  onProgress: CommitListener | undefined;
  private knownMark: RootMark | undefined;
  private readonly stuck = new Set<string>();

  constructor(
    readonly root: string,
    /** Where the lock stands: a worktree takes turns with its main root. */
    private readonly lockRoot: string = mainWorktree(root),
    private readonly lockTimeout: number = LOCK_TIMEOUT,
  ) {}

  /** All of the changes or none. Ends first what another process had to leave. Never throws. */
  async commit(changes: readonly Change[], options: CommitOptions = {}): Promise<CommitResult> {
    return this.change<CommitResult>((store, jail) => {
      const journal = options.run === undefined ? undefined : openJournal(store, options.run);
      try {
        const origin = options.origin ?? 'plan';
        const result = this.runTransaction(store, jail, changes, { origin }, journal, options.note);
        if (result.status === 'stuck' && options.run !== undefined) this.stuck.add(options.run);
        return result;
      } finally {
        journal?.close();
      }
    });
  }

  /**
   * Looks, works out changes and makes them, all under one hold of the lock: nobody who takes the lock comes between
   * the look and the change. A program that does not take it is found out, and that is a conflict. `work` is called
   * once. Never throws.
   */
  async update<T>(work: (view: View) => Update<T>): Promise<UpdateResult<T>> {
    return this.change<UpdateResult<T>>((store, jail) => {
      const { changes, value } = work(new View(jail));
      if (changes.length === 0) return { status: 'committed', value, lost: [] };
      prepareContent(store, changes);
      const result = this.runTransaction(store, jail, changes, { origin: 'tool' });
      return result.status === 'committed'
        ? { status: 'committed', value, lost: findLost(jail, changes) }
        : result;
    });
  }

  /** Whether a commit of the run could neither be completed nor taken back: what came of it, the next command knows. */
  isStuck(run: string): boolean {
    return this.stuck.has(run);
  }

  /** Looks at files without the lock. Throws `UserError` where the root cannot be looked at. */
  view<T>(work: (view: View) => T): T {
    const jail = openRoot(this.root);
    try {
      return work(new View(jail));
    } finally {
      jail.close();
    }
  }

  /**
   * Moves whole folders, each in one step: whoever dies on the way leaves every folder here or there. One whose new
   * place is taken stays. Never throws.
   */
  async moveFolders(find: (view: View) => readonly FolderMove[]): Promise<MoveResult> {
    return this.change<MoveResult>((_store, jail) => ({
      status: 'moved',
      moved: find(new View(jail)).filter((move) => moveFolder(jail, move)),
    }));
  }

  /** Keeps a text that was handed over, before anything else happens to it. Throws `UserError` where it cannot. */
  keepIncoming(bytes: Uint8Array, options: KeepOptions = {}): Incoming {
    const store = Store.open(this.root);
    try {
      return keepIncoming(store.folder, bytes, options);
    } catch (error) {
      if (error instanceof UserError) throw error;
      const why = explainSystemError(error) ?? `.teddy/incoming cannot be used (${describeError(error)}).`;
      throw new UserError(`The text could not be saved. ${why}`, { cause: error });
    } finally {
      store.close();
    }
  }

  /** Takes a text up again that a process left which died; undefined where there is none. */
  takeIncoming(path: string): Incoming | undefined {
    return this.look((folder) => takeIncoming(folder, path));
  }

  /**
   * Waits until this process is the one that sees to all texts that are offered; undefined when it need not be, or when
   * that takes too long. Not the root lock: others may change files meanwhile.
   */
  async lead(isNeedless: () => boolean): Promise<Lock | undefined> {
    const store = Store.open(this.root);
    try {
      return await acquireLock(store.folder, LEADER, this.lockTimeout, isNeedless);
    } finally {
      store.close();
    }
  }

  /** The texts that processes which live offer, the oldest first. For whoever leads. */
  offered(): Offered[] {
    return this.look(listOffered) ?? [];
  }

  /** Tells the process that offered a text what became of it. */
  answerOffered(path: string, answer: string): void {
    this.look((folder) => answerOffered(folder, path, answer));
  }

  /** Texts that were handed over to processes which died before they were done with them. */
  leftIncoming(): string[] {
    return this.look(listLeftIncoming) ?? [];
  }

  /**
   * Restores every file that is still what a run left to what it was before the run, as one commit, and removes the
   * folders that the run created and that are empty now. Never throws.
   */
  async undo(run: string, { dryRun = false } = {}): Promise<UndoResult> {
    return this.change<UndoResult>((store, jail) => {
      if (ownershipOfRun(store.folder, run, this.mark).status === 'foreign') return { status: 'unknown' };
      const path = `.teddy/runs/${run}/journal`;
      const folder = jail.folder(path);
      const plan = folder && planUndo(jail, { folder, path }, 'after the run');
      if (!plan) return { status: 'unknown' };
      const described = describePlan(plan);
      if (dryRun) return { status: 'undone', ...described };
      const left = plan.refused.map((file) => file.path);
      const changes = [...plan.changes, markUndone(store.folder, run, left, this.mark)];
      const note: UndoNote = { kind: 'undo', run };
      const journal = openJournal(store, run, UNDO_JOURNAL);
      try {
        const result = this.runTransaction(store, jail, changes, { origin: 'tool' }, journal, note);
        if (result.status !== 'committed') return result;
      } finally {
        journal.close();
      }
      removeEmptyFolders(jail, plan.folders);
      return { status: 'undone', ...described };
    });
  }

  /** The run that was undone last, and can be redone. */
  lastUndone(): string | undefined {
    return this.look((folder) => lastUndo(folder, this.mark).run);
  }

  /**
   * Reverts the undo of a run, as one commit: its files are again what the run left. All of them or none: a file that
   * changed since the undo stops it. Never throws.
   */
  async redo(run: string): Promise<RedoResult> {
    return this.change<RedoResult>((store, jail) => {
      if (!readUndone(store.folder, run, this.mark)) return { status: 'unknown' };
      const path = `.teddy/runs/${run}/journal/${UNDO_JOURNAL}`;
      const folder = jail.folder(path);
      const plan = folder && planRedo(jail, run, { folder, path });
      if (!plan) return { status: 'unknown' };
      if (plan.refused.length > 0) return { status: 'changed', refused: plan.refused };
      const result = this.runTransaction(store, jail, plan.changes, { origin: 'tool' });
      if (result.status !== 'committed') return result;
      clearImages(folder);
      const isOwn = (file: string) => file.startsWith(`.teddy/runs/${run}/`);
      const { restored, deleted } = describePlan(plan);
      return {
        status: 'redone',
        restored: restored.filter((file) => !isOwn(file)),
        deleted: deleted.filter((file) => !isOwn(file)),
      };
    });
  }

  /** Where a plan's path leads, every link resolved, and whether a plan may write there. Never throws. */
  locate(path: string): { status: 'inside'; path: string } | { status: 'refused'; reason: string } {
    let jail: Jail | undefined;
    try {
      jail = new Jail(this.root);
      const located = jail.locate(path);
      return located.status === 'inside' ? { status: 'inside', path: located.place.path } : located;
    } catch (error) {
      return { status: 'refused', reason: `cannot be reached (${describeError(error)})` };
    } finally {
      jail?.close();
    }
  }

  /**
   * The lock on a file of the tool's own, which is made when it is missing; undefined when another has it. Not the root
   * lock: others may change files meanwhile. Throws `UserError` where there is no place for it.
   */
  hold(path: string): Lock | undefined {
    return holdFile(this.root, path);
  }

  /** Whether anyone has that lock. */
  isHeld(path: string): boolean {
    return isFileHeld(this.root, path);
  }

  /** Adds to a file of the tool's own as something comes in. Throws `UserError` where it cannot be opened. */
  grow(path: string, options?: GrowOptions): AppendFile {
    return openAppendFile(this.root, path, options);
  }

  /**
   * A new run's folder, with its own lock for as long as the run lives, in a root where nothing is left unfinished.
   * `start` is given the ids that are taken. Never throws.
   */
  async beginRun(start: (taken: readonly string[]) => RunStart): Promise<BeginResult> {
    const begun = await this.whileLocked<BeginResult>(({ folder }, recovery) => {
      if (recovery.status === 'stopped') return recovery;
      try {
        for (let tries = 0; tries < MOST_TRIES; tries++) {
          const run = createRun(folder, this.mark, start(runNames(folder)));
          if (run) return { status: 'begun', folder: run };
        }
        return { status: 'stopped', reason: 'No free id for this run was found. Try again.' };
      } catch (error) {
        if (error instanceof UserError) throw error;
        return { status: 'stopped', reason: `.teddy/runs cannot be used (${describeError(error)}).` };
      }
    });
    return begun.status === 'failed' ? { ...begun, status: 'stopped' } : begun;
  }

  /** The folder of a run whose process died; undefined when another process has it by now. */
  takeRun(run: string): RunFolder | undefined {
    const store = Store.open(this.root);
    try {
      return takeRun(store.folder, run);
    } catch (error) {
      if (error instanceof UserError) throw error;
      throw new UserError(`.teddy/runs cannot be used (${describeError(error)}).`, { cause: error });
    } finally {
      store.close();
    }
  }

  /** Throws `UserError` where nothing can be kept here. */
  requireStore(): void {
    Store.open(this.root).close();
  }

  /** The ids of this user's runs, in the order in which they were begun. */
  runs(): string[] {
    return this.look((folder) => listRunIds(folder, this.mark)) ?? [];
  }

  /** The ids of all other runs, which decide nothing. */
  foreignRuns(): string[] {
    return this.look((folder) => listForeignRuns(folder, this.mark)) ?? [];
  }

  /** This user's runs that ended without a record, because their process died. */
  deadRuns(): string[] {
    return this.look((folder) => listDeadRuns(folder, this.mark)) ?? [];
  }

  /** Whether a process that died may have left something to end. */
  isUnfinished(): boolean {
    const isLeft = (folder: Folder) =>
      hasChangesUnderWay(folder) || listDeadRuns(folder, this.mark).length > 0;
    return this.look(isLeft) ?? false;
  }

  /** A file of a run, such as `run.json`; undefined where there is none. */
  readRunFile(run: string, name: string): string | undefined {
    return this.look((folder) => readRunFile(folder, run, name));
  }

  /** `run.json` of a run, and whose it is; undefined where there is none. */
  readRunRecord(run: string): RecordRead | undefined {
    return this.look((folder) => readRunRecord(folder, run, this.mark));
  }

  /** What a commit that writes the record of a run has to change with it; undefined for runs of older versions. */
  sealRunRecord(run: string, record: string): Change | undefined {
    const sealed = this.look((folder) => sealedRecord(folder, run, record));
    return sealed && { ...sealed, path: `.teddy/runs/${run}/${SEAL_FILE}`, mode: 0o600 };
  }

  /** What an undo of the run came to; undefined where this user did not undo it. */
  readUndone(run: string): Undone | undefined {
    return this.look((folder) => readUndone(folder, run, this.mark));
  }

  runNotes(run: string): RunNotes {
    return this.look((folder) => readRunNotes(folder, run)) ?? { progress: [], commits: [] };
  }

  /** What a run changed, file by file; undefined where no journal that this user's teddy wrote is kept of it. */
  runChanges(run: string): RunChange[] | undefined {
    const runs = this.runs();
    const at = runs.indexOf(run);
    if (at === -1) return undefined;
    const jail = new Jail(this.root);
    try {
      return readRunChanges(jail, run, runs.slice(at + 1));
    } finally {
      jail.close();
    }
  }

  /** Removes the oldest runs beyond `keep`, never one that lives. Never throws. */
  async pruneRuns(keep = RUNS_KEPT): Promise<PruneResult> {
    return this.change<PruneResult>((store) => ({
      status: 'pruned',
      removed: pruneRunFolders(store.folder, keep, this.mark),
    }));
  }

  /** Ends what processes that died had begun. Never throws. */
  async recover(): Promise<Recovery | { status: 'locked' }> {
    const ended = await this.whileLocked<Recovery>((_store, recovery) => recovery);
    return ended.status === 'failed' ? { ...ended, status: 'stopped' } : ended;
  }

  /** This project, as its runs are sealed. */
  private get mark(): RootMark {
    this.knownMark ??= { root: this.root, folder: folderIdentity(this.root) };
    return this.knownMark;
  }

  /** Looks at what is kept here; undefined where nothing ever was. */
  private look<T>(work: (folder: Folder) => T): T | undefined {
    const folder = findStore(this.root);
    try {
      return folder && work(folder);
    } finally {
      folder?.close();
    }
  }

  /** Does the work in a root where nothing is left unfinished, through a jail that has seen nothing yet. */
  private change<T>(work: (store: Store, jail: Jail) => T): Promise<T | Failed> {
    return this.whileLocked<T | Failed>((store, recovery) => {
      if (recovery.status === 'stopped') return { status: 'failed', reason: recovery.reason };
      const jail = new Jail(this.root);
      try {
        return work(store, jail);
      } finally {
        jail.close();
      }
    });
  }

  /** A commit that is left half-way is ended at once, where the machine lets us by now. The lock is held. */
  private runTransaction(store: Store, jail: Jail, ...what: Parameters<Transaction['run']>): CommitResult {
    const id = newId();
    const result = new Transaction(jail, store, id, this.onProgress).run(...what);
    if (result.status !== 'stuck') return result;
    let fresh: Jail | undefined;
    try {
      fresh = new Jail(this.root);
      const recovery = recover(fresh, store, this.onProgress);
      if (recovery.status === 'stopped') return result;
      return recovery.completed.includes(id)
        ? { status: 'committed', id }
        : { status: 'failed', reason: result.reason };
    } catch {
      return result;
    } finally {
      fresh?.close();
    }
  }

  private async whileLocked<T>(work: (store: Store, recovery: Recovery) => T): Promise<T | Failed> {
    let store: Store | undefined;
    let jail: Jail | undefined;
    let lock: Lock | undefined;
    try {
      store = Store.open(this.root);
      lock = await this.lock(store);
      if (!lock) return { status: 'locked' };
      jail = new Jail(this.root);
      return work(store, recover(jail, store, this.onProgress));
    } catch (error) {
      return { status: 'failed', reason: describeError(error) };
    } finally {
      jail?.close();
      lock?.release();
      store?.close();
    }
  }

  private async lock(store: Store): Promise<Lock | undefined> {
    if (this.lockRoot === this.root) return acquireLock(store.folder, 'lock', this.lockTimeout);
    const main = Store.open(this.lockRoot);
    try {
      return await acquireLock(main.folder, 'lock', this.lockTimeout);
    } finally {
      main.close();
    }
  }
}

function folderIdentity(path: string): string {
  const folder = Folder.open(path);
  try {
    return folder.identity;
  } finally {
    folder.close();
  }
}

function openRoot(root: string): Jail {
  try {
    return new Jail(root);
  } catch (error) {
    throw new UserError(`${root} cannot be read (${describeError(error)}).`, { cause: error });
  }
}

/** The files that are not what a commit left, by another look at each; one that cannot be looked at is none. */
function findLost(jail: Jail, changes: readonly Change[]): string[] {
  const view = new View(jail);
  const isLost = (change: Change): boolean => {
    if ('append' in change) {
      const end = view.readEnd(change.path, 0);
      return end.status !== 'bytes' || end.size < change.offset + change.append.length;
    }
    const read = view.read(change.path, Number.POSITIVE_INFINITY);
    const found = read.status === 'bytes' ? sha256(read.bytes) : null;
    return found !== (change.after === null ? null : sha256(change.after));
  };
  return changes
    .filter((change) => {
      try {
        return isLost(change);
      } catch {
        return false;
      }
    })
    .map(({ path }) => path);
}

function newId(): string {
  return `${Date.now().toString(36)}-${randomId(8)}`;
}

/** `runs/<run>/journal`, or a folder in it, which only this user can read. */
function openJournal(store: Store, run: string, ...inner: string[]): Journal {
  const path: Folder[] = [store.folder];
  try {
    path.push(openContent(store.folder, 'runs'));
    for (const name of [run, 'journal', ...inner]) {
      const parent = path.at(-1)!;
      if (makeFolder(parent, name, 0o700)) parent.sync();
      path.push(parent.openFolder(name));
    }
    const journal = new Journal(['.teddy/runs', run, 'journal', ...inner].join('/'), path.at(-1)!);
    path.pop();
    return journal;
  } finally {
    for (const passed of path.slice(1)) passed.close();
  }
}
