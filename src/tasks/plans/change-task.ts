import type { Issue } from '../../core/issue.js';
import { setTaskStatus } from '../../core/task-plan/edit.js';
import { checkedTasks } from '../../core/task-plan/order.js';
import type { Task, TaskStatus } from '../../core/task-plan/types.js';
import { writeResult } from '../../core/task-result/write.js';
import { isoUtc, now } from '../../node/clock.js';
import { UserError } from '../../node/errors.js';
import { NO_OUTPUT } from '../../runs/run-command.js';
import type { Change } from '../../workspace/commit/change.js';
import type { Lock } from '../../workspace/lock.js';
import type { View } from '../../workspace/view.js';
import type { Update } from '../../workspace/workspace.js';
import { submitResult } from '../capture-results.js';
import type { PlanRecord, Resolution, Start } from '../metrics/records.js';
import { countOwn, emptyPlan } from '../metrics/summaries.js';
import {
  appendLine,
  type CaptureProject,
  changesTo,
  describeCommit,
  jsonText,
  logFiles,
  openCapture,
} from '../project.js';
import { addDecision, addStart, chooseSession, keepSession, readSession } from '../record-result.js';
import { readStateUpdate } from '../state.js';
import type { CapturedResult, FoundPlan, ListedTask, SubmitOptions, TaskRef } from '../types.js';
import { describeDenial } from '../verify-result.js';
import { holdAnswer } from './answer-lock.js';
import { findDependents } from './blockers.js';
import { findPlanToChange, findPlanToRead, withPlan } from './find-plans.js';
import { orderIssues, refOf, taskId, waitsOn } from './next-tasks.js';
import { findStarted, ProjectSnapshot, STATUS_AFTER, type TaskCondition } from './project-snapshot.js';
import { findTask, findTaskById, readSnapshot, readTaskId, showTask } from './tasks.js';

export interface StartedTask extends TaskRef {
  session: string;
  attempts: number;
  /** When it was last started without a result since (that process may have died); null if it was not. */
  startedBefore: string | null;
}

export interface StartOptions {
  session?: string | undefined;
  /** More changes for the same commit. */
  also?(view: View): readonly Change[];
}

/** Starts work on a task: it is `in_progress` until it has a result. */
export async function startTask(
  project: CaptureProject,
  id: string,
  { session, also }: StartOptions = {},
): Promise<StartedTask> {
  readTaskId(id);
  return change(project, `${id} was not started`, (view) => {
    const { changes, value } = startChanges(view, project, id, { session });
    return { changes: [...changes, ...(also?.(view) ?? [])], value };
  });
}

/** The same as changes for another commit. Throws `UserError` if it cannot start. */
export function startChanges(
  view: View,
  project: CaptureProject,
  id: string,
  { session: named }: Pick<StartOptions, 'session'> = {},
): { changes: Change[]; value: StartedTask } {
  const at = isoUtc(now());
  const { plan, task } = findTask(readTaskId(id), (planName) => findPlanToChange(view, project, planName));
  const ref = refOf(plan, task);
  const snapshot = readSnapshot(view, project, plan);
  requireOpen(snapshot, plan, task);
  const chosen = chooseSession(view, project, { planId: plan.id, at, named });
  const attempts = conditionOf(snapshot, plan, task).record?.last_attempt ?? 0;
  const session = addStart(chosen.session, { planId: plan.id, ...ref, at, attempts });
  const record = snapshot.recordOf(plan.id) ?? emptyPlan(plan.id);
  const before = findStarted(plan, record);
  const started = new Map(before).set(task.index, { at, name: task.name });
  return {
    changes: [
      ...keepSession(view, project, chosen, session),
      ...keepStarted(view, project, plan.id, record, started),
    ],
    value: {
      ...ref,
      session: session.session_id,
      attempts: session.tasks.find(({ task_id }) => task_id === ref.id)!.attempts,
      startedBefore: before.get(task.index)?.at ?? null,
    },
  };
}

/** Undoes the start of a task whose work ended without a result. */
export async function releaseTask(
  project: CaptureProject,
  id: string,
  { also }: Pick<StartOptions, 'also'> = {},
): Promise<void> {
  await change(project, `${id} was not released`, (view) => ({
    changes: [...releaseChanges(view, project, id), ...(also?.(view) ?? [])],
    value: undefined,
  }));
}

