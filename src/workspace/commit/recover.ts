import { isPrivate } from '../../node/files.js';
import { type Folder, readText, removeIfThere } from '../../node/folder.js';
import { sha256 } from '../../node/ids.js';
import { isSealOf } from '../../node/user-folders.js';
import { describeError, type Jail, type ResolvedPath } from '../jail.js';
import { isIgnoreFile, type Store } from '../store.js';
import type { CommitListener } from './change.js';
import {
  applyEntry,
  type CommitLog,
  type CommitLogEntry,
  canBeLeftOf,
  changeFolders,
  contentHash,
  isRemoval,
  locateEntry,
  readAdded,
  readTail,
  revertEntries,
  revertEntry,
} from './entries.js';
import { CommitFolders, changeOtherFolders } from './folders.js';

export type Recovery =
  /** The ids of commits that were completed, and of those that were reverted. */
  | { status: 'recovered'; completed: string[]; reverted: string[] }
  /** Something prevents it. `reason` is a whole sentence. */
  | { status: 'stopped'; reason: string };

/**
 * A commit's names in `tx`: `new` before its commit point, which recovery discards; `log` past it, which it completes;
 * `undo` when it failed past it, which it reverts.
 */
type LogState = 'new' | 'log' | 'undo';

const NAME = /^([A-Za-z0-9-]+)\.(new|log|undo)$/;

function parseLogName(name: string): { id: string; state: LogState } | undefined {
  const match = NAME.exec(name);
  return match ? { id: match[1]!, state: match[2] as LogState } : undefined;
}

/**
 * Finishes the commits of processes that died: a log past its commit point is completed, one that was being reverted
 * is reverted, any other is discarded. The caller holds the root lock. Being killed here and starting again is safe.
 */
export function recover(jail: Jail, store: Store, listener?: CommitListener): Recovery {
  const completed: string[] = [];
  const reverted: string[] = [];
  try {
    for (const name of store.tx.list()) if (name.endsWith('-part')) removeIfThere(store.tx, name);
    const names = store.tx.list().sort();
    for (const name of names.filter((each) => parseLogName(each)?.state === 'undo')) {
      const log = trusted(store, name);
      takeBack(jail, store, log);
      finish(store, log, 'undo');
      reverted.push(log.id);
    }
    for (const name of names.filter((each) => parseLogName(each)?.state === 'log')) {
      if (store.tx.lstat(name) === undefined) continue;
      const log = trusted(store, name);
      if (complete(jail, store, log, listener)) completed.push(log.id);
      finish(store, log, 'log');
    }
    clearAway(jail, store);
    return { status: 'recovered', completed, reverted };
  } catch (error) {
    return {
      status: 'stopped',
      reason: `An interrupted change cannot be completed: ${describeError(error)}.`,
    };
  }
}

/**
 * A log that this user's teddy wrote; undefined for any other. Recovery completes a log without asking, and a cloned
 * repository may contain one: the seal needs this user's key.
 */
function readCommitLog(tx: Folder, name: string): CommitLog | undefined {
  const stats = tx.lstat(name);
  if (!stats || !isPrivate(stats)) return undefined;
  const [seal, body] = readText(tx, name).split('\n');
  return body !== undefined && isSealOf(body, seal) ? (JSON.parse(body) as CommitLog) : undefined;
}

function trusted(store: Store, name: string): CommitLog {
  const log = readCommitLog(store.tx, name);
  if (log) return log;
  throw new Error(`.teddy/tx/${name} was not written here by you; look at it, then delete it`);
}

interface Found {
  entry: CommitLogEntry;
  /** Undefined if its folder is gone. */
  place: ResolvedPath | undefined;
  aside: Folder;
  /** How far the entry got; `lost`: it is not done yet, and its new content is gone. */
  state: 'before' | 'after' | 'lost';
}

/** False when the log turns out to be short of its commit point after all. */
function complete(jail: Jail, store: Store, log: CommitLog, listener?: CommitListener): boolean {
  const found = log.entries.map((entry) => find(jail, store, entry, log));
  const lost = found.find(({ state }) => state === 'lost');
  if (lost && found.some(({ state }) => state === 'after'))
    throw new Error(`the new content of ${lost.entry.path} is gone`);
  // Content is staged before the commit point and moved into place after it: if it is missing, nothing had started.
  if (lost) return false;
  const site = new CommitFolders();
  const removals = found.filter(({ entry }) => isRemoval(entry)).length;
  try {
    for (const [i, { entry, place, aside, state }] of found.entries()) {
      listener?.({ phase: 'recovering', done: i, of: found.length });
      if (i === removals) changeFolders(site, jail, log);
      if (place === undefined) continue;
      if (state === 'before') applyEntry(site, entry, place, aside);
      else site.touch(place.folder);
    }
    if (removals === found.length) changeFolders(site, jail, log);
    site.syncTouched();
    if (log.folders) changeOtherFolders(jail, log.folders);
  } finally {
    site.close();
  }
  return true;
}

