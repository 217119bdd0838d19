import type { Issue } from '../../core/issue.js';
import { readFields, readResult, restoreTexts } from '../../core/task-result/read.js';
import type { ResultStatus, TaskResult, VerdictName } from '../../core/task-result/types.js';
import { isMapping, type Mapping, parseYaml } from '../../core/yaml.js';
import { decodeText, MB } from '../../node/files.js';
import { sha256 } from '../../node/ids.js';
import type { FileRead, View } from '../../workspace/view.js';
import type { ResultFacts } from '../metrics/records.js';
import { type CaptureProject, logFiles } from '../project.js';
import type { VerificationRun } from '../types.js';

/** `line` is that of the text as it was submitted. */
export type LoggedIssue = Pick<Issue, 'code' | 'severity' | 'message' | 'line' | 'hint'> & { field?: string };

/** What the log of a result says. */
export interface LoggedResult {
  facts: ResultFacts;
  result: TaskResult;
  /** The files that git says were changed, of very many the first; null if it is not known. */
  filesChanged: string[] | null;
  /** How teddy's verification ended; null if there was none. */
  verification: VerificationRun | null;
  /** Null if the log is of a version that did not keep it. */
  verdict: VerdictName | null;
  issues: LoggedIssue[];
}

export type LogRead =
  | ({ status: 'log' } & LoggedResult)
  /** `reason` completes the sentence "<path> …"; `line` is that of the log. */
  | { status: 'damaged'; reason: string; line?: number };

/**
 * Reads a log: the facts of its header, and the executor's result below it. If the log has the result both as YAML and as
 * the received text, the YAML counts. Never throws.
 */
