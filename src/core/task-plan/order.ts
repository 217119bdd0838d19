import { readPlanFrontmatter } from './frontmatter.js';
import type { Task, TaskPlan } from './types.js';

/** Whether tasks are done in the order of the file. */
export function isSequence(plan: TaskPlan): boolean {
  return !plan.tasks.some(({ dependsOn }) => dependsOn !== null) && !readPlanFrontmatter(plan).parallel;
}

/** The tasks that a checkpoint checks: other checkpoints are not work that can be sent back. */
export function checkedTasks(plan: TaskPlan, checkpoint: Pick<Task, 'index' | 'dependsOn'>): Task[] {
  return dependencies(checkpoint, isSequence(plan))
    .map((index) => plan.tasks[index - 1]!)
    .filter(({ type }) => !type.startsWith('checkpoint'));
}

/** Indexes of the tasks that come first: those that it names, or, in a sequence, the one before it. */
export function dependencies(task: Pick<Task, 'index' | 'dependsOn'>, sequence: boolean): number[] {
  if (task.dependsOn) return [...task.dependsOn];
  return sequence && task.index > 1 ? [task.index - 1] : [];
}
