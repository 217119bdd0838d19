import { files } from '../../node/file-calls.js';
import { fromBase64, MB } from '../../node/files.js';
import {
  closing,
  type FileStats,
  type Folder,
  isAlreadyThere,
  newFileMode,
  readAll,
  writeAll,
} from '../../node/folder.js';
import { sha256 } from '../../node/ids.js';
import type { Jail, Located, ResolvedPath } from '../jail.js';
import { type Change, linkHash, type TreeChange } from './change.js';
import { type CommitFolders, type FolderSteps, removeFolders, restoreFolders } from './folders.js';

// The entries of a commit on disk: the content at their paths, and how each is applied and reverted.

/** Larger files are never read. */
export const LARGEST_FILE = 1024 * MB;
/** Completes the sentence "<path> …". */
export const TOO_LARGE = 'is larger than 1 GB';

/** What a commit does to one file, as stored in its log. */
export interface CommitLogEntry {
  kind: 'write' | 'remove' | 'append';
  path: string;
  /** Hash of the content before and after; null for no file. Of an `append` only whether there was a file. */
  before: string | null;
  after: string | null;
  /** Name of the file with the new content, or with what is appended where that is not in `added`. */
  staged: string | null;
  /** What is appended, in base64, where it is short. */
  added?: string;
  /** Name under which the old file is kept until the commit is done. */
  kept: string;
  /** Path of the folder with these two names; null for `tx`, which is used wherever a rename from it is possible. */
  aside: string | null;
  mode: number;
  /** With `append`: where, and how much. */
  offset: number;
  length: number;
  /** No link is followed. */
  unfollowed?: true;
  /** Of a link that is written: nothing is staged for it before the commit point. */
  target?: string;
  /** Folders that the commit makes for the file, relative to the root, from the outside in. */
  folders: string[];
}

export interface CommitLog {
  id: string;
  entries: CommitLogEntry[];
  /** In a log that reverts: how many of the entries were started. */
  begun: number;
  /** Folders that the commit empties and removes, the innermost first. */
  emptied?: string[];
  /** Modes of folders that may have to be made, by path. */
  folderModes?: Record<string, number>;
  folders?: FolderSteps;
}

/** It makes room for other entries of its commit, so it comes before them. */
export function isRemoval({ kind, unfollowed }: CommitLogEntry): boolean {
  return kind === 'remove' && unfollowed === true;
}

/** The current place of a log's entry. */
export function locateEntry(jail: Jail, entry: CommitLogEntry, { entries }: CommitLog): Located {
  if (!entry.unfollowed) return jail.locate(entry.path, { origin: 'tool' });
  const gone = new Set(entries.filter(({ kind }) => kind === 'remove').map(({ path }) => path));
  return jail.locate(entry.path, { origin: 'tool', unfollowed: { gone } });
}

/** The content of a file, or null for no file. */
export function readPlace({ folder, name, stats }: ResolvedPath): Uint8Array | null {
  return stats === undefined ? null : readNamed(folder, name);
}

export function readNamed(folder: Folder, name: string): Uint8Array {
  return closing(folder.openToRead(name), (file) => {
    const stats = files.stat(file);
    const bytes = stats.isFile() ? readAll(file, stats.size, LARGEST_FILE) : undefined;
    if (bytes === undefined) throw new Error(`${name} is not a file of at most ${LARGEST_FILE / MB} MB`);
    return bytes;
  });
}

/** Of a link, that of its target; null for nothing. */
export function contentHash(place: ResolvedPath): string | null {
  if (place.stats?.isSymbolicLink()) return linkHash(place.folder.readlink(place.name));
  if (place.stats?.isDirectory()) return 'folder';
  const bytes = readPlace(place);
  return bytes === null ? null : sha256(bytes);
}

/** The `entryMark` of the entry on disk; null for nothing. */
export function placeMark(place: ResolvedPath): string | null {
  const hash = contentHash(place);
  if (hash === null || !place.stats?.isFile()) return hash;
  return `${isExecutable(place.stats.mode) ? 'executable' : 'file'}:${hash}`;
}

/** An entry with its place and its new bytes. */
export interface Step {
  entry: CommitLogEntry;
  place: ResolvedPath;
  bytes: Uint8Array | null;
  /** The folder of the new content and the old file. */
  aside: Folder;
}

