import type { UnrestorableFile } from '../core/report/record.js';
import { UserError } from '../node/errors.js';
import { Folder } from '../node/folder.js';
import { mainWorktree } from '../node/git/repository.js';
import { type AppendFile, type GrowOptions, holdFile, isFileHeld, openAppendFile } from './append-file.js';
import type { Change, CommitListener, CommitResult, TreeChange } from './commit/change.js';
import { openRunJournal } from './commit/journal.js';
import type { Recovery } from './commit/recover.js';
import { IncomingTexts } from './incoming.js';
import { describeError, Jail } from './jail.js';
import { type Lock, LockedRoot, type NotChanged } from './lock.js';
import { type RunChange, readRunChanges } from './runs/run-changes.js';
import { type RootMark, type RunFolder, SEAL_FILE } from './runs/run-folder.js';
import {
  createRun,
  hashRunFiles,
  inQuestions,
  listDeadRuns,
  listForeignRuns,
  listLiveRuns,
  listRunIds,
  pruneRunFolders,
  REQUESTS,
  type RecordRead,
  RUNS_KEPT,
  type RunNotes,
  type RunStart,
  readRunFile,
  readRunFileFrom,
  readRunNotes,
  readRunRecord,
  runNames,
  sealedRecord,
  takeRun,
} from './runs/runs.js';
import { SealedFiles } from './runs/sealed-files.js';
import {
  previewUndo,
  type RedoResult,
  restoreRun,
  revertUndo,
  type UndoOptions,
  type UndoResult,
} from './runs/undo.js';
import { lastUndo, readUndone, type Undone } from './runs/undone-mark.js';
import type { ContentLimits } from './snapshot/contents.js';
import type { CommandChanges, ComparedState, RecordedState, RecordingPlace } from './snapshot/snapshot.js';
import { hasChangesUnderWay, inStore, makeFolder, openContent, prepareContent, Store } from './store.js';
import { View } from './view.js';

export interface CommitOptions {
  /** A plan's paths never lead into the protected trees. Default: `plan`. */
  origin?: 'plan' | 'tool';
  /** The run whose journal keeps what the commit overwrites, for `undo`. */
  run?: string;
  /** With `run`: kept with the journal exactly when the commit happened; `runNotes` reads it. */
  note?: unknown;
}

/** Changes computed from the current files, with a value for the caller. */
export interface Update<T> {
  changes: readonly Change[];
  value: T;
}

export type UpdateResult<T> =
  /** `lost`: files that another program changed at the same moment, as a second reading showed. */
  { status: 'committed'; value: T; lost: string[] } | Exclude<CommitResult, { status: 'committed' }>;

export type MoveResult = { status: 'moved'; moved: FolderMove[] } | NotChanged;

export type PruneResult = { status: 'pruned'; removed: string[] } | NotChanged;

export type BeginResult =
  | { status: 'begun'; folder: RunFolder }
  | { status: 'locked' }
  /** `reason` is a whole sentence. */
  | { status: 'stopped'; reason: string };

const LOCK_TIMEOUT = 60_000;
const DRAFTS = 'drafts';
const MOST_TRIES = 20;

/**
 * The only way to change anything in a root. A change holds the root lock from the comparison with the current files to
 * the end of its commit, and never longer.
 */
export class Workspace {
  private readonly locked: LockedRoot;
  private knownMark: RootMark | undefined;
  private readonly stuck = new Set<string>();

  constructor(
    readonly root: string,
    /** A worktree takes the lock of its main checkout. */
    lockRoot: string = mainWorktree(root),
    lockTimeout: number = LOCK_TIMEOUT,
  ) {
    this.locked = new LockedRoot(root, lockRoot, lockTimeout);
  }

  /** Texts that were submitted and are not processed yet. */
  get incoming(): IncomingTexts {
    return new IncomingTexts(this.root, this.locked.timeout);
  }

  /** Called while files are written. */
  set onProgress(listener: CommitListener | undefined) {
    this.locked.onProgress = listener;
  }

  /** All of the changes or none. Never throws. */
  async commit(
    changes: readonly (Change | TreeChange)[],
    { origin = 'plan', run, note }: CommitOptions = {},
  ): Promise<CommitResult> {
    return this.locked.change<CommitResult>(({ store, commit }) => {
      const journal = run === undefined ? undefined : openRunJournal(store.folder, run);
      try {
        const result = commit(changes, { origin, journal, note });
        if (result.status === 'stuck' && run !== undefined) this.stuck.add(run);
        return result;
      } finally {
        journal?.close();
      }
    });
  }

  /**
   * Reads, computes changes and commits them under one lock. A program that changes a file without the lock causes a
   * conflict. `work` is called once. Never throws.
   */
  async update<T>(work: (view: View) => Update<T>): Promise<UpdateResult<T>> {
    return this.locked.change<UpdateResult<T>>(({ store, jail, commit }) => {
      const { changes, value } = work(new View(jail));
      if (changes.length === 0) return { status: 'committed', value, lost: [] };
      prepareContent(store, changes);
      const result = commit(changes, { origin: 'tool' });
      if (result.status !== 'committed') return result;
      return { status: 'committed', value, lost: new View(jail).findLost(changes) };
    });
  }

