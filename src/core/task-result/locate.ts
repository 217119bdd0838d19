import { firstInk, isBlank, type Lines, lineText, readFence } from '../markdown/lines.js';
import { REQUIRED_KEYS } from './fields.js';

/** Lines `from` to `to`, from 0 and exclusive. */
export type LocatedFields =
  | { status: 'found'; from: number; to: number; wrapped: boolean }
  | { status: 'ambiguous'; first: number; second: number };

/** Lines with this many required fields are a result, not a mention of one. */
const ENOUGH = 3;
/** A fence within a fence within a fence is prose. */
const DEEPEST = 2;

interface Region {
  from: number;
  to: number;
  indent: number;
  fenced: boolean;
  keys: Set<string>;
  firstKey: string;
}

/**
 * Finds the result in a text by its lines, whether or not they are YAML: `key:` lines at one indent with what is indented
 * under them, at least one of them a field of a result. Without such a line, the whole text is the result.
 */
export function locateResult(lines: Lines): LocatedFields {
  const found = findRegions(lines, 0, lines.count, 0);
  const likely = found.filter(({ keys }) => keys.size >= ENOUGH);
  const [first, ...rest] = likely.length > 0 ? likely : found;
  if (!first) return { status: 'found', from: 0, to: lines.count, wrapped: false };
  const second = rest.find((other) => !sameText(lines, first, other));
  if (second) return { status: 'ambiguous', first: first.from, second: second.from };
  const { from, to, fenced } = first;
  return {
    status: 'found',
    from,
    to,
    wrapped: fenced || hasText(lines, 0, from) || hasText(lines, to, lines.count),
  };
}

/** Whether there is more than comments, blank lines and the marks around a document. */
function hasText(lines: Lines, from: number, to: number): boolean {
  for (let line = from; line < to; line++) {
    if (!isBlank(lines, line) && !isRuleLine(readResultLine(lines, line))) return true;
  }
  return false;
}

function sameText(lines: Lines, a: Region, b: Region): boolean {
  const shift = (region: Region, line: number) => lineText(lines, line).slice(region.indent).trimEnd();
  if (a.to - a.from !== b.to - b.from) return false;
  for (let at = 0; at < a.to - a.from; at++) {
    if (shift(a, a.from + at) !== shift(b, b.from + at)) return false;
  }
  return true;
}

function findRegions(lines: Lines, from: number, to: number, depth: number): Region[] {
  const scan = new Scan(lines, depth > 0);
  const base = baseOf(lines, from, to);
  if (base) scan.begin(base.from, base.indent, '');
  for (let line = from; line < to; line++) {
    if (isBlank(lines, line)) continue;
    const indent = firstInk(lines, line) - lines.starts[line]!;
    if (scan.holds(indent)) {
      scan.extend(line);
      continue;
    }
    const close = depth <= DEEPEST ? closingOf(lines, line, to) : undefined;
    if (close !== undefined) {
      const inside = findRegions(lines, line + 1, close, depth + 1);
      if (inside.length > 0) scan.take(inside);
      else scan.interrupt();
      line = close;
      continue;
    }
    const kind = readResultLine(lines, line);
    if (kind.type === 'flow') {
      const end = flowEnd(lines, line, to);
      scan.takeFlow(line, end, indent);
      line = end - 1;
    } else {
      scan.next(line, indent, kind);
    }
  }
  return scan.finish();
}

/** The line that closes the fence opened at `line`, or the end; undefined if `line` opens none. */
function closingOf(lines: Lines, line: number, to: number): number | undefined {
  const opener = readFence(lines, line);
  if (!opener) return undefined;
  for (let at = line + 1; at < to; at++) {
    const mark = readFence(lines, at);
    // A deeper fence belongs to a text within the result.
    if (
      mark?.info === '' &&
      mark.char === opener.char &&
      mark.length >= opener.length &&
      mark.indent <= opener.indent
    )
      return at;
  }
  return to;
}

/** After the last line of `{ … }`: its own line, or the first that starts with the brace at no larger indent. */
function flowEnd(lines: Lines, from: number, to: number): number {
  const { text, starts, ends } = lines;
  const indent = firstInk(lines, from) - starts[from]!;
  if (lineText(lines, from).trimEnd().endsWith('}')) return from + 1;
  for (let line = from + 1; line < to; line++) {
    const ink = firstInk(lines, line);
    if (ink < ends[line]! && text[ink] === '}' && ink - starts[line]! <= indent) return line + 1;
  }
  return to;
}

/** The regions of one block, line by line. */
class Scan {
  private readonly done: Region[] = [];
  private region: Region | undefined;
  /** The last lines do not belong to the region, unless another field of it follows. */
  private interrupted = false;
  private readonly lists = new ListsAtMargin();

  constructor(
    private readonly lines: Lines,
    private readonly fenced: boolean,
  ) {}

  begin(line: number, indent: number, key: string): void {
    this.finish();
    this.region = { from: line, to: line + 1, indent, fenced: this.fenced, keys: new Set(), firstKey: key };
    this.interrupted = false;
  }

  /** Whether a line of this indent belongs to what is above it. */
  holds(indent: number): boolean {
    return this.region !== undefined && !this.interrupted && indent > this.region.indent;
  }

  /** Takes in a line that is indented under the last. */
  extend(line: number): void {
    this.lists.under();
    this.region!.to = line + 1;
  }

  interrupt(): void {
    this.interrupted = true;
  }

