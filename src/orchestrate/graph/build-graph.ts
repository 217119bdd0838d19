import { findCircles, findCycles } from '../../core/graph.js';
import { placeIn } from '../../core/path.js';
import type { Task } from '../../core/task-plan/types.js';
import type { Tree } from '../../core/tree.js';
import { dependsOnLine } from '../../tasks/plans/next-tasks.js';
import {
  type PlannedTask,
  type PlanTasks,
  type ProjectTasks,
  readProjectTasks,
} from '../../tasks/plans/tasks.js';
import type { CaptureProject } from '../../tasks/project.js';
import type { UnreadablePlan } from '../../tasks/types.js';
import { orderPlans } from './plan-order.js';
import { type ArrangedPlan, isSettled, TaskGraph } from './task-graph.js';
import type { GraphPlan, GraphProblem, GraphTask } from './types.js';

export type GraphRead =
  | { status: 'graph'; graph: TaskGraph }
  | { status: 'refused'; problems: GraphProblem[] };

type Draft<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * The graph of the plans whose ids are `chosen`, or of all. What these need and is not chosen has to be completed by
 * somebody else.
 */
export function buildGraph(facts: ProjectTasks, chosen: readonly string[] | null): GraphRead {
  const plans = choosePlans(facts, chosen);
  const scope = withNeeded(plans, facts);
  const problems = [...missingChoices(facts, chosen), ...findProblems(scope, facts)];
  if (problems.length > 0) return { status: 'refused', problems: distinct(problems) };
  // Of those that have the same id all are over, and one stands for them.
  const single = [...new Map(plans.map((plan) => [plan.found.id, plan])).values()];
  return { status: 'graph', graph: new TaskGraph(arrange(single, facts.tree), scope) };
}

function choosePlans({ plans }: ProjectTasks, chosen: readonly string[] | null): readonly PlanTasks[] {
  if (chosen === null) return plans;
  const ids = new Set(chosen);
  return plans.filter(({ found }) => ids.has(found.id));
}

function missingChoices({ plans, unreadable }: ProjectTasks, chosen: readonly string[] | null) {
  if (chosen === null) return unreadable.map((plan) => unreadableProblem(plan));
  const known = new Set(plans.map(({ found }) => found.id));
  return [...new Set(chosen)].flatMap((id) => {
    const unread = unreadable.filter((plan) => plan.id === id);
    if (unread.length > 0) return unread.map((plan) => unreadableProblem(plan));
    return known.has(id) ? [] : [unknownChoice(id)];
  });
}

/** These, and whatever has to be completed before them. */
function withNeeded(plans: readonly PlanTasks[], facts: ProjectTasks): PlanTasks[] {
  const byId = new Map<string, PlanTasks[]>();
  for (const plan of facts.plans) {
    const same = byId.get(plan.found.id);
    if (same) same.push(plan);
    else byId.set(plan.found.id, [plan]);
  }
  const scope = new Set(plans);
  for (const { needs, isOver } of scope) {
    if (isOver) continue;
    for (const id of needs) for (const plan of byId.get(id) ?? []) scope.add(plan);
  }
  return facts.plans.filter((plan) => scope.has(plan));
}

/** One plan that cannot be read may be named by many. */
function distinct(problems: readonly GraphProblem[]): GraphProblem[] {
  const unread = new Set<string>();
  return problems.filter(({ code, path }) => {
    if (code !== 'plan-unreadable') return true;
    const isNew = !unread.has(path);
    unread.add(path);
    return isNew;
  });
}

function arrange(facts: readonly PlanTasks[], tree?: Tree): ArrangedPlan[] {
  const needs = planNeeds(facts);
  const drafts = facts.map((plan, i) => draftPlan(plan, needs[i]!, tree));
  const { phases, files } = orderPlans(
    drafts.map((plan, i) => ({
      id: plan.id,
      phase: plan.phase,
      needs: plan.needs,
      files: writtenBy(plan, facts[i]!, tree),
    })),
  );
  return drafts.map((plan, i) => {
    plan.after = files[i]!.length === 0 ? phases[i]! : [...phases[i]!, ...files[i]!];
    return { plan, phases: phases[i]! };
  });
}

function draftPlan(
  { found, wave, tasks }: PlanTasks,
  needs: readonly string[],
  tree?: Tree,
): Draft<GraphPlan> {
  const { id, path, phase } = found;
  const plan: Draft<GraphPlan> = { id, path, phase, wave, needs, after: [], tasks: [] };
  const own = taskNeeds(tasks);
  plan.tasks = tasks.map(
    ({ id, task, condition }, i): GraphTask => ({
      id,
      name: task.name,
      plan,
      task,
      isCheckpoint: task.type.startsWith('checkpoint'),
      needs: own[i]!,
      files: filesOf(task, tree),
      rank: 0,
      status: condition.status,
    }),
  );
  return plan;
}

function filesOf({ files }: Task, tree?: Tree): string[] {
  return files.flatMap(({ path }) => readWritten(path, tree) ?? []);
}

/** One may be there more than once. */
function writtenBy({ tasks }: GraphPlan, { filesModified }: PlanTasks, tree?: Tree): string[] {
  const written = filesModified.flatMap((path) => readWritten(path, tree) ?? []);
  for (const { files } of tasks) for (const path of files) written.push(path);
  return written;
}

/** What is done, or was given up, may stand in a circle with others: there it waits for none of them. */
function planNeeds(facts: readonly PlanTasks[]): (readonly string[])[] {
  const isAllSettled = ({ tasks }: PlanTasks) => tasks.every(({ condition }) => isSettled(condition.status));
  if (!facts.some(isAllSettled)) return facts.map(({ needs }) => needs);
  const circled = new Set(findCycles(new Map(facts.map(({ found, needs }) => [found.id, needs]))).flat());
  return facts.map((plan) => (isAllSettled(plan) ? plan.needs.filter((id) => !circled.has(id)) : plan.needs));
}

