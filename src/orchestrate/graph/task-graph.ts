import type { PlanTasks, ProjectTasks } from '../../tasks/project-tasks.js';
import { isSettled } from './find-problems.js';
import type { GraphNodes } from './graph-nodes.js';
import type { GraphPlan, GraphTask } from './types.js';

export type Postponed =
  /** It waits for these from now on. */
  | { status: 'ok'; behind: string[] }
  /** Each waits for the next, from the task back to it: ids of tasks and plans. */
  | { status: 'circle'; path: string[] }
  /** All of them are completed, were given up or are no part of this run. */
  | { status: 'nothing' };

/** What is otherwise since the plans were last read. */
export interface GraphUpdate {
  /** Ids of plans that no longer are what the graph was made of: nothing of them was taken over. */
  changed: string[];
  completed: GraphTask[];
  skipped: GraphTask[];
  reopened: GraphTask[];
}

/** Tasks, what each waits for, and how far they are. Every change costs as much as what follows from it. */
export class TaskGraph {
  /** In the order of their ids. */
  readonly plans: readonly GraphPlan[];
  /** By id, in order. */
  readonly tasks: ReadonlyMap<string, GraphTask>;
  private readonly readiness: Readiness;
  private readonly postponed = new Map<string, string[]>();
  private readonly facts = new Map<string, PlanTasks>();

  /** `facts` hold every plan of the graph, and those that these need. */
  constructor(
    private readonly nodes: GraphNodes,
    facts: readonly PlanTasks[],
  ) {
    this.plans = nodes.planList;
    this.tasks = new Map(nodes.tasks.map((task) => [task.id, task]));
    for (const plan of facts) this.facts.set(plan.found.id, plan);
    this.readiness = new Readiness(this.nodes);
    for (const [id, node] of this.nodes.others) this.readiness.setOver(node, this.facts.get(id)!.isOver);
  }

  /** What can begin now or has begun: the longest way ahead first. */
  ready(): GraphTask[] {
    return this.readiness.list();
  }

  /** Whatever is neither completed nor skipped, in order. */
  open(): GraphTask[] {
    return this.inState('open');
  }

  skipped(): GraphTask[] {
    return this.inState('skipped');
  }

  settle(id: string, state: Settlement): void {
    this.readiness.settle(this.nodeOf(id), state);
  }

  /** Puts a task behind tasks and plans as well: all of those that are still to be done, or none. */
  postpone(id: string, behind: readonly string[]): Postponed {
    const node = this.nodeOf(id);
    const open = [...new Set(behind)].filter((other) => other !== id && this.isToBeDone(other));
    if (open.length === 0) return { status: 'nothing' };
    for (const other of open) {
      const way = this.nodes.dag.findWay(node, this.endOf(other));
      if (way) return { status: 'circle', path: this.nameWay([...way, node].reverse()) };
    }
    const before = this.postponed.get(id) ?? [];
    for (const other of open) if (!before.includes(other)) this.readiness.connect(this.endOf(other), node);
    this.postponed.set(id, [...new Set([...before, ...open])]);
    return { status: 'ok', behind: open };
  }

  /** What an open task still waits for: ids, and words for people. */
  waitsOn(id: string): string[] {
    const { plan, needs } = this.nodes.tasks[this.nodeOf(id)]!;
    const first = plan.after.filter(
      (each) => !this.readiness.isMet(this.nodes.plans.get(each.plan)!.settled),
    );
    const phases = first.flatMap((each) =>
      each.because === 'phase' ? [`phase ${this.facts.get(each.plan)!.found.phase}`] : [],
    );
    const files = first.flatMap((each) =>
      each.because === 'files' ? [`${each.plan}, which writes ${listFiles(each.files)} too`] : [],
    );
    const needed = [...plan.needs, ...needs, ...(this.postponed.get(id) ?? [])];
    const unmet = needed.filter((other) => !this.readiness.isMet(this.endOf(other)));
    return [...new Set([...unmet.map((other) => this.describe(other)), ...phases, ...files])];
  }

  /** The open tasks that cannot begin as long as this one was given up, or is failed, in order. */
  leaves(id: string, as: 'skipped' | 'failed' = 'skipped'): string[] {
    const start = this.nodeOf(id);
    const settled = this.nodes.settledNodeOf(this.nodes.tasks[start]!);
    // Of a task that was given up nothing is left to do, and that is all that some wait for.
    const isStuck = (node: number) => as === 'failed' || node !== settled;
    const stuck = new Set(this.nodes.dag.after(start).filter(isStuck));
    for (const node of stuck) {
      const isTask = this.nodes.isTask(node);
      if (isTask && this.readiness.stateOf(node) !== 'open') stuck.delete(node);
      else for (const next of this.nodes.dag.after(node)) stuck.add(next);
    }
    stuck.delete(start);
    return this.nodes.tasks.filter((_, node) => stuck.has(node)).map((task) => task.id);
  }

