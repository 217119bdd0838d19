import type { GraphNodes } from './graph-nodes.js';
import type { GraphTask } from './types.js';

/** `open`: something is still to be done about it. */
export type Settlement = 'completed' | 'skipped' | 'open';

/** Which nodes have all that they wait for, kept up to date by counting down along the edges of what changed. */
export class Readiness {
  private readonly states: Settlement[];
  private readonly unmet: number[];
  private readonly met: boolean[];
  /** The place of each task in the order in which ready ones are begun. */
  private readonly places: Int32Array;
  /** The places of those that are ready, ascending. */
  private ready: number[] | undefined;
  private readonly byPlace: readonly GraphTask[];
  /** The nodes of which the tasks are not counted down by being completed. */
  private readonly settledNodes: ReadonlySet<number>;

  constructor(private readonly nodes: GraphNodes) {
    const { dag, tasks, plans } = nodes;
    this.settledNodes = new Set([...plans.values()].map(({ settled }) => settled));
    this.unmet = [...dag.countBefore()];
    this.met = this.unmet.map(() => false);
    this.states = tasks.map(() => 'open');
    this.byPlace = inOrderOfRank(tasks);
    this.places = new Int32Array(tasks.length);
    this.byPlace.forEach(({ id }, place) => {
      this.places[nodes.nodes.get(id)!] = place;
    });
    // Nobody knows when a plan is done that has no tasks; nor are we told of those that are no part of this run.
    for (const { over } of plans.values()) if (this.unmet[over] === 0) this.unmet[over] = 1;
    for (const node of nodes.others.values()) this.unmet[node] = 1;
    for (let node = tasks.length; node < dag.size; node++) this.setMet(node, this.unmet[node] === 0);
    tasks.forEach(({ status }, node) => {
      if (status === 'completed' || status === 'skipped') this.settle(node, status);
    });
  }

  stateOf(task: number): Settlement {
    return this.states[task]!;
  }

  /** Of a task: it is completed. */
  isMet(node: number): boolean {
    return this.met[node]!;
  }

  /** In the order of their ranks. */
  list(): GraphTask[] {
    this.ready ??= this.byPlace.flatMap(({ id }, place) =>
      this.isReady(this.nodes.nodes.get(id)!) ? [place] : [],
    );
    return this.ready.map((place) => this.byPlace[place]!);
  }

  settle(task: number, state: Settlement): void {
    const before = this.states[task]!;
    if (before === state) return;
    this.states[task] = state;
    this.setMet(task, state === 'completed');
    if ((before === 'open') !== (state === 'open')) {
      this.count(this.nodes.settledNodeOf(this.nodes.tasks[task]!), state !== 'open');
    }
    this.place(task);
  }

  setOver(node: number, isOver: boolean): void {
    this.setMet(node, isOver);
  }

  /** From now on `to` waits for `from` too. */
  connect(from: number, to: number): void {
    this.nodes.dag.addEdge(from, to);
    if (!this.met[from]) this.count(to, false);
  }

  private setMet(node: number, isMet: boolean): void {
    if (this.met[node] === isMet) return;
    this.met[node] = isMet;
    for (const next of this.nodes.dag.after(node)) {
      // A task counts there once it is skipped, too.
      if (!(this.nodes.isTask(node) && this.settledNodes.has(next))) this.count(next, isMet);
    }
  }

  /** One more of those that `node` waits for is met, or one fewer. */
  private count(node: number, isMet: boolean): void {
    this.unmet[node]! += isMet ? -1 : 1;
    if (this.nodes.isTask(node)) this.place(node);
    else this.setMet(node, this.unmet[node] === 0);
  }

  private isReady(task: number): boolean {
    return this.states[task] === 'open' && this.unmet[task] === 0;
  }

  private place(task: number): void {
    if (!this.ready) return;
    const place = this.places[task]!;
    const at = lowerBound(this.ready, place);
    const isListed = this.ready[at] === place;
    const isReady = this.isReady(task);
    if (isReady && !isListed) this.ready.splice(at, 0, place);
    else if (!isReady && isListed) this.ready.splice(at, 1);
  }
}

/** The highest first; those of one rank in the order in which they stand. */
function inOrderOfRank(tasks: readonly GraphTask[]): GraphTask[] {
  const byRank: GraphTask[][] = [];
  for (const task of tasks) {
    byRank[task.rank] ??= [];
    byRank[task.rank]!.push(task);
  }
  return byRank.reverse().flat();
}

/** The first place in a sorted list that is not below `value`. */
function lowerBound(list: readonly number[], value: number): number {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (list[middle]! < value) from = middle + 1;
    else to = middle;
  }
  return from;
}
