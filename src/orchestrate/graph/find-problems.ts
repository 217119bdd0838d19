import { findCircles } from '../../core/graph.js';
import { dependsOnLine } from '../../tasks/plans/next-tasks.js';
import type { PlannedTask, PlanTasks, ProjectTasks } from '../../tasks/plans/tasks.js';
import type { UnreadablePlan } from '../../tasks/types.js';
import type { GraphProblem } from './types.js';

/** So many circles are named at once: whoever takes one apart often takes apart others with it. */
const MOST_CIRCLES = 8;
/** So many names of a long way are written. */
const MOST_NAMED = 40;

/** Why the plans in `scope`, those that are to be run and those that they need, cannot be put in an order. */
export function findProblems(scope: readonly PlanTasks[], facts: ProjectTasks): GraphProblem[] {
  const open = scope.filter(({ isOver }) => !isOver);
  return [
    ...takenIds(open, facts),
    ...open.flatMap((plan) => [...ownProblems(plan), ...taskProblems(plan)]),
    ...planCircles(open),
  ];
}

export function unreadableProblem({ path, reason }: UnreadablePlan, neededBy?: string): GraphProblem {
  const because = neededBy === undefined ? '' : ` ${neededBy} has to wait for it, or may have to.`;
  return {
    code: 'plan-unreadable',
    path,
    message: `${path} ${reason}.${because}`,
    hint: 'Make it a file that can be read, or let plans.glob in .teddy/config.yaml leave it out.',
  };
}

export function unknownChoice(id: string): GraphProblem {
  return {
    code: 'unknown-plan',
    path: id,
    message: `There is no plan ${id} in this project.`,
    hint: 'Name a plan that `teddy task list` shows.',
  };
}

function takenIds(open: readonly PlanTasks[], { plans }: ProjectTasks): GraphProblem[] {
  const paths = new Map<string, string[]>();
  for (const { found } of plans) {
    const same = paths.get(found.id);
    if (same) same.push(found.path);
    else paths.set(found.id, [found.path]);
  }
  return [...new Set(open.map(({ found }) => found.id))].flatMap((id) => {
    const same = paths.get(id) ?? [];
    if (same.length < 2) return [];
    return {
      code: 'id-taken',
      path: same[0]!,
      message: `${same.join(' and ')} ${same.length === 2 ? 'both' : 'all'} have the id ${id}, so what becomes of one would be taken for the other's.`,
      hint: "Give one of them another id (its file's name or its frontmatter says it), or let plans.glob in .teddy/config.yaml leave it out.",
    };
  });
}

function ownProblems(plan: PlanTasks): GraphProblem[] {
  const { id, path } = plan.found;
  const isNamed = plan.needs.includes(id);
  // To find the line is costly, and mostly there is nothing to be said of it.
  const at = { path, ...(isNamed || plan.unknown.length > 0 ? dependsOnLine(plan.found) : {}) };
  return [
    ...plan.orderIssues.map(
      ({ message, line, hint }): GraphProblem => ({
        code: 'order-unreadable',
        path,
        ...(line === undefined ? {} : { line }),
        message: `${id}: ${message} What comes before it is not known.`,
        ...(hint === undefined ? {} : { hint }),
      }),
    ),
    ...plan.unread.map((unread) => unreadableProblem(unread, id)),
    ...plan.unknown.map(
      (written): GraphProblem => ({
        code: 'unknown-plan',
        ...at,
        message: `${id} → ${written}: "depends_on" of the frontmatter names it, and there is no such plan, so ${id} never begins.`,
        hint: 'Write the id of a plan that is there, or take it out.',
      }),
    ),
    ...(isNamed
      ? [
          {
            code: 'self-dependency' as const,
            ...at,
            message: `${id} → ${id}: "depends_on" of the frontmatter names the plan itself, a dependency cycle, so it never starts.`,
            hint: 'Take it out.',
          },
        ]
      : []),
  ];
}

function taskProblems({ found, tasks }: PlanTasks): GraphProblem[] {
  const open = tasks.filter(({ condition }) => !isSettled(condition.status));
  // Most tasks wait only for those before them, and then there is no circle.
  const goesBack = open.some(({ task, needs }) => needs.some((index) => index >= task.index));
  const circles = goesBack ? findCircles(taskWaits(open, tasks), MOST_CIRCLES) : [];
  return [
    ...open.flatMap(({ id, task }) =>
      task.dependsOnUnknown.map((written) => namesNoTask(found.path, id, task, written)),
    ),
    ...circles.map((circle): GraphProblem => {
      const first = tasks.find(({ id }) => id === circle[0])!;
      return {
        code: 'circle',
        path: found.path,
        line: first.task.line,
        message: `Dependency cycle ${writeWay(circle)}: each of these tasks waits for the next, so none of them ever starts.`,
        hint: 'Take one of them out of the depends_on of another.',
      };
    }),
  ];
}

function taskWaits(open: readonly PlannedTask[], all: readonly PlannedTask[]): Map<string, string[]> {
  return new Map(open.map(({ id, needs }) => [id, needs.map((index) => all[index - 1]!.id)]));
}

function namesNoTask(path: string, id: string, task: PlannedTask['task'], written: string): GraphProblem {
  const at = { path, line: task.line };
  if (task.dependsOnItself.includes(written)) {
    return {
      code: 'self-dependency',
      ...at,
      message: `${id} → ${id}: depends_on="${written}" names the task itself, a dependency cycle, so it never starts.`,
      hint: 'Take it out.',
    };
  }
  return {
    code: 'unknown-task',
    ...at,
    message: `${id} → ${written}: depends_on names it, and it is no other task of this plan, so ${id} never begins.`,
    hint: 'Write positions of tasks of the same plan, or name the other plan in "depends_on" of the frontmatter.',
  };
}

function planCircles(open: readonly PlanTasks[]): GraphProblem[] {
  const byId = new Map(open.map((plan) => [plan.found.id, plan]));
  const running = open.filter(({ tasks }) => !isGivenUp(tasks));
  const waits = new Map(running.map(({ found, needs }) => [found.id, needs]));
  return findCircles(waits, MOST_CIRCLES).map((circle) => {
    const { found } = byId.get(circle[0]!)!;
    const waves = circle.slice(1).flatMap((id, i) => {
      const [one, other] = [byId.get(circle[i]!)!, byId.get(id)!];
      const isLater = one.found.phase === other.found.phase && (one.wave ?? 0) > (other.wave ?? Infinity);
      return isLater ? [` ${one.found.id} is of wave ${one.wave}, and ${id} of wave ${other.wave}.`] : [];
    });
    return {
      code: 'circle',
      path: found.path,
      ...dependsOnLine(found),
      message: `Dependency cycle ${writeWay(circle)}: each of these plans waits for the next, so none of them ever starts.${waves.join('')}`,
      hint: 'Take one of them out of the "depends_on" of another, or change its "wave".',
    };
  });
}

/** People did with or without all of it: it begins no more, whatever it waits for. */
function isGivenUp(tasks: readonly PlannedTask[]): boolean {
  return tasks.length > 0 && tasks.every(({ condition }) => isSettled(condition.status));
}

export function isSettled(status: PlannedTask['condition']['status']): boolean {
  return status === 'completed' || status === 'skipped';
}

function writeWay(way: readonly string[]): string {
  if (way.length <= MOST_NAMED) return way.join(' → ');
  const [first, last] = [way.slice(0, MOST_NAMED - 1), way.at(-1)];
  return [...first, `${way.length - MOST_NAMED} more`, last].join(' → ');
}
