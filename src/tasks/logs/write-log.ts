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
import { isMapping, type Mapping } from '../../core/yaml.js';
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
interface ResultLog
  extends Pick<
    ResultFacts,
    'loggedAt' | 'planId' | 'taskIndex' | 'executor' | 'late' | 'superseded' | 'behind'
  > {
  sessionId: string;
  /** As the orchestrator counts and measured; null without one. */
  attempt: number | null;
  durationMs: number | null;
  effectiveStatus: ResultStatus;
  verification: VerificationRun | null;
  /** Why a claim is false, if not because of a command. */
  refused: string | null;
  /** Null if it is not known. */
  filesChanged: readonly string[] | null;
  /** It contained a secret. */
  masked: boolean;
  verdict: VerdictName;
  /** Issues of the verdict and of the capture. */
  issues: readonly LoggedIssue[];
  /** The result's own lines; null if they cannot be embedded. */
  yaml: string | null;
  /** The whole text as received; null if the lines are all of it. */
  text: string | null;
}

/** Installing packages into a project changes very many. */
const MOST_FILES = 500;

/** The log of a result: teddy's header, then the executor's own lines, indented by two spaces. */
export function renderLog(entry: ResultLog): string {
  const { verification: run, refused, filesChanged: files, behind, yaml, text } = entry;
  const header = renderFields({
    logged_at: entry.loggedAt,
    plan_id: entry.planId,
    task_index: entry.taskIndex,
    session_id: entry.sessionId,
    executor: entry.executor ?? undefined,
    attempt: entry.attempt ?? undefined,
    duration_ms: entry.durationMs ?? undefined,
    effective_status: run || refused !== null ? entry.effectiveStatus : undefined,
    refused: refused ?? undefined,
    verification_run: run
      ? {
          command: run.command,
          exit_code: run.exitCode,
          duration_ms: run.durationMs,
          output_summary: run.outputSummary,
          vacuous: run.vacuous || undefined,
          flaky: run.flaky || undefined,
        }
      : undefined,
    files_changed: files?.slice(0, MOST_FILES),
    files_changed_count: files !== null && files.length > MOST_FILES ? files.length : undefined,
    late: entry.late || undefined,
    superseded: entry.superseded || undefined,
    masked: entry.masked || undefined,
    behind: behind.length > 0 ? behind : undefined,
    verdict: entry.verdict,
    issues: entry.issues.map(({ code, severity, field, line, message, hint }) => ({
      code,
      severity,
      field,
      line,
      message,
      hint,
    })),
  });
  const body = [
    ...(yaml === null ? [] : ['result:', ...indent(yaml)]),
    ...(text === null ? [] : renderFields({ result_text: text })),
  ];
  return `${[...header, '', ...body].join('\n')}\n`;
}

/** Fields whose values are words of ours, which need no quotes. */
const PLAIN_FIELDS = new Set(['effective_status', 'verdict', 'code', 'severity']);

/** Teddy's own fields, in their order; those that are undefined are left out. */
function renderFields(fields: Mapping): string[] {
  return Object.entries(fields).flatMap(([key, value]: [string, unknown]) => {
    if (value === undefined) return [];
    if (isMapping(value)) return [`${key}:`, ...renderFields(value).map((line) => `  ${line}`)];
    if (!Array.isArray(value)) return `${key}: ${PLAIN_FIELDS.has(key) ? value : quoteText(value)}`;
    return value.length === 0 ? `${key}: []` : [`${key}:`, ...value.flatMap(renderItem)];
  });
}

function renderItem(item: unknown): string[] {
  const lines = isMapping(item) ? renderFields(item) : [quoteText(item)];
  return lines.map((line, at) => (at === 0 ? `  - ${line}` : `    ${line}`));
}

function indent(yaml: string): string[] {
  const lines = yaml.replace(/^\uFEFF/, '').split(/\r?\n/);
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return lines.slice(Math.max(first, 0), last + 1).map((line) => (line === '' ? '' : `  ${line}`));
}

/** The record of a rejected result, with the reasons. */
export function renderRejection(
  facts: { rejectedAt: string; planId: string; masked: boolean; text: string },
  issues: readonly LoggedIssue[],
): string {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const reasons = errors.map(({ code, field, line, message }) => ({ code, field, line, message }));
  const { rejectedAt, planId, text } = facts;
  const header = { rejected_at: rejectedAt, plan_id: planId, masked: facts.masked || undefined, reasons };
  return `${[...renderFields(header), '', ...renderFields({ result_text: text })].join('\n')}\n`;
}
