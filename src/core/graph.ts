/**
 * Nodes that can all be reached from each other, in groups of two or more, and those that lead to themselves: each group
 * is a cycle, or several that share a node. By Tarjan's way, without recursion, as a chain may be long.
 */
export function findCycles<Id>(edges: ReadonlyMap<Id, readonly Id[]>): Id[][] {
  const groups: Id[][] = [];
  const numbers = new Map<Id, number>();
  const open: Id[] = [];
  const isOpen = new Set<Id>();
  const enter = (id: Id) => {
    const number = numbers.size;
    numbers.set(id, number);
    open.push(id);
    isOpen.add(id);
    return { id, number, lowest: number, rest: (edges.get(id) ?? []).values() };
  };
  for (const start of edges.keys()) {
    const path = numbers.has(start) ? [] : [enter(start)];
    for (let here = path.at(-1); here; here = path.at(-1)) {
      const { value: next, done } = here.rest.next();
      if (!done && !numbers.has(next)) path.push(enter(next));
      else if (!done) {
        if (isOpen.has(next)) here.lowest = Math.min(here.lowest, numbers.get(next)!);
      } else {
        path.pop();
        const before = path.at(-1);
        if (before) before.lowest = Math.min(before.lowest, here.lowest);
        if (here.lowest !== here.number) continue;
        const group = open.splice(open.lastIndexOf(here.id));
        for (const id of group) isOpen.delete(id);
        if (group.length > 1 || edges.get(here.id)?.includes(here.id)) groups.push(group);
      }
    }
  }
  return groups;
}

const MOST_NAMED = 8;

/** `01-01, 01-02 and 01-03`; of a long list the first ones and how many more. */
export function nameCycle(ids: readonly string[]): string {
  const more = ids.length > MOST_NAMED ? [`${ids.length - MOST_NAMED} more`] : [];
  const names = [...ids.slice(0, MOST_NAMED), ...more];
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** Search steps for the shortest cycle; after that, the shortest one found so far is used. */
const PATIENCE = 1_000_000;

/**
 * Circles of two or more that share no member, shortest first, each from its first member in the order of `edges` back to
 * it: `[a, b, a]`. At most `most` of them.
 */
export function findCircles(edges: ReadonlyMap<string, readonly string[]>, most: number): string[][] {
  const circles: string[][] = [];
  let left = edges;
  while (circles.length < most) {
    const circle = shortestCircle(left);
    if (!circle) break;
    circles.push(circle);
    const named = new Set(circle);
    left = new Map([...left].filter(([id]) => !named.has(id)));
  }
  return circles;
}

function shortestCircle(edges: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const among = new Set(findCycles(edges).flatMap((group) => (group.length > 1 ? group : [])));
  let shortest: string[] | undefined;
  let patience = PATIENCE;
  for (const id of edges.keys()) {
    if (!among.has(id)) continue;
    const { circle, steps } = circleThrough(id, edges, among, shortest?.length ?? Number.POSITIVE_INFINITY);
    if (circle) shortest = circle;
    patience -= steps;
    if (shortest && (patience < 0 || shortest.length === 3)) break;
  }
  return shortest;
}

/** A shortest way from `start` back to it that has fewer than `limit` names. */
function circleThrough(
  start: string,
  edges: ReadonlyMap<string, readonly string[]>,
  among: ReadonlySet<string>,
  limit: number,
) {
  const cameFrom = new Map<string, string>();
  let front = [start];
  let steps = 0;
  for (let length = 2; front.length > 0 && length < limit; length++) {
    const next: string[] = [];
    for (const id of front) {
      for (const other of edges.get(id) ?? []) {
        steps++;
        if (other === start && id !== start) return { circle: [...wayTo(id, cameFrom), start], steps };
        if (!among.has(other) || other === start || cameFrom.has(other)) continue;
        cameFrom.set(other, id);
        next.push(other);
      }
    }
    front = next;
  }
  return { circle: undefined, steps };
}

function wayTo(id: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const way = [id];
  for (let at = cameFrom.get(id); at !== undefined; at = cameFrom.get(at)) way.push(at);
  return way.reverse();
}
