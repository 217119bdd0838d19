import type { Issue } from '../core/issue.js';
import { type StateFields, StateFile } from '../core/state/state.js';
import type { StateEdit } from '../core/state/types.js';
import type { Task } from '../core/task-plan/types.js';
import type { ResultStatus } from '../core/task-result/types.js';
import { findNoTestsMessage } from '../core/task-result/vacuous.js';
import { UserError } from '../node/errors.js';
import { randomId, sha256 } from '../node/ids.js';
import type { Change } from '../workspace/commit/change.js';
import type { View } from '../workspace/view.js';
import { nextEntry, readLedgerEnd } from './logs/ledger.js';
import { type Accepted, draftLog, type LogDraft, textHash } from './logs/write-log.js';
import type {
  PlanRecord,
  PriorTotals,
  ProjectRecord,
  ResultFacts,
  SessionRecord,
  SessionTask,
} from './metrics/records.js';
import { dayOf, emptyDay, Summaries } from './metrics/summaries.js';
import { taskId } from './plans/next-tasks.js';
import type { ProjectSnapshot } from './plans/project-snapshot.js';
import { type CaptureProject, changesTo, jsonText, logFiles, readRecordAt, readTextAt } from './project.js';
import { factsOfProject, factsOfResult, findState, noPriorTotals, readPriorTotals } from './state-facts.js';
import type { Submission, TaskRef } from './types.js';

export interface RecordedResult {
  changes: Change[];
  /** From the root. */
  log: string;
  statePath: string;
  session: string;
  /** Issues about the result and its changes. */
  notes: Issue[];
  /** It is the first result of its day. */
  firstOfDay: boolean;
}

/** Everything that a result changes, as changes of one commit. `snapshot` shows the project after it. */
export function recordResult(
  view: View,
  project: CaptureProject,
  snapshot: ProjectSnapshot,
  accepted: Accepted,
): RecordedResult {
  const { plan, task, at, submission } = accepted;
  const named = submission.session === undefined ? undefined : accepted.mask(submission.session);
  const chosen = chooseSession(view, project, { planId: plan.id, at, named });
  const draft = draftLog(view, project, snapshot.recordOf(plan.id), accepted, chosen.session.session_id);
  const before = readStateBefore(view, project, snapshot, plan.path);
  const counted = countResult(view, project, snapshot, accepted, draft);
  snapshot.put(plan, counted.record, counted.sum);
  const ref = { id: taskId(plan.id, task.index), name: task.name };
  const state = writeStateFile(before, snapshot, accepted, ref, draft.facts);
  const notes = [...accepted.notes, ...state.issues];
  const log = { ...draft, text: draft.render(notes) };
  const ledger = addToLedger(view, project, accepted, log, counted.sum.results - 1);
  const isOutdated = accepted.late || submission.superseded;
  const session = isOutdated ? chosen.session : addOutcome(chosen.session, ref, log.facts);
  return {
    changes: [
      ...changesTo(view, plan.path, plan.plan.text),
      ...changesTo(view, before.path, state.text),
      { path: `${project.dir}/${log.path}`, before: null, after: new TextEncoder().encode(log.text) },
      ...keepSession(view, project, chosen, { ...session, last_updated: at, ledger: ledger.end }),
      ...counted.changes,
      ...before.changes,
      ledger.change,
    ],
    log: `${project.dir}/${log.path}`,
    statePath: before.path,
    session: chosen.session.session_id,
    notes,
    firstOfDay: counted.firstOfDay,
  };
}

/** The path and content of STATE.md before the result. */
interface StateBefore {
  path: string;
  file: StateFile;
  written: StateFields;
  prior: PriorTotals;
  changes: Change[];
}

/** Prior totals are saved with a project's first result, while STATE.md is still as the user left it. */
function readStateBefore(
  view: View,
  project: CaptureProject,
  snapshot: ProjectSnapshot,
  planPath: string,
): StateBefore {
  const path = findState(view, project, planPath);
  if (path === planPath) throw new UserError(`${path} is the task file; it cannot also be STATE.md.`);
  const file = new StateFile(readTextAt(view, path) ?? null);
  const written = file.fields;
  const prior = readPriorTotals(view, project, snapshot, written);
  const isFirst = snapshot.project === undefined && jsonText(prior) !== jsonText(noPriorTotals());
  const changes = isFirst ? changesTo(view, logFiles.priorTotals(project), jsonText(prior)) : [];
  return { path, file, written, prior, changes };
}

