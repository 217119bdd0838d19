import type { ProjectView } from '../../confine/types.js';
import type { TreeChangeset } from '../../node/git/changed-entries.js';

/** Where attempts work. */
export interface Isolation {
  readonly kind: 'worktree' | 'none';
  /** Removes what a killed orchestrator left, except the places in `keep`. Returns sentences about what it found. */
  recover(keep: readonly PlaceRecord[]): Promise<string[]>;
  /** Opens a place for an attempt. Never throws; `reason` is whole sentences. */
  open(
    about: PlaceSubject,
  ): Promise<{ status: 'open'; place: Worktree } | { status: 'failed'; reason: string }>;
  /** Whether the project's checkout contains it. */
  has(candidate: Candidate): Promise<boolean>;
  /** The place of an attempt whose orchestrator was killed; undefined if it is gone. */
  reopen(record: PlaceRecord): Promise<Worktree | undefined>;
  /** What a candidate changes in the project, also once its place is gone. `reason` is whole sentences. */
  changeset(candidate: NonNullable<Candidate>): Promise<TreeChangeset | { status: 'failed'; reason: string }>;
}

export interface PlaceSubject {
  taskId: string;
  taskName: string;
  attempt: number;
}

/** What identifies a place after a restart, as JSON. */
export interface PlaceRecord extends PlaceSubject {
  /** Absolute. */
  root: string;
  /** The branch's commit at the start of the attempt; null without isolation. */
  base: string | null;
  branch: string | null;
}

/** One attempt's folder. No method throws. */
export interface Worktree {
  /** Absolute. */
  readonly root: string;
  readonly record: PlaceRecord;
  /** What a confined program has of the project. Executors have a git folder of their own; for others the project's is read-only. */
  view(who: 'executor' | 'verification'): ProjectView;
  /** A sentence if this is no longer the folder that was opened: then nothing in it may be used. */
  findReplaced(): string | undefined;
  /** What the attempt changed, once its executor has ended. Uncommitted work is committed on its branch. */
  changes(): Promise<Changes>;
  /** What the attempt has changed so far, as a diff to read; a sentence if that is unknown. */
  diff(): Promise<string>;
  /** Makes the folder what the project would be with this attempt: that is what is verified. */
  merge(): Promise<Merged>;
  /** Makes the folder what the project would be with this tree instead, which has a part of the candidate's changes. */
  narrow(candidate: NonNullable<Candidate>, tree: string): Promise<Narrowed>;
  /** Whether the folder is still what was merged: the verification, or a process left running, may have changed it. */
  compare(candidate: Candidate): Promise<Compared>;
  /** Moves the project's branch to it, unless the branch has moved: then merge and verify again. */
  land(candidate: Candidate): Promise<Landed>;
  /** Removes it. Changes that did not land are kept as a patch; its path is from the project's root. */
  close(): Promise<{ patch: string | null }>;
}

/** Paths from the root, sorted. */
export type Changes =
  | {
      status: 'known';
      files: string[];
      /** Files that only teddy changes, and repositories within the project: they are not part of the work. */
      leftOut: string[];
      /** Ignored files that were created or changed: they never land. A folder ends in `/`. At most 1,000. */
      ignored: string[];
      /** Those of them that were removed before the verification. At most 1,000. */
      removed: string[];
    }
  | { status: 'unknown'; reason: string };

/** The commit that would be the branch's next, and the one that it follows. Null without isolation. */
export type Candidate = { commit: string; head: string } | null;

/** Paths from the root, sorted. `added`: not ignored, and not in what was merged. */
export type Compared =
  | { status: 'ok'; changed: string[]; added: string[] }
  /** Whole sentences. */
  | { status: 'refused'; reason: string };

export type Merged =
  | { status: 'merged'; candidate: Candidate }
  /** It must not land, through the attempt's own fault. Whole sentences. */
  | { status: 'refused'; reason: string }
  /** `text`: the conflicting parts, for the next attempt. */
  | { status: 'conflict'; files: string[]; text: string }
  | { status: 'failed'; reason: string };

/** `files`: what is left of the changes, from the root, sorted. */
export type Narrowed =
  | { status: 'ok'; candidate: Candidate; files: string[] }
  | { status: 'failed'; reason: string };

export type Landed =
  | { status: 'landed' }
  /** The branch has moved. */
  | { status: 'moved' }
  /** Something in the project is in the way, such as uncommitted changes of the user. Whole sentences. */
  | { status: 'refused'; reason: string };
