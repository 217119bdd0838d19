import { type ResultStatus, readResult, type TaskResult } from '../formats/task-result/index.js';
import { parseYaml } from '../formats/yaml.js';
import type { ResultFacts } from './records.js';

export type LogRead =
  | { status: 'log'; facts: ResultFacts }
  /** `reason` completes the sentence "<path> …"; `line` is that of the log. */
  | { status: 'damaged'; reason: string; line?: number };

/**
 * What a log says: the facts of its header and of the executor's result below it. Where the result stands there both
 * as YAML and as the text that it came in, the YAML counts. Never throws.
 */
export function readLog(text: string): LogRead {
  const { outside, inside, firstLine } = split(text);
  const yaml = parseYaml(outside);
  if (yaml.status === 'refused') return damaged(yaml.reason, yaml.line);
  const header = asObject(yaml.value);
  if (!header) return damaged('is not a log: it has no header', 1);
  try {
    const facts = readHeader(header);
    if (inside !== undefined)
      return {
        status: 'log',
        facts: factsOf(
          facts,
          readInside(inside, (line) => firstLine + line - 1),
        ),
      };
    const whole = header.result_text;
    if (typeof whole !== 'string') return damaged('holds no result');
    return {
      status: 'log',
      facts: factsOf(
        facts,
        readInside(whole, () => 'result_text'),
      ),
    };
  } catch (error) {
    if (!(error instanceof Damage)) throw error;
    const { where, message } = error;
    return damaged(message, typeof where === 'string' ? yaml.lineOf([where]) : where);
  }
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

interface Parts {
  /** The log with empty lines in the place of the result, so that all others keep their numbers. */
  outside: string;
  /** The lines under `result:` as the executor wrote them; undefined where there is no such key. */
  inside: string | undefined;
  /** Of the log, at which they begin. */
  firstLine: number;
}

function split(text: string): Parts {
  const lines = text.split('\n');
  const key = lines.findIndex((line) => line.trimEnd() === 'result:');
  if (key === -1) return { outside: text, inside: undefined, firstLine: 0 };
  let end = key + 1;
  while (end < lines.length && belongsBelow(lines[end]!)) end++;
  const head = lines.slice(0, key);
  const tail = lines.slice(end);
  return {
    outside: (tail.length === 0
      ? [...head, '']
      : [...head, ...Array<string>(end - key).fill(''), ...tail]
    ).join('\n'),
    inside: lines
      .slice(key + 1, end)
      .map((line) => (line.startsWith('  ') ? line.slice(2) : line))
      .join('\n'),
    firstLine: key + 2,
  };
}

function belongsBelow(line: string): boolean {
  return line.startsWith(' ') || line === '' || line === '\r';
}

type HeaderFacts = Pick<ResultFacts, 'loggedAt' | 'planId' | 'taskIndex' | 'verificationMs'> & {
  effective: ResultStatus | undefined;
};

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

function readHeader(header: Readonly<Record<string, unknown>>): HeaderFacts {
  const { logged_at, plan_id, task_index, session_id, effective_status, verification_run } = header;
  const wrong = (field: string, what: string) => new Damage(`has no ${field} that is ${what}`, field);
  if (typeof logged_at !== 'string' || !TIME.test(logged_at) || Number.isNaN(Date.parse(logged_at)))
    throw wrong('logged_at', 'a time like 2026-01-26T10:30:45Z');
  if (typeof plan_id !== 'string' || plan_id === '') throw wrong('plan_id', 'a text');
  if (!isPosition(task_index)) throw wrong('task_index', 'a number from 1 on');
  if (typeof session_id !== 'string') throw wrong('session_id', 'a text');
  if (effective_status !== undefined && !isStatus(effective_status))
    throw wrong('effective_status', 'success, failure or blocked');
  const took = verification_run === undefined ? null : asObject(verification_run)?.duration_ms;
  if (took !== null && !isDuration(took)) throw wrong('verification_run', 'complete, with its duration_ms');
  return {
    loggedAt: logged_at,
    planId: plan_id,
    taskIndex: task_index,
    verificationMs: took,
    effective: effective_status,
  };
}

function readInside(text: string, lineOf: (line: number) => number | string): TaskResult {
  const { result, issues } = readResult(text);
  if (result) return result;
  const problem = issues.find(({ severity }) => severity === 'error');
  throw new Damage(`holds a result that cannot be read: ${said(problem)}`, lineOf(problem?.line ?? 1));
}

/** As the end of a sentence, to which whoever prints it adds the period. */
function said(problem: { message: string } | undefined): string {
  const message = problem?.message ?? 'something required is missing';
  return message.endsWith('.') ? message.slice(0, -1) : message;
}

function factsOf(header: HeaderFacts, result: TaskResult): ResultFacts {
  const { effective, ...known } = header;
  return {
    ...known,
    taskName: result.taskName,
    status: effective ?? result.status,
    claimed: result.status,
    attempt: result.metadata.attempt,
    durationMs: result.metadata.durationMs,
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
