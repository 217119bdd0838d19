import { findCycles, nameCycle } from '../../core/graph.js';
import type { Issue } from '../../core/issue.js';
import { readPlanFrontmatter } from '../../core/task-plan/frontmatter.js';
import type { TaskPlanIssueCode } from '../../core/task-plan/issue-codes.js';
import type { FoundPlan, UnreadablePlan } from '../types.js';
import { compareIds } from './find-plans.js';
import { fitPlans, isPlanOver, planDependencies } from './next-tasks.js';

/** What is wrong with a plan, by itself or among the others. */
export type TaskFileIssue = Issue<TaskPlanIssueCode | 'plan-unknown' | 'plan-circle'>;

/** Why plans never begin, by their paths: they wait on what is not there, or on each other. */
export function findDeadEnds(
  all: readonly FoundPlan[],
  unreadable: readonly UnreadablePlan[],
): Map<string, TaskFileIssue[]> {
  const open = all.filter((plan) => !isPlanOver(plan));
  const cycles = cyclesByPlan(open, all);
  return new Map(
    open.map((plan) => {
      const cycle = cycles.get(plan.id);
      return [plan.path, [...unknownOf(plan, all, unreadable), ...(cycle ? [cycleIssue(plan, cycle)] : [])]];
    }),
  );
}

function unknownOf(
  plan: FoundPlan,
  all: readonly FoundPlan[],
  unreadable: readonly UnreadablePlan[],
): TaskFileIssue[] {
  return [...new Set(readPlanFrontmatter(plan.plan).dependsOn)]
    .filter(
      (written) =>
        fitPlans(written, plan, all).length === 0 && fitPlans(written, plan, unreadable).length === 0,
    )
    .map((written) => ({
      code: 'plan-unknown',
      severity: 'warning',
      message: `"depends_on" of the frontmatter: there is no plan ${written}, so ${plan.id} never starts.`,
      hint: 'Write the id of a plan that is there, or take it out.',
      ...dependsOnLine(plan),
    }));
}

function cycleIssue(plan: FoundPlan, cycle: readonly string[]): TaskFileIssue {
  const message =
    cycle.length === 1
      ? `Dependency cycle: ${plan.id} depends on itself, so it never starts.`
      : `Dependency cycle: ${nameCycle(cycle)} wait for each other, so none of them ever starts.`;
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
  if (readPlanFrontmatter(plan).dependsOn.length === 0) return {};
  const at = plan.text.split('\n').findIndex((line) => line.startsWith('depends_on:'));
  return at === -1 ? {} : { line: at + 1 };
}

/** For each plan that is in one, the ids of all that wait on each other there. */
function cyclesByPlan(open: readonly FoundPlan[], all: readonly FoundPlan[]): Map<string, string[]> {
  const waits = new Map<string, string[]>(open.map(({ id }) => [id, []]));
  for (const plan of open)
    for (const id of planDependencies(plan, all)) if (waits.has(id)) waits.get(plan.id)!.push(id);
  const cycles = new Map<string, string[]>();
  for (const cycle of findCycles(waits)) {
    cycle.sort(compareIds);
    for (const id of cycle) cycles.set(id, cycle);
  }
  return cycles;
}
