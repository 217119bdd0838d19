import type { PlanTasks, ProjectTasks } from '../../tasks/plans/tasks.js';
import type { GraphPlan, GraphTask } from './types.js';

export type Postponed =
  /** It waits for these from now on. */
  | { status: 'ok'; behind: string[] }
  /** One of them waits for the task. */
  | { status: 'circle' }
  /** All of them are completed, skipped or not part of this run. */
  | { status: 'nothing' };

/** What changed since the task files were last read. */
export interface GraphUpdate {
  /** Ids of plans whose tasks differ from those in the graph: none of their changes apply. */
  changed: string[];
  completed: GraphTask[];
  skipped: GraphTask[];
  reopened: GraphTask[];
}

/** `open`: not completed and not skipped. */
type Settlement = 'completed' | 'skipped' | 'open';

/** Ids of plans: `over` if all tasks are completed, `settled` if none is open. */
interface PlansDone {
  over: Set<string>;
  settled: Set<string>;
}

/** Tasks, what each waits for, and their state. */
export class TaskGraph {
  /** By id, in order. */
  readonly tasks: ReadonlyMap<string, GraphTask>;
  private readonly byRank: readonly GraphTask[];
  private readonly dag: Dag;
  private readonly planIds: ReadonlySet<string>;
  private readonly states = new Map<string, Settlement>();
  private readonly postponed = new Map<string, string[]>();
  private readonly facts = new Map<string, PlanTasks>();
  /** Completed plans that are needed and not part of this run. */
  private readonly othersOver = new Set<string>();
  /** Whether two plans write the same files, by their ids. */
  private readonly sharing = new Map<string, boolean>();
  // Computed on demand, until something changes.
  private plansDone: PlansDone | undefined;
  private readyTasks: GraphTask[] | undefined;

  /** `facts`: every plan of the graph, and those that they need. */
  constructor(
    readonly plans: readonly GraphPlan[],
    facts: readonly PlanTasks[],
  ) {
    this.planIds = new Set(this.plans.map(({ id }) => id));
    const tasks = this.plans.flatMap((plan) => plan.tasks);
    this.tasks = new Map(tasks.map((task) => [task.id, task]));
    this.dag = connectNodes(this.plans);
    const ranks = this.dag.longestPaths((node) => (this.tasks.has(node) ? 1 : 0));
    for (const task of tasks as { id: string; rank: number }[]) task.rank = ranks.get(task.id)!;
    this.byRank = tasks.toSorted((one, other) => other.rank - one.rank);
    for (const plan of facts) this.facts.set(plan.found.id, plan);
    for (const { id, status } of tasks) this.states.set(id, asState(status));
    for (const id of this.others) if (this.facts.get(id)!.isOver) this.othersOver.add(id);
  }

  /** Plans that are needed and not part of this run. */
  private get others(): string[] {
    return this.plans.flatMap(({ needs }) => needs.filter((id) => !this.planIds.has(id)));
  }

  /** What can start now or has started: the longest path ahead first. */
  ready(): GraphTask[] {
    this.readyTasks ??= this.findReady();
    return [...this.readyTasks];
  }

  /** Neither completed nor skipped, in order. */
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

  /** Makes a task wait for other tasks and plans: for all of them that are open, or for none. */
  postpone(id: string, behind: readonly string[]): Postponed {
    const open = [...new Set(behind)].filter((other) => other !== id && this.isOpen(other));
    if (open.length === 0) return { status: 'nothing' };
    if (open.some((other) => this.dag.reaches(id, this.endOf(other)))) return { status: 'circle' };
    const before = this.postponed.get(id) ?? [];
    for (const other of open) if (!before.includes(other)) this.dag.addEdge(this.endOf(other), id);
    this.postponed.set(id, [...new Set([...before, ...open])]);
    this.forget();
    return { status: 'ok', behind: open };
  }

  /** Whether two tasks must not run at the same time: task files that write the same, and tasks of one file that do. */
  shareFiles(one: GraphTask, other: GraphTask): boolean {
    if (one.plan === other.plan) return overlap(one.files, other.files);
    const key = [one.plan.id, other.plan.id].sort().join(' ');
    const known = this.sharing.get(key) ?? overlap(one.plan.files, other.plan.files);
    this.sharing.set(key, known);
    return known;
  }

  /** What an open task still waits for: ids, and words for the user. */
  waitsOn(id: string): string[] {
    const { plan, needs } = this.tasks.get(id)!;
    const earlier = plan.after.filter((each) => !this.done.settled.has(each));
    const phases = earlier.map((each) => `phase ${this.facts.get(each)!.found.phase}`);
    const needed = [...plan.needs, ...needs, ...(this.postponed.get(id) ?? [])];
    const unmet = needed.filter((other) => !this.isCompleted(other));
    return [...new Set([...unmet.map((other) => this.describe(other)), ...phases])];
  }

