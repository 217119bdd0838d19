/** The files that are as they were before, and those that are not. */
export interface RestoredFiles {
  /** A folder ends with a `/`: one that was empty, or had another mode. */
  restored: string[];
  /** Those of `restored` that did not exist before. */
  deleted: string[];
  refused: LeftFile[];
}

export interface LeftFile {
  path: string;
  /** Completes the sentence "<path> …". */
  reason: string;
  /** The file with its content from before, relative to the root; null if it did not exist. */
  oldText: string | null;
  /** It existed, and there is no copy of it. */
  lost?: true;
}
