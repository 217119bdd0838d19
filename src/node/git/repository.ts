import { basename, delimiter, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { files } from '../file-calls.js';
import { lookAtFile, readBytes, realPath } from '../files.js';
import { sharedFolders } from '../user-folders.js';
import type { GitRefusal } from './command.js';

const LARGEST_FILE = 1024 * 1024;

/** A work tree and its repository, as their files say. All paths are absolute and real. */
export interface FoundRepository {
  /** The root of the work tree. */
  top: string;
  /** From there to the requested folder: empty, or ends with `/`. */
  prefix: string;
  /** The folder of HEAD and the index. */
  gitFolder: string;
  /** The folder that all work trees of the repository share. */
  commonFolder: string;
}

// A repository as its files describe it. git's own search would also accept a folder that only looks like a
// bare repository, and a clone can bring such a folder.

/** The repository whose work tree contains `folder`; never a bare one, and never one whose work tree is elsewhere. */
export function findRepository(folder: string): ({ status: 'ok' } & FoundRepository) | GitRefusal {
  const start = realPath(folder);
  if (start === undefined) return { status: 'failed', reason: `there is no folder ${folder}` };
  for (const top of foldersUpward(start)) {
    const linked = gitFolderOf(top);
    if (linked === undefined) continue;
    if (linked === 'broken')
      return { status: 'failed', reason: `${JSON.stringify(join(top, '.git'))} does not name a git folder` };
    const found = openGitFolder(linked);
    if (found === undefined) {
      // git continues above an empty folder, but not above a file that leads nowhere.
      if (kindOf(join(top, '.git')) === 'folder') continue;
      return { status: 'no-repository', reason: 'this is not a git repository' };
    }
    const reason = findMismatch(top, found);
    if (reason !== undefined) return { status: 'failed', reason };
    const prefix = relative(top, start);
    if (prefix.split('/', 1)[0] === '.git')
      return { status: 'no-repository', reason: 'there is no working tree here' };
    return { status: 'ok', top, prefix: prefix === '' ? '' : `${prefix}/`, ...found };
  }
  return { status: 'no-repository', reason: 'this is not a git repository' };
}

/**
 * Searches upwards as git does, not past a ceiling or onto another disk. A home or temporary folder is not the work
 * tree of folders below it.
 */
function* foldersUpward(start: string): Generator<string> {
  const ceilings = (process.env.GIT_CEILING_DIRECTORIES ?? '').split(delimiter).filter(isAbsolute);
  const stops = new Set([...sharedFolders(), ...ceilings.map((path) => realPath(path) ?? path)]);
  const disk = deviceOf(start);
  for (let folder = start; ; folder = dirname(folder)) {
    yield folder;
    const above = dirname(folder);
    if (above === folder || stops.has(above) || deviceOf(above) !== disk) return;
  }
}

/** Why the git folder that `.git` leads to is not this folder's: then git would work on another one's branches. */
function findMismatch(
  top: string,
  { gitFolder, commonFolder }: Pick<FoundRepository, 'gitFolder' | 'commonFolder'>,
): string | undefined {
  const own = join(top, '.git');
  const name = JSON.stringify(own);
  for (const folder of [gitFolder, commonFolder]) {
    const within = relative(top, folder);
    const isInside = within !== '..' && !within.startsWith('../') && !isAbsolute(within);
    // A plan could write its config and hooks there.
    if (isInside && within !== '.git' && !within.startsWith('.git/'))
      return `${name} leads to ${JSON.stringify(folder)}, which is part of the files that are checked out`;
  }
  if (gitFolder !== commonFolder) {
    if (dirname(gitFolder) !== join(commonFolder, 'worktrees'))
      return `${name} names the repository ${JSON.stringify(commonFolder)}, which does not know it`;
    if (realOf(linkIn(gitFolder, 'gitdir')) === realPath(own)) return undefined;
    return `${name} names the worktree ${JSON.stringify(gitFolder)}, which is known to be elsewhere; "git worktree repair" corrects that`;
  }
  if (gitFolder === own || basename(gitFolder) !== '.git') return undefined;
  return `${name} leads to ${JSON.stringify(gitFolder)}, the repository of another folder`;
}

/**
 * The root that a worktree was added from; `root` itself if it is not a worktree. A tree's own files can claim
 * anything, so the repository that they name must confirm it.
 */
export function mainWorktree(root: string): string {
  const own = resolve(root);
  if (kindOf(join(own, '.git')) !== 'file') return own;
  const linked = gitFolderOf(own);
  const folder = linked === 'broken' ? undefined : realOf(linked);
  const common = folder && realOf(linkIn(folder, 'commondir'));
  if (!common || dirname(folder) !== join(common, 'worktrees') || basename(common) !== '.git') return own;
  const known = realOf(linkIn(folder, 'gitdir'));
  return known !== undefined && known === realOf(join(own, '.git')) ? dirname(common) : own;
}

/** The target of `.git` in a folder, if there is one. */
function gitFolderOf(top: string): string | 'broken' | undefined {
  const path = join(top, '.git');
  const kind = kindOf(path);
  if (kind !== 'file') return kind === 'folder' ? path : undefined;
  const target = readText(path)?.match(/^gitdir: ([^\0]+?)[\r\n]*$/)?.[1];
  return target === undefined ? 'broken' : resolve(top, target);
}

/** The git folder that git would use, and its shared one; undefined if it is not one. */
function openGitFolder(path: string): Pick<FoundRepository, 'gitFolder' | 'commonFolder'> | undefined {
  const gitFolder = realPath(path);
  if (gitFolder === undefined || lookAtFile(join(gitFolder, 'HEAD')) === 'missing') return undefined;
  const shared = linkIn(gitFolder, 'commondir');
  const commonFolder = shared === undefined ? gitFolder : realPath(shared);
  if (commonFolder === undefined) return undefined;
  const isWhole = ['objects', 'refs'].every((name) => kindOf(join(commonFolder, name)) === 'folder');
  return isWhole ? { gitFolder, commonFolder } : undefined;
}

/** The path in a small file of a git folder. */
function linkIn(gitFolder: string, name: string): string | undefined {
  const line = readFirstLine(join(gitFolder, name));
  return line === undefined || line === '' ? undefined : resolve(gitFolder, line);
}

function realOf(path: string | undefined): string | undefined {
  return path === undefined ? undefined : realPath(path);
}

/** The first line of a small file; undefined if unreadable. */
export function readFirstLine(path: string): string | undefined {
  return readText(path)?.split(/\r?\n/, 1)[0];
}

function readText(path: string): string | undefined {
  const read = readBytes(path, LARGEST_FILE);
  return read.status === 'bytes' ? Buffer.from(read.bytes).toString('utf8') : undefined;
}

function kindOf(path: string): 'file' | 'folder' | 'none' {
  const stats = statOf(path);
  return stats?.isDirectory() ? 'folder' : stats?.isFile() ? 'file' : 'none';
}

function deviceOf(path: string): number | undefined {
  return statOf(path)?.dev;
}

function statOf(path: string) {
  try {
    return files.statAt(path);
  } catch {
    return undefined;
  }
}

const OPERATIONS: Record<string, string> = {
  MERGE_HEAD: 'A merge',
  CHERRY_PICK_HEAD: 'A cherry-pick',
  REVERT_HEAD: 'A revert',
  'rebase-merge': 'A rebase',
  'rebase-apply': 'A rebase',
  BISECT_LOG: 'A bisection',
};

/** A sentence on a merge, rebase or other operation that the user has started in a work tree and not finished. */
export function findUnfinished({
  folder,
  gitFolder,
}: {
  folder: string;
  gitFolder: string;
}): string | undefined {
  const found = Object.keys(OPERATIONS).find((name) => lookAtFile(join(gitFolder, name)) !== 'missing');
  if (found === undefined) return undefined;
  return `${OPERATIONS[found]} is in progress in ${JSON.stringify(folder)}. Finish or abort it, then try again.`;
}
