import { IssueCollector } from '../issue.js';
import { listWords, quoteExcerpt, shorten } from '../text.js';
import { isMapping, type Mapping } from '../yaml.js';
import {
  type FieldPath,
  type ResultDraft,
  type ResultIssue,
  type ResultStatus,
  resultIssue,
  type TaskResult,
} from './types.js';

/** The schema's own order. */
export const REQUIRED_KEYS = [
  'status',
  'task_name',
  'files_modified',
  'verification',
  'done_criteria_met',
  'evidence',
  'error',
] as const;
const KEYS = [...REQUIRED_KEYS, 'metadata'];
const VERIFICATION_KEYS = ['command', 'exit_code', 'output_summary'];
const METADATA_KEYS = ['duration_ms', 'attempt', 'executor_id'];

const YEAR_MS = 366 * 24 * 60 * 60 * 1000;

/** A line for each field that shows what to write. */
const SAMPLES: Readonly<Record<string, string>> = {
  status: 'status: success (or failure, or blocked)',
  task_name: 'task_name: "Task 1: …", exactly as in the task file',
  files_modified: 'files_modified: [] or a list of paths, each after "- "',
  verification: 'verification: with command, exit_code and output_summary indented under it',
  command: 'command: "npm test", the command that was run',
  exit_code: 'exit_code: 0',
  output_summary: 'output_summary: "12 tests passed"',
  done_criteria_met: 'done_criteria_met: true (or false)',
  evidence: 'evidence: "What was done, and how it meets the criteria"',
  error: 'error: null, or a string that says what went wrong',
};

/** Reads the fields as far as possible; the rest is reported to the log. */
export function readDraft(fields: Mapping, log: ResultIssueLog): ResultDraft {
  const take = <T>(path: FieldPath, inside: Mapping, kind: Kind<T>): T | undefined => {
    const key = String(path.at(-1));
    const value = inside[key];
    if (value === undefined) {
      log.add('field-missing', path, `${path.join('.')} is missing.`, `Add: ${SAMPLES[key]}`);
      return undefined;
    }
    const taken = kind.take(value);
    if (taken === undefined) {
      const hint = kind.hint?.(value, key) ?? `Write ${SAMPLES[key]}`;
      log.add('field-type', path, `${path.join('.')} is ${describe(value)}, not ${kind.name}.`, hint);
    }
    return taken;
  };
  const status = takeStatus(take(['status'], fields, WORD), log);
  const taskName = take(['task_name'], fields, TEXT);
  const filesModified = takeFiles(take(['files_modified'], fields, LIST), log);
  const verification = take(['verification'], fields, MAPPING);
  const within = <T>(key: string, kind: Kind<T>): T | undefined =>
    verification && take(['verification', key], verification, kind);
  const draft: ResultDraft = {
    status,
    taskName,
    filesModified,
    command: within('command', orNull(TEXT)),
    exitCode: within('exit_code', orNull(INTEGER)),
    outputSummary: within('output_summary', orNull(TEXT)),
    doneCriteriaMet: take(['done_criteria_met'], fields, BOOLEAN),
    evidence: take(['evidence'], fields, TEXT),
    error: take(['error'], fields, { ...orNull(TEXT), name: 'a string or null' }),
    metadata: readMetadata(fields.metadata, log),
  };
  reportUnknown(fields, KEYS, [], log);
  if (verification) reportUnknown(verification, VERIFICATION_KEYS, ['verification'], log);
  return draft;
}

export function completeDraft(draft: ResultDraft): TaskResult | null {
  const { status, taskName, filesModified, doneCriteriaMet, evidence, error, metadata } = draft;
  const { command, exitCode, outputSummary } = draft;
  if (status === undefined || taskName === undefined || filesModified === undefined) return null;
  if (command === undefined || exitCode === undefined || outputSummary === undefined) return null;
  if (doneCriteriaMet === undefined || evidence === undefined || error === undefined) return null;
  const verification = { command, exitCode, outputSummary };
  return { status, taskName, filesModified, verification, doneCriteriaMet, evidence, error, metadata };
}

interface Kind<T> {
  name: string;
  take(value: unknown): T | undefined;
  hint?(value: unknown, key: string): string | undefined;
}

