import type { Folder } from '../../node/folder.js';
import type { ResolvedPath } from '../jail.js';
import type { CommitLogEntry } from './log.js';

/** An entry with the place that it was found at and the bytes that it brings. */
export interface Step {
  entry: CommitLogEntry;
  place: ResolvedPath;
  bytes: Uint8Array | null;
  /** Where the new content waits and the old file is kept. */
  aside: Folder;
}
