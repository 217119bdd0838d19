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
