import type { PlanOrder } from './types.js';

/** A plan as far as its order among the others goes; the list that it stands in is in the order of ids. */
export interface OrderedPlan {
  id: string;
  phase: string | null;
  needs: readonly string[];
  /** What it writes: paths from the root, `.` for all of it. A folder holds what is below it. */
  files: readonly string[];
}

export interface SoftOrder {
  /** What comes before each plan because of its phase, in the order of the plans. Plans of one phase share a list. */
  phases: readonly (readonly PlanOrder[])[];
  /** The same because of files. */
  files: readonly (readonly PlanOrder[])[];
}

/**
 * The order of plans beyond what they need: earlier phases first, and plans that write the same one after the other. It
 * never contradicts what they need, which has no circle: what an earlier phase needs belongs to that phase.
 */
export function orderPlans(plans: readonly OrderedPlan[]): SoftOrder {
  const indexes = new Map(plans.map(({ id }, i) => [id, i]));
  const needs = plans.map((plan) => plan.needs.flatMap((id) => indexes.get(id) ?? []));
  const phases = rankPhases(plans);
  const reached = reachPhases(phases, needs);
  return {
    phases: orderByPhase(plans, phases, reached),
    files: orderByFiles(plans, needs, (one, other) => {
      const difference = compare(reached[one]!, reached[other]!);
      const hasPhases = phases[one] !== NO_PHASE && phases[other] !== NO_PHASE;
      const isOrdered = hasPhases && difference !== 0 && compare(phases[one]!, phases[other]!) === difference;
      return isOrdered ? 'ordered' : difference;
    }),
  };
}

const NO_PHASE = Number.POSITIVE_INFINITY;

/** The place of each plan's phase among all phases. */
function rankPhases(plans: readonly OrderedPlan[]): number[] {
  const distinct = [...new Set(plans.flatMap(({ phase }) => phase ?? []))].sort(comparePhases);
  const ranks = new Map<string, number>();
  let rank = 0;
  distinct.forEach((phase, i) => {
    if (i > 0 && comparePhases(distinct[i - 1]!, phase) !== 0) rank++;
    ranks.set(phase, rank);
  });
  return plans.map(({ phase }) => (phase === null ? NO_PHASE : ranks.get(phase)!));
}

