import type { Overall } from '../../core/report/record.js';
import { shorten } from '../../core/text.js';

/** What `meta.yaml` holds of one turn. No field ever holds a key. */
export interface TurnMeta {
  session: string;
  /** From 1. */
  turn: number;
  /** The turn before; null for the first. */
  parent: number | null;
  /** The planner whose prompt this turn has. */
  agent: string;
  /** Who waits for this agent's CONCLUDE, the outermost first. */
  callers: Caller[];
  /** What an agent that was called said when it returned to this one, in the turn before; null where none did. */
  handoff: Handoff | null;
  /** ISO 8601, as all times here. */
  madeAt: string;
  /** All that the person said in this turn; null where nothing was. */
  message: string | null;
  /** Null where the plan came by clipboard, or is still to come. */
  model: { provider: string; name: string } | null;
  /** Every answer of a model, in the order in which they came. */
  attempts: PlanAttempt[];
  plannedAt: string | null;
  /** What carried the plan out; null until then. */
  run: { id: string; overall: Overall; endedAt: string } | null;
  /** A CONCLUDE without a caller: the line of work ended with this turn. */
  concluded: boolean;
}

/** The message of the CONCLUDE that this turn begins with. */
export interface Handoff {
  /** The agent that wrote it. */
  from: string;
  message: string;
}

/** Whom a CONCLUDE returns to. */
export interface Caller {
  /** The turn that held the INVOKE. */
  turn: number;
  agent: string;
  /** The message of that INVOKE: what the agent that was called is to do. */
  task: string;
  /** The text of the `turn.context` that the caller goes on with. */
  context: string;
}

export interface PlanAttempt {
  /** `answer.md`, `answer-1.md`; null where nothing came. */
  answer: string | null;
  outcome: AttemptOutcome;
  /** A sentence; null for an answer that passed. */
  reason: string | null;
  at: string;
  /** Null where nobody counted: by clipboard. */
  tokens: Tokens | null;
  /** In US dollars; null where it is not known. */
  costUsd: number | null;
}

export type AttemptOutcome =
  | 'passed'
  /** A broken plan, or one that would fail. */
  | 'refused'
  /** Prose instead of a plan: a message that the user answers. */
  | 'message'
  /** It ended at its token limit. */
  | 'cut-off'
  /** The connection or the service failed on the way. */
  | 'broken-off'
  | 'interrupted'
  /** The person asked for another one. */
  | 'replaced';

export interface Tokens {
  input: number;
  output: number;
  /** Counted by us, since the service did not say. */
  estimated: boolean;
}

/**
 * How far a turn has come: made; its input assembled; with a plan that nobody has decided on; carried out, and from
 * then on read-only.
 */
export type TurnStage = 'made' | 'asked' | 'planned' | 'done';

/** One turn as it is on disk: `.teddy/sessions/<session>/NN`. */
export interface Turn {
  meta: TurnMeta;
  /** From the root. */
  folder: string;
  stage: TurnStage;
  /** The text of `turn.context`. */
  context: string;
  /** The text of `system_prompt.md`. */
  prompt: string;
  /** The texts of the other files; null where they are not there. */
  input: string | null;
  answer: string | null;
  plan: string | null;
  report: string | null;
}

/** What a turn begins with. */
export interface TurnStart {
  agent: string;
  callers: Caller[];
  /** Set by a CONCLUDE that returns to a caller. */
  handoff: Handoff | null;
  context: string;
}

/** From the root. */
export const SESSIONS = '.teddy/sessions';

export type NameRead =
  | { status: 'ok'; name: string }
  /** `reason` is a whole sentence. */
  | { status: 'refused'; reason: string };

const LONGEST_NAME = 60;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const TURN = /^\d{1,6}$/;

/** The name of a session is the name of its folder, on any disk. */
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

/** Names that some disks take for one. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** `3`, `03` or `auth/03`; a session of null is the one that is meant anyway. */
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

/** From the root. */
export function turnFolder(session: string, turn: number): string {
  return `${SESSIONS}/${turnId(session, turn)}`;
}

/** What answers took, as far as it is known; null where nothing is. */
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
    // Without the dust that adding fractions leaves.
    costUsd: costs.length === 0 ? null : Number(sum(costs).toPrecision(12)),
  };
}
