import { join } from 'node:path';
import { lookAtFile } from '../files.js';
import { type GitRefusal, refuse } from './command.js';
import { readFlagged, readModules, SUBMODULE, TRACKED } from './entries.js';
import { openRepository, type WorkTree } from './work-tree.js';

/** What became of a file since a commit. */
interface GitChange {
  /** From the root, with a `/` at its end where it is a repository within the repository. */
  path: string;
  change: 'created' | 'modified' | 'deleted';
}

export type GitChanges =
  /** `base` is the commit, or git's empty tree where there is none yet. The changes are sorted by path. */
  { status: 'ok'; base: string; changes: GitChange[] } | GitRefusal;

export type GitHead = { status: 'ok'; commit: string } | GitRefusal;

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
 * What differs between a commit and the files under `root`, those that git does not know included, those that it
 * ignores not. A file that was moved is one deleted and one created. `base` is whatever names a commit, HEAD unless
 * given; without any commit everything is created. `root` may be a folder within the repository. With `hidden`, files
 * that git was told not to look at count as modified. Never throws.
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
  if (differing.status !== 'ok') return refuse(differing);
  if (untracked.status !== 'ok') return refuse(untracked);
  if (tracked.status !== 'ok') return refuse(tracked);
  const changes = new Map<string, GitChange>();
  for (const change of readRaw(differing.items)) changes.set(change.path, change);
  for (const path of untracked.items) {
    // What was taken out of the index alone is still there.
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

/** Whether something differs in a submodule whose commit is the one that is checked out. */
async function isModuleChanged({ tree, prefix }: Place, path: string, depth: number): Promise<boolean> {
  const folder = join(tree.folder, prefix, path);
  // One that is not there to look at, or only an empty folder, is as git left it.
  if (lookAtFile(join(folder, '.git')) === 'missing') return false;
  const inside = await listChanges(folder, undefined, false, depth);
  return inside.status === 'ok' ? inside.changes.length > 0 : inside.status === 'failed';
}

/** The commit that is checked out in `root`; git's empty tree where there is none yet. Never throws. */
export async function headCommit(root: string): Promise<GitHead> {
  const opened = await openRepository(root);
  return opened.status === 'ok' ? findHead(opened.tree) : opened;
}

async function findHead(tree: WorkTree): Promise<GitHead> {
  const head = await findCommit(tree, 'HEAD');
  // A HEAD that names a branch without a commit is how every repository begins.
  return head.status === 'unknown' ? emptyTree(tree) : head;
}

async function findBase(tree: WorkTree, name: string): Promise<GitHead> {
  const found = await findCommit(tree, name);
  if (found.status !== 'unknown') return found;
  const empty = await emptyTree(tree);
  if (empty.status !== 'ok' || empty.commit === name) return empty;
  return { status: 'failed', reason: `${JSON.stringify(name)} names no commit of this repository` };
}

async function findCommit(tree: WorkTree, name: string): Promise<GitHead | { status: 'unknown' }> {
  const words = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  const found = await tree.run(words);
  if (found.status === 'ok') return { status: 'ok', commit: found.stdout.trim() };
  return found.status === 'failed' && found.code !== undefined ? { status: 'unknown' } : refuse(found);
}

async function emptyTree(tree: WorkTree): Promise<GitHead> {
  const empty = await tree.run(['hash-object', '-t', 'tree', '--stdin'], { input: '' });
  return empty.status === 'ok' ? { status: 'ok', commit: empty.stdout.trim() } : refuse(empty);
}

/** `:100644 100644 1f0c… 9a3b… M` and then the path, each an item. */
function* readRaw(items: readonly string[]): Generator<GitChange> {
  for (let at = 0; at + 1 < items.length; at += 2) {
    const [before = '', after = '', , , letter = ''] = items[at]!.slice(1).split(' ');
    const isModule = before === SUBMODULE || after === SUBMODULE;
    const change = letter === 'A' ? 'created' : letter === 'D' ? 'deleted' : 'modified';
    yield { path: isModule ? `${items[at + 1]!}/` : items[at + 1]!, change };
  }
}