/** By components: 2, then 2.1, then 10. */
function comparePhases(one: string, other: string): number {
  const [ones, others] = [one.split('.').map(Number), other.split('.').map(Number)];
  for (let i = 0; i < Math.max(ones.length, others.length); i++) {
    const difference = (ones[i] ?? -1) - (others[i] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The earliest phase in which each plan is needed, its own included: no plan needs one of a higher number. */
function reachPhases(phases: readonly number[], needs: readonly (readonly number[])[]): number[] {
  const reached: (number | undefined)[] = phases.map(() => undefined);
  const starts = phases.map((_, i) => i).sort((one, other) => compare(phases[one]!, phases[other]!));
  for (const start of starts) {
    const open = [start];
    for (let plan = open.pop(); plan !== undefined; plan = open.pop()) {
      if (reached[plan] !== undefined) continue;
      reached[plan] = phases[start]!;
      open.push(...needs[plan]!);
    }
  }
  return reached as number[];
}

/** Without taking infinities from each other. */
function compare(one: number, other: number): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

function orderByPhase(
  plans: readonly OrderedPlan[],
  phases: readonly number[],
  reached: readonly number[],
): (readonly PlanOrder[])[] {
  const orders = plans.map(({ id }): PlanOrder => ({ plan: id, because: 'phase' }));
  const lists = new Map<string, readonly PlanOrder[]>();
  return plans.map((_, plan) => {
    if (phases[plan] === NO_PHASE) return [];
    const key = `${phases[plan]} ${reached[plan]}`;
    const known = lists.get(key);
    if (known) return known;
    const isFirst = (_: PlanOrder, i: number) => phases[i]! < phases[plan]! && reached[i]! < reached[plan]!;
    const list = orders.filter(isFirst);
    lists.set(key, list);
    return list;
  });
}

/**
 * Pairs that share files and are not `ordered`: the one that is compared as less comes first; where they are equal, the
 * one that others already put first; else the first in the order of ids.
 */
function orderByFiles(
  plans: readonly OrderedPlan[],
  needs: readonly (readonly number[])[],
  compareReach: (one: number, other: number) => number | 'ordered',
): PlanOrder[][] {
  const after: PlanOrder[][] = plans.map(() => []);
  const shared = findShared(plans);
  if (shared.size === 0) return after;
  const reach = new Reach(needs);
  // The later plan first, then the nearest before it: so most that follow are known to follow already.
  const pairs = [...shared]
    .sort(([one], [other]) => one - other)
    .flatMap(([later, earlier]) =>
      [...earlier]
        .sort(([one], [other]) => other - one)
        .map(([one, files]) => ({ one, other: later, files })),
    );
  for (const { one, other, files } of pairs) {
    const difference = compareReach(one, other);
    if (difference === 'ordered') continue;
    const isTurned = difference === 0 ? reach.has(one, other) : difference > 0;
    const [first, second] = isTurned ? [other, one] : [one, other];
    if (needs[second]!.includes(first)) continue;
    reach.add(second, first);
    after[second]!.push({ plan: plans[first]!.id, because: 'files', files });
  }
  return after;
}

/** What pairs of plans both write: by the later plan of a pair, and then by the earlier. */
function findShared(plans: readonly OrderedPlan[]): Map<number, Map<number, string[]>> {
  const owners = new Map<string, number[]>();
  plans.forEach(({ files }, plan) => {
    for (const file of files) {
      const others = owners.get(file);
      if (others === undefined) owners.set(file, [plan]);
      else if (others.at(-1) !== plan) others.push(plan);
    }
  });
  const shared = new Map<number, Map<number, string[]>>();
  const add = (one: number, other: number, file: string) => {
    if (one === other) return;
    const later = Math.max(one, other);
    const pairs = shared.get(later) ?? new Map<number, string[]>();
    shared.set(later, pairs);
    const files = pairs.get(Math.min(one, other));
    if (!files) pairs.set(Math.min(one, other), [file]);
    else if (!files.includes(file)) files.push(file);
  };
  const above = new FoldersAbove(owners);
  for (const [file, own] of owners) {
    for (let i = 1; i < own.length; i++) for (let j = 0; j < i; j++) add(own[i]!, own[j]!, file);
    for (const one of above.ownersOf(file)) for (const other of own) add(one, other, file);
  }
  return shared;
}

/** Who names a folder that a path lies in, looked up once for each folder. */
class FoldersAbove {
  private readonly known = new Map<string, readonly number[]>();

  constructor(private readonly owners: ReadonlyMap<string, readonly number[]>) {}

  ownersOf(path: string): readonly number[] {
    if (path === '.') return [];
    const slash = path.lastIndexOf('/');
    const folder = slash === -1 ? '.' : path.slice(0, slash);
    const known = this.known.get(folder);
    if (known) return known;
    const found = [...(this.owners.get(folder) ?? []), ...this.ownersOf(folder)];
    this.known.set(folder, found);
    return found;
  }
}

/** Which plans come after which, kept complete as pairs are added. Circles are not looked for. */
class Reach {
  private readonly rows: Uint32Array[];
  private readonly words: number;

  constructor(needs: readonly (readonly number[])[]) {
    this.words = Math.ceil(needs.length / 32);
    this.rows = needs.map(() => new Uint32Array(this.words));
    for (const plan of inOrder(needs)) for (const other of needs[plan]!) this.join(plan, other);
  }

  has(plan: number, other: number): boolean {
    return (this.rows[plan]![other >>> 5]! & (1 << (other & 31))) !== 0;
  }

  add(plan: number, other: number): void {
    if (this.has(plan, other)) return;
    this.join(plan, other);
    for (let i = 0; i < this.rows.length; i++) if (this.has(i, plan)) this.join(i, other);
  }

  private join(plan: number, other: number): void {
    const row = this.rows[plan]!;
    const more = this.rows[other]!;
    row[other >>> 5]! |= 1 << (other & 31);
    for (let i = 0; i < this.words; i++) row[i]! |= more[i]!;
  }
}

/** Each behind all that it needs. There is no circle. */
function inOrder(needs: readonly (readonly number[])[]): number[] {
  const order: number[] = [];
  const isSeen = new Uint8Array(needs.length);
  for (let start = 0; start < needs.length; start++) {
    const path = isSeen[start] ? [] : [{ plan: start, next: 0 }];
    isSeen[start] = 1;
    for (let here = path.at(-1); here; here = path.at(-1)) {
      const other = needs[here.plan]![here.next++];
      if (other === undefined) order.push(path.pop()!.plan);
      else if (!isSeen[other]) {
        isSeen[other] = 1;
        path.push({ plan: other, next: 0 });
      }
    }
  }
  return order;
}
