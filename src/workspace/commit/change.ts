import type { Entry } from '../../core/changeset/entry-tree.js';
import { describeSystemError } from '../../node/errors.js';
import { sha256 } from '../../node/ids.js';

/** One change of a commit. Paths are relative to the root; hashes are SHA-256 in hexadecimal. */
export type Change =
  /** `before` is the hash of the current content, null for no file; `after` null removes the file. */
  | { path: string; before: string | null; after: Uint8Array | null; mode?: number }
  /** Adds to the end of a file, which must be `offset` bytes long; a missing one counts as empty. */
  | { path: string; append: Uint8Array; offset: number };

/**
 * An entry of a changeset, itself: no link is followed, on the way or at its end. A commit may put it where a folder is
 * that it empties, or below a file that it removes.
 */
export interface TreeChange {
  path: string;
  /** The mark of the entry that must be there now; null for none. */
  before: string | null;
  entry: Entry | null;
  /** Of a file; without it, the old one, or that of a new file, is made executable or not. */
  mode?: number;
  /** With `entry: null`: folders that are empty then are removed. */
  clears?: boolean;
  /** Modes of folders that are made for it, by path; a new folder's without it. */
  folderModes?: Readonly<Record<string, number>>;
}

/** Two entries have the same mark only if they are equal: kind, content and whether they are executable. */
export function entryMark(entry: Entry): string {
  if (entry.kind === 'link') return linkHash(entry.target);
  return `${entry.executable ? 'executable' : 'file'}:${sha256(entry.bytes)}`;
}

/** Links are compared by this hash of their target, files by that of their content. */
export function linkHash(target: string): string {
  return `link:${sha256(target)}`;
}

/** A file that differs from what the change expected, because another program changed it. */
export interface Conflict {
  path: string;
  /** `reason` completes the sentence "<path> …". */
  reason: string;
}

/** Extended attributes of a file that the system did not let us give to its new content. */
export interface UnkeptAttributes {
  path: string;
  names: string[];
}

/** A commit never throws: every end is one of these, and only `committed` has changed anything. */
export type CommitResult =
  | { status: 'committed'; id: string; unkept?: UnkeptAttributes[] }
  | { status: 'conflict'; conflicts: Conflict[] }
  /** A path that may not be written; `reason` completes the sentence "<path> …". */
  | { status: 'refused'; path: string; reason: string }
  /** The machine failed; the tree is as it was. */
  | { status: 'failed'; reason: string }
  /** The lock was not released in time. */
  | { status: 'locked' }
  /** The system reported an error, and another while reverting the change; the next command recovers it. */
  | { status: 'stuck'; reason: string };

/**
 * The progress of a commit, or of a scan of all files before or after a command. A commit copies the old files (for undo),
 * stages the new contents and moves them into place; recovery completes a commit that was interrupted.
 */
export interface CommitProgress {
  phase: 'copying' | 'staging' | 'placing' | 'recovering' | 'recording';
  /** Files of this phase that are done, out of `of`. */
  done: number;
  of: number;
}

/** Called often, from work that does not yield. Must not throw. */
export type CommitListener = (progress: CommitProgress) => void;

/** Why nothing was written, without a full stop. */
export function describeUncommitted(result: Exclude<CommitResult, { status: 'committed' }>): string {
  switch (result.status) {
    case 'conflict':
      return result.conflicts.map(({ path, reason }) => `${path} ${reason}`).join('; ');
    case 'refused':
      return `${result.path} ${result.reason}`;
    case 'locked':
      return 'another teddy process has held the lock for a minute';
    default:
      return describeSystemError(result.reason.replace(/\.$/, ''));
  }
}
