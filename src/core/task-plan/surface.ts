import { closes, type FenceMark, firstInk, type Lines, readFence, splitLines } from '../markdown/lines.js';
import { scanTags, type Tag } from './tags.js';
import { isDigit, skipBlanks } from './text.js';
import type { TaskPlanIssueLog } from './types.js';

/** What of a plan is its own structure, and what is only shown in it. */
export interface Surface {
  /** The tags that are neither in fences nor in comments nor in code spans. */
  tags: Tag[];
  /** Fences and comments, from offset to offset, in order. */
  covers: Cover[];
}

/** A part of the text, from offset to offset. */
export interface Cover {
  from: number;
  to: number;
}

/** How far, in marks and tags, fences that turn out to be none may be looked for in all. Real plans use some dozens. */
const PATIENCE = 100_000;
const IMPATIENT_REACH = 50;

const HOLDS_CODE = new Set(['objective', 'execution_context', 'context']);

/** Reads fences, comments and tags in the order in which they are: what starts first decides. */
export function readSurface(lines: Lines, from: number, log: TaskPlanIssueLog): Surface {
  return new SurfaceReader(lines, from, log).read();
}

class SurfaceReader {
  private readonly all: Tag[];
  private readonly marks: TaskMark[];
  private readonly spans: CodeSpans;
  private readonly visible: Tag[] = [];
  private readonly covers: Cover[] = [];
  private patience = PATIENCE;
  private commentEnd = -1;
  private inTask = false;
  private section = '';

  constructor(
    private readonly lines: Lines,
    private readonly from: number,
    private readonly log: TaskPlanIssueLog,
  ) {
    this.all = scanTags(lines, from);
    this.marks = scanMarks(lines, from);
    this.spans = new CodeSpans(lines);
  }

  read(): Surface {
    const { text } = this.lines;
    let tag = 0;
    let mark = 0;
    let comment = text.indexOf('<!--', this.from);
    for (let at = this.from; ; ) {
      while (tag < this.all.length && this.all[tag]!.at < at) tag++;
      while (mark < this.marks.length && this.marks[mark]!.at < at) mark++;
      if (comment !== -1 && comment < at) comment = text.indexOf('<!--', at);
      const tagAt = this.all[tag]?.at ?? Number.POSITIVE_INFINITY;
      const markAt = this.marks[mark]?.at ?? Number.POSITIVE_INFINITY;
      const commentAt = comment === -1 ? Number.POSITIVE_INFINITY : comment;
      const next = Math.min(tagAt, markAt, commentAt);
      if (next === Number.POSITIVE_INFINITY) break;
      if (next === markAt) at = this.readFence(mark, tag);
      else if (next === commentAt) at = this.readComment(comment, tag);
      else at = this.readTag(this.all[tag]!);
    }
    return { tags: this.visible, covers: this.covers };
  }

  private readTag(tag: Tag): number {
    if (this.spans.hold(tag)) return tag.at + 1;
    this.visible.push(tag);
    if (tag.name === 'task') this.inTask = !tag.close && !tag.selfClosing && tag.end !== -1;
    else if (HOLDS_CODE.has(tag.name)) this.section = tag.close ? '' : tag.name;
    return tag.at + 1;
  }

