import type { Issue } from '../issue.js';
import { isMapping } from '../yaml.js';
import type { TaskResult, Verdict } from './types.js';

/** A result as YAML in the schema's order. Read again, it is the same result. */
export function writeResult(result: TaskResult): string {
  const { verification, metadata } = result;
  const known = {
    duration_ms: metadata.durationMs,
    attempt: metadata.attempt,
    executor_id: metadata.executorId,
  };
  const said = Object.entries(known).filter(([, value]) => value !== null);
  return writeResultFields({
    status: result.status,
    task_name: result.taskName,
    files_modified: result.filesModified,
    verification: {
      command: verification.command,
      exit_code: verification.exitCode,
      output_summary: verification.outputSummary,
    },
    done_criteria_met: result.doneCriteriaMet,
    evidence: result.evidence,
    error: result.error,
    ...(said.length > 0 && { metadata: Object.fromEntries(said) }),
  });
}

/** Fields of any kind, in their order. */
export function writeResultFields(fields: Readonly<Record<string, unknown>>, indent = ''): string {
  const under = `${indent}  `;
  return Object.entries(fields)
    .map(([name, value]) => {
      const key = `${indent}${/^[a-z_]{5,30}$/.test(name) ? name : quoteText(name)}:`;
      if (Array.isArray(value) && value.length > 0)
        return `${key}\n${value.map((item) => `${under}- ${writeValue(item, '')}\n`).join('')}`;
      if (isMapping(value) && Object.keys(value).length > 0)
        return `${key}\n${writeResultFields(value, under)}`;
      return `${key} ${writeValue(value, under)}\n`;
    })
    .join('');
}

/** JSON is YAML; texts of several lines become a literal block, indented by `indent`. */
function writeValue(value: unknown, indent: string): string {
  if (value === 'success' || value === 'failure' || value === 'blocked') return value;
  return typeof value === 'string' && indent !== '' && isPlainBlock(value)
    ? writeBlock(value, indent)
    : quoteText(value);
}

function writeBlock(text: string, indent: string): string {
  const ended = text.endsWith('\n');
  const lines = (ended ? text.slice(0, -1) : text).split('\n');
  return [ended ? '|' : '|-', ...lines.map((line) => (line === '' ? '' : `${indent}${line}`))].join('\n');
}

/** Whether a literal block keeps the lines unchanged: no white space at the start, no blank end, no hidden characters. */
function isPlainBlock(text: string): boolean {
  if (!text.includes('\n') || /^\s|\n\n$/.test(text)) return false;
  return text.search(HIDDEN) === -1 && text.isWellFormed() && !/[\0-\t\v-\x1f]|^ +$/m.test(text);
}

/** Characters that JSON does not escape and that terminals and editors do not show. */
const HIDDEN =
  /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff]/g;

export function quoteText(value: unknown): string {
  return JSON.stringify(value).replace(
    HIDDEN,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A valid result, as an example for executors. */
export const RESULT_EXAMPLE = `status: success
task_name: "Task 2: Check the port of the server"
files_modified:
  - src/server/port.ts
  - test/server/port.test.ts
verification:
  command: "npm test -- port"
  exit_code: 0
  output_summary: "4 tests passed"
done_criteria_met: true
evidence: |
  readPort refuses everything but numbers from 1 to 65535.
  The four new tests cover both bounds, a word and an empty value.
error: null
metadata:
  duration_ms: 45000
  attempt: 1
  executor_id: "worker-1"
`;

type Mask = (text: string) => string;

/** Issues and checks quote the result, so they may contain its secrets too. */
export function maskVerdict(verdict: Verdict, mask: Mask): Verdict {
  return {
    ...verdict,
    issues: verdict.issues.map((issue) => maskIssue(issue, mask)),
    checks: verdict.checks.map((check) => ({ ...check, said: mask(check.said) })),
    result: verdict.result && maskResult(verdict.result, mask),
  };
}

export function maskIssue<T extends Issue & { field?: string }>(issue: T, mask: Mask): T {
  const { message, hint, field } = issue;
  return {
    ...issue,
    message: mask(message),
    ...(hint !== undefined && { hint: mask(hint) }),
    ...(field !== undefined && { field: mask(field) }),
  };
}

export function maskResult(result: TaskResult, mask: Mask): TaskResult {
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
