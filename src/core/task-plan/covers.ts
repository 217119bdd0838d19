import {
  closes,
  type FenceMark,
  findCodeSpans,
  firstInk,
  type Lines,
  readFence,
  skipBlanks,
  splitLines,
  type TextRange,
} from '../markdown/lines.js';
import { isDigit, type PartlyCovered } from './tags.js';
import type { TaskPlanIssueLog } from './types.js';

/** A text, and its parts that are only shown: fences, comments and code spans. */
export class CoveredText implements PartlyCovered {
  private nextCover = 0;
  private nextTick = -1;
  private ticksFrom = Number.POSITIVE_INFINITY;
  private line: TextRange = { from: 0, to: -1 };
  /** Those of the line, from its start. */
  private spans: readonly TextRange[] | undefined;
  private nextSpan = 0;

  constructor(
    readonly text: string,
    /** Fences and comments, in order. */
    readonly covers: readonly TextRange[],
  ) {}

  endOfCover(at: number): number | undefined {
    this.nextCover = firstEndingAfter(this.covers, at, this.nextCover);
    const cover = this.covers[this.nextCover];
    return cover && cover.from <= at ? cover.to : undefined;
  }

  isInCode(at: number): boolean {
    const { text } = this;
    if (at < this.line.from || at > this.line.to) {
      const end = text.indexOf('\n', at);
      this.line = { from: text.lastIndexOf('\n', at - 1) + 1, to: end === -1 ? text.length : end };
      this.spans = undefined;
    }
    const { from, to } = this.line;
    if (from < this.ticksFrom || (this.nextTick !== -1 && this.nextTick < from)) {
      this.ticksFrom = from;
      this.nextTick = text.indexOf('`', from);
    }
    if (this.nextTick === -1 || this.nextTick > at) return false;
    if (!this.spans) {
      this.spans = findCodeSpans(text.slice(from, to));
      this.nextSpan = 0;
    }
    this.nextSpan = firstEndingAfter(this.spans, at - from, this.nextSpan);
    return (this.spans[this.nextSpan]?.from ?? Number.POSITIVE_INFINITY) <= at - from;
  }
}

/** The first of the ranges, in order, that ends after `at`. Fast where it is asked for ascending offsets. */
function firstEndingAfter(ranges: readonly TextRange[], at: number, guess: number): number {
  let next = guess > 0 && ranges[guess - 1]!.to > at ? 0 : guess;
  while (next < ranges.length && ranges[next]!.to <= at) next++;
  return next;
}

/** How far, in marks and tags, fences that turn out to be none may be looked for in all. Real plans use some dozens. */
const PATIENCE = 100_000;
const IMPATIENT_REACH = 50;

/** Reads fences and comments from an offset on: what starts first decides. */
export function readCovers(text: string, from: number, log: TaskPlanIssueLog): TextRange[] {
  const hasFences = text.includes('```', from) || text.includes('~~~', from);
  return hasFences || text.includes('<!--', from) ? new CoverReader(text, from, log).read() : [];
}

/** A tag, at the start of its line, of an element that a fence may not leave. */
interface Border {
  name: string;
  isClosing: boolean;
  at: number;
}

const BORDER = /^[ \t]*<(\/?)(task|objective|execution_context|context)(?=[\s/>])/gim;

class CoverReader {
  private readonly lines: Lines;
  private readonly borders: readonly Border[];
  private readonly marks: readonly TaskMark[];
  private readonly uncovered: CoveredText;
  private readonly covers: TextRange[] = [];
  private patience = PATIENCE;
  private commentEnd = -1;
  /** The element that is open now. */
  private element = '';

  constructor(
    private readonly text: string,
    private readonly from: number,
    private readonly log: TaskPlanIssueLog,
  ) {
    this.lines = splitLines(text);
    this.marks = scanMarks(this.lines, from);
    this.uncovered = new CoveredText(text, []);
    this.borders = [...text.slice(from).matchAll(BORDER)].map(({ index, 0: whole, 1: slash, 2: name }) => ({
      name: name!.toLowerCase(),
      isClosing: slash !== '',
      at: from + index + whole.lastIndexOf('<'),
    }));
  }

