import { readPlanFrontmatter } from '../../core/task-plan/frontmatter.js';
import { checkedTasks, dependencies, isSequence } from '../../core/task-plan/order.js';
import type { Task, TaskPlanIssue } from '../../core/task-plan/types.js';
import type { ResultStatus, VerdictName } from '../../core/task-result/types.js';
import type { Tree } from '../../core/tree.js';
import { UserError } from '../../node/errors.js';
import { openTree } from '../../workspace/tree.js';
import type { View } from '../../workspace/view.js';
import { findLog, type LoggedIssue } from '../logs/read-log.js';
import type { PlanRecord, Resolution, TaskRecord } from '../metrics/records.js';
import { dayOf } from '../metrics/summaries.js';
import { type CaptureProject, fileName } from '../project.js';
import type { FoundPlan, ListedTask, NextTasks, UnreadablePlan } from '../types.js';
import { findPlanToChange as findPlanIn, findPlans, findPlanToRead, readPlanAt } from './find-plans.js';
import {
  findDeadEnds,
  fitPlans,
  isPlanOver,
  orderIssues,
  planDependencies,
  planIssues,
  plansOf,
  refOf,
  type TaskFileIssue,
  taskId,
  unreadBefore,
} from './next-tasks.js';
import { ProjectSnapshot, recordOfTask, type TaskCondition } from './project-snapshot.js';

/** Every plan of the project, in the order of their ids. */
export function listPlans(project: CaptureProject): FoundPlan[] {
  return project.workspace.view((view) => findPlans(view, project).plans);
}

/** By path or id. Throws `UserError` if there is none, or more than one, or another with its id. */
export function findPlan(project: CaptureProject, named: string): FoundPlan {
  return project.workspace.view((view) => findPlanIn(view, project, named));
}

/** The tasks of a project, read at one moment. */
export interface ListedProject {
  plans: { plan: FoundPlan; tasks: ListedTask[]; issues: TaskFileIssue[] }[];
  next: NextTasks;
  /** Matching files that cannot be read: their tasks are unknown. */
  unreadable: { path: string; reason: string }[];
}

/** The files that a task names; null where there is no such task, or it names none. */
export function filesOfTask(project: CaptureProject, id: string): string[] | null {
  const files = findListed(project, id)?.files ?? [];
  return files.length === 0 ? null : files;
}

export function findListed(project: CaptureProject, id: string): ListedTask | undefined {
  return listProject(project)
    .plans.flatMap(({ tasks }) => tasks)
    .find((task) => task.id === id);
}

/** The tasks of one plan, or of all. Unreadable files are listed in either case. */
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
  return listProject(project, named).next;
}

/** Everything that is known about a task. */
export interface ShownTask {
  task: ListedTask;
  detail: Task;
  /** From the root. */
  planPath: string;
  /** Null if there was no result for it yet. */
  record: TaskRecord | null;
  /** Null if there was none, or its log is not known. */
  last: LastResult | null;
  /** The user's decisions about it, in order. */
  resolutions: Resolution[];
  /** How many tasks it checks, if it is a checkpoint. */
  checked: number;
  /** Why it can never start. */
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
      checked: checkedTasks(plan.plan, task).length,
      deadEnds: [
        ...planIssues(plan).filter(({ code }) => code === 'dependency-cycle'),
        ...(findDeadEnds(snapshot.plans, snapshot.unreadable).get(plan.path) ?? []),
      ],
    };
  });
}

/** Finds the task of an id such as `03-01:2`. Throws `UserError` if there is none. */
export function findTaskById(project: CaptureProject, id: string): { plan: FoundPlan; task: Task } {
  return project.workspace.view((view) =>
    findTask(readTaskId(id), (named) => findPlanToRead(view, project, named)),
  );
}

/** The task with an id such as `03-01:2`. */
export interface TaskPosition {
  plan: string;
  index: number;
}

/** Throws `UserError` if there is no such task. */
export function readTaskId(id: string): TaskPosition {
  const [, plan, index] = /^(.{1,300}):(\d{1,6})$/.exec(id) ?? [];
  if (plan !== undefined) return { plan, index: Number(index) };
  throw new UserError(
    `${JSON.stringify(id)} is not a task id. Use one like 03-01:2, the second task of task file 03-01.`,
  );
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
    `${plan.path} has ${count === 0 ? 'no tasks' : `tasks 1 to ${count}`}, but no task ${index}.`,
  );
}

