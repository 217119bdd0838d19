import { shorten } from '../text.js';
import { escapeUnseen, writePath } from './path.js';
import type { JsonPath, JsonProblem, JsonProblemCode } from './values.js';
import { isWellFormed } from './values.js';

/** A problem at an offset of the text. */
export interface Fault extends Wording {
  code: JsonProblemCode;
  at: number;
  path: JsonPath;
}

/** What is wrong, and what to write instead. */
export interface Wording {
  message: string;
  hint: string;
}

/** Makes problems of faults that come in the order of the text, in one pass over it. A byte order mark is in no line. */
export function faultLocator(text: string): (fault: Fault) => JsonProblem {
  let line = 1;
  let lineStart = text.startsWith('\uFEFF') ? 1 : 0;
  let offset = lineStart;
  return ({ code, at, path, message, hint }) => {
    for (; offset < at; offset++) {
      if (text.charCodeAt(offset) !== 0x0a) continue;
      line++;
      lineStart = offset + 1;
    }
    return { code, message, hint, path, line, column: Math.max(1, at - lineStart + 1) };
  };
}

/** `inside` completes "The JSON ends … $.findings". */
export function cutOff(at: number, path: JsonPath, inside: string): Fault {
  return {
    code: 'json-cut-off',
    at,
    path,
    message: `The JSON ends ${inside} ${writePath(path)}.`,
    hint: 'Write all of it again, up to the last closing bracket. If a length limit cut it off, write less.',
  };
}

const LONGEST = 60;

/** The text from `at`, for use in a sentence: one line, shortened. */
export function quoteFrom(text: string, at: number, to = text.length): string {
  const [line = ''] = text.slice(at, Math.min(at + LONGEST, to)).split(/[\r\n]/, 1);
  const whole = (isWellFormed(line) ? line : line.slice(0, -1)).trimEnd();
  return `${escapeUnseen(JSON.stringify(whole))}${at + whole.length < text.trimEnd().length ? '…' : ''}`;
}

/** A character as itself, or its code point if it is invisible. */
export function showChar(text: string, at: number): string {
  const char = String.fromCodePoint(text.codePointAt(at)!);
  if (/^[!-~]$/.test(char)) return `\`${char}\``;
  const number = `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
  return /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(char) ? `\`${char}\` (${number})` : number;
}

/**
 * The wording of a misplaced token. In it, `{value}` and `{container}` are paths, `{seen}` is the text that the rule's
 * pattern matched, `{shown}` its first character, and `{rest}` the text from there on.
 */
interface Position {
  rules: readonly Rule[];
  /** Completes "Found a comment …". */
  where: string;
  /** If no rule matches. */
  hint: string;
}

type Rule = readonly [pattern: RegExp, message: string, hint: string];

const VALUE: Omit<Position, 'rules'> = {
  where: 'instead of the value at {value}',
  hint: 'A value is a string in double quotes, a number, true, false, null, an array in [ ] or an object in { }.',
};
const KEYS = 'Put keys in double quotes, each followed by a colon and a value: "name": 1.';
const COLON = 'Write a colon between a key and its value: "name": 1.';
const BRACKETS = 'Close an array with ], and an object with }.';
const COMMA = 'Write a comma between two values, or {closing} to end the {kind}.';
const COMMA_MISSING = 'A comma is missing after the value at {value}.';

const AFTER_ANY: readonly Rule[] = [
  [
    /^[\]}]/,
    'The {kind} at {container} is closed with {seen}.',
    'Write {closing} there, or look for a bracket that is missing before it.',
  ],
  [/^["{[]/, COMMA_MISSING, COMMA],
  [/^;/, 'Found a semicolon after the value at {value}.', COMMA],
];

const POSITIONS = {
  'value at the top': { ...VALUE, rules: [] },
  'value in an object': {
    ...VALUE,
    rules: [[/^[,}\]]/, 'There is no value at {value}.', 'Write a value after the colon.']],
  },
  'value in an array': {
    ...VALUE,
    rules: [
      [/^\}/, 'The array at {container} is closed with }.', BRACKETS],
      [/^,/, 'Found a comma instead of the value at {value}.', 'Write one comma between two values.'],
    ],
  },
  key: {
    rules: [
      [/^[\p{L}\p{N}_$-]{1,40}/u, 'The key {seen} of the object at {container} has no quotes.', KEYS],
      [/^,/, 'The object at {container} has a comma too many.', 'Write one comma between two entries.'],
      [/^\]/, 'The object at {container} is closed with ].', BRACKETS],
    ],
    where: 'instead of a key of the object at {container}',
    hint: KEYS,
  },
  colon: {
    rules: [
      [/^[,}]/, 'The key of {value} has no value.', 'Write a colon and a value after the key.'],
      [/^=/, 'Found an equals sign after the key of {value}.', COLON],
      [/^["\w{[-]/, 'The colon is missing after the key of {value}.', COLON],
    ],
    where: 'instead of the colon after the key of {value}',
    hint: COLON,
  },
  'after a string': {
    rules: [...AFTER_ANY, [/^\+/, 'Two strings are joined with + at {value}.', 'Write one string.']],
    where: 'after the value at {value}',
    hint: COMMA,
  },
  'after a value': {
    rules: [...AFTER_ANY, [/^[\w-]/, COMMA_MISSING, COMMA]],
    where: 'after the value at {value}',
    hint: COMMA,
  },
} satisfies Record<string, Position>;

