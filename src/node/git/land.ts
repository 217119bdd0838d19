import { dirname, join } from 'node:path';
import { sleep } from '../clock.js';
import { files } from '../file-calls.js';
import { lookAtFile, MB, type PathLook, readBytes, removeTree } from '../files.js';
import { randomId } from '../ids.js';
import type { GitRefusal } from './command.js';
import {
  compareIndex,
  compareTrees,
  type EntryChange,
  isFile,
  isSameEntry,
  setEntries,
  writeEntries,
} from './entries.js';
import { listPaths } from './listing.js';
import { findUnfinished } from './repository.js';
import type { WorkTree } from './work-tree.js';

export type GitLanded =
  | { status: 'landed' }
  /** Something else is checked out now. */
  | { status: 'moved' }
  /** `reason` is whole sentences. */
  | { status: 'refused'; reason: string };

/** The landing in progress, stored so that it survives this process. No method throws. */
export interface LandingMark {
  /** Whether this landing was started and not finished. Only our own record counts. */
  names(landing: Landing): boolean;
  set(landing: Landing): void;
  clear(): void;
}

const PAUSE_MS = 100;
/** The user's own git, such as an editor's, locks the index briefly; one that outlived its teddy may take longer. */
const TRIES = { usual: 6, interrupted: 30 };

/**
 * Moves the checked-out branch, or a detached HEAD, from `head` to `commit`, with files and index, unless an uncommitted
 * change is in the way. After a kill at any moment, the same call completes it. Never throws.
 */
export async function landCommit(tree: WorkTree, landing: Landing, mark: LandingMark): Promise<GitLanded> {
  const wasInterrupted = mark.names(landing);
  const settled = await whereIs(tree, landing);
  if (settled !== 'before') return forget(mark, settled);
  const unfinished = findUnfinished(tree);
  if (unfinished !== undefined) return { status: 'refused', reason: unfinished };
  mark.set(landing);

  const merged = await fastForward(tree, landing, wasInterrupted ? TRIES.interrupted : TRIES.usual);
  if (merged.status === 'landed' || merged.status === 'moved') return forget(mark, merged);
  const isPartly = wasInterrupted || merged.status === 'killed';
  if (lookAtFile(lockOf(tree)) !== 'missing') {
    if (!isPartly) mark.clear();
    return { status: 'refused', reason: describeLock(tree) };
  }
  // The user may have committed in the meantime: then nothing may be written.
  const between = await whereIs(tree, landing);
  if (between !== 'before' && !isPartly) return forget(mark, between);
  const finished = await finishLanding(tree, landing, { isPartly });
  if (finished.status === 'done') return forget(mark, { status: 'landed' });
  const now = await whereIs(tree, landing);
  if (now !== 'before') return forget(mark, now);
  // Nothing was started, so there is nothing to finish.
  if (!isPartly && finished.status === 'in-the-way') mark.clear();
  const reason =
    finished.status === 'in-the-way' ? finished.reason : `git cannot move the branch: ${finished.reason}.`;
  return { status: 'refused', reason };
}

async function whereIs(tree: WorkTree, { commit, head }: Landing): Promise<GitLanded | 'before'> {
  const now = await tree.commit();
  if (now.status !== 'ok')
    return { status: 'refused', reason: `git could not report what is checked out: ${now.reason}.` };
  if (now.commit === commit) return { status: 'landed' };
  if (now.commit === head) return 'before';
  return (await tree.descends(now.commit, commit)) ? { status: 'landed' } : { status: 'moved' };
}

type FastForward = GitLanded | { status: 'killed' } | { status: 'failed' };

async function fastForward(tree: WorkTree, landing: Landing, tries: number): Promise<FastForward> {
  for (let left = tries; ; left--) {
    // Ignored files have no other copy.
    const words = ['merge', '-q', '--ff-only', '--no-overwrite-ignore', landing.commit];
    const merged = await tree.run(words, { mayRunPrograms: true });
    if (merged.status === 'ok') return { status: 'landed' };
    if (merged.code === undefined) return { status: 'killed' };
    const isLocked = lookAtFile(lockOf(tree)) !== 'missing' || /index\.lock/.test(merged.reason);
    if (!isLocked || left === 0) return { status: 'failed' };
    await sleep(PAUSE_MS);
    const now = await whereIs(tree, landing);
    if (now !== 'before') return now;
  }
}

function lockOf({ gitFolder }: WorkTree): string {
  return join(gitFolder, 'index.lock');
}

