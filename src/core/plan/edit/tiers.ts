import { shiftBetween } from './file-form.js';
import {
  contentEndOf,
  contentStart,
  findSequences,
  fold,
  isBlankText,
  isSpace,
  lineEnd,
  looseContent,
  nextLineStart,
  previousLineStart,
  splitTextLines,
} from './lines.js';
import { BLANK_LINE, type KnownLine, scanLines, Vocabulary } from './scan.js';

/** The tiers that compare whole lines, tightest first. Each allows what those before it allow. */
const ALIGNED_TIERS = ['line-endings', 'trailing-space', 'indent', 'unicode', 'leading-space'] as const;
export type LineTier = (typeof ALIGNED_TIERS)[number] | 'blank-lines';

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
  /** Blank lines at FIND's edges that the file lacks and that are not part of the span. */
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
  const lines = splitTextLines(find);
  let from = 0;
  while (from < lines.length && isBlankText(lines[from]!)) from++;
  let to = lines.length;
  while (to > from && isBlankText(lines[to - 1]!)) to--;
  return { top: lines.slice(0, from), core: lines.slice(from, to), bottom: lines.slice(to) };
}

/** The first and the last line of a place that a tier finds. */
type Window = readonly [KnownLine, KnownLine];

/** The windows of the tightest tier that has any. */
export function searchTiers(text: string, pattern: LinePattern): WindowSearch | undefined {
  const { core } = pattern;
  const vocabulary = new Vocabulary(core);
  const known = scanLines(text, vocabulary);
  const ids = core.map((line) => vocabulary.idOf(line)!);
  const lines = findLooseLines(known, ids);
  for (const tier of lines.length > 0 ? ALIGNED_TIERS : []) {
    const firsts = findWindows(tier, text, lines, core);
    if (firsts.length === 0) continue;
    const windows = firsts.map((first): Window => [lines[first]!, lines[first + core.length - 1]!]);
    return describeWindows(tier, text, windows, pattern);
  }
  const spaced = findSpacedWindows(known, ids);
  return spaced.length === 0 ? undefined : describeWindows('blank-lines', text, spaced, pattern);
}

function describeWindows(
  tier: LineTier,
  text: string,
  windows: readonly Window[],
  pattern: LinePattern,
): WindowSearch {
  const places = windows.slice(0, KEPT_WINDOWS).map((window) => describeWindow(tier, text, window, pattern));
  return { tier, count: windows.length, windows: places };
}

/** The lines of every window in which each line has the content of its counterpart, whatever its white space. */
function findLooseLines(known: readonly KnownLine[], ids: readonly number[]): KnownLine[] {
  let covered = 0;
  return findIds(known, ids, (index) => continues(known, index)).flatMap((first) => {
    const from = Math.max(first, covered);
    covered = first + ids.length;
    return known.slice(from, covered);
  });
}

/** The windows with the same lines, apart from blank ones. */
function findSpacedWindows(known: readonly KnownLine[], ids: readonly number[]): Window[] {
  // Blank lines are listed only after other known lines, so a line after a blank one also continues those.
  const places = [...known.keys()].filter((index) => known[index]!.id !== BLANK_LINE);
  const inked = places.map((index) => known[index]!);
  const wanted = ids.filter((id) => id !== BLANK_LINE);
  const firsts = findIds(inked, wanted, (index) => continues(known, places[index]!));
  return firsts.map((first) => [inked[first]!, inked[first + wanted.length - 1]!]);
}

function findIds(
  lines: readonly KnownLine[],
  ids: readonly number[],
  isNext: (index: number) => boolean,
): number[] {
  return findSequences(
    ids.slice(1),
    lines.length,
    (index) => (isNext(index) ? lines[index]!.id : undefined),
    (index) => lines[index]!.id === ids[0],
  );
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
  if (tier === 'leading-space' || tier === 'blank-lines') return { indent: '', content: looseContent(line) };
  const compared = tier === 'unicode' ? fold(line) : line;
  const end = contentEndOf(compared, isSpace);
  if (tier === 'trailing-space') return { indent: '', content: compared.slice(0, end) };
  const start = Math.min(end, contentStart(compared, isSpace));
  return { indent: compared.slice(0, start), content: compared.slice(start, end) };
}

/**
 * The indices in `lines` at which a window starts. A line is compared by its content and by the *step*
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
      return (
        view.content === pattern[0]!.content && shiftBetween(view.indent, pattern[0]!.indent) !== undefined
      );
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

/** Reads lines in order and returns the step of each; undefined for a line with nothing known above it. */
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

/** The change at the end of one indent that makes it the other. */
function indentStep(from: string, to: string): string {
  let common = 0;
  while (common < from.length && from[common] === to[common]) common++;
  return `${from.slice(common)}\n${to.slice(common)}`;
}

function describeWindow(
  tier: LineTier,
  text: string,
  [first, last]: Window,
  pattern: LinePattern,
): EditPlace {
  const above = keepEdge(tier, text, first.start, [...pattern.top].reverse(), previousLineStart);
  const below = keepEdge(tier, text, last.start, pattern.bottom, nextLineStart);
  return {
    start: above.start,
    end: lineEnd(text, below.start),
    line: first.number - above.kept,
    endLine: last.number + below.kept,
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
