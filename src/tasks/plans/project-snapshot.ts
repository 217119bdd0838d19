import { addToGroup } from '../../core/groups.js';
import { matchTask } from '../../core/task-plan/checkboxes.js';
import type { Task, TaskPlan, TaskStatus } from '../../core/task-plan/types.js';
import type { View } from '../../workspace/view.js';
import type { PlanRecord, ProjectRecord, Resolution, Start, TaskRecord } from '../metrics/records.js';
import { countOwn, emptyPlan, emptyProject } from '../metrics/summaries.js';
import { type CaptureProject, logFiles, readRecordAt } from '../project.js';
import type { FoundPlan, NextTasks, UnreadablePlan } from '../types.js';
import { type FoundPlans, findPlans } from './find-plans.js';
import { findNext, isPlanOver, touchedPlans } from './next-tasks.js';

/** All plans of a project and their records, each read once, when first needed. */
export class ProjectSnapshot {
  private readonly records = new Map<string, PlanRecord | undefined>();
  private readonly conditions = new Map<FoundPlan, TaskCondition[]>();
  private found: FoundPlans | undefined;
  private decided: Resolution[] | undefined;
  private sum: ProjectRecord | undefined;

  constructor(
    private readonly view: View,
    private readonly at: CaptureProject,
  ) {}

  get plans(): readonly FoundPlan[] {
    return this.all.plans;
  }

  /** Their tasks are unknown. */
  get unreadable(): readonly UnreadablePlan[] {
    return this.all.unreadable;
  }

  private get all(): FoundPlans {
    this.found ??= findPlans(this.view, this.at);
    return this.found;
  }

  private get resolutions(): Resolution[] {
    this.decided ??= readResolutions(this.view, this.at);
    return this.decided;
  }

  get project(): ProjectRecord | undefined {
    this.sum ??= readRecordAt(this.view, logFiles.project(this.at), emptyProject());
    return this.sum;
  }

  recordOf(planId: string): PlanRecord | undefined {
    if (!this.records.has(planId)) {
      this.records.set(planId, readRecordAt(this.view, logFiles.plan(this.at, planId), emptyPlan(planId)));
    }
    return this.records.get(planId);
  }

  /** The same snapshot after changes to these plans. Adds a plan that no glob matches. */
  put(plan: FoundPlan, record: PlanRecord | undefined, project: ProjectRecord | undefined): void {
    const known = this.plans.some(({ path }) => path === plan.path);
    const plans = this.plans.map((each) => (each.path === plan.path ? plan : each));
    this.found = { plans: known ? plans : [...plans, plan], unreadable: this.all.unreadable };
    this.records.set(plan.id, record);
    this.sum = project;
    this.conditions.clear();
  }

  /** The same snapshot after a decision by the user. */
  decide(resolution: Resolution): void {
    this.decided = [...this.resolutions, resolution];
    this.conditions.clear();
  }

  /** The conditions of its tasks, in order. */
  conditionsOf(plan: FoundPlan): readonly TaskCondition[] {
    const before = this.conditions.get(plan);
    if (before) return before;
    const conditions = readConditions(plan, this.recordOf(plan.id), this.resolutions);
    this.conditions.set(plan, conditions);
    return conditions;
  }

  /** What can start after a change in `plan`, and what waits. */
  nextAfter(plan: FoundPlan): NextTasks {
    const touched = touchedPlans(plan, this.plans);
    const queued = this.plans.filter((other) => !touched.includes(other) && this.isQueuedBehind(other, plan));
    return this.nextOf([...touched, ...queued]);
  }

  private isQueuedBehind(other: FoundPlan, { id: planId }: FoundPlan): boolean {
    if (!other.plan.tasks.some(({ status }) => status === 'blocked')) return false;
    const isOf = (id: string) => id === planId || id.startsWith(`${planId}:`);
    return this.conditionsOf(other).some(({ behind }) => behind.some(isOf));
  }

  /** Whether every plan is readable and all its tasks are completed. */
  get isAllDone(): boolean {
    return (
      this.unreadable.length === 0 &&
      this.plans.every((each) => each.plan.tasks.length === 0 || isPlanOver(each))
    );
  }

  nextOf(plans: readonly FoundPlan[]): NextTasks {
    return findNext(plans, this);
  }
}

/** The condition of a task: from its plan, and from the records where the plan has no word for it. */
export interface TaskCondition {
  status: TaskStatus;
  /** The user aborted it, and only the user can restart it. */
  aborted: boolean;
  /** Null if there was no result for it yet. */
  record: TaskRecord | null;
  /** Whether the last result for its position is a success, whatever task name it has. */
  succeeded: boolean;
  /** While it is blocked: ids of the tasks and plans it waits for. */
  behind: readonly string[];
  /** In order. */
  resolutions: Resolution[];
}

/** In the order of the tasks. `resolutions` are those of all plans. */
export function readConditions(
  found: FoundPlan,
  record: PlanRecord | undefined,
  resolutions: readonly Resolution[],
): TaskCondition[] {
  const records = recordsIn(found, record);
  const started = findStarted(found, record);
  const decided = decidedIn(found, resolutions);
  return found.plan.tasks.map((task) => {
    const own = records.get(task.index)?.value ?? null;
    const about = decided.get(task.index) ?? [];
    const last = about.at(-1);
    const decision = last && isNewer(last, own) ? last.decision : undefined;
    const status = started.has(task.index) ? 'in_progress' : statusOf(task, own, decision);
    return {
      status: task.status === 'completed' ? 'completed' : status,
      behind: (task.status !== 'completed' && status === 'blocked' && own?.behind) || [],
      aborted: decision === 'abort' && status === 'failed',
      record: own,
      succeeded: record?.tasks[String(task.index)]?.last_status === 'success',
      resolutions: about,
    };
  });
}

