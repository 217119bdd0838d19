import { foldsEqual, readPlanNumber, wordsAgree } from './names.js';
import { joinLines } from './text.js';
import type { Task, TaskMatch, TaskPlan } from './types.js';

/**
 * The task that a result names: by its very name; by its number; or by both after folding case, spacing and
 * punctuation. The number of one task with the words of another means neither. Nothing is matched by likeness. Where the plan's names have no numbers, a number is a position, and
 * then the words must agree.
 */
export function matchTask(plan: TaskPlan, writtenName: string): TaskMatch | undefined {
  const written = joinLines(writtenName);
  const numbered = readPlanNumber(written);
  const exact = plan.tasks.filter(({ name }) => name === written);
  if (exact.length > 0) return exactMatch(plan, exact, numbered?.number);
  if (!numbered) return undefined;
  const { number, rest, isPlain } = numbered;
  const hasNumbers = plan.tasks.some((task) => numberOf(task) !== undefined);
  if (!hasNumbers) return positionMatch(plan, number, rest, isPlain);

  const tasks = plan.tasks.filter((task) => numberOf(task) === number);
  if (tasks.length > 1) {
    const same = tasks.filter((task) => foldsEqual(restOf(task), rest));
    return same.length === 1 ? { task: same[0]!, match: 'folded', sameWords: true } : { ambiguous: tasks };
  }
  const [task] = tasks;
  if (!task) return undefined;
  const sameWords = wordsAgree(restOf(task), rest);
  const meant = plan.tasks.filter((other) => other === task || foldsEqual(restOf(other), rest));
  if (!sameWords && meant.length > 1) return { ambiguous: meant };
  if (isPlain) return { task, match: 'number', sameWords };
  return sameWords ? { task, match: 'folded', sameWords } : undefined;
}

/** A task without a name is called `Task 2` by its position; another may carry that number in its name. */
function exactMatch(plan: TaskPlan, exact: readonly Task[], number: string | undefined): TaskMatch {
  const [task] = exact;
  const rivals = exact.every(({ named }) => named)
    ? exact
    : plan.tasks.filter((other) => other.name === task!.name || numberOf(other) === number);
  return rivals.length > 1 ? { ambiguous: rivals } : { task: task!, match: 'exact', sameWords: true };
}

function positionMatch(
  plan: TaskPlan,
  number: string,
  rest: string,
  isPlain: boolean,
): TaskMatch | undefined {
  const task = /^\d+$/.test(number) ? plan.tasks[Number(number) - 1] : undefined;
  if (!task) return undefined;
  const match = isPlain ? 'number' : 'folded';
  if (!task.named) return { task, match, sameWords: false };
  const says = rest.trim() !== '' && wordsAgree(task.name, rest);
  return says ? { task, match, sameWords: true } : undefined;
}

function numberOf(task: Task): string | undefined {
  return task.named ? readPlanNumber(task.name)?.number : undefined;
}

function restOf(task: Task): string {
  return readPlanNumber(task.name)?.rest ?? task.name;
}
