import { DEFAULT_PLANNER } from '../agents/planners.js';
import { readPlan, repairPlan } from '../core/plan/read.js';
import type { Run } from '../core/report/record.js';
import { isoUtc, now } from '../node/clock.js';
import { UserError } from '../node/errors.js';
import { type ExecuteOptions, executePlan } from '../runs/execute-plan.js';
import type { Progress } from '../runs/progress.js';
import { runOf } from '../runs/run-list.js';
import { isUndecided } from '../runs/run-record.js';
import type { Workspace } from '../workspace/workspace.js';
import { countTokens } from './context/input-parts.js';
import { concludeTurn, makeNext, requirePrompt, takeTurn } from './running-turn.js';
import type { Sessions } from './turns/sessions.js';
import { isSameName, type Turn, type TurnMeta, turnName } from './turns/turn.js';

/** Creates a session with its first turn. Throws `UserError` if the name is taken or the planner unknown. */
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

/** A default name: the first words of the message, otherwise the date. */
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
 * Returns the session's open turn after repairs: concludes a turn whose run is finished, saves the draft of a
 * killed process, recreates a lost next turn. The caller holds the session's lock.
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
  // The request was sent and must be paid for.
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
 * Saves a plan that was not written by `planTurn` as the plan of a turn; undefined if the text is not a plan.
 * The caller has masked known secrets.
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

/** Locks a session while `work` runs with its open turn. `recover`: ends the runs of processes that died. */
export async function inSession<T>(
  workspace: Workspace,
  sessions: Sessions,
  session: string,
  recover: () => Promise<void>,
  work: (turn: Turn) => Promise<T>,
): Promise<T> {
  const held = sessions.hold(session);
  try {
    // The previous holder may have died during a run.
    await recover();
    return await work(await openLastTurn(workspace, sessions, session));
  } finally {
    held.release();
  }
}

/** What an empty message does in a conversation: review the plan, let the agent continue, or nothing. */
export function meaningOfEmpty(sessions: Sessions, turn: Turn): 'review' | 'ask' | 'none' {
  if (turn.stage === 'planned') return 'review';
  if (sessions.agentMessages(turn).at(-1)?.reply === null) return 'none';
  return turn.meta.parent !== null || turn.meta.message !== null ? 'ask' : 'none';
}

/** Whether the last action was a message that the user has replied to. */
export function endsInReply({ actions }: Run): boolean {
  const last = actions.findLast(({ outcome }) => outcome.status !== 'not-run');
  return last?.type === 'CHAT_WITH_USER' && last === actions.at(-1) && last.outcome.status === 'success';
}

/** Reviews and runs the plan of a turn, and creates the next turn. */
export async function executeTurn(
  sessions: Sessions,
  turn: Turn,
  options: Omit<ExecuteOptions, 'path' | 'turn'>,
  /** The token budget of the next turn's input. */
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
 * The finished run of a turn's plan, except one that was refused or left undecided. Reads the journal, which
 * only this user's teddy can write.
 */
function findRunOfTurn(workspace: Workspace, meta: TurnMeta): Run | undefined {
  for (const id of workspace.runs().reverse()) {
    const begun = (workspace.runNotes(id).progress as Progress[]).find(({ kind }) => kind === 'begun');
    if (begun?.kind !== 'begun' || begun.turn?.session !== meta.session) continue;
    // Turns run in order, so older runs belong to earlier turns.
    if (begun.turn.turn !== meta.turn) return undefined;
    const read = runOf(workspace, id);
    if (read?.origin !== 'own' || read.run.refused || isUndecided(read.run)) continue;
    if (isSamePlan(begun, meta)) return read.run;
  }
  return undefined;
}

/** A turn may have been planned again, so the plan's time must match. */
function isSamePlan({ run, turn }: Extract<Progress, { kind: 'begun' }>, meta: TurnMeta): boolean {
  const plannedAt = Date.parse(meta.plannedAt ?? meta.madeAt);
  // Older versions did not record it.
  if (turn?.plannedAt === undefined) return Date.parse(run.startedAt) >= plannedAt;
  return Date.parse(turn.plannedAt) === plannedAt;
}
