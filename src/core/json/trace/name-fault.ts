import { shorten } from '../../shorten.js';
import { quoteFrom, showChar, type Wording } from './fault.js';

/** Where a fault is, with the paths written out. */
export interface Place {
  /** What it stands in; undefined at the top. */
  kind: 'array' | 'object' | undefined;
  container: string;
  /** Of the value that should begin there, or that ended before. */
  value: string;
}

const VALUES =
  'A value is a text in double quotes, a number, true, false, null, an array in [ ] or an object in { }.';

const BRACKETS = 'Close an array with ], and an object with }.';

/** What stands where a value should begin. `word`: the name-like word there, if any. */
export function nameValueFault(text: string, at: number, word: string | undefined, place: Place): Wording {
  const { kind, container, value } = place;
  if (word !== undefined) return nameWord(word, value);
  const char = text[at]!;
  if (kind === 'object' && /[,}\]]/.test(char))
    return { message: `There is no value at ${value}.`, hint: 'Write a value behind the colon.' };
  if (kind === 'array' && char === '}')
    return { message: `The array at ${container} is closed with }.`, hint: BRACKETS };
  if (kind === 'array' && char === ',')
    return {
      message: `A comma stands at ${value} instead of a value.`,
      hint: 'Write one comma between two values.',
    };
  return nameStray(text, at, `where the value at ${value} should begin`, VALUES);
}

const WORDS: Readonly<Record<string, string>> = {
  true: 'true',
  yes: 'true',
  false: 'false',
  no: 'false',
  null: 'null',
  none: 'null',
  nil: 'null',
  undefined: 'null',
  nan: 'null',
  infinity: 'null',
  inf: 'null',
};

function nameWord(word: string, value: string): Wording {
  const shown = shorten(word, 40);
  const lower = word.toLowerCase();
  const instead = Object.hasOwn(WORDS, lower) ? WORDS[lower] : undefined;
  return {
    message: `The word ${shown} stands at ${value} without quotes; it is no JSON value.`,
    hint: instead
      ? `Write ${instead}, or put the word in double quotes as a text.`
      : 'Put texts in double quotes: "…".',
  };
}

const KEY_LIKE = /[\p{L}\p{N}_$-]{1,40}/uy;

/** What stands where a key should begin. */
export function nameKeyFault(text: string, at: number, container: string): Wording {
  const char = text[at]!;
  const keys = 'Put keys in double quotes, each with a colon and a value behind it: "name": 1.';
  KEY_LIKE.lastIndex = at;
  const name = KEY_LIKE.exec(text)?.[0];
  if (name !== undefined)
    return { message: `The key ${name} of the object at ${container} stands without quotes.`, hint: keys };
  if (char === ',')
    return {
      message: `A comma too many stands in the object at ${container}.`,
      hint: 'Write one comma between two entries.',
    };
  if (char === ']')
    return {
      message: `The object at ${container} is closed with ].`,
      hint: BRACKETS,
    };
  return nameStray(text, at, `where a key of the object at ${container} should begin`, keys);
}

/** What stands behind a key instead of a colon. */
export function nameColonFault(text: string, at: number, value: string): Wording {
  const char = text[at]!;
  if (char === ',' || char === '}')
    return {
      message: `There is a key and no value at ${value}.`,
      hint: 'Write a colon and a value behind the key.',
    };
  const hint = 'Write a colon between a key and its value: "name": 1.';
  if (char === '=') return { message: `An equals sign stands behind the key of ${value}.`, hint };
  if (/["\w{[-]/.test(char)) return { message: `The colon is missing behind the key of ${value}.`, hint };
  return nameStray(text, at, `behind the key of ${value}, where its colon should be`, hint);
}

/** What stands behind a value instead of a comma or the closing bracket. */
export function nameNextFault(text: string, at: number, afterText: boolean, place: Place): Wording {
  const { kind, container, value } = place;
  const char = text[at]!;
  const closing = kind === 'array' ? ']' : '}';
  if (char === ']' || char === '}') {
    const hint = `Write ${closing} there, or look for a bracket that is missing before it.`;
    return { message: `The ${kind} at ${container} is closed with ${char}.`, hint };
  }
  const comma = `Write a comma between two values, or ${closing} to end the ${kind}.`;
  if (char === '"' || char === '{' || char === '[')
    return { message: `A comma is missing behind the value at ${value}.`, hint: comma };
  if (char === ';') return { message: `A semicolon stands behind the value at ${value}.`, hint: comma };
  if (char === ':' && kind === 'array')
    return {
      message: `A key with a colon stands in the array at ${container}.`,
      hint: 'Keys stand in objects: use { and }.',
    };
  if (afterText && char === '+')
    return { message: `Two texts are joined with + at ${value}.`, hint: 'Write one text.' };
  const stray = findStray(text, at);
  if (afterText && !stray) {
    return {
      message: `The text at ${value} is closed by a quote, and behind it stands ${quoteFrom(text, at)}.`,
      hint: 'Inside a text write a quote as \\". If the text ends there, a comma is missing.',
    };
  }
  if (/[\w-]/.test(char)) return { message: `A comma is missing behind the value at ${value}.`, hint: comma };
  return nameStray(text, at, `behind the value at ${value}`, comma);
}

/** Whether the fault is that there is no comma, so that its place is right behind the value. */
export function isCommaMissing(text: string, at: number, afterText: boolean): boolean {
  return /["{[]/.test(text[at]!) || (!afterText && /[\w-]/.test(text[at]!));
}

function nameStray(text: string, at: number, where: string, otherwise: string): Wording {
  const { what, hint } = findStray(text, at) ?? {
    what: `The character ${showChar(text, at)}`,
    hint: otherwise,
  };
  return { message: `${what} stands ${where}.`, hint };
}

const QUOTES = 'Put keys and texts in straight double quotes: "name".';

/** What is a fault of a known kind wherever it stands outside of a text. */
function findStray(text: string, at: number): { what: string; hint: string } | undefined {
  const next = text.slice(at, at + 3);
  if (next[0] === "'") return { what: 'A single quote', hint: QUOTES };
  if (next === '```') return { what: 'A fence', hint: 'Write the JSON without fences.' };
  if (next[0] === '`') return { what: 'A backtick', hint: QUOTES };
  if (/^[‘’‚‛“”„‟«»]/.test(next))
    return { what: `A typographic quote, ${showChar(text, at)},`, hint: QUOTES };
  if (/^(?:\/[/*]|#|<!-)/.test(next))
    return { what: 'A comment', hint: 'JSON has no comments: leave it out.' };
  if (/^(?:\.\.|…)/.test(next))
    return { what: 'An ellipsis', hint: 'Write everything out; nothing may be left out with dots.' };
  if (next[0] === '\\') {
    const hint = 'Outside of texts there are no backslashes: write " for \\", and a line break for \\n.';
    return { what: 'A backslash', hint };
  }
  if (/^[\p{C}\p{Z}]/u.test(next)) {
    return {
      what: `A character that cannot be seen, ${showChar(text, at)},`,
      hint: 'Leave it out, or write a plain space.',
    };
  }
  return undefined;
}
