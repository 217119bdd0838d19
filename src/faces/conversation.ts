import type { Config, Policy } from '../config/types.js';
import type { Run } from '../core/report/record.js';
import { UserError } from '../node/errors.js';
import { environmentVariables } from '../node/terminal/terminal.js';
import { interruptsOf } from '../runs/interrupts.js';
import {
  type BudgetReached,
  type PlanEvent,
  type PlanTurnEnd,
  planTurn,
  requireModel,
} from '../sessions/plan-turn.js';
import { endsInReply, executeTurn, openLastTurn } from '../sessions/sessions.js';
import type { Sessions } from '../sessions/turns/sessions.js';
import type { Turn } from '../sessions/turns/turn.js';
import { openTree } from '../workspace/tree.js';
import type { Workspace } from '../workspace/workspace.js';
import { openReview, type ReviewFace } from './open-review.js';

// A session outside a terminal, as `teddy chat` has it: message, plan, review, result.

/** The caller holds the lock of the session. */
export interface SessionConversation {
  workspace: Workspace;
  sessions: Sessions;
  config: Config;
  policy: Policy;
  turn: Turn;
  interrupt: AbortController;
}

export interface ConversationFace {
  emit(event: PlanEvent): void;
  mayPassBudget(reached: BudgetReached): Promise<boolean | undefined>;
  review: ReviewFace;
  /** A question to the model is over, whatever came. */
  onPlanned?(end: PlanTurnEnd | undefined): void;
}

export type ConversationEnd =
  | Exclude<PlanTurnEnd, { status: 'planned' }>
  /** The plan was run, or its review was left. */
  | { status: 'reviewed'; run: Run };

/** Asks for a plan, or reviews the one that waits. A reply in its review goes to the model at once. */
export async function converse(
  start: SessionConversation,
  first: 'ask' | 'review',
  message: string | null,
  face: ConversationFace,
): Promise<ConversationEnd> {
  let at = start;
  for (let next = first, said = message; ; next = 'ask', said = null) {
    if (next === 'ask') {
      const end = await askForTurn(at, said, face);
      if (end.status !== 'planned') return end;
      at = { ...at, turn: end.turn };
    }
    const { workspace, sessions, config, turn, interrupt } = at;
    const run = await executeTurn(sessions, turn, await openReview(at, face.review), config.context.budget);
    if (interrupt.signal.aborted || !endsInReply(run)) return { status: 'reviewed', run };
    at = { ...at, turn: await openLastTurn(workspace, sessions, turn.meta.session) };
  }
}

async function askForTurn(
  { workspace, sessions, config, turn, interrupt }: SessionConversation,
  message: string | null,
  { emit, mayPassBudget, onPlanned }: ConversationFace,
): Promise<PlanTurnEnd> {
  let end: PlanTurnEnd | undefined;
  try {
    end = await planTurn({
      workspace,
      tree: openTree(workspace.root),
      config,
      sessions,
      turn,
      message,
      agent: null,
      model: null,
      budgetUsd: null,
      mayPassBudget,
      environment: environmentVariables(),
      interrupts: interruptsOf(interrupt.signal),
      emit,
    });
    return end;
  } finally {
    onPlanned?.(end);
  }
}

export function hasModel(config: Config): boolean {
  try {
    requireModel(config, environmentVariables());
    return true;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}

/** Why there is no plan; null where the agent's own message says it, or the inbox asks. */
export function explainNoPlan(end: Exclude<PlanTurnEnd, { status: 'planned' }>): string | null {
  switch (end.status) {
    case 'message':
      return null;
    case 'over-budget':
      return end.turn.meta.overBudget === undefined ? `No plan: ${end.reason}` : null;
    case 'refused':
      return `No usable plan: the answers are in ${end.turn.folder}.`;
    case 'interrupted':
      return 'Stopped. Everything received so far is kept.';
    default:
      return `No plan. ${end.reason}`;
  }
}
