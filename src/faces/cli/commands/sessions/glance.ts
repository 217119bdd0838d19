import { UserError } from '../../../../node/user-error.js';
import { openSessions } from '../../../../sessions/turns/sessions.js';
import type { TurnStage } from '../../../../sessions/turns/types.js';
import { findProject } from '../../open-project.js';
import type { GlobalOptions } from '../../options.js';

/** Where the session last worked in is. */
export interface SessionGlance {
  session: string;
  turn: number;
  agent: string;
  stage: TurnStage;
}

/** Null where there is none, or it cannot be read. */
export async function glanceAtSession(options: GlobalOptions): Promise<SessionGlance | null> {
  try {
    const sessions = await openSessions(findProject(options).workspace);
    const session = sessions.current();
    if (session === undefined) return null;
    const { meta, stage } = sessions.lastTurn(session);
    return { session, turn: meta.turn, agent: meta.agent, stage };
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}
