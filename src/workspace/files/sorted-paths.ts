import { type Components, matchComponents, matchPieces, type Pieces } from '../../core/glob.js';

/** Neighbouring files of one folder: from index `from`, up to and without `to`. */
export interface FolderGroup {
  /** From the root to theirs. */
  folders: readonly string[];
  from: number;
  to: number;
}

const NONE: readonly number[] = [];

/** The files of a project, sorted by path, with quick lookups. A file is its index. */
export class SortedPaths {
  private known: readonly FolderGroup[] | undefined;

  constructor(readonly paths: readonly string[]) {}

  /** Most questions are the same for all files of a folder, and there are far fewer folders than files. */
  get groups(): readonly FolderGroup[] {
    this.known ??= [...groupByFolder(this.paths)];
    return this.known;
  }

  /** The part after the last slash. */
  nameAt(at: number, { folders }: FolderGroup): string {
    const path = this.paths[at]!;
    return folders.length === 0 ? path : path.slice(path.lastIndexOf('/') + 1);
  }

  /** The file of that path, or all that lie below that folder. */
  at(path: string): readonly number[] {
    if (path === '.') return range(0, this.paths.length);
    const at = this.firstFrom(path);
    if (this.paths[at] === path) return [at];
    // `0` is the character that follows the slash.
    return range(this.firstFrom(`${path}/`), this.firstFrom(`${path}0`));
  }

  matching(glob: Components): readonly number[] {
    const found: number[] = [];
    for (const group of this.groups) {
      const matches = matchIn(glob, group.folders);
      if (!matches) continue;
      for (let at = group.from; at < group.to; at++) {
        if (matches === 'all' || matchPieces(matches, this.nameAt(at, group))) found.push(at);
      }
    }
    return found;
  }

  /** The first index whose path is not before `path`. */
  private firstFrom(path: string): number {
    let low = 0;
    let high = this.paths.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.paths[middle]! < path) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The names in a folder that the glob matches there. */
function matchIn(glob: Components, folder: readonly string[]): 'all' | Pieces | undefined {
  const above = glob.slice(0, -1);
  const last = glob.at(-1)!;
  if (last !== '**') return matchComponents(above, folder) ? last : undefined;
  // Everything below what the rest matches, or that itself: `**` may match nothing.
  if (above.length === 0 || matchComponents(glob, folder)) return 'all';
  return matchIn(above, folder);
}

function* groupByFolder(paths: readonly string[]): Generator<FolderGroup> {
  for (let from = 0, to = 0; from < paths.length; from = to) {
    const path = paths[from]!;
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    while (to < paths.length && isDirectlyIn(folder, paths[to]!)) to++;
    yield { folders: folder === '' ? [] : folder.slice(0, -1).split('/'), from, to };
  }
}

/** The folder ends with a slash, or is the root. */
function isDirectlyIn(folder: string, path: string): boolean {
  return path.startsWith(folder) && !path.includes('/', folder.length);
}

function range(from: number, to: number): readonly number[] {
  return from < to ? Array.from({ length: to - from }, (_, i) => from + i) : NONE;
}
