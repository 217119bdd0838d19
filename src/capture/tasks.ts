import { setTaskStatus, type Task, type TaskStatus } from '../formats/task-plan/index.js';
import { isoUtc, now, Unusable } from '../platform/index.js';
import type { Change, View } from '../workspace/index.js';
import { describeCommit } from './conflicts.js';
import { emptyPlan } from './counters.js';
import { findPlan as findPlanIn, findPlans } from './find-plans.js';
import { dependencies, planDependencies, refOf, taskId, waitsOn } from './next-tasks.js';
import { type CaptureProject, changeTo, jsonText, logFiles, readTextAt } from './project.js';
import { ProjectLook } from './project-look.js';
import type { Resolution, TaskRecord } from './records.js';
import { addStart, chooseSession } from './session.js';
import type { FoundPlan, ListedTask, NextTasks, TaskRef } from './types.js';

/** Every plan of the project, in the order of their ids. */
export function listPlans(project: CaptureProject): FoundPlan[] {
  return project.workspace.view((view) => findPlans(view, project));
}

/** By path or id. Throws `Unusable` where there is none, or more than one. */
export function findPlan(project: CaptureProject, named: string): FoundPlan {
  return project.workspace.view((view) => findPlanIn(view, project, named));
}

export function listTasks(project: CaptureProject, named: string): { plan: FoundPlan; tasks: ListedTask[] } {
  return project.workspace.view((view) => {
    const plan = findPlanIn(view, project, named);
    const look = lookAt(view, project, plan);
    return { plan, tasks: plan.plan.tasks.map((task) => listTask(look, plan, task)) };
  });
}

