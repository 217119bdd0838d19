import { readRootPath } from '../path.js';
import { placeIn } from '../place.js';
import type { Task, TaskFile } from '../task-plan/types.js';
import type { Tree } from '../tree.js';
import type { ResultIssueLog } from './issue-log.js';
import { describe, quoteValue } from './wording.js';

/** The listed files, as written, by what was found of them. */
export interface FilesSeen {
  existing: string[];
  missing: string[];
  /** Not looked for, because they lead elsewhere. */
  elsewhere: string[];
  unplanned: string[];
  /** Against what was really changed, where that is known. */
  unclaimed: string[];
  unchanged: string[];
}

export function judgeFiles(
  files: readonly string[],
  task: Task | undefined,
  { tree, filesChanged }: { tree: Tree; filesChanged?: readonly string[] },
  log: ResultIssueLog,
): FilesSeen {
  const seen: FilesSeen = {
    existing: [],
    missing: [],
    elsewhere: [],
    unplanned: [],
    unclaimed: [],
    unchanged: [],
  };
  const covers = task && coverOf(task.files, tree);
  const known = new Map<string, number>();
  const changed = filesChanged && withFolders(filesChanged);
  files.forEach((file, at) => {
    const field = ['files_modified', at];
    const path = readListed(file, field, log);
    if (path === undefined) {
      seen.elsewhere.push(file);
      return;
    }
    const before = known.get(path);
    if (before !== undefined) {
      log.add(
        'file-repeated',
        field,
        `${quoteValue(file)} is listed twice: as files_modified[${before}] too.`,
      );
      return;
    }
    known.set(path, at);
    // What was changed and is not there was deleted, or is not in the project yet.
    if (tree.stat(path) || changed?.has(path)) {
      seen.existing.push(file);
    } else if (isAbsolute(file)) {
      seen.elsewhere.push(file);
      return;
    } else {
      seen.missing.push(file);
      const hint = 'List paths from the project root. A file that was deleted may stay in the list.';
      log.add('file-missing', field, `${quoteValue(file)} does not exist.`, hint);
    }
    if (changed && !changed.has(path)) {
      seen.unchanged.push(file);
      const hint = 'List what was changed, and nothing else.';
      log.add('file-unchanged', field, `${quoteValue(file)} is listed, and was not changed.`, hint);
    }
    if (covers && !covers(path)) {
      seen.unplanned.push(file);
      const message = `${quoteValue(file)} is not among the <files> of ${quoteValue(task.name)}.`;
      log.add('file-unplanned', field, message, 'Say in the evidence why it had to change.');
    }
  });
  for (const path of filesChanged ?? [])
    if (!isUnder(known, path)) judgeUnclaimed(path, task, covers, seen, log);
  return seen;
}

function judgeUnclaimed(
  path: string,
  task: Task | undefined,
  covers: Covers | undefined,
  seen: FilesSeen,
  log: ResultIssueLog,
): void {
  const field = ['files_modified'];
  seen.unclaimed.push(path);
  log.add(
    'file-unclaimed',
    field,
    `${quoteValue(path)} was changed, and is not listed.`,
    'List every file that was changed.',
  );
  if (!task || !covers || covers(path)) return;
  seen.unplanned.push(path);
  const message = `${quoteValue(path)} was changed, and is not among the <files> of ${quoteValue(task.name)}.`;
  log.add('file-unplanned', field, message, 'Say in the evidence why it had to change.');
}

/** The paths, and all folders that they are in: who lists a folder lists what is in it. */
function withFolders(paths: readonly string[]): Set<string> {
  const all = new Set<string>();
  for (const path of paths) {
    let above = path;
    while (above !== '' && !all.has(above)) {
      all.add(above);
      above = above.slice(0, Math.max(0, above.lastIndexOf('/')));
    }
  }
  return all;
}

function isUnder(listed: ReadonlyMap<string, unknown>, path: string): boolean {
  for (let above = path; above !== ''; above = above.slice(0, Math.max(0, above.lastIndexOf('/'))))
    if (listed.has(above)) return true;
  return listed.has('.');
}

/** Its path from the root; undefined where it has none. */
function readListed(file: string, field: (string | number)[], log: ResultIssueLog): string | undefined {
  const read = readRootPath(file);
  const hint = 'Write the path from the project root, such as src/a.ts.';
  if (read.status === 'ok' && !isAbsolute(file)) return read.path;
  if (isAbsolute(file)) log.add('file-absolute', field, `${quoteValue(file)} is an absolute path.`, hint);
  else if (read.status === 'outside')
    log.add('file-outside', field, `${quoteValue(file)} ${read.reason}.`, hint);
  else if (read.status === 'invalid') {
    const name = file === '' ? `files_modified[${field[1]}]` : quoteValue(file);
    log.add('file-invalid', field, `${name} ${file === '' ? `is ${describe(file)}` : read.reason}.`, hint);
  }
  return read.status === 'ok' ? read.path : undefined;
}

function isAbsolute(file: string): boolean {
  return file.startsWith('/') || /^[A-Za-z]:[\\/]/.test(file);
}

/** More than any plan has, and than any comparison takes; beyond it patterns cost more than a warning is worth. */
const MOST_PATTERNS = 500;
const MOST_STEPS = 5_000_000;

/** Whether a path is among a task's files: one of them, under one of them, or what a pattern among them means. */
type Covers = (path: string) => boolean;

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
