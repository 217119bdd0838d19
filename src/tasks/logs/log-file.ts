import type { Issue } from '../../core/issue.js';
import { readFields, readResult } from '../../core/task-result/read.js';
import type { ResultStatus, TaskResult, VerdictName } from '../../core/task-result/types.js';
import { restoreTexts } from '../../core/task-result/unquoted.js';
import { parseYaml } from '../../core/yaml.js';
import type { ResultFacts } from '../metrics/records.js';
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

/** What the log of a result says. */
export interface LoggedResult {
  facts: ResultFacts;
  result: TaskResult;
  /** Null where the log is of a version that did not keep it. */
  verdict: VerdictName | null;
  issues: LoggedIssue[];
}

export type LogRead =
  | ({ status: 'log' } & LoggedResult)
  /** `reason` completes the sentence "<path> …"; `line` is that of the log. */
  | { status: 'damaged'; reason: string; line?: number };

/**
 * What a log says: the facts of its header and of the executor's result below it. Where the result stands there both
 * as YAML and as the text that it came in, the YAML counts. Never throws.
 */
export function readResultLog(text: string): LogRead {
  const yaml = parseYaml(restoreTexts(text, lineOfResult(text)).yaml);
  if (yaml.status === 'refused') return damaged(yaml.reason, yaml.line);
  const log = asObject(yaml.value);
  if (!log) return damaged('is not a log: it has no header', 1);
  try {
    const header = readHeader(log);
    const result = readInside(log, yaml.lineOf);
    return { status: 'log', facts: factsOf(header, result), result, ...readVerdict(log) };
  } catch (error) {
    if (!(error instanceof Damage)) throw error;
    const { where, message } = error;
    return damaged(message, typeof where === 'string' ? yaml.lineOf([where]) : where);
  }
}

/** From 0: the line behind `result:`. */
function lineOfResult(text: string): number {
  const header = text.slice(0, Math.max(0, text.search(/^result:/m)));
  return header.split('\n').length;
}

function damaged(reason: string, line?: number): LogRead {
  return { status: 'damaged', reason, ...(line !== undefined && { line }) };
}

class Damage extends Error {
  constructor(
    message: string,
    /** A line of the log, or the key of the header that stands there. */
    readonly where?: number | string,
  ) {
    super(message);
  }
}

type HeaderFacts = Pick<
  ResultFacts,
  'loggedAt' | 'planId' | 'taskIndex' | 'verificationMs' | 'executor' | 'late' | 'superseded' | 'behind'
> & {
  effective: ResultStatus | undefined;
  /** Goes before the executor's own. */
  counted: number | undefined;
  /** Stands where the executor says nothing. */
  measuredMs: number | undefined;
};

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

function readHeader(header: Readonly<Record<string, unknown>>): HeaderFacts {
  const { logged_at, plan_id, task_index, session_id, effective_status, verification_run } = header;
  const { executor, attempt, duration_ms } = header;
  const wrong = (field: string, what: string) => new Damage(`has no ${field} that is ${what}`, field);
  if (typeof logged_at !== 'string' || !TIME.test(logged_at) || Number.isNaN(Date.parse(logged_at)))
    throw wrong('logged_at', 'a time like 2026-01-26T10:30:45Z');
  if (typeof plan_id !== 'string' || plan_id === '') throw wrong('plan_id', 'a text');
  if (!isPosition(task_index)) throw wrong('task_index', 'a number from 1 on');
  if (typeof session_id !== 'string') throw wrong('session_id', 'a text');
  if (effective_status !== undefined && !isStatus(effective_status))
    throw wrong('effective_status', 'success, failure or blocked');
  if (executor !== undefined && typeof executor !== 'string') throw wrong('executor', 'a text');
  if (attempt !== undefined && !isPosition(attempt)) throw wrong('attempt', 'a number from 1 on');
  if (duration_ms !== undefined && !isDuration(duration_ms)) throw wrong('duration_ms', 'a number from 0 on');
  const took = verification_run === undefined ? null : asObject(verification_run)?.duration_ms;
  if (took !== null && !isDuration(took)) throw wrong('verification_run', 'complete, with its duration_ms');
  return {
    loggedAt: logged_at,
    planId: plan_id,
    taskIndex: task_index,
    verificationMs: took,
    executor: executor ?? null,
    effective: effective_status,
    counted: attempt,
    measuredMs: duration_ms,
    late: header.late === true,
    superseded: header.superseded === true,
    behind: Array.isArray(header.behind) ? header.behind.filter((id) => typeof id === 'string') : [],
  };
}

const VERDICTS: readonly unknown[] = ['VALID', 'VALID_WITH_WARNINGS', 'INVALID'] satisfies VerdictName[];

/** For people alone: nothing is counted by it. */
function readVerdict({ verdict, issues }: Readonly<Record<string, unknown>>) {
  return {
    verdict: VERDICTS.includes(verdict) ? (verdict as VerdictName) : null,
    issues: Array.isArray(issues) ? issues.filter(isIssue).map((issue) => ({ ...issue })) : [],
  };
}

function isIssue(value: unknown): value is LoggedIssue {
  const { code, severity, message, line, field, hint } = asObject(value) ?? {};
  return (
    [code, message].every((each) => typeof each === 'string') &&
    (severity === 'error' || severity === 'warning' || severity === 'info') &&
    (line === undefined || isPosition(line)) &&
    [field, hint].every((each) => each === undefined || typeof each === 'string')
  );
}

function readInside(
  log: Readonly<Record<string, unknown>>,
  lineOf: (path: readonly (string | number)[]) => number,
): TaskResult {
  const fields = log.result === undefined ? undefined : asObject(log.result);
  if (log.result !== undefined && !fields) throw new Damage('holds a result that is no mapping', 'result');
  if (!fields && typeof log.result_text !== 'string') throw new Damage('holds no result');
  const { result, issues } = fields
    ? readFields(fields, (path) => lineOf(['result', ...path]))
    : readResult(String(log.result_text));
  if (result) return result;
  const problem = issues.find(({ severity }) => severity === 'error');
  const where = fields ? problem?.line : 'result_text';
  throw new Damage(`holds a result that cannot be read: ${said(problem)}`, where);
}

/** As the end of a sentence, to which whoever prints it adds the period. */
function said(problem: { message: string } | undefined): string {
  const message = problem?.message ?? 'something required is missing';
  return message.endsWith('.') ? message.slice(0, -1) : message;
}

function factsOf(header: HeaderFacts, result: TaskResult): ResultFacts {
  const { effective, counted, measuredMs, ...known } = header;
  return {
    ...known,
    taskName: result.taskName,
    status: effective ?? result.status,
    claimed: result.status,
    attempt: counted ?? result.metadata.attempt,
    durationMs: result.metadata.durationMs ?? measuredMs ?? null,
    files: result.filesModified.length,
    executorId: result.metadata.executorId,
  };
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function isStatus(value: unknown): value is ResultStatus {
  return value === 'success' || value === 'failure' || value === 'blocked';
}

function isPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function isDuration(value: unknown): value is number {
  return Number.isFinite(value) && (value as number) >= 0;
}
