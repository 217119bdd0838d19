import { escapeUnseen, writePath } from '../path.js';
import { isWellFormed } from '../scan.js';
import type { JsonPath, JsonProblem, JsonProblemCode } from '../types.js';

/** A problem at an offset of the text. */
export interface Fault {
  code: JsonProblemCode;
  at: number;
  path: JsonPath;
  message: string;
  hint: string;
}

/** What is wrong, and what to write instead. */
export interface Wording {
  message: string;
  hint: string;
}

/** An offset, and the line that it is in. */
interface Spot {
  offset: number;
  line: number;
  /** Where the line begins. */
  start: number;
}

/** Makes problems of faults that come in the order of the text, in one pass over it. A byte order mark is in no line. */
export function faultLocator(text: string): (fault: Fault) => JsonProblem {
  const start = text.startsWith('\uFEFF') ? 1 : 0;
  const spot: Spot = { offset: start, line: 1, start };
  return ({ code, at, path, message, hint }) => {
    for (; spot.offset < at; spot.offset++) {
      if (text.charCodeAt(spot.offset) !== 0x0a) continue;
      spot.line++;
      spot.start = spot.offset + 1;
    }
    return { code, message, hint, path, line: spot.line, column: Math.max(1, at - spot.start + 1) };
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

export function skipWhite(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
  }
  return at;
}
