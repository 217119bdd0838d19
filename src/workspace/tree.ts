import type { Stat, TextRead, Tree } from '../formats/tree.js';
import { closing, decodeText, files, MB, readAll } from '../platform/index.js';
import { describeError, Jail, type Place } from './jail.js';

const FILE_LIMIT = 10 * MB;

/** Where a path of the tree leads. */
type Found =
  | { status: 'here'; path: string; place: Place }
  | { status: 'missing'; path: string }
  /** `reason` completes the sentence "<path> …". */
  | { status: 'refused'; reason: string };

/**
 * The files under `root`, which is a real path. A symlink is followed as long as it stays inside the
 * root; what lies behind any other is there but refused. Each look is taken anew: commands change files.
 */
export function openTree(root: string): Tree {
  return {
    stat: (path) => (path === '' || path === '.' ? { kind: 'folder' } : look(root, path, statOf)),
    text: (path) => look(root, path, textOf),
    real: (path) => look(root, path, (found) => (found.status === 'refused' ? path : found.path)),
  };
}

function look<T>(root: string, path: string, read: (found: Found) => T): T {
  let jail: Jail | undefined;
  try {
    jail = new Jail(root);
    return read(find(jail, path));
  } catch (error) {
    return read({ status: 'refused', reason: `cannot be read (${describeError(error)})` });
  } finally {
    jail?.close();
  }
}

function find(jail: Jail, path: string): Found {
  const located = jail.locate(path, { purpose: 'read' });
  if (located.status === 'refused') {
    const { code, reason } = located;
    return code === 'invalid' || code === 'blocked'
      ? { status: 'missing', path }
      : { status: 'refused', reason };
  }
  const { place } = located;
  if (place.stats) return { status: 'here', path: place.path, place };
  if (place.linked) return { status: 'refused', reason: 'is a symlink that leads nowhere' };
  return { status: 'missing', path: place.path };
}

function statOf(found: Found): Stat | undefined {
  if (found.status === 'missing') return undefined;
  if (found.status === 'refused') return { kind: 'other' };
  const { stats } = found.place;
  return { kind: stats!.isFile() ? 'file' : stats!.isDirectory() ? 'folder' : 'other' };
}

function textOf(found: Found): TextRead {
  if (found.status === 'missing') return { status: 'missing' };
  if (found.status === 'refused') return found;
  const { folder, name, stats } = found.place;
  if (stats!.isDirectory()) return { status: 'refused', reason: 'is a folder' };
  if (!stats!.isFile()) return { status: 'refused', reason: 'is not a regular file' };
  const bytes = closing(folder.openToRead(name), (file) => {
    const now = files.stat(file);
    return now.isFile() && now.size <= FILE_LIMIT ? readAll(file, now.size, FILE_LIMIT) : undefined;
  });
  return bytes ? decodeText(bytes) : { status: 'refused', reason: `is larger than ${FILE_LIMIT / MB} MB` };
}
