/**
 * The heights of many rows, estimated until they are measured. Sums are kept in a Fenwick tree: changing a height and
 * finding the row at an offset take time in the logarithm of the number of rows.
 */
export class RowHeights {
  readonly #heights: Float64Array;
  readonly #sums: Float64Array;

  constructor(
    readonly count: number,
    estimate: (row: number) => number,
  ) {
    this.#heights = Float64Array.from({ length: count }, (_, row) => estimate(row));
    this.#sums = new Float64Array(count + 1);
    for (let at = 1; at <= count; at++) {
      this.#sums[at]! += this.#heights[at - 1]!;
      const parent = at + (at & -at);
      if (parent <= count) this.#sums[parent]! += this.#sums[at]!;
    }
  }

  heightOf(row: number): number {
    return this.#heights[row]!;
  }

  /** Whether that changed anything. */
  measure(row: number, height: number): boolean {
    const change = height - this.#heights[row]!;
    if (Math.abs(change) < 0.5) return false;
    this.#heights[row] = height;
    for (let at = row + 1; at <= this.count; at += at & -at) this.#sums[at]! += change;
    return true;
  }

  /** The height of all rows before this one. */
  offsetOf(row: number): number {
    let sum = 0;
    for (let at = row; at > 0; at -= at & -at) sum += this.#sums[at]!;
    return sum;
  }

  get total(): number {
    return this.offsetOf(this.count);
  }

  /** The row that covers an offset: the first for one above all, the last for one below. */
  rowAt(offset: number): number {
    let row = 0;
    let rest = offset;
    for (let step = 2 ** Math.floor(Math.log2(this.count || 1)); step > 0; step /= 2) {
      const next = row + step;
      if (next <= this.count && this.#sums[next]! <= rest) {
        row = next;
        rest -= this.#sums[next]!;
      }
    }
    return Math.max(0, Math.min(row, this.count - 1));
  }
}