function countResult(
  view: View,
  project: CaptureProject,
  snapshot: ProjectSnapshot,
  { plan, at, id, submission }: Accepted,
  { path, facts }: LogDraft,
): { record: PlanRecord; sum: ProjectRecord; changes: Change[]; firstOfDay: boolean } {
  const day = dayOf(at);
  const today = readRecordAt(view, logFiles.day(project, day), emptyDay(day));
  const record = snapshot.recordOf(plan.id);
  const summaries = new Summaries(snapshot.project);
  if (today) summaries.days.set(day, today);
  if (record) summaries.plans.set(plan.id, record);
  summaries.add(facts);
  summaries.addId(plan.id, id, { log: path, text: textHash(submission.text) });
  return {
    record: summaries.plan(plan.id),
    sum: summaries.project,
    changes: [...summaries.files(project)].flatMap(([file, value]) => changesTo(view, file, jsonText(value))),
    firstOfDay: today === undefined,
  };
}

function addToLedger(
  view: View,
  project: CaptureProject,
  { plan, task, at, id, submission }: Accepted,
  { path, text, facts }: LogDraft & { text: string },
  expected: number,
): { change: Change; end: SessionRecord['ledger'] } {
  const end = readLedgerEnd(view, project, expected);
  const { line, count, head } = nextEntry(end, {
    at,
    plan: plan.id,
    task: task.index,
    id,
    status: facts.status,
    claimed: facts.claimed,
    log: path,
    sha256: sha256(text),
    text: textHash(submission.text),
  });
  const append = new TextEncoder().encode(line);
  return { change: { path: logFiles.ledger(project), append, offset: end.size }, end: { count, head } };
}

function writeStateFile(
  { file, written, prior }: StateBefore,
  snapshot: ProjectSnapshot,
  { plan, late, result, mask, submission }: Accepted,
  ref: TaskRef,
  facts: ResultFacts,
): StateEdit {
  const error = result.error === null ? null : mask(result.error);
  return file.update({
    ...factsOfProject(snapshot, plan, written, prior),
    ...(!late && !submission.superseded && factsOfResult(facts, ref, error)),
  });
}

// Notes about a valid result.

export interface Circumstances {
  task: Task;
  status: ResultStatus;
  late: boolean;
  waits: readonly string[];
  behind: readonly string[];
  /** Everything that it waits for is done. */
  isFree: boolean;
  submission: Submission;
}

export function noteCircumstances(circumstances: Circumstances): Issue[] {
  const { task, status, late, waits, behind, isFree, submission } = circumstances;
  const { verified, superseded, refused } = submission;
  const notes: Issue[] = [];
  const add = (code: string, message: string) => notes.push({ code, severity: 'warning', message });
  if (superseded)
    add(
      'result-superseded',
      `This attempt at ${task.name} came too late: it is logged and counted, but PLAN.md was not changed.`,
    );
  else if (late)
    add('result-late', `A later attempt at ${task.name} was already recorded, so PLAN.md was not changed.`);
  else if (task.status === 'completed' && status !== 'success')
    add('task-uncompleted', `${task.name} was completed before; this result reopens it.`);
  if (waits.length > 0 && status !== 'blocked')
    add('task-waited', `${task.name} should have waited for ${waits.join(', ')}.`);
  if (behind.length > 0) {
    const isOne = behind.length === 1;
    const what = isFree
      ? `says that it is blocked by ${behind.join(', ')}, which ${isOne ? 'is' : 'are'} completed: it can start again`
      : `is blocked by ${behind.join(', ')} and now waits for ${isOne ? 'it' : 'them'}`;
    add('task-queued', `${task.name} ${what}.`);
  }
  if (verified?.run.vacuous) {
    const said = findNoTestsMessage(verified.run.outputSummary);
    add(
      'vacuous',
      `The verification passed, but no test ran${said === null ? '' : `: ${said.replace(/[.!]+$/, '')}`}. So ${task.name} is not done.`,
    );
  }
  if (verified?.run.flaky)
    add('flaky', 'The verification failed once and passed when repeated: it is flaky.');
  if (refused !== undefined) add('result-refused', refused);
  return notes;
}

/** `kept` is the path of the text that changed nothing. */
export function keyReused(log: string, kept?: string): Issue {
  const message = `This id already belongs to another result, which stays valid: ${log}.`;
  return {
    code: 'key-reused',
    severity: kept === undefined ? 'error' : 'warning',
    message: kept === undefined ? message : `${message} The new one was not applied and is saved in ${kept}.`,
    hint: 'Give each result its own --id; a real retry states its attempt.',
  };
}

export function markedAgain(path: string): Issue {
  const message = `${path} no longer showed this result; it was added again.`;
  return { code: 'marked-again', severity: 'warning', message };
}

const LONGEST_PAUSE_MS = 12 * 60 * 60 * 1000;

/** The session that a result belongs to, and the one that it ends. */
export interface SessionChoice {
  session: SessionRecord;
  /** The previous session, which ends now. */
  over: SessionRecord | null;
  /** The session had ended and is resumed. */
  resumed: boolean;
}

/**
 * Continues the current session, or starts another one: if a different one is named, or, if none is named, for another plan
 * or after a long pause. A named session that had ended is resumed.
 */
