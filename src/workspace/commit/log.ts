import { files } from '../../node/file-calls.js';
import { isPrivate } from '../../node/files.js';
import { closing, type Folder, readText, writeText } from '../../node/folder.js';
import { isSealOf, sealOf } from '../../node/user-folders.js';
import type { Jail, Located } from '../jail.js';

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
}

/**
 * A commit's names in `tx`: `new` before its commit point, which recovery discards; `log` past it, which it completes;
 * `undo` when it failed past it, which it reverts.
 */
export type LogState = 'new' | 'log' | 'undo';

const NAME = /^([A-Za-z0-9-]+)\.(new|log|undo)$/;

export function parseLogName(name: string): { id: string; state: LogState } | undefined {
  const match = NAME.exec(name);
  return match ? { id: match[1]!, state: match[2] as LogState } : undefined;
}

/**
 * Writes a log. A `new` one may be cut short, and is discarded then; an `undo` one is complete on disk before it has
 * its name.
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
 * A log that this user's teddy wrote; undefined for any other. Recovery completes a log without asking, and a cloned
 * repository may contain one: the seal needs this user's key.
 */
export function readCommitLog(tx: Folder, name: string): CommitLog | undefined {
  const stats = tx.lstat(name);
  if (!stats || !isPrivate(stats)) return undefined;
  const [seal, body] = readText(tx, name).split('\n');
  return body !== undefined && isSealOf(body, seal) ? (JSON.parse(body) as CommitLog) : undefined;
}

/** It makes room for other entries of its commit, so it comes before them. */
export function isRemoval({ kind, unfollowed }: CommitLogEntry): boolean {
  return kind === 'remove' && unfollowed === true;
}

/** Where the entry of a log is now. */
export function locateEntry(jail: Jail, entry: CommitLogEntry, { entries }: CommitLog): Located {
  if (!entry.unfollowed) return jail.locate(entry.path, { origin: 'tool' });
  const gone = new Set(entries.filter(({ kind }) => kind === 'remove').map(({ path }) => path));
  return jail.locate(entry.path, { origin: 'tool', unfollowed: { gone } });
}
