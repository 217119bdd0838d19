import type { PlanFacts } from '../../tasks/project-facts.js';

/** Whether a plan still has the same tasks in the same order, however they stand and whatever is to be done in them. */
export function hasSameShape(before: PlanFacts, now: PlanFacts): boolean {
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
