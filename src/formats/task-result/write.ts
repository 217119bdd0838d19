import type { TaskResult } from './types.js';

/** A result as YAML in the schema's order. Read again, it is the same result. */
export function writeResult(result: TaskResult): string {
  const { verification, metadata } = result;
  const lines = [
    `status: ${result.status}`,
    `task_name: ${quoteText(result.taskName)}`,
    ...writeFiles(result.filesModified),
    'verification:',
    `  command: ${writeText(verification.command, '    ')}`,
    `  exit_code: ${verification.exitCode}`,
    `  output_summary: ${writeText(verification.outputSummary, '    ')}`,
    `done_criteria_met: ${result.doneCriteriaMet}`,
    `evidence: ${writeText(result.evidence, '  ')}`,
    `error: ${writeText(result.error, '  ')}`,
    ...writeMetadata(metadata),
  ];
  return `${lines.join('\n')}\n`;
}

function writeFiles(files: readonly string[]): string[] {
  if (files.length === 0) return ['files_modified: []'];
  return ['files_modified:', ...files.map((file) => `  - ${quoteText(file)}`)];
}

function writeMetadata({ durationMs, attempt, executorId }: TaskResult['metadata']): string[] {
  const lines = [
    durationMs !== null && `  duration_ms: ${durationMs}`,
    attempt !== null && `  attempt: ${attempt}`,
    executorId !== null && `  executor_id: ${quoteText(executorId)}`,
  ].filter((line) => line !== false);
  return lines.length === 0 ? [] : ['metadata:', ...lines];
}

function writeText(text: string | null, indent: string): string {
  if (text === null) return 'null';
  return isPlainBlock(text) ? writeBlock(text, indent) : quoteText(text);
}

function writeBlock(text: string, indent: string): string {
  const ended = text.endsWith('\n');
  const lines = (ended ? text.slice(0, -1) : text).split('\n');
  return [ended ? '|' : '|-', ...lines.map((line) => (line === '' ? '' : `${indent}${line}`))].join('\n');
}

/** Several lines that a literal block holds as they are: white space only between words, and nothing that hides. */
function isPlainBlock(text: string): boolean {
  if (!text.includes('\n') || /^\s|\n\n$/.test(text)) return false;
  return text.search(HIDDEN) === -1 && !/[^\P{Cc}\n]|\p{Surrogate}|^ +$/mu.test(text);
}

/** What JSON leaves as it is, and a terminal or an editor would not show. */
const HIDDEN = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

function quoteText(text: string): string {
  return JSON.stringify(text).replace(
    HIDDEN,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
