import { findCycles, nameCycle } from '../../core/graph.js';
import { addToGroup } from '../../core/groups.js';
import type { Issue } from '../../core/issue.js';
import { readPlanFrontmatter } from '../../core/task-plan/frontmatter.js';
import { dependencies, isSequence } from '../../core/task-plan/order.js';
import type { Task, TaskPlanIssue, TaskPlanIssueCode, TaskStatus } from '../../core/task-plan/types.js';
import type { FoundPlan, NextTasks, TaskRef, UnreadablePlan } from '../types.js';
import { compareIds } from './find-plans.js';

export function taskId(planId: string, index: number): string {
  return `${planId}:${index}`;
}

export function refOf(plan: FoundPlan, task: Task): TaskRef {
  return { id: taskId(plan.id, task.index), name: task.name };
}

/** The issues of a plan and its frontmatter, by line. */
export function planIssues({ plan }: FoundPlan): TaskPlanIssue[] {
  return [...readPlanFrontmatter(plan).issues, ...plan.issues].sort(
    (one, other) => (one.line ?? 0) - (other.line ?? 0),
  );
}

/** Unreadable frontmatter that may have named dependencies. */
export function orderIssues({ plan }: FoundPlan): TaskPlanIssue[] {
  return readPlanFrontmatter(plan).orderIssues;
}

/** Everything that determines when a task can start. */
export interface NextTasksContext {
  /** All plans that others may depend on. */
  plans: readonly FoundPlan[];
  unreadable: readonly UnreadablePlan[];
  /** In the order of the plan's tasks. */
  conditionsOf(
    plan: FoundPlan,
  ): readonly { status: TaskStatus; aborted: boolean; behind: readonly string[] }[];
}

/**
 * Lists which tasks of `plans` can start, and what the others wait for. A blocked task waits for what its error names, or
 * else for the user; an aborted one waits for the user.
 */
export function findNext(plans: readonly FoundPlan[], around: NextTasksContext): NextTasks {
  const result: NextTasks = { next: [], waiting: [] };
  for (const plan of plans) {
    const whole = planWaitsOn(plan, around.plans, around.unreadable);
    const sequence = isSequence(plan.plan);
    const conditions = around.conditionsOf(plan);
    for (const task of plan.plan.tasks) {
      const { status, aborted, behind } = conditions[task.index - 1]!;
      if (!isOpen(status)) continue;
      const ref = refOf(plan, task);
      const queued = behind.filter((id) => !isDone(id, around.plans));
      const first = [...whole, ...taskWaitsOn(plan, task, sequence), ...queued];
      const on = [...new Set(first), ...(aborted ? ['a person'] : [])];
      const isStuck = status === 'blocked' && behind.length === 0;
      if (on.length > 0 || isStuck) result.waiting.push({ ...ref, on });
      else result.next.push(ref);
    }
  }
  return result;
}

/**
 * What a task still waits for: ids of plans and of tasks in its own plan, and words that match neither. Unreadable
 * frontmatter counts, because it may have named more.
 */
export function waitsOn(
  plan: FoundPlan,
  task: Task,
  all: readonly FoundPlan[],
  unreadable: readonly UnreadablePlan[] = [],
): string[] {
  return [...planWaitsOn(plan, all, unreadable), ...taskWaitsOn(plan, task, isSequence(plan.plan))];
}

function planWaitsOn(
  plan: FoundPlan,
  all: readonly FoundPlan[],
  unreadable: readonly UnreadablePlan[],
): string[] {
  const unread = unreadBefore(plan, unreadable).map(({ id }) => id);
  return [...new Set([...ownWaits(plan, all), ...unread])];
}

/** Plans of its phase whose wave is unknown, and may be an earlier one. */
export function unreadBefore(plan: FoundPlan, unreadable: readonly UnreadablePlan[]): UnreadablePlan[] {
  const isLater = (readPlanFrontmatter(plan.plan).wave ?? 1) > 1;
  return isLater ? unreadable.filter(({ phase }) => phase === plan.phase) : [];
}

function ownWaits(plan: FoundPlan, all: readonly FoundPlan[]): string[] {
  return [
    ...(plansOf(plan.id, all).some(({ path }) => path !== plan.path) ? ['a unique id'] : []),
    ...(orderIssues(plan).length > 0 ? ['frontmatter'] : []),
    ...planDependencies(plan, all).filter((id) => !areOver(plansOf(id, all))),
  ];
}

