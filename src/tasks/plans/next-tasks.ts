import { readPlanFrontmatter } from '../../core/task-plan/frontmatter.js';
import type { Task, TaskPlanIssue, TaskStatus } from '../../core/task-plan/types.js';
import type { FoundPlan, NextTasks, TaskRef, UnreadablePlan } from '../types.js';
import { fitPlans, plansOf, plansOfPhase } from './plan-names.js';
import type { TaskCondition } from './task-condition.js';

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
  const { unread, issues } = readPlanFrontmatter(plan);
  const isLost = unread.includes('depends_on') || unread.includes('wave');
  return issues.filter(({ code, message }) => {
    if (code === 'frontmatter-type') return /^"(?:depends_on|wave)"/.test(message);
    return code === 'frontmatter-unclosed' || isLost;
  });
}

/** All that decides when a task can begin. */
export interface NextTasksContext {
  /** Every plan that another may depend on. */
  plans: readonly FoundPlan[];
  unreadable: readonly UnreadablePlan[];
  /** In the order of the plan's tasks. */
  conditionsOf(plan: FoundPlan): readonly Pick<TaskCondition, 'status' | 'aborted' | 'behind'>[];
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

/** A task that was skipped is not done: what waits for it goes on waiting. */
function isOver(task: Task | undefined): boolean {
  return task?.status === 'completed';
}

/** Something is still to be done about it. */
function isOpen(status: TaskStatus): boolean {
  return status !== 'completed' && status !== 'skipped' && status !== 'in_progress';
}
