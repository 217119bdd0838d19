import { endBefore, firstLineStart, foldCode, isFoldedSpace, looseContent } from './lines.js';

/** A line of the file whose content is also in one of the patterns. `end` is before its line ending. */
export interface KnownLine {
  /** 1-based. */
  number: number;
  start: number;
  end: number;
  /** Which content it has, by `Vocabulary`; `BLANK` for a blank line. */
  id: number;
}

export const BLANK_LINE = -1;

/** The loose contents of the patterns' lines, numbered. */
export class Vocabulary {
  readonly contents: string[] = [];
  private readonly ids = new Map<string, number>();
  /** Most lines are turned away by their length, or else by a few of their characters. */
  private readonly lengths = new Uint8Array(LENGTH_MASK + 1);
  private readonly shapes: Array<number[] | undefined> = Array(SHAPES).fill(undefined);

  constructor(lines: Iterable<string>) {
    for (const line of lines) this.add(looseContent(line));
  }

  private add(content: string): void {
    if (content === '' || this.ids.has(content)) return;
    const id = this.contents.push(content) - 1;
    this.ids.set(content, id);
    this.lengths[content.length & LENGTH_MASK] = 1;
    const shape = shapeOf(content, 0, content.length);
    const ids = this.shapes[shape] ?? [];
    if (ids.length <= FEW) this.shapes[shape] = [...ids, id];
  }

  /** The id of a line's content; undefined if it is in no pattern. */
  idOf(line: string): number | undefined {
    const content = looseContent(line);
    return content === '' ? BLANK_LINE : this.ids.get(content);
  }

  /** The same for the content between two offsets, which is neither blank nor surrounded by white space. */
  idBetween(text: string, start: number, end: number): number | undefined {
    if (this.lengths[(end - start) & LENGTH_MASK] === 0) return undefined;
    const ids = this.shapes[shapeOf(text, start, end)];
    if (ids === undefined) return undefined;
    if (ids.length > FEW) return this.idOf(text.slice(start, end));
    return ids.find((id) => isSameContent(text, start, end, this.contents[id]!));
  }
}

const LENGTH_MASK = 1023;
const SHAPES = 1 << 13;
/** Up to this many contents are compared in place, which saves a copy of the line. */
const FEW = 4;

function shapeOf(text: string, start: number, end: number): number {
  const length = end - start;
  const quarter = length >> 2;
  let shape = length;
  shape = Math.imul(shape, 31) + foldCode(text.charCodeAt(start));
  shape = Math.imul(shape, 31) + foldCode(text.charCodeAt(start + quarter));
  shape = Math.imul(shape, 31) + foldCode(text.charCodeAt(start + (length >> 1)));
  shape = Math.imul(shape, 31) + foldCode(text.charCodeAt(end - 1 - quarter));
  shape = Math.imul(shape, 31) + foldCode(text.charCodeAt(length > 4 ? end - 4 : start));
  shape = Math.imul(shape, 31) + foldCode(text.charCodeAt(end - 1));
  return shape & (SHAPES - 1);
}

/** Lines of one shape often differ in one word or number only: steps over the line get there sooner. */
const STRIDE = 4;

function isSameContent(text: string, start: number, end: number, content: string): boolean {
  if (end - start !== content.length) return false;
  for (let first = 0; first < STRIDE; first++) {
    for (let index = first; index < content.length; index += STRIDE) {
      const code = text.charCodeAt(start + index);
      const wanted = content.charCodeAt(index);
      if (code !== wanted && foldCode(code) !== wanted) return false;
    }
  }
  return true;
}

/**
 * One pass over the file. Blank lines are listed only right after a listed line: a window of lines
 * never starts with one.
 */
export function scanLines(text: string, vocabulary: Vocabulary): KnownLine[] {
  const known: KnownLine[] = [];
  let continues = false;
  const line = new LineCursor(text);
  while (line.next()) {
    const isBlankLine = line.from === line.to;
    if (isBlankLine && !continues) continue;
    const id = isBlankLine ? BLANK_LINE : vocabulary.idBetween(text, line.from, line.to);
    continues = id !== undefined;
    if (id === undefined) continue;
    known.push({
      number: line.number,
      start: line.start,
      end: endBefore(text, line.start, line.newline),
      id,
    });
  }
  return known;
}

/** Walks over the lines of a file without making a copy of any. */
export class LineCursor {
  /** 1-based. */
  number = 0;
  start = 0;
  /** The line's newline, or the end of the text. */
  newline: number;
  /** Where the line's content starts and ends, white space left out. */
  from = 0;
  to = 0;

  constructor(private readonly text: string) {
    this.newline = firstLineStart(text) - 1;
  }

  next(): boolean {
    const { text } = this;
    const start = this.newline + 1;
    if (start >= text.length) return false;
    const found = text.indexOf('\n', start);
    const newline = found === -1 ? text.length : found;
    let from = start;
    while (from < newline && isFoldedSpace(text.charCodeAt(from))) from++;
    let to = newline;
    while (to > from && isFoldedSpace(text.charCodeAt(to - 1))) to--;
    this.number++;
    this.start = start;
    this.newline = newline;
    this.from = from;
    this.to = to;
    return true;
  }
}

/**
 * The longest lines of each pattern, and where the file has them. They are searched first: short lines are everywhere
 * and identify nothing.
 */
export interface Anchors {
  /** The file's lines with the content of an anchor. */
  lines: readonly KnownLine[];
  /** The id that such a line has; undefined for any other line. */
  idOf: (line: string) => number | undefined;
  /** Whether every anchor among these lines of a pattern is somewhere in the file. */
  areAllSeen: (core: readonly string[]) => boolean;
}

const PER_PATTERN = 4;

export function findAnchors(text: string, patterns: ReadonlyArray<readonly string[]>): Anchors {
  const vocabulary = new Vocabulary(patterns.flatMap(pickLongest));
  const lines = scanLines(text, vocabulary).filter(({ id }) => id !== BLANK_LINE);
  const seen = new Set(lines.map(({ id }) => id));
  const idOf = (line: string): number | undefined => vocabulary.idOf(line);
  const isSeen = (id: number | undefined): boolean => id === undefined || id === BLANK_LINE || seen.has(id);
  return { lines, idOf, areAllSeen: (core) => core.every((line) => isSeen(idOf(line))) };
}

function pickLongest(core: readonly string[]): string[] {
  return [...new Set(core.map(looseContent))]
    .sort((one, other) => other.length - one.length)
    .slice(0, PER_PATTERN);
}