function areOver(plans: readonly FoundPlan[]): boolean {
  return plans.length > 0 && plans.every(isPlanOver);
}

function taskWaitsOn(plan: FoundPlan, task: Task, sequence: boolean): string[] {
  const { tasks } = plan.plan;
  return [
    ...task.dependsOnUnknown,
    ...dependencies(task, sequence)
      .filter((index) => !isOver(tasks[index - 1]))
      .map((index) => taskId(plan.id, index)),
  ];
}

/** The plans to check after a change in `plan`: once it is complete, also those that waited for it. */
export function touchedPlans(plan: FoundPlan, all: readonly FoundPlan[]): FoundPlan[] {
  if (!isPlanOver(plan)) return [plan];
  return all.filter((other) => planDependencies(other, all).includes(plan.id));
}

/**
 * Ids of the plans that come first: those that it names (even itself), and those of earlier waves of its phase. Names
 * that match no plan are returned as written.
 */
export function planDependencies(plan: FoundPlan, all: readonly FoundPlan[]): string[] {
  const { dependsOn, wave } = readPlanFrontmatter(plan.plan);
  const named = dependsOn.flatMap((written) => {
    const found = fitPlans(written, plan, all);
    return found.length === 0 ? [written] : found.map(({ id }) => id);
  });
  const siblings = wave === null ? [] : plansOfPhase(plan.phase, all);
  const earlier = siblings.filter((other) => (readPlanFrontmatter(other.plan).wave ?? wave!) < wave!);
  return [...new Set([...named, ...earlier.map(({ id }) => id)])];
}

/** Whether a task, or a whole plan, is completed. */
export function isDone(id: string, plans: readonly FoundPlan[]): boolean {
  const whole = plansOf(id, plans);
  if (whole.length > 0) return areOver(whole);
  const plan = plansOf(id.slice(0, id.lastIndexOf(':')), plans)[0];
  return isOver(plan?.plan.tasks[Number(id.slice(id.lastIndexOf(':') + 1)) - 1]);
}

export function isPlanOver({ plan }: FoundPlan): boolean {
  return plan.tasks.length > 0 && plan.tasks.every(isOver);
}

/** A skipped task is not done: tasks that depend on it still wait. */
function isOver(task: Task | undefined): boolean {
  return task?.status === 'completed';
}

/** Whether it still needs work. */
function isOpen(status: TaskStatus): boolean {
  return status !== 'completed' && status !== 'skipped' && status !== 'in_progress';
}

/** The names of a plan, readable or not. */
type NamedPlan = Pick<FoundPlan, 'path' | 'id' | 'phase'>;

/**
 * The plans that a dependency of `plan` may refer to: by id, by file name or the end of a path (with or without `-PLAN` and
 * `.md`), by a number in its own phase, or by anything that starts with an id, such as `03-01-database`. There may be several.
 * Case and leading zeros do not matter.
 */
export function fitPlans<Plan extends NamedPlan>(
  written: string,
  plan: NamedPlan,
  all: readonly Plan[],
): Plan[] {
  const parts = written.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  const name = plainName(parts.pop() ?? '');
  const known = indexOf(all).byName;
  const isNumber = /^\d+$/.test(name) && plan.phase !== null;
  const sibling = isNumber ? known.get(plainName(`${plan.phase}-${name}`)) : undefined;
  const found = sibling ?? known.get(name) ?? known.get(ID_FIRST.exec(name)?.[1] ?? '') ?? [];
  const folders = `/${parts.join('/')}`;
  return found.filter(({ path }) => parts.length === 0 || folderOf(path).endsWith(folders));
}

/** No blank may follow: `03-01 and 03-02` is more than `03-01`. */
const ID_FIRST = /^(\d{1,9}(?:\.\d{1,9})*-\d{1,9})[-_:]\S*$/;

/** `3-1-database` of `03-01-Database-PLAN.md`. */
function plainName(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/\.md$/, '')
    .replace(/-plan$/, '')
    .replace(/(?<!\d)0+(?=\d)/g, '');
}

function folderOf(path: string): string {
  return `/${path.slice(0, Math.max(0, path.lastIndexOf('/')))}`;
}

/** Every plan that has this id. */
export function plansOf<Plan extends NamedPlan>(id: string, all: readonly Plan[]): readonly Plan[] {
  return indexOf(all).byId.get(id) ?? [];
}

