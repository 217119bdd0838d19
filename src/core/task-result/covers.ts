import { placeIn } from '../place.js';
import type { TaskFile } from '../task-plan/types.js';
import type { Tree } from '../tree.js';

/** More than any plan has, and than any comparison takes; beyond it patterns cost more than a warning is worth. */
const MOST_PATTERNS = 500;
const MOST_STEPS = 5_000_000;

/** Whether a path is among a task's files: one of them, under one of them, or what a pattern among them means. */
export type Covers = (path: string) => boolean;

/** Undefined where the task names no file that can be read. */
export function coverOf(files: readonly TaskFile[], tree: Tree): Covers | undefined {
  const written = files.flatMap(({ path }) => spreadBraces(path));
  const paths = written.flatMap((path) => placeIn(tree, path) ?? []);
  if (paths.length === 0) return undefined;
  const exact = new Set(paths);
  const patterns = paths.filter((path) => /[*?]/.test(path)).map((path) => path.split('/'));
  if (exact.has('.') || patterns.length > MOST_PATTERNS) return () => true;
  const budget = { steps: MOST_STEPS };
  return (path) =>
    hasAncestor(exact, path) || patterns.some((pattern) => matchParts(pattern, path.split('/'), budget));
}

function hasAncestor(paths: ReadonlySet<string>, path: string): boolean {
  if (paths.has(path)) return true;
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
    if (paths.has(path.slice(0, slash))) return true;
  }
  return false;
}

/** `src/{a,b}.ts` is two paths. One pair of braces; others stay as they are. */
function spreadBraces(path: string): string[] {
  const open = path.indexOf('{');
  const close = path.indexOf('}', open);
  const inside = open === -1 || close === -1 ? '' : path.slice(open + 1, close);
  if (!inside.includes(',')) return [path];
  return inside.split(',').map((word) => `${path.slice(0, open)}${word.trim()}${path.slice(close + 1)}`);
}

const isStars = (part: string): boolean => part === '**';
const isStar = (char: string): boolean => char === '*';
const matchChar = (want: string, have: string): boolean => want === '?' || want === have;

/** What is left of it; who has none left says that everything matches. */
interface Budget {
  steps: number;
}

/** `**` stands for any number of folders, none included. What is under a match is covered too. */
function matchParts(pattern: readonly string[], parts: readonly string[], budget: Budget): boolean {
  const matchPart = (want: string, have: string) => matchRuns(want, have, isStar, matchChar, false, budget);
  return matchRuns(pattern, parts, isStars, matchPart, true, budget);
}

/**
 * A sequence with wild runs against another, going back to the last wild one only: at most length times length.
 * `open`: more may follow behind the end.
 */
function matchRuns<T>(
  pattern: ArrayLike<T>,
  items: ArrayLike<T>,
  isWild: (item: T) => boolean,
  matches: (want: T, have: T) => boolean,
  open: boolean,
  budget: Budget,
): boolean {
  let [at, next] = [0, 0];
  let [wildAt, resume] = [-1, 0];
  while (next < items.length) {
    if ((at === pattern.length && open) || budget.steps-- <= 0) return true;
    if (at < pattern.length && isWild(pattern[at]!)) {
      [wildAt, resume] = [at++, next];
    } else if (at < pattern.length && matches(pattern[at]!, items[next]!)) {
      at++;
      next++;
    } else if (wildAt !== -1) {
      at = wildAt + 1;
      next = ++resume;
    } else {
      return false;
    }
  }
  while (at < pattern.length && isWild(pattern[at]!)) at++;
  return at === pattern.length;
}
