import { basename, dirname, join, resolve } from 'node:path';
import { foldName } from '../core/path.js';
import { UserError } from '../node/errors.js';
import { files } from '../node/file-calls.js';
import { lookAtFile, realPath, requireOwn } from '../node/files.js';
import type { FileStats, Folder } from '../node/folder.js';
import { sharedFolders, userTeddyFolders } from '../node/user-folders.js';

/**
 * The root of the work: the folder that was named; else the nearest one upward with `.teddy/` or `.git` (a file in
 * worktrees); else `folder` itself. Real, without symlinks. Throws `UserError` where it cannot be used.
 */
export function findRoot(folder: string, named?: string): string {
  const root = named === undefined ? findNearest(folder) : openNamed(resolve(folder, named), named);
  const own = files.lstat(join(root, '.teddy'));
  if (own?.isDirectory()) requireOwn(join(root, '.teddy'), own);
  if (UserTrees.of(root).surroundRoot)
    throw new UserError(`${root} is where teddy keeps its own files. Run teddy in another folder.`);
  return root;
}

function openNamed(path: string, named: string): string {
  const real = realPath(path);
  if (real === undefined) throw new UserError(`--root ${named} does not exist.`);
  if (lookAtFile(real) !== 'folder') throw new UserError(`--root ${named} is not a folder.`);
  return real;
}

/** Not past a home folder, a temporary one or `/`: projects below those are not part of them, whatever they contain. */
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

const MOST_LINKS = 40;

/**
 * The user's own teddy folders, with key, trust, config and cache, as a project sees them: no path in it leads there.
 * They are known by what they are on disk, so that no other name or link makes a difference. One that is not there yet
 * is known by the folder that it would be made in, and its names from there on.
 */
export class UserTrees {
  /** Those below the root, as paths from there. */
  readonly below: readonly string[];
  /** Whether the root itself is one of them, or is inside one. */
  readonly surroundRoot: boolean;
  private readonly identities = new Set<string>();
  private readonly missing: { identity: string; names: string[] }[] = [];

  /** If the root contains none of them, nothing needs to be looked up again. */
  static of(root: string): UserTrees {
    const trees = findTrees();
    if (last?.root === root && last.trees === trees) return last.value;
    const value = new UserTrees(root, trees);
    if (value.below.length === 0) last = { root, trees, value };
    return value;
  }

  private constructor(root: string, trees: readonly Tree[]) {
    const start = root.endsWith('/') ? root : `${root}/`;
    const inside = trees.filter(({ path }) => path.startsWith(start));
    this.below = inside.map(({ path }) => path.slice(start.length));
    this.surroundRoot = trees.some(({ path }) => start.startsWith(`${path}/`));
    for (const { identity } of trees) if (identity !== undefined) this.identities.add(identity);
    // Those in the root may have been made, or replaced, since they were looked up.
    for (const { path } of inside) this.add(path);
  }

  /** Whether this is one of them. */
  includes({ dev, ino }: FileStats): boolean {
    return this.identities.has(`${dev}:${ino}`);
  }

  /** Whether these names lead from a folder into one of them that was not there. */
  wouldInclude(folder: Folder, names: readonly string[]): boolean {
    return this.missing.some(
      (tree) =>
        tree.names.length <= names.length &&
        tree.names.every((name, i) => foldName(names[i]!) === name) &&
        tree.identity === folder.identity,
    );
  }

  private add(path: string): void {
    const names: string[] = [];
    for (let folder = path; ; folder = dirname(folder)) {
      const identity = identify(folder);
      if (identity !== undefined && names.length === 0) this.identities.add(identity);
      else if (identity !== undefined) this.missing.push({ identity, names });
      if (identity !== undefined || folder === dirname(folder)) return;
      names.unshift(foldName(basename(folder)));
    }
  }
}

interface Tree {
  /** Real, as far as it exists. */
  path: string;
  identity: string | undefined;
}

let found: { paths: readonly string[]; trees: readonly Tree[] } | undefined;
let last: { root: string; trees: readonly Tree[]; value: UserTrees } | undefined;

/** Looked for once: where they are changes only with the environment. */
function findTrees(): readonly Tree[] {
  const paths = userTeddyFolders();
  if (found?.paths !== paths) {
    const real = [...new Set(paths.map((path) => resolveLinks(path)))];
    found = { paths, trees: real.map((path) => ({ path, identity: identify(path) })) };
  }
  return found.trees;
}

/** A real path also where nothing is at its end yet. */
function resolveLinks(path: string, links = 0): string {
  const real = realPath(path);
  if (real !== undefined || path === dirname(path)) return real ?? path;
  const parent = resolveLinks(dirname(path), links);
  const here = join(parent, basename(path));
  if (links >= MOST_LINKS || lookAtFile(here) !== 'symlink') return here;
  return resolveLinks(resolve(parent, tryTo(() => files.readlink(here)) ?? here), links + 1);
}

function identify(path: string): string | undefined {
  const stats = tryTo(() => files.statAt(path));
  return stats && `${stats.dev}:${stats.ino}`;
}

function tryTo<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