/** Another program changed a file between our last check and our change. */
export class Superseded extends Error {
  constructor(readonly path: string) {
    super(`${path} was changed by another program at this moment`);
  }
}

/** Whether two stats of a path show the same file, unchanged in between. */
export function isSameFile(one: FileStats | undefined, other: FileStats | undefined): boolean {
  if (!one || !other) return one === other;
  return (['ino', 'dev', 'size', 'mtimeMs', 'ctimeMs'] as const).every((key) => one[key] === other[key]);
}

/**
 * Puts the entry's new state in place. The old file keeps a name, so that it can be restored. A file is checked one
 * last time right before its change; if another program changed it in between, throws `Superseded`.
 */
export function applyEntry(
  site: CommitFolders,
  entry: CommitLogEntry,
  place: ResolvedPath,
  aside: Folder,
): void {
  const folder = site.reach(place);
  switch (entry.kind) {
    case 'write':
      if (place.stats === undefined) {
        placeNew(site, folder, place.name, aside, entry);
        return;
      }
      keepOld(folder, place.name, aside, entry.kept);
      if (!isUntouched(place.stats, folder.lstat(place.name))) throw new Superseded(entry.path);
      if (entry.target !== undefined && aside.lstat(entry.staged!) === undefined)
        aside.makeLink(entry.staged!, entry.target);
      aside.rename(entry.staged!, folder, place.name);
      return;
    case 'remove':
      if (place.stats === undefined) return;
      // A power cut in the middle of a rename can leave both names; renaming one to the other then does nothing.
      if (aside.lstat(entry.kept)?.ino === place.stats.ino) {
        folder.unlink(place.name);
        return;
      }
      folder.rename(place.name, aside, entry.kept);
      if (isUntouched(place.stats, aside.lstat(entry.kept))) return;
      aside.rename(entry.kept, folder, place.name);
      throw new Superseded(entry.path);
    case 'append':
      appendTo(folder, place, entry, readAdded(entry, aside)!);
  }
}

/** By a second name, which unlike a rename never replaces a file that another program put there meanwhile. */
function placeNew(
  site: CommitFolders,
  folder: Folder,
  name: string,
  aside: Folder,
  entry: CommitLogEntry,
): void {
  try {
    if (entry.target === undefined) aside.link(entry.staged!, folder, name);
    else folder.makeLink(name, entry.target);
  } catch (error) {
    if (isAlreadyThere(error)) throw new Superseded(entry.path);
    if (!isLinkless(error) || entry.target !== undefined) throw error;
    // The only copy moves into a folder, which must be on disk before it.
    site.syncTouched();
    aside.rename(entry.staged!, folder, name);
  }
}

/** The same file with the same content; linking it a second time has changed its ctime. */
export function isUntouched(seen: FileStats, now: FileStats | undefined): boolean {
  return !!now && (['ino', 'dev', 'size', 'mtimeMs'] as const).every((key) => seen[key] === now[key]);
}

/** The appended bytes; undefined if the staged file is gone. */
export function readAdded({ staged, added }: CommitLogEntry, aside: Folder): Uint8Array | undefined {
  if (added !== undefined) return fromBase64(added);
  return aside.lstat(staged!) === undefined ? undefined : readNamed(aside, staged!);
}

/** The bytes after an append's offset; undefined when the file is shorter than that, or not there. */
export function readTail(entry: CommitLogEntry, place: ResolvedPath): Uint8Array | undefined {
  if (place.stats === undefined || place.stats.size < entry.offset) return undefined;
  return readNamed(place.folder, place.name).subarray(entry.offset);
}

/** Whether a crash can have left `tail` of what was appended: each byte is right, or was never written. */
export function canBeLeftOf(appended: Uint8Array, tail: Uint8Array): boolean {
  return tail.length <= appended.length && tail.every((byte, i) => byte === 0 || byte === appended[i]);
}

/** Hard-links the old file, or copies it where the file system has no hard links. */
function keepOld(folder: Folder, name: string, aside: Folder, kept: string): void {
  if (aside.lstat(kept) !== undefined) return;
  // On some systems a hard link to a symbolic link is one to its target.
  if (folder.lstat(name)?.isSymbolicLink()) {
    aside.makeLink(kept, folder.readlink(name));
    return;
  }
  try {
    folder.link(name, aside, kept);
  } catch (error) {
    if (!isLinkless(error)) throw error;
    copyOld(folder, name, aside, kept);
  }
}

