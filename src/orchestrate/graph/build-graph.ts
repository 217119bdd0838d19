import { findCircles, findCycles } from '../../core/graph.js';
import { addToGroup } from '../../core/groups.js';
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
import { isSettled, TaskGraph } from './task-graph.js';
import type { GraphPlan, GraphProblem, GraphTask } from './types.js';

export type GraphRead =
  | { status: 'graph'; graph: TaskGraph }
  | { status: 'refused'; problems: GraphProblem[] };

type Draft<T> = { -readonly [Key in keyof T]: T[Key] };

/** The graph of the plans whose ids are `chosen`, or of all. What they need and is not chosen must be completed otherwise. */
export function buildGraph(facts: ProjectTasks, chosen: readonly string[] | null): GraphRead {
  const plans = choosePlans(facts, chosen);
  const scope = withNeeded(plans, facts);
  const problems = [...missingChoices(facts, chosen), ...findProblems(scope, facts)];
  if (problems.length > 0) return { status: 'refused', problems: distinct(problems) };
  // Plans with the same id are all completed here: one is enough.
  const single = [...new Map(plans.map((plan) => [plan.found.id, plan])).values()];
  return { status: 'graph', graph: new TaskGraph(connectPlans(single, facts.tree), scope) };
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

/** These, and everything that must be completed before them. */
function withNeeded(plans: readonly PlanTasks[], facts: ProjectTasks): PlanTasks[] {
  const byId = new Map<string, PlanTasks[]>();
  for (const plan of facts.plans) addToGroup(byId, plan.found.id, plan);
  const scope = new Set(plans);
  for (const { needs, isOver } of scope) {
    if (isOver) continue;
    for (const id of needs) for (const plan of byId.get(id) ?? []) scope.add(plan);
  }
  return facts.plans.filter((plan) => scope.has(plan));
}

/** An unreadable plan is reported once, although many may name it. */
function distinct(problems: readonly GraphProblem[]): GraphProblem[] {
  const unread = new Set<string>();
  return problems.filter(({ code, path }) => {
    if (code !== 'plan-unreadable') return true;
    const isNew = !unread.has(path);
    unread.add(path);
    return isNew;
  });
}

function connectPlans(facts: readonly PlanTasks[], tree?: Tree): GraphPlan[] {
  const needs = planNeeds(facts);
  const plans = facts.map((plan, i) => createPlan(plan, needs[i]!, tree));
  for (const [i, after] of orderByPhase(plans).entries()) plans[i]!.after = after;
  return plans;
}

function createPlan(
  { found, wave, tasks, filesModified }: PlanTasks,
  needs: readonly string[],
  tree?: Tree,
): Draft<GraphPlan> {
  const { id, path, phase } = found;
  const plan: Draft<GraphPlan> = { id, path, phase, wave, needs, after: [], files: [], tasks: [] };
  const taskIds = taskNeeds(tasks);
  plan.tasks = tasks.map(
    ({ id, task, condition }, i): GraphTask => ({
      id,
      name: task.name,
      plan,
      task,
      isCheckpoint: task.type.startsWith('checkpoint'),
      needs: taskIds[i]!,
      files: filesOf(task, tree),
      rank: 0,
      status: condition.status,
    }),
  );
  const own = filesModified.flatMap((path) => readWritten(path, tree) ?? []);
  plan.files = [...new Set([...own, ...plan.tasks.flatMap(({ files }) => files)])];
  return plan;
}

function filesOf({ files }: Task, tree?: Tree): string[] {
  return files.flatMap(({ path }) => readWritten(path, tree) ?? []);
}

const NO_PHASE = Number.POSITIVE_INFINITY;

/**
 * The plans of earlier phases, for each plan. A plan that an earlier phase needs counts as part of that phase, so that the
 * order never contradicts `needs`. Plans of one phase share a list.
 */
function orderByPhase(plans: readonly GraphPlan[]): (readonly string[])[] {
  const own = rankPhases(plans);
  const effective = spreadPhases(plans, own);
  const lists = new Map<string, readonly string[]>();
  return plans.map((_, at) => {
    if (own[at] === NO_PHASE) return [];
    const key = `${own[at]} ${effective[at]}`;
    const isEarlier = (_: GraphPlan, i: number) => own[i]! < own[at]! && effective[i]! < effective[at]!;
    const list = lists.get(key) ?? plans.filter(isEarlier).map(({ id }) => id);
    lists.set(key, list);
    return list;
  });
}

function rankPhases(plans: readonly GraphPlan[]): number[] {
  const phases = [...new Set(plans.flatMap(({ phase }) => phase ?? []))].sort(comparePhases);
  const ranks = new Map(
    phases.map((phase) => [phase, phases.findIndex((each) => comparePhases(each, phase) === 0)]),
  );
  return plans.map(({ phase }) => (phase === null ? NO_PHASE : ranks.get(phase)!));
}

/** By components: 2, then 2.1, then 10. */
function comparePhases(one: string, other: string): number {
  const [ones, others] = [one.split('.').map(Number), other.split('.').map(Number)];
  for (let i = 0; i < Math.max(ones.length, others.length); i++) {
    const difference = (ones[i] ?? -1) - (others[i] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The earliest phase that needs each plan, or its own. */
function spreadPhases(plans: readonly GraphPlan[], ranks: readonly number[]): number[] {
  const indexes = new Map(plans.map(({ id }, i) => [id, i]));
  const earliest = new Map<number, number>();
  const byRank = [...ranks.entries()].sort(([, one], [, other]) => (one === other ? 0 : one - other));
  for (const [start, rank] of byRank) {
    const open = [start];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (earliest.has(at)) continue;
      earliest.set(at, rank);
      open.push(...plans[at]!.needs.flatMap((id) => indexes.get(id) ?? []));
    }
  }
  return ranks.map((_, i) => earliest.get(i)!);
}

/** A settled plan in a dependency cycle waits for none of the others. */
function planNeeds(facts: readonly PlanTasks[]): (readonly string[])[] {
  const hasNothingOpen = ({ tasks }: PlanTasks) =>
    tasks.every(({ condition }) => isSettled(condition.status));
  if (!facts.some(hasNothingOpen)) return facts.map(({ needs }) => needs);
  const circled = new Set(findCycles(new Map(facts.map(({ found, needs }) => [found.id, needs]))).flat());
  return facts.map((plan) =>
    hasNothingOpen(plan) ? plan.needs.filter((id) => !circled.has(id)) : plan.needs,
  );
}

function taskNeeds(tasks: readonly PlannedTask[]): (readonly string[])[] {
  const all = tasks.map(({ needs }) => needs.map((index) => tasks[index - 1]!.id));
  if (!tasks.some(({ needs, task }) => needs.some((index) => index >= task.index))) return all;
  const circled = new Set(findCycles(new Map(tasks.map(({ id }, i) => [id, all[i]!]))).flat());
  return all.map((needs, i) =>
    isSettled(tasks[i]!.condition.status) ? needs.filter((id) => !circled.has(id)) : needs,
  );
}

/** Already in its normal form. */
const PLAIN = /^[\w@-][\w.@-]*(?:\/[\w@-][\w.@-]*)*$/;

/** A written file as a path from the root; of a pattern, the folders before its first wildcard. Undefined if it is outside. */
export function readWritten(text: string, tree?: Tree): string | undefined {
  if (PLAIN.test(text)) return text;
  const star = text.search(/[*?{]/);
  const literal = star === -1 ? text : text.slice(0, text.lastIndexOf('/', star) + 1) || '.';
  return placeIn(tree, literal);
}

/** Ids of the open tasks that a run does not start while this task is skipped or failed, because of needs and phases. */
export function findHeldUp(project: CaptureProject, task: string, as: 'skipped' | 'failed'): string[] {
  const read = buildGraph(readProjectTasks(project), null);
  return read.status === 'graph' && read.graph.tasks.has(task) ? read.graph.leaves(task, as) : [];
}

/** Fixing one cycle often fixes others. */
const MOST_CIRCLES = 8;
/** Of the names in a long cycle. */
const MOST_NAMED = 40;

/** Why the plans in `scope`, those to run and those that they need, cannot be put in an order. */
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
  for (const { found } of plans) addToGroup(paths, found.id, found.path);
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
  // Finding the line is slow, and seldom needed.
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
  // Without a dependency on a later task there is no cycle.
  const pointsAhead = open.some(({ task, needs }) => needs.some((index) => index >= task.index));
  const circles = pointsAhead ? findCircles(taskWaits(open, tasks), MOST_CIRCLES) : [];
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
        message: `Dependency cycle ${describePath(circle)}: each of these tasks waits for the next, so none of them ever starts.`,
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
  const running = open.filter(({ tasks }) => !isAllSettled(tasks));
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
      message: `Dependency cycle ${describePath(circle)}: each of these task files waits for the next, so none of them ever starts.${waves.join('')}`,
      hint: 'Remove one of them from the "depends_on" of another, or change its "wave".',
    };
  });
}

function isAllSettled(tasks: readonly PlannedTask[]): boolean {
  return tasks.length > 0 && tasks.every(({ condition }) => isSettled(condition.status));
}

function describePath(ids: readonly string[]): string {
  if (ids.length <= MOST_NAMED) return ids.join(' → ');
  const [first, last] = [ids.slice(0, MOST_NAMED - 1), ids.at(-1)];
  return [...first, `${ids.length - MOST_NAMED} more`, last].join(' → ');
}
