import { type Folder, randomId, readText } from '../platform/index.js';
import { tryAcquire } from './lock.js';
import { RunFolder, readNotes } from './run-folder.js';
import { makeFolder, openContent, openOwn } from './store.js';
import { readRecords } from './undo.js';

/** How many runs are kept when nobody says otherwise. */
export const RUNS_KEPT = 200;

/** The file that a run has once it is over. */
export const RUN_RECORD = 'run.json';

const UNBORN = 'new-';
const UNBORN_MS = 60 * 60 * 1000;
const RUN_ID = /^\d{8}-\d{6}-[a-z0-9]{4}$/;

/** What a run wrote down while it was under way. */
export interface RunNotes {
  /** The entries of `RunFolder.note`. */
  progress: unknown[];
  /** The notes of its commits, in order: each is there exactly when its commit is. */
  commits: unknown[];
}

/** What a run has from its first moment on. */
export interface RunStart {
  files: Readonly<Record<string, string>>;
  note: unknown;
}

/**
 * Begins a run: its folder, what is known of it already, and a lock that tells a run that lives from one that died.
 * All of it is made under another name, so that nobody finds a run that is only half there. Undefined when there is a
 * run of that id.
 */
export function createRun(store: Folder, id: string, { files, note }: RunStart): RunFolder | undefined {
  return withRuns(store, (runs) => {
    const unborn = `${UNBORN}${id}-${randomId(8)}`;
    runs.makeFolder(unborn, 0o700);
    const run = openRun(runs, unborn, id);
    try {
      for (const [name, text] of Object.entries(files)) run.write(name, text);
      run.note(note);
      runs.rename(unborn, runs, id);
      runs.sync();
      return run;
    } catch (error) {
      run.close();
      removeTree(runs, unborn);
      if (isTaken(error)) return undefined;
      throw error;
    }
  });
}

/** Takes a run whose process died; undefined when another process has it. */
export function takeRun(store: Folder, id: string): RunFolder | undefined {
  return withRuns(store, (runs) => {
    const folder = runs.openFolder(id);
    const lock = tryAcquire(folder, 'lock');
    if (lock) return new RunFolder(id, `${runs.path}/${id}`, folder, openOrMake(folder, 'journal'), lock);
    folder.close();
    return undefined;
  });
}

function openRun(runs: Folder, name: string, id: string): RunFolder {
  const folder = runs.openFolder(name);
  const lock = tryAcquire(folder, 'lock');
  if (!lock) throw new Error(`the lock of ${name} is held by another`);
  return new RunFolder(id, `${runs.path}/${id}`, folder, openOrMake(folder, 'journal'), lock);
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST');
}

/** The ids of all runs, the oldest first. */
export function listRuns(store: Folder): string[] {
  return inRuns(store, (runs) => idsIn(runs)) ?? [];
}

/** Runs that have no record and no process that will write one. */
export function listDeadRuns(store: Folder): string[] {
  return inRuns(store, (runs) => idsIn(runs).filter((id) => isDead(runs, id))) ?? [];
}

/** Undefined where there is no such file, or no such run. */
export function readRunFile(store: Folder, id: string, name: string): string | undefined {
  return inRun(store, id, (folder) => readText(folder, name));
}

export function readRunNotes(store: Folder, id: string): RunNotes {
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
export function pruneRuns(store: Folder, keep: number): string[] {
  return (
    inRuns(store, (runs) => {
      const ids = idsIn(runs);
      const old = ids.slice(0, Math.max(0, ids.length - Math.max(1, keep)));
      const removed = old.filter((id) => !isAlive(runs, id));
      for (const id of [...removed, ...unbornIn(runs)]) removeTree(runs, id);
      if (removed.length > 0) runs.sync();
      return removed;
    }) ?? []
  );
}

/** What processes left that died while they began a run, long enough ago to be sure. */
function unbornIn(runs: Folder): string[] {
  return runs.list().filter((name) => {
    const age = Date.now() - (runs.lstat(name)?.mtimeMs ?? Number.POSITIVE_INFINITY);
    return name.startsWith(UNBORN) && age > UNBORN_MS && !isAlive(runs, name);
  });
}

function withRuns<T>(store: Folder, work: (runs: Folder) => T): T {
  const runs = openContent(store, 'runs');
  try {
    return work(runs);
  } finally {
    runs.close();
  }
}

function inRuns<T>(store: Folder, work: (runs: Folder) => T): T | undefined {
  if (!store.lstat('runs')?.isDirectory()) return undefined;
  const runs = openOwn(store, 'runs');
  try {
    return work(runs);
  } finally {
    runs.close();
  }
}

function inRun<T>(store: Folder, id: string, work: (folder: Folder) => T): T | undefined {
  return inRuns(store, (runs) => {
    if (!runs.lstat(id)?.isDirectory()) return undefined;
    const folder = runs.openFolder(id);
    try {
      return work(folder);
    } catch {
      // Nothing there, or nothing that teddy made: a repository may bring anything.
      return undefined;
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

function isDead(runs: Folder, id: string): boolean {
  try {
    // In this order: a run that ends between the two looks has its record by then.
    return !isAlive(runs, id) && !hasRecord(runs, id);
  } catch {
    // Removed by someone else since it was listed, or not made by teddy at all.
    return false;
  }
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
