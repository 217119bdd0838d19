// Numbers and texts within JSON, read one by one up to their end or to what is wrong with them.
import { showChar, type Wording } from './fault.js';
import { isWellFormed } from './values.js';

export type LiteralRead =
  | { status: 'read'; to: number }
  | { status: 'cut-off' }
  /** `{where}` in it is `$.count` for a number, and `inside the string at $.name` for a string. */
  | { status: 'fault'; code: 'json-invalid' | 'json-half-character'; at: number; wording: Wording };

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const GOES_ON = /[-+.\w$]/;
const TOKEN = /[-+.\w$]{1,40}/y;

/** Whether there is a number, followed by white space or the end. */
export function isNumberAlone(text: string, from: number): boolean {
  NUMBER.lastIndex = from;
  return NUMBER.test(text) && /^\s?$/.test(text[NUMBER.lastIndex] ?? '');
}

/** Reads a token that starts like a number: with a digit, a sign or a point. */
export function readNumber(text: string, from: number): LiteralRead {
  NUMBER.lastIndex = from;
  const number = NUMBER.test(text) ? text.slice(from, NUMBER.lastIndex) : '';
  const to = from + number.length;
  const refuse = (wording: Wording): LiteralRead => ({
    status: 'fault',
    code: 'json-invalid',
    at: from,
    wording,
  });
  if (number !== '' && !GOES_ON.test(text[to] ?? ''))
    return Number.isFinite(Number(number)) ? { status: 'read', to } : refuse(TOO_LARGE);
  TOKEN.lastIndex = to;
  const rest = TOKEN.exec(text)?.[0] ?? '';
  if (to + rest.length === text.length && isIncomplete(number, rest)) return { status: 'cut-off' };
  TOKEN.lastIndex = from;
  return refuse(describeToken(TOKEN.exec(text)?.[0] ?? ''));
}

/** Whether more digits could follow: `-`, `1.`, `1e`, `1.5e-`. */
function isIncomplete(number: string, rest: string): boolean {
  if (number === '') return rest === '-';
  if (/[eE]/.test(number)) return false;
  return rest === '.' ? !number.includes('.') : /^[eE][+-]?$/.test(rest);
}

const TOO_LARGE: Wording = {
  message: 'The number at {where} is too large.',
  hint: 'Numbers go up to about 1.7e308. Write a smaller one, or put it in double quotes.',
};

/** What is wrong with it, for the sentence "The number 01 at $.count …", and what to write. */
const FORMS: readonly [form: RegExp, wrong: string, hint: string][] = [
  [/^\+/, 'has a plus sign', 'Leave out the plus sign.'],
  [/^-?\.[0-9]/, 'has no digit before its point', 'Write a 0 before the point.'],
  [/^-?0[xXbBoO]/, 'is not decimal', 'Write it in decimal digits, or put it in double quotes.'],
  [/^-?[0-9]+_/, 'has an underscore', 'Leave out the underscores between the digits.'],
  [/^-?0[0-9]/, 'has a leading zero', 'Leave out the leading zero, or put it in double quotes.'],
  [/^-?[0-9]+\.(?![0-9])/, 'has no digit after its point', 'Leave out the point, or write a 0 after it.'],
  [/^-?[0-9]+(?:\.[0-9]+)?[eE][-+]?(?![0-9])/, 'has no digit after its e', 'Leave out the e.'],
  [/^/, 'continues with other characters', 'Write the number alone, or put all of it in double quotes.'],
];

function describeToken(token: string): Wording {
  if (token.startsWith('..'))
    return { message: 'Found dots instead of the value at {where}.', hint: 'Write everything out.' };
  if (/^[-+](?:inf|nan)/i.test(token))
    return {
      message: `The value at {where} is the word ${token}.`,
      hint: 'JSON has no such number: write null.',
    };
  if (/^-?\D*$/.test(token)) {
    const hint = 'Write a number after it, or put all of it in double quotes.';
    return { message: `The sign ${token} at {where} has no number.`, hint };
  }
  const [, wrong, hint] = FORMS.find(([form]) => form.test(token))!;
  return { message: `The number ${token} at {where} ${wrong}.`, hint };
}

/** Plain characters, one of two halves, an escape, two escapes that are the halves of one character. */
const IN_TEXT =
  /[^"\\\u0000-\u001f\ud800-\udfff]+|[\ud800-\udbff][\udc00-\udfff]|\\["\\/bfnrt]|\\u(?![dD][89a-fA-F])[\da-fA-F]{4}|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/y;
