import { DEFAULT_PLANNER } from '../agents/planners.js';
import { readPlan } from '../core/plan/read.js';
import { repairPlan } from '../core/plan/repair/repair.js';
import type { Run } from '../core/report/record.js';
import { isoUtc, now } from '../node/clock.js';
import { UserError } from '../node/errors.js';
import { type ExecuteOptions, executePlan } from '../runs/execute-plan.js';
import type { Progress } from '../runs/progress.js';
import { runOf } from '../runs/run-list.js';
import { isUndecided } from '../runs/run-record.js';
import type { Workspace } from '../workspace/workspace.js';
import { countTokens } from './context/input-parts.js';
import { concludeTurn, makeNext, requirePrompt, takeTurn } from './turn-in-hand.js';
import type { Sessions } from './turns/sessions.js';
import { isSameName, type Turn, type TurnMeta, turnName } from './turns/turn.js';

/** Begins a session with its first turn. Throws `UserError` where there is one of that name, or no such planner. */
export async function newSession(
  workspace: Workspace,
  sessions: Sessions,
  name: string,
  agent: string = DEFAULT_PLANNER,
): Promise<Turn> {
  const start = { ...requirePrompt(workspace, agent), callers: [], handoff: null, context: '' };
  return sessions.create(name, start, isoUtc(now()));
}

const LONGEST_SUGGESTION = 30;

/** A name for a session without one: the first words of its message, else the date. */
export function suggestSessionName(message: string | undefined, taken: readonly string[]): string {
  const words = (message ?? '').toLowerCase().match(/[a-z0-9]+/g) ?? [];
  let name = '';
  for (const word of words) {
    const longer = name === '' ? word : `${name}-${word}`;
    if (longer.length > LONGEST_SUGGESTION) break;
    name = longer;
  }
  const base = name === '' ? `chat-${isoUtc(now()).slice(0, 10)}` : name;
  let suggestion = base;
  for (let n = 2; taken.some((each) => isSameName(each, suggestion)); n++) suggestion = `${base}-${n}`;
  return suggestion;
}

/**
 * The turn that the session is at, which is open. A run of it that is over, and could not conclude it then, concludes it
 * now; what a killed process had of an answer is kept as one; and where the turn behind the last report is gone, it is
 * made again. The caller holds the session.
 */
export async function openLastTurn(workspace: Workspace, sessions: Sessions, session: string): Promise<Turn> {
  const last = sessions.lastTurn(session);
  if (last.stage === 'done') return makeNext(workspace, sessions, last);
  const turn = await keepLeftDraft(sessions, last);
  const run = turn.stage === 'planned' ? findRunOfTurn(workspace, turn.meta) : undefined;
  if (!run) return turn;
  await concludeTurn(workspace, sessions, turn, run);
  return sessions.lastTurn(session);
}

async function keepLeftDraft(sessions: Sessions, turn: Turn): Promise<Turn> {
  const left = sessions.leftDraft(turn);
  if (left === undefined) return turn;
  const at = isoUtc(now());
  // It was asked, and has to be paid for.
  const input = countTokens(turn.prompt) + countTokens(turn.input ?? '');
  const tokens = { input, output: countTokens(left), estimated: true };
  const reason = 'The process that asked ended before the answer did.';
  return sessions.keepAnswer(turn, {
    text: left === '' ? null : left,
    attempt: { outcome: 'interrupted', reason, at, tokens, costUsd: null },
    model: turn.meta.model,
    feedback: null,
    at,
    plan: null,
  });
}

/**
 * Makes a plan that came another way than through `planTurn` the plan of a turn. Undefined where the text is no plan at
 * all: whatever it is, it is no part of the session. Known secrets in the text are masked by now.
 */
export async function bringPlan(sessions: Sessions, turn: Turn, text: string): Promise<Turn | undefined> {
  if (readPlan(text).plan === null) return undefined;
  const at = isoUtc(now());
  return sessions.keepAnswer(turn, {
    text,
    attempt: { outcome: 'passed', reason: null, at, tokens: null, costUsd: null },
    model: null,
    feedback: null,
    at,
    plan: repairPlan(text).text,
  });
}

/** Decides on and carries out the plan of a turn, and makes the next one. */
export async function executeTurn(
  sessions: Sessions,
  turn: Turn,
  options: Omit<ExecuteOptions, 'path' | 'turn'>,
  /** How many tokens the next turn can show. */
  budget: number,
): Promise<Run> {
  if (turn.plan === null) throw new UserError(`Turn ${turnName(turn.meta.turn)} has no plan yet.`);
  return executePlan(turn.plan, {
    ...options,
    path: `${turn.folder}/plan.md`,
    turn: takeTurn(options.workspace, sessions, turn, budget),
  });
}

/**
 * The run that carried out the plan of a turn and is over; not one that was refused or left, which did nothing. What a run
 * was of stands in its journal, which only this user's teddy can have written.
 */
function findRunOfTurn(workspace: Workspace, meta: TurnMeta): Run | undefined {
  for (const id of workspace.runs().reverse()) {
    const begun = (workspace.runNotes(id).progress as Progress[]).find(({ kind }) => kind === 'begun');
    if (begun?.kind !== 'begun' || begun.turn?.session !== meta.session) continue;
    // A session goes from turn to turn: before this one's runs there are only those of others.
    if (begun.turn.turn !== meta.turn) return undefined;
    const read = runOf(workspace, id);
    if (read?.origin !== 'own' || read.run.refused || isUndecided(read.run)) continue;
    if (isSamePlan(begun, meta)) return read.run;
  }
  return undefined;
}

/** A turn may have been planned again since: it is the same only where its plan came at the same time. */
function isSamePlan({ run, turn }: Extract<Progress, { kind: 'begun' }>, meta: TurnMeta): boolean {
  const plannedAt = Date.parse(meta.plannedAt ?? meta.madeAt);
  // Older versions did not note it.
  if (turn?.plannedAt === undefined) return Date.parse(run.startedAt) >= plannedAt;
  return Date.parse(turn.plannedAt) === plannedAt;
}
