import { matchPieces, type Pieces } from '../core/glob.js';
import type { ExecuteAction } from '../core/plan/types.js';

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
 * Goes through the words once, with every place in the pattern that could have been reached by now. The value of an
 * option is skipped, so a place stays reached for one more word after an option.
 */
function findsWords(pattern: readonly PatternWord[], words: readonly string[]): boolean {
  let reached = new Set<number>();
  let afterOption = new Set<number>();
  for (const [at, word] of words.entries()) {
    const next = new Set<number>();
    const nextAfterOption = new Set<number>();
    const mayBegin = at !== 1 || !OWN_COMMANDS.has(baseName(words[0]!));
    for (const place of new Set([...(mayBegin ? [0] : []), ...reached, ...afterOption])) {
      for (const to of placesAfter(pattern, place, word, at)) next.add(to);
      if (place > 0 && word.startsWith('-')) nextAfterOption.add(place);
      else if (afterOption.has(place)) next.add(place);
    }
    if (next.has(pattern.length)) return true;
    reached = next;
    afterOption = nextAfterOption;
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

/**
 * A command as a deny rule looks at it. No shell is imitated: the text is taken apart at everything that may end a
 * command, in two ways that disagree about quotes, so that what is hidden from one is seen by the other.
 */
interface ShellViews {
  /** The text on one line, in lower case, with spaces around every operator. */
  raw: string;
  /** Each line, in lower case. */
  lines: string[];
  /** The words of whatever could be a command. */
  commands: string[][];
  /** The text in each way that it can be read. */
  readings: { whole: string[]; withoutRedirections: string[] };
}

/** A command behind the operator that joins it to the one before, which is empty at the beginning. */
interface Link {
  operator: string;
  words: string[];
}

type Chain = Link[];

const LONGEST_VALUE = 100;

function viewCommand(command: string, env: Readonly<Record<string, string>> = {}): ShellViews {
  const text = unhide(command);
  const decoded = decodeEscapes(text);
  const bare = removeQuotes(decoded);
  const joined = substitute(bare, env);
  const apart = substitute(decoded.replace(/['"\\{},[\]=!]/g, ' '), env);
  const whole = [...new Set([joined, apart, nameVariables(bare)])];
  const withoutRedirections = whole.map(removeRedirections);
  const commands = [...withoutRedirections, apart].flatMap(splitCommands);
  return {
    raw: spaceOperators(text),
    lines: text.split('\n').map(collapse),
    commands: [...new Set(commands)].map((each) => each.split(' ')),
    readings: { whole, withoutRedirections },
  };
}

/** A newline after an operator continues the line. */
const OPERATOR = /(\$\(|&&|\|\||\|&|&>{1,2}|>[>|&]?|<{1,3}|[;&|()`\n])[\s]*/;

/** A text without quotes, taken apart at every operator; those that mean the same are written in one way. */
function readChain(text: string): Chain {
  const [first = '', ...others] = text.split(OPERATOR);
  const chain: Chain = [{ operator: '', words: splitWords(first) }];
  for (let at = 0; at < others.length; at += 2) {
    const operator = others[at]!;
    chain.push({ operator: SAME[operator] ?? operator, words: splitWords(others[at + 1] ?? '') });
  }
  return chain;
}

const SAME: Readonly<Record<string, string>> = {
  '\n': ';',
  '`': '$(',
  '|&': '|',
  '>>': '>',
  '>|': '>',
  '>&': '>',
  '&>': '>',
  '&>>': '>',
};

function splitWords(text: string): string[] {
  const words = collapse(text);
  return words === '' ? [] : words.split(' ');
}

/** A variable by its name, however it is written: `${home}`, `$home`. */
function nameVariables(text: string): string {
  return text.replace(/\$\{([a-z_]\w{0,60})\}/g, '$$$1');
}

/** The pattern of a deny rule, read like the text that it is compared with. */
function unhide(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(/\\\n/g, '')
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}|\0/gu, '')
    .replace(/[\r\u2028\u2029\u0085]/g, '\n')
    .replace(/[\p{Zs}\t\v\f]/gu, ' ')
    .replace(/(?!\n)\p{Cc}/gu, '')
    .toLowerCase();
}

function removeQuotes(text: string): string {
  return text.replace(/\$(?=['"])/g, '').replace(/['"\\]/g, '');
}

function spaceOperators(text: string): string {
  return collapse(text.replace(/&&|\|\||[;&|<>()`\n]/g, ' $& '));
}

function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** `\x72`, `\162`, `\u0072`, as $'…', printf and echo have them. */
function decodeEscapes(text: string): string {
  return text
    .replace(/\\x\{?([0-9a-f]{1,2})\}?|\\u([0-9a-f]{1,4})/g, (_, byte?: string, unit?: string) =>
      String.fromCharCode(Number.parseInt(byte ?? unit ?? '', 16)),
    )
    .replace(/\\0?([0-7]{1,3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
    .toLowerCase();
}

/** Variables become what the text or the plan gives them, and nothing where neither does. */
function substitute(text: string, env: Readonly<Record<string, string>>): string {
  const values = new Map<string, string>();
  const keep = (name: string, value: string) => {
    if (value.length <= LONGEST_VALUE) values.set(name, value);
  };
  for (const [name, value] of Object.entries(env)) keep(name.toLowerCase(), removeQuotes(unhide(value)));
  for (const [, name, value] of text.matchAll(/\b([a-z_]\w{0,60})\+?=([^\s;&|()<>`]{0,100})/g)) {
    keep(name!, value!);
  }
  values.set('ifs', ' ');
  const lookUp = (name: string) => values.get(name) ?? '';
  return text
    .replace(/\$\(\s{0,20}\)|``|\$[@*#?!$0-9_-](?!\w)|\$[0-9@*]/g, '')
    .replace(/\$\{[!#]?\w{1,60}:?[-=+?]/g, '')
    .replace(/\$\{([a-z_]\w{0,60})[^}\n]{0,100}\}/g, (_, name: string) => lookUp(name))
    .replace(/\$([a-z_]\w{0,60})/g, (_, name: string) => lookUp(name))
    .replace(/\$\{[^}\n]{0,100}\}/g, '')
    .replace(/[{}]/g, '');
}

function removeRedirections(text: string): string {
  return text.replace(/\d?[<>]{1,3}[&|-]?[ ]{0,20}[^\s;&|()<>`]{0,200}/g, ' ');
}

function splitCommands(text: string): string[] {
  return text
    .split(/[;&|<>()`\n]/)
    .map((part) => collapse(part.replace(/\$(?![a-z_])/g, ' ')))
    .filter((part) => part !== '');
}
