import { join } from 'node:path';
import { randomId } from '../node/ids.js';
import { describeError, Jail } from './jail.js';

export type LocatedFolder =
  /** `path` is real and absolute. */
  | { status: 'folder'; path: string }
  /** `reason` completes the sentence "<path> …". */
  | { status: 'refused'; reason: string };

/**
 * The folder that a plan names for its command to run in; null stands for the root. Not one in a protected tree: a
 * command writes where it stands, and a plan does not write there. Never throws.
 */
export function locateFolder(root: string, path: string | null): LocatedFolder {
  if (path === '') return { status: 'refused', reason: 'is empty' };
  let jail: Jail | undefined;
  try {
    jail = new Jail(root);
    // Asked for is a file that nobody has in that folder: the way to it is then the way into the folder, the root's
    // own included.
    const located = jail.locate(join(path ?? '.', randomId(16)));
    if (located.status === 'refused') {
      return { status: 'refused', reason: located.code === 'blocked' ? 'is not a folder' : located.reason };
    }
    const { folder, missing } = located.place;
    if (missing.length > 0) return { status: 'refused', reason: 'does not exist' };
    return { status: 'folder', path: folder.path };
  } catch (error) {
    return { status: 'refused', reason: `cannot be reached (${describeError(error)})` };
  } finally {
    jail?.close();
  }
}