/** The same as changes for another commit. */
export function releaseChanges(view: View, project: CaptureProject, id: string): Change[] {
  const { plan, task } = findTask(readTaskId(id), (name) => findPlanToChange(view, project, name));
  const record = readSnapshot(view, project, plan).recordOf(plan.id);
  const session = readSession(view, logFiles.session(project));
  const started = findStarted(plan, record);
  if (!started.delete(task.index)) return [];
  const ended = session && addDecision(session, taskId(plan.id, task.index), isoUtc(now()));
  return [
    ...(record ? keepStarted(view, project, plan.id, record, started) : []),
    ...(ended ? changesTo(view, logFiles.session(project), jsonText(ended)) : []),
  ];
}

/** The record of a plan with a new set of started tasks. */
function keepStarted(
  view: View,
  project: CaptureProject,
  planId: string,
  record: PlanRecord,
  started: ReadonlyMap<number, Start>,
): Change[] {
  const now = { ...record, started: Object.fromEntries(started) };
  return changesTo(view, logFiles.plan(project, planId), jsonText(now));
}

/** Removes a status mark that no result supports. */
export async function unmarkTask(project: CaptureProject, id: string): Promise<void> {
  await change(project, `${id} was not changed`, (view) => {
    const { plan, task } = findTask(readTaskId(id), (name) => findPlanToChange(view, project, name));
    const edit = setTaskStatus(plan.plan, task.index, { status: 'pending', at: isoUtc(now()) });
    return { changes: changesTo(view, plan.path, edit.text), value: undefined };
  });
}

/** Throws `UserError` if a task is completed, skipped or aborted. It may be waiting for others. */
export function requireUnsettled(project: CaptureProject, path: string, index: number): void {
  project.workspace.view((view) => {
    const { plan, task } = findTask({ plan: path, index }, (named) => findPlanToRead(view, project, named));
    requireStillOpen(new ProjectSnapshot(view, project), plan, task);
  });
}

function requireOpen(snapshot: ProjectSnapshot, plan: FoundPlan, task: Task): void {
  requireStillOpen(snapshot, plan, task);
  const waits = waitsOn(plan, task, snapshot.plans, snapshot.unreadable);
  if (waits.length > 0)
    throw new UserError([`it is waiting for ${waits.join(', ')}.`, ...describeOrder(plan)].join(' '));
}

function requireStillOpen(snapshot: ProjectSnapshot, plan: FoundPlan, task: Task): void {
  const { status, aborted } = conditionOf(snapshot, plan, task);
  if (status === 'completed') throw new UserError('it is already completed.');
  if (status === 'skipped' || aborted) {
    const id = taskId(plan.id, task.index);
    const what = aborted ? 'aborted' : 'skipped';
    throw new UserError(`it was ${what}. \`teddy task resolve ${id} retry\` makes it ready again.`);
  }
}

function conditionOf(snapshot: ProjectSnapshot, plan: FoundPlan, { index }: Task): TaskCondition {
  return snapshot.conditionsOf(plan)[index - 1]!;
}

/** The frontmatter issue that keeps the plan from starting, if any. */
function describeOrder(plan: FoundPlan): string[] {
  return orderIssues(plan).map(
    ({ line, message }) => `${plan.path}${line === undefined ? '' : `:${line}`}: ${message}`,
  );
}

export interface Resolved extends TaskRef {
  decision: Resolution['decision'];
  /** Masked. */
  instruction: string | null;
  /** The task's new status. */
  status: TaskStatus;
  /** Ids of the tasks that cannot continue without it, those of its own plan first. */
  blocks: string[];
  /** Issues from updating PLAN.md and STATE.md. */
  notes: Issue[];
}

/**
 * Records the user's decision about a failed or blocked task: `retry` and `fix: …` restart it, `skip` gives it up, `abort`
 * leaves it failed until the next decision. Dependent tasks still wait for its completion. `mask` masks secrets. `isOpen`:
 * whether the question is still open, checked while nobody else can answer.
 */
export async function resolveTask(
  project: CaptureProject,
  id: string,
  answer: string,
  { mask = (text) => text, isOpen }: { mask?(text: string): string; isOpen?(): boolean } = {},
): Promise<Resolved> {
  const words = readAnswer(mask(answer));
  const { plan, task } = findTaskById(project, id);
  const held = holdAnswer(project.workspace, taskId(plan.id, task.index));
  try {
    requireAsked(id, isOpen);
    return await recordDecision(project, id, words);
  } finally {
    held.release();
  }
}

function requireAsked(id: string, isOpen: (() => boolean) | undefined): void {
  if (isOpen?.() === false)
    throw new UserError(`${id} was not changed: it was answered elsewhere meanwhile.`);
}

