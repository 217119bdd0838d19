/** What the edit matcher calls a line, white space, blank, and the same character. */

const BOM = '\ufeff';
const LINE_ENDING = /\r\n|\n/g;

/** Each ASCII character with those that stand in for it. All are one UTF-16 unit, so offsets hold. */
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

/** Where the file's first line begins: a byte order mark is no part of it. */
export function firstLineStart(text: string): number {
  return text.startsWith(BOM) ? BOM.length : 0;
}

/** Where the content of the line that begins at `start` ends: before its line ending. */
export function lineEnd(text: string, start: number): number {
  const newline = text.indexOf('\n', start);
  return newline === -1 ? text.length : endBefore(text, start, newline);
}

/** The same where the newline is known. */
export function endBefore(text: string, start: number, newline: number): number {
  const isCrlf = newline > start && newline < text.length && text.charCodeAt(newline - 1) === 13;
  return isCrlf ? newline - 1 : newline;
}

/** Where the line after the one that begins at `start` begins; undefined at the end of the file. */
export function nextLineStart(text: string, start: number): number | undefined {
  const newline = text.indexOf('\n', start);
  return newline === -1 || newline + 1 === text.length ? undefined : newline + 1;
}

/** Where the line before the one that begins at `start` begins; undefined at the start of the file. */
export function previousLineStart(text: string, start: number): number | undefined {
  return start <= firstLineStart(text) ? undefined : lineStartAt(text, start - 1);
}

/** Where the line that holds `offset` begins; a newline belongs to the line that it ends. */
export function lineStartAt(text: string, offset: number): number {
  const newline = offset === 0 ? -1 : text.lastIndexOf('\n', offset - 1);
  return Math.max(firstLineStart(text), newline + 1);
}

/** Whether only white space, and some of it, is between the line's start and `offset`. */
export function isInIndent(text: string, offset: number): boolean {
  const start = lineStartAt(text, offset);
  return start < offset && isBlankText(text.slice(start, offset));
}

/** The 1-based number of the line that holds `offset`; a newline belongs to the line that it ends. */
export function lineNumberAt(text: string, offset: number): number {
  let number = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) number++;
  return number;
}

/** Whether `offset` lies between the two halves of one character. */
export function splitsPair(text: string, offset: number): boolean {
  return isHigh(text.charCodeAt(offset - 1)) && isLow(text.charCodeAt(offset));
}

const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
