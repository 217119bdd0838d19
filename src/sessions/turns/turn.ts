import type { Overall } from '../../core/report/record.js';
import { shorten } from '../../core/text.js';

/** The content of `meta.yaml`. Never contains a key. */
export interface TurnMeta {
  session: string;
  /** Counts from 1. */
  turn: number;
  /** The previous turn; null for the first. */
  parent: number | null;
  /** The planner that writes this turn's plan. */
  agent: string;
  /** The agents that wait for this one's CONCLUDE, outermost first. */
  callers: Caller[];
  /** The message of a called agent that returned to this one in the previous turn; null if there is none. */
  handoff: Handoff | null;
  /** ISO 8601, like all times here. */
  madeAt: string;
  /** All messages of the user in this turn; null if there are none. */
  message: string | null;
  /** Null for a plan from the clipboard, and before the first answer. */
  model: { provider: string; name: string } | null;
  /** All answers, in order. */
  attempts: PlanAttempt[];
  plannedAt: string | null;
  /** The run of the plan; null before it ran. */
  run: { id: string; overall: Overall; endedAt: string } | null;
  /** Whether a CONCLUDE without a caller ended the work. */
  concluded: boolean;
  /** The model was not asked, because of the budget and because nobody could allow more. */
  overBudget?: OverBudget;
}

/** Amounts in US dollars; `nextUsd` is the most that the next question may cost. */
export interface OverBudget {
  at: string;
  spentUsd: number;
  nextUsd: number;
  budgetUsd: number;
}

/** The CONCLUDE message that returned to this turn's agent. */
export interface Handoff {
  /** The agent that wrote it. */
  from: string;
  message: string;
}

/** The agent that a CONCLUDE returns to. */
export interface Caller {
  /** The turn of the INVOKE. */
  turn: number;
  agent: string;
  /** The message of the INVOKE. */
  task: string;
  /** The caller's `turn.context`, restored when it continues. */
  context: string;
}

export interface PlanAttempt {
  /** `answer.md`, `answer-1.md`; null if nothing arrived. */
  answer: string | null;
  outcome: AttemptOutcome;
  /** A sentence; null if the answer passed. */
  reason: string | null;
  at: string;
  /** Null if unknown, for example for a plan from the clipboard. */
  tokens: Tokens | null;
  /** Null if unknown. */
  costUsd: number | null;
}

export type AttemptOutcome =
  | 'passed'
  /** Not a valid plan, or one that would fail. */
  | 'refused'
  /** Prose instead of a plan, to which the user replies. */
  | 'message'
  /** It reached the token limit. */
  | 'cut-off'
  /** The connection or the service failed midway. */
  | 'broken-off'
  | 'interrupted'
  /** The user asked for another plan. */
  | 'replaced';

export interface Tokens {
  input: number;
  output: number;
  /** Estimated by teddy, because the service did not report it. */
  estimated: boolean;
}

/**
 * made: no input yet; asked: input assembled; planned: plan not decided yet; done: run, and read-only from
 * then on.
 */
export type TurnStage = 'made' | 'asked' | 'planned' | 'done';

/** One turn on disk: `.teddy/sessions/<session>/NN`. */
export interface Turn {
  meta: TurnMeta;
  /** Relative to the root. */
  folder: string;
  stage: TurnStage;
  /** The text of `turn.context`. */
  context: string;
  /** The text of `system_prompt.md`. */
  prompt: string;
  /** The texts of the other files; null if they do not exist. */
  input: string | null;
  answer: string | null;
  plan: string | null;
  report: string | null;
}

/** The initial state of a turn. */
export interface TurnStart {
  agent: string;
  callers: Caller[];
  /** Set if a CONCLUDE returned to this agent. */
  handoff: Handoff | null;
  context: string;
}

/** Relative to the root. */
export const SESSIONS = '.teddy/sessions';

export type NameRead =
  | { status: 'ok'; name: string }
  /** `reason` is a sentence. */
  | { status: 'refused'; reason: string };

const LONGEST_NAME = 60;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const TURN = /^\d{1,6}$/;

/** Session names are folder names, so they must be valid on every file system. */
export function readSessionName(text: string): NameRead {
  const refuse = (why: string): NameRead => ({
    status: 'refused',
    reason: `${quote(text)} is not a name for a session: ${why}.`,
  });
  if (text.length > LONGEST_NAME) return refuse(`it is longer than ${LONGEST_NAME} characters`);
  if (!NAME.test(text))
    return refuse('use letters, digits, ".", "_" and "-", and start with a letter or a digit');
  if (text.endsWith('.')) return refuse('it ends in "."');
  return { status: 'ok', name: text };
}

function quote(text: string): string {
  return JSON.stringify(shorten(text, LONGEST_NAME));
}

/** Whether a case-insensitive file system would confuse two names. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** `3`, `03` or `auth/03`; `session` is null for a bare number. */
export function readTurnRef(text: string): { session: string | null; turn: number } | undefined {
  const slash = text.lastIndexOf('/');
  const session = slash === -1 ? null : text.slice(0, slash);
  const number = text.slice(slash + 1);
  if (session !== null && readSessionName(session).status === 'refused') return undefined;
  const turn = TURN.test(number) ? Number(number) : 0;
  return turn > 0 ? { session, turn } : undefined;
}

/** `03`, `100` */
export function turnName(turn: number): string {
  return String(turn).padStart(2, '0');
}

/** `auth/03` */
export function turnId(session: string, turn: number): string {
  return `${session}/${turnName(turn)}`;
}

/** Relative to the root. */
export function turnFolder(session: string, turn: number): string {
  return `${SESSIONS}/${turnId(session, turn)}`;
}

/** Sums of the known values; null if none is known. */
export interface SessionCost {
  tokens: Tokens | null;
  costUsd: number | null;
}

export function sumUp(attempts: readonly PlanAttempt[]): SessionCost {
  const counted = attempts.flatMap(({ tokens }) => tokens ?? []);
  const costs = attempts.flatMap(({ costUsd }) => costUsd ?? []);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  return {
    tokens:
      counted.length === 0
        ? null
        : {
            input: sum(counted.map(({ input }) => input)),
            output: sum(counted.map(({ output }) => output)),
            estimated: counted.some(({ estimated }) => estimated),
          },
    // Rounds off floating-point errors.
    costUsd: costs.length === 0 ? null : Number(sum(costs).toPrecision(12)),
  };
}
