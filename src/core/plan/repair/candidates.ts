import { type FenceMark, firstInk, isBlank, type Lines, lineText, readFence } from '../../markdown/lines.js';
import { slotOf } from '../actions.js';
import {
  nextInk,
  readActionHeading,
  readEditLabel,
  readSectionName,
  readStrictAction,
  type SectionName,
} from '../grammar.js';
import type { ActionType } from '../types.js';
import { COST } from './cost.js';
import { closesInner, step } from './fence-count.js';
import type { BlockReading, PartReading, PartScan, PartSurroundings } from './part-scan.js';

/**
 * A line that looks like the beginning of a part of a plan: a section, an action, a FIND or REPLACE
 * label. Whether it *is* one depends on the fences around it; that is what repair decides.
 */
export interface PartCandidate {
  line: number;
  part: PlanPart;
  /** The line of the last EDIT before a label; the landmark's own line otherwise. */
  owner: number;
}

export type PlanPart =
  | { kind: 'section'; name: SectionName }
  | { kind: 'action'; type: ActionType }
  | { kind: 'label'; side: 'FIND' | 'REPLACE' };

const HASH = 35;

export interface Survey {
  landmarks: PartCandidate[];
  /** Every line that could be a fence. */
  marks: FenceMark[];
  /** Every other line that ends in one. */
  glued: { line: number }[];
  /** For each line, the last one before it that is neither blank nor a thematic break; -1 if none. */
  lastInkBefore: Int32Array;
  /** For each line, the last one before it that is not blank. */
  lastLineBefore: Int32Array;
}

/** What there is from line `from` on. */
export function surveyLines(lines: Lines, from: number): Survey {
  const landmarks: PartCandidate[] = [];
  const marks: FenceMark[] = [];
  const glued: { line: number }[] = [];
  const lastInkBefore = new Int32Array(lines.count + 1).fill(-1);
  const lastLineBefore = new Int32Array(lines.count + 1).fill(-1);
  let edit: number | undefined;
  for (let line = from; line < lines.count; line++) {
    lastInkBefore[line + 1] = hasInk(lines, line) ? line : lastInkBefore[line]!;
    lastLineBefore[line + 1] = isBlank(lines, line) ? lastLineBefore[line]! : line;
    const mark = readFence(lines, line);
    if (mark) {
      marks.push(mark);
      continue;
    }
    if (lines.text.endsWith('```', lines.ends[line])) glued.push({ line });
    const part = readPart(lines, line);
    if (!part) continue;
    if (part.kind === 'action' && slotOf(part.type) === 'pairs') edit = line;
    if (part.kind !== 'label') landmarks.push({ line, part, owner: line });
    else if (edit !== undefined) landmarks.push({ line, part, owner: edit });
  }
  return { landmarks, marks, glued, lastInkBefore, lastLineBefore };
}

const RULE_CHARACTERS = '-*_ \t';

/** Neither blank nor a thematic break; the border of a table has wider gaps than one. */
function hasInk(lines: Lines, line: number): boolean {
  const end = lines.ends[line]!;
  const start = firstInk(lines, line);
  let at = start;
  while (at < end && RULE_CHARACTERS.includes(lines.text[at]!)) at++;
  return at < end || /[-*_][ \t]{2,}[-*_]/.test(lines.text.slice(start, end));
}

function readPart(lines: Lines, line: number): PlanPart | undefined {
  const ink = firstInk(lines, line);
  if (ink - lines.starts[line]! > 3) return undefined;
  return readHeadingPart(lines, line, ink) ?? readLabelPart(lines, line, ink);
}

function readHeadingPart(lines: Lines, line: number, ink: number): PlanPart | undefined {
  let stop = ink;
  while (lines.text.charCodeAt(stop) === HASH) stop++;
  const level = stop - ink;
  if (level === 0 || level > 6) return undefined;
  const heading = lines.text.slice(stop, lines.ends[line]).trim();
  const section = level === 2 ? readSectionName(heading) : undefined;
  if (section) return { kind: 'section', name: section };
  // At another level it begins no action, but the block before it has ended all the same.
  const action = level === 3 ? readActionHeading(lines, line, heading) : readStrictAction(heading);
  return action && { kind: 'action', type: action.type };
}