export function readResultLog(text: string): LogRead {
  const yaml = parseYaml(restoreTexts(text, lineOfResult(text)).yaml);
  if (yaml.status === 'refused') return damaged(yaml.reason, yaml.line);
  const log = yaml.value;
  if (!isMapping(log)) return damaged('is not a log: it has no header', 1);
  try {
    return { status: 'log', ...readFacts(log, yaml.lineOf), ...readVerdict(log) };
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
    /** A line of the log, or the key of the header on it. */
    readonly where?: number | string,
  ) {
    super(message);
  }
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

/** If both are damaged, the header is reported. */
function readFacts(header: Mapping, lineOf: LineOf): Omit<LoggedResult, 'verdict' | 'issues'> {
  const { logged_at, plan_id, task_index, session_id, effective_status, verification_run } = header;
  const { executor, attempt, duration_ms } = header;
  const wrong = (field: string, what: string) => new Damage(`has no ${field} that is ${what}`, field);
  if (typeof logged_at !== 'string' || !TIME.test(logged_at) || Number.isNaN(Date.parse(logged_at)))
    throw wrong('logged_at', 'a time like 2026-01-26T10:30:45Z');
  if (typeof plan_id !== 'string' || plan_id === '') throw wrong('plan_id', 'a text');
  if (!isPosition(task_index)) throw wrong('task_index', 'a whole number of at least 1');
  if (typeof session_id !== 'string') throw wrong('session_id', 'a text');
  if (effective_status !== undefined && !isStatus(effective_status))
    throw wrong('effective_status', 'success, failure or blocked');
  if (executor !== undefined && typeof executor !== 'string') throw wrong('executor', 'a text');
  if (attempt !== undefined && !isPosition(attempt)) throw wrong('attempt', 'a whole number of at least 1');
  if (duration_ms !== undefined && !isDuration(duration_ms))
    throw wrong('duration_ms', 'a whole number of at least 0');
  const took =
    verification_run === undefined ? null : isMapping(verification_run) && verification_run.duration_ms;
  if (took !== null && !isDuration(took)) throw wrong('verification_run', 'complete, with its duration_ms');
  const result = readInside(header, lineOf);
  const { metadata } = result;
  const facts: ResultFacts = {
    planId: plan_id,
    taskIndex: task_index,
    taskName: result.taskName,
    loggedAt: logged_at,
    status: effective_status ?? result.status,
    claimed: result.status,
    // The orchestrator counts attempts; the executor knows best how long it took.
    attempt: attempt ?? metadata.attempt,
    durationMs: metadata.durationMs ?? duration_ms ?? null,
    verificationMs: took,
    files: result.filesModified.length,
    executorId: metadata.executorId,
    executor: executor ?? null,
    late: header.late === true,
    superseded: header.superseded === true,
    behind: textsIn(header.behind) ?? [],
  };
  return {
    facts,
    result,
    filesChanged: textsIn(header.files_changed),
    verification: readVerification(verification_run),
  };
}

/** For display only. */
function readVerification(run: unknown): VerificationRun | null {
  if (!isMapping(run)) return null;
  const { command, exit_code, duration_ms, output_summary, vacuous, flaky } = run;
  return {
    command: String(command),
    exitCode: typeof exit_code === 'number' ? exit_code : null,
    durationMs: Number(duration_ms),
    outputSummary: String(output_summary),
    ...(vacuous === true && { vacuous }),
    ...(flaky === true && { flaky }),
  };
}

function textsIn(value: unknown): string[] | null {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : null;
}

const VERDICTS: readonly unknown[] = ['VALID', 'VALID_WITH_WARNINGS', 'INVALID'] satisfies VerdictName[];

/** For display only. */
function readVerdict({ verdict, issues }: Mapping) {
  return {
    verdict: VERDICTS.includes(verdict) ? (verdict as VerdictName) : null,
    issues: Array.isArray(issues) ? issues.filter(isIssue).map((issue) => ({ ...issue })) : [],
  };
}

function isIssue(value: unknown): value is LoggedIssue {
  const { code, severity, message, line, field, hint } = isMapping(value) ? value : {};
  return (
    [code, message].every((each) => typeof each === 'string') &&
    (severity === 'error' || severity === 'warning' || severity === 'info') &&
    (line === undefined || isPosition(line)) &&
    [field, hint].every((each) => each === undefined || typeof each === 'string')
  );
}

type LineOf = (path: readonly (string | number)[]) => number;

function readInside(log: Mapping, lineOf: LineOf): TaskResult {
  const fields = isMapping(log.result) ? log.result : undefined;
  if (log.result !== undefined && !fields)
    throw new Damage('contains a result that is not a mapping', 'result');
  if (!fields && typeof log.result_text !== 'string') throw new Damage('contains no result');
  const { result, issues } = fields
    ? readFields(fields, (path) => lineOf(['result', ...path]))
    : readResult(String(log.result_text));
  if (result) return result;
  const problem = issues.find(({ severity }) => severity === 'error');
  const where = fields ? problem?.line : 'result_text';
  throw new Damage(`contains an unreadable result: ${said(problem)}`, where);
}

/** As the end of a sentence, without its period. */
function said(problem: { message: string } | undefined): string {
  const message = problem?.message ?? 'something required is missing';
  return message.endsWith('.') ? message.slice(0, -1) : message;
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

// A log keeps the name under which it was written, `executions/<day>/<name>` in the logs' folder. Rotation moves it to
// `archive/<day>/<name>`, or to `<name>-2` if that is taken; findLog tries both.

export type LogFind =
  | { status: 'missing' }
  /** `reason` completes the sentence "<path> …". */
  | { status: 'unreadable'; path: string; reason: string }
  /** Its content was changed after it was written. */
  | { status: 'changed'; path: string }
  | { status: 'log'; path: string; log: LoggedResult };

/** More than any log: a result has at most 10 MB, and may be in its log twice, quoted. */
const LOG_LIMIT = 128 * MB;

/**
 * Finds the log that was written at `path`. Among several candidates, the hash decides, then whether another ledger line
 * already uses the file (`taken`). All paths are from the logs' folder.
 */
export function findLog(
  view: View,
  { dir }: CaptureProject,
  path: string,
  hash?: string,
  taken?: { has(path: string): boolean },
): LogFind {
  let best: LogFile | undefined;
  for (const place of isLogPath(path) ? placesOf(path) : []) {
    const read = view.read(`${dir}/${place.path}`, LOG_LIMIT);
    if (read.status === 'missing') {
      if (place.last) break;
      continue;
    }
    const intact = read.status === 'bytes' && (hash === undefined || sha256(read.bytes) === hash);
    const file = { path: place.path, read, intact };
    if (intact && !taken?.has(place.path)) return readLogFile(file);
    // A numbered name may belong to another log; only the hash can tell.
    if (intact || (!best && !place.numbered)) best = file;
  }
  return best ? readLogFile(best) : { status: 'missing' };
}

interface LogFile {
  path: string;
  read: Exclude<FileRead, { status: 'missing' }>;
  intact: boolean;
}

function readLogFile({ path, read, intact }: LogFile): LogFind {
  if (read.status === 'refused') return { status: 'unreadable', path, reason: read.reason };
  if (!intact) return { status: 'changed', path };
  const text = decodeText(read.bytes);
  const log = text.status === 'text' ? readResultLog(text.text) : text;
  if (log.status === 'log') return { status: 'log', path, log };
  const where = 'line' in log ? ` (line ${log.line})` : '';
  return { status: 'unreadable', path, reason: `${log.reason}${where}` };
}

/** Where a log may be now. `last`: if it is not there, no later place has it. */
function* placesOf(path: string): Generator<{ path: string; numbered: boolean; last: boolean }> {
  yield { path, numbered: false, last: false };
  const archived = path.replace(/^executions\//, 'archive/');
  if (archived !== path) yield { path: archived, numbered: false, last: true };
  for (let number = 2; ; number++) yield { path: numbered(archived, number), numbered: true, last: true };
}

/** `a-2.yaml` for `a.yaml`. */
export function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  const end = dot > name.lastIndexOf('/') + 1 ? dot : name.length;
  return `${name.slice(0, end)}-${number}${name.slice(end)}`;
}

const LOG_PATH = /^(?:executions|archive)\/[^/]+\/[^/]+$/;

function isLogPath(path: string): boolean {
  return LOG_PATH.test(path) && !path.split('/').some((name) => name === '..' || name === '.');
}

/** The logs and the ledger's size, seen under the lock. The ledger names all logs unless it was tampered with. */
export interface LogStock {
  /** From the logs' folder. */
  logs: Set<string>;
  ledgerSize: number;
}

export function takeStock(view: View, project: CaptureProject): LogStock {
  return { logs: new Set(listLogs(project)), ledgerSize: ledgerSize(view, project) };
}

export function ledgerSize(view: View, project: CaptureProject): number {
  const read = view.readEnd(logFiles.ledger(project), 0);
  return read.status === 'bytes' ? read.size : 0;
}

function listLogs(project: CaptureProject): string[] {
  const { workspace, dir } = project;
  const folders = workspace.view((view) =>
    ['executions', 'archive'].flatMap((base) =>
      view
        .list(`${dir}/${base}`)
        .filter((name) => `${base}/${name}` !== PAST_SESSIONS && view.isFolder(`${dir}/${base}`, name))
        .map((name) => `${base}/${name}`),
    ),
  );
  const logs: string[] = [];
  eachWithView(project, folders, (view, folder) => {
    for (const name of view.list(`${dir}/${folder}`))
      if (name.endsWith('.yaml')) logs.push(`${folder}/${name}`);
  });
  return logs;
}

export const PAST_SESSIONS = 'archive/sessions';

/** A view keeps every folder that it has read open. */
const ITEMS_IN_A_VIEW = 200;

/** Handles any number of items without the lock. */
export function eachWithView<T>(
  { workspace }: CaptureProject,
  items: Iterable<T>,
  work: (view: View, item: T) => void,
): void {
  let few: T[] = [];
  const readFew = () => {
    workspace.view((view) => {
      for (const item of few) work(view, item);
    });
    few = [];
  };
  for (const item of items) {
    few.push(item);
    if (few.length === ITEMS_IN_A_VIEW) readFew();
  }
  if (few.length > 0) readFew();
}
