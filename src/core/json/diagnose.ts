// Finds the first fault in a text that is not valid JSON, with words for the model that wrote it.
import { shorten } from '../text.js';
import { escapeUnseen, quoteJson, writePath } from './path.js';
import type { JsonPath, JsonProblemCode } from './values.js';

/** The deepest nesting of arrays and objects. */
export const DEEPEST = 200;

/** A problem at an offset of the text. */
export interface Fault {
  code: JsonProblemCode;
  at: number;
  path: JsonPath;
  message: string;
  hint: string;
}

/** Reads one value up to its end, `to`, or its first fault, without building it. Linear. */
export function scanValue(text: string, from: number): { fault: Fault | null; to: number } {
  const scanner = new Scanner(text, from);
  return { fault: scanner.run(), to: scanner.at };
}

const WHITE = /[ \n\r\t]*/y;

export function skipWhite(text: string, from: number): number {
  WHITE.lastIndex = from;
  WHITE.test(text);
  return WHITE.lastIndex;
}

interface Level {
  kind: 'array' | 'object';
  keys: Set<string>;
  /** The key or position of the current value; null before the first. */
  step: string | number | null;
}

const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![-+.\w$])/y;
const TOKEN = /[-+.\w$]{1,40}/y;
/** A word or number that could continue after the end of the text. */
const INCOMPLETE = /^(?:tr?u?|fa?l?s?|nu?l?|-?(?:(?:0|[1-9]\d*)(?:\.|(?:\.\d+)?[eE][+-]?))?)$/;

/** Plain characters, a whole surrogate pair, an escape, or two escapes that are a pair. */
const IN_STRING =
  /[^"\\\u0000-\u001f\ud800-\udfff]+|[\ud800-\udbff][\udc00-\udfff]|\\["\\/bfnrt]|\\u(?![dD][89a-fA-F])[\da-fA-F]{4}|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/y;
const HALF = /^(?:[\ud800-\udfff]|\\u[dD][89a-fA-F][\da-fA-F]{2})/;
const PARTIAL_ESCAPE =
  /^(?:[\ud800-\udfff]|\\(?:u[\da-f]{0,3})?|\\ud[89ab][\da-f]{2}(?:\\(?:u[\da-f]{0,3})?)?)?$/i;
const LONGEST_ESCAPE = 12;

const VALUE =
  'A value is a string in double quotes, a number, true, false, null, an array in [ ] or an object in { }.';
const KEYS = 'Put keys in double quotes, each followed by a colon and a value: "name": 1.';
const COLON = 'Write a colon between a key and its value: "name": 1.';
const QUOTES = 'Put keys and strings in straight double quotes: "name".';

