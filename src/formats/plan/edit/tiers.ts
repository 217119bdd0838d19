import type { FileText } from './file-text.js';
import {
  contentEnd,
  contentStart,
  fold,
  isBlank,
  isSpace,
  lineEnd,
  nextLineStart,
  previousLineStart,
  splitLines,
} from './lines.js';
import { type KnownLine, Vocabulary } from './scan.js';
import { findSequences } from './search.js';

/** The tiers that compare whole lines, tightest first. Each allows what those before it allow. */
const LINE_TIERS = ['line-endings', 'trailing-space', 'indent', 'unicode'] as const;
export type LineTier = (typeof LINE_TIERS)[number];

/** What turns FIND's indent into the file's, the same for every line that is not blank. */
export type IndentShift = { op: 'none' } | { op: 'add' | 'remove'; prefix: string };

/** A FIND as lines: the blank ones at its edges may be missing from the file. */
export interface LinePattern {
  top: string[];
  core: string[];
  bottom: string[];
}

export interface EditPlace {
  /** The matched span in UTF-16 units; `end` is exclusive. */
  start: number;
  end: number;
  /** 1-based lines of the first and the last character of the span. */
  line: number;
  endLine: number;
  /** What REPLACE's indents need, as FIND's did. */
  shift: IndentShift;
  /** Blank lines at FIND's edges that the file lacks and that are no part of the span. */
  dropped: { top: number; bottom: number };
}

export interface WindowSearch {
  tier: LineTier;
  count: number;
  /** The first ten. */
  windows: EditPlace[];
}

const KEPT_WINDOWS = 10;

export function readPattern(find: string): LinePattern {
  const lines = splitLines(find);
  let from = 0;
  while (from < lines.length && isBlank(lines[from]!)) from++;
  let to = lines.length;
  while (to > from && isBlank(lines[to - 1]!)) to--;
  return { top: lines.slice(0, from), core: lines.slice(from, to), bottom: lines.slice(to) };
}

/** The windows of the tightest tier that has any. */
export function searchTiers(file: FileText, pattern: LinePattern): WindowSearch | undefined {
  const { text } = file;
  const lines = findLooseLines(file, pattern.core);
  if (lines.length === 0) return undefined;
  for (const tier of LINE_TIERS) {
    const firsts = findWindows(tier, text, lines, pattern.core);
    if (firsts.length === 0) continue;
    const windows = firsts
      .slice(0, KEPT_WINDOWS)
      .map((first) => describeWindow(tier, text, lines, first, pattern));
    return { tier, count: firsts.length, windows };
  }
  return undefined;
}

/** The lines of every window in which each line has the content of its counterpart, whatever its white space. */
function findLooseLines(file: FileText, core: readonly string[]): KnownLine[] {
  const vocabulary = new Vocabulary(core);
  const known = file.scan(vocabulary);
  const ids = core.map((line) => vocabulary.idOf(line)!);
  const firsts = findSequences(
    ids.slice(1),
    known.length,
    (index) => (continues(known, index) ? known[index]!.id : undefined),
    (index) => known[index]!.id === ids[0],
  );
  let covered = 0;
  return firsts.flatMap((first) => {
    const from = Math.max(first, covered);
    covered = first + core.length;
    return known.slice(from, covered);
  });
}

function continues(lines: readonly KnownLine[], index: number): boolean {
  return lines[index - 1]?.number === lines[index]!.number - 1;
}

interface LineView {
  indent: string;
  /** Empty for a blank line. */
  content: string;
}

/** A line as a tier compares it. Below 'indent' the indent is part of the content. */
function viewLine(tier: LineTier, line: string): LineView {
  if (tier === 'line-endings') return { indent: '', content: line };
  const compared = tier === 'unicode' ? fold(line) : line;
  const end = contentEnd(compared, isSpace);
  if (tier === 'trailing-space') return { indent: '', content: compared.slice(0, end) };
  const start = Math.min(end, contentStart(compared, isSpace));
  return { indent: compared.slice(0, start), content: compared.slice(start, end) };
}

/**
 * The indices in `lines` at which a window begins. A line is compared by its content and by the *step*
 * from the indent above to its own: a uniform shift changes indents, never steps. So equal steps after
 * a first line that is shifted prove that all lines are, and one linear search over steps finds every
 * window, however many overlap.
 */
