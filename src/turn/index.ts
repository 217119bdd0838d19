// The use-cases that every face calls. Text and options enter, results as plain data leave, and `Unusable` where
// nothing can be done. Nothing is printed here.
import type { Config } from '../config/types.js';
import { keyNames } from '../config/key-names.js';
import type { CalibrationTable } from '../formats/agent-report/calibration.js';
import type { Plan } from '../formats/plan/types.js';
import type { Shown } from '../formats/plan/simulate.js';
import type { Redactor } from '../formats/redact/redactor.js';
import type { Run } from '../formats/report/record.js';
import type { Tree } from '../formats/tree.js';
import type { Question } from '../run/review.js';
import type { Workspace } from '../workspace/workspace.js';
import type { TurnDiff } from './diff-turn.js';
import type { ExecuteOptions } from './execute-plan.js';
import type { PlanTaskEnd, PlanTaskOptions } from './plan-task.js';
import type { ModelMasks } from './redactor.js';
import type { SessionSummary, TurnSummary } from './session-history.js';
import type { CheckOptions } from './submission.js';

export {
  type Briefing,
  type BriefOptions,
  briefAgent,
  requireLevel,
  requireStrict,
  requireVerbosity,
} from './brief-agent.js';
export { checkReport } from './check-report.js';
export { type CompletedTask, type CompleteOptions, completeTask } from './complete-task.js';
export { type ContextLook, lookAtContext, readContextText, renderContext } from './context-map.js';
export type { CommandRun, FileDiff, TurnDiff } from './diff-turn.js';
export type { ExecuteOptions } from './execute-plan.js';
export type { PlanTaskEnd, PlanTaskEvent, PlanTaskOptions } from './plan-task.js';
export {
  type PlanEvent,
  type PlanTurnEnd,
  type PlanTurnOptions,
  planTurn,
  requireModel,
} from './plan-turn.js';
export type { ModelMasks } from './redactor.js';
export type { CheckReportOptions, ReportCheck } from './report-check.js';
export { explainForeign, findRun, listRuns, type RunSummary, type Undone, undoRun } from './run-list.js';
export type { SessionSummary, TurnFacts, TurnSummary } from './session-history.js';
export { bringPlan, executeTurn, newSession, openLastTurn } from './sessions.js';
export type { CheckOptions, SubmitOptions } from './submission.js';
export { requireWord, submitResult } from './submit-result.js';
export { assembleProject, assembleTurn, type InputOptions } from './turn-input.js';
export type { Validation } from './validate-plan.js';
export { validatePlan } from './validate-plan.js';
export { type VerifyEnd, type VerifyHands, type VerifyOptions, verifyCommands } from './verify-commands.js';
export { checkResult, describeDenial, fixAndCheck } from './verify-result.js';

/** Whether a person's words name one plan to work on, and which can be read. */
export async function isPlan(options: Pick<CheckOptions, 'workspace' | 'config' | 'plan'>): Promise<boolean> {
  const { isPlan: look } = await import('./verify-result.js');
  return look(options);
}

// What carries plans out is much, and is loaded by who needs it.

/**
 * Reads, checks, decides on and carries out a plan, and leaves a report of it. Throws `Unusable` where nobody can be
 * asked and nothing settles an action; then nothing was done.
 */
export async function executePlan(text: string, options: ExecuteOptions): Promise<Run> {
  const { executePlan: execute } = await import('./execute-plan.js');
  return execute(text, options);
}

/**
 * Asks the project's model for a plan that does a task, and carries it out with nobody to ask. Throws `Unusable` where
 * there is no model to ask, or the folder cannot be worked in.
 */
export async function planTask(options: PlanTaskOptions): Promise<PlanTaskEnd> {
  const { planTask: plan } = await import('./plan-task.js');
  return plan(options);
}

/**
 * Ends what killed processes left: commits are completed or discarded, commands of theirs that still run are ended, and
 * each of their runs gets its report. Gives those runs.
 */
export async function recoverRuns(workspace: Workspace): Promise<Run[]> {
  if (!workspace.isUnfinished()) return [];
  const { recoverRuns: recover } = await import('./recover-runs.js');
  return recover(workspace);
}

/** What would be asked, one after the other, if every action were approved and succeeded. */
export async function previewPlan(
  plan: Plan,
  tree: Tree,
  workspace: Workspace,
  show: Shown,
): Promise<Question[]> {
  const { previewPlan: preview } = await import('./preview-plan.js');
  return preview(plan, tree, workspace, show);
}

/** How a file's text may be shown to others: with its secrets masked. */
export async function maskerFor(
  plan: Plan | null,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Shown> {
  const { redactorFor } = await import('./redactor.js');
  const redactor = redactorFor(plan, environment);
  return (text) => redactor.mask(text);
}

/** What masks the secrets of an environment, and the keys that a config names. */
export async function redactorOf(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Redactor> {
  const { redactorFor } = await import('./redactor.js');
  return redactorFor(null, environment, keyNames(config));
}

/** How texts around the project's model are masked. */
export async function masksFor(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ModelMasks> {
  const { modelMasks } = await import('./redactor.js');
  return modelMasks(environment, keyNames(config));
}

/** What agents said of themselves against what people and verification said of them. */
export async function agentStats(workspace: Workspace, config: Config): Promise<CalibrationTable> {
  const { agentStats: count } = await import('./agent-stats.js');
  return count(workspace, config);
}

/** All sessions: the one last worked in, then those whose last turn is newest. */
export async function listSessions(workspace: Workspace): Promise<SessionSummary[]> {
  return (await import('./session-history.js')).listSessions(workspace);
}

/** The turns of a session, in their order. One that cannot be read hides no other. */
export async function turnHistory(workspace: Workspace, session: string): Promise<TurnSummary[]> {
  return (await import('./session-history.js')).turnHistory(workspace, session);
}

/** What a turn changed in files, by the journal of its run, secrets masked. `ref`: `3`, or `auth/03`. */
export async function diffTurn(
  workspace: Workspace,
  ref: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<TurnDiff> {
  return (await import('./diff-turn.js')).diffTurn(workspace, ref, environment);
}
