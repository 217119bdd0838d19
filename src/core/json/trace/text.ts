import { showChar, type Wording } from './fault.js';

export type JsonTextRead =
  | { status: 'text'; to: number }
  | { status: 'cut-off' }
  | { status: 'fault'; fault: TextFault };

interface TextFault {
  code: 'json-invalid' | 'json-half-character';
  at: number;
  /** `where` completes "A tab stands …": `inside the text at $.name`. */
  say(where: string): Wording;
}

/** What needs no second look. */
const PLAIN = /[^"\\\u0000-\u001f\ud800-\udfff]*/y;
const FOUR_DIGITS = /[0-9a-fA-F]{4}/y;
const BEGUN_ESCAPE = /^\\(?:u[0-9a-fA-F]{0,3})?$/;

type Step = number | 'cut-off' | TextFault;

/** Reads a text from its opening quote to behind its closing one. */
export function readJsonText(text: string, from: number): JsonTextRead {
  let at = from + 1;
  for (;;) {
    PLAIN.lastIndex = at;
    PLAIN.test(text);
    at = PLAIN.lastIndex;
    if (at === text.length) return { status: 'cut-off' };
    if (text[at] === '"') return { status: 'text', to: at + 1 };
    const next = readSpecial(text, at);
    if (next === 'cut-off') return { status: 'cut-off' };
    if (typeof next !== 'number') return { status: 'fault', fault: next };
    at = next;
  }
}

/** A key, from the place of a text without faults. */
export function decodeJsonText(text: string, from: number, to: number): string {
  const inside = text.slice(from + 1, to - 1);
  return inside.includes('\\') ? JSON.parse(text.slice(from, to)) : inside;
}

/** An escape, or a character of two halves. */
function readSpecial(text: string, at: number): Step {
  const char = text[at]!;
  if (char < ' ') return { code: 'json-invalid', at, say: (where) => sayControl(char, where) };
  if (char !== '\\') {
    if (at + 1 === text.length) return 'cut-off';
    return isPair(text.charCodeAt(at), text.charCodeAt(at + 1)) ? at + 2 : halfAt(text, at);
  }
  const escaped = text[at + 1];
  if (escaped === undefined) return 'cut-off';
  if (escaped === 'u') return readUnicode(text, at);
  return '"\\/bfnrt'.includes(escaped) ? at + 2 : escapeAt(text, at);
}

function readUnicode(text: string, at: number): Step {
  const unit = unitAt(text, at);
  if (unit === null) return isBegun(text, at) ? 'cut-off' : escapeAt(text, at);
  if (unit < 0xd800 || unit > 0xdfff) return at + 6;
  const other = unitAt(text, at + 6);
  if (other !== null && isPair(unit, other)) return at + 12;
  const open = unit < 0xdc00 && (at + 6 === text.length || isBegun(text, at + 6));
  return open ? 'cut-off' : halfAt(text, at);
}

/** Whether the text ends in the middle of an escape. */
function isBegun(text: string, at: number): boolean {
  return text.length - at < 6 && BEGUN_ESCAPE.test(text.slice(at));
}

/** The unit that an escape such as `\u00e4` stands for. */
function unitAt(text: string, at: number): number | null {
  if (text[at] !== '\\' || text[at + 1] !== 'u') return null;
  FOUR_DIGITS.lastIndex = at + 2;
  return FOUR_DIGITS.test(text) ? Number.parseInt(text.slice(at + 2, at + 6), 16) : null;
}

function isPair(high: number, low: number): boolean {
  return high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000;
}

function halfAt(text: string, at: number): TextFault {
  const escaped = text[at] === '\\';
  const unit = escaped ? text.slice(at, at + 6) : showChar(text, at);
  const say = (where: string): Wording => ({
    message: `Half a character, ${unit}, stands ${where}.`,
    hint: escaped
      ? 'Write the character itself, or both of its halves one behind the other, such as \\ud83d\\ude00.'
      : 'Write the whole character, or leave it out.',
  });
  return { code: 'json-half-character', at, say };
}

function sayControl(char: string, where: string): Wording {
  const number = char.charCodeAt(0).toString(16).padStart(4, '0');
  const known = CONTROLS[char];
  const what = known?.what ?? `A control character (U+${number.toUpperCase()})`;
  const closing = known?.breaks ? ' If the text should end there, close it with ".' : '';
  return {
    message: `${what} stands ${where}.`,
    hint: `Write it as ${known?.written ?? `\\u${number}`}.${closing}`,
  };
}

const LINE_BREAK = { what: 'A line break', written: '\\n', breaks: true };
const CONTROLS: Readonly<Record<string, { what: string; written: string; breaks?: boolean }>> = {
  '\n': LINE_BREAK,
  '\r': LINE_BREAK,
  '\t': { what: 'A tab', written: '\\t' },
};

function escapeAt(text: string, at: number): TextFault {
  const say = (where: string): Wording => {
    const shown = /^\\[!-~]/.test(text.slice(at, at + 2)) ? `\\${text[at + 1]}` : 'a lone backslash';
    return {
      message: `The escape ${shown} stands ${where}; JSON has no such escape.`,
      hint: hintForEscape(text[at + 1]!),
    };
  };
  return { code: 'json-invalid', at, say };
}

function hintForEscape(escaped: string): string {
  const backslash = 'A backslash itself is written \\\\.';
  if (escaped === 'u') return `Behind \\u stand four of the digits 0-9 and a-f. ${backslash}`;
  if (escaped === 'x') return `Write \\u and four digits, such as \\u0041 for \\x41. ${backslash}`;
  if (escaped < ' ') return `Write a line break as \\n. ${backslash}`;
  if (/[!-~]/.test(escaped)) return `Write ${escaped} without a backslash. ${backslash}`;
  return backslash;
}