/** A decision is valid until the task has another result. */
function isNewer({ at, results }: Resolution, record: TaskRecord | null): boolean {
  if (!record) return true;
  return results === undefined ? at >= record.last_at : results >= countOwn(record);
}

const OUTCOMES = { success: 'pending', failure: 'failed', blocked: 'blocked' } as const;

/** A checkbox only shows whether a task is done. */
function statusOf(
  task: Task,
  record: TaskRecord | null,
  decision: Resolution['decision'] | undefined,
): TaskStatus {
  if (task.status !== 'pending' || task.isElement) return task.status;
  if (decision) return STATUS_AFTER[decision];
  return record && countOwn(record) > 0 ? OUTCOMES[record.last_status] : 'pending';
}

/** The tasks in progress, by index. */
export function findStarted(found: FoundPlan, record: PlanRecord | undefined): Map<number, Start> {
  const records = recordsIn(found, record);
  const started = new Map<number, Start>();
  for (const [index, { value, moved }] of assign(found.plan, record?.started ?? {})) {
    // A result removes only the start at its own position.
    const isOver = moved && (records.get(index)?.value.last_at ?? '') >= value.at;
    if (!isOver) started.set(index, value);
  }
  return started;
}

/** The record of a task; undefined if it has no result yet. */
export function recordOfTask(
  found: FoundPlan,
  record: PlanRecord | undefined,
  index: number,
): TaskRecord | undefined {
  return recordsIn(found, record).get(index)?.value;
}

function recordsIn({ plan }: FoundPlan, record: PlanRecord | undefined): Map<number, Assigned<TaskRecord>> {
  return assign(plan, record?.tasks ?? {});
}

interface Assigned<T> {
  value: T;
  /** It was recorded at another position. */
  moved: boolean;
}

/**
 * Assigns records, which are stored by position, to tasks: to the task at that position if it still has the name, else to
 * the only task with exactly that name, else to none.
 */
function assign<T extends { name: string }>(
  plan: TaskPlan,
  kept: Readonly<Record<string, T>>,
): Map<number, Assigned<T>> {
  const assigned = new Map<number, Assigned<T>>();
  const strays: T[] = [];
  for (const [key, value] of Object.entries(kept)) {
    const task = plan.tasks[Number(key) - 1];
    if (task && isNameOf(value.name, task, plan)) assigned.set(task.index, { value, moved: false });
    else strays.push(value);
  }
  if (strays.length === 0) return assigned;
  const byName = indexesByName(plan);
  for (const value of strays) {
    const index = byName.get(value.name);
    if (index != null && !assigned.has(index)) assigned.set(index, { value, moved: true });
  }
  return assigned;
}

function decidedIn({ id, plan }: FoundPlan, resolutions: readonly Resolution[]): Map<number, Resolution[]> {
  const decided = new Map<number, Resolution[]>();
  const own = resolutions.filter(({ task_id }) => task_id.startsWith(`${id}:`));
  if (own.length === 0) return decided;
  const byName = indexesByName(plan);
  for (const resolution of own) {
    const { task_id, task_name } = resolution;
    const task = plan.tasks[Number(task_id.slice(id.length + 1)) - 1];
    const isHere = task && (task_name === undefined || isNameOf(task_name, task, plan));
    const index = isHere ? task.index : byName.get(task_name ?? '');
    if (index != null) addToGroup(decided, index, resolution);
  }
  return decided;
}

/** Null if several have it. */
function indexesByName({ tasks }: TaskPlan): Map<string, number | null> {
  const indexes = new Map<string, number | null>();
  for (const { name, index } of tasks) indexes.set(name, indexes.has(name) ? null : index);
  return indexes;
}

/** An executor may spell it differently, within the rules for results. */
function isNameOf(name: string, task: Task, plan: TaskPlan): boolean {
  if (name === task.name) return true;
  // It is compared with this task alone, and then the position of one without a number is the first.
  const written = NUMBERED.test(task.name)
    ? name
    : name.replace(/\d+/, (number) => (Number(number) === task.index ? '1' : '0'));
  const match = matchTask({ ...plan, tasks: [task] }, written);
  return match !== undefined && 'task' in match && (match.sameWords || !task.named);
}

const NUMBERED = /^[*_`]{0,9}task[\s#-]{0,9}\d/i;

const LIMIT = 64 * 1024 * 1024;

/** The status of a task after the user's decision. */
export const STATUS_AFTER = {
  retry: 'pending',
  fix: 'pending',
  land: 'pending',
  drop: 'pending',
  back: 'pending',
  skip: 'skipped',
  abort: 'failed',
} as const;

/** The user's decisions, in order. Unknown lines are skipped: they must not block a result. */
function readResolutions(view: View, project: CaptureProject): Resolution[] {
  const read = view.read(logFiles.resolutions(project), LIMIT);
  if (read.status !== 'bytes') return [];
  return new TextDecoder()
    .decode(read.bytes)
    .split('\n')
    .flatMap((line) => readLine(line) ?? []);
}

function readLine(line: string): Resolution | undefined {
  if (!line.includes('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isResolution(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isResolution(value: unknown): value is Resolution {
  if (typeof value !== 'object' || value === null) return false;
  const { at, task_id, task_name, decision, instruction, results } = value as Record<string, unknown>;
  const isText = (each: unknown) => typeof each === 'string';
  return (
    isText(at) &&
    isText(task_id) &&
    isText(decision) &&
    Object.hasOwn(STATUS_AFTER, decision as string) &&
    (task_name === undefined || isText(task_name)) &&
    (instruction === undefined || isText(instruction)) &&
    (results === undefined || Number.isFinite(results))
  );
}