const ESCAPED_HALF = /^\\u[dD][89a-fA-F][\da-fA-F]{2}/;
const PARTIAL_ESCAPE = /^\\(?:u[\da-f]{0,3})?$|^\\ud[89ab][\da-f]{2}(?:\\(?:u[\da-f]{0,3})?)?$/i;
const LONGEST_ESCAPE = 12;

/** Reads a string from its opening quote up to and including its closing one. */
export function readJsonText(text: string, from: number): LiteralRead {
  let at = from + 1;
  for (IN_TEXT.lastIndex = at; IN_TEXT.test(text); ) at = IN_TEXT.lastIndex;
  if (text[at] === '"') return { status: 'read', to: at + 1 };
  const next = text.slice(at, at + LONGEST_ESCAPE);
  const isHalf = /^[\ud800-\udfff]/.test(next);
  const isCutOff = next === '' || PARTIAL_ESCAPE.test(next) || (isHalf && next.length === 1);
  if (isCutOff && at + next.length === text.length) return { status: 'cut-off' };
  if (isHalf || ESCAPED_HALF.test(next))
    return { status: 'fault', code: 'json-half-character', at, wording: describeHalf(text, at) };
  const wording = next.startsWith('\\') ? describeEscape(next[1]!) : describeControl(next[0]!);
  return { status: 'fault', code: 'json-invalid', at, wording };
}

/** Decodes a string without faults. */
export function decodeJsonText(text: string, from: number, to: number): string {
  const inside = text.slice(from + 1, to - 1);
  return inside.includes('\\') ? JSON.parse(text.slice(from, to)) : inside;
}

function describeHalf(text: string, at: number): Wording {
  const isEscaped = text[at] === '\\';
  return {
    message: `Found half a character, ${isEscaped ? text.slice(at, at + 6) : showChar(text, at)}, {where}.`,
    hint: isEscaped
      ? 'Write the character itself, or both of its halves one after the other, such as \\ud83d\\ude00.'
      : 'Write the whole character, or leave it out.',
  };
}

function describeControl(char: string): Wording {
  if (char === '\t') return { message: 'Found a tab {where}.', hint: 'Write it as \\t.' };
  if (char === '\n' || char === '\r') {
    const hint = 'Write it as \\n. If the string should end there, close it with ".';
    return { message: 'Found a line break {where}.', hint };
  }
  const number = char.charCodeAt(0).toString(16).padStart(4, '0');
  const message = `Found a control character (U+${number.toUpperCase()}) {where}.`;
  return { message, hint: `Write it as \\u${number}.` };
}

function describeEscape(escaped: string): Wording {
  const shown = /[!-~]/.test(escaped) ? `\\${escaped}` : 'a lone backslash';
  return {
    message: `Found ${shown} {where}; JSON has no such escape.`,
    hint: `${hintForEscape(escaped)}A backslash itself is written \\\\.`,
  };
}

function hintForEscape(escaped: string): string {
  if (escaped === 'u') return 'Write four of the digits 0-9 and a-f after \\u. ';
  if (escaped === 'x') return 'Write \\u and four digits, such as \\u0041 for \\x41. ';
  if (escaped < ' ') return 'Write a line break as \\n. ';
  return /[!-~]/.test(escaped) ? `Write ${escaped} without a backslash. ` : '';
}

const IN_PYTHON_TEXT = /[^'\\\r\n]*/y;
const PYTHON_ESCAPE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([abfnrtv\\'"0]))|\\/g;
const PYTHON_ESCAPED: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n' },
  ...{ r: '\r', t: '\t', v: '\v', '0': '\0' },
};

/** A string in single quotes, as Python writes it; undefined if it does not end on its line, or an escape is not Python's. */
export function readPythonText(text: string, from: number): { value: string; to: number } | undefined {
  let end = from + 1;
  for (; ; end += 2) {
    // A backslash was the last character; the pattern would start again at the first.
    if (end > text.length) return undefined;
    IN_PYTHON_TEXT.lastIndex = end;
    IN_PYTHON_TEXT.test(text);
    end = IN_PYTHON_TEXT.lastIndex;
    if (text[end] !== '\\') break;
  }
  if (text[end] !== "'") return undefined;
  let isKnown = true;
  const value = text.slice(from + 1, end).replace(PYTHON_ESCAPE, (_, x, u, U, letter?: string) => {
    if (letter !== undefined) return PYTHON_ESCAPED[letter] ?? letter;
    const code = Number.parseInt(x ?? u ?? U, 16);
    if (code <= 0x10ffff) return String.fromCodePoint(code);
    isKnown = false;
    return '';
  });
  return isKnown && isWellFormed(value) ? { value, to: end + 1 } : undefined;
}
