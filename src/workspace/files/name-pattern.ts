/** The pattern of one name: characters as they are, `?`, `*`, and sets such as `[a-z]`. */
export type NamePattern = readonly Step[];

type Step = string | typeof ANY | typeof STAR | CharacterSet;

interface CharacterSet {
  negated: boolean;
  /** Both ends belong to it. */
  ranges: [from: string, to: string][];
  classes: RegExp[];
}

const ANY = Symbol('any character');
const STAR = Symbol('any text');

export const ANY_NAME: NamePattern = [STAR];

/**
 * The names of a path's pattern, as git's own matcher reads them; `**` for one that is nothing but two stars or more.
 * Undefined where the pattern can match nothing: it ends in a backslash or in the middle of a set.
 */
export function readNames(pattern: string): (NamePattern | '**')[] | undefined {
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
export function matchName(pattern: NamePattern, name: string): boolean {
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
