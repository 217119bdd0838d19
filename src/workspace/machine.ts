import { dirname, relative, sep } from 'node:path';
import type { Machine } from '../core/tree.js';
import { lookAt, realPath } from '../node/files.js';
import { homeFolders, temporaryFolders } from '../node/machine-folders.js';

/** The machine around a root, which is a real path. Nothing is looked at before it is asked for. */
export function machineAround(root: string): Machine {
  let places: Machine['places'] | undefined;
  return {
    insideRoot: (absolute) => insideRoot(root, absolute),
    exists: (absolute) => lookAt(absolute) !== 'missing',
    get home() {
      return homeFolders()[0];
    },
    get places() {
      places ??= [
        ...spellings('your home folder', homeFolders()),
        ...spellings('the temporary folder', temporaryFolders()),
      ];
      return places;
    },
  };
}

/** The root may be reached by a symlink, as `/tmp` is one on some systems; what is missing has no links. */
function insideRoot(root: string, absolute: string): string | undefined {
  // Below `/` itself every path is the same from the root.
  if (dirname(root) === root) return undefined;
  const named = pathBelow(root, absolute);
  if (named !== undefined) return named;
  for (let folder = absolute; ; folder = dirname(folder)) {
    const real = realPath(folder);
    if (real !== undefined) return pathBelow(root, real + absolute.slice(folder === sep ? 0 : folder.length));
    if (folder === dirname(folder)) return undefined;
  }
}

/** A path from the root, with `/`; the root itself is `.`. */
function pathBelow(root: string, path: string): string | undefined {
  const below = relative(root, path).split(sep).join('/');
  if (below === '') return '.';
  return below === '..' || below.startsWith('../') || below.startsWith('/') || /^[A-Za-z]:/.test(below)
    ? undefined
    : below;
}

/** Were `/` one of them, every path would be one of another place. */
function spellings(name: string, folders: readonly string[]): { path: string; name: string }[] {
  const paths = folders.flatMap((folder) => [folder, realPath(folder) ?? folder]);
  return [...new Set(paths.map((path) => path.replace(/\/+$/, '')))]
    .filter((path) => path.startsWith('/'))
    .map((path) => ({ path, name }));
}
