import { cutText, splitsPair } from '../../text.js';

/** The edit matcher's definitions of line, white space, blank, and same character. */

const BOM = '\ufeff';
const LINE_ENDING = /\r\n|\n/g;

/** Each ASCII character with its typographic variants. All are one UTF-16 unit, so offsets stay valid. */
const STAND_INS: ReadonlyArray<readonly [string, string]> = [
  ["'", '\u2018\u2019\u201a\u201b\u2032'],
  ['"', '\u201c\u201d\u201e\u201f\u2033'],
  ['-', '\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d'],
  [' ', '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000'],
];
const ASCII_OF = new Map(
  STAND_INS.flatMap(([ascii, others]) =>
    [...others].map((other) => [other.charCodeAt(0), ascii.charCodeAt(0)] as const),
  ),
);
const STAND_IN = new RegExp(`[${STAND_INS.map(([, others]) => others).join('')}]`, 'g');
/** Quotes of either kind are made curly by the same programs, so they are one family. */
const FAMILIES = new Map(
  STAND_INS.flatMap(([ascii, others]) =>
    [ascii, ...others].map((char) => [char, ascii === "'" ? '"' : ascii]),
  ),
);
const FIRST_STAND_IN = 0xa0;
const SPACE = 0x20;

/** Quotes, dashes and spaces as ASCII, each in its place. */
export function fold(text: string): string {
  return text.replace(STAND_IN, (char) => String.fromCharCode(foldCode(char.charCodeAt(0))));
}

export function foldCode(code: number): number {
  return code < FIRST_STAND_IN ? code : (ASCII_OF.get(code) ?? code);
}

/** Quotes, dashes or spaces, as a name for all of them; undefined for any other character. */
export function familyOf(char: string): string | undefined {
  return FAMILIES.get(char);
}

export function isSpace(code: number): boolean {
  return code === SPACE || (code >= 9 && code <= 13);
}

export function isFoldedSpace(code: number): boolean {
  return isSpace(code) || (code >= FIRST_STAND_IN && ASCII_OF.get(code) === SPACE);
}

export function isBlankText(line: string): boolean {
  return contentStart(line, isFoldedSpace) === line.length;
}

/** The folded content of a line, without the white space around it: equal in whatever any tier calls equal. */
export function looseContent(line: string): string {
  return fold(line.slice(contentStart(line, isFoldedSpace), contentEndOf(line, isFoldedSpace)));
}

export function contentStart(line: string, isWhite: (code: number) => boolean): number {
  let start = 0;
  while (start < line.length && isWhite(line.charCodeAt(start))) start++;
  return start;
}

export function contentEndOf(line: string, isWhite: (code: number) => boolean): number {
  let end = line.length;
  while (end > 0 && isWhite(line.charCodeAt(end - 1))) end--;
  return end;
}

/** The lines of a FIND or REPLACE; a final newline is followed by one more, empty, line. */
export function splitTextLines(text: string): string[] {
  return text.split(/\r\n|\n/);
}

export function lineEndings(text: string): string[] {
  return text.match(LINE_ENDING) ?? [];
}

/** Where the file's first line starts: a byte order mark is not part of it. */
export function firstLineStart(text: string): number {
  return text.startsWith(BOM) ? BOM.length : 0;
}

/** Where the content of the line that starts at `start` ends: before its line ending. */
export function lineEnd(text: string, start: number): number {
  const newline = text.indexOf('\n', start);
  return newline === -1 ? text.length : endBefore(text, start, newline);
}

/** The same where the newline is known. */
export function endBefore(text: string, start: number, newline: number): number {
  const isCrlf = newline > start && newline < text.length && text.charCodeAt(newline - 1) === 13;
  return isCrlf ? newline - 1 : newline;
}

/** Where the line after the one that starts at `start` starts; undefined at the end of the file. */
export function nextLineStart(text: string, start: number): number | undefined {
  const newline = text.indexOf('\n', start);
  return newline === -1 || newline + 1 === text.length ? undefined : newline + 1;
}

/** Where the line before the one that starts at `start` starts; undefined at the start of the file. */
export function previousLineStart(text: string, start: number): number | undefined {
  return start <= firstLineStart(text) ? undefined : lineStartAt(text, start - 1);
}

/** Where the line that contains `offset` starts; a newline belongs to the line that it ends. */
export function lineStartAt(text: string, offset: number): number {
  const newline = offset === 0 ? -1 : text.lastIndexOf('\n', offset - 1);
  return Math.max(firstLineStart(text), newline + 1);
}

