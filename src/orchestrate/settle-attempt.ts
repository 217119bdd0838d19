import { judgeResult } from '../core/task-result/judge.js';
import { readResult } from '../core/task-result/read.js';
import type { TaskResult } from '../core/task-result/types.js';
import { now } from '../node/clock.js';
import { UserError } from '../node/user-error.js';
import { captureResult } from '../tasks/capture-results.js';
import { releaseChanges, releaseTask } from '../tasks/plans/change-task.js';
import { findPlan } from '../tasks/plans/tasks.js';
import type { CapturedResult, VerificationRun } from '../tasks/types.js';
import { openTree } from '../workspace/tree.js';
import type { Attempt } from './attempt.js';
import type { Desk } from './desk.js';
import type { FailureKind, TaskQuestion } from './events.js';
import type { ExecutorEnd } from './executors/types.js';
import { isAmongIgnored } from './isolation/place-folder.js';
import type { Changes } from './isolation/types.js';
import { type EndedLine, endedLine } from './journal.js';
import { RENAMED, verifyAttempt } from './verify-attempt.js';

/** What an attempt came to, once it is recorded. */
export interface Settled {
  line: EndedLine;
  /** Null where the executor said nothing that can be read. */
  claimed: TaskResult['status'] | null;
  captured: CapturedResult | null;
  /** Why it is not done, in whole sentences; null where it is. */
  reason: string | null;
  /** What was not taken of what it changed, and why: whole sentences. */
  remarks: string[];
  /** Nobody but a person can do something about it. */
  stuck: Stuck | null;
}

/** `shown`: stands for a verification that the message shows. `everywhere`: no other task would fare better. */
interface Stuck {
  why: TaskQuestion['why'];
  message: string;
  shown?: string;
  everywhere?: true;
}

/** It is done and verified, and only something in the project is in its way: it is to be settled again. */
export interface Pending {
  pending: Stuck;
}

/** What of an attempt is to be recorded. */
export interface AttemptVerdict extends Pick<EndedLine, 'outcome' | 'failure' | 'behind'> {
  claimed: TaskResult['status'] | null;
  /** The text is a result, or should have been one: it is captured, or kept as rejected. */
  text: string | null;
  verification: VerificationRun | null;
  filesChanged: string[] | null;
  reason: string | null;
  remarks: string[];
  /** What was run, as the plan has it. */
  command: string | null;
  /** Why a success that was claimed is none, where no command says so. */
  refused: string | null;
  stuck: Settled['stuck'];
}

const NOTHING: AttemptVerdict = {
  outcome: 'cut-off',
  failure: null,
  behind: [],
  claimed: null,
  text: null,
  verification: null,
  filesChanged: null,
  reason: null,
  remarks: [],
  command: null,
  refused: null,
  stuck: null,
};

/**
 * What an executor returned, judged, merged, verified and landed. `interrupted`: nothing came of that, and it can be
 * judged again.
 */
export async function judgeAttempt(
  attempt: Attempt,
  end: ExecutorEnd,
  desk: Desk,
): Promise<AttemptVerdict | Pending | 'interrupted'> {
  const judged = await judgeUnlessOvertaken(attempt, end, desk);
  if (judged === 'interrupted') return judged;
  const verdict = maskVerdict(judged, desk);
  const { stuck } = verdict;
  return stuck?.why === 'cannot-land' && !attempt.overtaken ? { pending: stuck } : verdict;
}

/**
 * Captures it, in one commit with the journal's line. An attempt that is judged again is recorded once. One that is done
 * has a turn of the records.
 */
export async function recordAttempt(
  attempt: Attempt,
  end: ExecutorEnd,
  verdict: AttemptVerdict,
  desk: Desk,
): Promise<Settled> {
  const line = endedLine(attempt, end, verdict);
  const captured = await record(attempt, verdict, line, desk);
  const { claimed, reason, remarks, stuck } = verdict;
  return { line, claimed, captured, reason, remarks, stuck };
}