const QUOTES = 'Put keys and strings in straight double quotes: "name".';

/** Tokens that are wrong anywhere outside a string. */
const STRAYS: readonly Rule[] = [
  [/^'/, 'a single quote', QUOTES],
  [/^```/, 'a fence', 'Write the JSON without fences.'],
  [/^`/, 'a backtick', QUOTES],
  [/^[‘’‚‛“”„‟«»]/, 'a typographic quote, {shown},', QUOTES],
  [/^(?:\/[/*]|#|<!-)/, 'a comment', 'JSON has no comments: leave it out.'],
  [/^(?:\.\.|…)/, 'an ellipsis', 'Write everything out instead of using dots.'],
  [
    /^\\/,
    'a backslash',
    'There are no backslashes outside strings: write " for \\", and a line break for \\n.',
  ],
  [/^[\p{C}\p{Z}]/u, 'the invisible character {shown}', 'Leave it out, or write a plain space.'],
];

const COLON_IN_ARRAY: Rule = [
  /^:/,
  'The array at {container} contains a key with a colon.',
  'Only objects have keys: use { and }.',
];
const AFTER_QUOTE: Rule = [
  /^/,
  'The string at {value} is closed by a quote, and {rest} follows.',
  'Inside a string write a quote as \\". If the string ends there, a comma is missing.',
];

/** Where a fault is, with the paths written out. */
export interface FaultPlace {
  /** Of the container; undefined at the top. */
  kind: 'array' | 'object' | undefined;
  container: string;
  /** Of the value that should start there, or that ended before. */
  value: string;
}

export type FaultPosition = 'value' | 'key' | 'colon' | 'after a string' | 'after a value';

/** Names the token that was found where another should be. */
export function nameFault(text: string, at: number, position: FaultPosition, place: FaultPlace): Wording {
  const { kind } = place;
  const holder = kind ? (`value in an ${kind}` as const) : 'value at the top';
  const { rules, where, hint }: Position = POSITIONS[position === 'value' ? holder : position];
  const isAfter = position.startsWith('after');
  const all: readonly Rule[] = [
    ...rules,
    ...(isAfter && kind === 'array' ? [COLON_IN_ARRAY] : []),
    ...STRAYS.map(([pattern, what, instead]): Rule => [pattern, `Found ${what} ${where}.`, instead]),
    ...(position === 'after a string' ? [AFTER_QUOTE] : []),
    [/^/, `Found {shown} ${where}.`, hint],
  ];
  const next = text.slice(at, at + 40);
  const [matched, message, instead] = all.find(([pattern]) => pattern.test(next))!;
  const words = {
    ...place,
    closing: kind === 'array' ? ']' : '}',
    seen: matched.exec(next)![0],
    shown: showChar(text, at),
    rest: quoteFrom(text, at),
  };
  return fillWording({ message, hint: instead }, words);
}

/** Replaces each `{name}` in the wording. */
export function fillWording({ message, hint }: Wording, words: Readonly<Record<string, unknown>>): Wording {
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => String(words[name]));
  return { message: fill(message), hint: fill(hint) };
}

const INSTEAD: Readonly<Record<string, string>> = {
  ...{ true: 'true', yes: 'true', false: 'false', no: 'false' },
  ...{ null: 'null', none: 'null', nil: 'null', undefined: 'null' },
  ...{ nan: 'null', infinity: 'null', inf: 'null' },
};

/** A word in place of a value. */
export function nameWord(word: string, { value }: FaultPlace): Wording {
  const lower = word.toLowerCase();
  const instead = Object.hasOwn(INSTEAD, lower) ? INSTEAD[lower] : undefined;
  return {
    message: `The word ${shorten(word, 40)} at ${value} is not a JSON value and has no quotes.`,
    hint: instead
      ? `Write ${instead}, or put the word in double quotes.`
      : 'Put strings in double quotes: "…".',
  };
}
