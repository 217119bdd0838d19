import type { PlanTasks, ProjectTasks } from '../../tasks/plans/tasks.js';
import type { GraphPlan, GraphTask, PlanOrder } from './types.js';

export type Postponed =
  /** It waits for these from now on. */
  | { status: 'ok'; behind: string[] }
  /** One of them waits for the task. */
  | { status: 'circle' }
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

/** `open`: something is still to be done about it. */
type Settlement = 'completed' | 'skipped' | 'open';

/** Plans of which all tasks are completed, and those of which nothing is left to do, by id. */
interface PlansDone {
  over: Set<string>;
  settled: Set<string>;
}

/** Tasks, what each waits for, and how far they are. */
export class TaskGraph {
  /** In the order of their ids. */
  readonly plans: readonly GraphPlan[];
  /** By id, in order. */
  readonly tasks: ReadonlyMap<string, GraphTask>;
  private readonly byRank: readonly GraphTask[];
  private readonly dag: Dag;
  private readonly planIds: ReadonlySet<string>;
  private readonly states = new Map<string, Settlement>();
  private readonly postponed = new Map<string, string[]>();
  private readonly facts = new Map<string, PlanTasks>();
  /** Plans that are needed and no part of this run, as far as they are over. */
  private readonly othersOver = new Set<string>();
  // Found when they are asked for, until something changes.
  private plansDone: PlansDone | undefined;
  private readyTasks: GraphTask[] | undefined;

  /** `facts` hold every plan of the graph, and those that these need. */
  constructor(arranged: readonly ArrangedPlan[], facts: readonly PlanTasks[]) {
    this.plans = arranged.map(({ plan }) => plan);
    this.planIds = new Set(this.plans.map(({ id }) => id));
    const tasks = this.plans.flatMap((plan) => plan.tasks);
    this.tasks = new Map(tasks.map((task) => [task.id, task]));
    this.dag = arrangeNodes(arranged);
    const ranks = this.dag.weighWays((node) => (this.tasks.has(node) ? 1 : 0));
    for (const task of tasks as { id: string; rank: number }[]) task.rank = ranks.get(task.id)!;
    this.byRank = tasks.toSorted((one, other) => other.rank - one.rank);
    for (const plan of facts) this.facts.set(plan.found.id, plan);
    for (const { id, status } of tasks) this.states.set(id, asState(status));
    for (const id of this.others) if (this.facts.get(id)!.isOver) this.othersOver.add(id);
  }

  /** Plans that are needed and no part of this run. */
  private get others(): string[] {
    return this.plans.flatMap(({ needs }) => needs.filter((id) => !this.planIds.has(id)));
  }

  /** What can begin now or has begun: the longest way ahead first. */
  ready(): GraphTask[] {
    this.readyTasks ??= this.findReady();
    return [...this.readyTasks];
  }

  /** Whatever is neither completed nor skipped, in order. */
  open(): GraphTask[] {
    return this.inState('open');
  }

  skipped(): GraphTask[] {
    return this.inState('skipped');
  }

  settle(id: string, state: Settlement): void {
    if (this.stateOf(id) === state) return;
    this.states.set(id, state);
    this.forget();
  }

  /** Puts a task behind tasks and plans as well: all of those that are still to be done, or none. */
  postpone(id: string, behind: readonly string[]): Postponed {
    const open = [...new Set(behind)].filter((other) => other !== id && this.isToBeDone(other));
    if (open.length === 0) return { status: 'nothing' };
    if (open.some((other) => this.dag.reaches(id, this.endOf(other)))) return { status: 'circle' };
    const before = this.postponed.get(id) ?? [];
    for (const other of open) if (!before.includes(other)) this.dag.addEdge(this.endOf(other), id);
    this.postponed.set(id, [...new Set([...before, ...open])]);
    this.forget();
    return { status: 'ok', behind: open };
  }

