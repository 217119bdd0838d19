import { closes, type FenceMark, type Lines, lineText, readFence } from '../../markdown/lines.js';
import { COST } from './cost.js';
import { type BlockReading, CLOSED, type PartReading, type PartScan } from './part-scan.js';
import type { PartCandidate } from './plan-lines.js';
import {
  continues,
  gluedFence,
  isTextIn,
  openPart,
  type PlanLines,
  partAt,
  quoteCost,
  transitionCost,
} from './plan-lines.js';

/** One way to read the whole text: which candidates are parts of the plan, and where blocks end. */
export interface Reading {
  /** The real candidates, in order. */
  parts: PartCandidate[];
  blocks: BlockReading[];
  /** Fences that neither open nor close anything. */
  strays: FenceMark[];
  /** The line that the plan ends before. */
  end: number;
  /** The closing fence of the wrapper. */
  wrapperCloser: FenceMark | null;
}

export type RepairSearch =
  | { status: 'found'; reading: Reading }
  | { status: 'ambiguous'; readings: [Reading, Reading] }
  | { status: 'tangled' };

/**
 * How much better a reading must be than another, so that nothing is guessed: than one with the same parts;
 * than one with other parts, and again for each of these parts that it takes for content, unless the other
 * reading has more doubts; than one with fewer doubts.
 */
const MARGIN = { sameParts: 2, otherParts: 3, most: 10 } as const;
/** One uneven pair is common in real changes; two of them, or a message with fences, are a reason to doubt. */
const DOUBTFUL = 2;
/** Readings kept for each candidate, and how many of them may have the same parts. */
const KEPT = 8;
const KEPT_ALIKE = 2;
/** Steps after which a text counts as too tangled to tell: some seconds at the most. */
const STEPS = 400_000;
/** How many candidates a part may quote, at the least; more where there are few of them in all. */
const QUOTED_AT_MOST = 30;

export function searchReading(document: PlanLines): RepairSearch {
  const search = new Search(document);
  const [best, ...others] = search.run();
  if (!best || (search.cutShort && best.cost > 0)) return { status: 'tangled' };
  const reading = unfold(best);
  for (const other of others) {
    const rival = unfold(other);
    const quoted = rival.parts.filter((part) => !reading.parts.includes(part)).length;
    if (other.cost - best.cost < marginOver(best, other, quoted))
      return { status: 'ambiguous', readings: [reading, rival] };
  }
  return best.quoteCost > 0 ? compareWithFewerQuotes(document, best) : { status: 'found', reading };
}

/**
 * Compares a reading that quotes with those that quote less of the same. One block that holds all of them always costs
 * less than several that each quote; so quotes count for nothing here.
 */
function compareWithFewerQuotes(document: PlanLines, best: Path): RepairSearch {
  const reading = unfold(best);
  const cost = best.cost - best.quoteCost;
  const search = new Search(document, { parts: new Set(reading.parts), bound: cost + MARGIN.most });
  const others = search.run();
  if (others.length === 0 || search.cutShort) return { status: 'tangled' };
  for (const other of others) {
    if (other.partsKey === best.partsKey) continue;
    const rival = unfold(other);
    const margin = marginOver(best, other, rival.parts.length - reading.parts.length);
    if (other.cost - cost < margin) return { status: 'ambiguous', readings: [reading, rival] };
  }
  return { status: 'found', reading };
}

/** `quoted`: how many candidates are parts in the other reading, and content in the best one. */
function marginOver(best: Path, other: Path, quoted: number): number {
  if (other.partsKey === best.partsKey) return MARGIN.sameParts;
  if (best.doubts - other.doubts >= DOUBTFUL) return MARGIN.most;
  if (other.doubts - best.doubts >= DOUBTFUL) return MARGIN.otherParts;
  return Math.min(MARGIN.most, MARGIN.otherParts * (1 + quoted));
}

/** A way to reach a candidate: every part before it read. */
interface Path {
  cost: number;
  /** How much of the cost is for candidates that are content. */
  quoteCost: number;
  previous: Path | null;
  /** The candidate reached; null at the end of the plan. */
  part: PartCandidate | null;
  reading: PartReading;
  end: number;
  wrapperCloser: FenceMark | null;
  /** Counts pairs of FIND and REPLACE that neither end alike nor leave as many fences open, and the like. */
  doubts: number;
  /** Fingerprints: of everything read so far, and of the candidates alone. */
  key: number;
  partsKey: number;
}

/** The cheapest ways through the candidates, as in a shortest-path search from top to bottom. */
class Search {
  /** Some part could have quoted more than was looked at. */
  cutShort = false;
  private readonly reached: Path[][];
  private readonly firstMarkAfter: Int32Array;
  private readonly chatterCosts: Map<FenceMark, number>;
  private readonly window: number;
  /** No reading that costs as much can be the best, or a rival to it. */
  private readonly bound: number;
  private steps = 0;

