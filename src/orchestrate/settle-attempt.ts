import {
  type CapturedResult,
  captureResult,
  findPlan,
  releaseChanges,
  releaseTask,
  type VerificationRun,
} from '../capture/index.js';
import { judgeResult, readResult, type TaskResult } from '../formats/task-result/index.js';
import { now } from '../platform/index.js';
import { openTree } from '../workspace/index.js';
import type { Attempt } from './attempt.js';
import type { Desk } from './desk.js';
import type { FailureKind, Question } from './events.js';
import type { ExecutorEnd } from './executors/types.js';
import { type EndedLine, endedLine } from './journal.js';
import { verifyAttempt } from './verify-attempt.js';

/** What an attempt came to, once it is recorded. */
export interface Settled {
  line: EndedLine;
  /** Null where the executor said nothing that can be read. */
  claimed: TaskResult['status'] | null;
  captured: CapturedResult | null;
  /** Why it is not done, in whole sentences; null where it is. */
  reason: string | null;
  /** What it changed of what is teddy's own, and was put back. */
  leftOut: string[];
  /** Nobody but a person can do something about it. */
  stuck: { why: Question['why']; message: string } | null;
}

/** What of an attempt is to be recorded. */
interface Verdict extends Pick<EndedLine, 'outcome' | 'failure' | 'behind'> {
  claimed: TaskResult['status'] | null;
  /** The text is a result, or should have been one: it is captured, or kept as rejected. */
  text: string | null;
  verification: VerificationRun | null;
  filesChanged: string[] | null;
  reason: string | null;
  leftOut: string[];
  /** What was run, as the plan has it. */
  command: string | null;
  /** Why a success that was claimed is none, where no command says so. */
  refused: string | null;
  stuck: Settled['stuck'];
}

const NOTHING: Verdict = {
  outcome: 'cut-off',
  failure: null,
  behind: [],
  claimed: null,
  text: null,
  verification: null,
  filesChanged: null,
  reason: null,
  leftOut: [],
  command: null,
  refused: null,
  stuck: null,
};

/**
 * From what an executor returned to what is recorded of it: judged, merged, verified, landed and captured, in one commit
 * with the journal's line. `onDone` is called when it is done, and only the recording is left. An attempt that is settled again comes to the same, and is recorded once.
 */
export async function settleAttempt(
  attempt: Attempt,
  end: ExecutorEnd,
  desk: Desk,
  onDone: () => Promise<void>,
): Promise<Settled> {
  const judged = await judgeEnd(attempt, end, desk);
  const verdict = attempt.overtaken && judged.outcome !== 'done' ? { ...NOTHING, text: judged.text } : judged;
  // What follows another outcome may be that nothing more begins.
  if (verdict.outcome === 'done') await onDone();
  const line = endedLine(attempt, end, verdict);
  const captured = await record(attempt, verdict, line, desk);
  const { claimed, reason, leftOut, stuck } = verdict;
  return { line, claimed, captured, reason, leftOut, stuck };
}

async function record(
  attempt: Attempt,
  { text, verification, command, filesChanged, refused }: Verdict,
  line: EndedLine,
  desk: Desk,
): Promise<CapturedResult | null> {
  if (text === null) {
    await releaseTask(desk.project, attempt.task.id, { also: (view) => desk.changes(view, [line]) });
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
      ...(attempt.overtaken && line.outcome === 'cut-off' && { superseded: true }),
      ...(filesChanged && { filesChanged }),
      ...(refused !== null && { refused }),
      ...(verification && {
        verified: { taskIndex: task.task.index, command: command ?? '', run: verification },
      }),
    },
    now: now(),
    mask: desk.mask,
    also: (view, { status }) => [
      ...desk.changes(view, [line]),
      // What was applied says itself that nobody is at it any more.
      ...(status === 'rejected' || line.outcome === 'cut-off'
        ? releaseChanges(view, desk.project, task.id)
        : []),
    ],
  });
  desk.journal.took([line]);
  return captured;
}

/** The same however often an attempt is settled: what was captured under it is not captured again. */
function resultId({ task, number }: Attempt): string {
  return `${task.id}#${number}`;
}

async function judgeEnd(attempt: Attempt, end: ExecutorEnd, desk: Desk): Promise<Verdict> {
  switch (end.status) {
    case 'returned':
      return judgeText(attempt, end.text, desk);
    case 'crashed':
      return failed(end.limited ? 'rate-limit' : 'crash', end.reason, attempt);
    case 'timed-out':
      return failed('time-out', end.reason, attempt);
    case 'unusable':
      return { ...NOTHING, stuck: { why: 'unusable', message: end.reason } };
    case 'submitted':
    case 'cancelled':
      return NOTHING;
  }
}

function failed(
  kind: FailureKind,
  reason: string,
  { number }: Attempt,
  more: Partial<Verdict> & { evidence?: string } = {},
): Verdict {
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

async function judgeText(attempt: Attempt, text: string, desk: Desk): Promise<Verdict> {
  const { task, place } = attempt;
  const { plan, path } = findPlan(desk.project, task.plan.path);
  const { verdict, issues, result } = judgeResult(readResult(text), {
    plan,
    planName: path,
    tree: openTree(place.root),
    expectedIndex: task.task.index,
  });
  const changes = await place.changes();
  const filesChanged = changes.status === 'told' ? changes.files : null;
  const leftOut = changes.status === 'told' ? changes.leftOut : [];
  const said = { text, filesChanged, leftOut, claimed: result?.status ?? null };
  if (verdict === 'INVALID' || !result) {
    const wrong = issues.filter(({ severity }) => severity === 'error').map(({ message }) => message);
    return failed('invalid', `The result could not be taken. ${wrong.join(' ')}`, attempt, said);
  }
  const evidence = desk.mask(result.evidence);
  if (result.status === 'blocked') {
    const { behind, isOver } = desk.postpone(task, result.error ?? '');
    const message = desk.mask(result.error ?? '');
    const stuck = behind.length > 0 || isOver ? null : ({ why: 'blocked', message } as const);
    return { ...NOTHING, ...said, outcome: 'blocked', reason: message, behind, stuck };
  }
  if (result.status === 'failure') {
    return failed('reported', desk.mask(result.error ?? 'It gave no reason.'), attempt, {
      ...said,
      evidence,
    });
  }
  const written = plan.tasks[task.task.index - 1];
  const command = written?.verify?.command ?? null;
  const checked = await verifyAttempt(attempt, written, filesChanged, desk);
  switch (checked.status) {
    case 'done':
      return { ...NOTHING, ...said, outcome: 'done', command, verification: checked.verification };
    case 'failed': {
      const { kind, reason, verification } = checked;
      const refused = verification ? null : reason;
      return failed(kind, reason, attempt, { ...said, evidence, command, verification, refused });
    }
    case 'stuck':
      return { ...NOTHING, stuck: checked };
    case 'interrupted':
      return NOTHING;
  }
}
