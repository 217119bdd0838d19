import { type Lines, lineText, splitLines } from '../markdown/index.js';
import { findComment } from './inline.js';

/** What covers a line. Before a `Start` something may be put; before the others it would land inside. */
export const COVER = { none: 0, commentStart: 1, comment: 2, fenceStart: 5, fence: 6 } as const;

export const isInside = (cover: number | undefined): boolean =>
  cover === COVER.comment || cover === COVER.fence;
export const isComment = (cover: number | undefined): boolean =>
  cover === COVER.comment || cover === COVER.commentStart;

/** The lines of a text with what hides them from a reader of fields: comments, fences, YAML at the top. */
export class CoveredLines {
  readonly lines: Lines;
  readonly cover: Uint8Array;
  /** Up to this offset, a comment hides everything. */
  private hiddenTo = 0;
  private nextClose: number;

  constructor(private readonly text: string) {
    this.lines = splitLines(text);
    this.cover = new Uint8Array(this.lines.count);
    this.nextClose = text.indexOf('-->');
  }

  isPlain(line: number): boolean {
    return this.cover[line] === COVER.none;
  }

  /** Whether a comment goes on at the line's first character. */
  isHidden(line: number): boolean {
    return this.lines.starts[line]! < this.hiddenTo;
  }

  firstShown(from: number, end: number): number {
    let line = from;
    while (line < end && this.isHidden(line)) line++;
    return line;
  }

  coverFence(from: number, end: number): void {
    for (let line = from; line < end; line++) {
      if (!isInside(this.cover[line])) this.cover[line] = line === from ? COVER.fenceStart : COVER.fence;
    }
  }

  /** A comment that begins its line at offset `ink` hides all up to its end, or to `end`, that of the list item. */
  coverComment(line: number, ink: number, end: number): boolean {
    if (!this.text.startsWith('<!--', ink)) return false;
    const close = this.closeOf(ink);
    if (close === -1) return false;
    this.cover[line] = COVER.commentStart;
    this.hide(line, Math.min(close, this.startOf(end)));
    return true;
  }

  /** A comment inside a paragraph hides the lines that begin in it, if it ends before line `end`. */
  coverInline(line: number, ink: number, end: number): void {
    const lineEnd = this.lines.ends[line]!;
    const source = this.text.slice(ink, lineEnd);
    for (let at = findComment(source); at !== -1; ) {
      const close = this.closeOf(ink + at);
      if (close === -1 || close > this.startOf(end)) return;
      if (close > lineEnd) {
        this.hide(line, close);
        return;
      }
      at = findComment(source, close - ink);
    }
  }

  /** Asked from the top down, so that the text is searched once. */
  private closeOf(at: number): number {
    if (this.nextClose !== -1 && this.nextClose < at + 4) this.nextClose = this.text.indexOf('-->', at + 4);
    return this.nextClose === -1 ? -1 : this.nextClose + 3;
  }

  private hide(line: number, to: number): void {
    this.hiddenTo = Math.max(this.hiddenTo, to);
    for (let next = line + 1; next < this.lines.count && this.isHidden(next); next++)
      this.cover[next] = COVER.comment;
  }

  private startOf(line: number): number {
    return line < this.lines.count ? this.lines.starts[line]! : this.text.length;
  }
}

/** YAML between `---` lines at the top, which is not ours to read. A rule with Markdown below it is none. */
export function frontmatterEnd(lines: Lines): number {
  const isMark = (line: number) => lineText(lines, line).trimEnd() === '---';
  if (lines.count < 2 || !isMark(0) || lineText(lines, 1).trim() === '') return 0;
  for (let line = 1; line < lines.count; line++) {
    if (lines.text.startsWith('##', lines.starts[line]!)) return 0;
    if (isMark(line)) return line + 1;
  }
  return 0;
}
