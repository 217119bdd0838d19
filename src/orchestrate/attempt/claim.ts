import type { Task } from '../../core/task-plan/types.js';
import { judgeResult } from '../../core/task-result/judge.js';
import { readResult } from '../../core/task-result/read.js';
import type { TaskResult } from '../../core/task-result/types.js';
import { findBlockers } from '../../tasks/plans/blockers.js';
import { findPlan } from '../../tasks/plans/tasks.js';
import type { VerificationRun } from '../../tasks/types.js';
import { openTree } from '../../workspace/tree.js';
import type { FailureKind, TaskQuestion } from '../events.js';
import type { ExecutorEnd } from '../executors/types.js';
import type { GraphTask } from '../graph/types.js';
import type { Changes } from '../isolation/types.js';
import type { EndedLine } from '../journal.js';
import type { Attempt, Orchestration } from '../orchestration.js';
import type { ShownReview } from '../review-files.js';

/** An executor's result, checked against the task file and its folder. */
export type TaskClaim =
  /** To merge, verify and land. */
  | ({ status: 'success'; task: Task; evidence: string } & Said)
  /** Nothing is left to verify. */
  | { status: 'judged'; verdict: AttemptVerdict };

type Said = Pick<AttemptVerdict, 'text' | 'filesChanged' | 'remarks' | 'claimed'>;

/** What is recorded of an attempt. */
export interface AttemptVerdict extends Pick<EndedLine, 'outcome' | 'failure' | 'behind'> {
  /** Null if the executor returned nothing readable. */
  claimed: TaskResult['status'] | null;
  /** The text is a result, or should have been one: it is captured, or kept as rejected. */
  text: string | null;
  verification: VerificationRun | null;
  filesChanged: string[] | null;
  /** Why it is not done, in whole sentences; null if it is. */
  reason: string | null;
  /** Which of its changes were left out, and why: whole sentences. */
  remarks: string[];
  /** The verify command, as in the task file. */
  command: string | null;
  /** Why a claimed success is refused, if not because of a command. */
  refused: string | null;
  needsHuman: NeedsHuman | null;
}

/** `shown`: hash of a verification that the message shows. `everywhere`: every other task would fail the same way. */
export interface NeedsHuman {
  why: TaskQuestion['why'];
  message: string;
  shown?: string;
  /** The changes to decide on. */
  review?: ShownReview;
  everywhere?: true;
}

/** The verdict on an attempt that does not count. */
export const NOTHING: AttemptVerdict = {
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
  needsHuman: null,
};

export const RENAMED =
  'The task file now has a different task in this position. Check it, then start teddy orchestrate again.';

/** A superseded attempt is not examined. */
export async function collectClaim(attempt: Attempt, end: ExecutorEnd, o: Orchestration): Promise<TaskClaim> {
  if (attempt.superseded) return judged(NOTHING);
  switch (end.status) {
    case 'returned':
      return readClaim(attempt, end, o);
    case 'crashed':
      return judged(failed(end.limited ? 'rate-limit' : 'crash', end.reason, attempt));
    case 'timed-out':
      return judged(failed('time-out', end.reason, attempt));
    case 'unusable':
      return judged({
        ...NOTHING,
        needsHuman: { why: 'unusable', message: end.reason, everywhere: true },
      });
    case 'submitted':
    case 'cancelled':
      return judged(NOTHING);
  }
}

async function readClaim(
  attempt: Attempt,
  { text, remarks = [] }: Extract<ExecutorEnd, { status: 'returned' }>,
  o: Orchestration,
): Promise<TaskClaim> {
  const { task, place } = attempt;
  const replaced = place.findReplaced();
  if (replaced !== undefined)
    return judged(failed('verification', replaced, attempt, { text, refused: replaced }));
  const { plan, path } = findPlan(o.project, task.plan.path);
  const written = plan.tasks[task.task.index - 1];
  if (!written || written.name !== task.name) {
    attempt.superseded = true;
    return judged({ ...NOTHING, text, needsHuman: { why: 'unusable', message: RENAMED } });
  }
  const { verdict, issues, result } = judgeResult(readResult(text), {
    plan,
    planName: path,
    tree: openTree(place.root),
    expectedIndex: task.task.index,
  });
  const changes = await place.changes();
  const filesChanged = changes.status === 'known' ? changes.files : null;
  const said = {
    text,
    filesChanged,
    remarks: [...remarks, ...remarksOn(changes)],
    claimed: result?.status ?? null,
  };
  if (verdict === 'INVALID' || !result) {
    const reason = `The result is invalid. ${describeErrors(issues)}`;
    return judged(failed('invalid', reason, attempt, said));
  }
  const { evidence } = result;
  if (result.status === 'blocked') return judged(blocked(task, result.error ?? '', said, o));
  if (result.status === 'failure') {
    const reason = result.error ?? 'It gave no reason.';
    return judged(failed('reported', reason, attempt, { ...said, evidence }));
  }
  const unlandable = findUnlandable(task, changes);
  if (unlandable !== undefined)
    return judged(failed('verification', unlandable, attempt, { ...said, evidence, refused: unlandable }));
  return { status: 'success', task: written, evidence, ...said };
}

