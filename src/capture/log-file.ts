import type { Issue } from '../formats/issue.js';
import type { ResultStatus } from '../formats/task-result/index.js';
import type { VerificationRun } from './types.js';

/** Everything that the log of one result holds. The texts are masked already. */
export interface LogEntry {
  loggedAt: string;
  planId: string;
  taskIndex: number;
  sessionId: string;
  effectiveStatus: ResultStatus;
  verification: VerificationRun | null;
  /** A later attempt had completed the task already. */
  late: boolean;
  /** Something in it was a secret. */
  masked: boolean;
  /** The result's own lines; null where they cannot stand there. */
  yaml: string | null;
  /** The whole text as it came; null where the lines are all of it. */
  text: string | null;
}

/** The log of a result: a header of ours, then the executor's own lines, indented by two. */
export function renderLog(entry: LogEntry): string {
  const { verification, yaml, text } = entry;
  const lines = [
    `logged_at: ${quote(entry.loggedAt)}`,
    `plan_id: ${quote(entry.planId)}`,
    `task_index: ${entry.taskIndex}`,
    `session_id: ${quote(entry.sessionId)}`,
    ...(verification
      ? [`effective_status: ${entry.effectiveStatus}`, ...renderVerification(verification)]
      : []),
    ...(entry.late ? ['late: true'] : []),
    ...(entry.masked ? ['masked: true'] : []),
    '',
    ...(yaml === null ? [] : ['result:', ...indent(yaml)]),
    ...(text === null ? [] : [`result_text: ${quote(text)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

function renderVerification({ command, exitCode, durationMs, outputSummary }: VerificationRun): string[] {
  return [
    'verification_run:',
    `  command: ${quote(command)}`,
    `  exit_code: ${exitCode ?? 'null'}`,
    `  duration_ms: ${durationMs}`,
    `  output_summary: ${quote(outputSummary)}`,
  ];
}

function indent(yaml: string): string[] {
  const lines = yaml.replace(/^\uFEFF/, '').split(/\r?\n/);
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return lines.slice(Math.max(first, 0), last + 1).map((line) => (line === '' ? '' : `  ${line}`));
}

/** A record of a result that was turned away, with the reasons. */
export function renderRejection(
  facts: { rejectedAt: string; planId: string; masked: boolean; text: string },
  issues: readonly (Issue & { field?: string })[],
): string {
  const reasons = issues
    .filter(({ severity }) => severity === 'error')
    .flatMap(({ code, field, line, message }) => [
      `  - code: ${code}`,
      ...(field === undefined ? [] : [`    field: ${quote(field)}`]),
      ...(line === undefined ? [] : [`    line: ${line}`]),
      `    message: ${quote(message)}`,
    ]);
  const lines = [
    `rejected_at: ${quote(facts.rejectedAt)}`,
    `plan_id: ${quote(facts.planId)}`,
    ...(facts.masked ? ['masked: true'] : []),
    'reasons:',
    ...reasons,
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
