import type { Folder } from '../../node/folder.js';
import { sha256 } from '../../node/ids.js';
import type { Change, CommitResult } from '../commit/change.js';
import { parentOf, readNamed, readPlace } from '../commit/entry.js';
import { type FileState, type JournalChange, type JournalRecord, readRunJournal } from '../commit/journal.js';
import { sealOf } from '../commit/log.js';
import type { Jail } from '../jail.js';
import type { RootMark } from './run-folder.js';
import { ownershipOfRun, readRunFile } from './runs.js';

export type UndoResult =
  /** The files that were put back, and those that were not; `reason` completes the sentence "<path> …". */
  | { status: 'undone'; restored: string[]; refused: Refusal[] }
  /** There is no such run, or no journal of it that this user's teddy wrote. */
  | { status: 'unknown' }
  | Exclude<CommitResult, { status: 'committed' }>;

interface Refusal {
  path: string;
  reason: string;
}

/** What undoing a run would do. */
interface UndoPlan {
  changes: Change[];
  /** Files that are no longer what the run left. */
  refused: Refusal[];
  /** Folders that the run made, the innermost first, to be removed where they are empty. */
  folders: string[];
}

/** A file's way through a run: what it was before the first commit that touched it, and after the last. */
export interface UndoTrace {
  before: FileState | null;
  image: string | null;
  after: FileState | null;
  /** Another program changed it between two commits of the run. */
  broken: boolean;
  /** What the last of those commits did to it, and what was noted of that commit. */
  last: JournalChange;
  note: unknown;
}

/** Restores every file that is still what the run left, as it was before the run; undefined without a journal. */
export function planUndo(jail: Jail, journal: Folder): UndoPlan | undefined {
  const records = readRunJournal(journal);
  if (!records) return undefined;
  const plan: UndoPlan = { changes: [], refused: [], folders: [] };
  for (const [path, trace] of traceFiles(records)) {
    const change = undoFile(jail, journal, path, trace);
    if (typeof change === 'string') plan.refused.push({ path, reason: change });
    else if (change) plan.changes.push(change);
  }
  const made = new Set(records.flatMap(({ changes }) => changes.flatMap(({ folders }) => folders)));
  plan.folders = [...made].sort((a, b) => b.split('/').length - a.split('/').length);
  return plan;
}

export function traceFiles(records: readonly JournalRecord[]): Map<string, UndoTrace> {
  const traces = new Map<string, UndoTrace>();
  for (const { changes, note } of records)
    for (const change of changes) traces.set(change.path, follow(traces.get(change.path), change, note));
  return traces;
}

function follow(earlier: UndoTrace | undefined, last: JournalChange, note: unknown): UndoTrace {
  const { before, image, after } = last;
  if (!earlier) return { before, image, after, broken: false, last, note };
  const broken = earlier.broken || earlier.after?.hash !== before?.hash;
  return { ...earlier, after, broken, last, note };
}

function undoFile(jail: Jail, journal: Folder, path: string, trace: UndoTrace): Change | string | undefined {
  if (trace.broken) return 'was changed by another program during the run';
  const located = jail.locate(path, { door: 'tool' });
  if (located.status === 'refused') return located.reason;
  const { stats } = located.place;
  if (stats !== undefined && !stats.isFile()) return 'is no longer a file';
  const now = readPlace(located.place);
  const hash = now === null ? null : sha256(now);
  // What was put back already, by hand or by an undo that was cut off, is done.
  if (hash !== (trace.after?.hash ?? null)) {
    return hash === (trace.before?.hash ?? null) ? undefined : 'was changed after the run';
  }
  if (trace.before === null) return now === null ? undefined : { path, before: hash, after: null };
  const old = readNamed(journal, trace.image!);
  if (sha256(old) !== trace.before.hash) return 'cannot be restored: its copy in the journal is damaged';
  if (hash === trace.before.hash && (stats!.mode & 0o7777) === trace.before.mode) return undefined;
  return { path, before: hash, after: old, mode: trace.before.mode };
}

/** Takes away folders that are empty, the innermost first. */
export function removeEmptyFolders(jail: Jail, paths: readonly string[]): void {
  for (const path of paths) {
    try {
      jail.folder(parentOf(path))?.removeFolder(path.split('/').at(-1)!);
    } catch {}
  }
}

/** The file that a run has once it was undone. */
const UNDONE = 'undone.json';

/** A run that was undone, but for some files, which something else had changed by then. */
export interface Undone {
  left: string[];
}

/**
 * `undone.json` in the run's folder: a record is never changed, so this stands beside it. It says which files were left
 * as they were.
 */
export function markUndone(store: Folder, run: string, left: readonly string[]): Change {
  const old = readRunFile(store, run, UNDONE);
  return {
    path: `.teddy/runs/${run}/${UNDONE}`,
    before: old === undefined ? null : sha256(old),
    after: new TextEncoder().encode(`${JSON.stringify({ left, seal: sealUndone(run, left) })}\n`),
    mode: 0o600,
  };
}

/** Undefined where this user's teddy did not write it; of runs of older versions it was not sealed. */
export function readUndone(store: Folder, run: string, here: RootMark): Undone | undefined {
  const text = readRunFile(store, run, UNDONE);
  if (text === undefined) return undefined;
  const whose = ownershipOfRun(store, run, here).status;
  // Earlier versions wrote no more than that it was.
  const mark = text.startsWith('{') ? tryParse(text) : {};
  const left = Array.isArray(mark?.left) ? mark.left.filter((path) => typeof path === 'string') : [];
  if (whose === 'unnumbered' || (whose === 'own' && mark?.seal === sealUndone(run, left))) return { left };
  return undefined;
}

function sealUndone(run: string, left: readonly string[]): string {
  return sealOf(`undone ${JSON.stringify({ run, left })}`);
}

function tryParse(text: string): { left?: unknown; seal?: unknown } | undefined {
  try {
    return JSON.parse(text) as { left?: unknown; seal?: unknown };
  } catch {
    return undefined;
  }
}
