import { files } from '../../node/file-calls.js';
import { keepOwner, toBase64 } from '../../node/files.js';
import { closeQuietly, closing, type Folder, removeIfThere, writeAll, writeText } from '../../node/folder.js';
import { sha256 } from '../../node/ids.js';
import { sealOf } from '../../node/user-folders.js';
import { describeError, type Jail, type Located, type LocateOptions, type ResolvedPath } from '../jail.js';
import type { Store } from '../store.js';
import type {
  Change,
  CommitListener,
  CommitProgress,
  CommitResult,
  Conflict,
  TreeChange,
  UnkeptAttributes,
} from './change.js';
import { linkHash } from './change.js';
import {
  applyEntry,
  bytesOf,
  type CommitLog,
  type CommitLogEntry,
  changeFolders,
  contentHash,
  isEntryRemoval,
  isRemoval,
  isSameFile,
  isUntouched,
  modeAfter,
  placeMark,
  revertEntries,
  revertEntry,
  type Step,
  Superseded,
} from './entries.js';
import {
  CommitFolders,
  changeOtherFolders,
  type EmptiedFolder,
  type FolderSteps,
  findEmptied,
  foldersAbove,
  parentOf,
} from './folders.js';
import type { Journal } from './journal.js';

/** Appended bytes up to this length are in the log itself. */
const LONGEST_ADDED = 16 * 1024;

/**
 * Makes changes as one: all of them or none. The caller holds the root lock.
 *
 *   compare → note → stage new content, sync → *commit point* → put in place, sync → done
 *
 * A failure before the commit point leaves only files that recovery deletes. A later one is reverted under a log of its
 * own; if the process dies after the commit point, recovery completes what was logged.
 */
export class Transaction {
  private readonly folderModes: Record<string, number> = {};
  private readonly site = new CommitFolders();
  private emptied: EmptiedFolder[] = [];
  private readonly steps: Step[] = [];
  private readonly unkept: UnkeptAttributes[] = [];
  /** How many steps were started after the commit point. */
  private begun = 0;

  constructor(
    private readonly jail: Jail,
    private readonly store: Store,
    private readonly id: string,
    private readonly listener?: CommitListener,
    private readonly folders?: FolderSteps,
  ) {}

  run(
    changes: readonly (Change | TreeChange)[],
    options: LocateOptions,
    journal?: Journal,
    note?: unknown,
  ): CommitResult {
    try {
      const problem = this.prepare(changes, options);
      if (problem) return problem;
      if (journal)
        this.addStep(
          ...journal.keep(this.id, this.steps, this.emptied, this.jail, note, (done) =>
            this.report('copying', done),
          ),
        );
      this.note();
      this.stage();
    } catch (error) {
      this.discard();
      return { status: 'failed', reason: describeError(error) };
    }
    try {
      return this.runSteps();
    } finally {
      this.site.close();
    }
  }

  /** Finds each file and compares it with what its change expects. */
  private prepare(
    changes: readonly (Change | TreeChange)[],
    options: LocateOptions,
  ): CommitResult | undefined {
    const conflicts: Conflict[] = [];
    const removals = changes.filter(isEntryRemoval);
    const removed = new Set(removals.map(({ path }) => path));
    this.emptied = this.findEmptied(changes, removals, removed);
    const cleared = new Set(this.emptied.map(({ path }) => path));
    const seen = new Paths(removed, cleared);
    for (const change of [...removals, ...changes.filter((each) => !isEntryRemoval(each))]) {
      const unfollowed = 'entry' in change ? { gone: removed } : undefined;
      const located = withoutFolder(this.jail.locate(change.path, { ...options, unfollowed }), cleared);
      const refusal = located.status === 'refused' ? located.reason : refuse(change, located.place, seen);
      if (located.status === 'refused' || refusal !== undefined) {
        return { status: 'refused', path: change.path, reason: refusal! };
      }
      seen.add(located.place.path);
      const conflict = compare(change, located.place);
      if (conflict) conflicts.push({ path: change.path, reason: conflict });
      else this.addStep(change, located.place);
    }
    return conflicts.length > 0 ? { status: 'conflict', conflicts } : undefined;
  }