  /** What an open task still waits for: ids, and words for people. */
  waitsOn(id: string): string[] {
    const { plan, needs } = this.tasks.get(id)!;
    const first = plan.after.filter((each) => !this.done.settled.has(each.plan));
    const phases = first.flatMap((each) =>
      each.because === 'phase' ? [`phase ${this.facts.get(each.plan)!.found.phase}`] : [],
    );
    const files = first.flatMap((each) =>
      each.because === 'files' ? [`${each.plan}, which also writes ${listFiles(each.files)}`] : [],
    );
    const needed = [...plan.needs, ...needs, ...(this.postponed.get(id) ?? [])];
    const unmet = needed.filter((other) => !this.isCompleted(other));
    return [...new Set([...unmet.map((other) => this.describe(other)), ...phases, ...files])];
  }

  /** The open tasks that cannot begin as long as this one was given up, or is failed, in order. */
  leaves(id: string, as: 'skipped' | 'failed' = 'skipped'): string[] {
    // Of a task that was given up nothing is left to do, and that is all that some wait for.
    const settled = settledNode(this.tasks.get(id)!.plan.id);
    const stuck = new Set(this.dag.after(id).filter((node) => as === 'failed' || node !== settled));
    for (const node of stuck) {
      if (this.tasks.has(node) && this.stateOf(node) !== 'open') stuck.delete(node);
      else for (const next of this.dag.after(node)) stuck.add(next);
    }
    stuck.delete(id);
    return [...this.tasks.keys()].filter((task) => stuck.has(task));
  }

  /** The longest chain of tasks that had to follow each other, by what each took in ms. */
  criticalPath(durations: ReadonlyMap<string, number>): number {
    const ways = this.dag.weighWays((node) => durations.get(node) ?? 0);
    return [...ways.values()].reduce((most, each) => Math.max(most, each), 0);
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
    this.othersOver.clear();
    for (const id of this.others) if (found.get(id)?.isOver) this.othersOver.add(id);
    this.forget();
    return update;
  }

  private takeOver(now: PlanTasks, update: GraphUpdate): void {
    this.facts.set(now.found.id, now);
    for (const { id, condition } of now.tasks) {
      const state = asState(condition.status);
      if (state === this.stateOf(id)) continue;
      this.settle(id, state);
      update[state === 'open' ? 'reopened' : state].push(this.tasks.get(id)!);
    }
  }

  private inState(state: Settlement): GraphTask[] {
    return [...this.tasks.values()].filter(({ id }) => this.stateOf(id) === state);
  }

  /** The node that says that a task, or a plan, is completed. */
  private endOf(id: string): string {
    return this.tasks.has(id) ? id : overNode(id);
  }

  private stateOf(task: string): Settlement {
    const state = this.states.get(task);
    if (state === undefined) throw new Error(`${task} is not in this graph`);
    return state;
  }

  private isToBeDone(id: string): boolean {
    if (this.tasks.has(id)) return this.stateOf(id) === 'open';
    return this.planIds.has(id) && !this.done.settled.has(id);
  }

  /** A task, or all tasks of a plan. */
  private isCompleted(id: string): boolean {
    return this.tasks.has(id) ? this.stateOf(id) === 'completed' : this.done.over.has(id);
  }

  private findReady(): GraphTask[] {
    const { over, settled } = this.done;
    const isOpenPlan = ({ needs, after }: GraphPlan) =>
      needs.every((id) => over.has(id)) && after.every(({ plan }) => settled.has(plan));
    const open = new Set(this.plans.filter(isOpenPlan));
    return this.byRank.filter(
      ({ id, plan, needs }) =>
        open.has(plan) &&
        this.stateOf(id) === 'open' &&
        [...needs, ...(this.postponed.get(id) ?? [])].every((other) => this.isCompleted(other)),
    );
  }

  private get done(): PlansDone {
    this.plansDone ??= this.findPlansDone();
    return this.plansDone;
  }

  /** Nobody knows when a plan is over that has no tasks. */
  private findPlansDone(): PlansDone {
    const isOver = ({ tasks }: GraphPlan) =>
      tasks.length > 0 && tasks.every(({ id }) => this.stateOf(id) === 'completed');
    const isSettledPlan = ({ tasks }: GraphPlan) => tasks.every(({ id }) => this.stateOf(id) !== 'open');
    const idsOf = (plans: readonly GraphPlan[]) => plans.map(({ id }) => id);
    return {
      over: new Set([...idsOf(this.plans.filter(isOver)), ...this.othersOver]),
      settled: new Set(idsOf(this.plans.filter(isSettledPlan))),
    };
  }

