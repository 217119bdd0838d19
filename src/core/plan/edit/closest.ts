import { cutText, shortenCounted, splitsPair } from '../../text.js';
import {
  contentStart,
  fold,
  isBlankText,
  isFoldedSpace,
  lineEnd,
  looseContent,
  nextLineStart,
} from './lines.js';
import { type ClosestRegion, type EditMiss, SHOWN_LINES } from './miss.js';
import { type Anchors, BLANK_LINE } from './scan.js';
import { findSimilarLine } from './similar.js';

const SHOWN_CHARACTERS = 200;
/** Fewer characters than these in common are a brace or a `return`: no reason to stop looking. */
const ENOUGH_IN_COMMON = 12;

/**
 * The region that has most in common with FIND, or else one with a line much like one of FIND's. `mayCompare`: whether
 * the whole text may be compared line by line, which is slow.
 */
export function findClosest(
  text: string,
  core: readonly string[],
  anchors: Anchors,
  mayCompare: () => boolean,
): Pick<EditMiss, 'closest' | 'unsearched'> {
  const common = findCommonRegion(core, anchors);
  const isEnough = common !== undefined && common.score >= ENOUGH_IN_COMMON;
  const isSearched = !isEnough && mayCompare();
  const similar = isSearched ? findSimilarLine(text, core) : undefined;
  if (similar) return { closest: describeRegion(text, similar.number - similar.index, core) };
  if (common) return { closest: describeRegion(text, alignFirstLine(text, common.line, core), core) };
  return isSearched ? {} : { unsearched: true };
}

/** What is in FIND or in the file very often votes for a few places only, or the votes would be quadratic. */
const PLACES_PER_ANCHOR = 3;
const VOTES_PER_ANCHOR = 10_000;
const MOST_WEIGHT = 80;

/**
 * Each anchor votes for the line where FIND would start: long ones weigh more, and those that the file
 * has often weigh less.
 */
function findCommonRegion(
  core: readonly string[],
  { lines, idOf }: Anchors,
): { line: number; score: number } | undefined {
  const frequency = new Map<number, number>();
  for (const { id } of lines) frequency.set(id, (frequency.get(id) ?? 0) + 1);
  const places = new Map<number, number[]>();
  core.forEach((line, index) => {
    const id = idOf(line) ?? BLANK_LINE;
    if (id === BLANK_LINE || !frequency.has(id)) return;
    const indices = places.get(id) ?? [];
    if (indices.length < PLACES_PER_ANCHOR) places.set(id, [...indices, index]);
  });

  const voted = new Map<number, number>();
  const scores = new Map<number, number>();
  let best: { line: number; score: number } | undefined;
  for (const { id, number } of lines) {
    const votes = voted.get(id) ?? 0;
    if (votes === VOTES_PER_ANCHOR) continue;
    voted.set(id, votes + 1);
    for (const index of places.get(id) ?? []) {
      const weight = Math.min(MOST_WEIGHT, core[index]!.trim().length) / frequency.get(id)!;
      const line = number - index;
      const score = (scores.get(line) ?? 0) + weight;
      scores.set(line, score);
      if (best === undefined || score > best.score) best = { line, score };
    }
  }
  return best;
}

const ALIGN_REACH = 20;

/** Where FIND leaves a line out or puts one in, its first line is still the best one to start at. */
function alignFirstLine(text: string, line: number, core: readonly string[]): number {
  const wanted = looseContent(core[0]!);
  const from = Math.max(1, line - Math.min(ALIGN_REACH, core.length));
  const near = readLines(text, from, line - from + Math.min(ALIGN_REACH, core.length) + 1);
  const places = near.flatMap((other, index) => (looseContent(other) === wanted ? [from + index] : []));
  return places.reduce(
    (nearest, place) => (Math.abs(place - line) < Math.abs(nearest - line) ? place : nearest),
    places[0] ?? line,
  );
}