  /** Of the folders that are left empty, those that an entry replaces, and those that a removal clears. */
  private findEmptied(
    changes: readonly (Change | TreeChange)[],
    removals: readonly TreeChange[],
    removed: ReadonlySet<string>,
  ): EmptiedFolder[] {
    if (removals.length === 0 && !this.folders) return [];
    const written = changes.filter((each) => !isEntryRemoval(each)).map(({ path }) => path);
    const clearing = removals.filter(({ clears }) => clears).map(({ path }) => path);
    return findEmptied(this.jail, removed, written, this.folders?.removed).filter(
      ({ path }) =>
        written.some((each) => path === each || path.startsWith(`${each}/`)) ||
        clearing.some((each) => each.startsWith(`${path}/`)),
    );
  }

  private addStep(change: Change | TreeChange, place: ResolvedPath): void {
    // An append to a file that is not there is the writing of a new one.
    const appends = 'append' in change && place.stats !== undefined;
    const bytes = bytesOf(change);
    const target = 'entry' in change && change.entry?.kind === 'link' ? change.entry.target : undefined;
    const removes = bytes === null && target === undefined;
    if (removes && place.stats === undefined) return;
    const home = this.homeOf(place);
    const apart = home.folder.mount !== this.store.tx.mount;
    const name = `${this.id}-${this.steps.length}`;
    const added = appends && bytes && bytes.length <= LONGEST_ADDED ? toBase64(bytes) : undefined;
    const entry: CommitLogEntry = {
      kind: appends ? 'append' : removes ? 'remove' : 'write',
      path: place.path,
      before: 'append' in change ? null : 'entry' in change ? contentHash(place) : change.before,
      after: target !== undefined ? linkHash(target) : bytes === null ? null : sha256(bytes),
      staged: removes || added !== undefined ? null : name,
      ...(added !== undefined && { added }),
      ...('entry' in change && { unfollowed: true }),
      ...(target !== undefined && { target }),
      kept: `${name}-old`,
      aside: apart ? home.path : null,
      mode: target === undefined ? modeAfter(change, place.stats) : LINK_MODE,
      offset: appends ? change.offset : 0,
      length: bytes?.length ?? 0,
      folders: madeFolders(place),
    };
    if ('entry' in change) Object.assign(this.folderModes, change.folderModes);
    this.steps.push({ entry, place, bytes, aside: apart ? home.folder : this.store.tx });
  }

  /** The innermost folder on the way to a place that exists and stays. */
  private homeOf({ path, folder, missing }: ResolvedPath): { folder: Folder; path: string } {
    const emptied = new Set(this.emptied.map((each) => each.path));
    let home = parentOf(path, missing.length + 1);
    if (!emptied.has(home)) return { folder, path: home };
    while (emptied.has(home)) home = parentOf(home);
    return { folder: this.jail.requireFolder(home)!, path: home };
  }

  /** Announces the commit, so that files left in the user's folders can be found and removed. */
  private note(): void {
    this.write('new');
    if (this.steps.some(({ entry }) => entry.aside !== null)) this.store.tx.sync();
  }

  private stage(): void {
    for (const [i, { entry, place, bytes, aside }] of this.steps.entries()) {
      this.report('staging', i);
      if (bytes === null || entry.staged === null) continue;
      closing(aside.create(entry.staged, 0o600), (file) => {
        writeAll(file, bytes);
        if (place.stats?.isFile()) {
          keepOwner(file, place.stats);
          this.keepAttributes(file, place);
        } else takeGroup(file, place.folder);
        files.chmod(file, entry.mode);
        files.sync(file);
      });
    }
    for (const aside of new Set(this.steps.map((step) => step.aside)))
      if (aside !== this.store.tx) aside.sync();
  }

  /** Before the mode is set, which an access list changes. */
  private keepAttributes(file: number, { folder, name, path }: ResolvedPath): void {
    const names = closing(folder.openToRead(name), (old) => files.keepAttributes(file, old));
    if (names.length > 0) this.unkept.push({ path, names });
  }