function recordDecision(
  project: CaptureProject,
  id: string,
  { decision, instruction }: ReturnType<typeof readAnswer>,
): Promise<Resolved> {
  const at = isoUtc(now());
  const name = readTaskId(id);
  return change(project, `${id} was not changed`, (view) => {
    const { plan: found, task: meant } = findTask(name, (each) => findPlanToChange(view, project, each));
    const task = decision === 'back' ? findReturned(found, meant) : meant;
    const ref = refOf(found, task);
    const snapshot = readSnapshot(view, project, found);
    const condition = conditionOf(snapshot, found, task);
    if (condition.status === 'completed' && decision !== 'back')
      throw new UserError('it is already completed.');
    if (condition.status !== 'completed' && decision === 'back')
      throw new UserError(
        `${task === meant ? 'it' : ref.id} is not completed yet. To give it an instruction, use "fix: …".`,
      );
    const status = STATUS_AFTER[decision];
    const edit = setTaskStatus(found.plan, task.index, { status, at });
    const refusal = edit.issues.find(({ code }) => code === 'edit-refused');
    if (refusal) throw new UserError(`${found.path} cannot be changed: ${refusal.message}`);
    const line: Resolution = {
      at,
      task_id: ref.id,
      task_name: task.name,
      decision,
      ...(instruction !== null && { instruction }),
      results: condition.record ? countOwn(condition.record) : 0,
    };
    const plan = withPlan(found, edit.plan);
    const state = decide(view, project, snapshot, plan, line);
    return {
      changes: [
        ...changesTo(view, plan.path, edit.text),
        ...state.changes,
        appendLine(view, logFiles.resolutions(project), JSON.stringify(line)),
      ],
      value: {
        ...ref,
        decision,
        instruction,
        status,
        blocks: findDependents(plan, task, snapshot),
        notes: [...edit.issues.filter(({ code }) => code === 'status-not-shown'), ...state.issues],
      },
    };
  });
}

/** The completed task that goes back to its executor: this one, or the one that a checkpoint checks. */
function findReturned(plan: FoundPlan, task: Task): Task {
  if (!task.type.startsWith('checkpoint')) return task;
  const [only, ...others] = checkedTasks(plan.plan, task);
  if (only !== undefined && others.length === 0) return only;
  const ids = [only, ...others].flatMap((each) => (each ? [taskId(plan.id, each.index)] : []));
  throw new UserError(
    ids.length === 0
      ? 'it depends on no task. Send the one that must change back: teddy task resolve ID "back: …"'
      : `it depends on ${ids.join(', ')}. Send the one that must change back: teddy task resolve ${ids[0]} "back: …"`,
  );
}

/** What a decision changes besides PLAN.md: the task is no longer started or blocked. */
function decide(
  view: View,
  project: CaptureProject,
  snapshot: ProjectSnapshot,
  plan: FoundPlan,
  line: Resolution,
): { changes: Change[]; issues: Issue[] } {
  const record = snapshot.recordOf(plan.id);
  const index = Number(line.task_id.slice(plan.id.length + 1));
  const started = findStarted(plan, record);
  started.delete(index);
  const after = record && { ...record, started: Object.fromEntries(started) };
  snapshot.put(plan, after, snapshot.project);
  snapshot.decide(line);
  const session = readSession(view, logFiles.session(project));
  const ended = session && addDecision(session, line.task_id, line.at);
  const state = readStateUpdate(view, project, snapshot, {
    blockers: { change: 'remove', taskId: line.task_id },
  });
  // A missing STATE.md is created with the first result.
  const isKept = state.text !== undefined && state.path !== plan.path;
  return {
    changes: [
      ...(record ? keepStarted(view, project, plan.id, record, started) : []),
      ...(ended ? changesTo(view, logFiles.session(project), jsonText(ended)) : []),
      ...(isKept ? changesTo(view, state.path, state.updated) : []),
    ],
    issues: isKept ? state.issues : [],
  };
}

function readAnswer(answer: string): { decision: Resolution['decision']; instruction: string | null } {
  const word = answer.trim().toLowerCase();
  if (word === 'retry' || word === 'skip' || word === 'abort' || word === 'land')
    return { decision: word, instruction: null };
  const [, verb, words] = /^\s{0,20}(fix|back|drop):(.*)$/is.exec(answer) ?? [];
  const instruction = words?.trim();
  if (instruction) return { decision: verb!.toLowerCase() as 'fix' | 'back' | 'drop', instruction };
  throw new UserError(
    `${JSON.stringify(answer)} is not an answer. Use retry, skip, abort, done, "fix: …" with an instruction, or "back: …" with feedback; for changes to review, land, or "drop: …" with the ids of changes.`,
  );
}

