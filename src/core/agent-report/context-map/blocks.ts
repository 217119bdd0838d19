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
