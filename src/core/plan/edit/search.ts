/** Linear search for a sequence, overlapping hits included. */

export interface Occurrences {
  count: number;
  /** The offsets of the first ten. */
  offsets: number[];
}

const KEPT_OFFSETS = 10;

/**
 * The engine's own search takes quadratic time on patterns like `baaa…`. So it only leaps to the next
 * place where a short head of the pattern is, and the rest is compared by Knuth, Morris and Pratt.
 */
const HEAD_LENGTH = 64;

export function findOccurrences(text: string, pattern: string): Occurrences {
  const found: Occurrences = { count: 0, offsets: [] };
  if (pattern === '' || pattern.length > text.length) return found;

  const head = pattern.slice(0, HEAD_LENGTH);
  let borders: Int32Array | undefined;
  let matched = 0;
  let at = 0;
  while (at < text.length) {
    if (matched === 0) {
      const leap = text.indexOf(head, at);
      if (leap === -1) break;
      matched = head.length;
      at = leap + matched;
      borders ??= findBorders(pattern.length, (index) => pattern.charCodeAt(index));
    } else if (text.charCodeAt(at) === pattern.charCodeAt(matched)) {
      matched++;
      at++;
    } else {
      matched = borders![matched - 1]!;
      continue;
    }
    if (matched === pattern.length) {
      found.count++;
      if (found.offsets.length < KEPT_OFFSETS) found.offsets.push(at - matched);
      matched = borders![matched - 1]!;
    }
  }
  return found;
}

/**
 * The indices at which a sequence of symbols starts among `count` others. Its first symbol is judged by
 * `isFirst`; the others, `rest`, by equality with `symbolAt`, which is asked once for each index, in order.
 */
export function findSequences(
  rest: readonly number[],
  count: number,
  symbolAt: (index: number) => number | undefined,
  isFirst: (index: number) => boolean,
): number[] {
  const borders = findBorders(rest.length, (index) => rest[index]!);
  const firsts: number[] = [];
  let matched = 0;
  for (let index = 0; index < count; index++) {
    const symbol = symbolAt(index);
    while (matched > 0 && (matched === rest.length || symbol !== rest[matched])) {
      matched = borders[matched - 1]!;
    }
    if (symbol !== undefined && symbol === rest[matched]) matched++;
    const first = index - rest.length;
    if (matched === rest.length && first >= 0 && isFirst(first)) firsts.push(first);
  }
  return firsts;
}

/** For each prefix of a sequence, the length of its longest proper prefix that is also its suffix. */
function findBorders(length: number, symbolAt: (index: number) => number): Int32Array {
  const borders = new Int32Array(length);
  let border = 0;
  for (let index = 1; index < length; index++) {
    const symbol = symbolAt(index);
    while (border > 0 && symbol !== symbolAt(border)) border = borders[border - 1]!;
    if (symbol === symbolAt(border)) border++;
    borders[index] = border;
  }
  return borders;
}
