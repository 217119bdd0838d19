import { findPlanner, listPlanners, renderPrompt } from '../agents/planners.js';
import type { Planner } from '../agents/types.js';
import { redactorFor } from '../config/redactor.js';
import {
  applyContext,
  bringsPath,
  type ContextLineChange,
  type ContextProject,
} from '../core/context/context-file.js';
import type { Issue } from '../core/issue.js';
import { contextStepOf, hasEffect } from '../core/plan/actions.js';
import { readAction, readPlan } from '../core/plan/read.js';
import type { Action, Plan, Resource } from '../core/plan/types.js';
import { TIP_LIMITS, type TipLimits } from '../core/report/markdown.js';
import { renderMirrored } from '../core/report/mirrored.js';
import type { Run } from '../core/report/record.js';
import { isoUtc, now } from '../node/clock.js';
import { UserError } from '../node/errors.js';
import { environmentVariables } from '../node/terminal/terminal.js';
import { readPlanCopy } from '../runs/plan-copy.js';
import { findRun } from '../runs/run-list.js';
import { recordChanges } from '../runs/run-record.js';
import type { RunningTurn } from '../runs/turn-state.js';
import { openTree } from '../workspace/tree.js';
import type { Workspace } from '../workspace/workspace.js';
import { describeRefused, summarizeErrors } from './ask-plan.js';
import { mostCharacters } from './context/choose-resources.js';
import type { Sessions } from './turns/sessions.js';
import type { Turn, TurnStart } from './turns/turn.js';
import type { FullStart } from './turns/turn-changes.js';

/** `budget`: the token budget of the next turn's input. */
export function takeTurn(workspace: Workspace, sessions: Sessions, turn: Turn, budget: number): RunningTurn {
  const { session, turn: number, callers, plannedAt, madeAt } = turn.meta;
  return {
    mark: { session, turn: number, plannedAt: plannedAt ?? madeAt },
    nextTurn: {
      caller: callers.at(-1)?.agent ?? null,
      isInContext: (path) =>
        bringsPath(
          [sessions.globalContext(), sessions.sessionContext(session), turn.context].join('\n'),
          path,
          openTree(workspace.root),
        ),
      mostCharacters: mostCharacters(budget),
      isModelInformed: turn.meta.model !== null,
      refuseAgent(name) {
        const found = findPlanner(workspace, name);
        return found.status === 'found' ? undefined : found.reason;
      },
      keepPage: (url, text) =>
        explainFailure(
          () => sessions.keepPage(session, url, text),
          'It is not in the context of the next turn:',
        ),
    },
    conclude: (run, tip) =>
      explainFailure(
        () => concludeTurn(workspace, sessions, turn, run, tip),
        `The turn ${turn.folder} could not be concluded:`,
      ),
  };
}

/** Concludes a turn whose run has ended, or whose process died. */
export async function concludeTurn(
  workspace: Workspace,
  sessions: Sessions,
  turn: Turn,
  run: Run,
  tip: TipLimits = TIP_LIMITS,
): Promise<void> {
  const alongside = recordChanges(workspace, run, tip);
  const at = isoUtc(now());
  if (run.refused) {
    const feedback = describeRefused(turn.plan === turn.answer ? run.issues : run.issues.map(withoutLine));
    return sessions.reopen(turn, { run, at, reason: summarizeErrors(run.issues), feedback, alongside });
  }
  const worked = workOutNext(workspace, sessions, turn, run);
  if (!worked) throw new UserError(`${turn.folder}/plan.md is no longer the plan that was run.`);
  const { next, concluded } = worked;
  const reportText = renderMirrored(run, tip);
  await sessions.conclude(turn, { run, reportText, next, concluded, at, alongside });
}

/** Recreates the turn after a finished one. */
export async function makeNext(workspace: Workspace, sessions: Sessions, turn: Turn): Promise<Turn> {
  const { agent, callers, run } = turn.meta;
  const found = run === null ? undefined : findRun(workspace, run.id);
  const isOurs = found?.status === 'found' && found.origin === 'own';
  const worked = isOurs ? workOutNext(workspace, sessions, turn, found.run) : undefined;
  const asItWas = { agent, callers, handoff: null, context: turn.context, prompt: turn.prompt };
  return sessions.makeNext(turn, worked?.next ?? asItWas, isoUtc(now()));
}

