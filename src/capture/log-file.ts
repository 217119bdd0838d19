import type { ResultIssue, ResultRead, ResultStatus } from '../formats/task-result/index.js';
import { parseYaml } from '../formats/yaml.js';
import type { VerificationRun } from './types.js';

/** Everything that the log of one result holds. The texts are masked already. */
export interface LogEntry {
  loggedAt: string;
  planId: string;
  taskIndex: number;
  sessionId: string;
  effectiveStatus: ResultStatus;
  verification: VerificationRun | null;
  /** Something in it was a secret. */
  masked: boolean;
  /** The text as it came. */
  text: string;
  /** The YAML in it. */
  yaml: string;
  wrapped: boolean;
}

/**
 * The log of a result: a header of ours, then the executor's own lines, indented by two. Where these cannot stand there
 * as the YAML that they are, or had text around them, the whole text stands there too, or instead.
 */
export function renderLog(entry: LogEntry): string {
  const { verification } = entry;
  const header = [
    `logged_at: ${quote(entry.loggedAt)}`,
    `plan_id: ${quote(entry.planId)}`,
    `task_index: ${entry.taskIndex}`,
    `session_id: ${quote(entry.sessionId)}`,
    ...(verification
      ? [`effective_status: ${entry.effectiveStatus}`, ...renderVerification(verification)]
      : []),
    ...(entry.masked ? ['masked: true'] : []),
  ];
  const inner = renderInner(entry.yaml);
  const whole = inner === undefined || entry.wrapped ? [`result_text: ${quote(entry.text)}`] : [];
  return `${[...header, '', ...(inner === undefined ? [] : [inner]), ...whole].join('\n')}\n`;
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

/** `result:` with the lines below it; undefined where they would not say the same there. */
function renderInner(yaml: string): string | undefined {
  const lines = yaml.replace(/^\uFEFF/, '').split(/\r?\n/);
  while (lines.length > 0 && lines[0]!.trim() === '') lines.shift();
  while (lines.length > 0 && lines.at(-1)!.trim() === '') lines.pop();
  const inner = `result:\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}`;
  const alone = parseYaml(yaml);
  const inside = parseYaml(inner);
  if (alone.status !== 'value' || inside.status !== 'value') return undefined;
  const value = (inside.value as { result?: unknown } | null)?.result;
  return sameValue(value, alone.value) ? inner : undefined;
}

/** Both are plain values, without cycles. */
function sameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A record of a result that was turned away, with the reasons. */
export function renderRejection(
  facts: { rejectedAt: string; planId: string; masked: boolean; text: string },
  read: ResultRead,
  issues: readonly ResultIssue[],
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
  ];
  const inner = read.fields === null || read.wrapped ? undefined : renderInner(facts.text);
  return `${[...lines, inner ?? `result_text: ${quote(facts.text)}`].join('\n')}\n`;
}

/** JSON's way to write a text is also YAML's. */
function quote(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