  private runSteps(): CommitResult {
    const { tx } = this.store;
    try {
      // Staged content must be on disk before a log relies on it.
      tx.sync();
      tx.rename(`${this.id}.new`, tx, `${this.id}.log`);
      tx.sync();
      const removals = this.steps.filter(({ entry }) => isRemoval(entry)).length;
      for (const [i, step] of this.steps.entries()) {
        this.report('placing', i);
        if (i === removals) changeFolders(this.site, this.jail, this.describe());
        this.at(step, () => this.apply(step));
      }
      if (removals === this.steps.length) changeFolders(this.site, this.jail, this.describe());
      this.site.syncTouched();
      if (this.folders) changeOtherFolders(this.jail, this.folders);
    } catch (error) {
      const overtaken = error instanceof Superseded;
      return this.takeBack(
        overtaken
          ? {
              status: 'conflict',
              conflicts: [{ path: error.path, reason: 'was changed by another program at this moment' }],
            }
          : { status: 'failed', reason: describeError(error) },
      );
    }
    // Everything is in place and on disk. The rest is clean-up; completing a log that is left behind changes nothing.
    this.retire('log');
    return { status: 'committed', id: this.id, ...(this.unkept.length > 0 && { unkept: this.unkept }) };
  }

  private report(phase: CommitProgress['phase'], done: number): void {
    this.listener?.({ phase, done, of: this.steps.length });
  }

  /** An error that says at which file it happened. */
  private at(step: Step, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (error instanceof Superseded) throw error;
      throw new Error(`${describeError(error)} at ${step.entry.path}`, { cause: error });
    }
  }

  private apply({ entry, place, aside }: Step): void {
    // Where there was nothing, putting the new file in place finds out by itself.
    // Of two names for one file, the first step moves the ctime.
    const isSame = (place.stats?.nlink ?? 1) > 1 ? isUntouched : isSameFile;
    if (place.stats !== undefined && !isSame(place.stats, place.folder.lstat(place.name))) {
      throw new Superseded(entry.path);
    }
    this.begun++;
    try {
      applyEntry(this.site, entry, place, aside);
    } catch (error) {
      // The step that found another program's change has changed nothing itself.
      if (error instanceof Superseded) this.begun--;
      throw error;
    }
  }

  /** Reverts the steps that were started. A log of its own records that first: recovery must not complete them. */
  private takeBack(result: CommitResult): CommitResult {
    const { tx } = this.store;
    try {
      // The kept files must be on disk before a log relies on them.
      for (const aside of new Set([tx, ...this.steps.map((step) => step.aside)])) aside.sync();
      this.write('undo');
      tx.sync();
      if (tx.lstat(`${this.id}.log`) !== undefined) tx.unlink(`${this.id}.log`);
      const log = this.describe();
      revertEntries(this.site, this.jail, log, (entry, place) => {
        const step = this.steps.find((each) => each.entry === entry)!;
        revertEntry(this.site, entry, place, step.aside);
      });
      this.site.syncTouched();
    } catch (error) {
      return { status: 'stuck', reason: describeError(error) };
    }
    this.retire('undo');
    return result;
  }

  private write(state: 'new' | 'undo'): void {
    writeLog(this.store.tx, this.describe(), state);
  }

  private describe(): CommitLog {
    const emptied = this.emptied.map(({ path }) => path);
    const modes = Object.fromEntries(this.emptied.map(({ path, mode }) => [path, mode]));
    Object.assign(this.folderModes, modes);
    return {
      id: this.id,
      entries: this.steps.map(({ entry }) => entry),
      begun: this.begun,
      ...(emptied.length > 0 && { emptied }),
      ...(Object.keys(this.folderModes).length > 0 && { folderModes: this.folderModes }),
      ...(this.folders && { folders: this.folders }),
    };
  }

  /** The commit has ended, either way: from here on its names in `tx` mean nothing. */
  private retire(state: 'log' | 'undo'): void {
    const { tx } = this.store;
    try {
      tx.rename(`${this.id}.${state}`, tx, `${this.id}.new`);
      tx.sync();
    } catch {
      return;
    }
    this.discard();
  }

  /** Removes the names that a commit used. If some remain, recovery finds them by the log. */
  private discard(): void {
    try {
      const apart = new Set<Folder>();
      for (const { entry, aside } of this.steps) {
        if (entry.staged !== null) removeIfThere(aside, entry.staged);
        if (entry.before !== null) removeIfThere(aside, entry.kept);
        if (aside === this.store.tx) continue;
        removeIfThere(aside, `${entry.kept}-part`);
        apart.add(aside);
      }
      for (const aside of apart) aside.sync();
      this.store.tx.unlink(`${this.id}.new`);
    } catch {}
  }
}