  read(): TextRange[] {
    let border = 0;
    let mark = 0;
    let comment = this.text.indexOf('<!--', this.from);
    for (let at = this.from; ; ) {
      while (border < this.borders.length && this.borders[border]!.at < at) border++;
      while (mark < this.marks.length && this.marks[mark]!.at < at) mark++;
      if (comment !== -1 && comment < at) comment = this.text.indexOf('<!--', at);
      const borderAt = this.borders[border]?.at ?? Number.POSITIVE_INFINITY;
      const markAt = this.marks[mark]?.at ?? Number.POSITIVE_INFINITY;
      const commentAt = comment === -1 ? Number.POSITIVE_INFINITY : comment;
      const next = Math.min(borderAt, markAt, commentAt);
      if (next === Number.POSITIVE_INFINITY) return this.covers;
      if (next === markAt) at = this.readFence(mark, border);
      else if (next === commentAt) at = this.readComment(comment, border);
      else at = this.cross(this.borders[border]!);
    }
  }

  private cross({ name, isClosing, at }: Border): number {
    if (!isClosing) this.element = name;
    else if (this.element === name) this.element = '';
    return at + 1;
  }

  private readFence(index: number, border: number): number {
    const { at, mark, opens, to: end } = this.marks[index]!;
    if (!opens) return end;
    const closer = this.findCloser(index);
    if (closer !== undefined && !this.isLent(index, closer, border)) {
      const { to } = this.marks[closer]!;
      this.covers.push({ from: at, to });
      return to;
    }
    this.log.add(
      'fence-unclosed',
      at,
      'This code fence is not closed inside its element; it is read as plain text.',
      `Close it with ${mark.char.repeat(Math.min(mark.length, 20))} on a line of its own.`,
    );
    return end;
  }

  private findCloser(index: number): number | undefined {
    const { mark } = this.marks[index]!;
    const reach = this.patience > 0 ? this.marks.length : index + IMPATIENT_REACH;
    for (let i = index + 1; i < Math.min(this.marks.length, reach); i++) {
      this.patience--;
      const other = this.marks[i]!;
      if (other.closes && closes(other.mark, mark, mark.indent)) return i;
    }
    return undefined;
  }

  private readComment(at: number, border: number): number {
    if (this.uncovered.isInCode(at)) return at + 4;
    if (this.commentEnd < at + 2) {
      const end = this.text.indexOf('-->', at + 2);
      this.commentEnd = end === -1 ? Number.POSITIVE_INFINITY : end;
    }
    if (this.commentEnd === Number.POSITIVE_INFINITY || this.elementEnd(border, this.commentEnd)) {
      this.log.add(
        'comment-unclosed',
        at,
        'This comment does not end inside its element; it is read as plain text.',
        'Close it with "-->".',
      );
      return at + 4;
    }
    this.covers.push({ from: at, to: this.commentEnd + 3 });
    return this.commentEnd + 3;
  }

  /**
   * Whether a closing line belongs to a later block, because the fence would go past the end of its element. A fence
   * that only shows such an end names its language, has no other fence after the end, and leaves those after it in pairs.
   */
  private isLent(index: number, closer: number, border: number): boolean {
    const { at: to } = this.marks[closer]!;
    const end = this.elementEnd(border, to);
    if (end === undefined) return false;
    if (this.marks[index]!.mark.info === '' || this.marks[closer - 1]!.at > end.at) return true;
    let next = border;
    const isNext = (other: Border) => other.at > to && other.isClosing && other.name === end.name;
    while (next < this.borders.length && !isNext(this.borders[next]!) && this.patience-- > 0) next++;
    return !this.pairsUp(closer + 1, this.borders[next]?.at ?? Number.POSITIVE_INFINITY);
  }

