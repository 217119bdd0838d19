import { assignmentMatchers } from './assignments.js';
import { addressMatchers, commandMatchers, holdsCookie } from './credentials.js';
import type { Matcher } from './piece.js';
import { CharClass, Cursor, type Finding, type MaskPiece } from './piece.js';
import { privateKeyMatcher } from './private-keys.js';
import { sentinelMatcher } from './sentinel.js';
import { tokenMatchers } from './tokens.js';
import { isPlaceholder } from './values.js';

const SPACE = new CharClass(' \\t');
const GAP = new CharClass(' \\t\\r\\n');
const WORD = new CharClass('^\\s');
/** Before the lines of what is quoted or indented. */
const MARGIN = new CharClass(' \\t>|');
const DIGITS = new CharClass('0-9');
const HEX = new CharClass('0-9a-fA-F');
const BASE64 = new CharClass('A-Za-z0-9+\\/=');
const HEADER = new CharClass('^\\r\\n"\'`\\\\');
const FIRST_PAIR = new CharClass('^\\r\\n"\'`\\\\;');
const LONGEST_HEADER = 4096;
const MOST_LINES = 100;

/** `machine host login me password …`, on one line or several. */
const netrc: Matcher = {
  prefix: 'password',
  find(piece, at): Finding | undefined {
    const before = piece.text.slice(Math.max(piece.floor, at - 48), at);
    if (!/(?:^|\s)(?:login|account|machine)\s{1,9}\S{1,40}\s{1,9}$/.test(before)) return undefined;
    const cursor = new Cursor(piece, at + this.prefix.length);
    const gap = cursor.take(GAP, 10);
    const start = cursor.at;
    const length = cursor.take(WORD, 200);
    const end = cursor.at;
    // Behind it comes another entry or the end of the line; in a sentence come more words.
    cursor.take(SPACE, 20);
    const next = cursor.peek();
    if (cursor.starved) return { status: 'undecided', from: start };
    const isEntry = /machine\s{1,9}\S{1,40}\s{1,9}login\s{1,9}\S{1,40}\s{1,9}$/.test(before);
    if (gap === 0 || length < 4 || !(isEntry || /^[\r\n]?$|^#$/.test(next))) return undefined;
    const value = piece.text.slice(start, end);
    if (isPlaceholder(value) || (/^[A-Za-z]+[.,!?]?$/.test(value) && length < 12)) return undefined;
    return { status: 'secret', start, end };
  },
};

/** Of a header: all cookies that a client sends, the first pair of those that a server sets. */
const cookie: Matcher = {
  prefix: 'cookie: ',
  anyCase: true,
  find(piece, at): Finding | undefined {
    const before = piece.text.slice(Math.max(piece.floor, at - 16), at);
    if (!/(?:^|[\n"'`<>])\s*(?:set-)?$/i.test(before)) return undefined;
    const isSet = /set-$/i.test(before);
    const cursor = new Cursor(piece, at + this.prefix.length);
    const start = cursor.at;
    cursor.take(isSet ? FIRST_PAIR : HEADER, LONGEST_HEADER);
    cursor.peek();
    if (cursor.starved) return { status: 'undecided', from: start };
    const value = piece.text.slice(start, cursor.at);
    if (!holdsCookie(value)) return undefined;
    return { status: 'secret', start: isSet ? start + value.indexOf('=') + 1 : start, end: cursor.at };
  },
};

/** The private half of a key as PuTTY keeps it. */
const puttyKey: Matcher = {
  prefix: 'Private-Lines: ',
  find(piece, at): Finding | undefined {
    const cursor = new Cursor(piece, at + this.prefix.length);
    const digits = cursor.take(DIGITS, 4);
    const lines = Math.min(MOST_LINES, Number(piece.text.slice(cursor.at - digits, cursor.at)));
    passNewline(cursor);
    cursor.take(MARGIN, 40);
    const start = cursor.at;
    let end = start;
    for (let line = 0; line < lines; line++) {
      cursor.take(MARGIN, 40);
      if (cursor.take(BASE64, 100) === 0) break;
      end = cursor.at;
      if (!passNewline(cursor)) break;
    }
    if (cursor.starved) return { status: 'undecided', from: start };
    return end - start >= 24 ? { status: 'secret', start, end } : undefined;
  },
};

const puttyMac: Matcher = {
  prefix: 'Private-MAC: ',
  find(piece: MaskPiece, at): Finding | undefined {
    const cursor = new Cursor(piece, at + this.prefix.length);
    const start = cursor.at;
    const length = cursor.take(HEX, 200);
    if (cursor.starved) return { status: 'undecided', from: start };
    return length >= 40 ? { status: 'secret', start, end: cursor.at } : undefined;
  },
};

function passNewline(cursor: Cursor): boolean {
  cursor.eat('\r');
  return cursor.eat('\n');
}

/** Secrets that the form of a file or of a header tells. */
const recordMatchers: readonly Matcher[] = [netrc, cookie, puttyKey, puttyMac];

/** Everything that is known without being told. A sentinel comes before all. */
export const shapeMatchers: readonly Matcher[] = [
  sentinelMatcher,
  privateKeyMatcher,
  ...tokenMatchers,
  ...addressMatchers,
  ...recordMatchers,
  ...commandMatchers,
  ...assignmentMatchers,
];