function readLabelPart(lines: Lines, line: number, ink: number): PlanPart | undefined {
  if (lines.ends[line]! - ink > 40) return undefined;
  const label = readEditLabel(lineText(lines, line));
  const next = label && nextInk(lines, line);
  return label && next !== undefined && readFence(lines, next)
    ? { kind: 'label', side: label.side }
    : undefined;
}

/** The first of some marks, in order, that stands at `line` or below it. */
export function firstAt(marks: readonly { line: number }[], line: number): number {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (marks[middle]!.line < line) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Any number of blocks, read as CommonMark does: the queries of a RESEARCH, the Markdown of a message. */
export class FencesScan implements PartScan {
  private count = 0;
  private open: FenceMark | undefined;
  private readonly glued: BlockReading[] = [];
  private rivals = false;
  private quotes = 0;

  constructor(
    private readonly required: boolean,
    private readonly around: PartSurroundings,
  ) {}

  add(mark: FenceMark): void {
    const { open } = this;
    if (open && closesInner(mark, open)) {
      this.open = undefined;
    } else if (!open || this.closeGlued(open, mark.line)) {
      this.open = mark;
      this.count++;
    } else if (mark.char === open.char && mark.length >= open.length) {
      this.rivals = true;
    }
  }

  quote(_line: number, cost: number): boolean {
    if (!this.open) return false;
    this.quotes = Math.max(this.quotes, cost);
    return true;
  }

  get quoteCost(): number {
    return this.quotes;
  }

  get inFence(): boolean {
    return this.open !== undefined;
  }

  settled(): boolean {
    if (this.open || this.glued.length > 0 || (this.required && this.count === 0)) return false;
    return !(this.rivals && this.quotes > 0);
  }

  readings(end: number): PartReading[] {
    const { open, glued, required } = this;
    const cost = this.quoteCost + glued.length * COST.GLUED_CLOSER;
    const common = { holdsFences: this.count > 0 && !required };
    if (!open) return [{ ...common, cost, blocks: glued }];
    const from = open.line + 1;
    const to = Math.max(from, this.around.lastInkBefore(end) + 1);
    const isStray = open.info === '' && to === from && this.count > (required ? 1 : 0);
    if (isStray) return [{ ...common, cost: cost + COST.STRAY_FENCE, blocks: glued, stray: open }];
    const block = { opener: open, closer: null, from };
    if (this.isGluedTo(open, to)) {
      const blocks = [...glued, { ...block, to, ends: 'glued' as const }];
      return [{ ...common, cost: cost + COST.GLUED_CLOSER, blocks }];
    }
    const missing = required || this.around.isTextEnd(end) ? COST.MISSING_CLOSER : COST.UNBALANCED;
    const last = this.around.isTextEnd(end)
      ? { ...block, to: end, ends: 'cut-off' as const }
      : { ...block, to };
    return [{ ...common, cost: cost + missing, blocks: [...glued, last] }];
  }

  /** A query whose closing fence stands at the end of its last line. */
  private closeGlued(open: FenceMark, line: number): boolean {
    const to = this.around.lastInkBefore(line) + 1;
    if (!this.isGluedTo(open, to)) return false;
    this.glued.push({ opener: open, closer: null, from: open.line + 1, to, ends: 'glued' });
    return true;
  }

  private isGluedTo(open: FenceMark, to: number): boolean {
    return this.required && to > open.line + 1 && this.around.isGlued(to - 1, open);
  }
}

/** A part without blocks: any fence in it is left over. */
export class BareScan implements PartScan {
  readonly quoteCost = 0;
  private count = 0;
  private open: FenceMark | undefined;

  constructor(private readonly around: PartSurroundings) {}

  add(mark: FenceMark): void {
    this.count++;
    this.open = step(this.open, mark);
  }

  quote(): boolean {
    return false;
  }

  get inFence(): boolean {
    return this.open !== undefined;
  }

  settled(): boolean {
    return this.count === 0;
  }

  readings(end: number): PartReading[] {
    const { open } = this;
    const isStray = open?.info === '' && this.around.lastInkBefore(end) === open.line;
    if (isStray) {
      const left = this.count > 1 ? COST.LEFT_BLOCK : 0;
      return [{ cost: COST.STRAY_FENCE + left, blocks: [], stray: open }];
    }
    const left = this.count > 0 ? COST.LEFT_BLOCK : 0;
    return [{ cost: left + (open ? COST.UNBALANCED : 0), blocks: [] }];
  }
}