  /** The open tasks that cannot start while this one is skipped or failed, in order. */
  leaves(id: string, as: 'skipped' | 'failed' = 'skipped'): string[] {
    // A skipped task still settles its plan, which is all that later phases wait for.
    const settled = settledNode(this.tasks.get(id)!.plan.id);
    const waiting = new Set(this.dag.after(id).filter((node) => as === 'failed' || node !== settled));
    for (const node of waiting) {
      if (this.tasks.has(node) && this.stateOf(node) !== 'open') waiting.delete(node);
      else for (const next of this.dag.after(node)) waiting.add(next);
    }
    waiting.delete(id);
    return [...this.tasks.keys()].filter((task) => waiting.has(task));
  }

  /** The longest chain of tasks that had to follow each other, by their durations in ms. */
  criticalPath(durations: ReadonlyMap<string, number>): number {
    const paths = this.dag.longestPaths((node) => durations.get(node) ?? 0);
    return [...paths.values()].reduce((most, each) => Math.max(most, each), 0);
  }

  /** The task files were read again: applies the states of their tasks. */
  update({ plans, unreadable }: ProjectTasks): GraphUpdate {
    const update: GraphUpdate = { changed: [], completed: [], skipped: [], reopened: [] };
    const found = new Map<string, PlanTasks | null>();
    for (const plan of plans) found.set(plan.found.id, found.has(plan.found.id) ? null : plan);
    for (const { id } of unreadable) found.set(id, null);
    for (const { id } of this.plans) {
      const now = found.get(id);
      if (!now || !hasSameShape(this.facts.get(id)!, now)) update.changed.push(id);
      else this.applyPlan(now, update);
    }
    this.othersOver.clear();
    for (const id of this.others) if (found.get(id)?.isOver) this.othersOver.add(id);
    this.forget();
    return update;
  }

  private applyPlan(now: PlanTasks, update: GraphUpdate): void {
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

  /** The node for the completion of a task or a plan. */
  private endOf(id: string): string {
    return this.tasks.has(id) ? id : overNode(id);
  }

  private stateOf(task: string): Settlement {
    const state = this.states.get(task);
    if (state === undefined) throw new Error(`${task} is not in this graph`);
    return state;
  }

  private isOpen(id: string): boolean {
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
      needs.every((id) => over.has(id)) && after.every((id) => settled.has(id));
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

  /** A plan without tasks is never completed: its tasks may still have to be written. */
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

function asState(status: GraphTask['status']): Settlement {
  return isSettled(status) ? (status as 'completed' | 'skipped') : 'open';
}

/** Whether two lists of files overlap. A folder includes everything below it. */
function overlap(one: readonly string[], other: readonly string[]): boolean {
  const includes = (folder: string, path: string) => folder === '.' || path.startsWith(`${folder}/`);
  return one.some((path) =>
    other.some((each) => path === each || includes(path, each) || includes(each, path)),
  );
}

/** Whether a plan still has the same tasks in the same order, whatever their state and text. */
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

const startNode = (plan: string) => `start ${plan}`;
/** All tasks of a plan are completed. */
const overNode = (plan: string) => `over ${plan}`;
/** No task of a plan is open. */
const settledNode = (plan: string) => `settled ${plan}`;

/** One graph of the tasks, by their ids, and the starts and ends of plans. */
function connectNodes(plans: readonly GraphPlan[]): Dag {
  const dag = new Dag();
  const gates = new Map<readonly string[], string>();
  // One node for all plans of a phase, because it may follow hundreds.
  const gateOf = (after: readonly string[]): string => {
    const gate = gates.get(after) ?? `gate ${gates.size}`;
    if (!gates.has(after)) for (const plan of after) dag.addEdge(settledNode(plan), gate);
    gates.set(after, gate);
    return gate;
  };
  for (const plan of plans) {
    const start = startNode(plan.id);
    for (const { id, needs } of plan.tasks) {
      dag.addEdge(start, id);
      dag.addEdge(id, overNode(plan.id));
      dag.addEdge(id, settledNode(plan.id));
      for (const need of needs) dag.addEdge(need, id);
    }
    for (const need of plan.needs) dag.addEdge(overNode(need), start);
    if (plan.after.length > 0) dag.addEdge(gateOf(plan.after), start);
  }
  return dag;
}

/** A directed graph of named nodes. The caller adds no edge that closes a cycle. */
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

  /** For each node, the weight of the heaviest path that starts there, including its own. */
  longestPaths(weightOf: (node: string) => number): Map<string, number> {
    const weights = new Map<string, number>();
    for (const node of this.sort().reverse()) {
      let most = 0;
      for (const next of this.after(node)) most = Math.max(most, weights.get(next)!);
      weights.set(node, most + weightOf(node));
    }
    return weights;
  }

  /** Each node after all that lead to it. */
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
