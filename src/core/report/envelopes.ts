import type { AgentReport, Verbosity } from '../agent-report/types.js';
import type { JsonObject } from '../json/values.js';
import { readLink } from '../markdown/inline.js';
import { readRootPath } from '../path.js';
import { hasEffect } from '../plan/actions.js';
import { metadataValue } from '../plan/grammar.js';
import type { FieldLabel } from '../plan/metadata.js';
import type { TaskResult } from '../task-result/types.js';
import { writeResult } from '../task-result/write.js';
import { foldText, shorten } from '../text.js';
import { NO_REASON } from './markdown.js';
import {
  type ActionRecord,
  countActions,
  type Decision,
  type Run,
  type StateChangeRecord,
} from './record.js';

// A run as a subagent's report and as an executor's result. Only a run that was completed as a whole is a success.

/** Data about the task that a run does not record. */
export interface AgentOfRun {
  agentName: string;
  taskId: string;
  /** Default: `detailed`. */
  verbosity?: Verbosity;
  /** Default: 1, since the report repeats a record that was kept while it happened. */
  confidence?: number;
  tokenUsage?: number;
}

const MOST_SENTENCES = 5;

/**
 * The run as a subagent's report. `changed_files` has what the plan's own actions wrote: the record does not say what a
 * command changed, so these are the findings of a run and not of the manual `implementer`, which promises that.
 */
export function renderAgentReport(run: Run, about: AgentOfRun): AgentReport {
  const { agentName, taskId, verbosity = 'detailed', confidence = 1, tokenUsage } = about;
  const gaps = listGaps(run);
  const shown = verbosity === 'summary' ? limitSentences(gaps) : gaps;
  return {
    report_metadata: {
      agent_name: agentName,
      task_id: taskId,
      status: run.overall === 'Completed' ? 'completed' : 'failed',
      verbosity_level: verbosity,
      confidence_level: confidence,
      ...(tokenUsage === undefined ? {} : { token_usage: tokenUsage }),
      execution_time_seconds: Math.round(run.durationMs / 1000),
      error_message: describeError(run),
    },
    findings: findingsOf(run, verbosity),
    ...(shown.length === 0 ? {} : { identified_gaps: shown }),
  };
}

function findingsOf(run: Run, verbosity: Verbosity): JsonObject {
  const { id, plan, overall, issues, actions, stateChanges } = run;
  const brief = { run_id: id, overall, counts: { ...countActions(actions) } };
  if (verbosity === 'summary') return { ...brief, ...listFilesWithin(SUMMARY_FILES, actions) };
  const isWhole = verbosity === 'comprehensive';
  return {
    ...brief,
    plan: { title: plan.title, path: plan.path },
    changed_files: changedFiles(actions),
    actions: actions.map((action, i) => describeAction(action, i, isWhole)),
    ...(stateChanges.length === 0 ? {} : { state_changes: stateChanges.map(describeStateChange) }),
    ...(isWhole
      ? { issues: issues.map(({ code, severity, message }) => ({ code, severity, message })) }
      : {}),
  };
}

/** `isWhole`: with its facts as the record has them. */
function describeAction(action: ActionRecord, position: number, isWhole: boolean): JsonObject {
  const { type, decision, outcome } = action;
  const described = {
    number: position + 1,
    type,
    target: targetOf(action),
    ...describeDecision(decision),
    outcome: outcome.status,
  };
  if (outcome.status === 'not-run') return described;
  const { status: _, summary, ...facts } = outcome;
  return {
    ...described,
    summary,
    ...(facts.exitCode === undefined ? {} : { exit_code: facts.exitCode }),
    ...(isWhole ? { facts: facts as unknown as JsonObject } : {}),
  };
}

function describeDecision(decision: Decision): JsonObject {
  const { status, by } = decision;
  return {
    decision: status,
    decided_by: by,
    ...(decision.status === 'skipped' ? { reason: reasonOf(decision) } : {}),
  };
}

function describeStateChange({ section, changes, decision, notApplied }: StateChangeRecord): JsonObject {
  return { section, changes, ...describeDecision(decision), not_applied: notApplied };
}

const SUMMARY_FILES = 1500;

/** As many files as there is room for, in characters, and how many are left out. */
function listFilesWithin(room: number, actions: readonly ActionRecord[]): JsonObject {
  const all = changedFiles(actions);
  let used = 0;
  const listed = all.filter((file) => {
    used += JSON.stringify(file).length + 1;
    return used <= room;
  });
  const left = all.length - listed.length;
  return { changed_files: listed, ...(left === 0 ? {} : { changed_files_left_out: left }) };
}

/** Null for a completed run. A sentence, and then what went wrong first. */
function describeError(run: Run): string | null {
  if (run.overall === 'Completed') return null;
  const reasons = [
    ...refusalsOf(run),
    ...(run.interrupted === null ? [] : [`It was interrupted: ${run.interrupted}`]),
    ...run.actions.flatMap((action, i) =>
      action.outcome.status === 'failure' ? `${nameAction(action, i)}: ${action.outcome.summary}` : [],
    ),
  ];
  const verdict = run.refused
    ? 'The plan was refused; nothing was run.'
    : `The plan was not completed (${run.overall}).`;
  return [verdict, ...limitSentences(reasons)].join(' ');
}

function refusalsOf({ refused, issues }: Run): string[] {
  return issues.filter(({ severity }) => refused && severity === 'error').map(({ message }) => message);
}

