import type { AgentReport, Verbosity } from '../agent-report/types.js';
import type { JsonObject } from '../json/values.js';
import { readLink } from '../markdown/inline.js';
import { readRootPath } from '../path.js';
import { hasEffect } from '../plan/actions.js';
import type { FieldLabel } from '../plan/fields.js';
import { metadataValue } from '../plan/grammar.js';
import { foldText, shorten } from '../text.js';
import { countActions } from './facts.js';
import type { ActionRecord, Captured, Decision, Done, Run, StateChangeRecord } from './record.js';

/** What a run cannot know of the task that it was for. */
export interface AgentOfRun {
  agentName: string;
  taskId: string;
  /** `detailed` unless given. */
  verbosity?: Verbosity;
  /**
   * 1 unless given: the report repeats a record that was kept while it happened, and there is no doubt about that. Whether
   * the work was any good is for others to judge with a number of their own.
   */
  confidence?: number;
  tokenUsage?: number;
}

/**
 * The run as a subagent's report. Only a run that was completed as a whole is `completed`; any other is `failed`, the
 * refused and the skipped included. `changed_files` has what the plan's own actions wrote. What a command changed is not
 * in the record, nor is the command itself, so the findings are those of a run and not of the manual `implementer`,
 * which promises both.
 */
export function renderAgentReport(run: Run, about: AgentOfRun): AgentReport {
  const { agentName, taskId, verbosity = 'detailed', confidence = 1, tokenUsage } = about;
  const error = findError(run, verbosity);
  const gaps = verbosity === 'summary' ? countGaps(run) : listGaps(run);
  return {
    report_metadata: {
      agent_name: agentName,
      task_id: taskId,
      status: error === null ? 'completed' : 'failed',
      verbosity_level: verbosity,
      confidence_level: confidence,
      ...(tokenUsage === undefined ? {} : { token_usage: tokenUsage }),
      execution_time_seconds: Math.round(run.durationMs / 1000),
      error_message: error,
    },
    findings: findingsOf(run, verbosity),
    ...(gaps.length === 0 ? {} : { identified_gaps: gaps }),
  };
}

function findingsOf(run: Run, verbosity: Verbosity): JsonObject {
  const { id, plan, overall, issues, actions, stateChanges } = run;
  const brief = {
    run_id: id,
    overall,
    counts: { ...countActions(actions) },
  };
  if (verbosity === 'summary') return { ...brief, ...listFilesWithin(SUMMARY_FILES, actions) };
  const isWhole = verbosity === 'comprehensive';
  return {
    ...brief,
    plan: { title: plan.title, path: plan.path },
    changed_files: changedFiles(actions),
    actions: actions.map((action, i) => ({
      ...describeAction(action, i),
      ...(isWhole && action.outcome.status !== 'not-run' ? describeFacts(action.outcome) : {}),
    })),
    ...(stateChanges.length === 0 ? {} : { state_changes: stateChanges.map(describeStateChange) }),
    ...(isWhole
      ? { issues: issues.map(({ code, severity, message }) => ({ code, severity, message })) }
      : {}),
  };
}

