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
  private readonly gates = new Map<readonly PlanOrder[], number>();

  constructor(arranged: readonly ArrangedPlan[]) {
    this.planList = arranged.map(({ plan }) => plan);
    this.tasks = arranged.flatMap(({ plan }) => plan.tasks);
    for (const { id } of this.tasks) this.nodes.set(id, this.dag.addNode());
    for (const { plan } of arranged) this.addPlan(plan);
    for (const each of arranged) this.addOrder(each);
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

/** What follows what, between numbered nodes. Whoever adds an edge sees to it that there is no circle. */
class Dag {
  private readonly next: number[][] = [];

  /** Gives the number of a new node: they count from 0. */
  addNode(): number {
    return this.next.push([]) - 1;
  }

  addEdge(from: number, to: number): void {
    this.next[from]!.push(to);
  }

  /** The nodes that follow directly. */
  after(node: number): readonly number[] {
    return this.next[node]!;
  }

  reaches(from: number, to: number): boolean {
    const seen = new Set([from]);
    for (const node of seen) {
      if (node === to) return true;
      for (const next of this.after(node)) seen.add(next);
    }
    return false;
  }

  /** For each node the weight of the heaviest way that begins there, its own included. */
  weighWays(weightOf: (node: number) => number): number[] {
    const weights = this.next.map(() => 0);
    for (const node of this.sort().reverse()) {
      let most = 0;
      for (const next of this.after(node)) most = Math.max(most, weights[next]!);
      weights[node] = most + weightOf(node);
    }
    return weights;
  }

  /** Each node behind all that lead to it. */
  private sort(): number[] {
    const counts = this.next.map(() => 0);
    for (const following of this.next) for (const node of following) counts[node]!++;
    const order = counts.flatMap((count, node) => (count === 0 ? [node] : []));
    for (const node of order) {
      for (const next of this.after(node)) {
        counts[next]!--;
        if (counts[next] === 0) order.push(next);
      }
    }
    return order;
  }
}
