import type { Entry } from '../../core/changeset/entry-tree.js';
import type { Folder } from '../../node/folder.js';
import { sha256 } from '../../node/ids.js';
import { type Change, type CommitResult, entryMark, type TreeChange } from '../commit/change.js';
import {
  contentHash,
  isExecutable,
  LARGEST_FILE,
  placeMark,
  readNamed,
  TOO_LARGE,
} from '../commit/entries.js';
import { type FolderSteps, findEmptied } from '../commit/folders.js';
import {
  type FileState,
  type FolderChange,
  type JournalChange,
  type JournalRecord,
  openRunJournal,
  readRunJournal,
  UNKNOWN_HASH,
} from '../commit/journal.js';
import { describeError, type Jail, type ResolvedPath } from '../jail.js';
import type { LockedAccess } from '../lock.js';
import type { LeftFile, RestoredFiles } from './restored-files.js';
import type { RootMark } from './run-folder.js';
import { ownershipOfRun } from './runs.js';
import { foldersToKeep, foldersToRemove, isDeletion, traceFolders, withoutUnmade } from './undo-folders.js';
import { markUndone, readUndone } from './undone-mark.js';

export type UndoResult =
  /** `preview`: a hash of everything that it does; the same for a dry run and for the undo that was previewed. */
  | ({ status: 'undone'; preview: string } & RestoredFiles)
  /** There is no such run, or no journal of it that this user's teddy wrote. */
  | { status: 'unknown' }
  /** Nothing was done: it would no longer do what was previewed. */
  | { status: 'changed' }
  /** Nothing was done: the run did not change the file that was to be forced. */
  | { status: 'not-changed' }
  | Exclude<CommitResult, { status: 'committed' }>;

export type RedoResult =
  | ({ status: 'redone' } & Omit<RestoredFiles, 'refused'>)
  /** Nothing was done: these files are no longer what the undo left. */
  | { status: 'changed'; refused: LeftFile[] }
  | { status: 'unknown' }
  | Exclude<CommitResult, { status: 'committed' }>;

/** What undoing a run would do. */
interface UndoPlan {
  changes: (Change | TreeChange)[];
  refused: LeftFile[];
  /** Folders that the run created, innermost first. They are removed if they are empty. */
  folders: string[];
  /** Folders that are made again or get their mode back, the outermost first. */
  kept: FolderChange[];
  /** Folders that it takes away, if they are empty. */
  gone: FolderChange[];
  /** Those of `folders` that are empty then. */
  emptied: string[];
}

/** A file's way through a run: what it was before the first commit that touched it, and after the last. */
export interface UndoTrace {
  before: FileState | null;
  image: string | null;
  after: FileState | null;
  /** Another program changed it between two commits of the run. */
  broken: boolean;
  /** The entry itself: no link is followed. */
  unfollowed: boolean;
  /** Why the content from before is not kept. */
  lost: string | undefined;
  /** What the last of those commits did to it, and what was noted of that commit. */
  last: JournalChange;
  note: unknown;
}

interface JournalPlace {
  folder: Folder;
  /** Relative to the root. */
  path: string;
  records: readonly JournalRecord[];
}

export interface UndoOptions {
  /** Of a dry run: only what it showed is done. */
  preview?: string | undefined;
  /** This file is restored even if it has changed since. */
  force?: string | undefined;
}

/** What undoing a run would do. Takes no lock: files may change meanwhile. */
export function previewUndo(
  store: Folder,
  jail: Jail,
  run: string,
  here: RootMark,
  force: string | undefined,
): UndoResult {
  const plan = planUndoOf(store, jail, run, here, force);
  if (!plan) return { status: 'unknown' };
  if (plan === 'not-changed') return { status: 'not-changed' };
  return { status: 'undone', preview: hashPlan(plan), ...describePlan(plan) };
}

function planUndoOf(
  store: Folder,
  jail: Jail,
  run: string,
  here: RootMark,
  force: string | undefined,
): UndoPlan | 'not-changed' | undefined {
  if (ownershipOfRun(store, run, here).status === 'foreign') return undefined;
  const path = `.teddy/runs/${run}/journal`;
  const folder = jail.folder(path);
  const records = folder && readRunJournal(folder);
  if (!records) return undefined;
  if (force !== undefined && !traceFiles(records).has(force)) return 'not-changed';
  return planUndo(jail, { folder, path, records }, 'after the run', force);
}

