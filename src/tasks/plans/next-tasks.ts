import { findCycles, nameCycle } from '../../core/graph.js';
import type { Issue } from '../../core/issue.js';
import { readPlanFrontmatter } from '../../core/task-plan/frontmatter.js';
import type { Task, TaskPlanIssue, TaskPlanIssueCode, TaskStatus } from '../../core/task-plan/types.js';
import type { FoundPlan, NextTasks, TaskRef, UnreadablePlan } from '../types.js';
import { compareIds } from './find-plans.js';

export function taskId(planId: string, index: number): string {
  return `${planId}:${index}`;
}

export function refOf(plan: FoundPlan, task: Task): TaskRef {
  return { id: taskId(plan.id, task.index), name: task.name };
}

/** What is wrong with a plan, its frontmatter included, in the order of lines. */
export function planIssues({ plan }: FoundPlan): TaskPlanIssue[] {
  return [...readPlanFrontmatter(plan).issues, ...plan.issues].sort(
    (one, other) => (one.line ?? 0) - (other.line ?? 0),
  );
}

/** What of the frontmatter may have said what comes first, and cannot be read. */
export function orderIssues({ plan }: FoundPlan): TaskPlanIssue[] {
  return readPlanFrontmatter(plan).orderIssues;
}

/** All that decides when a task can begin. */
export interface NextTasksContext {
  /** Every plan that another may depend on. */
  plans: readonly FoundPlan[];
  unreadable: readonly UnreadablePlan[];
  /** In the order of the plan's tasks. */
  conditionsOf(
    plan: FoundPlan,
  ): readonly { status: TaskStatus; aborted: boolean; behind: readonly string[] }[];
}

/**
 * What can begin now of `plans`, and what waits for what. A blocked task waits for what its error names, or for a person
 * where that is nothing; one that was aborted for a person.
 */
export function findNext(plans: readonly FoundPlan[], around: NextTasksContext): NextTasks {
  const result: NextTasks = { next: [], waiting: [] };
  for (const plan of plans) {
    const whole = planWaitsOn(plan, around.plans, around.unreadable);
    const sequence = isSequence(plan);
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
 * What a task still waits for: the ids of plans and of tasks of its own, and words of the plan that name neither. A
 * frontmatter that cannot be read is waited for, as it may have said more.
 */
export function waitsOn(
  plan: FoundPlan,
  task: Task,
  all: readonly FoundPlan[],
  unreadable: readonly UnreadablePlan[] = [],
): string[] {
  return [...planWaitsOn(plan, all, unreadable), ...taskWaitsOn(plan, task, isSequence(plan))];
}

function planWaitsOn(
  plan: FoundPlan,
  all: readonly FoundPlan[],
  unreadable: readonly UnreadablePlan[],
): string[] {
  const unread = unreadBefore(plan, unreadable).map(({ id }) => id);
  return [...new Set([...ownWaits(plan, all), ...unread])];
}

/** Those whose wave is not known, and may be an earlier one of its phase. */
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

/** The indexes of the tasks that come first: those that it names, else, in a sequence, the one before it. */
export function dependencies(task: Task, sequence: boolean): number[] {
  if (task.dependsOn) return [...task.dependsOn];
  return sequence && task.index > 1 ? [task.index - 1] : [];
}

/** Whether the order in which tasks stand is that in which they are done. */
export function isSequence({ plan }: FoundPlan): boolean {
  return !plan.tasks.some(({ dependsOn }) => dependsOn !== null) && !readPlanFrontmatter(plan).parallel;
}

/** The plans to check after a change in `plan`: once it is over, also those that waited for it. */
export function touchedPlans(plan: FoundPlan, all: readonly FoundPlan[]): FoundPlan[] {
  if (!isPlanOver(plan)) return [plan];
  return all.filter((other) => planDependencies(other, all).includes(plan.id));
}

/**
 * The ids of the plans that come first: those that it names, be it itself, and those of an earlier wave of its phase.
 * What it names and is not there stands as it is written.
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

/** Something is still to be done about it. */
function isOpen(status: TaskStatus): boolean {
  return status !== 'completed' && status !== 'skipped' && status !== 'in_progress';
}

/** What names a plan, whether or not it can be read. */
type NamedPlan = Pick<FoundPlan, 'path' | 'id' | 'phase'>;

/**
 * The plans that `plan` may mean by what it has written: an id, the name of a file or the end of its path, with or
 * without `-PLAN` and `.md`, a number of its own phase, or anything that begins with an id, such as `03-01-database`.
 * More than one may be meant. Case and leading zeros do not matter.
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

/** By list of plans: a caller that asks for one plan asks for all of them. */
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
    add(index.byId, plan.id, plan);
    add(index.byPhase, plan.phase, plan);
    for (const name of new Set([plainName(plan.id), plainName(file)])) add(index.byName, name, plan);
  }
  indexes.set(all, index);
  return index;
}

function add<Key, Plan>(plans: Plans<Key, Plan>, key: Key, plan: Plan): void {
  const same = plans.get(key);
  if (same) same.push(plan);
  else plans.set(key, [plan]);
}

/** What is wrong with a plan, by itself or among the others. */
export type TaskFileIssue = Issue<TaskPlanIssueCode | 'plan-unknown' | 'plan-circle'>;

/** Why plans never begin, by their paths: they wait on what is not there, or on each other. */
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

/** Where the frontmatter says what the plan depends on. */
export function dependsOnLine({ plan }: FoundPlan): { line?: number } {
  if (readPlanFrontmatter(plan).dependsOn.length === 0) return {};
  const at = plan.text.split('\n').findIndex((line) => line.startsWith('depends_on:'));
  return at === -1 ? {} : { line: at + 1 };
}

/** For each plan that is in one, the ids of all that wait on each other there. */
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