/** Of what somebody else ended nothing is judged, run or landed any more, unless it is landed already. */
async function judgeUnlessOvertaken(
  attempt: Attempt,
  end: ExecutorEnd,
  desk: Desk,
): Promise<AttemptVerdict | 'interrupted'> {
  const late = { ...NOTHING, text: end.status === 'returned' ? end.text : null };
  if (attempt.overtaken) return late;
  const judged = await judgeEnd(attempt, end, desk);
  if (judged === 'interrupted') return attempt.overtaken ? late : judged;
  return attempt.overtaken && judged.outcome !== 'done' ? { ...late, stuck: judged.stuck } : judged;
}

/** Conflicts and outputs hold what files hold. */
function maskVerdict(verdict: AttemptVerdict, { mask }: Desk): AttemptVerdict {
  const { failure, stuck, reason, refused } = verdict;
  const optional = (text: string | null) => (text === null ? null : mask(text));
  return {
    ...verdict,
    reason: optional(reason),
    refused: optional(refused),
    stuck: stuck && { ...stuck, message: mask(stuck.message) },
    failure: failure && {
      ...failure,
      reason: mask(failure.reason),
      evidence: optional(failure.evidence),
    },
  };
}

async function record(
  attempt: Attempt,
  { text, verification, command, filesChanged, refused }: AttemptVerdict,
  line: EndedLine,
  desk: Desk,
): Promise<CapturedResult | null> {
  if (text === null) {
    await releaseTask(desk.project, attempt.task.id, { also: (view) => [desk.journal.change(view, [line])] });
    desk.journal.took([line]);
    return null;
  }
  const { task } = attempt;
  const captured = await captureResult(desk.project, {
    submission: {
      text,
      plan: task.plan.path,
      id: resultId(attempt),
      session: desk.run,
      executor: attempt.executor,
      expectedIndex: task.task.index,
      attempt: attempt.number,
      durationMs: line.durationMs,
      // What does not count is recorded all the same.
      ...(line.outcome === 'cut-off' && { superseded: true }),
      ...(filesChanged && { filesChanged }),
      ...(refused !== null && { refused }),
      ...(verification && {
        verified: { taskIndex: task.task.index, command: command ?? '', run: verification },
      }),
    },
    now: now(),
    mask: desk.mask,
    also(view, { status, verdict }) {
      if (line.outcome === 'done') {
        // What has landed is recorded under whatever name its task has by now.
        const isOther = attempt.place.record.branch === null && verdict.match?.task.name !== task.name;
        if (isOther) throw new UserError(`${CHANGED} ${RENAMED}`);
        if (status === 'rejected') throw new UserError(`${CHANGED} ${describeErrors(verdict.issues)}`);
        return desk.records.include(view, [line]);
      }
      // What was applied says itself that nobody is at it any more.
      const isApplied = status !== 'rejected' && line.outcome !== 'cut-off';
      const released = isApplied ? [] : releaseChanges(view, desk.project, task.id);
      return [...released, desk.journal.change(view, [line])];
    },
  });
  if (line.outcome === 'done') desk.records.took([line]);
  else desk.journal.took([line]);
  return captured;
}

/** It was right when it was judged, and its verification took a while. */
const CHANGED = 'the plan was changed while this was verified.';

function describeErrors(issues: readonly { severity: string; message: string }[]): string {
  const wrong = issues.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  return wrong.join(' ');
}

/** The same however often an attempt is settled: what was captured under it is not captured again. */
function resultId({ task, number, key }: Attempt): string {
  return `${task.id}#${number}.${key}`;
}