  take(regions: Region[]): void {
    this.finish();
    this.region = undefined;
    for (const region of regions) this.done.push(region);
  }

  takeFlow(from: number, to: number, indent: number): void {
    const { text, starts, ends } = this.lines;
    const content = text.slice(starts[from], ends[to - 1]);
    const keys = new Set<string>(REQUIRED_KEYS.filter((key) => content.includes(key)));
    if (keys.size === 0) this.interrupt();
    else this.take([{ from, to, indent, fenced: this.fenced, keys, firstKey: '' }]);
  }

  next(line: number, indent: number, kind: LineKind): void {
    if (isRuleLine(kind)) return;
    const legal = this.lists.next(kind);
    if (kind.type === 'key' && kind.known) this.nextField(line, indent, kind.name);
    else if (!legal) this.interrupt();
    else if (this.region && !this.interrupted && !isLabel(kind)) this.region.to = line + 1;
  }

  private nextField(line: number, indent: number, key: string): void {
    if (!this.region || this.isOver(this.region, indent, key)) this.begin(line, indent, key);
    this.region!.firstKey ||= key;
    this.region!.keys.add(key);
    this.interrupted = false;
    this.region!.to = line + 1;
  }

  /** Another result starts as the one before started. A lone field above other text was only a mention. */
  private isOver({ keys, firstKey, indent: before }: Region, indent: number, key: string): boolean {
    if (keys.size >= ENOUGH) return key === firstKey;
    return indent < before || (this.interrupted && keys.size === 1);
  }

  finish(): Region[] {
    const { region, done } = this;
    if (!region || region.keys.size === 0 || done.at(-1) === region) return done;
    const before = done.at(-1);
    if (before && continues(before, region)) before.to = region.to;
    else done.push(region);
    return done;
  }
}

/** `Next steps:` is not a field, unless something is under it. */
function isLabel(kind: LineKind): boolean {
  return kind.type === 'key' && kind.empty && kind.name !== 'metadata';
}

/** Whether an apparent second result is a repeated field of the first. */
function continues(before: Region, region: Region): boolean {
  const alike = region.firstKey === before.firstKey && region.indent === before.indent;
  return alike && region.fenced === before.fenced && before.keys.size >= ENOUGH && region.keys.size < ENOUGH;
}

/** The kind of a line by itself, without its surroundings. */
export type LineKind =
  /** `known`: a field of a result. `empty`: nothing follows on its line. */
  | { type: 'key'; name: string; known: boolean; empty: boolean }
  | { type: 'item' | 'comment' | 'mark' | 'flow' | 'prose' };

const KNOWN: ReadonlySet<string> = new Set(REQUIRED_KEYS);

/** `name:`, `"name":`; no real field has a longer name. */
const KEY = /^(?![.-])(["']?)([\w.-]{1,60})\1[ \t]*:(?=[ \t]|$)[ \t]*(.?)/s;
/** `---` or `...`, alone or with a comment after it, and `%`. */
const MARK = /^(?:%|(?:---|\.\.\.)(?:[ \t]+#|[ \t]*$))/;
const ITEM = /^-(?:[ \t]|$)/;

export function readResultLine(lines: Lines, line: number): LineKind {
  const text = lines.text.slice(firstInk(lines, line), lines.ends[line]);
  if (text.startsWith('#')) return { type: 'comment' };
  if (text.startsWith('{')) return { type: 'flow' };
  if (MARK.test(text)) return { type: 'mark' };
  if (ITEM.test(text)) return { type: 'item' };
  const [, , name, next] = KEY.exec(text) ?? [];
  if (name === undefined) return { type: 'prose' };
  return { type: 'key', name, known: KNOWN.has(name), empty: next === '' || next === '#' };
}

/** Neither part of a result nor text around it. */
export function isRuleLine(kind: LineKind): boolean {
  return kind.type === 'comment' || kind.type === 'mark';
}

/** Which lines may follow each other at one indent: items follow a `key:` that has nothing else, or other items. */
class ListsAtMargin {
  private open: 'key' | 'items' | 'no' = 'no';

  /** A line follows that is indented more. */
  under(): void {
    if (this.open === 'key') this.open = 'no';
  }

  /** Whether a line may be there. */
  next(kind: LineKind): boolean {
    if (kind.type === 'key') this.open = kind.empty ? 'key' : 'no';
    else if (kind.type === 'item' && this.open !== 'no') this.open = 'items';
    else return false;
    return true;
  }
}

/**
 * Where a block that is a result from end to end starts, after the marks above it, and how far it is indented;
 * undefined if something in it is not a line of a result.
 */
function baseOf(lines: Lines, from: number, to: number): { from: number; indent: number } | undefined {
  let base: { from: number; indent: number } | undefined;
  let start = from;
  let known = false;
  const lists = new ListsAtMargin();
  for (let line = from; line < to; line++) {
    if (isBlank(lines, line)) continue;
    const indent = firstInk(lines, line) - lines.starts[line]!;
    if (base && indent > base.indent) {
      lists.under();
      continue;
    }
    const kind = readResultLine(lines, line);
    if (kind.type === 'mark' && !base) start = line + 1;
    if (isRuleLine(kind)) continue;
    if (!lists.next(kind)) return undefined;
    if (kind.type === 'key') {
      base ??= { from: start, indent };
      known ||= kind.known;
    }
    if (indent < base!.indent) return undefined;
  }
  return known ? base : undefined;
}