/** Every plan of this phase. */
function plansOfPhase<Plan extends NamedPlan>(phase: string | null, all: readonly Plan[]): readonly Plan[] {
  return indexOf(all).byPhase.get(phase) ?? [];
}

type Plans<Key, Plan> = Map<Key, Plan[]>;

/** Cached per list of plans: callers ask for one plan after the other. */
const indexes = new WeakMap<readonly NamedPlan[], Index<NamedPlan>>();

interface Index<Plan> {
  byId: Plans<string, Plan>;
  byName: Plans<string, Plan>;
  byPhase: Plans<string | null, Plan>;
}

function indexOf<Plan extends NamedPlan>(all: readonly Plan[]): Index<Plan> {
  const before = indexes.get(all) as Index<Plan> | undefined;
  if (before) return before;
  const index: Index<Plan> = { byId: new Map(), byName: new Map(), byPhase: new Map() };
  for (const plan of all) {
    const file = plan.path.slice(plan.path.lastIndexOf('/') + 1);
    addToGroup(index.byId, plan.id, plan);
    addToGroup(index.byPhase, plan.phase, plan);
    for (const name of new Set([plainName(plan.id), plainName(file)])) addToGroup(index.byName, name, plan);
  }
  indexes.set(all, index);
  return index;
}

/** The problems of a plan, by itself or in relation to others. */
export type TaskFileIssue = Issue<TaskPlanIssueCode | 'plan-unknown' | 'plan-circle'>;

/** Why plans can never start, by path: they wait for something that does not exist, or for each other. */
export function findDeadEnds(
  all: readonly FoundPlan[],
  unreadable: readonly UnreadablePlan[],
): Map<string, TaskFileIssue[]> {
  const open = all.filter((plan) => !isPlanOver(plan));
  const cycles = cyclesByPlan(open, all);
  return new Map(
    open.map((plan) => {
      const cycle = cycles.get(plan.id);
      return [plan.path, [...unknownOf(plan, all, unreadable), ...(cycle ? [cycleIssue(plan, cycle)] : [])]];
    }),
  );
}

function unknownOf(
  plan: FoundPlan,
  all: readonly FoundPlan[],
  unreadable: readonly UnreadablePlan[],
): TaskFileIssue[] {
  return [...new Set(readPlanFrontmatter(plan.plan).dependsOn)]
    .filter(
      (written) =>
        fitPlans(written, plan, all).length === 0 && fitPlans(written, plan, unreadable).length === 0,
    )
    .map((written) => ({
      code: 'plan-unknown',
      severity: 'warning',
      message: `"depends_on" in the frontmatter names ${written}, which does not exist, so ${plan.id} never starts.`,
      hint: 'Use the id of an existing task file, or remove it.',
      ...dependsOnLine(plan),
    }));
}

function cycleIssue(plan: FoundPlan, cycle: readonly string[]): TaskFileIssue {
  const message =
    cycle.length === 1
      ? `Dependency cycle: ${plan.id} depends on itself, so it never starts.`
      : `Dependency cycle: ${nameCycle(cycle)} wait for each other, so they never start.`;
  return {
    code: 'plan-circle',
    severity: 'warning',
    message,
    hint: 'Remove one of them from the "depends_on" of another, or change its "wave".',
    ...dependsOnLine(plan),
  };
}

/** The line of the dependencies in the frontmatter. */
export function dependsOnLine({ plan }: FoundPlan): { line?: number } {
  if (readPlanFrontmatter(plan).dependsOn.length === 0) return {};
  const at = plan.text.split('\n').findIndex((line) => line.startsWith('depends_on:'));
  return at === -1 ? {} : { line: at + 1 };
}

/** For each plan in a cycle, the ids of all plans in it. */
function cyclesByPlan(open: readonly FoundPlan[], all: readonly FoundPlan[]): Map<string, string[]> {
  const waits = new Map<string, string[]>(open.map(({ id }) => [id, []]));
  for (const plan of open)
    for (const id of planDependencies(plan, all)) if (waits.has(id)) waits.get(plan.id)!.push(id);
  const cycles = new Map<string, string[]>();
  for (const cycle of findCycles(waits)) {
    cycle.sort(compareIds);
    for (const id of cycle) cycles.set(id, cycle);
  }
  return cycles;
}