async function judgeEnd(
  attempt: Attempt,
  end: ExecutorEnd,
  desk: Desk,
): Promise<AttemptVerdict | 'interrupted'> {
  switch (end.status) {
    case 'returned':
      return judgeText(attempt, end.text, desk);
    case 'crashed':
      return failed(end.limited ? 'rate-limit' : 'crash', end.reason, attempt);
    case 'timed-out':
      return failed('time-out', end.reason, attempt);
    case 'unusable':
      return { ...NOTHING, stuck: { why: 'unusable', message: end.reason, everywhere: true } };
    case 'submitted':
    case 'cancelled':
      return NOTHING;
  }
}

function remarksOn(changes: Changes): string[] {
  if (changes.status !== 'told') return [];
  return [
    ...changes.leftOut.map((path) => `${path} is teddy's own: what was changed there is left out.`),
    ...changes.removed.map(
      (path) =>
        `${path} was removed before the verification: git ignores it, so it would not land with the work.`,
    ),
  ];
}

function failed(
  kind: FailureKind,
  reason: string,
  { number }: Attempt,
  more: Partial<AttemptVerdict> & { evidence?: string } = {},
): AttemptVerdict {
  const { evidence = null, ...rest } = more;
  const filesChanged = rest.filesChanged ?? null;
  return {
    ...NOTHING,
    ...rest,
    outcome: 'failed',
    reason,
    failure: { attempt: number, kind, reason, evidence, filesChanged },
  };
}

async function judgeText(
  attempt: Attempt,
  text: string,
  desk: Desk,
): Promise<AttemptVerdict | 'interrupted'> {
  const { task, place } = attempt;
  const replaced = place.findReplaced();
  if (replaced !== undefined) return failed('verification', replaced, attempt, { text, refused: replaced });
  const { plan, path } = findPlan(desk.project, task.plan.path);
  const written = plan.tasks[task.task.index - 1];
  if (written?.name !== task.name) {
    attempt.overtaken = true;
    return { ...NOTHING, text, stuck: { why: 'unusable', message: RENAMED } };
  }
  const { verdict, issues, result } = judgeResult(readResult(text), {
    plan,
    planName: path,
    tree: openTree(place.root),
    expectedIndex: task.task.index,
  });
  const changes = await place.changes();
  const filesChanged = changes.status === 'told' ? changes.files : null;
  const remarks = remarksOn(changes);
  const said = { text, filesChanged, remarks, claimed: result?.status ?? null };
  if (verdict === 'INVALID' || !result) {
    return failed('invalid', `The result could not be taken. ${describeErrors(issues)}`, attempt, said);
  }
  const { evidence } = result;
  if (result.status === 'blocked') {
    const { behind, isOver } = desk.postpone(task, result.error ?? '');
    const message = result.error ?? '';
    const stuck = behind.length > 0 || isOver ? null : ({ why: 'blocked', message } as const);
    return { ...NOTHING, ...said, outcome: 'blocked', reason: message, behind, stuck };
  }
  if (result.status === 'failure') {
    return failed('reported', result.error ?? 'It gave no reason.', attempt, {
      ...said,
      evidence,
    });
  }
  const ignored = changes.status === 'told' ? changes.ignored : [];
  const unlandable = task.files.filter((path) => isAmongIgnored(ignored, path));
  if (unlandable.length > 0) {
    const reason = `git ignores ${unlandable.join(', ')}, so that it cannot become part of the project, and the task says that it is. Change the rules of .gitignore, or write elsewhere.`;
    return failed('verification', reason, attempt, { ...said, evidence, refused: reason });
  }
  const command = written?.verify?.command ?? null;
  const checked = await verifyAttempt(attempt, written, filesChanged, desk);
  switch (checked.status) {
    case 'done':
      return { ...NOTHING, ...said, outcome: 'done', command, verification: checked.verification };
    case 'failed': {
      const { kind, verification } = checked;
      const reason = [checked.reason, ...remarks].join('\n');
      const refused = verification ? null : reason;
      return failed(kind, reason, attempt, { ...said, evidence, command, verification, refused });
    }
    case 'stuck':
      return { ...NOTHING, ...said, stuck: checked };
    case 'interrupted':
      return 'interrupted';
  }
}
