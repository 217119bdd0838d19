import type { Task } from '../../core/task-plan/types.js';
import type { FoundPlan } from '../types.js';
import { dependencies, isPlanOver, isSequence, planDependencies, taskId } from './next-tasks.js';
import type { ProjectSnapshot } from './project-snapshot.js';

/**
 * Ids of the tasks that wait for this one, and for those that do. A plan that is left incomplete holds up all of those
 * that need it.
 */
export function findDependents(plan: FoundPlan, task: Task, snapshot: ProjectSnapshot): string[] {
  const needing = plansByNeed(snapshot.plans);
  const held = new Set(needing.get(plan.id));
  // A set goes on to what is added to it on the way.
  for (const { id } of held) for (const other of needing.get(id) ?? []) held.add(other);
  const others = snapshot.plans.filter((other) => other.path !== plan.path && held.has(other));
  return [
    ...dependentsInPlan(plan, task, snapshot),
    ...others.flatMap((other) => openTasks(other, snapshot).map(({ index }) => taskId(other.id, index))),
  ];
}

/** Who needs each plan, by its id; those of which nothing is left to do need none. */
function plansByNeed(plans: readonly FoundPlan[]): Map<string, FoundPlan[]> {
  const needing = new Map<string, FoundPlan[]>();
  for (const plan of plans) {
    for (const id of isPlanOver(plan) ? [] : planDependencies(plan, plans)) {
      const others = needing.get(id);
      if (others) others.push(plan);
      else needing.set(id, [plan]);
    }
  }
  return needing;
}

function openTasks(plan: FoundPlan, snapshot: ProjectSnapshot): Task[] {
  const conditions = snapshot.conditionsOf(plan);
  return plan.plan.tasks.filter(({ index }) => {
    const { status } = conditions[index - 1]!;
    return status !== 'completed' && status !== 'skipped';
  });
}

function dependentsInPlan(plan: FoundPlan, task: Task, snapshot: ProjectSnapshot): string[] {
  const sequence = isSequence(plan);
  const waiting = new Map<number, number[]>();
  for (const other of openTasks(plan, snapshot)) {
    for (const index of dependencies(other, sequence)) {
      const before = waiting.get(index);
      if (before) before.push(other.index);
      else waiting.set(index, [other.index]);
    }
  }
  const held = new Set([task.index]);
  for (const index of held) for (const other of waiting.get(index) ?? []) held.add(other);
  held.delete(task.index);
  return [...held].sort((one, other) => one - other).map((index) => taskId(plan.id, index));
}