function listPlan(snapshot: ProjectSnapshot, plan: FoundPlan, { next }: NextTasks): ListedTask[] {
  const ready = new Set(next.map(({ id }) => id));
  const plans = planDependencies(plan, snapshot.plans);
  const sequence = isSequence(plan.plan);
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

/** Users may name a plan that no glob matches. */
export function readSnapshot(view: View, project: CaptureProject, plan: FoundPlan): ProjectSnapshot {
  const snapshot = new ProjectSnapshot(view, project);
  snapshot.put(plan, snapshot.recordOf(plan.id), snapshot.project);
  return snapshot;
}

/** Everything that determines the order of a project's tasks, read at one moment, by the rules of `nextTasks`. */
export interface ProjectTasks {
  /** In the order of their ids. */
  plans: readonly PlanTasks[];
  /** In the order of their paths. */
  unreadable: readonly UnreadablePlan[];
  /** The files that paths in plans refer to; without it, paths are compared as text. */
  tree?: Tree;
}

export interface PlanTasks {
  found: FoundPlan;
  wave: number | null;
  /** As the frontmatter has them. */
  filesModified: readonly string[];
  /** Ids of the plans to complete first: those that it names (even itself), and those of earlier waves. */
  needs: readonly string[];
  /** Names in it that match no plan, as written. */
  unknown: readonly string[];
  /** Unreadable plans that must, or may have to, be completed first. */
  unread: readonly UnreadablePlan[];
  /** Unreadable frontmatter that may have named dependencies. */
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
  /** Positions of the tasks in its plan to complete first. */
  needs: readonly number[];
  condition: TaskCondition;
}

/** Includes plans that are named explicitly, whether or not a glob matches them. */
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
  const sequence = isSequence(found.plan);
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

/** The last result of a task; null if it has none, or if its log is unknown. */
export function readLastResult(project: CaptureProject, plan: FoundPlan, index: number): LastResult | null {
  return project.workspace.view((view) => {
    const record = new ProjectSnapshot(view, project).recordOf(plan.id);
    const own = recordOfTask(plan, record, index);
    return record && own ? lastResultOf(view, project, record, own) : null;
  });
}

/** The result that a task's record names as its last. */
export interface LastResult {
  /** From the root: where its log is, or was. */
  log: string;
  status: ResultStatus;
  /** Null if the executor gave none, or the log cannot be read. */
  error: string | null;
  /** Null if the log cannot be read. */
  evidence: string | null;
  /** Null if the log cannot be read, or did not keep it yet. */
  verdict: VerdictName | null;
  /** The issues that were reported when it was captured. */
  issues: LoggedIssue[];
}

/** `own` is the record of one task in `record`. Null if no log is known for it. */
function lastResultOf(
  view: View,
  project: CaptureProject,
  record: PlanRecord,
  own: TaskRecord,
): LastResult | null {
  const log = lastLogOf(record, own);
  if (log === undefined) return null;
  const found = findLog(view, project, log);
  const path = found.status === 'missing' ? log : found.path;
  const known = { log: `${project.dir}/${path}`, status: own.last_status };
  if (found.status !== 'log') return { ...known, error: null, evidence: null, verdict: null, issues: [] };
  const { result, verdict, issues } = found.log;
  return { ...known, error: result.error, evidence: result.evidence, verdict, issues };
}

/** Within a day and status, the highest number is the newest; the order of an object's keys proves nothing. */
function lastLogOf({ plan_id, tasks, ids }: PlanRecord, own: TaskRecord): string | undefined {
  const position = Object.keys(tasks).find((key) => tasks[key] === own) ?? '';
  const day = dayOf(own.last_at);
  const start = `executions/${day}/${fileName(plan_id)}-task-${position.padStart(2, '0')}-${own.last_status}`;
  let last: { log: string; number: number } | undefined;
  for (const { log } of Object.values(ids)) {
    const end = log.startsWith(start) ? /^(?:-(\d{1,9}))?\.yaml$/.exec(log.slice(start.length)) : null;
    const number = Number(end?.[1] ?? 1);
    if (end && number > (last?.number ?? 0)) last = { log, number };
  }
  return last?.log;
}