const TEXT: Kind<string> = {
  name: 'a string',
  take: (value) => (typeof value === 'string' ? value : undefined),
  hint: (value) =>
    typeof value === 'number' || typeof value === 'boolean'
      ? `Put it in quotes: ${quoteExcerpt(String(value))}`
      : Array.isArray(value)
        ? 'Write one string; for several lines put "|" after the colon and indent each line by two spaces.'
        : undefined,
};

/** A text, without the hint to put it in quotes. */
const WORD: Kind<string> = { name: TEXT.name, take: TEXT.take };

const INTEGER: Kind<number> = {
  name: 'a whole number',
  // -0 is 0.
  take: (value) => (Number.isSafeInteger(value) ? (value as number) + 0 : undefined),
  hint: (value, key) => {
    const meant = readNumberText(value);
    return meant === undefined ? undefined : `Write ${key}: ${meant}, without quotes.`;
  },
};

const BOOLEAN: Kind<boolean> = {
  name: 'true or false',
  take: (value) => (typeof value === 'boolean' ? value : undefined),
  hint: (value, key) => {
    const meant = readBooleanWord(value);
    return meant === undefined ? undefined : `Write ${key}: ${meant}, without quotes.`;
  },
};

const LIST: Kind<readonly unknown[]> = {
  name: 'a list',
  take: (value) => (Array.isArray(value) ? value : undefined),
  hint: (value) =>
    value === null || value === ''
      ? 'Write files_modified: [] if no file was changed.'
      : 'Write each path on a line of its own, after "- ".',
};

const MAPPING: Kind<Mapping> = {
  name: 'a mapping',
  take: (value) => (isMapping(value) ? value : undefined),
};

function orNull<T>(kind: Kind<T>): Kind<T | null> {
  return { ...kind, take: (value) => (value === null ? null : kind.take(value)) };
}

function takeStatus(status: string | undefined, log: ResultIssueLog): ResultStatus | undefined {
  if (status === undefined || Object.hasOwn(STATUSES, status)) return status as ResultStatus | undefined;
  const meant = readStatusSynonym(status);
  const hint = status.includes('|')
    ? 'Choose one of the three: status: success'
    : meant
      ? `Write status: ${meant}`
      : 'Write success, failure or blocked.';
  log.add('status-unknown', ['status'], `status is ${quoteExcerpt(status)}, which is not a status.`, hint);
  return undefined;
}

function takeFiles(files: readonly unknown[] | undefined, log: ResultIssueLog): string[] | undefined {
  files?.forEach((file, at) => {
    if (typeof file === 'string') return;
    const path = ['files_modified', at];
    const message = `files_modified[${at}] is ${describe(file)}, not a path.`;
    log.add('field-type', path, message, 'Write the path alone, in quotes if it contains ": " or " #".');
  });
  return files?.every((file) => typeof file === 'string') ? (files as string[]) : undefined;
}

function readMetadata(value: unknown, log: ResultIssueLog): TaskResult['metadata'] {
  const metadata = value === undefined || value === null ? {} : MAPPING.take(value);
  if (!metadata) {
    const message = `metadata is ${describe(value)}, not a mapping; it is ignored.`;
    log.add('metadata-invalid', ['metadata'], message, `Indent ${METADATA_KEYS.join(', ')} under it.`);
    return { durationMs: null, attempt: null, executorId: null };
  }
  const missing = METADATA_KEYS.filter((key) => (metadata[key] ?? null) === null);
  if (missing.length > 0) {
    const names = listWords(missing, { say: (key) => `metadata.${key}` });
    const message = `${names} ${missing.length === 1 ? 'is' : 'are'} missing.`;
    log.add(
      'metadata-missing',
      ['metadata'],
      message,
      `Optional: only metrics use ${missing.length === 1 ? 'it' : 'them'}.`,
    );
  }
  const take = <T>(key: string, wants: string, sense: (value: unknown) => T | undefined): T | null => {
    const value = metadata[key] ?? null;
    const taken = value === null ? null : sense(value);
    if (taken !== undefined) return taken;
    const message = `metadata.${key} is ${describe(value)}; it is ignored.`;
    log.add('metadata-invalid', ['metadata', key], message, `Write ${wants}.`);
    return null;
  };
  const between = (least: number, most: number) => (value: unknown) => {
    const number = INTEGER.take(value);
    return number !== undefined && number >= least && number <= most ? number : undefined;
  };
  reportUnknown(metadata, METADATA_KEYS, ['metadata'], log);
  return {
    durationMs: take('duration_ms', 'whole milliseconds, at most a year', between(0, YEAR_MS)),
    attempt: take('attempt', 'a whole number up to 1000: 1 for the first attempt', between(1, 1000)),
    executorId: take('executor_id', 'a non-empty string', (value) => TEXT.take(value) || undefined),
  };
}