function describeLock(tree: WorkTree): string {
  return (
    `Another git process is working in this project, or was killed: ${JSON.stringify(lockOf(tree))} exists. ` +
    'Wait for it to end. If no git is running here, delete that file and try again.'
  );
}

/** It may be tried again after a refusal, and must then still recognise an interrupted landing. */
function forget(mark: LandingMark, landed: GitLanded): GitLanded {
  if (landed.status !== 'refused') mark.clear();
  return landed;
}

/** A commit to check out, and its parent, which is checked out now. */
interface Landing {
  commit: string;
  head: string;
}

type FinishedLanding =
  | { status: 'done' }
  /** Whole sentences; nothing was touched. */
  | { status: 'in-the-way'; reason: string }
  /** It completes "git cannot move the branch: …". */
  | { status: 'failed'; reason: string };

const LARGEST_PARTIAL = 256 * MB;
const NAMED = 10;

/**
 * Writes the new content to every path that has its old or new one, and moves the branch. `isPartly`: our git was
 * killed before, so a missing or half-written file is its work. All of it can be repeated. Never throws.
 */
async function finishLanding(
  tree: WorkTree,
  { commit, head }: Landing,
  { isPartly }: { isPartly: boolean },
): Promise<FinishedLanding> {
  try {
    const { changes } = take(await compareTrees(tree, head, commit));
    const { changes: staged } = take(await compareIndex(tree, head));
    const blocked = await findBlocked(tree, changes, staged, isPartly);
    if (blocked.length > 0) return { status: 'in-the-way', reason: describeBlocked(blocked) };
    const now = take(await tree.commit());
    if (now.commit !== head) return { status: 'failed', reason: 'something else is checked out now' };
    removeGone(tree.folder, changes);
    take(await setEntries(tree, changes, 'after'));
    take(await writeEntries(tree, changes, 'after'));
    take(await tree.run(['update-ref', '-m', 'teddy: land', 'HEAD', commit, head]));
    return { status: 'done' };
  } catch (error) {
    return { status: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Throws git's failure, which the caller catches. */
function take<T extends { status: 'ok' } | GitRefusal>(result: T): Extract<T, { status: 'ok' }> {
  if (result.status === 'ok') return result as Extract<T, { status: 'ok' }>;
  throw new Error((result as GitRefusal).reason);
}

/** Paths whose content is neither the old nor the new. */
async function findBlocked(
  tree: WorkTree,
  changes: readonly EntryChange[],
  staged: readonly EntryChange[],
  isPartly: boolean,
): Promise<string[]> {
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const blocked = new Set<string>();
  for (const { path, after } of staged) {
    const change = byPath.get(path);
    if (change && !isSameEntry(after, change.after)) blocked.add(path);
  }
  const [old, next] = [
    await findDiffering(tree, changes, 'before'),
    await findDiffering(tree, changes, 'after'),
  ];
  const strange = changes.filter(({ path }) => old.has(path) && next.has(path));
  const isGone = ({ path }: EntryChange) => lookWithin(tree.folder, path) === 'missing';
  const open = isPartly ? strange.filter((change) => !isGone(change)) : strange;
  const begun = isPartly ? await findBegun(tree, open) : new Set<string>();
  for (const { path } of open) if (!begun.has(path)) blocked.add(path);
  for (const path of findObstacles(tree, changes, byPath)) blocked.add(path);
  return [...blocked].sort();
}

/** Paths whose content on disk, as git would add it, differs from one side. */
async function findDiffering(
  tree: WorkTree,
  changes: readonly EntryChange[],
  side: 'before' | 'after',
): Promise<Set<string>> {
  const here = changes.filter((change) => isFile(change[side]));
  const gone = changes.filter((change) => change[side] === null);
  const differing = new Set<string>();
  for (const { path, before, after } of gone) {
    const look = isFile(before ?? after) ? lookWithin(tree.folder, path) : 'missing';
    // Folders are checked as obstacles.
    if (look !== 'missing' && look !== 'folder') differing.add(path);
  }
  await withEntries(tree, here, side, async (index) => {
    // Its exit code says whether some differ.
    await tree.run(['update-index', '-q', '--refresh'], { index, mayRunPrograms: true });
    const words = ['diff-files', '-z', '--name-only', '--no-renames', '--no-ext-diff'];
    const listed = await tree.list(words, { index, mayRunPrograms: true });
    for (const path of take(listed).items) differing.add(path);
  });
  return differing;
}

/** An index of only these entries, during `work`. */
async function withEntries(
  tree: WorkTree,
  changes: readonly EntryChange[],
  side: 'before' | 'after',
  work: (index: string) => Promise<void>,
): Promise<void> {
  if (changes.length === 0) return;
  await tree.withIndex(async (index) => {
    take(await setEntries(tree, changes, side, index));
    await work(index);
  });
}

/** Half-written files: git writes them in place. */
async function findBegun(tree: WorkTree, changes: readonly EntryChange[]): Promise<Set<string>> {
  const begun = new Set<string>();
  const files = changes.filter(
    ({ path, after }) => isFile(after) && lookWithin(tree.folder, path) === 'file',
  );
  const copy = join(tree.gitFolder, `teddy-files-${randomId(8)}`);
  try {
    await withEntries(tree, files, 'after', async (index) => {
      const words = ['checkout-index', '-a', '-q', `--prefix=${copy}/`];
      take(await tree.run(words, { index, mayRunPrograms: true }));
    });
    for (const { path } of files) {
      const whole = readBytes(join(copy, path), LARGEST_PARTIAL);
      const part = readBytes(join(tree.folder, path), LARGEST_PARTIAL);
      if (whole.status !== 'bytes' || part.status !== 'bytes') continue;
      const start = whole.bytes.subarray(0, part.bytes.length);
      if (Buffer.compare(start, part.bytes) === 0) begun.add(path);
    }
  } finally {
    removeTree(copy);
  }
  return begun;
}

/** Folders in place of files, except those that become empty; and anything else in place of a folder. */
function* findObstacles(
  tree: WorkTree,
  changes: readonly EntryChange[],
  byPath: ReadonlyMap<string, EntryChange>,
): Generator<string> {
  const goes = (path: string) => isFile(byPath.get(path)?.before ?? null) && byPath.get(path)?.after === null;
  for (const { path, after } of changes) {
    if (!isFile(after)) continue;
    if (lookWithin(tree.folder, path) === 'folder')
      for (const inside of filesBelow(tree.folder, path)) if (!goes(inside)) yield inside;
    for (let above = dirname(path); above !== '.'; above = dirname(above)) {
      const look = lookAtFile(join(tree.folder, above));
      if (look !== 'folder' && look !== 'missing' && !goes(above)) yield above;
    }
  }
}

function* filesBelow(folder: string, path: string): Generator<string> {
  for (const name of files.list(join(folder, path))) {
    const inner = `${path}/${name}`;
    if (lookAtFile(join(folder, inner)) === 'folder') yield* filesBelow(folder, inner);
    else yield inner;
  }
}

/** And the folders that it leaves empty. */
function removeGone(folder: string, changes: readonly EntryChange[]): void {
  for (const { path, before, after } of changes) {
    const look = after === null && isFile(before) ? lookWithin(folder, path) : 'missing';
    if (look !== 'file' && look !== 'symlink') continue;
    files.unlink(join(folder, path));
    for (let above = dirname(path); above !== '.'; above = dirname(above))
      if (!removeEmpty(join(folder, above))) break;
  }
  for (const { path, after } of changes) {
    if (isFile(after) && lookWithin(folder, path) === 'folder') removeEmpty(join(folder, path));
  }
}

/** The entry that git sees at a path: none below a link or a file. */
function lookWithin(folder: string, path: string): PathLook {
  for (let above = dirname(path); above !== '.'; above = dirname(above))
    if (lookAtFile(join(folder, above)) !== 'folder') return 'missing';
  return lookAtFile(join(folder, path));
}

/** A folder that contains only empty folders. */
function removeEmpty(path: string): boolean {
  try {
    for (const name of files.list(path)) if (!removeEmpty(join(path, name))) return false;
    files.rmdir(path);
    return true;
  } catch {
    return false;
  }
}

function describeBlocked(paths: readonly string[]): string {
  const [are, them] = paths.length === 1 ? ['is changed', 'it'] : ['are changed', 'them'];
  return (
    `${listPaths(paths, NAMED)} ${are} or new in the project and not committed, and this work would write over ${them}. ` +
    `Commit ${them}, or stash only ${them} (git stash push -u -- ${paths.length === 1 ? JSON.stringify(paths[0]) : 'FILES'}), then try again; ` +
    'do not stash what teddy records, such as PLAN.md.'
  );
}
