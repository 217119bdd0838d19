import { type FenceMark, firstInk, isBlank, type Lines, lineText, readFence } from '../../markdown/lines.js';
import { slotOf } from '../actions.js';
import {
  isLikeAction,
  nextInk,
  readActionHeading,
  readEditLabel,
  readSectionName,
  readStrictAction,
  type SectionName,
} from '../grammar.js';
import { isDiffInfo, isEditFormLine } from '../parse/edit-forms.js';
import type { ActionType } from '../types.js';

/**
 * A line that looks like the beginning of a part of a plan: a section, an action, a FIND or REPLACE
 * label. Whether it *is* one depends on the fences around it; that is what repair decides.
 */
export interface PartCandidate {
  line: number;
  part: PlanPart;
  /** The line of the last EDIT before a label; the candidate's own line otherwise. */
  owner: number;
}

export type PlanPart =
  | { kind: 'section'; name: SectionName }
  /** `isForm`: an EDIT with a diff or the like in one block, instead of labels. */
  | { kind: 'action'; type: ActionType; isForm?: boolean }
  | { kind: 'label'; side: 'FIND' | 'REPLACE' };

const HASH = 35;

export interface LineFacts {
  candidates: PartCandidate[];
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
export function findCandidates(lines: Lines, from: number): LineFacts {
  const candidates: PartCandidate[] = [];
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
    if (part.kind !== 'label') candidates.push({ line, part, owner: line });
    else if (edit !== undefined) candidates.push({ line, part, owner: edit });
  }
  return { candidates, marks, glued, lastInkBefore, lastLineBefore };
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
  // Even where it starts no action, at another level, the block before it has ended.
  const action = readActionHeading(lines, { at: line, level, text: heading }) ?? readStrictAction(heading);
  if (action) return { kind: 'action', type: action.type, isForm: holdsForm(lines, line, action.type) };
  // What an unknown action may have under it is not known: anything, as in a message.
  return level === 3 && isLikeAction(lines, line, heading)
    ? { kind: 'action', type: 'CHAT_WITH_USER' }
    : undefined;
}

/** How far below its heading the block of an EDIT starts at the most, and how far in it shows its form. */
const FORM_WITHIN = 30;

function holdsForm(lines: Lines, heading: number, type: ActionType): boolean {
  if (slotOf(type) !== 'pairs') return false;
  let fence: FenceMark | undefined;
  for (let line = heading + 1; line < Math.min(heading + FORM_WITHIN, lines.count); line++) {
    const text = lineText(lines, line);
    if (fence) {
      if (isEditFormLine(text)) return true;
    } else {
      if (/^#{1,6}\s/.test(text) || readEditLabel(text)) return false;
      fence = readFence(lines, line);
      if (fence && isDiffInfo(fence.info)) return true;
    }
  }
  return false;
}

function readLabelPart(lines: Lines, line: number, ink: number): PlanPart | undefined {
  if (lines.ends[line]! - ink > 40) return undefined;
  const label = readEditLabel(lineText(lines, line));
  const next = label && nextInk(lines, line);
  return label && next !== undefined && readFence(lines, next)
    ? { kind: 'label', side: label.side }
    : undefined;
}

/** The first of some marks, in order, that is at `line` or below it. */
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