function hashPlan({ changes, refused, folders, kept, emptied }: UndoPlan): string {
  const marks = changes.map((change) => {
    if ('entry' in change) return { ...change, entry: change.entry && entryMark(change.entry) };
    const after = 'after' in change && change.after !== null ? sha256(change.after) : null;
    return { ...change, after };
  });
  return sha256(JSON.stringify([marks, refused, folders, kept, emptied]));
}

/**
 * Undoes a run as one commit, and removes the folders that it created and that are empty now. With `preview`, only if
 * that is still what it does.
 */
export function restoreRun(
  { store, jail, commit }: LockedAccess,
  run: string,
  here: RootMark,
  { preview, force }: UndoOptions,
): UndoResult {
  const plan = planUndoOf(store.folder, jail, run, here, force);
  if (!plan) return { status: 'unknown' };
  if (plan === 'not-changed') return { status: 'not-changed' };
  const described = { preview: hashPlan(plan), ...describePlan(plan) };
  if (preview !== undefined && preview !== described.preview) return { status: 'changed' };
  const left = plan.refused.map((file) => file.path);
  const changes = [...plan.changes, markUndone(store.folder, run, left, here)];
  const note: UndoNote = { kind: 'undo', run };
  const journal = openRunJournal(store.folder, run, UNDO_JOURNAL);
  journal.folders = [...plan.gone, ...plan.kept].map(({ path, before, after }) => ({
    path,
    before: after,
    after: before,
  }));
  try {
    const result = commit(changes, { origin: 'tool', journal, note, folders: folderSteps(plan) });
    if (result.status !== 'committed') return result;
  } finally {
    journal.close();
  }
  return { status: 'undone', ...withoutUnmade(jail, plan.kept, described) };
}

/** Reverts the undo of a run as one commit; a file that changed since the undo stops it. */
export function revertUndo({ store, jail, commit }: LockedAccess, run: string, here: RootMark): RedoResult {
  if (!readUndone(store.folder, run, here)) return { status: 'unknown' };
  const path = `.teddy/runs/${run}/journal/${UNDO_JOURNAL}`;
  const folder = jail.folder(path);
  const records = folder && readRunJournal(folder);
  const plan = records && planRedo(jail, run, { folder, path, records });
  if (!plan) return { status: 'unknown' };
  if (plan.refused.length > 0) return { status: 'changed', refused: plan.refused };
  const result = commit(plan.changes, { origin: 'tool', folders: folderSteps(plan) });
  if (result.status !== 'committed') return result;
  clearImages(folder);
  const isOwn = (file: string) => file.startsWith(`.teddy/runs/${run}/`);
  const { restored, deleted } = describePlan(plan);
  return {
    status: 'redone',
    restored: restored.filter((file) => !isOwn(file)),
    deleted: deleted.filter((file) => !isOwn(file)),
  };
}

/** Restores every file that is still what the run left. `since`: `after the run`. `force`: also if it is not. */
function planUndo(jail: Jail, journal: JournalPlace, since: string, force?: string): UndoPlan {
  const { records } = journal;
  const plan: UndoPlan = { changes: [], refused: [], folders: [], kept: [], gone: [], emptied: [] };
  const changed = traceFolders(records);
  plan.gone = changed.flatMap(({ path, before, after }) =>
    before === null && typeof after === 'number' ? [{ path, before, after }] : [],
  );
  const emptied = records.flatMap((record) => record.emptied ?? []);
  const modes = Object.fromEntries(emptied.map(({ path, mode }) => [path, mode]));
  const undone = new Map<string, UndoneFile | undefined>();
  const removed = new Set<string>();
  const made = new Set(records.flatMap(({ changes }) => changes.flatMap(({ folders }) => folders)));
  for (const { path } of plan.gone) made.add(path);
  for (const { path, before } of changed) if (before !== null) made.delete(path);
  plan.folders = [...made].sort((a, b) => b.split('/').length - a.split('/').length);
  const traces = [...traceFiles(records)];
  const makesRoom = traces.some(([, { unfollowed }]) => unfollowed);
  const view = (): UndoView => ({
    jail,
    journal: journal.folder,
    modes,
    gone: removed,
    hollow: plan.folders,
    makesRoom,
  });
  const undo = (path: string, trace: UndoTrace) => undoFile(view(), path, trace, path === force);
  // What the run created goes first: it may be where a folder was, or in one that was a file.
  const isCreated = ([, { before }]: [string, UndoTrace]) => before === null;
  for (const [path, trace] of traces.filter(isCreated)) undone.set(path, undo(path, trace));
  for (const [path, each] of undone) if (each?.status === 'change') removed.add(path);
  for (const [path, trace] of traces) {
    const change = isCreated([path, trace]) ? undone.get(path) : undo(path, trace);
    if (change?.status === 'change') plan.changes.push(change.change);
    if (change?.status !== 'left') continue;
    const oldText = trace.image === null ? null : `${journal.path}/${trace.image}`;
    const reason = change.reason ?? `was changed ${since}`;
    const isLost = trace.before !== null && oldText === null;
    plan.refused.push({ path, reason, oldText, ...(isLost && { lost: true }) });
  }
  const { kept, blocked } = foldersToKeep(jail, changed, removed);
  plan.kept = kept;
  const isNamed = (folder: string) => plan.refused.some(({ path }) => `${path}/`.startsWith(folder));
  plan.refused.push(...blocked.filter(({ path }) => !isNamed(path)));
  plan.emptied = foldersToRemove(jail, plan.folders, plan.changes);
  return plan;
}