export function chooseSession(
  view: View,
  project: CaptureProject,
  { planId, at, named }: { planId: string; at: string; named: string | undefined },
): SessionChoice {
  const current = readSession(view, logFiles.session(project)) ?? null;
  if (current && (named === undefined ? isContinued(current, planId, at) : current.session_id === named)) {
    return { session: current, over: null, resumed: false };
  }
  const past = named === undefined ? undefined : readSession(view, logFiles.pastSession(project, named));
  const resumed = past?.session_id === named ? past : undefined;
  const session = resumed ?? beginSession(named ?? `sess-${randomId(6)}`, planId, at);
  return {
    session: current ? carryStarted(session, current.tasks.filter(isStarted)) : session,
    over: current && { ...current, tasks: current.tasks.filter((task) => !isStarted(task)) },
    resumed: resumed !== undefined,
  };
}

/** The changes that make `session` the current one and end the one before. */
export function keepSession(
  view: View,
  project: CaptureProject,
  { over, resumed }: SessionChoice,
  session: SessionRecord,
): Change[] {
  const past = (id: string) => logFiles.pastSession(project, id);
  return [
    ...changesTo(view, logFiles.session(project), jsonText(session)),
    ...(over ? changesTo(view, past(over.session_id), jsonText(over)) : []),
    ...(resumed ? changesTo(view, past(session.session_id), null) : []),
  ];
}

function isStarted({ status }: SessionTask): boolean {
  return status === 'in_progress';
}

/** Tasks in progress when a session ends belong to the next one. */
function carryStarted(session: SessionRecord, begun: readonly SessionTask[]): SessionRecord {
  return begun.reduce((taken, task) => {
    const before = attemptsAt(taken, task.task_id);
    return putTask(taken, { ...task, attempts: Math.max(before, task.attempts) });
  }, session);
}

function attemptsAt({ tasks }: SessionRecord, id: string): number {
  return tasks.find(({ task_id }) => task_id === id)?.attempts ?? 0;
}

/** Throws `UserError` if it is not a session's record. */
export function readSession(view: View, path: string): SessionRecord | undefined {
  return readRecordAt(view, path, beginSession('', '', ''));
}

function isContinued(session: SessionRecord, planId: string, at: string): boolean {
  const pause = Date.parse(at) - Date.parse(session.last_updated);
  return session.plan_id === planId && pause < LONGEST_PAUSE_MS;
}

function beginSession(id: string, planId: string, at: string): SessionRecord {
  return {
    session_id: id,
    started_at: at,
    plan_id: planId,
    tasks: [],
    last_updated: at,
    ledger: { count: 0, head: '' },
  };
}

/** Records the start of a task with `attempts` earlier attempts, possibly in other sessions. */
export function addStart(
  session: SessionRecord,
  task: { planId: string; id: string; name: string; at: string; attempts: number },
): SessionRecord {
  return withTask(session, task.planId, task.at, {
    task_id: task.id,
    task_name: task.name,
    status: 'in_progress',
    attempts: Math.max(attemptsAt(session, task.id), task.attempts) + 1,
    started_at: task.at,
  });
}

/** The user decided about a task, so its attempt no longer counts. */
export function addDecision(session: SessionRecord, id: string, at: string): SessionRecord {
  const task = session.tasks.find(({ task_id }) => task_id === id);
  return task && isStarted(task) ? putTask(session, { ...task, status: 'abandoned', ended_at: at }) : session;
}

/** Records a result of a task. */
function addOutcome(session: SessionRecord, { id, name }: TaskRef, facts: ResultFacts): SessionRecord {
  const before = session.tasks.find(({ task_id }) => task_id === id);
  const begun = before?.status === 'in_progress';
  const counted = (before?.attempts ?? 0) + (begun ? 0 : 1);
  return withTask(session, facts.planId, facts.loggedAt, {
    task_id: id,
    task_name: name,
    status: facts.status,
    attempts: Math.max(counted, Math.min(facts.attempt ?? 1, 1000)),
    ...(begun && before.started_at !== undefined && { started_at: before.started_at }),
    [facts.status === 'success' ? 'completed_at' : 'ended_at']: facts.loggedAt,
    ...(facts.durationMs !== null && { duration_ms: facts.durationMs }),
  });
}

function withTask(session: SessionRecord, planId: string, at: string, task: SessionTask): SessionRecord {
  return { ...putTask(session, task), plan_id: planId, last_updated: at };
}

function putTask(session: SessionRecord, task: SessionTask): SessionRecord {
  const known = session.tasks.some(({ task_id }) => task_id === task.task_id);
  const tasks = known
    ? session.tasks.map((each) => (each.task_id === task.task_id ? task : each))
    : [...session.tasks, task];
  return { ...session, tasks };
}
