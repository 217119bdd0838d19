import { constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { files } from './file-calls.js';
import { realPath } from './files.js';

export type FoundProgram =
  /** Absolute; links are kept, since some programs behave by the name they are called with. */
  | { status: 'found'; file: string }
  /** `unused`: the first match that is in an excluded folder. */
  | { status: 'missing'; unused?: string };

/**
 * Finds a program on `path`, but not in these folders (real paths), whose content may come from a plan or a clone.
 * Relative entries of `path` depend on the current folder and do not count.
 */
export function findProgram(name: string, path: string, outside: readonly string[]): FoundProgram {
  let unused: string | undefined;
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const file = join(folder, name);
    const real = isProgram(file) ? realPath(file) : undefined;
    if (real === undefined) continue;
    if (!isWithin(real, outside) && !isWithin(realPath(folder) ?? folder, outside))
      return { status: 'found', file };
    unused ??= file;
  }
  return unused === undefined ? { status: 'missing' } : { status: 'missing', unused };
}

/** The entries of `path` that are searched. */
export function pathOutside(path: string, outside: readonly string[]): string {
  const kept = path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !isWithin(realPath(folder) ?? folder, outside));
  return kept.join(delimiter);
}

/** Whether a real path is one of the folders or below one. `/` is ignored, since everything is below it. */
function isWithin(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => folder !== '/' && (path === folder || path.startsWith(`${folder}/`)));
}

function isProgram(path: string): boolean {
  try {
    if (!files.statAt(path)?.isFile()) return false;
    files.access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