function describePlan({ changes, refused, kept, emptied }: UndoPlan): RestoredFiles {
  // A folder that comes or goes with its files is not worth a line.
  const isBare = (path: string) => !changes.some((change) => change.path.startsWith(`${path}/`));
  const modes = kept
    .filter(({ path, after }) => after !== null || isBare(path))
    .map(({ path }) => `${path}/`);
  const removed = emptied.filter(isBare).map((path) => `${path}/`);
  return {
    restored: [...changes.map(({ path }) => path), ...modes, ...removed],
    deleted: [...changes.filter(isDeletion).map(({ path }) => path), ...removed],
    refused,
  };
}

export function traceFiles(records: readonly JournalRecord[]): Map<string, UndoTrace> {
  const traces = new Map<string, UndoTrace>();
  for (const { changes, note } of records)
    for (const change of changes) traces.set(change.path, follow(traces.get(change.path), change, note));
  return traces;
}

function follow(earlier: UndoTrace | undefined, last: JournalChange, note: unknown): UndoTrace {
  const { before, image, after, lost } = last;
  const unfollowed = earlier?.unfollowed === true || last.unfollowed === true;
  if (!earlier) return { before, image, after, broken: false, unfollowed, lost, last, note };
  const broken = earlier.broken || (earlier.after?.hash !== before?.hash && lost === undefined);
  return { ...earlier, after, broken, unfollowed, last, note };
}

type UndoneFile =
  | { status: 'change'; change: Change | TreeChange }
  /** Without a reason: it has been changed since. */
  | { status: 'left'; reason?: string };

interface UndoView {
  jail: Jail;
  journal: Folder;
  /** Of folders that the run removed, by path. */
  modes: Readonly<Record<string, number>>;
  /** What the undo removes. */
  gone: ReadonlySet<string>;
  /** A command may have put a folder where a file was, so that removed files make room for others. */
  makesRoom: boolean;
  /** Folders that it removes if they are empty. */
  hollow: readonly string[];
}

function undoFile(view: UndoView, path: string, trace: UndoTrace, forced: boolean): UndoneFile | undefined {
  try {
    return undoOnDisk(view, path, trace, forced);
  } catch (error) {
    return { status: 'left', reason: `cannot be restored (${describeError(error)})` };
  }
}