/** Whether only white space, and some of it, is between the line's start and `offset`. */
export function isInIndent(text: string, offset: number): boolean {
  const start = lineStartAt(text, offset);
  return start < offset && isBlankText(text.slice(start, offset));
}

/** The 1-based number of the line that contains `offset`; a newline belongs to the line that it ends. */
export function lineNumberAt(text: string, offset: number): number {
  let number = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) number++;
  return number;
}

export interface Sides {
  find: readonly string[];
  replace: readonly string[];
}

/** A line with the blank ones above it; after the last line, only those. */
interface Spaced {
  blanks: readonly string[];
  line?: string;
}

/** How many items two lists have in common at their ends; none counts twice. */
export function countCommon<T>(
  one: readonly T[],
  other: readonly T[],
  isSame: (a: T, b: T) => boolean,
): { head: number; tail: number } {
  const shorter = Math.min(one.length, other.length);
  let head = 0;
  while (head < shorter && isSame(one[head]!, other[head]!)) head++;
  let tail = 0;
  while (tail < shorter - head && isSame(one.at(-1 - tail)!, other.at(-1 - tail)!)) tail++;
  return { head, tail };
}

/**
 * FIND and REPLACE with the file's blank lines where FIND has others. Undefined if REPLACE leaves it open which
 * belong there: lines were added, removed or changed on both sides, it has others than both, or a mixture of FIND's
 * and the file's.
 */
export function takeBlankLines(sides: Sides, fileLines: readonly string[]): Sides | undefined {
  const [find, replace, file] = [spaced(sides.find), spaced(sides.replace), spaced(fileLines)];
  const differs = (index: number): boolean => find[index]!.blanks.length !== file[index]!.blanks.length;
  if (find.length !== file.length || !find.some((_, index) => differs(index))) return sides;

  const { head, tail } = countCommon(find, replace, (one, other) => one.line === other.line);
  const to = find.length - tail;
  const toTail = replace.length - find.length;
  const [removed, added] = [find.slice(head, to), replace.slice(head, to + toTail)];
  const written = [...replace];
  const meant = new Set<readonly Spaced[]>();
  for (let index = 0; index < find.length; index++) {
    if (!differs(index)) continue;
    const isBorder = index === head || index === to;
    if (index > head && index < to) return undefined;
    if (isBorder && !isReplaced(removed, added, index === head ? 0 : -1)) return undefined;
    const at = index <= head ? index : index + toTail;
    const count = replace[at]!.blanks.length;
    const side = [find, file].find((other) => other[index]!.blanks.length === count);
    if (side === undefined || (isBorder && side === file)) return undefined;
    meant.add(side);
    written[at] = { ...replace[at]!, blanks: file[index]!.blanks };
  }
  if (meant.size > 1) return undefined;
  const taken = find.map((each, index) => ({ ...each, blanks: file[index]!.blanks }));
  return { find: toLines(taken), replace: toLines(written) };
}

/** Whether the first or the last of these lines is another one instead; it may also come or go. */
function isReplaced(removed: readonly Spaced[], added: readonly Spaced[], at: 0 | -1): boolean {
  const [gone, come] = [removed.at(at)?.line, added.at(at)?.line];
  if (gone === undefined || come === undefined) return false;
  return added.every(({ line }) => line !== gone) && removed.every(({ line }) => line !== come);
}

function spaced(lines: readonly string[]): Spaced[] {
  const read: Spaced[] = [];
  let blanks: string[] = [];
  for (const line of lines) {
    if (isBlankText(line)) {
      blanks.push(line);
      continue;
    }
    read.push({ blanks, line });
    blanks = [];
  }
  return [...read, { blanks }];
}

function toLines(all: readonly Spaced[]): string[] {
  return all.flatMap(({ blanks, line }) => (line === undefined ? blanks : [...blanks, line]));
}

/** The word that an edge of FIND cuts in two. */
export interface CutWord {
  word: string;
  /** 1-based line of the word, and that line, clipped. */
  line: number;
  text: string;
}

/** Combining marks are part of the letter before them. */
const WORD_CHARACTER = /^[\p{L}\p{M}\p{N}_]$/u;
const WORD_REACH = 60;
const LINE_LIMIT = 200;