  /**
   * Records the files that undo covers, before a command of a run; what it returns compares them with what is there
   * after it. Never throws.
   */
  async recordState(run: string, limits: ContentLimits): Promise<RecordedState> {
    const { recordState } = await import('./snapshot/snapshot.js');
    return recordState(this.recordingPlace(run, limits));
  }

  /** What undo could not restore if a command changed it; nothing where the project cannot be looked at. Never throws. */
  async findUnrestorable(run: string, limits: ContentLimits): Promise<UnrestorableFile[]> {
    const { findUnrestorable } = await import('./snapshot/snapshot.js');
    return findUnrestorable(this.recordingPlace(run, limits));
  }

  /** What a command did whose run died; undefined where none was under way. Never throws. */
  async compareInterrupted(
    run: string,
    limits: ContentLimits,
    note: (changes: CommandChanges) => unknown,
  ): Promise<ComparedState | undefined> {
    const { compareInterrupted } = await import('./snapshot/snapshot.js');
    return compareInterrupted(this.recordingPlace(run, limits), note);
  }

  private recordingPlace(run: string, limits: ContentLimits): RecordingPlace {
    const isOther = (id: string) => id !== run;
    return {
      root: this.root,
      run,
      limits,
      isAlone: () => ![...this.liveRuns(), ...this.deadRuns()].some(isOther),
      onProgress: (done, of) => this.locked.onProgress?.({ phase: 'recording', done, of }),
    };
  }

  /** Whether a commit of the run could neither be completed nor reverted. The next command recovers it. */
  isStuck(run: string): boolean {
    return this.stuck.has(run);
  }

  /** Reads files without the lock. Throws `UserError` if the root cannot be read. */
  view<T>(work: (view: View) => T): T {
    const jail = openRoot(this.root);
    try {
      return work(new View(jail));
    } finally {
      jail.close();
    }
  }

  /** Moves whole folders, each in one step. A folder whose new path exists already stays. Never throws. */
  async moveFolders(find: (view: View) => readonly FolderMove[]): Promise<MoveResult> {
    return this.locked.change<MoveResult>(({ jail }) => ({
      status: 'moved',
      moved: find(new View(jail)).filter((move) => moveFolder(jail, move)),
    }));
  }

  /**
   * Restores every file that is still what a run left to what it was before the run, as one commit, and removes the
   * folders that the run created and that are empty now. With `preview`, of a dry run, it does exactly that or nothing.
   * A dry run takes no lock. Never throws.
   */
  async undo(
    run: string,
    { dryRun = false, ...options }: { dryRun?: boolean } & UndoOptions = {},
  ): Promise<UndoResult> {
    if (dryRun) return this.previewUndo(run, options.force);
    return this.locked.change<UndoResult>((access) => restoreRun(access, run, this.mark, options));
  }

  private previewUndo(run: string, force: string | undefined): UndoResult {
    let jail: Jail | undefined;
    try {
      const opened = new Jail(this.root);
      jail = opened;
      const preview = this.readStore((folder) => previewUndo(folder, opened, run, this.mark, force));
      return preview ?? { status: 'unknown' };
    } catch (error) {
      return { status: 'failed', reason: describeError(error) };
    } finally {
      jail?.close();
    }
  }

  /** The run that was undone last, and can be redone. */
  lastUndone(): string | undefined {
    return this.readStore((folder) => lastUndo(folder, this.mark).run);
  }

