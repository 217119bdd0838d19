import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { files } from '../file-calls.js';
import { lookAtFile } from '../files.js';
import type { GitRefusal } from './command.js';
import { readFlagged, readModules, readRaw, SUBMODULE, TRACKED } from './entries.js';
import { openRepository, type WorkTree } from './work-tree.js';

/** How a file differs from a commit. */
interface GitChange {
  /** From the root; a nested repository ends with `/`. */
  path: string;
  change: 'created' | 'modified' | 'deleted';
}

export type GitChanges =
  /** `base` is the commit, or git's empty tree if there is none yet. The changes are sorted by path. */
  { status: 'ok'; base: string; changes: GitChange[] } | GitRefusal;

type GitHead = { status: 'ok'; commit: string } | GitRefusal;

/**
 * Whatever a user's settings say: no program of theirs formats the answer, and a file that was only touched is none. git
 * would look into submodules by their own config, so that is done here.
 */
const DIFF = [
  ...['-c', 'diff.autoRefreshIndex=true', 'diff', '--raw', '-z', '--relative', '--no-renames', '--no-abbrev'],
  ...['--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty', '--no-color'],
];
const UNTRACKED = ['ls-files', '-z', '--others', '--exclude-standard'];
const DEEPEST_MODULE = 10;

/** A folder within a work tree. */
interface Place {
  tree: WorkTree;
  prefix: string;
}

/**
 * The differences between a commit and the files under `root`, which may be a folder within the repository: untracked
 * files count, ignored ones do not, and a moved file is one deleted and one created. `base` names a commit, HEAD by
 * default; without any commit everything is created. With `hidden`, files marked as skip-worktree or assume-unchanged
 * count as modified. Never throws.
 */
export async function listGitChanges(
  root: string,
  base?: string,
  { hidden = false } = {},
): Promise<GitChanges> {
  return listChanges(root, base, hidden, 0);
}

