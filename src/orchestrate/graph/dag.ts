const NONE = -1;

/** What follows what, between numbered nodes. Whoever adds an edge sees to it that there is no circle. */
export class Dag {
  /** The edges that leave a node are a chain: the last one that was added, and the one before each. */
  private readonly last: number[] = [];
  private readonly before: number[] = [];
  private readonly to: number[] = [];
  private sorted: Int32Array | undefined;

  /** Gives the number of a new node: they count from 0. */
  addNode(): number {
    return this.last.push(NONE) - 1;
  }

  get size(): number {
    return this.last.length;
  }

  addEdge(from: number, to: number): void {
    this.before.push(this.last[from]!);
    this.last[from] = this.to.push(to) - 1;
    this.sorted = undefined;
  }

  /** The nodes that follow directly. */
  after(node: number): number[] {
    const nodes: number[] = [];
    for (let edge = this.last[node]!; edge !== NONE; edge = this.before[edge]!) nodes.push(this.to[edge]!);
    return nodes;
  }

  /** A shortest way, both ends included. */
  findWay(from: number, to: number): number[] | undefined {
    const cameFrom = new Map<number, number>([[from, NONE]]);
    const open = [from];
    for (const node of open) {
      if (node === to) return walkBack(to, cameFrom);
      for (const next of this.after(node)) {
        if (cameFrom.has(next)) continue;
        cameFrom.set(next, node);
        open.push(next);
      }
    }
    return undefined;
  }

  /** For each node the weight of the heaviest way that begins there, its own included. */
  weighWays(weightOf: (node: number) => number): Float64Array {
    const { last, before, to } = this;
    const weights = new Float64Array(this.size);
    const order = this.sort();
    for (let i = order.length - 1; i >= 0; i--) {
      const node = order[i]!;
      let most = 0;
      for (let edge = last[node]!; edge !== NONE; edge = before[edge]!) {
        most = Math.max(most, weights[to[edge]!]!);
      }
      weights[node] = most + weightOf(node);
    }
    return weights;
  }

  /** How many edges lead to each node. */
  countBefore(): Int32Array {
    const counts = new Int32Array(this.size);
    for (const node of this.to) counts[node]!++;
    return counts;
  }

  /** Each node behind all that lead to it. */
  private sort(): Int32Array {
    if (this.sorted) return this.sorted;
    const { last, before, to } = this;
    const counts = this.countBefore();
    const order = new Int32Array(this.size);
    let count = 0;
    for (let node = 0; node < this.size; node++) if (counts[node] === 0) order[count++] = node;
    for (let i = 0; i < count; i++) {
      for (let edge = last[order[i]!]!; edge !== NONE; edge = before[edge]!) {
        const next = to[edge]!;
        counts[next]!--;
        if (counts[next] === 0) order[count++] = next;
      }
    }
    this.sorted = order.subarray(0, count);
    return this.sorted;
  }
}

function walkBack(to: number, cameFrom: ReadonlyMap<number, number>): number[] {
  const way: number[] = [];
  for (let at = to; at !== NONE; at = cameFrom.get(at)!) way.push(at);
  return way.reverse();
}