/** The word that the span's start or else its end cuts, if either does. */
export function findCutWord(text: string, start: number, length: number): CutWord | undefined {
  const edge = [start, start + length].find((offset) => isInsideWord(text, offset));
  if (edge === undefined) return undefined;
  const lineStart = lineStartAt(text, edge);
  const line = text.slice(Math.max(lineStart, edge - LINE_LIMIT / 2), lineEnd(text, lineStart));
  return { word: readWord(text, edge), line: lineNumberAt(text, edge), text: cutText(line, LINE_LIMIT) };
}

function isInsideWord(text: string, offset: number): boolean {
  if (splitsPair(text, offset)) return true;
  return isWordCharacter(characterBefore(text, offset)) && isWordCharacter(characterAt(text, offset));
}

function isWordCharacter(character: string): boolean {
  return WORD_CHARACTER.test(character);
}

function readWord(text: string, edge: number): string {
  let from = edge;
  while (edge - from < WORD_REACH && isWordCharacter(characterBefore(text, from))) {
    from -= characterBefore(text, from).length;
  }
  let to = edge;
  while (to - edge < WORD_REACH && isWordCharacter(characterAt(text, to))) {
    to += characterAt(text, to).length;
  }
  return text.slice(from, to);
}

function characterAt(text: string, offset: number): string {
  return splitsPair(text, offset + 1) ? text.slice(offset, offset + 2) : text.charAt(offset);
}

function characterBefore(text: string, offset: number): string {
  return splitsPair(text, offset - 1) ? text.slice(offset - 2, offset) : text.charAt(offset - 1);
}

export interface Occurrences {
  count: number;
  /** The offsets of the first ten. */
  offsets: number[];
}

const KEPT_OFFSETS = 10;

/**
 * The engine's own search takes quadratic time on patterns like `baaa…`. So it only leaps to the next
 * place where a short head of the pattern is, and the rest is compared by Knuth, Morris and Pratt.
 */
const HEAD_LENGTH = 64;

export function findOccurrences(text: string, pattern: string): Occurrences {
  const found: Occurrences = { count: 0, offsets: [] };
  if (pattern === '' || pattern.length > text.length) return found;

  const head = pattern.slice(0, HEAD_LENGTH);
  let borders: Int32Array | undefined;
  let matched = 0;
  let at = 0;
  while (at < text.length) {
    if (matched === 0) {
      const leap = text.indexOf(head, at);
      if (leap === -1) break;
      matched = head.length;
      at = leap + matched;
      borders ??= findBorders(pattern.length, (index) => pattern.charCodeAt(index));
    } else if (text.charCodeAt(at) === pattern.charCodeAt(matched)) {
      matched++;
      at++;
    } else {
      matched = borders![matched - 1]!;
      continue;
    }
    if (matched === pattern.length) {
      found.count++;
      if (found.offsets.length < KEPT_OFFSETS) found.offsets.push(at - matched);
      matched = borders![matched - 1]!;
    }
  }
  return found;
}

/**
 * The indices at which a sequence of symbols starts among `count` others. Its first symbol is judged by
 * `isFirst`; the others, `rest`, by equality with `symbolAt`, which is asked once for each index, in order.
 */
export function findSequences(
  rest: readonly number[],
  count: number,
  symbolAt: (index: number) => number | undefined,
  isFirst: (index: number) => boolean,
): number[] {
  const borders = findBorders(rest.length, (index) => rest[index]!);
  const firsts: number[] = [];
  let matched = 0;
  for (let index = 0; index < count; index++) {
    const symbol = symbolAt(index);
    while (matched > 0 && (matched === rest.length || symbol !== rest[matched])) {
      matched = borders[matched - 1]!;
    }
    if (symbol !== undefined && symbol === rest[matched]) matched++;
    const first = index - rest.length;
    if (matched === rest.length && first >= 0 && isFirst(first)) firsts.push(first);
  }
  return firsts;
}

/** For each prefix of a sequence, the length of its longest proper prefix that is also its suffix. */
function findBorders(length: number, symbolAt: (index: number) => number): Int32Array {
  const borders = new Int32Array(length);
  let border = 0;
  for (let index = 1; index < length; index++) {
    const symbol = symbolAt(index);
    while (border > 0 && symbol !== symbolAt(border)) border = borders[border - 1]!;
    if (symbol === symbolAt(border)) border++;
    borders[index] = border;
  }
  return borders;
}

export function leadingSpace(line: string): string {
  return line.slice(0, contentStart(line, isFoldedSpace));
}