function undoOnDisk(view: UndoView, path: string, trace: UndoTrace, forced: boolean): UndoneFile | undefined {
  const left = (reason: string): UndoneFile => ({ status: 'left', reason });
  if (trace.broken && !forced) return left('was changed by another program during the run');
  const { unfollowed } = trace;
  const located = view.jail.locate(path, {
    origin: 'tool',
    unfollowed: unfollowed ? { gone: view.gone } : undefined,
  });
  // Where its folder is a file again, what was created there is gone.
  if (located.status === 'refused' && located.code === 'blocked' && trace.before === null) return undefined;
  if (located.status === 'refused') return left(located.reason);
  const place = unfollowed ? withoutEmptied(view, located.place) : located.place;
  const { stats } = place;
  if (stats !== undefined && !stats.isFile() && !(unfollowed && stats.isSymbolicLink()))
    return left(
      unfollowed && stats.isDirectory() ? 'is a folder with other files in it' : 'is no longer a file',
    );
  if (stats !== undefined && stats.size > LARGEST_FILE) return left(TOO_LARGE);
  const hash = contentHash(place);
  const { before, after } = trace;
  // A file that was restored already, by hand or by an interrupted undo, needs nothing.
  if (hash !== (after?.hash ?? null) && !forced) {
    if (hash === (before?.hash ?? null) && (before === null || hasMode(place, before))) return undefined;
    return after?.hash === UNKNOWN_HASH ? left('could not be read after the command') : { status: 'left' };
  }
  if (hash === (before?.hash ?? null) && (before === null || hasMode(place, before))) return undefined;
  if (after !== null && !hasMode(place, after) && !forced)
    return left(`has had another mode since (${describeMode(stats!.mode)}, not ${describeMode(after.mode)})`);
  if (trace.lost !== undefined) return left(`cannot be restored: it ${trace.lost}`);
  const old = before === null ? null : readState(view.journal, before, trace.image);
  if (old === undefined) return left('cannot be restored: its copy in the journal is damaged');
  if (unfollowed) {
    const change = { path, before: placeMark(place), entry: old, folderModes: view.modes };
    return { status: 'change', change: { ...change, ...(old?.kind === 'file' && { mode: before!.mode }) } };
  }
  if (old === null && view.makesRoom && place.path === path)
    return { status: 'change', change: { path, before: placeMark(place), entry: null } };
  if (old === null) return { status: 'change', change: { path, before: hash, after: null } };
  if (old.kind === 'link') return left('is no longer a file');
  return { status: 'change', change: { path, before: hash, after: old.bytes, mode: before!.mode } };
}

/** A folder in which the undo leaves nothing is not in the way of what was there before. */
function withoutEmptied({ jail, gone, hollow }: UndoView, place: ResolvedPath): ResolvedPath {
  if (!place.stats?.isDirectory()) return place;
  const isEmptied = findEmptied(jail, gone, [], hollow).some(({ path }) => path === place.path);
  return isEmptied ? { ...place, stats: undefined } : place;
}

function hasMode({ stats }: ResolvedPath, state: FileState): boolean {
  return stats?.isFile() !== true || (stats.mode & 0o7777) === state.mode;
}

function describeMode(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}

/** What a file or link was; undefined where its copy is not that any more. */
function readState(
  journal: Folder,
  { hash, mode, target }: FileState,
  image: string | null,
): Entry | undefined {
  if (target !== undefined) return { kind: 'link', target };
  const bytes = readImage(journal, image!);
  return bytes && sha256(bytes) === hash
    ? { kind: 'file', bytes, executable: isExecutable(mode) }
    : undefined;
}

function readImage(journal: Folder, name: string): Uint8Array | undefined {
  try {
    return readNamed(journal, name);
  } catch {
    return undefined;
  }
}

function folderSteps({ folders, kept }: UndoPlan): FolderSteps {
  return {
    removed: folders,
    kept: kept.flatMap(({ path, before: mode }) => (mode === null ? [] : [{ path, mode }])),
  };
}

/** Where the undo of a run keeps what it overwrites, for `redo`: inside the run's journal, so that no plan can read it. */
const UNDO_JOURNAL = 'undo';

/** Sealed with each record of an undo: a record that was copied from elsewhere does not count. */
interface UndoNote {
  kind: 'undo';
  run: string;
}

/** Reverts what the undo of a run did; undefined without its journal. Includes the mark that the run was undone. */
function planRedo(jail: Jail, run: string, journal: JournalPlace): UndoPlan | undefined {
  const { records } = journal;
  const isOfRun = ({ note }: JournalRecord) => (note as UndoNote | undefined)?.run === run;
  if (records.length === 0 || !records.every(isOfRun)) return undefined;
  const plan = planUndo(jail, journal, 'after the undo');
  return { ...plan, changes: [...plan.changes, ...records.map((record) => dropRecord(journal, record))] };
}

/** Once the undo is reverted, the next one starts a new journal. */
function dropRecord({ folder, path }: JournalPlace, { id }: JournalRecord): Change {
  const name = `${id}.json`;
  return { path: `${path}/${name}`, before: sha256(readNamed(folder, name)), after: null };
}

/** Removes the copies that a reverted undo had kept. What stays behind means nothing. */
function clearImages(journal: Folder): void {
  for (const name of journal.list()) {
    try {
      if (!name.endsWith('.json')) journal.unlink(name);
    } catch {}
  }
}
