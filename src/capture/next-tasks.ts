import { readFrontmatter, type Task } from '../formats/task-plan/index.js';
import type { FoundPlan, NextTasks, TaskRef } from './types.js';

export function taskId(planId: string, index: number): string {
  return `${planId}:${index}`;
}

export function refOf(plan: FoundPlan, task: Task): TaskRef {
  return { id: taskId(plan.id, task.index), name: task.name };
}

/**
 * What can begin now of `plans`, and what waits for what; a task that is blocked waits even if for nothing that has an
 * id. `all` holds every plan that one of them may depend on, `started` the ids of tasks that somebody works on.
 */
export function findNext(
  plans: readonly FoundPlan[],
  all: readonly FoundPlan[],
  started: ReadonlySet<string>,
): NextTasks {
  const result: NextTasks = { next: [], waiting: [] };
  for (const plan of plans) {
    for (const task of plan.plan.tasks) {
      const ref = refOf(plan, task);
      if (!isOpen(task) || started.has(ref.id)) continue;
      const on = waitsOn(plan, task, all);
      if (on.length > 0 || task.status === 'blocked') result.waiting.push({ ...ref, on });
      else result.next.push(ref);
    }
  }
  return result;
}

/** The ids of what a task still waits for: tasks of its plan, and whole plans. */
export function waitsOn(plan: FoundPlan, task: Task, all: readonly FoundPlan[]): string[] {
  const tasks = dependencies(plan, task).filter((index) => !isOver(plan.plan.tasks[index - 1]));
  const plans = planDependencies(plan, all).filter(
    (id) => !all.some((other) => other.id === id && isPlanOver(other)),
  );
  return [...plans, ...tasks.map((index) => taskId(plan.id, index))];
}

/** The indexes of the tasks that come first: those that it names, else the one before it. */
export function dependencies(plan: FoundPlan, task: Task): number[] {
  if (task.dependsOn) return [...task.dependsOn];
  const { tasks } = plan.plan;
  const parallel = tasks.some(({ dependsOn }) => dependsOn !== null) || readFrontmatter(plan.plan).parallel;
  return parallel || task.index === 1 ? [] : [task.index - 1];
}

/** The plans to look at after a change in `plan`: once it is over, also those that waited for it. */
export function touchedPlans(plan: FoundPlan, all: readonly FoundPlan[]): FoundPlan[] {
  if (!isPlanOver(plan)) return [plan];
  return all.filter((other) => planDependencies(other, all).includes(plan.id));
}

/**
 * The ids of the plans that come first: those that it names, as they are called here or else as it writes them, and
 * those of an earlier wave of its phase.
 */
export function planDependencies(plan: FoundPlan, all: readonly FoundPlan[]): string[] {
  const { dependsOn, wave } = readFrontmatter(plan.plan);
  const named = dependsOn.map((written) => {
    const bare = written.replace(/^.*\//, '').replace(/(?:-PLAN)?(?:\.md)?$/i, '');
    const known = (id: string) => all.find((other) => sameId(other.id, id))?.id;
    const sibling = /^\d+$/.test(bare) ? plan.id.replace(/\d+$/, bare) : bare;
    return known(bare) ?? known(sibling) ?? bare;
  });
  const earlier = all.filter(
    (other) =>
      wave !== null && other.phase === plan.phase && (readFrontmatter(other.plan).wave ?? wave) < wave,
  );
  return [...new Set([...named, ...earlier.map(({ id }) => id)])].filter((id) => id !== plan.id);
}

/** `3-1` is `03-01`. */
function sameId(one: string, other: string): boolean {
  return one === other || one.replace(/\b0+(?=\d)/g, '') === other.replace(/\b0+(?=\d)/g, '');
}

export function isPlanOver({ plan }: FoundPlan): boolean {
  return plan.tasks.length > 0 && plan.tasks.every(isOver);
}

/** A task that was skipped is not done: what waits for it goes on waiting. */
function isOver(task: Task | undefined): boolean {
  return task?.status === 'completed';
}

/** Something is still to be done about it. */
function isOpen({ status }: Task): boolean {
  return status !== 'completed' && status !== 'skipped' && status !== 'in_progress';
}
