import { matchNames } from '../../core/glob.js';

/** One line of a `.gitignore`. */
export interface IgnoreRule {
  /** It begins with `!`: what it matches is not ignored after all. */
  keeps: boolean;
  foldersOnly: boolean;
  /** Whole components of a path from the file's folder; `**` matches any number of them, also none. */
  path: readonly (NamePattern | '**')[];
}

/** The rules of a `.gitignore`, as git reads them. Any text can be read; a line that can match nothing is no rule. */
export function parseIgnore(text: string): IgnoreRule[] {
  return text
    .replace(/^\ufeff/, '')
    .split('\n')
    .flatMap((line) => readRule(line.endsWith('\r') ? line.slice(0, -1) : line) ?? []);
}

/** Whether the rules ignore a path from their folder; undefined where none speaks of it. The last one that does counts. */
export function judgePath(
  rules: readonly IgnoreRule[],
  path: readonly string[],
  isFolder: boolean,
): boolean | undefined {
  const rule = rules.findLast(
    (each) => (isFolder || !each.foldersOnly) && matchNames(each.path, path, matchName),
  );
  return rule && !rule.keeps;
}

function readRule(line: string): IgnoreRule | undefined {
  if (line.startsWith('#')) return undefined;
  const trimmed = trimSpaces(line);
  const keeps = trimmed.startsWith('!');
  const written = keeps ? trimmed.slice(1) : trimmed;
  const foldersOnly = written.endsWith('/');
  const pattern = foldersOnly ? written.slice(0, -1) : written;
  const path = pattern === '' ? undefined : readNames(pattern.replace(/^\//, ''));
  if (!path) return undefined;
  const last = path.at(-1)!;
  // A name alone is meant at any depth. A folder's ** is what it holds, and not the folder.
  if (!pattern.includes('/')) return { keeps, foldersOnly, path: ['**', last === '**' ? ANY_NAME : last] };
  return { keeps, foldersOnly, path: last === '**' ? [...path, ANY_NAME] : path };
}

/** Spaces at the end do not count, but for one behind a backslash. */
function trimSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end--;
  let slashes = 0;
  while (line[end - 1 - slashes] === '\\') slashes++;
  return line.slice(0, slashes % 2 === 1 ? end + 1 : end);
}

/** The pattern of one name: characters as they are, `?`, `*`, and sets such as `[a-z]`. */
type NamePattern = readonly Step[];

type Step = string | typeof ANY | typeof STAR | CharacterSet;

interface CharacterSet {
  negated: boolean;
  /** Both ends belong to it. */
  ranges: [from: string, to: string][];
  classes: RegExp[];
}

const ANY = Symbol('any character');
const STAR = Symbol('any text');

const ANY_NAME: NamePattern = [STAR];

/**
 * The names of a path's pattern, as git's own matcher reads them; `**` for one that is nothing but two stars or more.
 * Undefined where the pattern can match nothing: it ends in a backslash or in the middle of a set.
 */
function readNames(pattern: string): (NamePattern | '**')[] | undefined {
  const names: Step[][] = [[]];
  for (let at = 0; at < pattern.length; at++) {
    const name = names.at(-1)!;
    const char = pattern[at]!;
    if (char === '[') {
      const set = readSet(pattern, at);
      if (!set) return undefined;
      name.push(set.step);
      at = set.end;
    } else if (char === '\\') {
      if (++at === pattern.length) return undefined;
      if (pattern[at] === '/') names.push([]);
      else name.push(pattern[at]!);
    } else if (char === '/') names.push([]);
    else name.push(char === '*' ? STAR : char === '?' ? ANY : char);
  }
  return names.map((name) => (name.length > 1 && name.every((step) => step === STAR) ? '**' : name));
}

/** A set and the place of its closing bracket. A bracket that comes first is one of its characters. */
function readSet(pattern: string, open: number): { step: CharacterSet; end: number } | undefined {
  const negated = pattern[open + 1] === '!' || pattern[open + 1] === '^';
  const step: CharacterSet = { negated, ranges: [], classes: [] };
  let at = open + (negated ? 2 : 1);
  for (let isFirst = true; isFirst || pattern[at] !== ']'; isFirst = false) {
    const named = /^\[:([^\]]*):\]/.exec(pattern.slice(at, at + 20));
    if (named) {
      const known = CLASSES.get(named[1]!);
      if (!known) return undefined;
      step.classes.push(known);
      at += named[0].length;
      continue;
    }
    const from = readCharacter(pattern, at);
    if (!from) return undefined;
    at = from.next;
    const isRange = pattern[at] === '-' && pattern[at + 1] !== undefined && pattern[at + 1] !== ']';
    const to = isRange ? readCharacter(pattern, at + 1) : from;
    if (!to) return undefined;
    at = to.next;
    // The first end belongs to it even where the range is upside down.
    step.ranges.push([from.char, from.char], [from.char, to.char]);
  }
  return { step, end: at };
}

function readCharacter(pattern: string, at: number): { char: string; next: number } | undefined {
  const from = pattern[at] === '\\' ? at + 1 : at;
  const char = pattern[from];
  return char === undefined ? undefined : { char, next: from + 1 };
}

const CLASSES: ReadonlyMap<string, RegExp> = new Map([
  ['alnum', /[0-9A-Za-z]/],
  ['alpha', /[A-Za-z]/],
  ['blank', /[ \t]/],
  ['cntrl', /[\u0000-\u001f\u007f]/],
  ['digit', /[0-9]/],
  ['graph', /[!-~]/],
  ['lower', /[a-z]/],
  ['print', /[ -~]/],
  ['punct', /[!-/:-@[-`{-~]/],
  ['space', /[\t-\r ]/],
  ['upper', /[A-Z]/],
  ['xdigit', /[0-9A-Fa-f]/],
]);

/** Goes back to the last star alone, so that the time is at most the product of both lengths. */
function matchName(pattern: NamePattern, name: string): boolean {
  let at = 0;
  let char = 0;
  let star = -1;
  let retry = 0;
  while (char < name.length) {
    const step = pattern[at];
    if (step === STAR) {
      star = at++;
      retry = char;
    } else if (step !== undefined && matchStep(step, name[char]!)) {
      at++;
      char++;
    } else if (star !== -1) {
      at = star + 1;
      char = ++retry;
    } else {
      return false;
    }
  }
  while (pattern[at] === STAR) at++;
  return at === pattern.length;
}

function matchStep(step: Exclude<Step, typeof STAR>, char: string): boolean {
  if (typeof step === 'string') return step === char;
  if (step === ANY) return true;
  const isIn =
    step.ranges.some(([from, to]) => from <= char && char <= to) ||
    step.classes.some((each) => each.test(char));
  return isIn !== step.negated;
}