  /** Whether the marks up to an offset open and close blocks. */
  private pairsUp(index: number, to: number): boolean {
    let opener: TaskMark | undefined;
    for (let i = index; i < this.marks.length && this.marks[i]!.at < to; i++, this.patience--) {
      const here = this.marks[i]!;
      if (!opener) opener = here.opens ? here : undefined;
      else if (here.closes && closes(here.mark, opener.mark, opener.mark.indent)) opener = undefined;
    }
    return opener === undefined;
  }

  /** Where the element that is open now ends, if that is before `to`. */
  private elementEnd(first: number, to: number): Border | undefined {
    if (this.element === '') return undefined;
    let open = 0;
    const reach = this.patience > 0 ? this.borders.length : first + IMPATIENT_REACH;
    for (let i = first; i < reach && (this.borders[i]?.at ?? to) < to; i++) {
      this.patience--;
      const border = this.borders[i]!;
      if (border.name !== this.element) continue;
      if (!border.isClosing) open++;
      else if (open-- === 0) return border;
    }
    return undefined;
  }
}

/** A fence mark. One after a list marker or a tag only opens a block, one before a closing tag only closes it. */
interface TaskMark {
  at: number;
  /** After the fence, or its line. */
  to: number;
  mark: FenceMark;
  opens: boolean;
  closes: boolean;
}

/** All lines from an offset on that could open or close a fenced block. */
function scanMarks(lines: Lines, from: number): TaskMark[] {
  const { text } = lines;
  const marks: TaskMark[] = [];
  for (let line = 0; line < lines.count; line++) {
    if (lines.starts[line]! < from) continue;
    const ink = firstInk(lines, line);
    const code = text.charCodeAt(ink);
    let mark: TaskMark | undefined;
    if (code === 96 || code === 126) mark = readPlainMark(lines, line, ink);
    else if (code === 60) mark = readMarkAt(lines, line, behindTag(text, ink, lines.ends[line]!));
    else if (code === 45 || code === 42 || code === 43 || isDigit(code))
      mark = readMarkAt(lines, line, itemContent(text, ink, lines.ends[line]!));
    if (mark) marks.push(mark);
  }
  return marks;
}

function readPlainMark(lines: Lines, line: number, at: number): TaskMark | undefined {
  const mark = readFence(lines, line);
  if (!mark) return undefined;
  // No language is called "</action>": this is a closing fence whose element ends on the same line.
  if (mark.info.startsWith('</'))
    return { at, to: at + mark.length, mark: { ...mark, info: '' }, opens: false, closes: true };
  return { at, to: lines.ends[line]!, mark, opens: true, closes: true };
}

/** A fence after something else on its line. */
function readMarkAt(lines: Lines, line: number, at: number | undefined): TaskMark | undefined {
  const code = at === undefined ? 0 : lines.text.charCodeAt(at);
  if (at === undefined || (code !== 96 && code !== 126)) return undefined;
  const to = lines.ends[line]!;
  const mark = readFence(splitLines(lines.text.slice(at, to)), 0);
  const indent = at - lines.starts[line]!;
  return mark && { at, to, mark: { ...mark, line, indent }, opens: true, closes: false };
}

/** `<verify>```bash`: where the fence starts. */
function behindTag(text: string, ink: number, end: number): number | undefined {
  const line = text.slice(ink, end);
  const found = />[ \t]*(?=```|~~~)/.exec(line);
  return found ? ink + found.index + found[0].length : undefined;
}

/** Where the content of a list item starts whose marker is at `ink`; undefined if there is no marker. */
export function itemContent(text: string, ink: number, end: number): number | undefined {
  let at = ink;
  while (at < end && at - ink < 9 && isDigit(text.charCodeAt(at))) at++;
  const marker = text[at];
  if (marker === undefined || at >= end || !(at === ink ? '-*+' : '.)').includes(marker)) return undefined;
  const content = skipBlanks(text, at + 1, end);
  return content === at + 1 ? undefined : content;
}