  /** `fixed`: candidates that are parts in every reading, where quotes cost nothing; and the bound. */
  constructor(
    private readonly document: PlanLines,
    private readonly fixed?: { parts: ReadonlySet<PartCandidate>; bound: number },
  ) {
    const { candidates, marks } = document;
    this.reached = Array.from({ length: candidates.length + 1 }, () => []);
    this.firstMarkAfter = new Int32Array(candidates.length + 1);
    let mark = 0;
    for (let i = -1; i < candidates.length; i++) {
      const line = i < 0 ? document.title : candidates[i]!.line;
      while (mark < marks.length && marks[mark]!.line <= line) mark++;
      this.firstMarkAfter[i + 1] = mark;
    }
    this.chatterCosts = findWrapperClosers(document);
    this.window = Math.max(QUOTED_AT_MOST, Math.floor(STEPS / 2 / candidates.length));
    this.bound = fixed?.bound ?? this.costOfAllParts() + MARGIN.most;
  }

  /** The best readings of the whole text, the best one first; none when the text is too tangled. */
  run(): Path[] {
    const { candidates } = this.document;
    const start: Path = {
      cost: 0,
      quoteCost: 0,
      previous: null,
      part: null,
      reading: { cost: 0, blocks: [] },
      end: 0,
      wrapperCloser: null,
      doubts: 0,
      key: 17,
      partsKey: 17,
    };
    this.extend(-1, [start]);
    for (let i = 0; i < candidates.length; i++) {
      if (this.reached[i]!.length > 0) this.extend(i, this.reached[i]!);
      if (this.steps > STEPS) return [];
    }
    return this.reached[candidates.length]!;
  }

  /** What the reading costs at the most that takes every candidate for a part. */
  private costOfAllParts(): number {
    const { candidates, marks, lines, wrapper } = this.document;
    let total: number = wrapper ? COST.MISSING_CLOSER : 0;
    let mark = this.firstMarkAfter[0]!;
    for (let at = -1; at < candidates.length; at++) {
      const scan = openPart(this.document, at);
      const end = candidates[at + 1]?.line ?? lines.count;
      while (mark < marks.length && marks[mark]!.line < end) scan.add(marks[mark++]!);
      const costs = scan.readings(end).map(({ cost, open }) => cost + (open?.outside ? COST.UNBALANCED : 0));
      const next = candidates[at + 1]?.part;
      // Inside a message a section's heading is text, and costs nothing.
      const free = isTextIn(next, partAt(this.document, at));
      total +=
        Math.min(...costs) + COST.UNBALANCED + (free ? 0 : transitionCost(partAt(this.document, at), next));
    }
    return total;
  }

  /** Reads the part that starts at candidate `at`, to every place where it can end. */
  private extend(at: number, from: Path[]): void {
    const { candidates, marks, lines } = this.document;
    const scan = openPart(this.document, at);
    const part = partAt(this.document, at);
    let mark = this.firstMarkAfter[at + 1]!;
    for (let next = at + 1; next < candidates.length; next++) {
      const { line, part: nextPart } = candidates[next]!;
      while (mark < marks.length && marks[mark]!.line < line) scan.add(marks[mark++]!);
      const isFixed = this.fixed?.parts.has(candidates[next]!);
      if (isTextIn(nextPart, part)) {
        if (isFixed) return;
        continue;
      }
      this.arrive(next, from, scan, line, transitionCost(part, nextPart), null);
      if (isFixed || !scan.quote(line, this.fixed ? 0 : quoteCost(nextPart, part))) return;
      if (from[0]!.cost + scan.quoteCost >= this.bound || ++this.steps > STEPS) return;
      if (next - at >= this.window) {
        this.cutShort = true;
        return;
      }
    }
    const endCost = transitionCost(part, undefined);
    for (; mark < marks.length; mark++) {
      const chatter = this.chatterCosts.get(marks[mark]!);
      if (chatter !== undefined) {
        this.arrive(candidates.length, from, scan, marks[mark]!.line, endCost + chatter, marks[mark]!);
      }
      scan.add(marks[mark]!);
    }
    this.arrive(candidates.length, from, scan, lines.count, endCost, null);
  }

  private arrive(
    at: number,
    from: Path[],
    scan: PartScan,
    end: number,
    extraCost: number,
    wrapperCloser: FenceMark | null,
  ): void {
    const { lines, candidates, wrapper } = this.document;
    const part = candidates[at] ?? null;
    for (const reading of scan.readings(end)) {
      // A text that ends inside a block ends inside its wrapper, too: that is one fault.
      const isOpen = wrapper && !part && !wrapperCloser && !isCutOff(reading);
      const ownCost = reading.cost + extraCost + (isOpen ? COST.MISSING_CLOSER : 0);
      for (const previous of from) {
        if (previous.cost + ownCost >= this.bound) break;
        const fits = fitsBefore(lines, previous, reading);
        const cost = previous.cost + ownCost + balanceCost(previous, reading, fits);
        if (cost >= this.bound) continue;
        const partsKey = part ? mix(previous.partsKey, part.line) : previous.partsKey;
        const key = reading.blocks.reduce(
          (all, block) => mix(mix(mix(all, block.from), block.to), block.ends === 'glued' ? 1 : 0),
          mix(previous.key, part ? part.line : -1),
        );
        const doubts = previous.doubts + doubtsOf(lines, reading, fits);
        this.keep(this.reached[at]!, {
          cost,
          quoteCost: previous.quoteCost + scan.quoteCost,
          previous,
          part,
          reading,
          end,
          wrapperCloser,
          doubts,
          key,
          partsKey,
        });
      }
    }
  }