function takeBack(jail: Jail, store: Store, log: CommitLog): void {
  const site = new CommitFolders();
  try {
    revertEntries(site, jail, log, (entry, place) => {
      if (!isOfKind(entry, place)) throw new Error(`${entry.path} is no longer a file`);
      revertEntry(site, entry, place, asideOf(jail, store, entry));
      site.touch(place.folder);
    });
    site.syncTouched();
  } finally {
    site.close();
  }
}

/** Afterwards the commit's files in `tx` have no meaning; `clearAway` removes them. */
function finish(store: Store, log: CommitLog, state: 'log' | 'undo'): void {
  if (state === 'undo' && store.tx.lstat(`${log.id}.log`)) store.tx.unlink(`${log.id}.log`);
  store.tx.rename(`${log.id}.${state}`, store.tx, `${log.id}.new`);
  store.tx.sync();
}

/** Removes the files of commits that did not reach their commit point. */
function clearAway(jail: Jail, store: Store): void {
  for (const name of store.tx.list()) {
    const log = parseLogName(name)?.state === 'new' ? readCommitLog(store.tx, name) : undefined;
    if (log) removeNames(jail, store, log);
  }
  for (const name of store.tx.list()) if (!isIgnoreFile(name)) removeIfThere(store.tx, name);
}

function removeNames(jail: Jail, store: Store, log: CommitLog): void {
  const apart = new Set<Folder>();
  for (const { aside, staged, kept } of log.entries) {
    const folder = aside === null ? store.tx : jail.folder(aside);
    if (!folder) continue;
    for (const name of [staged, kept, `${kept}-part`]) if (name !== null) removeIfThere(folder, name);
    if (aside !== null) apart.add(folder);
  }
  for (const folder of apart) folder.sync();
}

/** Whether an entry can be at a place: a file, in a changeset also a link, or a folder instead of it. */
function isOfKind({ unfollowed }: CommitLogEntry, { stats }: ResolvedPath): boolean {
  return stats === undefined || stats.isFile() || (unfollowed === true && !isSpecial(stats));
}

function isSpecial(stats: NonNullable<ResolvedPath['stats']>): boolean {
  return !stats.isFile() && !stats.isSymbolicLink() && !stats.isDirectory();
}

function asideOf(jail: Jail, store: Store, entry: CommitLogEntry): Folder {
  const aside = entry.aside === null ? store.tx : jail.folder(entry.aside);
  if (!aside) throw new Error(`the folder ${entry.aside} is gone`);
  return aside;
}

/** How far an entry got. Throws when the file is neither what it was nor what it was to be. */
function find(jail: Jail, store: Store, entry: CommitLogEntry, log: CommitLog): Found {
  const located = locateEntry(jail, entry, log);
  const aside = asideOf(jail, store, entry);
  // Another entry of this commit replaced its folder: the entry is gone.
  if (located.status === 'refused' && located.code === 'blocked' && isRemoval(entry))
    return { entry, place: undefined, aside, state: 'after' };
  if (located.status === 'refused') throw new Error(`${entry.path} ${located.reason}`);
  const place = withoutFolder(entry, located.place, log);
  if (!isOfKind(entry, place)) throw new Error(`${entry.path} is no longer a file`);
  const state =
    entry.kind === 'append' ? appendState(entry, place, aside) : replaceState(entry, place, aside);
  if (state === undefined) {
    throw new Error(`${entry.path} matches neither its state before the change nor its state after it`);
  }
  return { entry, place, aside, state };
}

/** A folder that the commit removes, or makes where a file was, is not the entry. */
function withoutFolder(
  entry: CommitLogEntry,
  place: ResolvedPath,
  { emptied = [] }: CommitLog,
): ResolvedPath {
  if (!entry.unfollowed || !place.stats?.isDirectory()) return place;
  const isOwn = isRemoval(entry) || emptied.includes(entry.path);
  return isOwn ? { ...place, stats: undefined } : place;
}

function replaceState(entry: CommitLogEntry, place: ResolvedPath, aside: Folder): Found['state'] | undefined {
  const hash = contentHash(place);
  const waits =
    entry.target !== undefined || (entry.staged !== null && aside.lstat(entry.staged) !== undefined);
  const modeHolds =
    entry.kind === 'remove' ||
    entry.target !== undefined ||
    (place.stats && (place.stats.mode & 0o7777) === entry.mode);
  if (hash === entry.after && modeHolds) return 'after';
  if (hash !== entry.before) return undefined;
  return waits || entry.kind === 'remove' ? 'before' : 'lost';
}

function appendState(entry: CommitLogEntry, place: ResolvedPath, aside: Folder): Found['state'] | undefined {
  const tail = readTail(entry, place);
  if (tail === undefined) return undefined;
  if (tail.length >= entry.length && sha256(tail.subarray(0, entry.length)) === entry.after) return 'after';
  const added = readAdded(entry, aside);
  if (added === undefined) return tail.length === 0 ? 'lost' : undefined;
  return canBeLeftOf(added, tail) ? 'before' : undefined;
}
