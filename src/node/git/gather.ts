import { join } from 'node:path';
import { sleep } from '../clock.js';
import { lookAtFile, removeTree } from '../files.js';
import type { GitRefusal, GitResult } from './command.js';
import {
  compareIndex,
  type EntryChange,
  findStrayModules,
  type GitModule,
  readFlagged,
  readModules,
  SUBMODULE,
  setEntries,
  TRACKED,
  writeEntries,
} from './entries.js';
import { readFirstLine } from './repository.js';
import { openRepository, type WorkTree } from './work-tree.js';

export interface GatherOptions {
  /** The commit that the work started from. */
  base: string;
  /** The branch for the commit, as `refs/heads/…`. HEAD is there afterwards. */
  branch: string;
  message: string;
  /**
   * Whether a change is committed, reverted to `base`, or left on disk uncommitted. Paths are from the top of the
   * repository.
   */
  sort(path: string): 'take' | 'put-back' | 'leave';
}

export type GatheredFiles =
  | {
      status: 'ok';
      /** `base` if nothing changed, or a descendant of it. */
      commit: string;
      putBack: string[];
      /** New repositories in the folder: git cannot add their files. */
      repositories: string[];
    }
  | GitRefusal;

const LOCK_TRIES = 10;
const PAUSE_MS = 100;

/**
 * Makes one commit of everything that changed in a work tree since `base`, on top of commits made there. Leaves out ignored
 * files. No other program may work in the folder. Never throws.
 */
export async function gatherWork(tree: WorkTree, options: GatherOptions): Promise<GatheredFiles> {
  await clearLocks(tree, options.branch);
  const tracked = await tree.list(TRACKED);
  if (tracked.status !== 'ok') return tracked;
  const shown = await unhide(tree, readFlagged(tracked.items));
  if (shown.status !== 'ok') return shown;
  const added = await addAll(tree, readModules(tracked.items));
  if (added.status !== 'ok') return added;
  const [head, staged] = await Promise.all([tree.head(), compareIndex(tree, options.base)]);
  if (head.status !== 'ok') return head;
  if (staged.status !== 'ok') return staged;

  const sorted = sortChanges(staged.changes, options.sort);
  const cleared = await putBack(tree, sorted);
  if (cleared.status !== 'ok') return cleared;
  const commit = await commitIndex(tree, head, options);
  if (commit.status !== 'ok') return commit;
  return {
    status: 'ok',
    commit: commit.id,
    putBack: sorted.putBack.map(({ path }) => path).sort(),
    repositories: [...added.repositories, ...sorted.repositories.map(({ path }) => path)].sort(),
  };
}

/**
 * A killed program's lock in this folder must not block others. A git that outlived its parent may still
 * be running, so it gets some time.
 */
async function clearLocks({ gitFolder }: WorkTree, branch: string): Promise<void> {
  const common = readFirstLine(join(gitFolder, 'commondir'));
  const locks = [join(gitFolder, 'index.lock'), join(gitFolder, 'HEAD.lock')];
  if (common !== undefined) locks.push(`${join(gitFolder, common, branch)}.lock`);
  const held = () => locks.filter((path) => lookAtFile(path) !== 'missing');
  for (let left = LOCK_TRIES; left > 0 && held().length > 0; left--) await sleep(PAUSE_MS);
  for (const path of held()) removeTree(path);
}

/** Files marked as skip-worktree or assume-unchanged are compared if they exist; in a sparse checkout they do not. */
async function unhide(tree: WorkTree, hidden: readonly string[]): Promise<GitResult> {
  const here = hidden.filter((path) => lookAtFile(join(tree.folder, path)) !== 'missing');
  if (here.length === 0) return { status: 'ok', stdout: '' };
  const input = here.map((path) => `${path}\0`).join('');
  const watched = await tree.run(['update-index', '--no-assume-unchanged', '-z', '--stdin'], { input });
  if (watched.status !== 'ok') return watched;
  return tree.run(['update-index', '--no-skip-worktree', '-z', '--stdin'], { input });
}

