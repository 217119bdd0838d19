import type { Issue } from '../../core/issue.js';
import type { Task } from '../../core/task-plan/types.js';
import type {
  ResultRead,
  ResultStatus,
  TaskResult,
  Verdict,
  VerdictName,
} from '../../core/task-result/types.js';
import { maskIssue, maskResult, quoteText, writeResult } from '../../core/task-result/write.js';
import { sha256 } from '../../node/ids.js';
import type { View } from '../../workspace/view.js';
import type { PlanRecord, ResultFacts } from '../metrics/records.js';
import { dayOf } from '../metrics/summaries.js';
import { type CaptureProject, fileName } from '../project.js';
import type { FoundPlan, Submission, VerificationRun } from '../types.js';
import { type LoggedIssue, readResultLog } from './read-log.js';

/** A result that will be applied. */
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
  /** A later attempt was captured first: this one is only counted. */
  late: boolean;
  /** The tasks and plans that a blocked task waits for. */
  behind: string[];
  /** Masked. */
  verdict: Verdict;
  /** Issues beyond those of the verdict. */
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
 * The log, and what it says when read back: all counting is based on the log. It contains the executor's lines unchanged.
 * If they would mean something else below a header, it contains the text instead; if masking changed their meaning, the
 * result is written anew.
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

/** YAML escapes can hide a secret from the masking of lines. */
function isMasked(result: TaskResult, mask: (text: string) => string): boolean {
  return JSON.stringify(maskResult(result, mask)) === JSON.stringify(result);
}

/** Of masked results, texts are not compared. */
function saysTheSame(one: TaskResult, other: TaskResult, masked: boolean): boolean {
  const plain = (result: TaskResult) =>
    JSON.stringify(result, (_, value) => (masked && typeof value === 'string' ? 'text' : value));
  return one.status === other.status && plain(one) === plain(other);
}

/**
 * `…-success.yaml`, or `…-success-2.yaml` if that is taken; an archived log keeps its name. The log of a superseded
 * attempt has `superseded` instead of a status.
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
  // Including those that were removed.
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

/** Everything that the log of one result holds. The texts are masked already. */
interface ResultLog {
  loggedAt: string;
  planId: string;
  taskIndex: number;
  sessionId: string;
  executor: string | null;
  /** As the orchestrator counts; null without one. */
  attempt: number | null;
  /** As the orchestrator measured it; null without one. */
  durationMs: number | null;
  effectiveStatus: ResultStatus;
  verification: VerificationRun | null;
  /** Why a claim is false, if not because of a command. */
  refused: string | null;
  /** Null if it is not known. */
  filesChanged: readonly string[] | null;
  /** A later attempt had completed the task already. */
  late: boolean;
  /** The attempt was superseded. */
  superseded: boolean;
  /** It contained a secret. */
  masked: boolean;
  /** Ids of the tasks and plans that a blocked task waits for. */
  behind: readonly string[];
  verdict: VerdictName;
  /** Issues of the verdict and of the capture. */
  issues: readonly LoggedIssue[];
  /** The result's own lines; null if they cannot be embedded. */
  yaml: string | null;
  /** The whole text as received; null if the lines are all of it. */
  text: string | null;
}

/** The log of a result: teddy's header, then the executor's own lines, indented by two spaces. */
export function renderLog(entry: ResultLog): string {
  const { verification, refused, executor, attempt, durationMs, filesChanged, yaml, text } = entry;
  const lines = [
    `logged_at: ${quoteText(entry.loggedAt)}`,
    `plan_id: ${quoteText(entry.planId)}`,
    `task_index: ${entry.taskIndex}`,
    `session_id: ${quoteText(entry.sessionId)}`,
    ...(executor === null ? [] : [`executor: ${quoteText(executor)}`]),
    ...(attempt === null ? [] : [`attempt: ${attempt}`]),
    ...(durationMs === null ? [] : [`duration_ms: ${durationMs}`]),
    ...(verification || refused !== null ? [`effective_status: ${entry.effectiveStatus}`] : []),
    ...(refused === null ? [] : [`refused: ${quoteText(refused)}`]),
    ...(verification ? renderVerification(verification) : []),
    ...(filesChanged === null ? [] : renderFiles(filesChanged)),
    ...(entry.late ? ['late: true'] : []),
    ...(entry.superseded ? ['superseded: true'] : []),
    ...(entry.masked ? ['masked: true'] : []),
    ...(entry.behind.length === 0 ? [] : ['behind:', ...entry.behind.map((id) => `  - ${quoteText(id)}`)]),
    `verdict: ${entry.verdict}`,
    ...(entry.issues.length === 0 ? ['issues: []'] : ['issues:', ...renderIssues(entry.issues)]),
    '',
    ...(yaml === null ? [] : ['result:', ...indent(yaml)]),
    ...(text === null ? [] : [`result_text: ${quoteText(text)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

function renderVerification(run: VerificationRun): string[] {
  return [
    'verification_run:',
    `  command: ${quoteText(run.command)}`,
    `  exit_code: ${run.exitCode ?? 'null'}`,
    `  duration_ms: ${run.durationMs}`,
    `  output_summary: ${quoteText(run.outputSummary)}`,
    ...(run.vacuous ? ['  vacuous: true'] : []),
    ...(run.flaky ? ['  flaky: true'] : []),
  ];
}

/** Installing packages into a project changes very many. */
const MOST_FILES = 500;

function renderFiles(files: readonly string[]): string[] {
  if (files.length === 0) return ['files_changed: []'];
  return [
    'files_changed:',
    ...files.slice(0, MOST_FILES).map((file) => `  - ${quoteText(file)}`),
    ...(files.length > MOST_FILES ? [`files_changed_count: ${files.length}`] : []),
  ];
}

function indent(yaml: string): string[] {
  const lines = yaml.replace(/^\uFEFF/, '').split(/\r?\n/);
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return lines.slice(Math.max(first, 0), last + 1).map((line) => (line === '' ? '' : `  ${line}`));
}

const ISSUE_KEYS = ['severity', 'field', 'line', 'message', 'hint'] as const;

function renderIssues(
  issues: readonly LoggedIssue[],
  keys: readonly (typeof ISSUE_KEYS)[number][] = ISSUE_KEYS,
): string[] {
  return issues.flatMap((issue) => [
    `  - code: ${issue.code}`,
    ...keys.flatMap((key) => {
      const value = issue[key];
      if (value === undefined) return [];
      return [`    ${key}: ${typeof value === 'number' || key === 'severity' ? value : quoteText(value)}`];
    }),
  ]);
}

/** The record of a rejected result, with the reasons. */
export function renderRejection(
  facts: { rejectedAt: string; planId: string; masked: boolean; text: string },
  issues: readonly LoggedIssue[],
): string {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const lines = [
    `rejected_at: ${quoteText(facts.rejectedAt)}`,
    `plan_id: ${quoteText(facts.planId)}`,
    ...(facts.masked ? ['masked: true'] : []),
    'reasons:',
    ...renderIssues(errors, ['field', 'line', 'message']),
    '',
    `result_text: ${quoteText(facts.text)}`,
  ];
  return `${lines.join('\n')}\n`;
}
