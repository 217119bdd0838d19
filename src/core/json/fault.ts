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
    hint: 'Write all of it again, up to the last closing bracket. If it was cut off for its length, write less.',
  };
}

const LONGEST = 60;

/** What begins there, within a sentence: on one line, and not without end. */
export function quoteFrom(text: string, at: number, to = text.length): string {
  const [line = ''] = text.slice(at, Math.min(at + LONGEST, to)).split(/[\r\n]/, 1);
  const whole = (isWellFormed(line) ? line : line.slice(0, -1)).trimEnd();
  return `${escapeUnseen(JSON.stringify(whole))}${at + whole.length < text.trimEnd().length ? '…' : ''}`;
}

/** A character as itself, or by its number where nobody could see it. */
export function showChar(text: string, at: number): string {
  const char = String.fromCodePoint(text.codePointAt(at)!);
  if (/^[!-~]$/.test(char)) return `\`${char}\``;
  const number = `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
  return /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(char) ? `\`${char}\` (${number})` : number;
}

/**
 * What a fault is called where something else should stand. In the words `{value}` and `{container}` are paths, `{seen}`
 * is what stands there as far as its pattern goes, `{shown}` its first character, and `{rest}` what begins with it.
 */
interface Position {
  rules: readonly Rule[];
  /** Completes "A comment stands …". */
  where: string;
  /** For what no rule knows. */
  hint: string;
}

type Rule = readonly [stands: RegExp, message: string, hint: string];

const VALUE: Omit<Position, 'rules'> = {
  where: 'where the value at {value} should begin',
  hint: 'A value is a text in double quotes, a number, true, false, null, an array in [ ] or an object in { }.',
};
const KEYS = 'Put keys in double quotes, each with a colon and a value behind it: "name": 1.';
const COLON = 'Write a colon between a key and its value: "name": 1.';
const BRACKETS = 'Close an array with ], and an object with }.';
const COMMA = 'Write a comma between two values, or {closing} to end the {kind}.';
const COMMA_MISSING = 'A comma is missing behind the value at {value}.';

const BEHIND_ANY: readonly Rule[] = [
  [
    /^[\]}]/,
    'The {kind} at {container} is closed with {seen}.',
    'Write {closing} there, or look for a bracket that is missing before it.',
  ],
  [/^["{[]/, COMMA_MISSING, COMMA],
  [/^;/, 'A semicolon stands behind the value at {value}.', COMMA],
];

const POSITIONS = {
  'value at the top': { ...VALUE, rules: [] },
  'value in an object': {
    ...VALUE,
    rules: [[/^[,}\]]/, 'There is no value at {value}.', 'Write a value behind the colon.']],
  },
  'value in an array': {
    ...VALUE,
    rules: [
      [/^\}/, 'The array at {container} is closed with }.', BRACKETS],
      [/^,/, 'A comma stands at {value} instead of a value.', 'Write one comma between two values.'],
    ],
  },
  key: {
    rules: [
      [/^[\p{L}\p{N}_$-]{1,40}/u, 'The key {seen} of the object at {container} stands without quotes.', KEYS],
      [/^,/, 'A comma too many stands in the object at {container}.', 'Write one comma between two entries.'],
      [/^\]/, 'The object at {container} is closed with ].', BRACKETS],
    ],
    where: 'where a key of the object at {container} should begin',
    hint: KEYS,
  },
  colon: {
    rules: [
      [/^[,}]/, 'There is a key and no value at {value}.', 'Write a colon and a value behind the key.'],
      [/^=/, 'An equals sign stands behind the key of {value}.', COLON],
      [/^["\w{[-]/, 'The colon is missing behind the key of {value}.', COLON],
    ],
    where: 'behind the key of {value}, where its colon should be',
    hint: COLON,
  },
  'behind a text': {
    rules: [...BEHIND_ANY, [/^\+/, 'Two texts are joined with + at {value}.', 'Write one text.']],
    where: 'behind the value at {value}',
    hint: COMMA,
  },
  'behind a value': {
    rules: [...BEHIND_ANY, [/^[\w-]/, COMMA_MISSING, COMMA]],
    where: 'behind the value at {value}',
    hint: COMMA,
  },
} satisfies Record<string, Position>;

