import { redactorFor } from '../config/redactor.js';
import { hasEffect } from '../core/plan/actions.js';
import { isStructural, validatePlan } from '../core/plan/check.js';
import { isRepair } from '../core/plan/issues.js';
import type { Plan, PlanIssue } from '../core/plan/types.js';
import type { Redactor } from '../core/redact/redactor.js';
import type { TipLimits } from '../core/report/markdown.js';
import type { Decision, Run } from '../core/report/record.js';
import { isoUtcMs, monotonicMs, now } from '../node/clock.js';
import { errorCode, UserError } from '../node/errors.js';
import { newRunId, sha256 } from '../node/ids.js';
import { systemName } from '../node/terminal/terminal.js';
import { findUnresolved, type Unresolved } from '../review/compose.js';
import type { Reviewer } from '../review/question.js';
import type { RunFolder } from '../workspace/runs/run-folder.js';
import { PLAN_COPY } from './plan-copy.js';
import { notReached } from './progress.js';
import { type RunOptions, type RunResult, runPlan } from './run-plan.js';
import { type Continuation, closeRun, completeRun, draftRun, isUndecided } from './run-record.js';
import type { RunningTurn, TurnState } from './turn-state.js';
import { projectState, readMemos, sessionState } from './turn-state.js';

export interface ExecuteOptions extends RunOptions {
  /** The plan's own path, relative to the root; null if it has none there: then the record names its copy. */
  path: string | null;
  /** The id that the run gets if it is free; default: a new one. */
  id?: string | undefined;
  /** The turn of a session whose plan it is. */
  turn?: RunningTurn | undefined;
  /** Where memos and context go; default: to the turn, or the project. */
  state?: TurnState | undefined;
  tip: TipLimits;
  /** How many runs are kept. */
  keep: number;
  /** The variables of the environment that hold a key, whatever their name says. */
  keyNames?: readonly string[];
  /** Whether the user aborted the review. In a session, a plan with nothing decided then stays open. */
  isReviewAborted?: () => boolean;
  /** Called with the run's folder before anything else happens in it. */
  onFolder?: (folder: RunFolder) => void;
  /** Called with the reason, a sentence, if the report could not be saved in that folder. */
  onUnsaved?: (reason: string) => void;
}

type Draft = Omit<Run, 'overall'>;

export async function executePlan(text: string, options: ExecuteOptions): Promise<Run> {
  const judged = await judgePlan(text, options);
  const started = await startRun(text, judged, options);
  try {
    options.onFolder?.(started.folder);
    const result = judged.status === 'refused' ? {} : await runAccepted(judged, started, options);
    return await endRun({ ...started.draft, ...started.end(), ...result }, started.folder, options);
  } finally {
    started.folder.close();
    await options.workspace.pruneRuns(options.keep);
  }
}

type Judged = { issues: PlanIssue[]; redactor: Redactor } & (
  | { status: 'accepted'; plan: Plan; reviewer: Reviewer }
  | { status: 'refused'; plan: Plan | null }
);

/** Whether the plan is run at all, and who decides on it. Throws `UserError` where approval is needed without a terminal. */
async function judgePlan(text: string, options: ExecuteOptions): Promise<Judged> {
  const { tree, environment, keyNames } = options;
  let redactor: Redactor | undefined;
  const { plan, issues } = await validatePlan(text, {
    tree,
    memos: () => readMemos(tree),
    session: options.turn?.nextTurn ?? null,
    refuseResearch: async () =>
      (await import('./web/research.js')).refuseResearch(options.settings, environment),
    continued: options.continued,
    show: (read) => {
      const made = redactorFor(read, environment, keyNames);
      redactor = made;
      return (shown) => made.mask(shown);
    },
  });
  redactor ??= redactorFor(plan, environment, keyNames);
  if (plan === null) return { status: 'refused', plan, issues, redactor };
  const findOpen = (reviewer: Reviewer) =>
    findUnresolved(reviewer, plan).filter((each) => isOpen(each, plan, options));
  const reviewer = chooseNeededReviewer(plan, findOpen, options);
  if (isRefused(plan, issues, reviewer, options)) return { status: 'refused', plan, issues, redactor };
  if (reviewer.ask === undefined) requireResolved(findOpen(reviewer));
  return { status: 'accepted', plan, issues, reviewer, redactor };
}

interface StartedRun {
  folder: RunFolder;
  draft: Draft;
  /** The time now, and the duration so far. */
  end(): Pick<Run, 'endedAt' | 'durationMs'>;
}

/**
 * Writes the plan and the draft of the record to disk before anything happens. Throws `UserError` if another process holds
 * the project's lock, or left something that cannot be recovered.
 */
async function startRun(
  text: string,
  judged: Judged,
  { workspace, path, id, turn, continued, environment: variables }: ExecuteOptions,
): Promise<StartedRun> {
  const started = monotonicMs();
  const date = now();
  const environment = { os: systemName(), cwd: workspace.root };
  const refused = judged.status === 'refused';
  const draftAs = (id: string): Draft => {
    const facts = {
      id,
      startedAt: isoUtcMs(date),
      environment,
      ...taskIn(variables),
      path: path ?? `.teddy/runs/${id}/${PLAN_COPY}`,
    };
    const draft = draftRun(facts, judged.plan, judged.issues, refused ? REFUSED : notReached);
    return judged.redactor.maskAll({ ...mergeContinued(draft, continued), refused });
  };
  let draft!: Draft;
  let wanted = id;
  const begun = await workspace.beginRun((taken) => {
    draft = draftAs(wanted ?? newRunId(date, taken));
    wanted = undefined;
    const note = { kind: 'begun', at: draft.startedAt, run: draft, turn: turn?.mark, planHash: sha256(text) };
    return { id: draft.id, files: { [PLAN_COPY]: text }, note };
  });
  if (begun.status !== 'begun') throw new UserError(begun.status === 'stopped' ? begun.reason : LOCKED);
  const end = () => ({ endedAt: isoUtcMs(now()), durationMs: Math.round(monotonicMs() - started) });
  return { folder: begun.folder, draft, end };
}

