import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { files } from '../file-calls.js';
import { type GitRefusal, refuse } from './command.js';
import { openRepository, type WorkTree } from './work-tree.js';

export type GitFiles =
  /** Paths from the root, sorted, each once. */
  { status: 'ok'; files: string[] } | GitRefusal;

/** Each with a letter for what git knows of it: `? path`. */
const LISTED = ['ls-files', '-z', '-v', '--cached', '--others', '--exclude-standard'];
const DELETED = ['ls-files', '-z', '--deleted'];

/**
 * The files under `root` that git knows or would take in: those that it ignores and those that are gone are not among
 * them. A link and a repository within the repository are one name each, a repository that nobody added is none.
 * `root` may be a folder within the repository. Never throws.
 */
export async function listGitFiles(root: string): Promise<GitFiles> {
  const opened = await openRepository(root);
  if (opened.status !== 'ok') return opened;
  const { tree, prefix } = opened;
  const [listed, deleted] = await Promise.all([
    tree.list(LISTED, { prefix }),
    tree.list(DELETED, { prefix }),
  ]);
  if (listed.status !== 'ok') return refuse(listed);
  if (deleted.status !== 'ok') return refuse(deleted);
  const { tracked, untracked } = sortOut(listed.items, root);
  const isGone = new Set([...deleted.items, ...findReplaced(tracked.sort(), untracked)]);
  const paths = [...tracked, ...untracked].sort();
  // A file that is not merged yet has a name for each side.
  const once = paths.filter((path, i) => path !== paths[i - 1]);
  return { status: 'ok', files: isGone.size === 0 ? once : once.filter((path) => !isGone.has(path)) };
}

/**
 * Names that are not UTF-8, as git writes them: `"caf\\351"`. Those of all files that git knows in the repository, and
 * with `untracked` also of those that it would take in.
 */
export async function listBadNames(
  tree: WorkTree,
  { untracked = false } = {},
): Promise<{ status: 'ok'; names: string[] } | GitRefusal> {
  const words = ['-c', 'core.quotepath=on', 'ls-files', '--cached'];
  const listed = await tree.run([...words, ...(untracked ? ['--others', '--exclude-standard'] : [])]);
  if (listed.status !== 'ok') return refuse(listed);
  const quoted = listed.stdout.split('\n').filter((line) => line.startsWith('"'));
  return { status: 'ok', names: [...new Set(quoted.filter((name) => !isNameUtf8(name)))] };
}

/** Of a name that git has quoted: every byte above 127 is three octal digits there. */
function isNameUtf8(quoted: string): boolean {
  const bytes = quoted.replace(/\\(?:([0-7]{3})|.)/g, (_, octal?: string) =>
    octal === undefined ? '_' : String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return isUtf8(Buffer.from(bytes, 'latin1'));
}

function sortOut(items: readonly string[], root: string): { tracked: string[]; untracked: string[] } {
  const tracked: string[] = [];
  const untracked: string[] = [];
  const isThere = lookForUnwatched(root);
  for (const item of items) {
    const letter = item[0];
    const path = item.slice(2);
    if (letter !== '?') {
      if ((letter !== 'S' && letter !== 's') || isThere(path)) tracked.push(path);
    } else if (!path.endsWith('/')) untracked.push(path);
  }
  return { tracked, untracked };
}

/**
 * Whether a file is on disk that git was told not to look at: left out of a sparse checkout, or the user's own version.
 * Whole folders of a sparse checkout are missing, so each is looked at once.
 */
function lookForUnwatched(root: string): (path: string) => boolean {
  const known = new Map<string, boolean>([['', true]]);
  const isFolderThere = (folder: string): boolean => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const there = isFolderThere(parentOf(folder)) && exists(join(root, folder));
    known.set(folder, there);
    return there;
  };
  return (path) => isFolderThere(parentOf(path)) && exists(join(root, path));
}

/**
 * git does not call a file deleted in whose place a folder stands by now, nor those of a folder in whose place a link
 * does: what is new there is among the untracked ones. `tracked` is sorted.
 */
function* findReplaced(tracked: readonly string[], untracked: readonly string[]): Generator<string> {
  const folders = new Set<string>();
  for (const path of untracked) {
    for (let at = indexFrom(tracked, `${path}/`); tracked[at]?.startsWith(`${path}/`); at++)
      yield tracked[at]!;
    for (let folder = parentOf(path); folder !== '' && !folders.has(folder); folder = parentOf(folder)) {
      folders.add(folder);
      if (tracked[indexFrom(tracked, folder)] === folder) yield folder;
    }
  }
}

/** Of the first path that is not before `path`. */
function indexFrom(sorted: readonly string[], path: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < path) low = middle + 1;
    else high = middle;
  }
  return low;
}

function exists(path: string): boolean {
  try {
    return files.lstat(path) !== undefined;
  } catch {
    return false;
  }
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
