import { writePathLink } from '../../core/markdown/inline.js';
import type { Redactor } from '../../core/redact/redactor.js';
import type { TipLimits } from '../../core/report/markdown.js';
import type { ActionRecord, Run } from '../../core/report/record.js';
import { addTask, moveTask, removeTask, type TaskEdit } from '../../core/task-plan/arrange.js';
import { dependencies, isSequence } from '../../core/task-plan/order.js';
import { rewriteTask } from '../../core/task-plan/rewrite-task.js';
import type { Task } from '../../core/task-plan/types.js';
import { isoUtcMs, monotonicMs, now } from '../../node/clock.js';
import { UserError } from '../../node/errors.js';
import { newRunId } from '../../node/ids.js';
import { systemName } from '../../node/terminal/terminal.js';
import { writeFileDiff } from '../../runs/diff/unified-diff.js';
import { notReached } from '../../runs/progress.js';
import { closeRun, completeRun, failedRecord, success } from '../../runs/run-record.js';
import type { Change } from '../../workspace/commit/change.js';
import type { View } from '../../workspace/view.js';
import { type CaptureProject, changesTo, describeCommit } from '../project.js';
import { readStateUpdate } from '../state.js';
import type { FoundPlan, TaskRef } from '../types.js';
import { isOrchestrating } from './assignments.js';
import { findPlanToChange, withPlan } from './find-plans.js';
import { refOf, taskId } from './next-tasks.js';
import type { ProjectSnapshot } from './project-snapshot.js';
import { findTask, readSnapshot, readTaskId } from './tasks.js';

/** Tasks are named by their ids, such as `03-01:2`. */
export type TaskChangeRequest =
  | {
      kind: 'add';
      /** A path from the root, or an id. */
      plan: string;
      name: string;
      files: readonly string[];
      verify: string | null;
      action: string | null;
      done: string | null;
      after: readonly string[];
    }
  | {
      kind: 'edit';
      id: string;
      name?: string | undefined;
      files?: readonly string[] | undefined;
      verify?: string | undefined;
      action?: string | undefined;
      done?: string | undefined;
      after?: readonly string[] | undefined;
    }
  | { kind: 'move'; id: string; to: number }
  | { kind: 'remove'; id: string };

export interface ChangedTask extends TaskRef {
  /** From the root. */
  path: string;
  /** Its file as it is now. */
  plan: FoundPlan;
  run: string;
  /** Other tasks that have another id now. */
  renumbered: { from: string; to: string }[];
  /** Sentences about what else the user may want to change. */
  notes: string[];
}

export interface TaskChangeOptions {
  redactor: Redactor;
  tip: TipLimits;
  /** How many runs are kept. */
  keep: number;
  /** Called before a task is removed that others depend on. If it throws, nothing is changed. */
  approve?(task: TaskRef, dependents: readonly TaskRef[]): Promise<void>;
}

/** Changes the tasks of a task file as a run, which `undo` reverts. Throws `UserError` if it cannot. */
export async function changeTasks(
  project: CaptureProject,
  request: TaskChangeRequest,
  options: TaskChangeOptions,
): Promise<ChangedTask> {
  const { workspace } = project;
  const prepared = workspace.view((view) => prepareChange(view, project, request));
  const { task, dependents } = prepared;
  if (isOrchestrating(workspace)) {
    if (request.kind === 'remove' || prepared.renumbered.length > 0 || request.kind === 'move')
      throw new UserError(
        'teddy orchestrate is working on this project, and ids must not change meanwhile. Try again when it has ended.',
      );
    prepared.notes.push('teddy orchestrate is running: it takes this up at its next start.');
  }
  if (request.kind === 'remove' && dependents.length > 0) await options.approve?.(task, dependents);
  const run = await commitAsRun(project, prepared, options);
  const { path, plan, renumbered, notes } = prepared;
  return { ...task, path, plan, run, renumbered, notes };
}

interface PreparedChange extends Pick<ChangedTask, 'path' | 'plan' | 'renumbered' | 'notes'> {
  title: string;
  task: TaskRef;
  dependents: TaskRef[];
  files: { path: string; before: string; after: string }[];
  changes: Change[];
}