/** Tokens that are wrong anywhere outside a string, with what to do about them. */
const STRAYS: readonly (readonly [pattern: RegExp, found: string, hint: string])[] = [
  [/^```/, 'a fence', 'Write the JSON without fences.'],
  [/^['`‘’‚‛“”„‟«»]/, 'the quote {shown}', QUOTES],
  [/^(?:\/[/*]|#|<!-)/, 'a comment', 'JSON has no comments: leave it out.'],
  [/^(?:\.\.|…)/, 'an ellipsis', 'Write everything out instead of using dots.'],
  [/^\\/, 'a backslash', 'Outside strings, write " instead of \\", and a line break instead of \\n.'],
  [/^[\p{C}\p{Z}]/u, 'the invisible character {shown}', 'Leave it out, or write a plain space.'],
];

const WORDS: ReadonlyMap<string, string> = new Map([
  ...['true', 'yes'].map((word): [string, string] => [word, 'true']),
  ...['false', 'no'].map((word): [string, string] => [word, 'false']),
  ...['null', 'none', 'undefined', 'nan', 'infinity', '-infinity'].map((word): [string, string] => [
    word,
    'null',
  ]),
]);

/** How many steps of a path that is too deep are shown. */
const SHOWN_STEPS = 3;

class Scanner {
  private readonly levels: Level[] = [];
  private isAfterString = false;

  constructor(
    private readonly text: string,
    public at: number,
  ) {}

  run(): Fault | null {
    let fault = this.readValue();
    while (!fault && this.levels.length > 0) fault = this.readNext(this.levels.at(-1)!);
    return fault;
  }

  private readValue(): Fault | null {
    const { text } = this;
    const end = this.at;
    this.at = skipWhite(text, end);
    const char = text[this.at];
    if (char === undefined) return this.cutOff(end, 'before the value at');
    this.isAfterString = char === '"';
    if (char === '"') return this.readString('inside the string at', () => this.path());
    if (char === '{' || char === '[') return this.openLevel(char === '{' ? 'object' : 'array');
    LITERAL.lastIndex = this.at;
    const literal = LITERAL.exec(text)?.[0];
    if (literal === undefined) return this.refuseToken();
    if (/\d/.test(literal) && !Number.isFinite(Number(literal))) {
      const hint = 'Numbers go up to about 1.7e308. Write a smaller one, or put it in double quotes.';
      return this.fault(`The number at ${this.place()} is too large.`, hint);
    }
    this.at += literal.length;
    return null;
  }

  /** A word or a number that is not JSON, or another character. */
  private refuseToken(): Fault {
    const { text, at } = this;
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0] ?? '';
    if (at + token.length === text.length && token !== '' && INCOMPLETE.test(token))
      return this.cutOff(text.length, 'inside the value at');
    if (token === '' || token.startsWith('..'))
      return this.misplaced(`instead of the value at ${this.place()}`, VALUE);
    const word = WORDS.get(token.toLowerCase());
    const hint = word
      ? `Write ${word}, or put the word in double quotes.`
      : /\d/.test(token)
        ? 'Write a plain decimal number, such as 12, -0.5 or 1e6, or put it in double quotes.'
        : 'Put strings in double quotes: "…".';
    return this.fault(`Found ${token} at ${this.place()}, which is not a JSON value.`, hint);
  }

  private openLevel(kind: Level['kind']): Fault | null {
    if (this.levels.length === DEEPEST) {
      const path = this.path().slice(0, SHOWN_STEPS);
      const message = `Arrays and objects are nested more than ${DEEPEST} levels deep, below ${writePath(path)}.`;
      return { code: 'json-too-deep', at: this.at, path, message, hint: 'Write it with fewer levels.' };
    }
    this.at++;
    this.levels.push({ kind, keys: new Set(), step: null });
    return null;
  }

  /** Reads what follows an opening bracket or a value: the closing bracket, or a comma and the next value. */
  private readNext(level: Level): Fault | null {
    const { text } = this;
    const end = this.at;
    const closing = level.kind === 'array' ? ']' : '}';
    const endInside = (at: number) => this.cutOff(at, `inside the ${level.kind} at`, this.containerPath());
    this.at = skipWhite(text, end);
    if (this.at === text.length) return endInside(end);
    if (text[this.at] === closing) {
      this.at++;
      this.levels.pop();
      this.isAfterString = false;
      return null;
    }
    if (level.step !== null) {
      if (text[this.at] !== ',') return this.refuseNext(level.kind, closing, end);
      const comma = this.at;
      this.at = skipWhite(text, comma + 1);
      if (this.at === text.length) return endInside(comma + 1);
      if (text[this.at] === closing) {
        this.at = comma;
        const path = this.containerPath();
        const message = `Found a comma after the last value of the ${level.kind} at ${writePath(path)}.`;
        return this.fault(message, `Leave out the comma before the closing ${closing}.`, path);
      }
    }
    if (level.kind === 'object') return this.readMember(level);
    level.step = typeof level.step === 'number' ? level.step + 1 : 0;
    return this.readValue();
  }

  private refuseNext(kind: Level['kind'], closing: string, end: number): Fault {
    const { text, at, isAfterString } = this;
    const char = text[at]!;
    if (/[\]}]/.test(char)) {
      const hint = `Write ${closing} there, or look for a bracket that is missing before it.`;
      return this.fault(`The ${kind} at ${writePath(this.containerPath())} is closed with ${char}.`, hint);
    }
    const comma = `Write a comma between two values, or ${closing} to end the ${kind}.`;
    if (/["{[]/.test(char) || (!isAfterString && /[\w-]/.test(char))) {
      this.at = end;
      return this.fault(`A comma is missing after the value at ${this.place()}.`, comma);
    }
    if (isAfterString && /[\p{L}\p{N}_(]/u.test(char)) {
      const message = `The string at ${this.place()} is closed by a quote, and ${quoteFrom(text, at)} follows.`;
      const hint = 'Inside a string write a quote as \\". If the string ends there, a comma is missing.';
      return this.fault(message, hint);
    }
    return this.misplaced(`after the value at ${this.place()}`, comma);
  }

  private readMember(level: Level): Fault | null {
    const { text, at: from } = this;
    const container = this.containerPath();
    if (text[from] !== '"')
      return this.misplaced(`instead of a key of the object at ${writePath(container)}`, KEYS, container);
    const fault = this.readString('inside a key of the object at', () => container);
    if (fault) return fault;
    const key: string = JSON.parse(text.slice(from, this.at));
    const isKnown = level.keys.has(key);
    level.step = key;
    if (isKnown || key === '__proto__') return { ...this.refuseKey(isKnown), at: from };
    level.keys.add(key);
    const end = this.at;
    this.at = skipWhite(text, end);
    if (this.at === text.length) return this.cutOff(end, 'before the value at');
    if (text[this.at] !== ':')
      return this.misplaced(`instead of the colon after the key of ${this.place()}`, COLON);
    this.at++;
    return this.readValue();
  }

  private refuseKey(isKnown: boolean): Fault {
    const container = writePath(this.containerPath());
    if (isKnown)
      return {
        ...this.fault(`The object at ${container} has a key twice: ${this.place()}.`, 'Keep one of the two.'),
        code: 'json-key-repeated',
      };
    const message = `The object at ${container} has the key __proto__, which is not accepted.`;
    return {
      ...this.fault(message, 'Give this key another name, or leave it out.'),
      code: 'json-key-forbidden',
    };
  }

  /** `where` completes "Found a tab … $.a". */
  private readString(where: string, pathOf: () => JsonPath): Fault | null {
    const { text } = this;
    let at = this.at + 1;
    for (IN_STRING.lastIndex = at; IN_STRING.test(text); ) at = IN_STRING.lastIndex;
    this.at = at;
    if (text[at] === '"') {
      this.at++;
      return null;
    }
    const path = pathOf();
    const next = text.slice(at, at + LONGEST_ESCAPE);
    if (at + next.length === text.length && PARTIAL_ESCAPE.test(next))
      return this.cutOff(text.length, where, path);
    const place = `${where} ${writePath(path)}`;
    if (HALF.test(next)) {
      const hint = 'Write the whole character, or both of its halves, such as \\ud83d\\ude00.';
      const half = next.startsWith('\\') ? next.slice(0, 6) : showChar(text, at);
      return {
        ...this.fault(`Found half a character, ${half}, ${place}.`, hint, path),
        code: 'json-half-character',
      };
    }
    if (next.startsWith('\\')) {
      const shown = /^\\[!-~]/.test(next) ? next.slice(0, 2) : 'a lone backslash';
      const hint =
        'Write a backslash as \\\\, a line break as \\n, and other characters as themselves, without a backslash.';
      return this.fault(`Found ${shown} ${place}; JSON has no such escape.`, hint, path);
    }
    if (/^[\r\n]/.test(next)) {
      const hint = 'Write it as \\n. If the string should end there, close it with ".';
      return this.fault(`Found a line break ${place}.`, hint, path);
    }
    const escaped = next[0] === '\t' ? '\\t' : `\\u${codeOf(next)}`;
    return this.fault(
      `Found the control character ${showChar(text, at)} ${place}.`,
      `Write it as ${escaped}.`,
      path,
    );
  }

  /** The token here is not the one that the grammar wants. */
  private misplaced(where: string, hint: string, path = this.path()): Fault {
    const { text, at } = this;
    const stray = STRAYS.find(([pattern]) => pattern.test(text.slice(at, at + 3)));
    TOKEN.lastIndex = at;
    const word = TOKEN.exec(text)?.[0];
    const found = stray?.[1].replace('{shown}', () => showChar(text, at)) ?? word ?? showChar(text, at);
    return this.fault(`Found ${found} ${where}.`, stray?.[2] ?? hint, path);
  }

  private fault(message: string, hint: string, path = this.path()): Fault {
    return { code: 'json-invalid', at: this.at, path, message, hint };
  }

  /** `inside` completes "The JSON ends … $.findings". */
  private cutOff(at: number, inside: string, path = this.path()): Fault {
    return {
      code: 'json-cut-off',
      at,
      path,
      message: `The JSON ends ${inside} ${writePath(path)}.`,
      hint: 'Write all of it again, up to the last closing bracket. If a length limit cut it off, write less.',
    };
  }

  private path(): JsonPath {
    return this.levels.flatMap(({ step }) => step ?? []);
  }

  private place(): string {
    return writePath(this.path());
  }

  private containerPath(): JsonPath {
    return this.levels.slice(0, -1).flatMap(({ step }) => step ?? []);
  }
}

const LONGEST = 60;

/** The text from `at` to the end of its line, in quotes and shortened. */
export function quoteFrom(text: string, at: number, to = text.length): string {
  const [line = ''] = text.slice(at, Math.min(at + 2 * LONGEST, to)).split(/[\r\n]/, 1);
  return escapeUnseen(JSON.stringify(shorten(line.trimEnd(), LONGEST)));
}

/** A character in quotes, or its code point if it is invisible. */
function showChar(text: string, at: number): string {
  const char = String.fromCodePoint(text.codePointAt(at)!);
  return /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(char) ? quoteJson(char) : `U+${codeOf(char)}`;
}

function codeOf(char: string): string {
  return char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
}
