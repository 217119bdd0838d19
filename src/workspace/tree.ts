import { dirname, join, relative, sep } from 'node:path';
import type { Machine, Stat, TextRead, Tree } from '../core/tree.js';
import { files } from '../node/file-calls.js';
import { decodeText, lookAtFile, MB, realPath } from '../node/files.js';
import { closing, readAll } from '../node/folder.js';
import { randomId } from '../node/ids.js';
import { homeFolders, temporaryFolders } from '../node/user-folders.js';
import { describeError, Jail, type ResolvedPath } from './jail.js';

const FILE_LIMIT = 10 * MB;

/** Where a path of the tree leads. */
type Found =
  | { status: 'here'; path: string; place: ResolvedPath }
  | { status: 'missing'; path: string }
  /** `reason` completes the sentence "<path> …". */
  | { status: 'refused'; reason: string };

/**
 * The files under `root`, which is a real path. A symlink is followed as long as it stays inside the
 * root; a link to any other place exists but is refused. Nothing is cached: commands change files.
 */
export function openTree(root: string): Tree {
  return {
    stat: (path) => (path === '' || path === '.' ? { kind: 'folder' } : look(root, path, statOf)),
    text: (path) => look(root, path, textOf),
    real: (path) => look(root, path, (found) => (found.status === 'refused' ? path : found.path)),
    machine: machineAround(root),
  };
}

/** A tree for many looks at once, which can tell a file's size without reading it. */
export interface SteadyTree extends Tree {
  /** As `text`; of a file of more than `limit` bytes only how many it has. */
  textUpTo(path: string, limit: number): TextRead | { status: 'larger'; bytes: number };
}

/**
 * The same while `work` runs: the folders on the way stay open between looks, so that each costs little
 * more than its own file. Nothing that `work` leaves behind may look again.
 */
export function lookTogether<T>(root: string, work: (tree: SteadyTree) => T): T {
  const steady = new SteadyLook(root);
  const scratch = new Uint8Array(SCRATCH);
  const text = (path: string, limit: number) => steady.look(path, (found) => readUpTo(found, limit, scratch));
  try {
    return work({
      stat: (path) => (path === '' || path === '.' ? { kind: 'folder' } : steady.look(path, statOf)),
      text: (path) => wholeText(text(path, FILE_LIMIT)),
      real: (path) => steady.look(path, (found) => (found.status === 'refused' ? path : found.path)),
      textUpTo: text,
    });
  } finally {
    steady.close();
  }
}

/** Far below what a process may have open. */
const MOST_OPEN = 200;
/** Most files fit in, so that reading many leaves nothing to clear away. */
const SCRATCH = MB / 4;

class SteadyLook {
  private jail: Jail | undefined;

  constructor(private readonly root: string) {}

  look<T>(path: string, read: (found: Found) => T): T {
    try {
      if (this.jail && this.jail.openCount > MOST_OPEN) this.close();
      this.jail ??= new Jail(this.root);
      const place = this.jail.locatePlain(path);
      return read(place ? { status: 'here', path, place } : find(this.jail, path));
    } catch (error) {
      return read({ status: 'refused', reason: `cannot be read (${describeError(error)})` });
    }
  }

  close(): void {
    this.jail?.close();
    this.jail = undefined;
  }
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
  return wholeText(readUpTo(found, FILE_LIMIT));
}

function wholeText(read: TextRead | { status: 'larger' }): TextRead {
  if (read.status !== 'larger') return read;
  return { status: 'refused', reason: `is larger than ${FILE_LIMIT / MB} MB` };
}

function readUpTo(
  found: Found,
  limit: number,
  scratch?: Uint8Array,
): TextRead | { status: 'larger'; bytes: number } {
  if (found.status === 'missing') return { status: 'missing' };
  if (found.status === 'refused') return found;
  const { folder, name, stats } = found.place;
  if (stats!.isDirectory()) return { status: 'refused', reason: 'is a folder' };
  if (!stats!.isFile()) return { status: 'refused', reason: 'is not a regular file' };
  return closing(folder.openToRead(name), (file) => {
    const now = files.stat(file);
    if (!now.isFile()) return { status: 'refused', reason: 'is not a regular file' };
    const bytes = now.size > limit ? undefined : readAll(file, now.size, limit, scratch);
    return bytes ? decodeText(bytes) : { status: 'larger', bytes: Math.max(now.size, limit + 1) };
  });
}

/** The machine around a root, which is a real path. Nothing is looked at before it is asked for. */
function machineAround(root: string): Machine {
  let places: Machine['places'] | undefined;
  return {
    insideRoot: (absolute) => insideRoot(root, absolute),
    exists: (absolute) => lookAtFile(absolute) !== 'missing',
    get home() {
      return homeFolders()[0];
    },
    get places() {
      places ??= [
        ...spellings('your home folder', homeFolders()),
        ...spellings('the temporary folder', temporaryFolders()),
      ];
      return places;
    },
  };
}

/** The root may be reached by a symlink, as `/tmp` is one on some systems; what is missing has no links. */
function insideRoot(root: string, absolute: string): string | undefined {
  // Below `/` itself every path is the same from the root.
  if (dirname(root) === root) return undefined;
  const named = pathBelow(root, absolute);
  if (named !== undefined) return named;
  for (let folder = absolute; ; folder = dirname(folder)) {
    const real = realPath(folder);
    if (real !== undefined) return pathBelow(root, real + absolute.slice(folder === sep ? 0 : folder.length));
    if (folder === dirname(folder)) return undefined;
  }
}

/** A path from the root, with `/`; the root itself is `.`. */
function pathBelow(root: string, path: string): string | undefined {
  const below = relative(root, path).split(sep).join('/');
  if (below === '') return '.';
  return below === '..' || below.startsWith('../') || below.startsWith('/') || /^[A-Za-z]:/.test(below)
    ? undefined
    : below;
}

/** Were `/` one of them, every path would be one of another place. */
function spellings(name: string, folders: readonly string[]): { path: string; name: string }[] {
  const paths = folders.flatMap((folder) => [folder, realPath(folder) ?? folder]);
  return [...new Set(paths.map((path) => path.replace(/\/+$/, '')))]
    .filter((path) => path.startsWith('/'))
    .map((path) => ({ path, name }));
}

export type LocatedFolder =
  /** `path` is real and absolute. */
  | { status: 'folder'; path: string }
  /** `reason` completes the sentence "<path> …". */
  | { status: 'refused'; reason: string };

/**
 * The folder that a plan names for its command to run in; null is the root. Not one in a protected tree: a
 * command writes where it runs, and a plan must not write there. Never throws.
 */
export function locateFolder(root: string, path: string | null): LocatedFolder {
  if (path === '') return { status: 'refused', reason: 'is empty' };
  let jail: Jail | undefined;
  try {
    jail = new Jail(root);
    // Resolving a file that cannot exist in the folder also opens the folder itself, and the root.
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