/** Of one plan, or of all. */
export function nextTasks(project: CaptureProject, named?: string): NextTasks {
  return project.workspace.view((view) => {
    if (named === undefined) {
      const all = new ProjectLook(view, project);
      return all.nextOf(all.plans);
    }
    const plan = findPlanIn(view, project, named);
    return lookAt(view, project, plan).nextOf([plan]);
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
  /** What people decided about it, in order. */
  resolutions: Resolution[];
}

export function showTask(project: CaptureProject, id: string): ShownTask {
  return project.workspace.view((view) => {
    const { plan, task } = findTask(view, project, id);
    const look = lookAt(view, project, plan);
    return {
      task: listTask(look, plan, task),
      detail: task,
      planPath: plan.path,
      record: look.recordOf(plan.id)?.tasks[String(task.index)] ?? null,
      resolutions: readResolutions(view, project).filter(
        (each) => each.task_id === taskId(plan.id, task.index),
      ),
    };
  });
}

/** Work on a task begins: it is `in_progress` until there is a result for it. */
export async function startTask(
  project: CaptureProject,
  id: string,
  { session: named }: { session?: string } = {},
): Promise<TaskRef & { session: string; attempts: number }> {
  const at = isoUtc(now());
  return change(project, `${id} was not started`, (view) => {
    const { plan, task } = findTask(view, project, id);
    const ref = refOf(plan, task);
    if (task.status === 'completed') throw new Unusable(`${ref.id} is completed already.`);
    const look = lookAt(view, project, plan);
    const waits = waitsOn(plan, task, look.plans);
    if (waits.length > 0) throw new Unusable(`${ref.id} cannot begin yet: it waits for ${waits.join(', ')}.`);
    const chosen = chooseSession(view, project, {
      planId: plan.id,
      at,
      ...(named !== undefined && { named }),
    });
    const session = addStart(chosen.session, { planId: plan.id, ...ref, at });
    const record = look.recordOf(plan.id) ?? emptyPlan(plan.id);
    const started = { ...record, started: { ...record.started, [String(task.index)]: at } };
    const past = (sessionId: string) => logFiles.pastSession(project, sessionId);
    return {
      changes: [
        changeTo(view, logFiles.session(project), jsonText(session)),
        chosen.over && changeTo(view, past(chosen.over.session_id), jsonText(chosen.over)),
        chosen.resumed ? changeTo(view, past(session.session_id), null) : undefined,
        changeTo(view, logFiles.plan(project, plan.id), jsonText(started)),
      ],
      value: {
        ...ref,
        session: session.session_id,
        attempts: session.tasks.find(({ task_id }) => task_id === ref.id)!.attempts,
      },
    };
  });
}

export interface Resolved extends TaskRef {
  decision: Resolution['decision'];
  instruction: string | null;
  /** The task's from now on. */
  status: TaskStatus;
  /** Ids of the tasks that cannot go on without it. */
  blocks: string[];
}

/**
 * A person's word on a task that failed or is blocked: `retry` and `fix: …` let it begin again, `skip` gives it up,
 * `abort` leaves it failed. Nothing that waits for it goes on before it is completed.
 */
export async function resolveTask(project: CaptureProject, id: string, answer: string): Promise<Resolved> {
  const { decision, instruction } = readAnswer(answer);
  const at = isoUtc(now());
  return change(project, `${id} was not changed`, (view) => {
    const { plan, task } = findTask(view, project, id);
    const ref = refOf(plan, task);
    if (task.status === 'completed')
      throw new Unusable(`${ref.id} is completed: there is nothing to resolve.`);
    const status = MARKS[decision];
    const edit = setTaskStatus(plan.plan, task.index, { status, at });
    const line: Resolution = { at, task_id: ref.id, decision, ...(instruction !== null && { instruction }) };
    const path = logFiles.resolutions(project);
    const end = view.readEnd(path, 1);
    const record = new ProjectLook(view, project).recordOf(plan.id);
    const { [String(task.index)]: _, ...started } = record?.started ?? {};
    return {
      changes: [
        changeTo(view, plan.path, edit.text),
        record && changeTo(view, logFiles.plan(project, plan.id), jsonText({ ...record, started })),
        {
          path,
          append: new TextEncoder().encode(`${JSON.stringify(line)}\n`),
          offset: end.status === 'bytes' ? end.size : 0,
        },
      ],
      value: { ...ref, decision, instruction, status, blocks: behind(plan, task) },
    };
  });
}

const MARKS = { retry: 'pending', fix: 'pending', skip: 'skipped', abort: 'failed' } as const;

function readAnswer(answer: string): { decision: Resolution['decision']; instruction: string | null } {
  const word = answer.trim().toLowerCase();
  if (word === 'retry' || word === 'skip' || word === 'abort') return { decision: word, instruction: null };
  const instruction = /^\s{0,20}fix:(.*)$/is.exec(answer)?.[1]?.trim();
  if (instruction) return { decision: 'fix', instruction };
  throw new Unusable(
    `${JSON.stringify(answer)} is no answer; write retry, skip, abort, or "fix: …" with what is to be done differently.`,
  );
}

/** The tasks of the plan that wait for this one, and for those that do. */
function behind(plan: FoundPlan, task: Task): string[] {
  const held = new Set([task.index]);
  for (const other of plan.plan.tasks) {
    if (other.status !== 'completed' && dependencies(plan, other).some((index) => held.has(index)))
      held.add(other.index);
  }
  held.delete(task.index);
  return [...held].map((index) => taskId(plan.id, index));
}

/** `03-01:2` */
function findTask(view: View, project: CaptureProject, id: string): { plan: FoundPlan; task: Task } {
  const [, planId, index] = /^(.{1,300}):(\d{1,6})$/.exec(id) ?? [];
  if (planId === undefined) {
    throw new Unusable(`${JSON.stringify(id)} is no task; write a plan and a position, such as 03-01:2.`);
  }
  const plan = findPlanIn(view, project, planId);
  const task = plan.plan.tasks[Number(index) - 1];
  if (task) return { plan, task };
  const count = plan.plan.tasks.length;
  throw new Unusable(
    `${plan.path} has ${count === 0 ? 'no tasks' : `tasks 1 to ${count}`}, and no ${index}.`,
  );
}

function listTask(look: ProjectLook, plan: FoundPlan, task: Task): ListedTask {
  const ref = refOf(plan, task);
  const isStarted = look.started([plan]).has(ref.id) && task.status !== 'completed';
  const { next } = look.nextOf([plan]);
  return {
    ...ref,
    index: task.index,
    type: task.type,
    status: isStarted ? 'in_progress' : task.status,
    files: task.files.map(({ path }) => path),
    verify: task.verify?.text ?? null,
    runnable: task.verify?.command != null,
    dependsOn: [
      ...planDependencies(plan, look.plans),
      ...dependencies(plan, task).map((index) => taskId(plan.id, index)),
    ],
    ready: next.some(({ id }) => id === ref.id),
  };
}

/** A plan may be named that no glob finds. */
function lookAt(view: View, project: CaptureProject, plan: FoundPlan): ProjectLook {
  const look = new ProjectLook(view, project);
  look.put(plan, look.recordOf(plan.id), look.project);
  return look;
}

function readResolutions(view: View, project: CaptureProject): Resolution[] {
  return (readTextAt(view, logFiles.resolutions(project)) ?? '').split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as Resolution];
    } catch {
      return [];
    }
  });
}

/** One commit; throws `Unusable` where it could not be made. */
async function change<T>(
  project: CaptureProject,
  what: string,
  work: (view: View) => { changes: (Change | undefined | null)[]; value: T },
): Promise<T> {
  const result = await project.workspace.update((view) => {
    const { changes, value } = work(view);
    return { changes: changes.filter((each) => each != null), value };
  });
  if (result.status !== 'committed') throw new Unusable(describeCommit(what, result));
  return result.value;
}