  private forget(): void {
    this.plansDone = undefined;
    this.readyTasks = undefined;
  }

  private describe(id: string): string {
    if (this.tasks.has(id)) return this.stateOf(id) === 'skipped' ? `${id}, which was skipped` : id;
    if (!this.planIds.has(id)) return `${id}, which is not part of this run`;
    if (this.facts.get(id)!.tasks.length === 0) return `${id}, which has no tasks`;
    return this.done.settled.has(id) ? `${id}, which has skipped tasks` : id;
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

export function isSettled(status: GraphTask['status']): boolean {
  return status === 'completed' || status === 'skipped';
}

/** A plan, and what of its `after` is so because of phases: plans of one phase share the list. */
export interface ArrangedPlan {
  plan: GraphPlan;
  phases: readonly PlanOrder[];
}

const beginNode = (plan: string) => `start ${plan}`;
/** All tasks of a plan are completed. */
const overNode = (plan: string) => `over ${plan}`;
/** Nothing of a plan is left to do. */
const settledNode = (plan: string) => `settled ${plan}`;

/** What waits for what: tasks, by their ids, and the beginnings and ends of plans, as nodes of one graph. */
function arrangeNodes(arranged: readonly ArrangedPlan[]): Dag {
  const dag = new Dag();
  const gates = new Map<readonly PlanOrder[], string>();
  // One node for all plans of a phase, as it may come behind hundreds.
  const gateOf = (phases: readonly PlanOrder[]): string => {
    const gate = gates.get(phases) ?? `gate ${gates.size}`;
    if (!gates.has(phases)) for (const { plan } of phases) dag.addEdge(settledNode(plan), gate);
    gates.set(phases, gate);
    return gate;
  };
  for (const { plan, phases } of arranged) {
    const begin = beginNode(plan.id);
    for (const { id, needs } of plan.tasks) {
      dag.addEdge(begin, id);
      dag.addEdge(id, overNode(plan.id));
      dag.addEdge(id, settledNode(plan.id));
      for (const need of needs) dag.addEdge(need, id);
    }
    for (const need of plan.needs) dag.addEdge(overNode(need), begin);
    if (phases.length > 0) dag.addEdge(gateOf(phases), begin);
    for (const first of plan.after)
      if (first.because === 'files') dag.addEdge(settledNode(first.plan), begin);
  }
  return dag;
}

/** What follows what, between named nodes. Whoever adds an edge sees to it that there is no circle. */
class Dag {
  private readonly next = new Map<string, string[]>();

  addEdge(from: string, to: string): void {
    const following = this.next.get(from);
    if (following) following.push(to);
    else this.next.set(from, [to]);
    if (!this.next.has(to)) this.next.set(to, []);
  }

  /** The nodes that follow directly. */
  after(node: string): readonly string[] {
    return this.next.get(node) ?? [];
  }

  reaches(from: string, to: string): boolean {
    const seen = new Set([from]);
    for (const node of seen) {
      if (node === to) return true;
      for (const next of this.after(node)) seen.add(next);
    }
    return false;
  }

  /** For each node the weight of the heaviest way that begins there, its own included. */
  weighWays(weightOf: (node: string) => number): Map<string, number> {
    const weights = new Map<string, number>();
    for (const node of this.sort().reverse()) {
      let most = 0;
      for (const next of this.after(node)) most = Math.max(most, weights.get(next)!);
      weights.set(node, most + weightOf(node));
    }
    return weights;
  }

  /** Each node behind all that lead to it. */
  private sort(): string[] {
    const counts = new Map<string, number>();
    for (const following of this.next.values())
      for (const node of following) counts.set(node, (counts.get(node) ?? 0) + 1);
    const order = [...this.next.keys()].filter((node) => !counts.has(node));
    for (const node of order) {
      for (const next of this.after(node)) {
        const left = counts.get(next)! - 1;
        counts.set(next, left);
        if (left === 0) order.push(next);
      }
    }
    return order;
  }
}