function findWindows(
  tier: LineTier,
  text: string,
  lines: readonly KnownLine[],
  core: readonly string[],
): number[] {
  const pattern = core.map((line) => viewLine(tier, line));
  const viewAt = (index: number): LineView =>
    viewLine(tier, text.slice(lines[index]!.start, lines[index]!.end));
  const steps = numberSteps(pattern);
  const readStep = createStepReader();
  return findSequences(
    steps.sequence,
    lines.length,
    (index) => steps.ids.get(readStep(viewAt(index), continues(lines, index)) ?? ''),
    (index) => {
      const view = viewAt(index);
      return view.content === pattern[0]!.content && shiftBetween(view, pattern[0]!) !== undefined;
    },
  );
}

function numberSteps(pattern: readonly LineView[]): { ids: Map<string, number>; sequence: number[] } {
  const ids = new Map<string, number>();
  const sequence: number[] = [];
  const readStep = createStepReader();
  pattern.forEach((view, index) => {
    const step = readStep(view, index > 0);
    if (step === undefined) return;
    const id = ids.get(step) ?? ids.size;
    ids.set(step, id);
    sequence.push(id);
  });
  return { ids, sequence };
}

/** Reads lines in order, and gives each its step; none to a line with nothing known above it. */
function createStepReader(): (view: LineView, isNext: boolean) => string | undefined {
  let above: string | undefined;
  return (view, isNext) => {
    const from = isNext ? above : undefined;
    const isBlankLine = view.content === '';
    above = isBlankLine ? from : view.indent;
    if (from === undefined) return undefined;
    return isBlankLine ? '\n\n' : `${indentStep(from, view.indent)}\n${view.content}`;
  };
}

/** What is taken from the end of one indent, and put there instead, to get the other. */
function indentStep(from: string, to: string): string {
  let common = 0;
  while (common < from.length && from[common] === to[common]) common++;
  return `${from.slice(common)}\n${to.slice(common)}`;
}

function shiftBetween(file: LineView, find: LineView): IndentShift | undefined {
  if (file.indent === find.indent) return { op: 'none' };
  if (file.indent.endsWith(find.indent)) {
    return { op: 'add', prefix: file.indent.slice(0, file.indent.length - find.indent.length) };
  }
  if (find.indent.endsWith(file.indent)) {
    return { op: 'remove', prefix: find.indent.slice(0, find.indent.length - file.indent.length) };
  }
  return undefined;
}

function describeWindow(
  tier: LineTier,
  text: string,
  lines: readonly KnownLine[],
  index: number,
  pattern: LinePattern,
): EditPlace {
  const first = lines[index]!;
  const last = lines[index + pattern.core.length - 1]!;
  const above = keepEdge(tier, text, first.start, [...pattern.top].reverse(), previousLineStart);
  const below = keepEdge(tier, text, last.start, pattern.bottom, nextLineStart);
  return {
    start: above.start,
    end: lineEnd(text, below.start),
    line: first.number - above.kept,
    endLine: last.number + below.kept,
    shift: readShift(tier, text.slice(first.start, first.end), pattern.core[0]!),
    dropped: { top: pattern.top.length - above.kept, bottom: pattern.bottom.length - below.kept },
  };
}

/** Walks away from a window over the blank lines that FIND has there and the file has too. */
function keepEdge(
  tier: LineTier,
  text: string,
  from: number,
  blanks: readonly string[],
  neighbour: (text: string, start: number) => number | undefined,
): { start: number; kept: number } {
  let start = from;
  let kept = 0;
  for (const blank of blanks) {
    const next = neighbour(text, start);
    if (next === undefined || !isSameLine(tier, text.slice(next, lineEnd(text, next)), blank)) break;
    start = next;
    kept++;
  }
  return { start, kept };
}

function isSameLine(tier: LineTier, line: string, other: string): boolean {
  return viewLine(tier, line).content === viewLine(tier, other).content;
}

/** The shift in the characters that the file or FIND really has, where the tier folds them. */
function readShift(tier: LineTier, fileLine: string, findLine: string): IndentShift {
  const shift = shiftBetween(viewLine(tier, fileLine), viewLine(tier, findLine)) ?? { op: 'none' };
  if (shift.op === 'none') return shift;
  const source = shift.op === 'add' ? fileLine : findLine;
  return { op: shift.op, prefix: source.slice(0, shift.prefix.length) };
}
