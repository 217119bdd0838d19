/** Where attempts are made. One for each run of the orchestrator. */
export interface Isolation {
  readonly kind: 'worktree' | 'none';
  /** Ends what an orchestrator that was killed left, but for the places in `keep`. Gives sentences on what it found. */
  recover(keep: readonly PlaceRecord[]): Promise<string[]>;
  /** Opens a place for an attempt. Never throws; `reason` is whole sentences. */
  open(
    about: PlaceSubject,
  ): Promise<{ status: 'open'; place: Worktree } | { status: 'failed'; reason: string }>;
  /** Whether this is part of what is checked out in the project. */
  has(candidate: Candidate): Promise<boolean>;
  /** The place of an attempt whose orchestrator was killed; undefined where it is gone. */
  reopen(record: PlaceRecord): Promise<Worktree | undefined>;
}

export interface PlaceSubject {
  taskId: string;
  taskName: string;
  attempt: number;
}

/** What has to be known of a place after a restart, as JSON. */
export interface PlaceRecord extends PlaceSubject {
  /** Absolute. */
  root: string;
  /** The branch's commit when the attempt began; null without isolation. */
  base: string | null;
  branch: string | null;
}

/** One attempt's folder. No method throws. */
export interface Worktree {
  /** Absolute. */
  readonly root: string;
  readonly record: PlaceRecord;
  /** A sentence, where this is no longer the folder that was opened: then nothing in it is to be looked at. */
  findReplaced(): string | undefined;
  /**
   * What the attempt changed, as paths from the root, sorted, once its executor has ended: what it left uncommitted is
   * committed in its name. Null where it cannot be told, as when several work in one folder.
   */
  changes(): Promise<Changes>;
  /** What the attempt has changed so far, as a diff for people; a sentence where that is unknown. */
  diff(): Promise<string>;
  /** Makes the folder what the project would be with this attempt in it: that is what is verified. */
  merge(): Promise<Merged>;
  /** Whether the folder still is what was merged: what ran there since, or still runs, may have changed it. */
  compare(candidate: Candidate): Promise<Compared>;
  /** Makes it so, if nobody else has moved the branch meanwhile: else merge and verify again. */
  land(candidate: Candidate): Promise<Landed>;
  /**
   * Keeps the attempt's changes as a patch where they were not landed, and takes everything else of it away. The path is
   * from the project's root.
   */
  close(): Promise<{ patch: string | null }>;
}

/** Paths from the root, sorted. */
export type Changes =
  | {
      status: 'told';
      files: string[];
      /** What only the tool changes, and repositories within the project: none of it is part of the work. */
      leftOut: string[];
      /**
       * What was made or changed and git ignores, so that it never becomes part of the project. A folder has a `/` at
       * its end, and stands for all that is in it. At most 1,000.
       */
      ignored: string[];
      /** What of that was taken away, so that it is not there when the work is verified. At most 1,000. */
      removed: string[];
    }
  | { status: 'unknown'; reason: string };

/** The commit that is to be the branch's next, and the one that it follows. Null without isolation. */
export type Candidate = { commit: string; head: string } | null;

/** Paths from the root, sorted. `added`: git does not ignore it, and what was merged has no such file. */
export type Compared =
  | { status: 'ok'; changed: string[]; added: string[] }
  /** Whole sentences. */
  | { status: 'refused'; reason: string };

export type Merged =
  | { status: 'merged'; candidate: Candidate }
  /** It must not land, by the attempt's own fault. Whole sentences. */
  | { status: 'refused'; reason: string }
  /** `text`: the conflicting parts, for who tries next. */
  | { status: 'conflict'; files: string[]; text: string }
  | { status: 'failed'; reason: string };

export type Landed =
  | { status: 'landed' }
  /** The branch is elsewhere by now. */
  | { status: 'moved' }
  /** Something in the project is in the way, such as changes of a person that are not committed. Whole sentences. */
  | { status: 'refused'; reason: string };