  private readFence(index: number, tag: number): number {
    const { at, mark, opens, to: end } = this.marks[index]!;
    if (!opens) return end;
    const closer = this.findCloser(index);
    if (closer !== undefined && !this.isLent(index, closer, tag)) {
      const { to } = this.marks[closer]!;
      this.covers.push({ from: at, to });
      return to;
    }
    this.log.add(
      'fence-unclosed',
      mark.line,
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

  private readComment(at: number, firstTag: number): number {
    if (this.spans.holdOffset(at)) return at + 4;
    if (this.commentEnd < at + 2) {
      const end = this.lines.text.indexOf('-->', at + 2);
      this.commentEnd = end === -1 ? Number.POSITIVE_INFINITY : end;
    }
    if (this.commentEnd === Number.POSITIVE_INFINITY || this.elementEnd(firstTag, this.commentEnd)) {
      this.log.add(
        'comment-unclosed',
        this.spans.lineOf(at),
        'This comment does not end inside its element; it is read as plain text.',
        'Close it with "-->".',
      );
      return at + 4;
    }
    this.covers.push({ from: at, to: this.commentEnd + 3 });
    return this.commentEnd + 3;
  }

  /**
   * Whether a closing line belongs to a later block, because the fence would go past the end of its task. A fence that
   * only shows such an end names its language, has no other fence after the end, and leaves those after it in pairs.
   */
  private isLent(index: number, closer: number, firstTag: number): boolean {
    const { at: to } = this.marks[closer]!;
    const end = this.elementEnd(firstTag, to);
    if (end === undefined) return false;
    if (this.marks[index]!.mark.info === '' || this.marks[closer - 1]!.at > end.at) return true;
    let next = firstTag;
    const isNext = (tag: Tag) => tag.at > to && tag.close && tag.leads && tag.name === end.name;
    while (next < this.all.length && !isNext(this.all[next]!) && this.patience-- > 0) next++;
    return !this.pairsUp(closer + 1, this.all[next]?.at ?? Number.POSITIVE_INFINITY);
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

  /** The end of the task, or of the section with code, that is open now, where it comes before `to`. */
  private elementEnd(firstTag: number, to: number): Tag | undefined {
    const name = this.inTask ? 'task' : this.section;
    if (name === '') return undefined;
    let open = 0;
    const reach = this.patience > 0 ? this.all.length : firstTag + IMPATIENT_REACH;
    for (let i = firstTag; i < reach && (this.all[i]?.at ?? to) < to; i++) {
      this.patience--;
      const tag = this.all[i]!;
      if (tag.name !== name || !tag.leads) continue;
      if (!tag.close) open++;
      else if (open-- === 0) return tag;
    }
    return undefined;
  }
}

interface Run {
  at: number;
  length: number;
}

/**
 * Which offsets are in inline code. Asked for offsets in ascending order, each line is read at most once; a line
 * without a backtick before the offset is not read at all.
 */
class CodeSpans {
  private line = 0;
  private nextTick: number;
  private spanLine = -1;
  private spans: number[] = [];
  private span = 0;

  constructor(private readonly lines: Lines) {
    this.nextTick = lines.text.indexOf('`');
  }

  lineOf(at: number): number {
    const { starts, count } = this.lines;
    while (this.line + 1 < count && starts[this.line + 1]! <= at) this.line++;
    return this.line;
  }

  /** A `<task` that leads its line may still be in a span that started on the line above. */
  hold(tag: Tag): boolean {
    if (!tag.leads) return this.holdOffset(tag.at);
    return tag.name === 'task' && !tag.close && this.goesOnFromAbove(tag);
  }

  holdOffset(at: number): boolean {
    const line = this.lineOf(at);
    const start = this.lines.starts[line]!;
    if (this.nextTick !== -1 && this.nextTick < start) this.nextTick = this.lines.text.indexOf('`', start);
    if (this.nextTick === -1 || this.nextTick > at) return false;
    if (this.spanLine !== line) {
      this.spanLine = line;
      this.span = 0;
      this.spans = pairRuns(runsOf(this.lines.text, this.nextTick, this.lines.ends[line]!)).spans;
    }
    while (this.span < this.spans.length && this.spans[this.span + 1]! <= at) this.span += 2;
    return this.span < this.spans.length && this.spans[this.span]! <= at;
  }

  private goesOnFromAbove(tag: Tag): boolean {
    const { text, starts, ends } = this.lines;
    if (tag.line === 0) return false;
    const above = runsOf(text, starts[tag.line - 1]!, ends[tag.line - 1]!);
    if (above.length === 0) return false;
    const { lone } = pairRuns(above);
    const here = pairRuns(runsOf(text, tag.at, ends[tag.line]!)).lone;
    return (lone.has(1) && here.has(1)) || (lone.has(2) && here.has(2));
  }
}

function runsOf(text: string, from: number, to: number): Run[] {
  const runs: Run[] = [];
  for (let at = from; at < to; at++) {
    if (text.charCodeAt(at) !== 96) continue;
    const start = at;
    while (at < to && text.charCodeAt(at) === 96) at++;
    runs.push({ at: start, length: at - start });
  }
  return runs;
}

/** Spans as pairs of offsets; and the lengths of runs that found no partner. */
function pairRuns(runs: readonly Run[]): { spans: number[]; lone: Set<number> } {
  const partner = new Int32Array(runs.length).fill(-1);
  const next = new Map<number, number>();
  for (let i = runs.length - 1; i >= 0; i--) {
    partner[i] = next.get(runs[i]!.length) ?? -1;
    next.set(runs[i]!.length, i);
  }
  const spans: number[] = [];
  const lone = new Set<number>();
  for (let i = 0; i < runs.length; i++) {
    const other = partner[i]!;
    if (other === -1) {
      lone.add(runs[i]!.length);
      continue;
    }
    spans.push(runs[i]!.at, runs[other]!.at + runs[other]!.length);
    i = other;
  }
  return { spans, lone };
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
  if (!text.includes('```', from) && !text.includes('~~~', from)) return marks;
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

/** Where the content of a list item starts whose marker is at `ink`; undefined where there is no marker. */
export function itemContent(text: string, ink: number, end: number): number | undefined {
  let at = ink;
  while (at < end && at - ink < 9 && isDigit(text.charCodeAt(at))) at++;
  const marker = text[at];
  if (marker === undefined || at >= end || !(at === ink ? '-*+' : '.)').includes(marker)) return undefined;
  const content = skipBlanks(text, at + 1, end);
  return content === at + 1 ? undefined : content;
}
