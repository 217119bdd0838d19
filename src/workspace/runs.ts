import type { Folder } from '../platform/index.js';
import { type Lock, tryAcquire } from './lock.js';
import { makeFolder, type Store } from './store.js';

/** How many runs are kept when nobody says otherwise. */
export const RUNS_KEPT = 200;

/**
 * Begins a run: its folder, and a lock in it that tells a run that lives from one that died. Undefined when
 * another process has that run.
 */
export function beginRun(store: Store, run: string): Lock | undefined {
  const runs = openOrMake(store.folder, 'runs');
  try {
    const folder = openOrMake(runs, run);
    try {
      return tryAcquire(folder, 'lock');
    } finally {
      folder.close();
    }
  } finally {
    runs.close();
  }
}

/**
 * Removes the oldest runs beyond `keep`, whose ids sort by time; the last run always stays, for `undo`, and
 * so does every run that lives. The caller holds the root lock and has recovered. Gives the ids removed.
 */
export function pruneRuns(store: Store, keep: number): string[] {
  if (store.folder.lstat('runs') === undefined) return [];
  const runs = store.folder.openFolder('runs');
  try {
    const ids = runs.list().filter((name) => runs.lstat(name)?.isDirectory());
    const old = ids.sort().slice(0, Math.max(0, ids.length - Math.max(1, keep)));
    const removed = old.filter((id) => !isAlive(runs, id));
    for (const id of removed) removeTree(runs, id);
    if (removed.length > 0) runs.sync();
    return removed;
  } finally {
    runs.close();
  }
}

function openOrMake(parent: Folder, name: string): Folder {
  if (makeFolder(parent, name, 0o700)) parent.sync();
  return parent.openFolder(name);
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
