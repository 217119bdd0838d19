/** What each waits for. */
export type Waits = ReadonlyMap<string, readonly string[]>;

/** Steps that may be taken to find the shortest of all circles; then the one that was found is short enough. */
const PATIENCE = 1_000_000;

/**
 * What is in a circle, or on the way from one to another: what is left once all are taken away that wait for nothing,
 * or that nothing waits for. Whoever waits for itself alone is left too.
 */
export function findTangle(waits: Waits): Set<string> {
  const left = new Set(waits.keys());
  const waiting = reverse(waits);
  trim(left, waits, waiting);
  trim(left, waiting, waits);
  return left;
}

function trim(left: Set<string>, edges: Waits, back: Waits): void {
  const counts = new Map<string, number>();
  const free: string[] = [];
  for (const id of left) {
    const count = (edges.get(id) ?? []).filter((other) => left.has(other)).length;
    counts.set(id, count);
    if (count === 0) free.push(id);
  }
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    left.delete(id);
    for (const other of back.get(id) ?? []) {
      if (!left.has(other)) continue;
      const count = counts.get(other)! - 1;
      counts.set(other, count);
      if (count === 0) free.push(other);
    }
  }
}

function reverse(waits: Waits): Map<string, string[]> {
  const back = new Map<string, string[]>();
  for (const [id, others] of waits) {
    for (const other of others) {
      const before = back.get(other);
      if (before) before.push(id);
      else back.set(other, [id]);
    }
  }
  return back;
}

/**
 * Circles of two or more that share no member, shortest first, each from its first member in the order of `waits` back to
 * it: `[a, b, a]`. At most `most` of them.
 */
export function findCircles(waits: Waits, most: number): string[][] {
  const circles: string[][] = [];
  let left: Waits = waits;
  while (circles.length < most) {
    const circle = shortestCircle(left);
    if (!circle) break;
    circles.push(circle);
    const named = new Set(circle);
    left = new Map([...left].filter(([id]) => !named.has(id)));
  }
  return circles;
}

function shortestCircle(waits: Waits): string[] | undefined {
  const tangle = findTangle(withoutSelf(waits));
  let shortest: string[] | undefined;
  let patience = PATIENCE;
  for (const id of waits.keys()) {
    if (!tangle.has(id)) continue;
    const { circle, steps } = circleThrough(id, waits, tangle, shortest?.length ?? Number.POSITIVE_INFINITY);
    if (circle) shortest = circle;
    patience -= steps;
    if (shortest && (patience < 0 || shortest.length === 3)) break;
  }
  return shortest;
}

function withoutSelf(waits: Waits): Waits {
  return new Map([...waits].map(([id, others]) => [id, others.filter((other) => other !== id)]));
}

/** A shortest way from `start` back to it that has fewer than `limit` names. */
function circleThrough(start: string, waits: Waits, among: ReadonlySet<string>, limit: number) {
  const cameFrom = new Map<string, string>();
  let edge = [start];
  let steps = 0;
  for (let length = 2; edge.length > 0 && length < limit; length++) {
    const next: string[] = [];
    for (const id of edge) {
      for (const other of waits.get(id) ?? []) {
        steps++;
        if (other === start && id !== start) return { circle: [...wayTo(id, cameFrom), start], steps };
        if (!among.has(other) || other === start || cameFrom.has(other)) continue;
        cameFrom.set(other, id);
        next.push(other);
      }
    }
    edge = next;
  }
  return { circle: undefined, steps };
}

function wayTo(id: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const way = [id];
  for (let at = cameFrom.get(id); at !== undefined; at = cameFrom.get(at)) way.push(at);
  return way.reverse();
}
