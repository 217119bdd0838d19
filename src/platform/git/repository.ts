import { basename, dirname, join, resolve } from 'node:path';
import { files } from '../file-calls.js';
import { readBytes, realPath } from '../files.js';

const LARGEST_FILE = 1024 * 1024;

// What a repository says of itself in its files, so that a start need not wait for git.

/** The nearest folder upward, `from` included, that has a `.git`: a folder, or the file of a worktree or submodule. */
export function findGitRoot(from: string): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (kindOf(join(folder, '.git')) !== 'none') return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Whether `root` itself is a work tree of a repository, and not only a folder that holds something named `.git`. */
export function isRepository(root: string): boolean {
  const folder = gitFolder(root);
  return folder !== undefined && kindOf(join(folder, 'HEAD')) === 'file';
}

/**
 * The root that a worktree was added from; `root` itself where it is none. A tree's own files may say
 * anything: a worktree is one only when the repository that it names knows it, too.
 */
export function mainWorktree(root: string): string {
  const own = resolve(root);
  if (kindOf(join(own, '.git')) !== 'file') return own;
  const folder = realOf(gitFolder(own));
  const shared = folder && readLine(join(folder, 'commondir'));
  const common = shared && realOf(resolve(folder, shared));
  if (!common || dirname(folder) !== join(common, 'worktrees') || basename(common) !== '.git') return own;
  const known = realOf(readLine(join(folder, 'gitdir')));
  return known !== undefined && known === realOf(join(own, '.git')) ? dirname(common) : own;
}

function realOf(path: string | undefined): string | undefined {
  return path === undefined ? undefined : realPath(path);
}

/** `.git`, or where the file of that name points to. */
function gitFolder(root: string): string | undefined {
  const path = join(root, '.git');
  const kind = kindOf(path);
  if (kind === 'folder') return resolve(path);
  const target = kind === 'file' ? readLine(path)?.match(/^gitdir: (.+)$/)?.[1] : undefined;
  return target === undefined ? undefined : resolve(root, target);
}

/** The first line of a small file; undefined where it cannot be read. */
export function readLine(path: string): string | undefined {
  return readText(path)?.split(/\r?\n/, 1)[0];
}

function readText(path: string): string | undefined {
  const read = readBytes(path, LARGEST_FILE);
  return read.status === 'bytes' ? Buffer.from(read.bytes).toString('utf8') : undefined;
}

function kindOf(path: string): 'file' | 'folder' | 'none' {
  try {
    const stats = files.statAt(path);
    return stats?.isDirectory() ? 'folder' : stats?.isFile() ? 'file' : 'none';
  } catch {
    return 'none';
  }
}
