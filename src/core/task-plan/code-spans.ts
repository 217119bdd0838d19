import type { Lines } from '../markdown/lines.js';
import type { Tag } from './tags.js';

interface Run {
  at: number;
  length: number;
}

/**
 * Which offsets stand in inline code. Asked for offsets in ascending order, each line is read at most once; a line
 * without a backtick before the offset is not read at all.
 */
export class CodeSpans {
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

  /** A `<task` that leads its line may still stand in a span that began on the line above. */
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
