import type { Issue } from '../formats/issue.js';
import { updateState } from '../formats/state/index.js';
import type { Task } from '../formats/task-plan/index.js';
import {
  type ResultRead,
  type ResultStatus,
  type TaskResult,
  writeResult,
} from '../formats/task-result/index.js';
import { sha256 } from '../platform/index.js';
import type { Change, View } from '../workspace/index.js';
import { addToDay, addToPlan, addToProject, emptyDay, emptyPlan, emptyProject } from './counters.js';
import { nextEntry, readLedgerEnd } from './ledger.js';
import { type LogEntry, renderLog } from './log-file.js';
import { taskId } from './next-tasks.js';
import {
  type CaptureProject,
  changeTo,
  fileName,
  jsonText,
  logFiles,
  readRecordAt,
  readTextAt,
} from './project.js';
import type { ProjectLook } from './project-look.js';
import { readLog } from './read-log.js';
import type { ResultFacts } from './records.js';
import { addOutcome, chooseSession } from './session.js';
import { factsOfProject, factsOfResult, findState } from './state-facts.js';
import type { FoundPlan, Submission } from './types.js';

/** A result that is to be applied. */
export interface Accepted {
  submission: Submission;
  id: string;
  /** `2026-01-26T10:30:45Z` */
  at: string;
  read: ResultRead;
  result: TaskResult;
  status: ResultStatus;
  task: Task;
  /** With the task's new status. */
  plan: FoundPlan;
  mask(text: string): string;
}

export interface Kept {
  changes: Change[];
  /** From the root. */
  log: string;
  statePath: string;
  session: string;
  notes: Issue[];
  /** No result was logged that day before. */
  firstOfDay: boolean;
}

/** Everything that a result changes, as changes of one commit. `look` then shows the project as it will be. */
export function keepRecords(
  view: View,
  project: CaptureProject,
  look: ProjectLook,
  accepted: Accepted,
): Kept {
  const { plan, task, at, id, mask } = accepted;
  const day = at.slice(0, 'YYYY-MM-DD'.length);
  const { session, over, resumed } = chooseSession(view, project, {
    planId: plan.id,
    at,
    ...(accepted.submission.session !== undefined && { named: accepted.submission.session }),
  });
  const name = `${fileName(plan.id)}-task-${pad(task.index)}-${accepted.status}`;
  const log = freeLogName(view, project, day, name);
  const { text: logText, facts } = writeLog(accepted, session.session_id);

  const before = look.recordOf(plan.id) ?? emptyPlan(plan.id);
  const record = addToPlan(before, facts, id, log);
  const isFirst = !Object.hasOwn(before.tasks, String(task.index));
  const sum = addToProject(look.project ?? emptyProject(), facts, isFirst);
  look.put(plan, record, sum);

  const end = readLedgerEnd(view, project, sum.results - 1);
  const entry = nextEntry(end, {
    at,
    plan: plan.id,
    task: task.index,
    id,
    status: facts.status,
    claimed: facts.claimed,
    log,
    sha256: sha256(logText),
  });
  const ref = { id: taskId(plan.id, task.index), name: task.name };
  const outcome = { ...addOutcome(session, ref, facts), ledger: { count: entry.count, head: entry.head } };

  const dayPath = logFiles.day(project, day);
  const today = readRecordAt(view, dayPath, emptyDay(day));
  const statePath = findState(view, project, plan.path);
  const oldState = readTextAt(view, statePath);
  const state = updateState(oldState ?? null, {
    ...factsOfProject(look, plan, oldState),
    ...factsOfResult(facts, ref, accepted.result.error === null ? null : mask(accepted.result.error)),
  });
  const change = (path: string, text: string | null) => changeTo(view, path, text);
  return {
    changes: [
      change(plan.path, plan.plan.text),
      change(statePath, state.text),
      { path: `${project.dir}/${log}`, before: null, after: new TextEncoder().encode(logText) },
      change(logFiles.session(project), jsonText(outcome)),
      over ? change(logFiles.pastSession(project, over.session_id), jsonText(over)) : undefined,
      resumed ? change(logFiles.pastSession(project, session.session_id), null) : undefined,
      change(dayPath, jsonText(addToDay(today ?? emptyDay(day), facts))),
      change(logFiles.plan(project, plan.id), jsonText(record)),
      change(logFiles.project(project), jsonText(sum)),
      { path: logFiles.ledger(project), append: new TextEncoder().encode(entry.line), offset: end.size },
    ].filter((each) => each !== undefined),
    log: `${project.dir}/${log}`,
    statePath,
    session: session.session_id,
    notes: state.issues,
    firstOfDay: today === undefined,
  };
}

/**
 * The log, and what it says once it is read again: what is counted is counted from the log. The executor's lines stand
 * there as they came. Where they would not say the same below a header, the text stands there instead; and where masks
 * made something else of them, the result is written anew.
 */
function writeLog(accepted: Accepted, sessionId: string): { text: string; facts: ResultFacts } {
  const { read, submission, plan, task, result, mask } = accepted;
  const yaml = mask(read.yaml);
  const text = mask(submission.text);
  const header = {
    loggedAt: accepted.at,
    planId: plan.id,
    taskIndex: task.index,
    sessionId,
    effectiveStatus: accepted.status,
    verification: submission.verified?.run ?? null,
    masked: text !== submission.text || yaml !== read.yaml,
  };
  const whole = read.wrapped ? text : null;
  const ways: (() => Pick<LogEntry, 'yaml' | 'text'>)[] = [
    () => ({ yaml, text: whole }),
    () => ({ yaml: null, text }),
    () => ({ yaml: writeResult(maskResult(result, mask)), text }),
  ];
  for (const way of ways) {
    const written = renderLog({ ...header, ...way() });
    const again = readLog(written);
    if (again.status === 'log' && saysTheSame(again.result, result, header.masked)) {
      return { text: written, facts: again.facts };
    }
  }
  throw new Error('the log of a result cannot be read again');
}

/** With masks in them, texts differ. */
function saysTheSame(one: TaskResult, other: TaskResult, masked: boolean): boolean {
  const plain = (result: TaskResult) =>
    JSON.stringify(result, (_, value) => (masked && typeof value === 'string' ? 'text' : value));
  return one.status === other.status && plain(one) === plain(other);
}

function maskResult(result: TaskResult, mask: (text: string) => string): TaskResult {
  const optional = (text: string | null) => (text === null ? null : mask(text));
  return {
    ...result,
    taskName: mask(result.taskName),
    filesModified: result.filesModified.map(mask),
    verification: {
      command: optional(result.verification.command),
      exitCode: result.verification.exitCode,
      outputSummary: optional(result.verification.outputSummary),
    },
    evidence: mask(result.evidence),
    error: optional(result.error),
    metadata: { ...result.metadata, executorId: optional(result.metadata.executorId) },
  };
}

/** `…-success.yaml`, and `…-success-2.yaml` where that is taken; a log that was archived keeps its name. */
function freeLogName(view: View, { dir }: CaptureProject, day: string, base: string): string {
  for (let number = 1; ; number++) {
    const name = `${day}/${base}${number === 1 ? '' : `-${number}`}.yaml`;
    const isFree = (folder: string) => view.look(`${dir}/${folder}/${name}`) === 'missing';
    if (isFree('executions') && isFree('archive')) return `executions/${name}`;
  }
}

function pad(index: number): string {
  return String(index).padStart(2, '0');
}
