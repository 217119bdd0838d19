import type { GraphPlan, GraphTask, PlanOrder } from './types.js';

/** The nodes of a plan: `begin` leads to each of its tasks, and each of them to `over` and to `settled`. */
export interface PlanNodes {
  begin: number;
  /** All of its tasks are completed. */
  over: number;
  /** Nothing of it is left to do. */
  settled: number;
}

/** A plan, and what of its `after` is so because of phases: plans of one phase share the list. */
export interface ArrangedPlan {
  plan: GraphPlan;
  phases: readonly PlanOrder[];
}

/** What waits for what: tasks, and the beginnings and ends of plans, as nodes of one graph. */
export class GraphNodes {
  readonly dag = new Dag();
  /** The node of a task is its place in this list. */
  readonly tasks: readonly GraphTask[];
  readonly nodes = new Map<string, number>();
  readonly plans = new Map<string, PlanNodes>();
  readonly planList: readonly GraphPlan[];
  /** The ends of plans that are needed and no part of this run, by their ids. */
  readonly others = new Map<string, number>();
  /** The plan whose end a node is. */
  private readonly ends = new Map<number, string>();
  private readonly gates = new Map<readonly PlanOrder[], number>();

  constructor(arranged: readonly ArrangedPlan[]) {
    this.planList = arranged.map(({ plan }) => plan);
    this.tasks = arranged.flatMap(({ plan }) => plan.tasks);
    for (const { id } of this.tasks) this.nodes.set(id, this.dag.addNode());
    for (const { plan } of arranged) this.addPlan(plan);
    for (const each of arranged) this.addOrder(each);
  }

  /** A task's id, or that of the plan whose end it is; undefined for what only stands between. */
  nameOf(node: number): string | undefined {
    return this.tasks[node]?.id ?? this.ends.get(node);
  }

  isTask(node: number): boolean {
    return node < this.tasks.length;
  }

  settledNodeOf(task: GraphTask): number {
    return this.plans.get(task.plan.id)!.settled;
  }

  private addPlan({ id, tasks }: GraphPlan): void {
    const { dag } = this;
    const plan = { begin: dag.addNode(), over: dag.addNode(), settled: dag.addNode() };
    this.plans.set(id, plan);
    this.ends.set(plan.over, id).set(plan.settled, id);
    for (const task of tasks) {
      const node = this.nodes.get(task.id)!;
      dag.addEdge(plan.begin, node);
      dag.addEdge(node, plan.over);
      dag.addEdge(node, plan.settled);
      for (const need of task.needs) dag.addEdge(this.nodes.get(need)!, node);
    }
  }

  private addOrder({ plan: { id, needs, after }, phases }: ArrangedPlan): void {
    const { begin } = this.plans.get(id)!;
    for (const need of needs) this.dag.addEdge(this.overOf(need), begin);
    if (phases.length > 0) this.dag.addEdge(this.gateOf(phases), begin);
    for (const { plan, because } of after) {
      if (because === 'files') this.dag.addEdge(this.plans.get(plan)!.settled, begin);
    }
  }

  private overOf(plan: string): number {
    const known = this.plans.get(plan)?.over ?? this.others.get(plan);
    if (known !== undefined) return known;
    const node = this.dag.addNode();
    this.others.set(plan, node);
    this.ends.set(node, plan);
    return node;
  }

  /** One node for all plans of a phase, as it may come behind hundreds. */
  private gateOf(phases: readonly PlanOrder[]): number {
    const known = this.gates.get(phases);
    if (known !== undefined) return known;
    const gate = this.dag.addNode();
    for (const { plan } of phases) this.dag.addEdge(this.plans.get(plan)!.settled, gate);
    this.gates.set(phases, gate);
    return gate;
  }
}

const NONE = -1;

/** What follows what, between numbered nodes. Whoever adds an edge sees to it that there is no circle. */
class Dag {
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