function copyOld(folder: Folder, name: string, aside: Folder, kept: string): void {
  const part = `${kept}-part`;
  if (aside.lstat(part) !== undefined) aside.unlink(part);
  const stats = folder.lstat(name)!;
  const bytes = readNamed(folder, name);
  closing(aside.create(part, 0o600), (file) => {
    writeAll(file, bytes);
    closing(folder.openToRead(name), (old) => files.keepAttributes(file, old));
    files.chmod(file, stats.mode & 0o7777);
    files.sync(file);
  });
  aside.rename(part, aside, kept);
}

function isLinkless(error: unknown): boolean {
  const codes = ['EPERM', 'EMLINK', 'ENOSYS', 'ENOTSUP', 'EXDEV'];
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

function appendTo(folder: Folder, place: ResolvedPath, entry: CommitLogEntry, bytes: Uint8Array): void {
  closing(folder.openToWrite(place.name), (file) => {
    const now = files.stat(file);
    if (now.ino !== place.stats!.ino || now.size !== place.stats!.size) throw new Superseded(entry.path);
    writeAll(file, bytes, entry.offset);
    files.sync(file);
  });
}

/** Reverts the entry as far as it was applied. Unchanged files are not touched. */
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
  // Another program has changed it since.
  if (stands !== entry.after) return;
  if (aside.lstat(entry.kept) !== undefined) {
    if (stands !== entry.before || !isKept(place, aside, entry))
      aside.rename(entry.kept, site.reach(place), place.name);
  } else if (entry.before === null) {
    site.touch(place.folder);
    place.folder.unlink(place.name);
  }
}

/** Whether the old file is still in place, where its content does not prove it. */
function isKept(place: ResolvedPath, aside: Folder, entry: CommitLogEntry): boolean {
  return place.stats?.ino === aside.lstat(entry.kept)?.ino;
}

/** Truncates only bytes that can be ours. */
function revertAppend(site: CommitFolders, entry: CommitLogEntry, place: ResolvedPath, aside: Folder): void {
  const tail = readTail(entry, place);
  if (!tail?.length || !canBeLeftOf(readAdded(entry, aside)!, tail)) return;
  site.touch(place.folder);
  closing(place.folder.openToWrite(place.name), (file) => {
    files.truncate(file, entry.offset);
    files.sync(file);
  });
}

/** After a commit's removals: emptied folders are removed, and created again where later entries need them. */
export function changeFolders(site: CommitFolders, jail: Jail, log: CommitLog): void {
  const { entries, emptied = [], folderModes } = log;
  if (emptied.length > 0) {
    // Their files must not come back without them.
    site.syncTouched();
    removeFolders(site, jail, emptied);
  }
  restoreFolders(
    jail,
    entries.flatMap(({ folders }) => folders),
    folderModes,
  );
}

/**
 * Reverts the entries of a log that were started: written files are removed, with the folders made for them, before
 * removed files are restored.
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
      // If a file is in the place of its folder, the entry cannot have been applied.
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

/** As in git: the owner's bit decides. */
export function isExecutable(mode: number): boolean {
  return (mode & 0o100) !== 0;
}

/** Whether it removes an entry of a changeset. */
export function isEntryRemoval(change: Change | TreeChange): change is TreeChange {
  return 'entry' in change && change.entry === null;
}

/** The new bytes; null if there are none. */
export function bytesOf(change: Change | TreeChange): Uint8Array | null {
  if ('append' in change) return change.append;
  if ('after' in change) return change.after;
  return change.entry?.kind === 'file' ? change.entry.bytes : null;
}

/** The mode of the file after the change; `stats` are those before it. */
export function modeAfter(change: Change | TreeChange, stats: FileStats | undefined): number {
  const mode = 'append' in change ? undefined : change.mode;
  const old = stats?.isFile() ? stats.mode & 0o7777 : newFileMode();
  if (mode !== undefined) return mode;
  if (!('entry' in change) || change.entry?.kind !== 'file') return old;
  if (change.entry.executable === isExecutable(old)) return old;
  // Executable for everyone who can read it.
  return change.entry.executable ? old | ((old & 0o444) >> 2) : old & ~0o111;
}
