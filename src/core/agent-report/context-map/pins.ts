import { splitLines } from '../../markdown/lines.js';

/** The lines of one file, and of each block of them a mark. `from` counts from 0; line endings are part of no line. */
export interface Blocks {
  readonly count: number;
  /** Lines joined by `\n`. */
  text(from: number, length: number): string;
  /** How many characters that is, more or less. */
  size(from: number, length: number): number;
  /** Equal blocks have equal marks, others seldom. */
  mark(from: number, length: number): number;
  /**
   * Where the blocks of this length are that have one of these marks: by mark, in the order of the lines, `most` of
   * each. One pass over the file, whatever the length and however many the marks.
   */
  places(marks: ReadonlySet<number>, length: number, most: number): Map<number, number[]>;
}

const FACTOR = 0x9e3779b1;
const LINE_FACTOR = 0x01000193;

/**
 * A block's mark is a polynomial over the marks of its lines, modulo 2³². From sums over all lines from the top, made
 * once, each is had in constant time.
 */
export function openBlocks(content: string): Blocks {
  const { text, count, starts, ends } = splitLines(content);
  let known: Int32Array | undefined;
  const sums = (): Int32Array => {
    if (known) return known;
    known = new Int32Array(count + 1);
    for (let line = 0; line < count; line++) {
      known[line + 1] = Math.imul(known[line]!, FACTOR) + markLine(text, starts[line]!, ends[line]!);
    }
    return known;
  };
  return {
    count,
    text: (from, length) => text.slice(starts[from], ends[from + length - 1]).replaceAll('\r\n', '\n'),
    size: (from, length) => ends[from + length - 1]! - starts[from]!,
    mark: (from, length) => subtract(sums(), from, length, power(length)),
    places(marks, length, most) {
      const found = new Map<number, number[]>();
      const all = sums();
      const shift = power(length);
      for (let from = 0; from + length <= count; from++) {
        const mark = subtract(all, from, length, shift);
        if (!marks.has(mark)) continue;
        const others = found.get(mark);
        if (!others) found.set(mark, [from]);
        else if (others.length < most) others.push(from);
      }
      return found;
    },
  };
}

function subtract(sums: Int32Array, from: number, length: number, shift: number): number {
  return (sums[from + length]! - Math.imul(sums[from]!, shift)) | 0;
}

function markLine(text: string, from: number, to: number): number {
  let mark = 0x811c9dc5 | 0;
  for (let at = from; at < to; at++) mark = Math.imul(mark ^ text.charCodeAt(at), LINE_FACTOR);
  return mark;
}

/** FACTOR to the power of `exponent`, modulo 2³². */
function power(exponent: number): number {
  let result = 1;
  for (let left = exponent, base = FACTOR; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = Math.imul(result, base);
    base = Math.imul(base, base);
  }
  return result;
}

/** How the lines of a reference were: a hash of them, and their mark, by which they are found again. */
export interface Pin {
  hash: string;
  mark: number;
}

/** What a look may cost. */
export interface SearchBudget {
  /** Blocks whose marks are compared. */
  blocks: number;
  /** Characters that are hashed. */
  characters: number;
}

const WRITTEN = /^([0-9a-f]{8,128})\.([0-9a-f]{8})$/;
/** No more blocks with one mark are hashed: they are equal, or crafted to look so. */
const MOST_ALIKE = 8;

export function writePin({ hash, mark }: Pin): string {
  return `${hash}.${(mark >>> 0).toString(16).padStart(8, '0')}`;
}

/** Undefined for what is not a pin: a pin file may contain anything. */
export function readPin(text: string | undefined): Pin | undefined {
  const match = text === undefined ? null : WRITTEN.exec(text);
  return match ? { hash: match[1]!, mark: Number.parseInt(match[2]!, 16) | 0 } : undefined;
}

/** Undefined where it would take too much. */
export function pinLines(
  blocks: Blocks,
  from: number,
  length: number,
  hash: (text: string) => string,
  effort: SearchBudget,
): Pin | undefined {
  const size = blocks.size(from, length);
  if (effort.characters < size) return undefined;
  effort.characters -= size;
  return { hash: hash(blocks.text(from, length)), mark: blocks.mark(from, length) };
}

/** Where, counted from 0, the one block is that is as pinned; `unsure` where the search was given up. */
export type PinSearch = number | 'none' | 'many' | 'unsure';

/** Looks for all pins of one length at once: marks propose, hashes confirm. */
export function findPinned(
  blocks: Blocks,
  pins: readonly Pin[],
  length: number,
  hash: (text: string) => string,
  effort: SearchBudget,
): PinSearch[] {
  effort.blocks -= blocks.count;
  if (effort.blocks < 0) return pins.map(() => 'unsure');
  const places = blocks.places(new Set(pins.map(({ mark }) => mark)), length, MOST_ALIKE);
  return pins.map((pin) => {
    const alike = places.get(pin.mark) ?? [];
    const same: number[] = [];
    for (const from of alike) {
      const now = pinLines(blocks, from, length, hash, effort);
      if (!now) return 'unsure';
      if (now.hash === pin.hash) same.push(from);
      if (same.length > 1) return 'many';
    }
    if (alike.length === MOST_ALIKE) return 'unsure';
    return same[0] ?? 'none';
  });
}
