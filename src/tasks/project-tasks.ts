import { readPlanFrontmatter } from '../core/task-plan/frontmatter.js';
import type { Task, TaskPlanIssue } from '../core/task-plan/types.js';
import type { Tree } from '../core/tree.js';
import { openTree } from '../workspace/tree.js';
import { readPlanAt } from './plans/find-plans.js';
import { type LastResult, lastResultOf } from './plans/last-result.js';
import {
  dependencies,
  fitPlans,
  isPlanOver,
  isSequence,
  orderIssues,
  planDependencies,
  plansOf,
  taskId,
  unreadBefore,
} from './plans/next-tasks.js';
import { ProjectSnapshot } from './plans/project-snapshot.js';
import { recordOfTask, type TaskCondition } from './plans/task-condition.js';
import type { CaptureProject } from './project.js';
import type { FoundPlan, UnreadablePlan } from './types.js';

/** All that decides in which order a project's tasks are done, read at one time, by the rules of `nextTasks`. */
export interface ProjectTasks {
  /** In the order of their ids. */
  plans: readonly PlanTasks[];
  /** In the order of their paths. */
  unreadable: readonly UnreadablePlan[];
  /** What paths in plans are read against; without it, by their text alone. */
  tree?: Tree;
}

export interface PlanTasks {
  found: FoundPlan;
  wave: number | null;
  /** As the frontmatter has them. */
  filesModified: readonly string[];
  /** Ids of the plans that have to be completed first: those that it names, be it itself, and of earlier waves. */
  needs: readonly string[];
  /** What it names and no plan is, as written. */
  unknown: readonly string[];
  /** What has to be completed first, or may have to be, and nobody can read. */
  unread: readonly UnreadablePlan[];
  /** What of its frontmatter may have said what comes first, and cannot be read. */
  orderIssues: readonly TaskPlanIssue[];
  /** It has tasks, and all of them are completed. */
  isOver: boolean;
  /** In their order. */
  tasks: readonly PlannedTask[];
}

export interface PlannedTask {
  /** `03-01:2` */
  id: string;
  task: Task;
  /** Positions of the tasks of its plan that have to be completed first. */
  needs: readonly number[];
  condition: TaskCondition;
}

/** Plans that somebody names belong to it, whether or not a glob finds them. */
export function readProjectTasks(
  project: CaptureProject,
  named: readonly Pick<FoundPlan, 'path'>[] = [],
): ProjectTasks {
  return project.workspace.view((view) => {
    const snapshot = new ProjectSnapshot(view, project);
    for (const { path } of named) {
      const plan = readPlanAt(view, path);
      if (plan) snapshot.put(plan, snapshot.recordOf(plan.id), snapshot.project);
    }
    const plans = snapshot.plans.map((plan) => readFacts(plan, snapshot));
    return { plans, unreadable: snapshot.unreadable, tree: openTree(project.workspace.root) };
  });
}

function readFacts(found: FoundPlan, snapshot: ProjectSnapshot): PlanTasks {
  const { plans, unreadable } = snapshot;
  const { wave, filesModified } = readPlanFrontmatter(found.plan);
  const [needs, missing]: [string[], string[]] = [[], []];
  for (const id of planDependencies(found, plans)) (plansOf(id, plans).length > 0 ? needs : missing).push(id);
  const unread = missing.map((written) => fitPlans(written, found, unreadable));
  const sequence = isSequence(found);
  const conditions = snapshot.conditionsOf(found);
  return {
    found,
    wave,
    filesModified,
    needs,
    unknown: missing.filter((_, i) => unread[i]!.length === 0),
    unread: [...new Set([...unread.flat(), ...unreadBefore(found, unreadable)])],
    orderIssues: orderIssues(found),
    isOver: isPlanOver(found),
    tasks: found.plan.tasks.map((task, i) => ({
      id: taskId(found.id, task.index),
      task,
      needs: dependencies(task, sequence),
      condition: conditions[i]!,
    })),
  };
}

/** What came of a task last; null where there was no result for it, or its log is not known. */
export function readLastResult(project: CaptureProject, plan: FoundPlan, index: number): LastResult | null {
  return project.workspace.view((view) => {
    const record = new ProjectSnapshot(view, project).recordOf(plan.id);
    const own = recordOfTask(plan, record, index);
    return record && own ? lastResultOf(view, project, record, own) : null;
  });
}
