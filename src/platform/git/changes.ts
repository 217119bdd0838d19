import { type GitAbsent, type GitFailed, git, gitList } from './command.js';

/** What became of a file since a commit. */
export interface GitChange {
  /** From the root, with a `/` at its end where it is a repository within the repository. */
  path: string;
  change: 'created' | 'modified' | 'deleted';
}

/** `reason` completes the sentence "git does not tell: …". */
export type GitRefusal = { status: 'no-repository' | 'failed'; reason: string };

export type GitChanges =
  /** `base` is the commit, or git's empty tree where there is none yet. The changes are sorted by path. */
  { status: 'ok'; base: string; changes: GitChange[] } | GitRefusal;

export type GitHead = { status: 'ok'; commit: string } | GitRefusal;

const SUBMODULE = '160000';
/** Whatever a user's settings say: no program of theirs formats the answer, and a file that was only touched is none. */
const DIFF = [
  ...['-c', 'diff.autoRefreshIndex=true', 'diff', '--raw', '-z', '--relative', '--no-renames', '--no-abbrev'],
  ...['--no-ext-diff', '--no-textconv', '--ignore-submodules=none', '--no-color'],
];
const UNTRACKED = ['ls-files', '-z', '--others', '--exclude-standard'];
const FLAGGED = ['ls-files', '-z', '-v'];

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
  const start = base === undefined ? await headCommit(root) : await findBase(root, base);
  if (start.status !== 'ok') return start;
  const [tracked, untracked, flagged] = await Promise.all([
    gitList([...DIFF, start.commit, '--'], { cwd: root }),
    gitList(UNTRACKED, { cwd: root }),
    hidden ? gitList(FLAGGED, { cwd: root }) : ({ status: 'ok', items: [] } as const),
  ]);
  if (tracked.status !== 'ok') return refuse(tracked);
  if (untracked.status !== 'ok') return refuse(untracked);
  if (flagged.status !== 'ok') return refuse(flagged);
  const changes = new Map<string, GitChange>();
  for (const change of readRaw(tracked.items)) changes.set(change.path, change);
  for (const path of untracked.items) {
    // What was taken out of the index alone is still there.
    changes.set(path, { path, change: changes.has(path) ? 'modified' : 'created' });
  }
  for (const path of readFlagged(flagged.items))
    if (!changes.has(path)) changes.set(path, { path, change: 'modified' });
  const sorted = [...changes.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { status: 'ok', base: start.commit, changes: sorted };
}

/** The commit that is checked out in `root`; git's empty tree where there is none yet. Never throws. */
export async function headCommit(root: string): Promise<GitHead> {
  const inside = await git(['rev-parse', '--is-inside-work-tree'], { cwd: root });
  if (inside.status !== 'ok') return refuse(inside);
  if (inside.stdout !== 'true\n') return { status: 'no-repository', reason: 'there is no work tree here' };
  const head = await findCommit(root, 'HEAD');
  // A HEAD that names a branch without a commit is how every repository begins.
  return head.status === 'unknown' ? emptyTree(root) : head;
}

async function findBase(root: string, name: string): Promise<GitHead> {
  const head = await headCommit(root);
  if (head.status !== 'ok') return head;
  const found = await findCommit(root, name);
  if (found.status !== 'unknown') return found;
  const empty = await emptyTree(root);
  if (empty.status !== 'ok' || empty.commit === name) return empty;
  return { status: 'failed', reason: `${JSON.stringify(name)} names no commit of this repository` };
}

async function findCommit(root: string, name: string): Promise<GitHead | { status: 'unknown' }> {
  const words = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  const found = await git(words, { cwd: root });
  if (found.status === 'ok') return { status: 'ok', commit: found.stdout.trim() };
  return found.status === 'failed' && found.code !== undefined ? { status: 'unknown' } : refuse(found);
}

async function emptyTree(root: string): Promise<GitHead> {
  const empty = await git(['hash-object', '-t', 'tree', '--stdin'], { cwd: root, input: '' });
  return empty.status === 'ok' ? { status: 'ok', commit: empty.stdout.trim() } : refuse(empty);
}

/** `h path`: small letters are files that are assumed to be unchanged, `S` are those that are left out of the work tree. */
function readFlagged(items: readonly string[]): string[] {
  return items.filter((item) => /^[a-zS] /.test(item)).map((item) => item.slice(2));
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

export function refuse(result: GitFailed | GitAbsent): GitRefusal {
  if (result.status === 'absent') return { status: 'failed', reason: 'git is not installed' };
  if (/not a git repository/i.test(result.stderr))
    return { status: 'no-repository', reason: 'this is no git repository' };
  const [line = ''] = result.stderr.trim().split('\n', 1);
  return {
    status: 'failed',
    reason: line.replace(/^(?:fatal|error): /, '').replace(/\.$/, '') || 'git failed',
  };
}