/**
 * Writes a log. A `new` one may be cut short, and is discarded then; an `undo` one is complete on disk before it has
 * its name.
 */
function writeLog(tx: Folder, log: CommitLog, state: 'new' | 'undo'): void {
  const name = `${log.id}.${state}`;
  const first = state === 'new' ? name : `${name}-part`;
  const body = JSON.stringify(log);
  closing(tx.create(first, 0o600), (file) => {
    writeText(file, `${sealOf(body)}\n${body}\n`);
    files.sync(file);
  });
  if (first !== name) tx.rename(first, tx, name);
}

/** Of links, everywhere. */
const LINK_MODE = 0o777;

/** A folder that the commit removes is not in the way. */
function withoutFolder(located: Located, cleared: ReadonlySet<string>): Located {
  if (located.status === 'refused' || !located.place.stats?.isDirectory()) return located;
  if (!cleared.has(located.place.path)) return located;
  return { ...located, place: { ...located.place, stats: undefined } };
}

/** A new file in a folder with the set-group-id bit belongs to the folder's group. */
function takeGroup(file: number, folder: Folder): void {
  const { mode, gid } = folder.seen;
  if ((mode & 0o2000) === 0) return;
  try {
    files.chown(file, files.stat(file).uid, gid);
  } catch {}
}

function madeFolders({ path, missing }: ResolvedPath): string[] {
  return missing.map((_, i) => parentOf(path, missing.length - i));
}

/** The paths of a commit: none may appear twice, and none may be a file that another needs as a folder. */
class Paths {
  private readonly files = new Set<string>();
  private readonly folders = new Set<string>();

  constructor(
    private readonly removed: ReadonlySet<string>,
    private readonly cleared: ReadonlySet<string>,
  ) {}

  add(path: string): void {
    this.files.add(path);
    for (const parent of foldersAbove(path)) this.folders.add(parent);
  }

  refuse(path: string): string | undefined {
    if (this.files.has(path)) return 'occurs twice in one commit';
    const isFile = (parent: string) => this.files.has(parent) && !this.removed.has(parent);
    const isFolder = this.folders.has(path) && !this.cleared.has(path);
    const both = isFolder || foldersAbove(path).some(isFile);
    return both ? 'would be a file and a folder in one commit' : undefined;
  }
}

function refuse(change: Change | TreeChange, place: ResolvedPath, seen: Paths): string | undefined {
  const { path, stats, linked } = place;
  if (stats?.isDirectory()) return 'is a folder';
  const isLink = 'entry' in change && stats?.isSymbolicLink();
  if (stats && !stats.isFile() && !isLink) return 'is not a regular file';
  if (!stats && linked) return 'is a symlink that leads nowhere';
  if (stats && 'append' in change) {
    // Appending writes into the file itself, and so into every hard link to it.
    if (stats.nlink > 1) return 'has other names (hard links) and cannot be added to';
    closeQuietly(place.folder.openToWrite(place.name));
  }
  return seen.refuse(path);
}

/** How the file on disk differs from what the change expects; undefined if it does not. */
function compare(change: Change | TreeChange, place: ResolvedPath): string | undefined {
  if ('append' in change) {
    const size = place.stats?.size ?? 0;
    return size === change.offset ? undefined : `is ${size} bytes long, not ${change.offset}`;
  }
  const found = 'entry' in change ? placeMark(place) : contentHash(place);
  if (found === change.before) return undefined;
  if (found === null) return 'is no longer there';
  return change.before === null ? 'is there already' : 'was changed by another program';
}
