import { closes, type FenceMark, type Lines } from '../markdown/index.js';
import { CodeSpans } from './code-spans.js';
import type { IssueLog } from './issue-codes.js';
import { type Mark, scanMarks } from './marks.js';
import { scanTags, type Tag } from './tags.js';

/** What of a plan is its own structure, and what is only shown in it. */
export interface Surface {
  /** The tags that are neither in fences nor in comments nor in code spans. */
  tags: Tag[];
  /** Fences and comments, from offset to offset, in order. */
  covers: Cover[];
}

export interface Cover {
  from: number;
  to: number;
}

/** How far, in marks and tags, fences that turn out to be none may be looked for in all. Real plans use some dozens. */
const PATIENCE = 100_000;
const IMPATIENT_REACH = 50;

const HOLDS_CODE = new Set(['objective', 'execution_context', 'context']);

/** Reads fences, comments and tags in the order in which they stand: what begins first decides. */
export function readSurface(lines: Lines, from: number, log: IssueLog): Surface {
  return new SurfaceReader(lines, from, log).read();
}

class SurfaceReader {
  private readonly all: Tag[];
  private readonly marks: Mark[];
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
    private readonly log: IssueLog,
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
    const closer = opens ? this.findCloser(index) : undefined;
    if (closer !== undefined && !this.isBroken(index, closer, tag)) {
      const { to } = this.marks[closer]!;
      this.covers.push({ from: at, to });
      return to;
    }
    if (!opens) return end;
    this.log.add(
      'fence-unclosed',
      mark.line,
      'This code fence is not closed where it belongs; it is read as plain text.',
      `Close it with ${mark.char.repeat(Math.min(mark.length, 20))} on a line of its own.`,
    );
    return end;
  }

  private findCloser(index: number): number | undefined {
    const { mark } = this.marks[index]!;
    const reach =
      this.patience > 0 ? this.marks.length : Math.min(this.marks.length, index + IMPATIENT_REACH);
    for (let i = index + 1; i < reach; i++) {
      const other = this.marks[i]!;
      if (other.closes && closes(other.mark, mark, mark.indent)) return i;
    }
    this.patience -= reach - index;
    return undefined;
  }

  /**
   * Whether a fence seems closed only because its own closing line is missing and a later block lends it one. Then
   * the end of its task lies inside it, and the task or section that the closing line stands in has fences
   * that pair up without this one.
   */
  private isBroken(index: number, closer: number, firstTag: number): boolean {
    if (this.patience <= 0 || !(this.inTask || this.section)) return false;
    const to = this.marks[closer]!.at;
    let crossed = -1;
    let open = 0;
    let i = firstTag;
    let lastTask = -1;
    for (; i < this.all.length && this.all[i]!.at < to; i++) {
      const tag = this.all[i]!;
      if (!tag.leads) continue;
      if (tag.name === 'task' || tag.name === 'tasks') lastTask = i;
      if (crossed !== -1) continue;
      if (!this.inTask) {
        if (tag.close && tag.name === this.section) crossed = i;
      } else if (tag.name === 'task') {
        if (!tag.close) open++;
        else if (open > 0) open--;
        else crossed = i;
      }
    }
    if (crossed === -1 || lastTask < (this.inTask ? crossed : crossed + 1)) return false;
    const inside = i - firstTag + closer - index;
    for (; i < this.all.length; i++, this.patience--) {
      const { leads, close, name } = this.all[i]!;
      if (leads && close && name === 'task') break;
    }
    const segmentEnd = this.all[i]?.at ?? Number.POSITIVE_INFINITY;
    const isBroken = this.pairsUp(index + 1, this.all[lastTask]!.at, segmentEnd);
    if (isBroken) this.patience -= inside;
    return isBroken;
  }

  /** Whether the marks between two offsets open and close blocks, none of which holds another's opening line. */
  private pairsUp(index: number, from: number, to: number): boolean {
    let opener: FenceMark | undefined;
    for (let i = index; i < this.marks.length && this.marks[i]!.at < to; i++) {
      const { at, mark, opens, closes: mayClose } = this.marks[i]!;
      if (at < from) continue;
      this.patience--;
      if (!opener) opener = opens ? mark : undefined;
      else if (mayClose && closes(mark, opener, opener.indent)) opener = undefined;
      else if (mark.char === opener.char && mark.length >= opener.length) return false;
    }
    return opener === undefined;
  }

  private readComment(at: number, firstTag: number): number {
    if (this.spans.holdOffset(at)) return at + 4;
    if (this.commentEnd < at + 2) {
      const end = this.lines.text.indexOf('-->', at + 2);
      this.commentEnd = end === -1 ? Number.POSITIVE_INFINITY : end;
    }
    if (this.commentEnd === Number.POSITIVE_INFINITY || this.leavesTask(firstTag, this.commentEnd)) {
      this.log.add(
        'comment-unclosed',
        this.spans.lineOf(at),
        'This comment does not end inside its task; it is read as plain text.',
        'Close it with "-->".',
      );
      return at + 4;
    }
    this.covers.push({ from: at, to: this.commentEnd + 3 });
    return this.commentEnd + 3;
  }

  private leavesTask(firstTag: number, to: number): boolean {
    if (!this.inTask) return false;
    let open = 0;
    for (let i = firstTag; i < this.all.length && this.all[i]!.at < to; i++) {
      const tag = this.all[i]!;
      if (tag.name !== 'task' || !tag.leads) continue;
      if (!tag.close) open++;
      else if (open-- === 0) return true;
    }
    return false;
  }
}
