import { findCycles } from '../../core/graph.js';
import { placeIn } from '../../core/place.js';
import type { Task } from '../../core/task-plan/types.js';
import type { Tree } from '../../core/tree.js';
import {
  type PlannedTask,
  type PlanTasks,
  type ProjectTasks,
  readProjectTasks,
} from '../../tasks/plans/tasks.js';
import type { CaptureProject } from '../../tasks/project.js';
import { findProblems, isSettled, unknownChoice, unreadableProblem } from './find-problems.js';
import { type ArrangedPlan, GraphNodes } from './graph-nodes.js';
import { orderPlans } from './plan-order.js';
import { TaskGraph } from './task-graph.js';
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
  const arranged = arrange(single, facts.tree);
  const nodes = new GraphNodes(arranged);
  giveRanks(nodes);
  return { status: 'graph', graph: new TaskGraph(nodes, scope) };
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

function giveRanks({ dag, tasks }: GraphNodes): void {
  const ways = dag.weighWays((node) => (node < tasks.length ? 1 : 0));
  tasks.forEach((task: Draft<GraphTask>, node) => {
    task.rank = ways[node]!;
  });
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
