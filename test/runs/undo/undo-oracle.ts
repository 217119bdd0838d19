import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../../src/node/ids.js';

/** Everything below a folder but git's and teddy's own, by path; a folder ends in a slash. */
export type Tree = Readonly<Record<string, string>>;

export function readTree(root: string): Tree {
  const seen: Record<string, string> = {};
  const enter = (folder: string) => {
    for (const name of readdirSync(join(root, folder))) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (path === '.git' || path === '.teddy') continue;
      const full = join(root, path);
      const stats = lstatSync(full);
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isSymbolicLink()) seen[path] = `link to ${readlinkSync(full)}`;
      else if (stats.isFile()) seen[path] = `${mode} ${sha256(readFileSync(full))}`;
      else if (!stats.isDirectory()) seen[path] = 'special';
      else {
        seen[`${path}/`] = mode;
        enter(path);
      }
    }
  };
  enter('');
  return seen;
}

/** The trees around a run, and around its undo. */
export interface Around {
  before: Tree;
  after: Tree;
  /** At the undo: `after`, and what others changed since. */
  now: Tree;
  undone: Tree;
}

/** What undo and the report say that is not restored. */
export interface Named {
  refused: readonly string[];
  unrestorable: readonly string[];
}

/**
 * What is not as the undo promises: all that the run changed is as before or named, and a file is refused only if it was
 * changed since; all else is left alone.
 */
export function judgeUndo(
  { before, after, now, undone }: Around,
  { refused, unrestorable }: Named,
  isIgnored: (path: string) => boolean,
): string[] {
  const wrong: string[] = [];
  const trees = [before, after, now, undone];
  const paths = new Set(trees.flatMap((tree) => Object.keys(tree)));
  const loose = new Set(trees.flatMap((tree) => ignoredFolders(tree, isIgnored)));
  const touched = [...new Set([...Object.keys(after), ...Object.keys(now)])].filter(
    (path) => after[path] !== now[path],
  );
  const isTouched = (path: string) => touched.some((each) => isNear(each, path));
  const named = [...refused, ...unrestorable];
  const isNamed = (path: string) =>
    path.endsWith('/') ? named.some((each) => isNear(each, path)) : named.includes(path);
  for (const path of paths) {
    const say = (what: string) =>
      wrong.push(
        `${path} ${what}: ${[before, after, now, undone].map((tree) => tree[path] ?? 'none').join(' → ')}`,
      );
    if (loose.has(path)) continue;
    if (isIgnored(path) || before[path] === after[path]) {
      // A folder that others emptied goes with the run's files in it.
      if (undone[path] !== now[path] && !(path.endsWith('/') && isTouched(path)))
        say('was changed by the undo');
    } else if (undone[path] !== before[path] && !(path.endsWith('/') && isTouched(path))) {
      if (!isNamed(path)) say('is not as before, and not named');
      else if (undone[path] !== now[path]) say('is named, and was changed');
    }
  }
  // An ignored file stays where it is, even where a file or link was before.
  const isBlocked = (path: string) =>
    Object.keys(now).some((each) => each.startsWith(`${path}/`) && isIgnored(each));
  for (const path of refused)
    if (!isTouched(path) && !isBlocked(path) && !unrestorable.includes(path))
      wrong.push(`${path} is refused, and nobody changed it`);
  return wrong;
}

/** One is the other, or a folder above it. */
function isNear(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => (path.endsWith('/') ? path : `${path}/`)) as [string, string];
  return a.startsWith(b) || b.startsWith(a);
}

/** Folders with nothing in them but ignored files, at least one: no one knows them. */
function ignoredFolders(tree: Tree, isIgnored: (path: string) => boolean): string[] {
  const files = Object.keys(tree).filter((path) => !path.endsWith('/'));
  const isIn = (folder: string) => (path: string) => path.startsWith(folder);
  return Object.keys(tree).filter((path) => {
    if (!path.endsWith('/')) return false;
    const inside = files.filter(isIn(path));
    return inside.length > 0 && inside.every(isIgnored);
  });
}

/** What differs between two trees. */
export function differences(one: Tree, other: Tree): string[] {
  const paths = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...paths].filter((path) => one[path] !== other[path]).sort();
}