  /** The longest chain of tasks that had to follow each other, by what each took in ms. */
  criticalPath(durations: ReadonlyMap<string, number>): number {
    const weigh = (node: number) => durations.get(this.nodes.tasks[node]?.id ?? '') ?? 0;
    return this.nodes.dag.weighWays(weigh).reduce((most, each) => Math.max(most, each), 0);
  }

  /** The plans were read again: takes over how their tasks stand. */
  update({ plans, unreadable }: ProjectTasks): GraphUpdate {
    const update: GraphUpdate = { changed: [], completed: [], skipped: [], reopened: [] };
    const found = new Map<string, PlanTasks | null>();
    for (const plan of plans) found.set(plan.found.id, found.has(plan.found.id) ? null : plan);
    for (const { id } of unreadable) found.set(id, null);
    for (const { id } of this.plans) {
      const now = found.get(id);
      if (!now || !hasSameShape(this.facts.get(id)!, now)) update.changed.push(id);
      else this.takeOver(now, update);
    }
    for (const [id, node] of this.nodes.others) this.readiness.setOver(node, found.get(id)?.isOver ?? false);
    return update;
  }

  private takeOver(now: PlanTasks, update: GraphUpdate): void {
    this.facts.set(now.found.id, now);
    for (const { id, condition } of now.tasks) {
      const node = this.nodeOf(id);
      const state = asState(condition.status);
      if (state === this.readiness.stateOf(node)) continue;
      this.readiness.settle(node, state);
      update[state === 'open' ? 'reopened' : state].push(this.nodes.tasks[node]!);
    }
  }

  private inState(state: Settlement): GraphTask[] {
    return this.nodes.tasks.filter((_, node) => this.readiness.stateOf(node) === state);
  }

  private nodeOf(id: string): number {
    const node = this.nodes.nodes.get(id);
    if (node === undefined) throw new Error(`${id} is no task of this graph`);
    return node;
  }

  /** The node that says that a task, or a plan, is completed. */
  private endOf(id: string): number {
    const end = this.nodes.nodes.get(id) ?? this.nodes.plans.get(id)?.over ?? this.nodes.others.get(id);
    if (end === undefined) throw new Error(`${id} is neither a task nor a plan of this graph`);
    return end;
  }

  private isToBeDone(id: string): boolean {
    const node = this.nodes.nodes.get(id);
    if (node !== undefined) return this.readiness.stateOf(node) === 'open';
    const plan = this.nodes.plans.get(id);
    return plan !== undefined && !this.readiness.isMet(plan.settled);
  }

  private nameWay(way: readonly number[]): string[] {
    const names = way.flatMap((node) => this.nodes.nameOf(node) ?? []);
    return names.filter((name, i) => name !== names[i - 1]);
  }

  private describe(id: string): string {
    const node = this.nodes.nodes.get(id);
    if (node !== undefined)
      return this.readiness.stateOf(node) === 'skipped' ? `${id}, which was skipped` : id;
    const nodes = this.nodes.plans.get(id);
    if (!nodes) return `${id}, which is not part of this run`;
    if (this.facts.get(id)!.tasks.length === 0) return `${id}, which has no tasks`;
    return this.readiness.isMet(nodes.settled) ? `${id}, of which tasks were skipped` : id;
  }
}

/** How far a task is. */
function asState(status: GraphTask['status']): Settlement {
  return isSettled(status) ? (status as 'completed' | 'skipped') : 'open';
}

function listFiles(files: readonly string[]): string {
  const more = files.length - 1;
  return more === 0 ? files[0]! : `${files[0]} and ${more === 1 ? 'another file' : `${more} other files`}`;
}

/** Whether a plan still has the same tasks in the same order, however they stand and whatever is to be done in them. */
function hasSameShape(before: PlanTasks, now: PlanTasks): boolean {
  return (
    before === now ||
    (before.found.path === now.found.path &&
      before.found.phase === now.found.phase &&
      before.wave === now.wave &&
      isSame(before.needs, now.needs) &&
      isSame(before.unknown, now.unknown) &&
      before.tasks.length === now.tasks.length &&
      before.tasks.every(({ task, needs }, i) => {
        const other = now.tasks[i]!;
        return (
          task.name === other.task.name &&
          task.type === other.task.type &&
          isSame(needs, other.needs) &&
          isSame(task.dependsOnUnknown, other.task.dependsOnUnknown)
        );
      }))
  );
}

function isSame<T>(one: readonly T[], other: readonly T[]): boolean {
  return one.length === other.length && one.every((each, i) => each === other[i]);
}

/** `open`: something is still to be done about it. */
type Settlement = 'completed' | 'skipped' | 'open';

/** Which nodes have all that they wait for, kept up to date by counting down along the edges of what changed. */
class Readiness {
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
