import { join, sep } from 'node:path';
import type { Stat, TextRead, Tree } from '../formats/tree.js';
import { decodeText, lookAt, MB, type PathLook, readBytes, realPath } from '../platform/index.js';

const FILE_LIMIT = 10 * MB;

/** Where a path of the tree leads on disk. */
type Place =
  | { status: 'here'; path: string; look: PathLook }
  | { status: 'missing' }
  /** `reason` completes the sentence "<path> …". */
  | { status: 'refused'; reason: string };

/**
 * The files under `root`, which is a real path. A symlink is followed as long as it stays inside the
 * root; what lies behind any other is there but refused.
 */
export function openTree(root: string): Tree {
  return {
    stat: (path) => statPlace(locate(root, path)),
    text: (path) => readPlace(locate(root, path)),
  };
}

function locate(root: string, path: string): Place {
  let place = root;
  let look: PathLook = 'folder';
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name === '..') return { status: 'refused', reason: 'leads out of the root' };
    if (look !== 'folder') return { status: 'missing' };
    place = join(place, name);
    look = lookAt(place);
    if (look === 'missing') return { status: 'missing' };
    if (look === 'symlink') {
      const target = realPath(place);
      if (target === undefined) return { status: 'refused', reason: 'is a symlink that leads nowhere' };
      if (!isInside(root, target)) {
        return { status: 'refused', reason: 'leads out of the root through a symlink' };
      }
      place = target;
      look = lookAt(place);
    }
  }
  return { status: 'here', path: place, look };
}

function isInside(root: string, real: string): boolean {
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
}

function statPlace(place: Place): Stat | undefined {
  if (place.status === 'missing') return undefined;
  if (place.status === 'refused') return { kind: 'other' };
  return { kind: place.look === 'file' || place.look === 'folder' ? place.look : 'other' };
}

function readPlace(place: Place): TextRead {
  if (place.status !== 'here') return place;
  const read = readBytes(place.path, FILE_LIMIT);
  return read.status === 'bytes' ? decodeText(read.bytes) : read;
}
