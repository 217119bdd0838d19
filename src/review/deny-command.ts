import { matchPieces, type Pieces } from '../core/glob.js';
import type { ExecuteAction } from '../core/plan/types.js';
import {
  type Chain,
  collapse,
  nameVariables,
  readChain,
  removeQuotes,
  type ShellViews,
  spaceOperators,
  unhide,
  viewCommand,
} from './shell-views.js';

/** Longer than any command that a person would read: it is not looked through, and counts as found. */
const LONGEST_COMMAND = 100_000;

/**
 * Whether a deny or ask rule finds its pattern in a command. Generous: in the text and in every line as they stand,
 * and at every word that could begin a command, with quotes, paths, wrappers and options before it disregarded. A
 * pattern of several commands is found where all of them are, joined by the same operators.
 */
export function findsCommand(pattern: string, action: ExecuteAction): boolean {
  if (action.command.length > LONGEST_COMMAND) return true;
  const views = viewCommand(action.command, action.env);
  const text = unhide(pattern);
  const whole = collapse(text).split('*');
  if (views.lines.some((line) => matchPieces(whole, line))) return true;
  const [first, ...others] = readChain(nameVariables(removeQuotes(text)));
  const begins = readWords(first!.words);
  if (others.length === 0)
    return begins.length === 0 || views.commands.some((command) => findsWords(begins, command));
  const links = [first!, ...others].map(readLink);
  const { whole: all, withoutRedirections } = views.readings;
  const readings = /[<>]/.test(text) ? all : withoutRedirections;
  return findsText(text, views) || readings.some((each) => findsChain(links, readChain(each)));
}

interface PatternLink {
  operator: string;
  words: PatternWord[];
  /** Anything may stand between it and what comes before: a `*` is there. */
  isLoose: boolean;
}

function readLink({ operator, words }: Chain[number], at: number, all: Chain): PatternLink {
  const before = all[at - 1]?.words ?? [];
  return { operator, words: readWords(words), isLoose: isGap(before.at(-1)) || isGap(words[0]) };
}

/** Goes through the pattern once, with every link of the chain that could have been reached by now. */
function findsChain(pattern: readonly PatternLink[], chain: Chain): boolean {
  let reached: boolean[] = chain.map(() => true);
  for (const [place, { operator, words, isLoose }] of pattern.entries()) {
    let before = false;
    const next = chain.map((link, at) => {
      before = (isLoose && before) || (at > 0 && reached[at - 1]!);
      if (place > 0 && (!before || link.operator !== operator)) return false;
      return words.length === 0 || findsWords(words, link.words);
    });
    if (!next.includes(true)) return false;
    reached = next;
  }
  return true;
}

/** A pattern that holds operators is looked for as text, wherever it begins and ends. */
function findsText(pattern: string, { raw }: ShellViews): boolean {
  const pieces = spaceOperators(pattern).split('*');
  return matchPieces(['', ...` ${pieces.join('*')} `.split('*'), ''], ` ${raw} `);
}

/** Any number of words. */
const GAP = '*';
type PatternWord = Pieces | typeof GAP;

function isGap(word: string | undefined): boolean {
  return word !== undefined && /^\*+$/.test(word);
}

/** Without what would match anything at the end: a pattern covers whatever follows it. */
function readWords(pattern: readonly string[]): PatternWord[] {
  const words: PatternWord[] = pattern.map((word) => (isGap(word) ? GAP : word.split('*')));
  while (words.at(-1) === GAP) words.pop();
  return words;
}

/** Programs whose second word is a command of their own: `git rm` is not `rm`. */
const OWN_COMMANDS = new Set([
  'git',
  'npm',
  'pnpm',
  'docker',
  'podman',
  'svn',
  'hg',
  'cargo',
  'brew',
  'kubectl',
]);

/**
 * Goes through the words once, with every place in the pattern that could have been reached by now. Behind a place
 * `n`, `n + 0.5` is the same place just after an option, whose value is disregarded too.
 */
function findsWords(pattern: readonly PatternWord[], words: readonly string[]): boolean {
  let reached = new Set<number>();
  for (const [at, word] of words.entries()) {
    const next = new Set<number>();
    const mayBegin = at !== 1 || !OWN_COMMANDS.has(baseName(words[0]!));
    for (const place of mayBegin ? [0, ...reached] : reached) {
      const from = Math.floor(place);
      for (const to of placesAfter(pattern, from, word, at)) next.add(to);
      if (from > 0 && word.startsWith('-')) next.add(from + 0.5);
      else if (place > from) next.add(from);
    }
    if (next.has(pattern.length)) return true;
    reached = next;
  }
  return false;
}

function placesAfter(pattern: readonly PatternWord[], from: number, word: string, at: number): number[] {
  const places: number[] = [];
  let place = from;
  while (pattern[place] === GAP) places.push(place++);
  const expected = pattern[place];
  if (expected !== undefined && expected !== GAP && isWord(expected, word, place === 0, at === 0)) {
    places.push(place + 1);
  }
  return places;
}

function isWord(expected: Pieces, word: string, isProgram: boolean, begins: boolean): boolean {
  if (matchPieces(expected, word)) return true;
  if (!isProgram) return false;
  const name = baseName(word);
  if (matchPieces(expected, name)) return true;
  return begins && expected.length === 1 && couldExpandTo(name, expected[0]!);
}

/** `/bin/rm`, `rm.exe` */
function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1).replace(/\.exe$/, '');
}

/** A shell looks for files by `r?`, `r[m]` and `r*`: one of them may be the program. */
function couldExpandTo(glob: string, name: string): boolean {
  if (!/[?*[]/.test(glob) || !/\w/.test(glob) || glob.length > 100) return false;
  const marks = glob.replace(/\[[^\]]{1,20}\]/g, '?');
  let states = new Set([0]);
  for (const char of name) {
    const next = new Set<number>();
    for (const state of closeStars(marks, states)) {
      if (marks[state] === '*') next.add(state);
      else if (marks[state] === '?' || marks[state] === char) next.add(state + 1);
    }
    states = next;
  }
  return closeStars(marks, states).has(marks.length);
}

function closeStars(marks: string, states: ReadonlySet<number>): Set<number> {
  const closed = new Set<number>();
  for (const state of states) {
    let at = state;
    closed.add(at);
    while (marks[at] === '*') closed.add(++at);
  }
  return closed;
}