/** The start of the next turn; undefined if the plan can no longer be read. */
function workOutNext(
  workspace: Workspace,
  sessions: Sessions,
  turn: Turn,
  run: Run,
): { next: FullStart; concluded: boolean } | undefined {
  // What was run: commands or other programs may have changed both copies since.
  const copy = readPlanCopy(workspace, run.id, turn.plan);
  const tree = openTree(workspace.root);
  const { plan } = readPlan('text' in copy ? copy.text : '', tree);
  if (plan === null) return undefined;
  const above = [sessions.globalContext(), sessions.sessionContext(turn.meta.session)];
  const { start, concluded } = startAfter(turn, plan, run, above, tree);
  const next = promptedStart(workspace, start) ?? { ...start, prompt: promptBefore(sessions, turn, start) };
  return { next, concluded };
}

/** Adds the planner's canonical name and prompt; undefined if there is no such planner. */
function promptedStart(workspace: Workspace, start: TurnStart): FullStart | undefined {
  const found = findPlanner(workspace, start.agent);
  return found.status === 'found' ? { ...start, ...promptOf(workspace, found.planner) } : undefined;
}

/** Throws `UserError` if there is no such planner. */
export function requirePrompt(workspace: Workspace, name: string): { agent: string; prompt: string } {
  const found = findPlanner(workspace, name);
  if (found.status !== 'found') throw new UserError(found.reason);
  return promptOf(workspace, found.planner);
}

function promptOf(workspace: Workspace, planner: Planner): { agent: string; prompt: string } {
  const redactor = redactorFor(null, environmentVariables());
  return { agent: planner.name, prompt: redactor.mask(renderPrompt(planner, listPlanners(workspace))) };
}

/** An agent whose file was deleted keeps its previous prompt. */
function promptBefore(sessions: Sessions, turn: Turn, { agent }: TurnStart): string {
  const caller = turn.meta.callers.at(-1);
  if (agent === turn.meta.agent || caller?.agent !== agent) return turn.prompt;
  return sessions.readTurn(turn.meta.session, caller.turn).prompt;
}

/** The line numbers of a repaired plan differ from those of the answer. */
function withoutLine({ line, column, ...issue }: Issue): Issue {
  return issue;
}

async function explainFailure(work: () => Promise<void>, before: string): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    // The run must be reported whatever the error is.
    return `${before} ${error instanceof Error ? error.message : error}`;
  }
}

export interface StartAfter {
  start: TurnStart;
  /** Whether a CONCLUDE without a caller ended the work. */
  concluded: boolean;
}

/**
 * The start of the turn after `run`. Only actions that were approved and succeeded count, as they ran.
 * `above`: the texts of the broader `*.context` files.
 */
export function startAfter(
  { meta, context }: Pick<Turn, 'meta' | 'context'>,
  plan: Plan,
  run: Run,
  above: readonly string[],
  project?: ContextProject,
): StartAfter {
  const done = doneActions(plan, run);
  const apply = (text: string, changes: readonly ContextLineChange[]) =>
    changes.length === 0 ? text : applyContext(text, changes, above, project);
  const carried = apply(context, [
    ...approvedContext(plan, run),
    ...done.flatMap((action) => contextStepOf(action, project) ?? []),
  ]);
  const { agent, callers } = meta;
  const going = (start: TurnStart, concluded = false): StartAfter => ({ start, concluded });

  const last = done.find((action) => hasEffect(action, 'hands-over'));
  if (last?.type === 'INVOKE') {
    const caller = { turn: meta.turn, agent, task: last.message, context: carried };
    return going({
      agent: last.agent,
      callers: [...callers, caller],
      handoff: null,
      context: apply('', last.handoffResources.map(added)),
    });
  }
  const caller = callers.at(-1);
  if (last?.type === 'CONCLUDE' && caller) {
    return going({
      agent: caller.agent,
      callers: callers.slice(0, -1),
      handoff: { from: agent, message: last.message },
      context: apply(caller.context, last.handoffResources.map(added)),
    });
  }
  const concluded = last?.type === 'CONCLUDE';
  return going({ agent, callers, handoff: null, context: carried }, concluded);
}

function approvedContext(plan: Plan, { stateChanges }: Run): ContextLineChange[] {
  const approved = stateChanges.some(
    ({ section, decision }) => section === 'Active Context' && decision.status === 'approved',
  );
  return approved ? plan.activeContext.map(({ op, path }) => ({ op, path })) : [];
}

/** The actions that were approved and succeeded, including the user's edits. */
function doneActions({ actions }: Plan, run: Run): Action[] {
  return actions.flatMap((action, i) => {
    const record = run.actions[i];
    if (record?.type !== action.type || record.decision.status !== 'approved') return [];
    if (record.outcome.status !== 'success') return [];
    const { ranAs } = record.outcome;
    if (ranAs === undefined) return [action];
    return readAction(ranAs).action ?? [];
  });
}

function added({ target }: Resource): ContextLineChange {
  return { op: '+', path: target };
}