function prepareChange(view: View, project: CaptureProject, request: TaskChangeRequest): PreparedChange {
  const find = (named: string) => findPlanToChange(view, project, named);
  const { plan: found, task: old } =
    request.kind === 'add'
      ? { plan: find(request.plan), task: undefined }
      : findTask(readTaskId(request.id), find);
  const snapshot = readSnapshot(view, project, found);
  const edit = editPlan(found, old, request);
  if (edit.status === 'refused') throw new UserError(`${found.path} was not changed: ${edit.reason}`);
  const renumbered = [...edit.positions].filter(([from, to]) => from !== to);
  requireNoResults(found, old, request, renumbered, snapshot);
  const plan = withPlan(found, edit.plan);
  const isRemoved = request.kind === 'remove';
  const task = isRemoved ? refOf(found, old!) : refOf(plan, edit.plan.tasks[edit.index - 1]!);
  const ids = renumbered.map(([from, to]) => ({ from: taskId(found.id, from), to: taskId(found.id, to) }));
  const state = stateChange(view, project, snapshot, plan, ids);
  const files = [{ path: found.path, before: found.plan.text, after: edit.plan.text }, ...state.files];
  const isSame = files.every(({ before, after }) => before === after);
  if (isSame) throw new UserError(`${task.id} was not changed: it already is like that.`);
  return {
    title: `${VERBS[request.kind]} task ${old ? taskId(found.id, old.index) : task.id}${request.kind === 'move' ? ` to ${task.id}` : ''}`,
    path: found.path,
    plan,
    task,
    dependents: isRemoved ? dependentsOf(found, old!) : [],
    files,
    changes: files.flatMap(({ path, after }) => changesTo(view, path, after)),
    renumbered: ids.filter(({ from }) => from !== (old && taskId(found.id, old.index))),
    notes: [
      ...notesOn(found, plan, request.kind === 'add' ? edit.plan.tasks[edit.index - 1] : undefined),
      ...state.notes,
    ],
  };
}

const VERBS = { add: 'Add', edit: 'Edit', move: 'Move', remove: 'Remove' } as const;

function editPlan(found: FoundPlan, old: Task | undefined, request: TaskChangeRequest): TaskEdit {
  const { plan } = found;
  switch (request.kind) {
    case 'add':
      return addTask(plan, { ...request, after: request.after.map((id) => positionIn(found, id)) });
    case 'edit':
      return rewriteTask(plan, old!.index, {
        ...request,
        after: request.after?.map((id) => positionIn(found, id)),
      });
    case 'move':
      return moveTask(plan, old!.index, request.to);
    case 'remove':
      return removeTask(plan, old!.index);
  }
}

/** `03-01:2`, or only `2`. */
function positionIn({ id: planId, path }: FoundPlan, id: string): number {
  if (/^\d{1,6}$/.test(id)) return Number(id);
  const { plan, index } = readTaskId(id);
  if (plan === planId || plan === path) return index;
  throw new UserError(
    `${id} is not a task of ${path}: a task waits for tasks of its own file only. To wait for another file, write its id into depends_on of the frontmatter.`,
  );
}

/** Results, starts and waits are recorded by id: what they name keeps its id. */
function requireNoResults(
  found: FoundPlan,
  old: Task | undefined,
  request: TaskChangeRequest,
  renumbered: readonly (readonly [number, number])[],
  snapshot: ProjectSnapshot,
): void {
  const { kind } = request;
  const conditions = snapshot.conditionsOf(found);
  const hold = (index: number) => {
    const { status, record, resolutions } = conditions[index - 1]!;
    const id = taskId(found.id, index);
    const named = found.plan.tasks[index - 1]!.named;
    const waiting = snapshot.plans.find((plan) =>
      snapshot.conditionsOf(plan).some(({ behind }) => behind.includes(id)),
    );
    if (record !== null) return 'has results';
    if (status === 'in_progress') return 'is in progress';
    if (resolutions.length > 0 && !named) return 'was decided on, and has no name';
    return waiting ? `is what a blocked task of ${waiting.path} waits for` : undefined;
  };
  if (old && request.kind === 'edit') {
    if (request.name !== undefined && conditions[old.index - 1]!.record !== null)
      throw new UserError(
        `${taskId(found.id, old.index)} has results, which refer to it by its name, so it cannot be renamed.`,
      );
  } else if (old) {
    const why = hold(old.index);
    if (why)
      throw new UserError(
        `${taskId(found.id, old.index)} ${why}, so it cannot be ${kind === 'move' ? 'moved' : 'removed'}.`,
      );
  }
  for (const [from, to] of renumbered) {
    const why = hold(from);
    if (why)
      throw new UserError(
        `${taskId(found.id, from)} ${why}, so it keeps its id, but would become ${taskId(found.id, to)}.${kind === 'add' ? ' Without --after the new task is added at the end.' : ''}`,
      );
  }
}

/** The tasks that wait for this one directly. */
function dependentsOf(plan: FoundPlan, { index }: Task): TaskRef[] {
  const sequence = isSequence(plan.plan);
  return plan.plan.tasks
    .filter((task) => dependencies(task, sequence).includes(index))
    .map((task) => refOf(plan, task));
}