function judged(verdict: AttemptVerdict): TaskClaim {
  return { status: 'judged', verdict };
}

export function failed(
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

function blocked(task: GraphTask, message: string, said: Said, o: Orchestration): AttemptVerdict {
  const { behind, isOver } = postponeTask(task, message, o);
  const needsHuman = behind.length > 0 || isOver ? null : ({ why: 'blocked', message } as const);
  return { ...NOTHING, ...said, outcome: 'blocked', reason: message, behind, needsHuman };
}

/**
 * Makes a blocked task wait for those that its error names. `isOver`: they are completed by now, so it can be tried again;
 * that is believed once, and not again right after.
 */
export function postponeTask(
  task: GraphTask,
  error: string,
  { graph, journal }: Orchestration,
): { behind: string[]; isOver: boolean } {
  const named = findBlockers(error, task.plan, graph.plans);
  const postponed = graph.postpone(task.id, named);
  if (postponed.status === 'ok') return { behind: postponed.behind, isOver: false };
  const isAgain = journal.of(task.id).ended.at(-1)?.outcome === 'blocked';
  // A task or a task file in which nothing is open or skipped.
  const left = [...graph.open(), ...graph.skipped()];
  const isCompleted = (id: string) => !left.some((each) => each.id === id || each.plan.id === id);
  const areDone = named.length > 0 && named.every(isCompleted);
  return { behind: [], isOver: postponed.status === 'nothing' && areDone && !isAgain };
}

function findUnlandable({ files }: GraphTask, changes: Changes): string | undefined {
  const ignored = changes.status === 'known' ? changes.ignored : [];
  const unlandable = files.filter((path) => isAmongIgnored(ignored, path));
  if (unlandable.length === 0) return undefined;
  return `git ignores ${unlandable.join(', ')}, which the task lists among its files, so it cannot land. Change .gitignore, or write to another path.`;
}

/** Whether a path is among the ignored ones of `Changes`, or in one of their folders. */
export function isAmongIgnored(ignored: readonly string[], path: string): boolean {
  return ignored.some((each) => each === path || (each.endsWith('/') && path.startsWith(each)));
}

function remarksOn(changes: Changes): string[] {
  if (changes.status !== 'known') return [];
  return [
    ...changes.leftOut.map((path) => `${path} belongs to teddy: the change to it was left out.`),
    ...changes.removed.map(
      (path) =>
        `${path} was removed before the verification: git ignores it, so it would not land with the work.`,
    ),
  ];
}

export function describeErrors(issues: readonly { severity: string; message: string }[]): string {
  const wrong = issues.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  return wrong.join(' ');
}

/** If the task was ended otherwise meanwhile, only what is already in the project counts. Masks everything. */
export function concludeVerdict(
  attempt: Attempt,
  end: ExecutorEnd,
  verdict: AttemptVerdict | 'interrupted',
  o: Orchestration,
): AttemptVerdict | 'interrupted' {
  const late = { ...NOTHING, text: end.status === 'returned' ? end.text : null };
  if (verdict === 'interrupted') return attempt.superseded ? late : verdict;
  const isLate = attempt.superseded && verdict.outcome !== 'done';
  return maskVerdict(isLate ? { ...late, needsHuman: verdict.needsHuman } : verdict, o);
}

/** Conflicts and outputs contain text of files. */
function maskVerdict(verdict: AttemptVerdict, { mask }: Orchestration): AttemptVerdict {
  const { failure, needsHuman, reason, refused } = verdict;
  const optional = (text: string | null) => (text === null ? null : mask(text));
  return {
    ...verdict,
    reason: optional(reason),
    refused: optional(refused),
    needsHuman: needsHuman && { ...needsHuman, message: mask(needsHuman.message) },
    failure: failure && {
      ...failure,
      reason: mask(failure.reason),
      evidence: optional(failure.evidence),
    },
  };
}
