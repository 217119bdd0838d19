import { files } from '../../node/file-calls.js';
import { closing, type Folder } from '../../node/folder.js';
import type { Jail, Located, ResolvedPath } from '../jail.js';
import {
  type CommitFolders,
  type CommitLog,
  type CommitLogEntry,
  canBeLeftOf,
  parentOf,
  readAdded,
  readTail,
} from './log.js';
import { contentHash } from './place-state.js';

// How a commit is taken back, entry by entry, and what it does to folders.

/** Takes the entry back, as far as it was applied: what was not changed is not touched. */
export function revertEntry(
  site: CommitFolders,
  entry: CommitLogEntry,
  place: ResolvedPath,
  aside: Folder,
): void {
  if (entry.kind === 'append') {
    revertAppend(site, entry, place, aside);
    return;
  }
  const stands = contentHash(place);
  // What someone wrote there since is theirs.
  if (stands !== entry.after) return;
  if (aside.lstat(entry.kept) !== undefined) {
    if (stands !== entry.before || !isKept(place, aside, entry))
      aside.rename(entry.kept, site.reach(place), place.name);
  } else if (entry.before === null) {
    site.touch(place.folder);
    place.folder.unlink(place.name);
  }
}

/** Whether the old file is still in its place, where its content does not show it. */
function isKept(place: ResolvedPath, aside: Folder, entry: CommitLogEntry): boolean {
  return place.stats?.ino === aside.lstat(entry.kept)?.ino;
}

/** Only bytes that can be ours are cut off again. */
function revertAppend(site: CommitFolders, entry: CommitLogEntry, place: ResolvedPath, aside: Folder): void {
  const tail = readTail(entry, place);
  if (!tail?.length || !canBeLeftOf(readAdded(entry, aside)!, tail)) return;
  site.touch(place.folder);
  closing(place.folder.openToWrite(place.name), (file) => {
    files.truncate(file, entry.offset);
    files.sync(file);
  });
}

/** Removes the folders that removals left empty. What was in them must not come back without them. */
export function removeEmptied(site: CommitFolders, jail: Jail, paths: readonly string[]): void {
  if (paths.length === 0) return;
  site.syncTouched();
  removeFolders(site, jail, paths);
}

/** Makes folders as they were, safely, before anything is moved into them. */
export function restoreFolders(jail: Jail, paths: readonly string[], modes: CommitLog['folderModes']): void {
  for (const path of [...new Set(paths)].sort((a, b) => a.length - b.length)) {
    const mode = modes?.[path];
    const parent = mode === undefined ? undefined : jail.requireFolder(parentOf(path));
    if (mode === undefined || parent === undefined) continue;
    const name = path.split('/').at(-1)!;
    if (parent.lstat(name) === undefined) parent.makeFolder(name, mode);
    if (!parent.lstat(name)?.isDirectory()) continue;
    const folder = parent.openFolder(name);
    try {
      if ((folder.seen.mode & 0o7777) !== mode) folder.chmod(mode);
      folder.sync();
    } finally {
      folder.close();
    }
    parent.sync();
  }
}

/**
 * Takes back the entries of a log that were begun: what was written goes, with the folders made for it, before what was
 * removed comes back.
 */
export function revertEntries(
  site: CommitFolders,
  jail: Jail,
  log: CommitLog,
  revert: (entry: CommitLogEntry, place: ResolvedPath) => void,
): void {
  const begun = log.entries.slice(0, log.begun).toReversed();
  const revertAll = (entries: readonly CommitLogEntry[]) => {
    for (const entry of entries) {
      const located = locateEntry(jail, entry, log);
      // Where a file stands in the way of its folder, the entry cannot have been applied.
      if (located.status === 'refused' && located.code === 'blocked') continue;
      if (located.status === 'refused') throw new Error(`${entry.path} ${located.reason}`);
      revert(entry, located.place);
    }
  };
  revertAll(begun.filter((entry) => !isRemoval(entry)));
  removeFolders(
    site,
    jail,
    log.entries.flatMap(({ folders }) => folders),
  );
  restoreFolders(jail, log.emptied ?? [], log.folderModes);
  revertAll(begun.filter(isRemoval));
}

/** Makes way for others of its commit, and so comes before them. */
export function isRemoval({ kind, unfollowed }: CommitLogEntry): boolean {
  return kind === 'remove' && unfollowed === true;
}

/** Where the entry of a log is now. */
export function locateEntry(jail: Jail, entry: CommitLogEntry, { entries }: CommitLog): Located {
  if (!entry.unfollowed) return jail.locate(entry.path, { origin: 'tool' });
  const gone = new Set(entries.filter(({ kind }) => kind === 'remove').map(({ path }) => path));
  return jail.locate(entry.path, { origin: 'tool', unfollowed: { gone } });
}

/** Removes folders as far as they are empty, the innermost first. */
function removeFolders(site: CommitFolders, jail: Jail, paths: readonly string[]): void {
  for (const path of [...new Set(paths)].sort((a, b) => b.length - a.length)) {
    const parent = jail.requireFolder(parentOf(path));
    let isLeft = false;
    try {
      isLeft = !parent || !site.remove(parent, path.split('/').at(-1)!, path);
    } finally {
      // Also where the system reports an error: it may be gone all the same.
      if (!isLeft) jail.forget(path);
    }
  }
}
