import type { PlanTasks, ProjectTasks } from '../../tasks/plans/tasks.js';
import { isSettled } from './find-problems.js';
import type { GraphNodes } from './graph-nodes.js';
import type { GraphPlan, GraphTask } from './types.js';

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
  private readonly states = new Map<string, Settlement>();
  private readonly postponed = new Map<string, string[]>();
  private readonly facts = new Map<string, PlanTasks>();
  /** Plans that are needed and no part of this run, as far as they are over. */
  private readonly othersOver = new Set<string>();
  // Found when they are asked for, until something changes.
  private plansDone: PlansDone | undefined;
  private readyTasks: GraphTask[] | undefined;

  /** `facts` hold every plan of the graph, and those that these need. */
  constructor(
    private readonly nodes: GraphNodes,
    facts: readonly PlanTasks[],
  ) {
    this.plans = nodes.planList;
    this.tasks = new Map(nodes.tasks.map((task) => [task.id, task]));
    this.byRank = inOrderOfRank(nodes.tasks);
    for (const plan of facts) this.facts.set(plan.found.id, plan);
    for (const { id, status } of nodes.tasks) this.states.set(id, asState(status));
    for (const id of nodes.others.keys()) if (this.facts.get(id)!.isOver) this.othersOver.add(id);
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
    const node = this.nodeOf(id);
    const open = [...new Set(behind)].filter((other) => other !== id && this.isToBeDone(other));
    if (open.length === 0) return { status: 'nothing' };
    const { dag } = this.nodes;
    if (open.some((other) => dag.reaches(node, this.endOf(other)))) return { status: 'circle' };
    const before = this.postponed.get(id) ?? [];
    for (const other of open) if (!before.includes(other)) dag.addEdge(this.endOf(other), node);
    this.postponed.set(id, [...new Set([...before, ...open])]);
    this.forget();
    return { status: 'ok', behind: open };
  }

  /** What an open task still waits for: ids, and words for people. */
  waitsOn(id: string): string[] {
    const { plan, needs } = this.nodes.tasks[this.nodeOf(id)]!;
    const first = plan.after.filter((each) => !this.done.settled.has(each.plan));
    const phases = first.flatMap((each) =>
      each.because === 'phase' ? [`phase ${this.facts.get(each.plan)!.found.phase}`] : [],
    );
    const files = first.flatMap((each) =>
      each.because === 'files' ? [`${each.plan}, which writes ${listFiles(each.files)} too`] : [],
    );
    const needed = [...plan.needs, ...needs, ...(this.postponed.get(id) ?? [])];
    const unmet = needed.filter((other) => !this.isCompleted(other));
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
      if (isTask && this.stateOf(this.nodes.tasks[node]!.id) !== 'open') stuck.delete(node);
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
    this.othersOver.clear();
    for (const id of this.nodes.others.keys()) if (found.get(id)?.isOver) this.othersOver.add(id);
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
    return this.nodes.tasks.filter(({ id }) => this.stateOf(id) === state);
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

  private stateOf(task: string): Settlement {
    const state = this.states.get(task);
    if (state === undefined) throw new Error(`${task} is no task of this graph`);
    return state;
  }

  private isToBeDone(id: string): boolean {
    if (this.tasks.has(id)) return this.stateOf(id) === 'open';
    return this.nodes.plans.has(id) && !this.done.settled.has(id);
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
    if (!this.nodes.plans.has(id)) return `${id}, which is not part of this run`;
    if (this.facts.get(id)!.tasks.length === 0) return `${id}, which has no tasks`;
    return this.done.settled.has(id) ? `${id}, of which tasks were skipped` : id;
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

/** The highest first; those of one rank in the order in which they stand. */
function inOrderOfRank(tasks: readonly GraphTask[]): GraphTask[] {
  const byRank: GraphTask[][] = [];
  for (const task of tasks) {
    byRank[task.rank] ??= [];
    byRank[task.rank]!.push(task);
  }
  return byRank.reverse().flat();
}
