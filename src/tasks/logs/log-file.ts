import type { Issue } from '../../core/issue.js';
import type { ResultStatus, VerdictName } from '../../core/task-result/types.js';
import type { VerificationRun } from '../types.js';

/** `line` is that of the text as it was submitted. */
export type LoggedIssue = Pick<Issue, 'code' | 'severity' | 'message' | 'line' | 'hint'> & { field?: string };

/** Everything that the log of one result holds. The texts are masked already. */
export interface ResultLog {
  loggedAt: string;
  planId: string;
  taskIndex: number;
  sessionId: string;
  executor: string | null;
  /** As whoever handed the task out counts; null where nobody did. */
  attempt: number | null;
  /** As whoever handed the task out measured it; null where nobody did. */
  durationMs: number | null;
  effectiveStatus: ResultStatus;
  verification: VerificationRun | null;
  /** Why a claim does not hold, where no command says so. */
  refused: string | null;
  /** Null where it is not known. */
  filesChanged: readonly string[] | null;
  /** A later attempt had completed the task already. */
  late: boolean;
  /** Nobody waited for it any more. */
  superseded: boolean;
  /** Something in it was a secret. */
  masked: boolean;
  /** Ids of the tasks and plans that a blocked task was put behind. */
  behind: readonly string[];
  verdict: VerdictName;
  /** Of the verdict, and what else there was to say when it was captured. */
  issues: readonly LoggedIssue[];
  /** The result's own lines; null where they cannot stand there. */
  yaml: string | null;
  /** The whole text as it came; null where the lines are all of it. */
  text: string | null;
}

/** The log of a result: a header of ours, then the executor's own lines, indented by two. */
export function renderLog(entry: ResultLog): string {
  const { verification, refused, executor, attempt, durationMs, filesChanged, yaml, text } = entry;
  const lines = [
    `logged_at: ${quote(entry.loggedAt)}`,
    `plan_id: ${quote(entry.planId)}`,
    `task_index: ${entry.taskIndex}`,
    `session_id: ${quote(entry.sessionId)}`,
    ...(executor === null ? [] : [`executor: ${quote(executor)}`]),
    ...(attempt === null ? [] : [`attempt: ${attempt}`]),
    ...(durationMs === null ? [] : [`duration_ms: ${durationMs}`]),
    ...(verification || refused !== null ? [`effective_status: ${entry.effectiveStatus}`] : []),
    ...(refused === null ? [] : [`refused: ${quote(refused)}`]),
    ...(verification ? renderVerification(verification) : []),
    ...(filesChanged === null ? [] : renderFiles(filesChanged)),
    ...(entry.late ? ['late: true'] : []),
    ...(entry.superseded ? ['superseded: true'] : []),
    ...(entry.masked ? ['masked: true'] : []),
    ...(entry.behind.length === 0 ? [] : ['behind:', ...entry.behind.map((id) => `  - ${quote(id)}`)]),
    `verdict: ${entry.verdict}`,
    ...(entry.issues.length === 0 ? ['issues: []'] : ['issues:', ...renderIssues(entry.issues)]),
    '',
    ...(yaml === null ? [] : ['result:', ...indent(yaml)]),
    ...(text === null ? [] : [`result_text: ${quote(text)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

function renderVerification(run: VerificationRun): string[] {
  return [
    'verification_run:',
    `  command: ${quote(run.command)}`,
    `  exit_code: ${run.exitCode ?? 'null'}`,
    `  duration_ms: ${run.durationMs}`,
    `  output_summary: ${quote(run.outputSummary)}`,
    ...(run.vacuous ? ['  vacuous: true'] : []),
    ...(run.flaky ? ['  flaky: true'] : []),
  ];
}

/** Whoever installs packages into a project changes very many. */
const MOST_FILES = 500;

function renderFiles(files: readonly string[]): string[] {
  if (files.length === 0) return ['files_changed: []'];
  return [
    'files_changed:',
    ...files.slice(0, MOST_FILES).map((file) => `  - ${quote(file)}`),
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
      return [`    ${key}: ${typeof value === 'number' || key === 'severity' ? value : quote(value)}`];
    }),
  ]);
}

/** A record of a result that was turned away, with the reasons. */
export function renderRejection(
  facts: { rejectedAt: string; planId: string; masked: boolean; text: string },
  issues: readonly LoggedIssue[],
): string {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const lines = [
    `rejected_at: ${quote(facts.rejectedAt)}`,
    `plan_id: ${quote(facts.planId)}`,
    ...(facts.masked ? ['masked: true'] : []),
    'reasons:',
    ...renderIssues(errors, ['field', 'line', 'message']),
    '',
    `result_text: ${quote(facts.text)}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** JSON's way to write a text is also YAML's. */
function quote(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
