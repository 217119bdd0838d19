import { join } from 'node:path';
import { files } from '../../node/file-calls.js';
import { fromBase64, isPrivate } from '../../node/files.js';
import {
  closing,
  type FileStats,
  type Folder,
  isAbsent,
  isAlreadyThere,
  readText,
  writeAll,
  writeText,
} from '../../node/folder.js';
import { sealOf } from '../../node/user-folders.js';
import type { ResolvedPath } from '../jail.js';
import { OWN_MODE } from '../store.js';
import { readNamed } from './place-state.js';

/** What a commit does to one file, as its log holds it. */
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
  /** Path of the folder in which these two names stand; null for `tx`, unless no rename leads from there. */
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
  /** In a log that takes back: how many of the entries were begun. */
  begun: number;
  /** Folders that the commit empties and removes, the innermost first. */
  emptied?: string[];
  /** Modes of folders that may have to be made, by path. */
  folderModes?: Record<string, number>;
}

/**
 * A commit's names in `tx`: `new` before its commit point, to be discarded; `log` past it, to be completed;
 * `undo` when it failed past it, to be taken back.
 */
export type LogState = 'new' | 'log' | 'undo';

const NAME = /^([A-Za-z0-9-]+)\.(new|log|undo)$/;

export function parseLogName(name: string): { id: string; state: LogState } | undefined {
  const match = NAME.exec(name);
  return match ? { id: match[1]!, state: match[2] as LogState } : undefined;
}

/**
 * Writes a log. One that is `new` may be torn and counts for nothing then; one that takes back is whole on
 * disk before it has its name.
 */
export function writeLog(tx: Folder, log: CommitLog, state: 'new' | 'undo'): void {
  const name = `${log.id}.${state}`;
  const first = state === 'new' ? name : `${name}-part`;
  const body = JSON.stringify(log);
  closing(tx.create(first, 0o600), (file) => {
    writeText(file, `${sealOf(body)}\n${body}\n`);
    files.sync(file);
  });
  if (first !== name) tx.rename(first, tx, name);
}

/**
 * A log that this user's teddy wrote; undefined for any other. A log is carried out without asking, and a
 * cloned repository may bring one: the seal needs this user's key.
 */
export function readCommitLog(tx: Folder, name: string): CommitLog | undefined {
  const stats = tx.lstat(name);
  if (!stats || !isPrivate(stats)) return undefined;
  const [seal, body] = readText(tx, name).split('\n');
  return body !== undefined && seal === sealOf(body) ? (JSON.parse(body) as CommitLog) : undefined;
}

/** An entry with the place that it was found at and the bytes that it brings. */
export interface Step {
  entry: CommitLogEntry;
  place: ResolvedPath;
  bytes: Uint8Array | null;
  /** Where the new content waits and the old file is kept. */
  aside: Folder;
}

/** Another program came between the last look at a file and its change. */
export class Superseded extends Error {
  constructor(readonly path: string) {
    super(`${path} was changed by another program at this moment`);
  }
}

/** The folders that a commit changes. */
export class CommitFolders {
  /** Folders whose entries changed, to be synced before the commit is done. */
  private readonly touched = new Set<Folder>();
  private readonly opened = new Map<string, Folder>();

  /** The folder of a place, with those that were missing on the way made. */
  reach(place: ResolvedPath): Folder {
    let folder = place.folder;
    let path = parentOf(place.path, place.missing.length + 1);
    for (const name of place.missing) {
      path = path === '' ? name : `${path}/${name}`;
      folder = this.opened.get(path) ?? this.make(folder, name, path);
    }
    this.touched.add(folder);
    return folder;
  }

  touch(folder: Folder): void {
    this.touched.add(folder);
  }

  /** Removes a folder that is empty; false for one that is not, or is gone. */
  remove(parent: Folder, name: string, path: string): boolean {
    try {
      parent.removeFolder(name);
    } catch (error) {
      // Someone else put something there, or took it away.
      if (!isNotEmpty(error) && !isAbsent(error) && !isNoFolder(error)) throw error;
      return false;
    }
    this.touched.add(parent);
    this.opened.get(path)?.close();
    this.opened.delete(path);
    const gone = join(parent.path, name);
    for (const folder of this.touched) if (folder.path === gone) this.touched.delete(folder);
    return true;
  }

  syncTouched(): void {
    for (const folder of this.touched) folder.sync();
  }

  close(): void {
    for (const folder of this.opened.values()) folder.close();
  }

  private make(parent: Folder, name: string, path: string): Folder {
    try {
      parent.makeFolder(name, folderMode(path));
    } catch (error) {
      if (!isAlreadyThere(error)) throw error;
    }
    this.touched.add(parent);
    const folder = parent.enterFolder(name);
    this.opened.set(path, folder);
    return folder;
  }
}

function folderMode(path: string): number {
  return path.startsWith('.teddy/') ? OWN_MODE : 0o777;
}

export function parentOf(path: string, levels = 1): string {
  return path.split('/').slice(0, -levels).join('/');
}

/** Whether two looks at a path saw the same file, unchanged between them. */
export function isSameFile(one: FileStats | undefined, other: FileStats | undefined): boolean {
  if (!one || !other) return one === other;
  return (['ino', 'dev', 'size', 'mtimeMs', 'ctimeMs'] as const).every((key) => one[key] === other[key]);
}

/**
 * Puts the entry's new state in place. The old file keeps a name, so that it can be put back. The last look
 * at a file comes right before its change; who was there in between throws `Overtaken`.
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

/** By a second name, which unlike a rename never takes the place of what someone else put there meanwhile. */
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
    // The only copy goes into a folder that has to be on disk before it.
    site.syncTouched();
    aside.rename(entry.staged!, folder, name);
  }
}

/** The same file with the same content; a second name for it has moved its ctime. */
function isUntouched(seen: FileStats, now: FileStats | undefined): boolean {
  return !!now && (['ino', 'dev', 'size', 'mtimeMs'] as const).every((key) => seen[key] === now[key]);
}

/** What is appended; undefined when it is gone. */
export function readAdded({ staged, added }: CommitLogEntry, aside: Folder): Uint8Array | undefined {
  if (added !== undefined) return fromBase64(added);
  return aside.lstat(staged!) === undefined ? undefined : readNamed(aside, staged!);
}

/** The bytes after an append's offset; undefined when the file is shorter than that, or not there. */
export function readTail(entry: CommitLogEntry, place: ResolvedPath): Uint8Array | undefined {
  if (place.stats === undefined || place.stats.size < entry.offset) return undefined;
  return readNamed(place.folder, place.name).subarray(entry.offset);
}

/** Whether a crash can have left `tail` of what was appended: each byte as it was to be, or never written. */
export function canBeLeftOf(appended: Uint8Array, tail: Uint8Array): boolean {
  return tail.length <= appended.length && tail.every((byte, i) => byte === 0 || byte === appended[i]);
}

/** A second name for the old file; a copy where the file system knows no second names. */
function keepOld(folder: Folder, name: string, aside: Folder, kept: string): void {
  if (aside.lstat(kept) !== undefined) return;
  // A second name for a link would be one for its target on some systems.
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

function isNoFolder(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOTDIR';
}

function isNotEmpty(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST');
}
