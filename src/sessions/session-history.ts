import { readPlan } from '../core/plan/read.js';
import { parseReport } from '../core/report/parse.js';
import type { Overall } from '../core/report/record.js';
import { type ActionCounts, countActions } from '../core/report/record.js';
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

/** One line of the list of sessions. Of its turns only those that can be read count; null where there is none. */
export interface SessionSummary extends SessionCost {
  name: string;
  /** The one last worked in. */
  current: boolean;
  turns: number;
  /** Of the last turn. */
  agent: string | null;
  stage: TurnStage | null;
  /** Of the last plan. */
  title: string | null;
  /** When the first and the last turn were made. */
  beganAt: string | null;
  lastAt: string | null;
  /** The line of work is over, and nothing was asked since. */
  concluded: boolean;
  /** Another teddy works in it. */
  live: boolean;
  /** What cannot be read of it: a sentence. */
  broken: string | null;
}

/** One turn of a session, in numbers and a few words. */
export type TurnSummary = { turn: string } & (TurnFacts | { broken: string });

export interface TurnFacts extends SessionCost {
  broken: null;
  agent: string;
  /** How many agents wait for this one's CONCLUDE. */
  depth: number;
  stage: TurnStage;
  /** Of its plan. */
  title: string | null;
  /** The first line of what the person said. */
  message: string | null;
  /** Whose INVOKE or CONCLUDE it begins with, and the first line of that. */
  handoff: Handoff | null;
  /** Answers that did not pass, by what became of them. */
  notPassed: Partial<Record<AttemptOutcome, number>>;
  run: string | null;
  overall: Overall | null;
  /** From its report; null where there is none that can be read. */
  counts: Omit<ActionCounts, 'total'> | null;
  undone: boolean;
  /** The files that undoing it left as they were, where it did. */
  left?: string[];
  interrupted: boolean;
  /** The line of work ended with this turn. */
  concluded: boolean;
  madeAt: string;
  plannedAt: string | null;
  executedAt: string | null;
}

/** All sessions: the one last worked in, then those whose last turn is newest. */
export async function listSessions(workspace: Workspace): Promise<SessionSummary[]> {
  const sessions = new Sessions(workspace);
  const current = sessions.current();
  return sessions
    .names()
    .map((name) => summariseSession(sessions, name, name === current))
    .sort((a, b) => Number(b.current) - Number(a.current) || compare(b.lastAt ?? '', a.lastAt ?? ''));
}

/** The turns of a session, in their order. One that cannot be read hides no other. */
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

/** What the agent was called for, in its first turn. */
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

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