const TASK_ID = /^[\w.-]{1,100}:\d{1,6}$/;

/** The task for which an executor, or the user, has started this process. */
export function taskIn({ TEDDY_TASK_ID: task = '' }: ExecuteOptions['environment']): { task?: string } {
  return TASK_ID.test(task) ? { task } : {};
}

/** A draft of a record with the outcomes of the continued run. */
function mergeContinued<T extends Pick<Run, 'actions' | 'stateChanges'>>(
  draft: T,
  continued: Continuation | undefined,
): T & Pick<Run, 'continues'> {
  if (!continued) return draft;
  return {
    ...draft,
    continues: continued.run,
    stateChanges: draft.stateChanges.map((record) => continued.stateChanges.get(record.section) ?? record),
    actions: draft.actions.map((record, i) => continued.actions.get(i + 1) ?? record),
  };
}

function runAccepted(
  { plan, issues, reviewer, redactor }: Extract<Judged, { status: 'accepted' }>,
  { folder, draft }: StartedRun,
  options: ExecuteOptions,
): Promise<RunResult> {
  const { id, actions } = draft;
  const repairs = draft.issues.filter(isRepair);
  options.emit({ kind: 'run-started', id, title: draft.plan.title ?? '', total: actions.length, repairs });
  const state = options.state ?? stateOf(id, options);
  return runPlan({ ...options, plan, issues, reviewer, redactor, folder, state });
}

function stateOf(run: string, { workspace, tree, turn }: ExecuteOptions): TurnState {
  return turn ? sessionState(workspace, tree, run, turn.nextTurn) : projectState(workspace, tree, run);
}

/** Returns the record even if it cannot be saved: a command may have deleted the folder or filled the disk. */
async function endRun(draft: Draft, folder: RunFolder, options: ExecuteOptions): Promise<Run> {
  const { tip, emit, onUnsaved } = options;
  const run = completeRun(draft);
  if (options.workspace.isStuck(run.id)) {
    onUnsaved?.(STUCK);
    emit({ kind: 'run-ended', run });
    return run;
  }
  const turn = options.isReviewAborted?.() && isUndecided(run) ? undefined : options.turn;
  const unconcluded = await turn?.conclude(run, tip);
  if (unconcluded !== undefined) onUnsaved?.(unconcluded);
  try {
    if (!turn || unconcluded !== undefined) closeRun(folder, run, tip);
  } catch (error) {
    const code = errorCode(error);
    onUnsaved?.(
      code === 'ENOENT'
        ? `${folder.shown} was deleted during the run: its report is not kept, and it cannot be undone.`
        : `The report could not be saved in ${folder.shown} (${code}). If that folder still exists, the next teddy command tries again.`,
    );
  }
  emit({ kind: 'run-ended', run });
  return run;
}

/** Without a record the run counts as dead, and recovery works out its outcome from the journal. */
const STUCK =
  'A change of this run is incomplete. The next teddy command completes or reverts it, and writes the report.';
const LOCKED = 'Another teddy process has held the lock on this project for a minute. Nothing was done.';
const REFUSED: Decision = { status: 'skipped', by: 'teddy', reason: 'Not run: the plan was refused.' };

/** Whether a plan does not even start: its structure is wrong, or it is predicted to fail and no user can decide to continue. */
function isRefused(
  plan: Plan,
  issues: readonly PlanIssue[],
  reviewer: Reviewer,
  { keepGoing }: ExecuteOptions,
): boolean {
  if (issues.some((issue) => isStructural(issue, plan))) return true;
  if (reviewer.ask) return false;
  return issues.some(
    ({ severity, code }) => severity === 'error' && (!keepGoing || code === 'answer-cut-off'),
  );
}

/** Whether a question will be asked: not about what the continued run has done, or what needs a session and has none. */
function isOpen(question: Unresolved, plan: Plan, { turn, continued }: ExecuteOptions): boolean {
  if (question.kind === 'state') return !continued?.stateChanges.has(question.section);
  const action = plan.actions[question.number - 1]!;
  return !continued?.actions.has(question.number) && (turn !== undefined || !hasEffect(action, 'hands-over'));
}

/** A plan that is decided in advance runs without the review screen. */
function chooseNeededReviewer(
  plan: Plan,
  findOpen: (reviewer: Reviewer) => Unresolved[],
  { reviewer, continued }: ExecuteOptions,
): Reviewer {
  const alone: Reviewer = { resolve: (question) => reviewer.resolve(question) };
  const asks = plan.actions.some((action, i) => hasEffect(action, 'asks') && !continued?.actions.has(i + 1));
  return asks || findOpen(alone).length > 0 ? reviewer : alone;
}

function requireResolved(open: readonly Unresolved[]): void {
  if (open.length === 0) return;
  const about =
    open.slice(0, 3).map(nameOf).join(', ') + (open.length > 3 ? ` and ${open.length - 3} more` : '');
  throw new UserError(`Approval needed for ${about}, but there is no terminal. Use --yes or --decisions.`);
}

function nameOf(open: Unresolved): string {
  return open.kind === 'state' ? open.section : `action ${open.number} (${open.type})`;
}
