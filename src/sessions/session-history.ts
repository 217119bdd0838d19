import { readPlan } from '../core/plan/read.js';
import { parseReport } from '../core/report/parse.js';
import type { Overall } from '../core/report/record.js';
import { type ActionCounts, countActions } from '../core/report/record.js';
import { compareText } from '../core/text.js';
import { UserError } from '../node/errors.js';
import type { Undone } from '../workspace/runs/undone-mark.js';
import type { Workspace } from '../workspace/workspace.js';
import { Sessions } from './turns/sessions.js';
import {
  type AttemptOutcome,
  type Handoff,
  type SessionCost,
  sumUp,
  type Turn,
  type TurnStage,
  turnId,
} from './turns/turn.js';

/** One row of the list of sessions. Counts only readable turns; null if there are none. */
export interface SessionSummary extends SessionCost {
  name: string;
  /** Whether it is the last used session. */
  current: boolean;
  turns: number;
  /** The agent of the last turn. */
  agent: string | null;
  stage: TurnStage | null;
  /** The title of the last plan. */
  title: string | null;
  /** When the first and the last turn were created. */
  beganAt: string | null;
  lastAt: string | null;
  /** The agent has concluded, and no message followed. */
  concluded: boolean;
  /** Another teddy process is working in it. */
  live: boolean;
  /** A sentence on the parts that cannot be read. */
  broken: string | null;
}

export type TurnSummary = { turn: string } & (TurnFacts | { broken: string });

export interface TurnFacts extends SessionCost {
  broken: null;
  agent: string;
  /** How many agents wait for this one's CONCLUDE. */
  depth: number;
  stage: TurnStage;
  title: string | null;
  /** The first line of the user's message. */
  message: string | null;
  /** The agent whose INVOKE or CONCLUDE started the turn, and the first line of its message. */
  handoff: Handoff | null;
  /** The number of rejected answers for each outcome. */
  notPassed: Partial<Record<AttemptOutcome, number>>;
  run: string | null;
  overall: Overall | null;
  /** From the report; null if it is missing or unreadable. */
  counts: Omit<ActionCounts, 'total'> | null;
  undone: boolean;
  /** Files that undo left as they were; absent if there are none. */
  left?: string[];
  interrupted: boolean;
  /** A CONCLUDE ended the session's work in this turn. */
  concluded: boolean;
  madeAt: string;
  plannedAt: string | null;
  executedAt: string | null;
}

/** The last used session first, then the others, newest first. */
export async function listSessions(workspace: Workspace): Promise<SessionSummary[]> {
  const sessions = new Sessions(workspace);
  const current = sessions.current();
  return sessions
    .names()
    .map((name) => summariseSession(sessions, name, name === current))
    .sort((a, b) => Number(b.current) - Number(a.current) || compareText(b.lastAt ?? '', a.lastAt ?? ''));
}

/** The turns of a session in order. An unreadable turn does not hide the others. */
export async function turnHistory(workspace: Workspace, session: string): Promise<TurnSummary[]> {
  const sessions = new Sessions(workspace);
  const undoneOf = (run: string) => workspace.readUndone(run);
  return sessions.turns(session).map((number) => {
    const turn = turnId(session, number);
    const read = tryRead(() => sessions.readTurn(session, number));
    return read.status === 'broken'
      ? { turn, broken: read.reason }
      : { turn, ...factsOf(read.value, undoneOf) };
  });
}

function summariseSession(sessions: Sessions, name: string, current: boolean): SessionSummary {
  const found = tryRead(() => sessions.turns(name));
  const numbers = found.status === 'read' ? found.value : [];
  const reads = numbers.map((number) => tryRead(() => sessions.readTurn(name, number)));
  const turns = reads.flatMap((read) => (read.status === 'read' ? [read.value] : []));
  const broken = [found, ...reads].flatMap((read) => (read.status === 'broken' ? [read.reason] : []));
  const last = turns.at(-1);
  const lastRun = turns.findLast(({ meta }) => meta.run !== null);
  const live = tryRead(() => sessions.isLive(name));
  return {
    name,
    current,
    turns: numbers.length,
    agent: last?.meta.agent ?? null,
    stage: last?.stage ?? null,
    title: titleOf(turns.findLast(({ plan }) => plan !== null)),
    beganAt: turns[0]?.meta.madeAt ?? null,
    lastAt: last?.meta.madeAt ?? null,
    ...sumUp(turns.flatMap(({ meta }) => meta.attempts)),
    concluded: lastRun?.meta.concluded === true && (last === lastRun || last?.stage === 'made'),
    live: live.status === 'read' && live.value,
    broken: describeBroken(broken),
  };
}

function describeBroken(reasons: readonly string[]): string | null {
  if (reasons.length === 0) return null;
  return reasons.length === 1 ? reasons[0]! : `${reasons[0]} (And ${reasons.length - 1} more like it.)`;
}

function factsOf(turn: Turn, undoneOf: (run: string) => Undone | undefined): TurnFacts {
  const { agent, callers, message, handoff, attempts, run, concluded, madeAt, plannedAt } = turn.meta;
  const undone = run === null ? undefined : undoneOf(run.id);
  return {
    broken: null,
    agent,
    depth: callers.length,
    stage: turn.stage,
    title: titleOf(turn),
    message: message === null ? null : firstLine(message),
    handoff: shortened(handoff ?? taskOf(turn.meta)),
    notPassed: countOutcomes(attempts.flatMap(({ answer, outcome }) => (answer === null ? [] : [outcome]))),
    ...sumUp(attempts),
    run: run?.id ?? null,
    overall: run?.overall ?? null,
    ...readOutcome(turn.report),
    undone: undone !== undefined,
    ...(undone && undone.left.length > 0 ? { left: undone.left } : {}),
    concluded,
    madeAt,
    plannedAt,
    executedAt: run?.endedAt ?? null,
  };
}

/** The task of a called agent, in its first turn only. */
function taskOf({ callers, parent }: Turn['meta']): Handoff | null {
  const caller = callers.at(-1);
  return caller && caller.turn === parent ? { from: caller.agent, message: caller.task } : null;
}

function shortened(handoff: Handoff | null): Handoff | null {
  return handoff && { from: handoff.from, message: firstLine(handoff.message) };
}

function readOutcome(report: string | null): Pick<TurnFacts, 'counts' | 'interrupted'> {
  const read = parseReport(report ?? '');
  if (read.status === 'refused') return { counts: null, interrupted: false };
  const { approved, skipped, succeeded, failed } = countActions(read.actions);
  return { counts: { approved, skipped, succeeded, failed }, interrupted: read.interrupted !== null };
}

function titleOf(turn: Turn | undefined): string | null {
  if (turn === undefined || turn.plan === null) return null;
  return readPlan(turn.plan).plan?.title || null;
}

function countOutcomes(outcomes: readonly AttemptOutcome[]): TurnFacts['notPassed'] {
  const counts: TurnFacts['notPassed'] = {};
  for (const outcome of outcomes) if (outcome !== 'passed') counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

function firstLine(text: string): string {
  return text.trim().split(/\r?\n/, 1)[0]!.trimEnd();
}

type Read<T> = { status: 'read'; value: T } | { status: 'broken'; reason: string };

function tryRead<T>(read: () => T): Read<T> {
  try {
    return { status: 'read', value: read() };
  } catch (error) {
    if (error instanceof UserError) return { status: 'broken', reason: error.message };
    throw error;
  }
}
