import { dirname, join, resolve } from 'node:path';
import { files } from '../node/file-calls.js';
import { lookAtFile, realPath } from '../node/files.js';
import { sharedFolders } from '../node/machine-folders.js';
import { requireOwn } from '../node/ownership.js';
import { UserError } from '../node/user-error.js';
import { UserTrees } from './user-trees.js';

/**
 * The root of the work: the folder that was named; else the nearest one upward with `.teddy/` or `.git` (a file in
 * worktrees); else `folder` itself. Real, without symlinks. Throws `UserError` where it cannot be used.
 */
export function findRoot(folder: string, named?: string): string {
  const root = named === undefined ? findNearest(folder) : openNamed(resolve(folder, named), named);
  const own = files.lstat(join(root, '.teddy'));
  if (own?.isDirectory()) requireOwn(join(root, '.teddy'), own);
  if (UserTrees.of(root).surroundRoot)
    throw new UserError(`${root} is where teddy keeps its own files for you; run teddy in another folder.`);
  return root;
}

function openNamed(path: string, named: string): string {
  const real = realPath(path);
  if (real === undefined) throw new UserError(`--root ${named} does not exist.`);
  if (lookAtFile(real) !== 'folder') throw new UserError(`--root ${named} is not a folder.`);
  return real;
}

/** Not past a home folder, a temporary one or `/`: what is below those is no part of them, whatever they hold. */
function findNearest(from: string): string {
  const start = realPath(from) ?? from;
  const shared = sharedFolders();
  for (let folder = start; ; folder = dirname(folder)) {
    if (folder !== start && shared.has(folder)) return start;
    if (isRoot(folder)) return folder;
    if (shared.has(folder) || folder === dirname(folder)) return start;
  }
}

function isRoot(folder: string): boolean {
  return (
    lookAtFile(join(folder, '.teddy')) === 'folder' ||
    ['folder', 'file'].includes(lookAtFile(join(folder, '.git')))
  );
}