  /**
   * Reverts the undo of a run, as one commit: its files are again what the run left. All of them or none: a file that
   * changed since the undo stops it. Never throws.
   */
  async redo(run: string): Promise<RedoResult> {
    return this.locked.change<RedoResult>((access) => revertUndo(access, run, this.mark));
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
    const begun = await this.locked.whileLocked<BeginResult>(({ folder }, recovery) => {
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

  /** The ids of this user's runs, in the order in which they were started. */
  runs(): string[] {
    return this.readStore((folder) => listRunIds(folder, this.mark)) ?? [];
  }

  /** The ids of all runs, foreign ones included: none can be used again. */
  takenIds(): string[] {
    return this.readStore(runNames) ?? [];
  }

  /** The ids of all other runs, which decide nothing. */
  foreignRuns(): string[] {
    return this.readStore((folder) => listForeignRuns(folder, this.mark)) ?? [];
  }

  /** This user's runs that ended without a record, because their process died. */
  deadRuns(): string[] {
    return this.readStore((folder) => listDeadRuns(folder, this.mark)) ?? [];
  }

  /** This user's runs that are under way. */
  liveRuns(): string[] {
    return this.readStore((folder) => listLiveRuns(folder, this.mark)) ?? [];
  }

  /** Looks at the questions of a run, or answers them; undefined where there are none and `make` is not set. */
  inQuestions<T>(run: string, work: (questions: SealedFiles) => T, { make = false } = {}): T | undefined {
    return this.readStore((folder) => inQuestions(folder, run, this.mark, work, make));
  }

  /** Texts that the user has not sent yet; undefined where there are none and `make` is not set. */
  inDrafts<T>(work: (drafts: SealedFiles) => T, { make = false } = {}): T | undefined {
    return this.inContent(DRAFTS, work, make);
  }

  /** What agents ask of the user through a protocol; undefined where there is nothing and `make` is not set. */
  inRequests<T>(work: (requests: SealedFiles) => T, { make = false } = {}): T | undefined {
    return this.inContent(REQUESTS, work, make);
  }

  private inContent<T>(name: string, work: (files: SealedFiles) => T, make: boolean): T | undefined {
    if (make) this.requireStore();
    return this.readStore((folder) => {
      if (!make && folder.lstat(name) === undefined) return undefined;
      const files = new SealedFiles(name, openContent(folder, name));
      try {
        return work(files);
      } finally {
        files.close();
      }
    });
  }

  /** Whether a process that died may have left something to end. */
  isUnfinished(): boolean {
    const isLeft = (folder: Folder) =>
      hasChangesUnderWay(folder) || listDeadRuns(folder, this.mark).length > 0;
    return this.readStore(isLeft) ?? false;
  }

  /** A file of a run, such as `run.json`; undefined where there is none. */
  readRunFile(run: string, name: string): string | undefined {
    return this.readStore((folder) => readRunFile(folder, run, name));
  }

  /** SHA-256 of each file that records a run, its journal included, by its path in the run's folder. */
  runFileHashes(run: string): Record<string, string> {
    return this.readStore((folder) => hashRunFiles(folder, run)) ?? {};
  }

  /** The rest of a file of a run that grows. */
  readRunFileFrom(run: string, name: string, part: { offset: number; most: number }): Uint8Array | undefined {
    return this.readStore((folder) => readRunFileFrom(folder, run, name, part));
  }

  /** `run.json` of a run, and whose it is; undefined where there is none. */
  readRunRecord(run: string): RecordRead | undefined {
    return this.readStore((folder) => readRunRecord(folder, run, this.mark));
  }

  /** What a commit that writes the record of a run has to change with it; undefined for runs of older versions. */
  sealRunRecord(run: string, record: string): Change | undefined {
    const sealed = this.readStore((folder) => sealedRecord(folder, run, record));
    return sealed && { ...sealed, path: `.teddy/runs/${run}/${SEAL_FILE}`, mode: 0o600 };
  }

  /** What an undo of the run came to; undefined where this user did not undo it. */
  readUndone(run: string): Undone | undefined {
    return this.readStore((folder) => readUndone(folder, run, this.mark));
  }

  runNotes(run: string): RunNotes {
    return this.readStore((folder) => readRunNotes(folder, run)) ?? { progress: [], commits: [] };
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

  /** Removes the oldest runs beyond `keep`, never one that lives, and the contents that only they needed. Never throws. */
  async pruneRuns(keep = RUNS_KEPT): Promise<PruneResult> {
    const pruned = await this.locked.change<PruneResult>(({ store }) => ({
      status: 'pruned',
      removed: pruneRunFolders(store.folder, keep, this.mark),
    }));
    if (pruned.status !== 'pruned' || pruned.removed.length === 0) return pruned;
    const { pruneContents } = await import('./snapshot/snapshot.js');
    await this.locked.change(({ store: { folder } }) => {
      const others = [...listLiveRuns(folder, this.mark), ...listDeadRuns(folder, this.mark)];
      if (others.length === 0) pruneContents(folder);
    });
    return pruned;
  }

  /** Finishes the commits of processes that died. Never throws. */
  async recover(): Promise<Recovery | { status: 'locked' }> {
    const ended = await this.locked.whileLocked<Recovery>((_store, recovery) => recovery);
    return ended.status === 'failed' ? { ...ended, status: 'stopped' } : ended;
  }

  /** This project, as its runs are sealed. */
  get mark(): RootMark {
    this.knownMark ??= { root: this.root, folder: folderIdentity(this.root) };
    return this.knownMark;
  }

  private readStore<T>(work: (folder: Folder) => T): T | undefined {
    return inStore(this.root, work);
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

/** Paths relative to the root, without links on the way. */
export interface FolderMove {
  from: string;
  to: string;
}

/** False if there is nothing to move, or the new path exists already. */
function moveFolder(jail: Jail, { from, to }: FolderMove): boolean {
  const [source, name] = parentAndName(jail, from, false);
  if (!source?.lstat(name)?.isDirectory()) return false;
  const [target, newName] = parentAndName(jail, to, true);
  if (!target || target.lstat(newName) !== undefined) return false;
  source.rename(name, target, newName);
  target.sync();
  source.sync();
  return true;
}

function parentAndName(jail: Jail, path: string, make: boolean): [Folder | undefined, string] {
  const names = path.split('/');
  const name = names.pop()!;
  if (!make) return [jail.folder(names.join('/')), name];
  for (let depth = 1; depth <= names.length; depth++) {
    const parent = jail.folder(names.slice(0, depth - 1).join('/'));
    if (!parent) return [undefined, name];
    if (makeFolder(parent, names[depth - 1]!, 0o777)) parent.sync();
  }
  return [jail.folder(names.join('/')), name];
}
