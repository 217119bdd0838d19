import { randomId } from '../node/ids.js';
import type { Change } from '../workspace/commit/change.js';
import type { View } from '../workspace/view.js';
import type { ResultFacts, SessionRecord, SessionTask } from './metrics/records.js';
import { type CaptureProject, changesTo, jsonText, logFiles, readRecordAt } from './project.js';
import type { TaskRef } from './types.js';

const LONGEST_PAUSE_MS = 12 * 60 * 60 * 1000;

/** The session that a result belongs to, and the one that it ends. */
export interface SessionChoice {
  session: SessionRecord;
  /** The session before, which is over now. */
  over: SessionRecord | null;
  /** The session was over, and is taken up again. */
  resumed: boolean;
}

/**
 * Goes on with the current session, or begins another: when one is named that is not it, and, when none is named, for
 * another plan or after a long pause. A named session that was over is taken up again.
 */
export function chooseSession(
  view: View,
  project: CaptureProject,
  { planId, at, named }: { planId: string; at: string; named: string | undefined },
): SessionChoice {
  const current = readSession(view, logFiles.session(project)) ?? null;
  if (current && (named === undefined ? goesOn(current, planId, at) : current.session_id === named)) {
    return { session: current, over: null, resumed: false };
  }
  const past = named === undefined ? undefined : readSession(view, logFiles.pastSession(project, named));
  const resumed = past?.session_id === named ? past : undefined;
  const session = resumed ?? beginSession(named ?? `sess-${randomId(6)}`, planId, at);
  return {
    session: current ? takeOver(session, current.tasks.filter(isBegun)) : session,
    over: current && { ...current, tasks: current.tasks.filter((task) => !isBegun(task)) },
    resumed: resumed !== undefined,
  };
}

/** What changes once `session`, the one that was chosen, is the current one: the one before it is over. */
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

function isBegun({ status }: SessionTask): boolean {
  return status === 'in_progress';
}

/** What is under way when a session ends goes on in the next. */
function takeOver(session: SessionRecord, begun: readonly SessionTask[]): SessionRecord {
  return begun.reduce((taken, task) => {
    const before = attemptsAt(taken, task.task_id);
    return putTask(taken, { ...task, attempts: Math.max(before, task.attempts) });
  }, session);
}

function attemptsAt({ tasks }: SessionRecord, id: string): number {
  return tasks.find(({ task_id }) => task_id === id)?.attempts ?? 0;
}

/** Throws `UserError` where it is not one. */
export function readSession(view: View, path: string): SessionRecord | undefined {
  return readRecordAt(view, path, beginSession('', '', ''));
}

function goesOn(session: SessionRecord, planId: string, at: string): boolean {
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

/** Work on a task begins; it was tried `attempts` times before, be it in other sessions. */
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

/** A person decided about a task: whoever was at it has nothing more to say. */
export function addDecision(session: SessionRecord, id: string, at: string): SessionRecord {
  const task = session.tasks.find(({ task_id }) => task_id === id);
  return task && isBegun(task) ? putTask(session, { ...task, status: 'abandoned', ended_at: at }) : session;
}

/** A result for a task is there. */
export function addOutcome(session: SessionRecord, { id, name }: TaskRef, facts: ResultFacts): SessionRecord {
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
