import type { Issue } from '../../core/issue.js';
import type { Task } from '../../core/task-plan/types.js';
import type { ResultRead, ResultStatus, TaskResult, Verdict } from '../../core/task-result/types.js';
import { writeResult } from '../../core/task-result/write.js';
import { sha256 } from '../../node/ids.js';
import type { View } from '../../workspace/view.js';
import { maskIssue, maskResult } from '../mask.js';
import type { PlanRecord, ResultFacts } from '../metrics/records.js';
import { dayOf } from '../metrics/summaries.js';
import { type CaptureProject, fileName } from '../project.js';
import type { FoundPlan, Submission } from '../types.js';
import { type ResultLog, readResultLog, renderLog } from './log-file.js';

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
  /** A later attempt was captured before: this one counts, and no more. */
  late: boolean;
  /** What a blocked task is put behind. */
  behind: string[];
  /** Masked. */
  verdict: Verdict;
  /** What there is to say of it beside the verdict. */
  notes: Issue[];
  mask(text: string): string;
}

export interface LogDraft {
  /** From the logs' folder. */
  path: string;
  /** What it says. */
  facts: ResultFacts;
  /** The log itself. `notes`, but for those of severity info, follow the issues of the verdict. */
  render(notes: readonly Issue[]): string;
}

/**
 * The log, and what it says once it is read again: what is counted is counted from the log. The executor's lines stand
 * there as they came. Where they would not say the same below a header, the text stands there instead; and where masks
 * made something else of them, the result is written anew.
 */
export function draftLog(
  view: View,
  project: CaptureProject,
  record: PlanRecord | undefined,
  accepted: Accepted,
  sessionId: string,
): LogDraft {
  return { path: freeName(view, project, record, accepted), ...draft(accepted, sessionId) };
}

function draft(accepted: Accepted, sessionId: string): Omit<LogDraft, 'path'> {
  const { read, submission, plan, task, result, mask } = accepted;
  const yaml = mask(read.yaml);
  const text = mask(submission.text);
  const { executor, attempt = null, durationMs = null, refused, filesChanged } = submission;
  const header = {
    loggedAt: accepted.at,
    planId: plan.id,
    taskIndex: task.index,
    sessionId,
    executor: executor === undefined ? null : mask(executor),
    attempt,
    durationMs,
    effectiveStatus: accepted.status,
    verification: submission.verified?.run ?? null,
    refused: refused === undefined ? null : mask(refused),
    filesChanged: filesChanged?.map(mask) ?? null,
    late: accepted.late,
    superseded: submission.superseded ?? false,
    masked: text !== submission.text || yaml !== read.yaml || !isMasked(result, mask),
    behind: accepted.behind,
    verdict: accepted.verdict.verdict,
    issues: accepted.verdict.issues,
  };
  const whole = read.wrapped ? text : null;
  const ways: (() => Pick<ResultLog, 'yaml' | 'text'>)[] = [
    () => ({ yaml, text: whole }),
    () => ({ yaml: null, text }),
    () => ({ yaml: writeResult(maskResult(result, mask)), text: null }),
  ];
  for (const way of ways) {
    const written = renderLog({ ...header, ...way() });
    const again = readResultLog(written);
    if (
      again.status === 'log' &&
      saysTheSame(again.result, result, header.masked) &&
      isMasked(again.result, mask)
    ) {
      return {
        facts: again.facts,
        render(notes) {
          const said = notes
            .filter(({ severity }) => severity !== 'info')
            .map((each) => maskIssue(each, mask));
          return renderLog({ ...header, ...way(), issues: [...header.issues, ...said] });
        },
      };
    }
  }
  throw new Error('the log of a result cannot be read again');
}

/** An escape in YAML hides a secret from who masks the lines. */
function isMasked(result: TaskResult, mask: (text: string) => string): boolean {
  return JSON.stringify(maskResult(result, mask)) === JSON.stringify(result);
}

/** With masks in them, texts differ. */
function saysTheSame(one: TaskResult, other: TaskResult, masked: boolean): boolean {
  const plain = (result: TaskResult) =>
    JSON.stringify(result, (_, value) => (masked && typeof value === 'string' ? 'text' : value));
  return one.status === other.status && plain(one) === plain(other);
}

/**
 * `…-success.yaml`, and `…-success-2.yaml` where that is taken; a log that was archived keeps its name. One that says
 * nothing of its task has no status there.
 */
function freeName(
  view: View,
  { dir }: CaptureProject,
  record: PlanRecord | undefined,
  { plan, task, at, status, submission }: Accepted,
): string {
  const end = submission.superseded ? 'superseded' : status;
  const number = String(task.index).padStart(2, '0');
  const base = `${dayOf(at)}/${fileName(plan.id)}-task-${number}-${end}`;
  // Also those that somebody removed.
  const given = new Set(Object.values(record?.ids ?? {}).map(({ log }) => log));
  for (let copy = 1; ; copy++) {
    const name = `${base}${copy === 1 ? '' : `-${copy}`}.yaml`;
    const isFree = (folder: string) => view.look(`${dir}/${folder}/${name}`) === 'missing';
    if (!given.has(`executions/${name}`) && isFree('executions') && isFree('archive'))
      return `executions/${name}`;
  }
}

export function textHash(text: string): string {
  return sha256(text).slice(0, 16);
}
