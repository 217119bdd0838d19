import { dirname, join, resolve } from 'node:path';
import { lookAt, realPath, Unusable } from '../platform/index.js';

/**
 * The root of the work: the folder that was named; else the nearest one upward with `.teddy/`; else
 * the nearest with `.git` (a file in worktrees); else `folder` itself. Real, without symlinks.
 */
export function findRoot(folder: string, named?: string): string {
  if (named !== undefined) return openNamed(resolve(folder, named), named);
  const start = realPath(folder) ?? folder;
  return (
    findUpward(start, (each) => lookAt(join(each, '.teddy')) === 'folder') ??
    findUpward(start, (each) => ['folder', 'file'].includes(lookAt(join(each, '.git')))) ??
    start
  );
}

function openNamed(path: string, named: string): string {
  const real = realPath(path);
  if (real === undefined) throw new Unusable(`--root ${named} does not exist.`);
  if (lookAt(real) !== 'folder') throw new Unusable(`--root ${named} is not a folder.`);
  return real;
}

function findUpward(start: string, matches: (folder: string) => boolean): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (matches(folder)) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}