function reportUnknown(
  mapping: Mapping,
  known: readonly string[],
  path: FieldPath,
  log: ResultIssueLog,
): void {
  for (const key of Object.keys(mapping)) {
    if (known.includes(key)) continue;
    const meant = key.length > 40 ? undefined : known.find((word) => fold(word) === fold(key));
    const hint = meant ? `Did you mean ${meant}?` : undefined;
    const name = [...path, key].join('.');
    log.add(
      'field-unknown',
      [...path, key],
      `${quoteExcerpt(name)} is not a field of a result; it is ignored.`,
      hint,
    );
  }
}

/** `taskName`, `Task-Name` and `task_name` are one. */
function fold(key: string): string {
  return key.toLowerCase().replace(/[-_ ]/g, '');
}

// The only possible meaning of a value of another type, or of a synonym. Checks suggest it as the fix, and `--fix` writes it.

const STATUSES: Readonly<Record<ResultStatus, RegExp>> = {
  success: /^(?:success(?:ful|fully)?|succeeded|completed?|done|finished|pass(?:ed)?|ok|okay)$/,
  failure: /^(?:failure|fail(?:ed|s)?|error(?:ed)?|partial(?:ly)?|incomplete|not[ _-]done)$/,
  blocked: /^(?:blocked|waiting)$/,
};

export function readStatusSynonym(value: string): ResultStatus | undefined {
  const word = value.trim().toLowerCase();
  return (Object.keys(STATUSES) as ResultStatus[]).find((status) => STATUSES[status].test(word));
}

export function readBooleanWord(value: unknown): boolean | undefined {
  const word = String(value).trim();
  if (/^(?:yes|y|on|true|1)$/i.test(word)) return true;
  return /^(?:no|n|off|false|0)$/i.test(word) ? false : undefined;
}

export function readNumberText(value: unknown): number | undefined {
  const word = typeof value === 'string' ? value.trim() : '';
  return /^-?\d{1,9}$/.test(word) ? Number(word) + 0 : undefined;
}

/** Words for null, for fields that take a text or null. */
export function isNullWord(value: unknown): boolean {
  return typeof value === 'string' && /^(?:null|none|nil|n\/a|-|~|)$/i.test(value.trim());
}

const LONGEST_NAME = 120;

/** A place is a field, or a line if it concerns no field. */
export type ResultIssueLog = IssueCollector<ResultIssue, FieldPath | number>;

export function openResultLog(lineOf: (path: FieldPath) => number): ResultIssueLog {
  const placeOf = (where: FieldPath | number) =>
    typeof where === 'number'
      ? { line: where }
      : { line: lineOf(where), ...(where.length > 0 && { field: fieldName(where) }) };
  return new IssueCollector((code, where, message, hint) =>
    resultIssue(code, message, {
      ...(where !== undefined && placeOf(where)),
      ...(hint !== undefined && { hint }),
    }),
  );
}

/** `files_modified[2]`, `verification.exit_code` */
export function fieldName(path: FieldPath): string {
  const name = path.reduce<string>(
    (before, step) =>
      typeof step === 'number' ? `${before}[${step}]` : before === '' ? step : `${before}.${step}`,
    '',
  );
  return shorten(name, LONGEST_NAME);
}

/** Describes a value, to complete the sentence "<field> is …". */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'string')
    return value === '' ? 'an empty string' : `the string ${quoteExcerpt(value)}`;
  return typeof value === 'object' ? 'a mapping' : String(value);
}