/** `line` may be before the file, and the end of FIND after it. */
export function describeRegion(text: string, line: number, core: readonly string[]): ClosestRegion {
  const outside = Math.max(0, 1 - line);
  const first = line + outside;
  const lines = readLines(text, first, core.length - outside);
  const before = Array.from({ length: outside }, () => undefined);
  const index = findDifference(core, [...before, ...lines]);
  const actual = index < outside ? undefined : lines[index - outside];
  const last = first + lines.length - 1;
  return {
    line: first,
    endLine: last,
    text: showRegion(lines),
    differsAtLine: Math.min(last, Math.max(first, line + index)),
    ...showDifference(core[index]!, actual),
  };
}

function readLines(text: string, line: number, count: number): string[] {
  const lines: string[] = [];
  let start: number | undefined = startOfLine(text, line);
  while (start !== undefined && lines.length < count) {
    lines.push(text.slice(start, lineEnd(text, start)));
    start = nextLineStart(text, start);
  }
  return lines;
}

function startOfLine(text: string, line: number): number {
  let start = 0;
  for (let number = 1; number < line; number++) start = text.indexOf('\n', start) + 1;
  return start === 0 && text.startsWith('\ufeff') ? 1 : start;
}

/** The first line with other content; where all have the same, the first with another indent shift. */
function findDifference(core: readonly string[], lines: ReadonlyArray<string | undefined>): number {
  const content = core.findIndex((line, index) => {
    const other = lines[index];
    return other === undefined || looseContent(line) !== looseContent(other);
  });
  if (content !== -1) return content;
  const shift = indentDifference(core[0]!, lines[0]!);
  const indent = core.findIndex(
    (line, index) => !isBlankText(line) && indentDifference(line, lines[index]!) !== shift,
  );
  return Math.max(0, indent);
}

function indentDifference(line: string, other: string): string {
  const [ours, theirs] = [readIndent(line), readIndent(other)];
  if (ours.endsWith(theirs)) return `-${ours.slice(0, ours.length - theirs.length)}`;
  if (theirs.endsWith(ours)) return `+${theirs.slice(0, theirs.length - ours.length)}`;
  return `${ours}/${theirs}`;
}

function readIndent(line: string): string {
  return fold(line.slice(0, contentStart(line, isFoldedSpace)));
}

function showRegion(lines: readonly string[]): string {
  const shown = lines.slice(0, SHOWN_LINES).map((line) => shortenCounted(line, SHOWN_CHARACTERS));
  const hidden = lines.length - shown.length;
  if (hidden > 0) shown.push(`… (${hidden} more ${hidden === 1 ? 'line' : 'lines'})`);
  return shown.join('\n');
}

/** Both lines around the column where they part, so that a difference far to the right is seen. */
function showDifference(expected: string, actual: string | undefined): { expected: string; actual: string } {
  let column = 0;
  while (actual && column < expected.length && expected[column] === actual[column]) column++;
  const from = column < SHOWN_CHARACTERS / 2 ? 0 : column - SHOWN_CHARACTERS / 2;
  return {
    expected: showFrom(expected, from),
    actual: actual === undefined ? '(the file has no such line)' : showFrom(actual, from),
  };
}

function showFrom(line: string, from: number): string {
  const start = splitsPair(line, from) ? from - 1 : from;
  const shown = cutText(line.slice(start), SHOWN_CHARACTERS);
  return `${start > 0 ? '…' : ''}${showWhiteSpace(shown)}${start + shown.length < line.length ? '…' : ''}`;
}

const SIGNS: Record<string, string> = { ' ': '·', '\t': '→', '\r': '␍' };

/** Zero-width characters are not white space, but just as invisible. */
function showWhiteSpace(line: string): string {
  return line.replace(
    /[\s\u00ad\u200b-\u200f\u2060]/g,
    (char) => SIGNS[char] ?? `<U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`,
  );
}
