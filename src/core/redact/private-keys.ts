import { CharClass, Cursor, type Finding, type MaskPiece, type Matcher } from './piece.js';
import { sentinelIn } from './sentinel.js';

/** How far the end of a key is looked for. */
const WINDOW = 10_240;
const LABEL = new CharClass('A-Z0-9 \\-');
const BASE64 = new CharClass('A-Za-z0-9+\\/=');
const REST = new CharClass('A-Za-z0-9+\\/=\\s\\\\');
const BEGIN = /^BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}/;
const END = /-{4,5} ?END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}/;
const HEADER = /(?:[A-Z][A-Za-z-]{2,20}: [^\n\\]{1,100}(?:\n|\r\n|\\n|\\r\\n))/y;
/** A line of a key has at least this much on it, the last aside. */
const LINE = 24;

/**
 * A private key in its frame of dashes: all of it when its end is there, however its lines are quoted or numbered;
 * otherwise what looks like lines of a key. A frame with nothing in it is nobody's secret.
 */
export const privateKeyMatcher: Matcher = {
  prefix: 'BEGIN ',
  lead: 6,
  find(piece, at): Finding | undefined {
    const start = frameStart(piece, at);
    if (start === at) return undefined;
    const cursor = new Cursor(piece, at);
    cursor.take(LABEL, 100);
    const begin = BEGIN.exec(piece.text.slice(at, cursor.at));
    if (cursor.starved) return { status: 'undecided', from: start };
    if (begin === null) return undefined;
    const bodyStart = at + begin[0].length;
    const window = piece.text.slice(bodyStart, bodyStart + WINDOW);
    const stop = firstOf(window, sentinelIn(window), window.indexOf('-BEGIN '), window.indexOf('- BEGIN '));
    const end = END.exec(window.slice(0, stop));
    const seen = end === null ? stop : end.index + end[0].length;
    if (seen === window.length && window.length < WINDOW && !piece.final)
      return { status: 'undecided', from: start };
    if (end !== null && isKeyText(window.slice(0, end.index)))
      return { status: 'secret', start, end: bodyStart + seen };
    const length = measureLines(window.slice(0, end?.index ?? stop));
    if (length === 0) return undefined;
    return {
      status: 'secret',
      start,
      end: bodyStart + length,
      ...(length === WINDOW && { rest: REST }),
    };
  },
};

function frameStart({ text, floor }: MaskPiece, at: number): number {
  let start = at;
  if (start > floor && text[start - 1] === ' ') start--;
  const dashes = start;
  while (start > floor && dashes - start < 5 && text[start - 1] === '-') start--;
  return dashes - start >= 4 ? start : at;
}

function firstOf(text: string, ...indices: number[]): number {
  return Math.min(text.length, ...indices.filter((index) => index >= 0));
}

/** Whether at least half of it is long stretches of base64. */
function isKeyText(text: string): boolean {
  let covered = 0;
  for (const [stretch] of text.matchAll(/[A-Za-z0-9+/=]{40,}/g)) covered += stretch.length;
  return covered > 0 && covered * 2 >= text.length;
}

/** How much of a text is lines of a key, all as long as the first and the last one shorter; 0 when it is none. */
function measureLines(text: string): number {
  const cursor = new Cursor({ text, floor: 0, final: true }, 0);
  let first = 0;
  let end = 0;
  for (;;) {
    skipBetween(cursor);
    if (first === 0) skipHeaders(cursor);
    const length = cursor.take(BASE64, WINDOW);
    if (length === 0) return end;
    if (first === 0) {
      const line = text.slice(cursor.at - length, cursor.at);
      if (length < LINE || !/[A-Z]/.test(line) || !/[a-z]/.test(line) || !/[0-9+/]/.test(line)) return 0;
      first = length;
    }
    if (length > first) return end;
    end = cursor.at;
    if (length < first) return end;
  }
}

/** `\n` written out is between lines; a line may well begin with an `n`. */
function skipBetween(cursor: Cursor): void {
  for (;;) {
    const next = cursor.peek();
    if (next === '\\') {
      cursor.at++;
      while (cursor.peek() === '\\') cursor.at++;
      if (/[nrt]/.test(cursor.peek())) cursor.at++;
    } else if (next !== '' && /[\s"'>|,#*]/.test(next)) cursor.at++;
    else return;
  }
}

function skipHeaders(cursor: Cursor): void {
  for (let count = 0; count < 6; count++) {
    HEADER.lastIndex = cursor.at;
    const header = HEADER.exec(cursor.piece.text);
    if (header === null) return;
    cursor.at += header[0].length;
    skipBetween(cursor);
  }
}

/** Before the lines of what is quoted or indented. */
const MARGIN = new CharClass(' \\t>|');
const DIGITS = new CharClass('0-9');
const HEX = new CharClass('0-9a-fA-F');
const MOST_LINES = 100;

/** The private half of a key as PuTTY keeps it. */
export const puttyKeyMatcher: Matcher = {
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

export const puttyMacMatcher: Matcher = {
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
