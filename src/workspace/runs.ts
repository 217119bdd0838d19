import { type Folder, isAbsent, readText } from '../platform/index.js';
import { type Lock, tryAcquire } from './lock.js';
import { RunFolder, readNotes } from './run-folder.js';
import { makeFolder, type Store } from './store.js';
import { readRecords } from './undo.js';

/** How many runs are kept when nobody says otherwise. */
export const RUNS_KEPT = 200;

/** The file that a run has once it is over. */
export const RUN_RECORD = 'run.json';

const RUN_ID = /^\d{8}-\d{6}-[a-z0-9]{4}$/;

/** What a run wrote down while it was under way. */
export interface RunNotes {
  /** The entries of `RunFolder.note`. */
  progress: unknown[];
  /** The notes of its commits, in order: each is there exactly when its commit is. */
  commits: unknown[];
}

/**
 * Begins a run, or takes one whose process died: its folder, and a lock in it that tells the two apart. Undefined when
 * another process has that run.
 */
export function openRun(store: Store, id: string): RunFolder | undefined {
  const runs = openOrMake(store.folder, 'runs');
  let folder: Folder | undefined;
  let lock: Lock | undefined;
  try {
    folder = openOrMake(runs, id);
    lock = tryAcquire(folder, 'lock');
    if (!lock) {
      folder.close();
      return undefined;
    }
    return new RunFolder(id, folder, openOrMake(folder, 'journal'), lock);
  } catch (error) {
    folder?.close();
    lock?.release();
    throw error;
  } finally {
    runs.close();
  }
}

/** The ids of all runs, the oldest first. */
export function listRuns(store: Store): string[] {
  return inRuns(store, (runs) => idsIn(runs)) ?? [];
}

/** Runs that have no record and no process that will write one. */
export function listDeadRuns(store: Store): string[] {
  return (
    // In this order: a run that ends between the two looks has its record by then.
    inRuns(store, (runs) => idsIn(runs).filter((id) => !isAlive(runs, id) && !hasRecord(runs, id))) ?? []
  );
}

/** Undefined where there is no such file, or no such run. */
export function readRunFile(store: Store, id: string, name: string): string | undefined {
  return inRun(store, id, (folder) => readText(folder, name));
}

export function readRunNotes(store: Store, id: string): RunNotes {
  const notes = inRun(store, id, (folder) => {
    const journal = folder.openFolder('journal');
    try {
      const commits = readRecords(journal).flatMap(({ note }) => (note === undefined ? [] : [note]));
      return { progress: readNotes(journal), commits };
    } finally {
      journal.close();
    }
  });
  return notes ?? { progress: [], commits: [] };
}

/**
 * Removes the oldest runs beyond `keep`, whose ids sort by time; the last run always stays, for `undo`, and
 * so does every run that lives. The caller holds the root lock and has recovered. Gives the ids removed.
 */
export function pruneRuns(store: Store, keep: number): string[] {
  return (
    inRuns(store, (runs) => {
      const ids = idsIn(runs);
      const old = ids.slice(0, Math.max(0, ids.length - Math.max(1, keep)));
      const removed = old.filter((id) => !isAlive(runs, id));
      for (const id of removed) removeTree(runs, id);
      if (removed.length > 0) runs.sync();
      return removed;
    }) ?? []
  );
}

/** Takes away a run of which nothing is known. */
export function removeRun(store: Store, id: string): void {
  inRuns(store, (runs) => removeTree(runs, id));
}

function inRuns<T>(store: Store, work: (runs: Folder) => T): T | undefined {
  if (!store.folder.lstat('runs')?.isDirectory()) return undefined;
  const runs = store.folder.openFolder('runs');
  try {
    return work(runs);
  } finally {
    runs.close();
  }
}

function inRun<T>(store: Store, id: string, work: (folder: Folder) => T): T | undefined {
  return inRuns(store, (runs) => {
    if (!runs.lstat(id)?.isDirectory()) return undefined;
    const folder = runs.openFolder(id);
    try {
      return work(folder);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    } finally {
      folder.close();
    }
  });
}

function idsIn(runs: Folder): string[] {
  return runs
    .list()
    .filter((name) => RUN_ID.test(name) && runs.lstat(name)?.isDirectory())
    .sort();
}

function openOrMake(parent: Folder, name: string): Folder {
  if (makeFolder(parent, name, 0o700)) parent.sync();
  return parent.openFolder(name);
}

function hasRecord(runs: Folder, id: string): boolean {
  const folder = runs.openFolder(id);
  try {
    return folder.lstat(RUN_RECORD) !== undefined;
  } finally {
    folder.close();
  }
}

function isAlive(runs: Folder, id: string): boolean {
  const folder = runs.openFolder(id);
  try {
    if (!folder.lstat('lock')?.isFile()) return false;
    const lock = tryAcquire(folder, 'lock');
    lock?.release();
    return lock === undefined;
  } finally {
    folder.close();
  }
}

/** A folder with everything in it; a link is removed, and not what it leads to. */
function removeTree(parent: Folder, name: string): void {
  const folder = parent.openFolder(name);
  try {
    for (const each of folder.list()) {
      if (folder.lstat(each)?.isDirectory()) removeTree(folder, each);
      else folder.unlink(each);
    }
  } finally {
    folder.close();
  }
  parent.removeFolder(name);
}