/** Makes one commit. Throws `UserError` if that fails. */
async function change<T>(project: CaptureProject, what: string, work: (view: View) => Update<T>): Promise<T> {
  const result = await project.workspace.update(work);
  if (result.status !== 'committed') throw new UserError(describeCommit(what, result));
  return result.value;
}

export interface CompleteOptions
  extends Omit<SubmitOptions, 'text' | 'plan' | 'held' | 'id' | 'verify' | 'executor' | 'expectedIndex'> {
  /** `03-01:2`, or with the path of its plan. */
  task: string;
  /** The user's own words as evidence; null if they gave none. */
  words: string | null;
  /** Whether the question is still open, checked while nobody else can answer. Default: no decision since. */
  isOpen?(): boolean;
  /** The verify command that the user has seen: no other one runs. Null if they saw none. */
  shownCommand?: string | null;
}

export interface CompletedTask {
  task: TaskRef;
  captured: CapturedResult;
  /** Why its command was not run, as the end of a sentence; null if it was, or there is none. */
  unverified: string | null;
}

const SAYS_SO = 'Reported as done by the user.';

/**
 * Records a success in the user's name, after running the task's verify command if there is one. The command's exit code
 * overrides the claim. Throws `UserError` if nothing was recorded.
 */
export async function completeTask({
  task: id,
  words,
  isOpen,
  shownCommand,
  ...options
}: CompleteOptions): Promise<CompletedTask> {
  const { workspace, config, policy } = options;
  const project = openCapture(workspace, config);
  const { task, detail, planPath, record, resolutions } = showTask(project, id);
  const requireIncomplete = ({ status }: Pick<ListedTask, 'status'>) => {
    if (status === 'completed') throw new UserError(`${id} was not changed: it is already completed.`);
  };
  requireIncomplete(task);
  const command = detail.verify?.command ?? null;
  const requireShown = (running: string | null) => {
    if (shownCommand !== undefined && running !== shownCommand) throw new UserError(describeUnseen(id));
  };
  requireShown(command);
  const denial = command === null ? undefined : describeDenial(policy, detail, command);
  const text = writeResult({
    status: 'success',
    taskName: detail.name,
    filesModified: [],
    verification:
      command === null
        ? { command: null, exitCode: null, outputSummary: null }
        : { command, exitCode: 0, outputSummary: SAYS_SO },
    doneCriteriaMet: true,
    evidence: words ?? SAYS_SO,
    error: null,
    metadata: {
      durationMs: null,
      attempt: Math.max(record?.last_attempt ?? 0, record?.results ?? 0) + 1,
      executorId: PERSON,
    },
  });
  let held: Lock | undefined;
  const hold = () => {
    held ??= holdAnswer(workspace, task.id);
    const fresh = showTask(project, id);
    requireIncomplete(fresh.task);
    requireAsked(id, isOpen ?? (() => fresh.resolutions.length === resolutions.length));
  };
  try {
    if (command === null || denial !== undefined) hold();
    const captured = await submitResult({
      ...options,
      // The user may be asked about the command first, and blocks no other answer meanwhile.
      async onVerify(ref, running) {
        requireShown(running);
        await options.onVerify?.(ref, running);
        hold();
      },
      text,
      plan: planPath,
      executor: PERSON,
      expectedIndex: detail.index,
      verify: denial === undefined,
    });
    return { task: { id: task.id, name: task.name }, captured, unverified: denial ?? null };
  } finally {
    held?.release();
  }
}

const PERSON = 'human';

function describeUnseen(id: string): string {
  return `${id} was not changed: its verify command is not the one that was shown. Look at it with teddy task show ${id}, then answer with teddy task resolve ${id} done.`;
}

/** Throws `UserError` if the verification showed that the task is not done. */
export function requireSuccess(task: string, { effectiveStatus, verification }: CapturedResult): void {
  if (effectiveStatus === 'success') return;
  const { command = '', exitCode = null, outputSummary = '' } = verification ?? {};
  const output = outputSummary === NO_OUTPUT ? `, ${NO_OUTPUT}` : `. Output: ${outputSummary}`;
  throw new UserError(
    `${task} is not done: \`${command}\` exited with ${exitCode ?? 'no exit code'}${output}`,
  );
}
