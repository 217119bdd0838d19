import { join } from 'node:path';
import { files } from '../file-calls.js';
import { lookAtFile, removeTree } from '../files.js';
import { readFirstLine } from './repository.js';
import type { WorkTree } from './work-tree.js';

/** The worktrees of one repository in one folder, by name. */
export interface WorktreeFolder {
  /** Whose repository it is. */
  tree: WorkTree;
  commonFolder: string;
  /** Absolute and real. */
  folder: string;
}

/** git's data about a worktree; the name must be one that git keeps unchanged. */
export function gitFolderOf({ commonFolder }: WorktreeFolder, name: string): string {
  return join(commonFolder, 'worktrees', name);
}

/** Creates a worktree on a new branch. On failure returns the reason, and leaves a half-made one. Never throws. */
export async function addWorktree(
  worktrees: WorktreeFolder,
  { name, branch, commit }: { name: string; branch: string; commit: string },
): Promise<string | undefined> {
  const path = join(worktrees.folder, name);
  const words = ['worktree', 'add', '--no-checkout', '--no-track', '-b', branch, '--', path, commit];
  const added = await worktrees.tree.run(words);
  if (added.status !== 'ok') return added.reason;
  return lookAtFile(gitFolderOf(worktrees, name)) === 'folder'
    ? undefined
    : 'git keeps the worktree under another name';
}

/** Writes the files of a worktree that was just made. */
export async function fillWorktree(tree: WorkTree): Promise<string | undefined> {
  const filled = await tree.run(['reset', '-q', '--hard'], { mayRunPrograms: true });
  return filled.status === 'ok' ? undefined : filled.reason;
}

/** The names of all worktrees: those that git knows and `isOurs` accepts, and those that are only on disk. Sorted. */
export function listWorktrees(worktrees: WorktreeFolder, isOurs: (name: string) => boolean): string[] {
  const known = listFolder(join(worktrees.commonFolder, 'worktrees')).filter(isOurs);
  return [...new Set([...known, ...listFolder(worktrees.folder)])].sort();
}

/** The identity of a worktree's folders, and the link between them. As JSON. */
export interface WorktreeIdentity {
  /** `device:inode` */
  folder: string;
  gitFolder: string;
  /** The first line of the folder's `.git`. */
  link: string;
  commonFolder: string;
}

/** Undefined if one of its folders is something else, such as a link. */
export function identifyWorktree(worktrees: WorktreeFolder, name: string): WorktreeIdentity | undefined {
  const path = join(worktrees.folder, name);
  const gitFolder = gitFolderOf(worktrees, name);
  const [own, git] = [identifyFolder(path), identifyFolder(gitFolder)];
  const link = lookAtFile(join(path, '.git')) === 'file' ? readFirstLine(join(path, '.git')) : undefined;
  const commonFolder = readFirstLine(join(gitFolder, 'commondir'));
  if (own === undefined || git === undefined || link === undefined || commonFolder === undefined)
    return undefined;
  return { folder: own, gitFolder: git, link, commonFolder };
}

export function isSameWorktree(worktrees: WorktreeFolder, name: string, before: WorktreeIdentity): boolean {
  const now = identifyWorktree(worktrees, name);
  const keys = ['folder', 'gitFolder', 'link', 'commonFolder'] as const;
  return now !== undefined && keys.every((key) => now[key] === before[key]);
}

/** `device:inode` of a folder; undefined if it is missing or a link. */
function identifyFolder(path: string): string | undefined {
  try {
    const stats = files.lstat(path);
    return stats?.isDirectory() ? `${stats.dev}:${stats.ino}` : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Removes a worktree and its branch, complete or half-made, locked or not. Others are left alone: one whose disk is
 * not mounted would seem dead. git is not used, since it would follow a link to another worktree. With `folder`, a
 * folder that has replaced it stays. Returns the reason if something stays. Never throws.
 */
export async function removeWorktree(
  worktrees: WorktreeFolder,
  { name, branch, folder }: { name: string; branch: string | null; folder?: string | undefined },
): Promise<string | undefined> {
  const path = join(worktrees.folder, name);
  const found = identifyFolder(path);
  const isOther = folder !== undefined && found !== undefined && found !== folder;
  const kept = isOther ? `${JSON.stringify(path)} is not the folder that was created for it.` : undefined;
  const reason = (isOther ? undefined : removeTree(path)) ?? removeTree(gitFolderOf(worktrees, name));
  if (reason !== undefined) return reason;
  const gone =
    branch === null ? undefined : await worktrees.tree.run(['update-ref', '-d', `refs/heads/${branch}`]);
  return gone === undefined || gone.status === 'ok' ? kept : `git says: ${gone.reason}.`;
}

function listFolder(path: string): string[] {
  try {
    return files.list(path);
  } catch {
    return [];
  }
}
