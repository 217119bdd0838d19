import type { Task } from '../../core/task-plan/types.js';
import { UserError } from '../../node/user-error.js';
import type { View } from '../../workspace/view.js';
import type { Resolution, TaskRecord } from '../metrics/records.js';
import type { CaptureProject } from '../project.js';
import type { FoundPlan, ListedTask, NextTasks } from '../types.js';
import { findPlanToChange as findPlanIn, findPlans, findPlanToRead } from './find-plans.js';
import { type LastResult, lastResultOf } from './last-result.js';
import { dependencies, isSequence, planDependencies, planIssues, refOf, taskId } from './next-tasks.js';
import { findDeadEnds, type TaskFileIssue } from './plan-cycles.js';
import { ProjectSnapshot } from './project-snapshot.js';

/** Every plan of the project, in the order of their ids. */
export function listPlans(project: CaptureProject): FoundPlan[] {
  return project.workspace.view((view) => findPlans(view, project).plans);
}

/** By path or id. Throws `UserError` where there is none, or more than one, or another with its id. */
export function findPlan(project: CaptureProject, named: string): FoundPlan {
  return project.workspace.view((view) => findPlanIn(view, project, named));
}

export function listTasks(project: CaptureProject, named: string): { plan: FoundPlan; tasks: ListedTask[] } {
  return project.workspace.view((view) => {
    const plan = findPlanToRead(view, project, named);
    const snapshot = readSnapshot(view, project, plan);
    return { plan, tasks: listPlan(snapshot, plan, snapshot.nextOf([plan])) };
  });
}

/** What there is to do, read at one time. */
export interface ListedProject {
  plans: { plan: FoundPlan; tasks: ListedTask[]; issues: TaskFileIssue[] }[];
  next: NextTasks;
  /** What the globs find and nobody can read: what is to be done there is not known. */
  unreadable: { path: string; reason: string }[];
}

/** Of one plan, or of all. What cannot be read is named either way. */
export function listProject(project: CaptureProject, named?: string): ListedProject {
  return project.workspace.view((view) => {
    const one = named === undefined ? undefined : findPlanToRead(view, project, named);
    const snapshot = one ? readSnapshot(view, project, one) : new ProjectSnapshot(view, project);
    const deadEnds = findDeadEnds(snapshot.plans, snapshot.unreadable);
    const listed = (one ? [one] : snapshot.plans).map((plan) => ({ plan, next: snapshot.nextOf([plan]) }));
    return {
      plans: listed.map(({ plan, next }) => ({
        plan,
        tasks: listPlan(snapshot, plan, next),
        issues: [...planIssues(plan), ...(deadEnds.get(plan.path) ?? [])],
      })),
      next: {
        next: listed.flatMap(({ next }) => next.next),
        waiting: listed.flatMap(({ next }) => next.waiting),
      },
      unreadable: snapshot.unreadable.map(({ path, reason }) => ({ path, reason })),
    };
  });
}

/** Of one plan, or of all. */
export function nextTasks(project: CaptureProject, named?: string): NextTasks {
  return project.workspace.view((view) => {
    if (named === undefined) {
      const all = new ProjectSnapshot(view, project);
      return all.nextOf(all.plans);
    }
    const plan = findPlanToRead(view, project, named);
    return readSnapshot(view, project, plan).nextOf([plan]);
  });
}

/** All that is known of one task. */
export interface ShownTask {
  task: ListedTask;
  detail: Task;
  /** From the root. */
  planPath: string;
  /** Null where there was no result for it yet. */
  record: TaskRecord | null;
  /** Null where there was none, or its log is not known. */
  last: LastResult | null;
  /** What people decided about it, in order. */
  resolutions: Resolution[];
  /** Why it never starts, whatever else is done. */
  deadEnds: TaskFileIssue[];
}

export function showTask(project: CaptureProject, id: string): ShownTask {
  return project.workspace.view((view) => {
    const { plan, task } = findTask(readTaskId(id), (named) => findPlanToRead(view, project, named));
    const snapshot = readSnapshot(view, project, plan);
    const { record, resolutions } = snapshot.conditionsOf(plan)[task.index - 1]!;
    const whole = snapshot.recordOf(plan.id);
    return {
      task: listPlan(snapshot, plan, snapshot.nextOf([plan]))[task.index - 1]!,
      detail: task,
      planPath: plan.path,
      record,
      last: whole && record ? lastResultOf(view, project, whole, record) : null,
      resolutions,
      deadEnds: [
        ...planIssues(plan).filter(({ code }) => code === 'dependency-cycle'),
        ...(findDeadEnds(snapshot.plans, snapshot.unreadable).get(plan.path) ?? []),
      ],
    };
  });
}

/** What an id such as `03-01:2` names. Throws `UserError` where it names none. */
export function findTaskById(project: CaptureProject, id: string): { plan: FoundPlan; task: Task } {
  return project.workspace.view((view) =>
    findTask(readTaskId(id), (named) => findPlanToRead(view, project, named)),
  );
}

/** What `03-01:2` names. */
export interface TaskPosition {
  plan: string;
  index: number;
}

/** Throws `UserError` where it names no task. */
export function readTaskId(id: string): TaskPosition {
  const [, plan, index] = /^(.{1,300}):(\d{1,6})$/.exec(id) ?? [];
  if (plan !== undefined) return { plan, index: Number(index) };
  throw new UserError(`${JSON.stringify(id)} is no task; write a plan and a position, such as 03-01:2.`);
}

export function findTask(
  { plan: named, index }: TaskPosition,
  find: (named: string) => FoundPlan,
): { plan: FoundPlan; task: Task } {
  const plan = find(named);
  const task = plan.plan.tasks[index - 1];
  if (task) return { plan, task };
  const count = plan.plan.tasks.length;
  throw new UserError(
    `${plan.path} has ${count === 0 ? 'no tasks' : `tasks 1 to ${count}`}, and no ${index}.`,
  );
}

function listPlan(snapshot: ProjectSnapshot, plan: FoundPlan, { next }: NextTasks): ListedTask[] {
  const ready = new Set(next.map(({ id }) => id));
  const plans = planDependencies(plan, snapshot.plans);
  const sequence = isSequence(plan);
  const conditions = snapshot.conditionsOf(plan);
  return plan.plan.tasks.map((task) => {
    const ref = refOf(plan, task);
    return {
      ...ref,
      index: task.index,
      type: task.type,
      status: conditions[task.index - 1]!.status,
      files: task.files.map(({ path }) => path),
      verify: task.verify?.text ?? null,
      runnable: task.verify?.command != null,
      dependsOn: [
        ...plans,
        ...task.dependsOnUnknown,
        ...dependencies(task, sequence).map((index) => taskId(plan.id, index)),
      ],
      ready: ready.has(ref.id),
    };
  });
}

/** A plan may be named that no glob finds. */
export function readSnapshot(view: View, project: CaptureProject, plan: FoundPlan): ProjectSnapshot {
  const snapshot = new ProjectSnapshot(view, project);
  snapshot.put(plan, snapshot.recordOf(plan.id), snapshot.project);
  return snapshot;
}
