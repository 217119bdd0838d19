import { maskerFor } from '../config/redactor.js';
import { readPlan } from '../core/plan/read.js';
import { UserError } from '../node/errors.js';
import { sha256 } from '../node/ids.js';
import { environmentVariables } from '../node/terminal/terminal.js';
import { describeBudget } from '../sessions/plan-turn.js';
import { Sessions } from '../sessions/turns/sessions.js';
import { type Turn, turnId } from '../sessions/turns/turn.js';
import type { Workspace } from '../workspace/workspace.js';
import type { InboxQuestion } from './types.js';

// What sessions wait for while no process works in them: it is in their last turn, so that it survives every process.

export type SessionInboxQuestion = Extract<InboxQuestion, { kind: 'message' | 'plan' | 'budget' }>;

const PREFIX = 'session:';

/** Covers what the next message is an answer to. */
export function hashTurn({ folder, meta, plan }: Turn): string {
  return sha256(JSON.stringify([folder, meta, plan]));
}

export function listSessionQuestions(workspace: Workspace): SessionInboxQuestion[] {
  const sessions = new Sessions(workspace);
  return sessions.names().flatMap((session) => {
    const turn = readLast(sessions, session);
    return turn === undefined || sessions.isLive(session) ? [] : describe(sessions, turn);
  });
}

/** Undefined where it cannot be read: the page of the session says why. */
function readLast(sessions: Sessions, session: string): Turn | undefined {
  try {
    return sessions.lastTurn(session);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function describe(sessions: Sessions, turn: Turn): SessionInboxQuestion[] {
  const { meta, plan, stage } = turn;
  const { session, overBudget } = meta;
  const mask = maskerFor(null, environmentVariables());
  const base = {
    id: `${PREFIX}${session}`,
    hash: hashTurn(turn),
    subject: `Session ${session}`,
    session,
    turn: turnId(session, meta.turn),
  };
  if (stage === 'planned') {
    const title = mask(readPlan(plan ?? '').plan?.title ?? 'A plan without a title');
    return [{ ...base, kind: 'plan', askedAt: meta.plannedAt ?? meta.madeAt, title }];
  }
  if (overBudget !== undefined) {
    const message = describeBudget({ session, ...overBudget });
    return [
      { ...base, kind: 'budget', askedAt: overBudget.at, title: 'Continue beyond the budget?', message },
    ];
  }
  const last = stage === 'done' ? undefined : sessions.agentMessages(turn).at(-1);
  if (last === undefined || last.reply !== null) return [];
  const asked = mask(last.text);
  const title = asked.trim().split('\n', 1)[0]!;
  return [{ ...base, kind: 'message', askedAt: meta.attempts.at(-1)?.at ?? meta.madeAt, title, asked }];
}