function describeAction(action: ActionRecord, position: number): JsonObject {
  const { type, decision, outcome } = action;
  return {
    number: position + 1,
    type,
    target: targetOf(action),
    ...describeDecision(decision),
    outcome: outcome.status,
    ...(outcome.status === 'not-run' ? {} : { summary: outcome.summary }),
    ...('exitCode' in outcome ? { exit_code: outcome.exitCode } : {}),
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

function describeFacts(done: Done): JsonObject {
  const { output, error, reply, ended, expectedOutcome, ranAs, doneIn, matched, unchanged } = done;
  const { interrupted, notes } = done;
  const captured = (name: string, held: Captured | undefined): JsonObject =>
    held === undefined
      ? {}
      : { [name]: held.text, ...(held.whole ? { [`${name}_whole`]: { ...held.whole } } : {}) };
  const given = (name: string, value: string | undefined): JsonObject =>
    value === undefined ? {} : { [name]: value };
  return {
    ...captured('output', output),
    ...captured('error', error),
    ...given('reply', reply),
    ...given('ended', ended),
    ...(expectedOutcome === undefined ? {} : { expected_outcome: { ...expectedOutcome } }),
    ...given('ran_as', ranAs),
    ...given('done_in_run', doneIn),
    ...given('matched', matched),
    ...given('unchanged', unchanged),
    ...given('interrupted', interrupted),
    ...(notes === undefined ? {} : { notes }),
  };
}

function describeStateChange({ section, changes, decision, notApplied }: StateChangeRecord): JsonObject {
  return { section, changes, ...describeDecision(decision), not_applied: notApplied };
}

/** Where several actions wrote one file, what they came to: a file that was created and then edited was created. */
function changedFiles(actions: readonly ActionRecord[]): { path: string; change: 'created' | 'modified' }[] {
  const changes = new Map<string, 'created' | 'modified'>();
  for (const action of actions) {
    const { type, outcome } = action;
    if (!hasEffect(action, 'writes') || outcome.status !== 'success') continue;
    const written = fieldOf(action, 'File Path') ?? '';
    const read = readRootPath(readLink(written)?.destination ?? written);
    if (read.status !== 'ok' || changes.has(read.path)) continue;
    const isNew = type === 'CREATE' && !outcome.summary.endsWith(REPLACED);
    changes.set(read.path, isNew ? 'created' : 'modified');
  }
  return [...changes].map(([path, change]) => ({ path, change }));
}

/** How a run words a CREATE that met a file: nothing else in the record shows it. */
const REPLACED = "' replaced.";

const SUMMARY_FILES = 1500;

/** As many files as there is room for, and how many are left out. */
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

const MOST_REASONS = { summary: 1, detailed: 5, comprehensive: Number.POSITIVE_INFINITY };
const LONGEST_REASON = 200;

/** Null where nothing went wrong. A sentence, and then what went wrong first. */
function findError(run: Run, verbosity: Verbosity): string | null {
  if (run.overall === 'Completed') return null;
  const refused = run.issues.filter(({ severity }) => run.refused && severity === 'error');
  const failed = run.actions.flatMap((action, i) =>
    action.outcome.status === 'failure' ? `${nameAction(action, i)}: ${action.outcome.summary}` : [],
  );
  const reasons = [
    ...refused.map(({ message }) => message),
    ...(run.interrupted === null ? [] : [`It was interrupted: ${run.interrupted}`]),
    ...failed,
  ];
  const most = MOST_REASONS[verbosity];
  return [
    run.refused ? 'The plan was refused; nothing was run.' : `The plan was not completed (${run.overall}).`,
    ...reasons.slice(0, most).map((reason) => shorten(foldText(reason), LONGEST_REASON)),
    ...(reasons.length > most ? [`${reasons.length - most} more of this kind.`] : []),
  ].join(' ');
}

/** What was not run, a sentence for each part. */
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

function countGaps({ actions, stateChanges }: Run): string[] {
  const notRun = actions.filter(({ outcome }) => outcome.status === 'not-run').length;
  const states = stateChanges.filter(
    ({ decision, notApplied }) => decision.status === 'skipped' || notApplied.length > 0,
  ).length;
  return [
    ...(notRun === 0 ? [] : [`Not run: ${notRun} of ${actions.length} actions.`]),
    ...(states === 0 ? [] : [`Not fully applied: ${states} of ${stateChanges.length} state changes.`]),
  ];
}

function nameAction(action: ActionRecord, position: number): string {
  const target = targetOf(action);
  return `Action ${position + 1} (${action.type}${target === null ? '' : ` ${target}`})`;
}

function reasonOf({ reason }: Decision & { status: 'skipped' }): string {
  return reason === null || reason.trim() === '' ? 'No reason given.' : reason;
}

/** The file or page that an action is about, else what it is for, on one line. */
function targetOf(action: ActionRecord): string | null {
  const about = fieldOf(action, 'File Path') ?? fieldOf(action, 'Resource') ?? fieldOf(action, 'Description');
  const [line = ''] = (about ?? '').split('\n', 1);
  const target = shorten(foldText(readLink(line)?.text ?? line), LONGEST_REASON);
  return target === '' ? null : target;
}

/** A field of the action as it ran, which the user may have changed. */
function fieldOf({ type, metadata, outcome }: ActionRecord, label: FieldLabel): string | undefined {
  const ranAs = outcome.status === 'not-run' ? undefined : outcome.ranAs;
  const head = `- **${label}:** `;
  const line = ranAs?.split('\n').find((text) => text.startsWith(head));
  if (line !== undefined) return line.slice(head.length);
  return metadataValue(metadata, type, label);
}
