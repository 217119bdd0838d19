import type { Issue } from '../formats/issue.js';
import { readFrontmatter, type TaskPlanIssueCode } from '../formats/task-plan/index.js';
import { compareIds } from './find-plans.js';
import { isPlanOver, planDependencies } from './next-tasks.js';
import { fitPlans } from './plan-names.js';
import type { FoundPlan, UnreadablePlan } from './types.js';

/** What is wrong with a plan, by itself or among the others. */
export type PlanIssue = Issue<TaskPlanIssueCode | 'plan-unknown' | 'plan-circle'>;

/** Why plans never begin, by their paths: they wait on what is not there, or on each other. */
export function findDeadEnds(
  all: readonly FoundPlan[],
  unreadable: readonly UnreadablePlan[],
): Map<string, PlanIssue[]> {
  const open = all.filter((plan) => !isPlanOver(plan));
  const circles = circlesOf(open, all);
  return new Map(
    open.map((plan) => {
      const circle = circles.get(plan.id);
      return [plan.path, [...unknownOf(plan, all, unreadable), ...(circle ? [inCircle(plan, circle)] : [])]];
    }),
  );
}

function unknownOf(
  plan: FoundPlan,
  all: readonly FoundPlan[],
  unreadable: readonly UnreadablePlan[],
): PlanIssue[] {
  return [...new Set(readFrontmatter(plan.plan).dependsOn)]
    .filter(
      (written) =>
        fitPlans(written, plan, all).length === 0 && fitPlans(written, plan, unreadable).length === 0,
    )
    .map((written) => ({
      code: 'plan-unknown',
      severity: 'warning',
      message: `"depends_on" of the frontmatter: there is no plan ${written}, so ${plan.id} never begins.`,
      hint: 'Write the id of a plan that is there, or take it out.',
      ...dependsOnLine(plan),
    }));
}

const MOST_NAMED = 8;

function inCircle(plan: FoundPlan, circle: readonly string[]): PlanIssue {
  const more = circle.length > MOST_NAMED ? [`${circle.length - MOST_NAMED} more`] : [];
  const names = [...circle.slice(0, MOST_NAMED), ...more];
  const message =
    circle.length === 1
      ? `${plan.id} waits on itself, so it never begins.`
      : `${names.slice(0, -1).join(', ')} and ${names.at(-1)} wait on each other, so none of them ever begins.`;
  return {
    code: 'plan-circle',
    severity: 'warning',
    message,
    hint: 'Take one of them out of the "depends_on" of another, or change its "wave".',
    ...dependsOnLine(plan),
  };
}

/** Where the frontmatter says what the plan depends on. */
export function dependsOnLine({ plan }: FoundPlan): { line?: number } {
  if (readFrontmatter(plan).dependsOn.length === 0) return {};
  const at = plan.text.split('\n').findIndex((line) => line.startsWith('depends_on:'));
  return at === -1 ? {} : { line: at + 1 };
}

/** For each plan that is in one, the ids of all that wait on each other there. */
function circlesOf(open: readonly FoundPlan[], all: readonly FoundPlan[]): Map<string, string[]> {
  const waits = new Map<string, string[]>(open.map(({ id }) => [id, []]));
  for (const plan of open)
    for (const id of planDependencies(plan, all)) if (waits.has(id)) waits.get(plan.id)!.push(id);
  const circles = new Map<string, string[]>();
  for (const group of groupsIn(waits)) {
    const isCircle = group.length > 1 || waits.get(group[0]!)!.includes(group[0]!);
    group.sort(compareIds);
    for (const id of isCircle ? group : []) circles.set(id, group);
  }
  return circles;
}

/**
 * Nodes that can all be reached from each other, by Tarjan's way: each node and edge is looked at once. No recursion, as a
 * chain may be long.
 */
function groupsIn(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const groups: string[][] = [];
  const numbers = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const enter = (id: string) => {
    const number = numbers.size;
    numbers.set(id, number);
    open.push(id);
    isOpen.add(id);
    return { id, number, lowest: number, rest: edges.get(id)!.values() };
  };
  for (const start of edges.keys()) {
    const path = numbers.has(start) ? [] : [enter(start)];
    for (let here = path.at(-1); here; here = path.at(-1)) {
      const { value: next } = here.rest.next();
      if (next !== undefined && !numbers.has(next)) path.push(enter(next));
      else if (next !== undefined) {
        if (isOpen.has(next)) here.lowest = Math.min(here.lowest, numbers.get(next)!);
      } else {
        path.pop();
        const before = path.at(-1);
        if (before) before.lowest = Math.min(before.lowest, here.lowest);
        if (here.lowest !== here.number) continue;
        const group = open.splice(open.lastIndexOf(here.id));
        for (const id of group) isOpen.delete(id);
        groups.push(group);
      }
    }
  }
  return groups;
}