/** Submodules are left to `addModules`: to add them, git would run what their own config names. */
async function addAll(
  tree: WorkTree,
  modules: readonly GitModule[],
): Promise<{ status: 'ok'; repositories: string[] } | GitRefusal> {
  const bumped = await addModules(tree, modules);
  if (bumped.status !== 'ok') return bumped;
  const add = (excluded: readonly string[]) =>
    tree.run(['add', '-A', '--', '.', ...excluded.map((path) => `:(exclude,literal)${path}`)], {
      mayRunPrograms: true,
    });
  const known = modules.map(({ path }) => path);
  const first = await add(known);
  if (first.status === 'ok') return { status: 'ok', repositories: [] };
  // git cannot add a repository without a commit.
  const untracked = await tree.list(['ls-files', '-z', '--others', '--exclude-standard']);
  const folders = untracked.status === 'ok' ? untracked.items.filter((path) => path.endsWith('/')) : [];
  if (folders.length === 0) return first;
  const repositories = folders.map((path) => path.slice(0, -1));
  const second = await add([...known, ...repositories]);
  return second.status === 'ok' ? { status: 'ok', repositories } : second;
}

/** A submodule's new commit is part of the work; its uncommitted changes are not. */
async function addModules(tree: WorkTree, modules: readonly GitModule[]): Promise<GitResult> {
  const changes: EntryChange[] = [];
  for (const { path, id } of modules) {
    const before = { mode: SUBMODULE, id };
    const look = lookAtFile(join(tree.folder, path));
    const head = look === 'folder' ? await readModuleHead(join(tree.folder, path)) : null;
    if (look === 'missing') changes.push({ path, before, after: null });
    else if (head !== null && head !== id)
      changes.push({ path, before, after: { mode: SUBMODULE, id: head } });
  }
  return setEntries(tree, changes, 'after');
}

/** The commit that is checked out in a submodule's folder; null where it is empty or git cannot tell. */
async function readModuleHead(folder: string): Promise<string | null> {
  if (lookAtFile(join(folder, '.git')) === 'missing') return null;
  const opened = await openRepository(folder);
  const head = opened.status === 'ok' ? await opened.tree.commit() : opened;
  return head.status === 'ok' ? head.commit : null;
}

/** The changes that are left out, and why. */
interface Sorted {
  putBack: EntryChange[];
  left: EntryChange[];
  repositories: EntryChange[];
}

function sortChanges(changes: readonly EntryChange[], sort: GatherOptions['sort']): Sorted {
  const sorted: Sorted = { putBack: [], left: [], repositories: [] };
  const strays = new Set(findStrayModules(changes));
  for (const change of changes) {
    const where = sort(change.path);
    if (where === 'put-back') sorted.putBack.push(change);
    else if (strays.has(change)) sorted.repositories.push(change);
    else if (where === 'leave') sorted.left.push(change);
  }
  return sorted;
}

async function putBack(
  tree: WorkTree,
  { putBack, left, repositories }: Sorted,
): Promise<{ status: 'ok' } | GitRefusal> {
  const set = await setEntries(tree, [...putBack, ...left, ...repositories], 'before');
  if (set.status !== 'ok') return set;
  for (const { path, before } of putBack) if (before === null) removeTree(join(tree.folder, path));
  const written = await writeEntries(tree, putBack, 'before');
  return written.status === 'ok' ? { status: 'ok' } : written;
}

async function commitIndex(
  tree: WorkTree,
  head: { commit: string; tree: string },
  { base, branch, message }: GatherOptions,
): Promise<{ status: 'ok'; id: string } | GitRefusal> {
  const written = await tree.run(['write-tree']);
  if (written.status !== 'ok') return written;
  const content = written.stdout.trim();
  const follows = await tree.descends(head.commit, base);
  let id = follows ? head.commit : base;
  if (!follows || content !== head.tree) {
    const made = await tree.run(['commit-tree', content, '-p', id], { input: message });
    if (made.status !== 'ok') return made;
    id = made.stdout.trim();
  }
  const isThere = readFirstLine(join(tree.gitFolder, 'HEAD')) === `ref: ${branch}`;
  if (isThere && id === head.commit) return { status: 'ok', id };
  const moved = await tree.run(['update-ref', branch, id]);
  if (moved.status !== 'ok') return moved;
  const pointed = isThere ? moved : await tree.run(['symbolic-ref', 'HEAD', branch]);
  return pointed.status === 'ok' ? { status: 'ok', id } : pointed;
}