  /** Keeps the best paths in order: few with the same parts, so that they cannot crowd out all others. */
  private keep(paths: Path[], path: Path): void {
    const same = paths.findIndex((other) => other.key === path.key);
    if (same !== -1) {
      if (paths[same]!.cost <= path.cost) return;
      paths.splice(same, 1);
    }
    const place = paths.findIndex((other) => other.cost > path.cost);
    paths.splice(place === -1 ? paths.length : place, 0, path);
    const alike = paths.filter((other) => other.partsKey === path.partsKey);
    if (alike.length > KEPT_ALIKE) paths.splice(paths.lastIndexOf(alike.at(-1)!), 1);
    if (paths.length > KEPT) paths.pop();
  }
}

/**
 * What it costs that the content's own fences do not close. A FIND or a REPLACE is half of a change and
 * may start or end inside a fence; but the two halves mostly do so together, or end in the same line.
 */
function balanceCost({ part }: Path, reading: PartReading, fits: boolean): number {
  if (isCutOff(reading)) return 0;
  const isHalf = part?.part.kind === 'label';
  return (isHalf ? fits : !reading.open?.outside) ? 0 : COST.UNBALANCED;
}

const isCutOff = ({ blocks }: PartReading): boolean => blocks.at(-1)?.ends === 'cut-off';

function doubtsOf(lines: Lines, { blocks: [last], holdsFences }: PartReading, fits: boolean): number {
  if (holdsFences) return DOUBTFUL;
  if (fits) return 0;
  // A fence right before the closing one reads like the end of a pair that the block before quotes.
  return last && last.to > last.from && readFence(lines, last.to - 1)?.info === '' ? DOUBTFUL : 1;
}

/** Whether a REPLACE fits its FIND: both start at one place of the file, inside a fence or not, and end at one place. */
function fitsBefore(lines: Lines, { part, reading: find }: Path, replace: PartReading): boolean {
  if (part?.part.kind !== 'label' || part.part.side === 'FIND') return true;
  const [before, after] = [find.open ?? CLOSED, replace.open ?? CLOSED];
  return (
    (before.outside !== undefined && before.outside === after.outside) ||
    (before.inside !== undefined && before.inside === after.inside) ||
    endAlike(lines, find, replace)
  );
}

function endAlike(
  lines: Lines,
  { blocks: [find] }: PartReading,
  { blocks: [replace] }: PartReading,
): boolean {
  if (!find || !replace || find.to === find.from || replace.to === replace.from) return false;
  return lastLine(lines, find) === lastLine(lines, replace);
}

function lastLine(lines: Lines, { opener, to, ends }: BlockReading): string {
  const text = lineText(lines, to - 1);
  return ends === 'glued' ? text.slice(0, gluedFence(text, opener)) : text;
}

function unfold(last: Path): Reading {
  const parts: PartCandidate[] = [];
  const blocks: BlockReading[] = [];
  const strays: FenceMark[] = [];
  for (let path: Path | null = last; path; path = path.previous) {
    if (path.part) parts.push(path.part);
    for (const block of path.reading.blocks.toReversed()) blocks.push(block);
    if (path.reading.stray) strays.push(path.reading.stray);
  }
  return {
    parts: parts.reverse(),
    blocks: blocks.reverse(),
    strays: strays.reverse(),
    end: last.end,
    wrapperCloser: last.wrapperCloser,
  };
}

function mix(hash: number, value: number): number {
  return (Math.imul(hash ^ value, 0x9e3779b1) ^ (hash >>> 15)) | 0;
}

/** The fences that may end the wrapper, each with what the chatter behind it costs. */
function findWrapperClosers(document: PlanLines): Map<FenceMark, number> {
  const { wrapper, candidates, marks } = document;
  const costs = new Map<FenceMark, number>();
  if (!wrapper) return costs;
  const lastPart = candidates.at(-1)?.line ?? 0;
  for (let i = marks.length - 1; i >= 0 && marks[i]!.line > lastPart && marks.length - i < 50; i--) {
    if (!closes(marks[i]!, wrapper)) continue;
    let open: FenceMark | undefined;
    for (let k = i + 1; k < marks.length; k++) {
      if (!open) open = marks[k];
      else if (closes(marks[k]!, open)) open = undefined;
    }
    const fenced = i + 1 < marks.length;
    const below = continues(document, marks[i]!.line + 1) ? COST.LEFT_BELOW : 0;
    costs.set(marks[i]!, below + (fenced ? COST.LEFT_BLOCK : 0) + (open ? COST.UNBALANCED : 0));
  }
  return costs;
}