async function listChanges(
  root: string,
  base: string | undefined,
  hidden: boolean,
  depth: number,
): Promise<GitChanges> {
  const opened = await openRepository(root);
  if (opened.status !== 'ok') return opened;
  const { tree, prefix } = opened;
  const start = base === undefined ? await findHead(tree) : await findBase(tree, base);
  if (start.status !== 'ok') return start;
  const [differing, untracked, tracked] = await Promise.all([
    tree.list([...DIFF, start.commit, '--'], { prefix }),
    tree.list(UNTRACKED, { prefix }),
    tree.list(TRACKED, { prefix }),
  ]);
  if (differing.status !== 'ok') return differing;
  if (untracked.status !== 'ok') return untracked;
  if (tracked.status !== 'ok') return tracked;
  const changes = new Map<string, GitChange>();
  for (const { path: bare, before, after, letter } of readRaw(differing.items)) {
    const path = [before?.mode, after?.mode].includes(SUBMODULE) ? `${bare}/` : bare;
    changes.set(path, { path, change: LETTERS[letter] ?? 'modified' });
  }
  for (const path of untracked.items) {
    // A file that was only removed from the index still exists.
    changes.set(path, { path, change: changes.has(path) ? 'modified' : 'created' });
  }
  const modules = readModules(tracked.items)
    .map(({ path }) => `${path}/`)
    .filter((path) => !changes.has(path));
  for (const path of depth < DEEPEST_MODULE ? modules : [])
    if (await isModuleChanged({ tree, prefix }, path, depth + 1))
      changes.set(path, { path, change: 'modified' });
  for (const path of hidden ? readFlagged(tracked.items) : [])
    if (!changes.has(path)) changes.set(path, { path, change: 'modified' });
  const sorted = [...changes.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { status: 'ok', base: start.commit, changes: sorted };
}

/** Whether a submodule has uncommitted changes. */
async function isModuleChanged({ tree, prefix }: Place, path: string, depth: number): Promise<boolean> {
  const folder = join(tree.folder, prefix, path);
  // A missing one, or an empty folder, is as git left it.
  if (lookAtFile(join(folder, '.git')) === 'missing') return false;
  const inside = await listChanges(folder, undefined, false, depth);
  return inside.status === 'ok' ? inside.changes.length > 0 : inside.status === 'failed';
}

/** The commit that is checked out; git's empty tree where there is none yet. */
async function findHead(tree: WorkTree): Promise<GitHead> {
  const head = await findCommit(tree, 'HEAD');
  // Every new repository has a HEAD that names a branch without a commit.
  return head.status === 'unknown' ? emptyTree(tree) : head;
}

async function findBase(tree: WorkTree, name: string): Promise<GitHead> {
  const found = await findCommit(tree, name);
  if (found.status !== 'unknown') return found;
  const empty = await emptyTree(tree);
  if (empty.status !== 'ok' || empty.commit === name) return empty;
  return { status: 'failed', reason: `${JSON.stringify(name)} is not a commit of this repository` };
}

async function findCommit(tree: WorkTree, name: string): Promise<GitHead | { status: 'unknown' }> {
  const words = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  const found = await tree.run(words);
  if (found.status === 'ok') return { status: 'ok', commit: found.stdout.trim() };
  return found.code === undefined ? found : { status: 'unknown' };
}

async function emptyTree(tree: WorkTree): Promise<GitHead> {
  const empty = await tree.run(['hash-object', '-t', 'tree', '--stdin'], { input: '' });
  return empty.status === 'ok' ? { status: 'ok', commit: empty.stdout.trim() } : empty;
}

const LETTERS: Readonly<Record<string, GitChange['change']>> = { A: 'created', D: 'deleted' };

export type GitFiles =
  /** Paths from the root, sorted, each once. */
  { status: 'ok'; files: string[] } | GitRefusal;

/** Each with git's letter for its state: `? path`. */
const LISTED = ['ls-files', '-z', '-v', '--cached', '--others', '--exclude-standard'];
const DELETED = ['ls-files', '-z', '--deleted'];

/**
 * The files under `root` that are tracked or could be added; ignored and missing ones are left out. A link and a
 * nested repository are one name each; a nested repository that was never added is left out. `root` may be a folder
 * within the repository. Never throws.
 */
export async function listGitFiles(root: string): Promise<GitFiles> {
  const opened = await openRepository(root);
  if (opened.status !== 'ok') return opened;
  const { tree, prefix } = opened;
  const [listed, deleted] = await Promise.all([
    tree.list(LISTED, { prefix }),
    tree.list(DELETED, { prefix }),
  ]);
  if (listed.status !== 'ok') return listed;
  if (deleted.status !== 'ok') return deleted;
  const { tracked, untracked } = sortOut(listed.items, root);
  const isGone = new Set([...deleted.items, ...findReplaced(tracked.sort(), untracked)]);
  const paths = [...tracked, ...untracked].sort();
  // An unmerged file is listed once for each side.
  const once = paths.filter((path, i) => path !== paths[i - 1]);
  return { status: 'ok', files: isGone.size === 0 ? once : once.filter((path) => !isGone.has(path)) };
}

/**
 * Names that are not UTF-8, as git writes them: `"caf\\351"`: of tracked files and, with `untracked`, of those it would
 * add.
 */
export async function listBadNames(
  tree: WorkTree,
  { untracked = false } = {},
): Promise<{ status: 'ok'; names: string[] } | GitRefusal> {
  const words = ['-c', 'core.quotepath=on', 'ls-files', '--cached'];
  const listed = await tree.run([...words, ...(untracked ? ['--others', '--exclude-standard'] : [])]);
  if (listed.status !== 'ok') return listed;
  const quoted = listed.stdout.split('\n').filter((line) => line.startsWith('"'));
  return { status: 'ok', names: [...new Set(quoted.filter((name) => !isNameUtf8(name)))] };
}

/** In a name quoted by git, every byte above 127 is three octal digits. */
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
 * Whether a file exists that git does not compare: one that a sparse checkout leaves out, or the user's own version.
 * A sparse checkout lacks whole folders, so each is looked up once.
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
 * git does not report a file as deleted if a folder has taken its place, nor the files of a folder that a link has
 * replaced: the new content is among the untracked files. `tracked` is sorted.
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

/** The index of the first path that is not before `path`. */
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

/** `"a", "b" and 3 more` */
export function listPaths(paths: readonly string[], most = 5): string {
  const named = paths.slice(0, most).map((path) => JSON.stringify(path));
  return `${named.join(', ')}${paths.length > most ? ` and ${paths.length - most} more` : ''}`;
}