const QUOTES = 'Put keys and texts in straight double quotes: "name".';

/** What is a fault of a known kind wherever it stands outside of a text. */
const STRAYS: readonly Rule[] = [
  [/^'/, 'A single quote', QUOTES],
  [/^```/, 'A fence', 'Write the JSON without fences.'],
  [/^`/, 'A backtick', QUOTES],
  [/^[‘’‚‛“”„‟«»]/, 'A typographic quote, {shown},', QUOTES],
  [/^(?:\/[/*]|#|<!-)/, 'A comment', 'JSON has no comments: leave it out.'],
  [/^(?:\.\.|…)/, 'An ellipsis', 'Write everything out; nothing may be left out with dots.'],
  [
    /^\\/,
    'A backslash',
    'Outside of texts there are no backslashes: write " for \\", and a line break for \\n.',
  ],
  [/^[\p{C}\p{Z}]/u, 'A character that cannot be seen, {shown},', 'Leave it out, or write a plain space.'],
];

const COLON_IN_ARRAY: Rule = [
  /^:/,
  'A key with a colon stands in the array at {container}.',
  'Keys stand in objects: use { and }.',
];
const AFTER_QUOTE: Rule = [
  /^/,
  'The text at {value} is closed by a quote, and behind it stands {rest}.',
  'Inside a text write a quote as \\". If the text ends there, a comma is missing.',
];

/** Where a fault is, with the paths written out. */
export interface FaultPlace {
  /** What it stands in; undefined at the top. */
  kind: 'array' | 'object' | undefined;
  container: string;
  /** Of the value that should begin there, or that ended before. */
  value: string;
}

export type FaultPosition = 'value' | 'key' | 'colon' | 'behind a text' | 'behind a value';

/** What stands where something else should. */
export function nameFault(text: string, at: number, position: FaultPosition, place: FaultPlace): Wording {
  const { kind } = place;
  const holder = kind ? (`value in an ${kind}` as const) : 'value at the top';
  const { rules, where, hint }: Position = POSITIONS[position === 'value' ? holder : position];
  const isBehind = position.startsWith('behind');
  const all: readonly Rule[] = [
    ...rules,
    ...(isBehind && kind === 'array' ? [COLON_IN_ARRAY] : []),
    ...STRAYS.map(([stands, what, instead]): Rule => [stands, `${what} stands ${where}.`, instead]),
    ...(position === 'behind a text' ? [AFTER_QUOTE] : []),
    [/^/, `The character {shown} stands ${where}.`, hint],
  ];
  const next = text.slice(at, at + 40);
  const [stands, message, instead] = all.find(([pattern]) => pattern.test(next))!;
  const words = {
    ...place,
    closing: kind === 'array' ? ']' : '}',
    seen: stands.exec(next)![0],
    shown: showChar(text, at),
    rest: quoteFrom(text, at),
  };
  return fillWording({ message, hint: instead }, words);
}

/** With what `{names}` in the words stand for. */
export function fillWording({ message, hint }: Wording, words: Readonly<Record<string, unknown>>): Wording {
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => String(words[name]));
  return { message: fill(message), hint: fill(hint) };
}

const INSTEAD: Readonly<Record<string, string>> = {
  ...{ true: 'true', yes: 'true', false: 'false', no: 'false' },
  ...{ null: 'null', none: 'null', nil: 'null', undefined: 'null' },
  ...{ nan: 'null', infinity: 'null', inf: 'null' },
};

/** A word that stands in the place of a value. */
export function nameWord(word: string, { value }: FaultPlace): Wording {
  const lower = word.toLowerCase();
  const instead = Object.hasOwn(INSTEAD, lower) ? INSTEAD[lower] : undefined;
  return {
    message: `The word ${shorten(word, 40)} stands at ${value} without quotes; it is no JSON value.`,
    hint: instead
      ? `Write ${instead}, or put the word in double quotes as a text.`
      : 'Put texts in double quotes: "…".',
  };
}
