import { UserError } from '../../../../node/errors.js';
import { environmentVariables, onSignals, writeOutput } from '../../../../node/terminal/terminal.js';
import type { Interrupts } from '../../../../runs/interrupts.js';
import {
  type BudgetReached,
  describeBudget,
  type PlanEvent,
  type PlanTurnEnd,
  planTurn,
} from '../../../../sessions/plan-turn.js';
import type { Turn } from '../../../../sessions/turns/turn.js';
import { openTree } from '../../../../workspace/tree.js';
import { SESSION, TeddyCommand } from '../../command.js';
import { planIssueText } from '../../issue-lines.js';
import { type GlobalOptions, issueJson, paintFor, resultJson, visible, visibleLine } from '../../output.js';
import { plural } from '../../words.js';
import { accountJson } from './context.js';
import { PlanNarrator } from './plan-narrator.js';
import { openProjectSessions, requireMessage, type SessionAtWork, workInSession } from './session-turn.js';

export interface PlanOptions extends GlobalOptions {
  message?: string;
  session?: string;
  agent?: string;
  model?: string;
  budget?: string;
}

export const planCommand = new TeddyCommand('plan')
  .description('ask the configured model for the next plan; invalid plans go back automatically')
  .option('-m, --message <text>', 'what you want')
  .option('--session <name>', SESSION)
  .option('--agent <name>', 'continue with another planner')
  .option('--model <name>', 'use another model than the configured one')
  .option('--budget <usd>', 'the most that the session may cost')
  .run(plan)
  .helpText(`Examples:
  teddy plan -m "Lock accounts after five wrong passwords."
  teddy plan                        continue from the last report
  teddy plan -m "Smaller steps." --session login --budget 0.50
  teddy resume                      then review the plan

Nothing is run. Every answer is kept. An invalid plan goes back to the model
with its errors, at most replan.limit times. If the agent answers with a
message instead of a plan, reply with teddy plan -m.

Exit codes: 0 there is a plan, 1 no usable plan, a message, or the budget is
reached, 2 the model cannot be asked, 130 interrupted.`);

export async function plan(options: PlanOptions): Promise<number> {
  requireMessage(options);
  return workInSession(options.session, await openProjectSessions(options), (at) => {
    requireSomething(at.turn, options);
    return planInSession(at, options.message ?? null, options);
  });
}

/** The first question of a session needs a message. */
function requireSomething({ meta }: Turn, { message }: PlanOptions): void {
  if (message === undefined && meta.message === null && meta.parent === null)
    throw new UserError(`Session ${meta.session} has no message yet. Say what you want with -m.`);
}

/** Asks the model for the plan of a turn and reports the result. The caller holds the session's lock. */
export async function planInSession(
  at: SessionAtWork,
  message: string | null,
  options: PlanOptions,
): Promise<number> {
  const narrator = new PlanNarrator(options);
  let account: ReturnType<typeof accountJson> | undefined;
  const end = await askModel(at, message, options, {
    interrupts: onSignals,
    mayPassBudget: (reached) => askBeyondBudget(reached, at.project.root, options),
    emit(event) {
      if (event.kind === 'assembled') account = accountJson(event.input);
      narrator.show(event);
    },
  });
  narrator.end();
  if (options.json) writeOutput(resultJson(at.project.root, { ...endJson(end), input: account }));
  else {
    if (end.status === 'planned') writeOutput(`${visibleLine(end.turn.folder)}/plan.md\n`);
    const lines = [...describePlanEnd(end, options), ...describeNext(end)];
    if (lines.length > 0) narrator.print(lines.join('\n'));
  }
  return { planned: 0, refused: 1, message: 1, 'over-budget': 1, failed: 2, interrupted: 130 }[end.status];
}

/** Undefined without a terminal; the turn then stops and says why. */
export async function askBeyondBudget(
  reached: BudgetReached,
  root: string,
  options: GlobalOptions,
): Promise<boolean | undefined> {
  const { confirm } = await import('../../review/terminal-review.js');
  const about = `${describeBudget(reached)} What you have so far is saved.`;
  const question = { root, title: 'Continue beyond the budget?', about, texts: [] };
  const answer = await confirm({ ...question, yes: 'continue this turn', no: 'stop here' }, options);
  return answer === 'no-terminal' ? undefined : answer === 'yes';
}

interface AskingFace {
  interrupts: Interrupts;
  mayPassBudget(reached: BudgetReached): Promise<boolean | undefined>;
  emit(event: PlanEvent): void;
}

export function askModel(
  { project, sessions, turn }: SessionAtWork,
  message: string | null,
  options: PlanOptions,
  { interrupts, mayPassBudget, emit }: AskingFace,
): Promise<PlanTurnEnd> {
  return planTurn({
    workspace: project.workspace,
    tree: openTree(project.root),
    config: project.config,
    sessions,
    turn,
    message,
    agent: options.agent ?? null,
    model: readModel(options.model),
    budgetUsd: readBudget(options.budget),
    mayPassBudget,
    environment: environmentVariables(),
    interrupts,
    emit,
  });
}

/** An unset variable in a script arrives as an empty string. */
function readModel(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!/\S/.test(text)) throw new UserError('--model is empty. Give the name of a model.');
  return text.trim();
}

function readBudget(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,9}(?:\.\d{1,6})?$/.test(text))
    throw new UserError(`--budget ${JSON.stringify(text)} is not an amount. Write US dollars, such as 0.50.`);
  return Number(text);
}

function endJson(end: PlanTurnEnd) {
  const { meta, folder } = end.turn;
  const { session, turn, agent, attempts } = meta;
  const plan = end.status === 'planned' ? `${folder}/plan.md` : null;
  const issues = 'issues' in end ? end.issues.map(issueJson) : [];
  const reason = 'reason' in end ? end.reason : null;
  const message = end.status === 'message' ? end.text : null;
  return { status: end.status, session, turn, agent, plan, reason, message, issues, attempts };
}

/** The result for the user: the plan's issues, then a sentence. */
export function describePlanEnd(end: PlanTurnEnd, options: GlobalOptions): string[] {
  const paint = paintFor('stderr', options);
  const issues = 'issues' in end ? end.issues.map((issue) => planIssueText(issue, null, paint)) : [];
  switch (end.status) {
    case 'planned': {
      const willFail = issues.length > 0 && end.issues.some(({ severity }) => severity === 'error');
      const warning = paint('yellow', 'Parts of this plan will fail, and the model has no attempts left.');
      return [...issues, ...(willFail ? [warning] : [])];
    }
    case 'message':
      return [visible(end.text.trimEnd())];
    case 'refused': {
      const { attempts } = end.turn.meta;
      const count = plural(attempts.filter(({ answer }) => answer !== null).length, 'answer');
      const where = `They are in ${visibleLine(end.turn.folder)}.`;
      return [...issues, `${paint('red', `No usable plan after ${count}.`)} ${where}`];
    }
    case 'interrupted': {
      const last = end.turn.meta.attempts.at(-1);
      // What was received is saved, and a line above says where.
      if (last?.outcome === 'interrupted' && last.answer !== null) return [];
      return [paint('yellow', 'Stopped before an answer arrived.')];
    }
    default:
      return [`${paint('red', 'No plan.')} ${visible(end.reason)}`];
  }
}

function describeNext({ status }: PlanTurnEnd): string[] {
  if (status === 'planned') return ['Next: review the plan with teddy resume.'];
  if (status === 'message') return ['Next: reply with teddy plan -m "…", or continue in teddy chat.'];
  return status === 'over-budget' ? [] : ['Next: teddy plan asks again.'];
}