function notesOn(before: FoundPlan, after: FoundPlan, added: Task | undefined): string[] {
  const task = added?.isElement ? added : undefined;
  return [
    ...(task && task.verify?.command == null
      ? [
          `It has no verify command, so only its executor says whether it is done. Add one: teddy task edit ${taskId(after.id, task.index)} --verify`,
        ]
      : []),
    ...(task && task.files.length === 0
      ? [
          `It names no files, so it may run beside tasks that change the same ones. Name them: teddy task edit ${taskId(after.id, task.index)} --files`,
        ]
      : []),
    ...(isSequence(after.plan) && !isSequence(before.plan)
      ? [`No task of ${after.path} has depends_on now, so they are done in the order of the file.`]
      : []),
  ];
}

/** STATE.md, where it was up to date and counts tasks or names ids. */
function stateChange(
  view: View,
  project: CaptureProject,
  snapshot: ProjectSnapshot,
  plan: FoundPlan,
  ids: readonly { from: string; to: string }[],
): Pick<PreparedChange, 'files' | 'notes'> {
  const before = readStateUpdate(view, project, snapshot);
  if (before.text === undefined || before.path === plan.path) return { files: [], notes: [] };
  snapshot.put(plan, snapshot.recordOf(plan.id), snapshot.project);
  const isCurrent = before.updated === before.text;
  const { updated } = readStateUpdate(view, project, snapshot);
  const after = renameIds(isCurrent ? updated : before.text, ids);
  const isStale = !isCurrent && updated !== before.updated;
  return {
    files: after === before.text ? [] : [{ path: before.path, before: before.text, after }],
    notes: isStale ? [`${before.path} was not up to date before. To update it: teddy state --write`] : [],
  };
}

const TASK_ID = /(?<![\w.-])[\w.-]{1,100}:\d{1,6}(?![\w:]|[.-]\d)/g;

function renameIds(text: string, ids: readonly { from: string; to: string }[]): string {
  const renamed = new Map(ids.map(({ from, to }) => [from, to]));
  return renamed.size === 0 ? text : text.replace(TASK_ID, (id) => renamed.get(id) ?? id);
}

const DIFF = 'changes.diff';

/** The commit and its record, whose id it gives. */
async function commitAsRun(
  { workspace }: CaptureProject,
  { title, task, files, changes }: PreparedChange,
  { redactor, tip, keep }: TaskChangeOptions,
): Promise<string> {
  const [date, started] = [now(), monotonicMs()];
  let diff = '';
  const records = files.map(({ path, before, after }): ActionRecord => {
    const line = diff.split('\n').length;
    const text = (content: string) => ({ text: content, executable: false });
    diff += writeFileDiff(path, text(before), text(after));
    return {
      type: 'EDIT',
      line,
      metadata: { 'File Path': writePathLink(path), Description: task.name },
      decision: { status: 'approved', by: 'person' },
      outcome: success(`File '${path}' edited.`),
    };
  });
  let draft!: Omit<Run, 'overall'>;
  const begun = await workspace.beginRun((taken) => {
    const id = newRunId(date, taken);
    const startedAt = isoUtcMs(date);
    draft = redactor.maskAll({
      id,
      kind: 'tasks' as const,
      root: workspace.root,
      plan: { title, path: `.teddy/runs/${id}/${DIFF}` },
      startedAt,
      endedAt: startedAt,
      durationMs: 0,
      environment: { os: systemName(), cwd: workspace.root },
      refused: false,
      interrupted: null,
      issues: [],
      stateChanges: [],
      actions: records.map((record) => ({
        ...record,
        decision: notReached,
        outcome: { status: 'not-run' as const },
      })),
    });
    return { id, files: { [DIFF]: diff }, note: { kind: 'begun', at: startedAt, run: draft } };
  });
  if (begun.status !== 'begun')
    throw new UserError(
      begun.status === 'stopped' ? begun.reason : describeCommit('Nothing was changed', begun),
    );
  const { folder } = begun;
  try {
    const note = redactor.maskAll({
      kind: 'actions',
      ended: records.map((record, i) => ({ number: i + 1, record })),
    });
    const result = await workspace.commit(changes, { origin: 'tool', run: folder.id, note });
    const why = result.status === 'committed' ? undefined : describeCommit('Nothing was changed', result);
    const actions = why === undefined ? records : records.map((record) => failedRecord(record, why));
    const ended = { endedAt: isoUtcMs(now()), durationMs: Math.round(monotonicMs() - started) };
    closeRun(folder, completeRun(redactor.maskAll({ ...draft, ...ended, actions })), tip);
    if (why !== undefined) throw new UserError(why);
    return folder.id;
  } finally {
    folder.close();
    await workspace.pruneRuns(keep);
  }
}