/** Lists what was not run, one sentence each. */
function listGaps({ actions, stateChanges }: Run): string[] {
  return [
    ...actions.flatMap((action, i) => {
      const { decision, outcome } = action;
      if (decision.status === 'skipped') return `${nameAction(action, i)} was skipped: ${reasonOf(decision)}`;
      return outcome.status === 'not-run' ? `${nameAction(action, i)} was approved but not reached.` : [];
    }),
    ...stateChanges.flatMap(({ section, decision, notApplied }) =>
      decision.status === 'skipped'
        ? [`The changes under ${section} were skipped: ${reasonOf(decision)}`]
        : notApplied.map((line) => `Not applied under ${section}: ${line}`),
    ),
  ];
}

const LONGEST_SENTENCE = 200;

function limitSentences(sentences: readonly string[]): string[] {
  const more = sentences.length - MOST_SENTENCES;
  return [
    ...sentences.slice(0, MOST_SENTENCES).map((sentence) => shorten(foldText(sentence), LONGEST_SENTENCE)),
    ...(more > 0 ? [`${more} more of this kind.`] : []),
  ];
}

function nameAction(action: ActionRecord, position: number): string {
  const target = targetOf(action);
  return `Action ${position + 1} (${action.type}${target === null ? '' : ` ${target}`})`;
}

function reasonOf({ reason }: Decision & { status: 'skipped' }): string {
  return reason === null || reason.trim() === '' ? NO_REASON : reason;
}

export interface TaskOfRun {
  /** As the task file has it. */
  taskName: string;
  /** The task's `<verify>` and how it ended, where it was run after the plan. */
  verification?: TaskResult['verification'];
  attempt?: number;
  executorId?: string;
}

/** The run as an executor's result; a verification that failed makes it a failure. */
export function renderResult(run: Run, task: TaskOfRun): string {
  const { taskName, verification, attempt = null, executorId = null } = task;
  const error = describeFailure(run, verification);
  return writeResult({
    status: error === null ? 'success' : 'failure',
    taskName,
    filesModified: changedFiles(run.actions).map(({ path }) => path),
    verification: verification ?? lastCommand(run.actions),
    doneCriteriaMet: error === null,
    evidence: [`Run ${run.id}: ${run.overall}.`, ...run.actions.map(writeEvidence)].join('\n'),
    error,
    metadata: { durationMs: run.durationMs, attempt, executorId },
  });
}

function describeFailure(run: Run, verification: TaskOfRun['verification']): string | null {
  if (run.overall !== 'Completed') {
    const failed = run.actions.flatMap((action, i) => {
      const isFailed = action.outcome.status === 'failure' || action.decision.status === 'skipped';
      return isFailed ? writeEvidence(action, i) : [];
    });
    return [`The plan was not completed (${run.overall}).`, ...refusalsOf(run), ...failed].join('\n');
  }
  const code = verification?.exitCode ?? 0;
  return code === 0 ? null : `The verification failed with exit code ${code}.`;
}

function writeEvidence(action: ActionRecord, position: number): string {
  const { type, decision, outcome } = action;
  const target = targetOf(action);
  const head = `${position + 1}. ${type}${target === null ? '' : ` ${target}`}`;
  if (outcome.status !== 'not-run') return `${head}: ${outcome.summary}`;
  const reason = decision.status === 'skipped' ? reasonOf(decision) : 'Not reached.';
  return `${head}: skipped. ${reason.replaceAll('\n', ' ')}`;
}

/** The record has what the command was for; the command itself is in the plan. */
function lastCommand(actions: readonly ActionRecord[]): TaskResult['verification'] {
  const last = actions.findLast((action) => hasEffect(action, 'runs') && action.outcome.status !== 'not-run');
  if (!last || last.outcome.status === 'not-run')
    return { command: null, exitCode: null, outputSummary: null };
  const { exitCode = null, summary } = last.outcome;
  return { command: last.metadata.Description ?? null, exitCode, outputSummary: summary };
}

/** Each file once, by what happened to it in all: a file that was created and then edited was created. */
function changedFiles(actions: readonly ActionRecord[]): { path: string; change: 'created' | 'modified' }[] {
  const changes = new Map<string, 'created' | 'modified'>();
  for (const action of actions) {
    const { type, outcome } = action;
    if (!hasEffect(action, 'writes') || outcome.status !== 'success' || outcome.unchanged) continue;
    const written = fieldOf(action, 'File Path') ?? '';
    const read = readRootPath(readLink(written)?.destination ?? written);
    if (read.status !== 'ok' || changes.has(read.path)) continue;
    changes.set(read.path, type === 'CREATE' && !outcome.replaced ? 'created' : 'modified');
  }
  return [...changes].map(([path, change]) => ({ path, change }));
}

/** The file or page that an action is about, otherwise its description, on one line. */
function targetOf(action: ActionRecord): string | null {
  const about = fieldOf(action, 'File Path') ?? fieldOf(action, 'Resource') ?? fieldOf(action, 'Description');
  const [line = ''] = (about ?? '').split('\n', 1);
  const target = shorten(foldText(readLink(line)?.text ?? line), LONGEST_SENTENCE);
  return target === '' ? null : target;
}

/** A field of the action as it ran, which the user may have changed. */
function fieldOf({ type, metadata, outcome }: ActionRecord, label: FieldLabel): string | undefined {
  const ranAs = outcome.status === 'not-run' ? undefined : outcome.ranAs;
  const head = `- **${label}:** `;
  const line = ranAs?.split('\n').find((text) => text.startsWith(head));
  if (line !== undefined) return line.slice(head.length);
  return type === 'DELETE' || type === 'RENAME' ? metadata[label] : metadataValue(metadata, type, label);
}