function taskNeeds(tasks: readonly PlannedTask[]): (readonly string[])[] {
  const all = tasks.map(({ needs }) => needs.map((index) => tasks[index - 1]!.id));
  if (!tasks.some(({ needs, task }) => needs.some((index) => index >= task.index))) return all;
  const circled = new Set(findCycles(new Map(tasks.map(({ id }, i) => [id, all[i]!]))).flat());
  return all.map((needs, i) =>
    isSettled(tasks[i]!.condition.status) ? needs.filter((id) => !circled.has(id)) : needs,
  );
}

/** Nothing about it could be written in another way. */
const PLAIN = /^[\w@-][\w.@-]*(?:\/[\w@-][\w.@-]*)*$/;

/**
 * What a plan says that it writes, as a path from the root: of a pattern only the folders before its first star count.
 * Undefined where it is no path, or leads out of the root.
 */
export function readWritten(text: string, tree?: Tree): string | undefined {
  if (PLAIN.test(text)) return text;
  const star = text.search(/[*?{]/);
  const literal = star === -1 ? text : text.slice(0, text.lastIndexOf('/', star) + 1) || '.';
  return placeIn(tree, literal);
}

/**
 * Ids of the open tasks that a run of all plans does not begin as long as a task was skipped, or is failed: what waits
 * for it, and what comes after that by its phase or its files. None where no such run can begin anyway.
 */
export function findHeldUp(project: CaptureProject, task: string, as: 'skipped' | 'failed'): string[] {
  const read = buildGraph(readProjectTasks(project), null);
  return read.status === 'graph' && read.graph.tasks.has(task) ? read.graph.leaves(task, as) : [];
}

/** So many circles are named at once: whoever takes one apart often takes apart others with it. */
const MOST_CIRCLES = 8;
/** So many names of a long way are written. */
const MOST_NAMED = 40;

/** Why the plans in `scope`, those that are to be run and those that they need, cannot be put in an order. */
function findProblems(scope: readonly PlanTasks[], facts: ProjectTasks): GraphProblem[] {
  const open = scope.filter(({ isOver }) => !isOver);
  return [
    ...takenIds(open, facts),
    ...open.flatMap((plan) => [...ownProblems(plan), ...taskProblems(plan)]),
    ...planCircles(open),
  ];
}

function unreadableProblem({ path, reason }: UnreadablePlan, neededBy?: string): GraphProblem {
  const because = neededBy === undefined ? '' : ` ${neededBy} depends on it, or may depend on it.`;
  return {
    code: 'plan-unreadable',
    path,
    message: `${path} ${reason}.${because}`,
    hint: 'Make it readable, or exclude it with plans.glob in .teddy/config.yaml.',
  };
}

function unknownChoice(id: string): GraphProblem {
  return {
    code: 'unknown-plan',
    path: id,
    message: `No task file ${id} in this project.`,
    hint: 'Use one that `teddy task list` shows.',
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
      message: `${same.join(' and ')} ${same.length === 2 ? 'both' : 'all'} have the id ${id}, so their results could be mixed up.`,
      hint: 'Give one of them another id (by its file name or frontmatter), or exclude it with plans.glob in .teddy/config.yaml.',
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
        message: `${id}: ${message} So its dependencies are unknown.`,
        ...(hint === undefined ? {} : { hint }),
      }),
    ),
    ...plan.unread.map((unread) => unreadableProblem(unread, id)),
    ...plan.unknown.map(
      (written): GraphProblem => ({
        code: 'unknown-plan',
        ...at,
        message: `${id} → ${written}: "depends_on" in the frontmatter names a task file that does not exist, so ${id} never starts.`,
        hint: 'Use the id of an existing task file, or remove it.',
      }),
    ),
    ...(isNamed
      ? [
          {
            code: 'self-dependency' as const,
            ...at,
            message: `${id} → ${id}: "depends_on" in the frontmatter names the task file itself, a dependency cycle, so it never starts.`,
            hint: 'Remove it.',
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
        hint: 'Remove one of them from the depends_on of another.',
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
      hint: 'Remove it.',
    };
  }
  return {
    code: 'unknown-task',
    ...at,
    message: `${id} → ${written}: depends_on names a task that this file does not have, so ${id} never starts.`,
    hint: 'Use positions of tasks in the same file, or name the other task file in "depends_on" in the frontmatter.',
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
      return isLater ? [` ${one.found.id} is in wave ${one.wave}, ${id} in wave ${other.wave}.`] : [];
    });
    return {
      code: 'circle',
      path: found.path,
      ...dependsOnLine(found),
      message: `Dependency cycle ${writeWay(circle)}: each of these task files waits for the next, so none of them ever starts.${waves.join('')}`,
      hint: 'Remove one of them from the "depends_on" of another, or change its "wave".',
    };
  });
}

/** People did with or without all of it: it begins no more, whatever it waits for. */
function isGivenUp(tasks: readonly PlannedTask[]): boolean {
  return tasks.length > 0 && tasks.every(({ condition }) => isSettled(condition.status));
}

function writeWay(way: readonly string[]): string {
  if (way.length <= MOST_NAMED) return way.join(' → ');
  const [first, last] = [way.slice(0, MOST_NAMED - 1), way.at(-1)];
  return [...first, `${way.length - MOST_NAMED} more`, last].join(' → ');
}
