import { openLastTurn } from '../../../../sessions/sessions.js';
import { openSessions, type Sessions } from '../../../../sessions/turns/sessions.js';
import type { Turn } from '../../../../sessions/turns/turn.js';
import type { GlobalOptions } from '../../output.js';
import { endDeadRuns, openTrusted, type TrustedProject, trustAgents } from '../../project.js';

/** A session that this process works in, at its last turn. */
export interface SessionAtWork {
  project: TrustedProject;
  sessions: Sessions;
  session: string;
  turn: Turn;
}

export type Opened = Pick<SessionAtWork, 'project' | 'sessions'> & {
  /** Ends what a process left that died in the meantime. */
  endDead(): Promise<void>;
};

export async function openProjectSessions(options: GlobalOptions): Promise<Opened> {
  const project = await openTrusted(options);
  await trustAgents(project, options);
  const sessions = await openSessions(project.workspace);
  return { project, sessions, endDead: () => endDeadRuns(project, options) };
}

/** Does something in a session while nobody else can. `named` undefined: in the one last worked in. */
export async function workInSession<T>(
  named: string | undefined,
  { project, sessions, endDead }: Opened,
  work: (at: SessionAtWork) => Promise<T>,
): Promise<T> {
  const session = sessions.choose(named);
  const held = sessions.hold(session);
  try {
    // Whoever held it until now may have died with a plan half carried out.
    await endDead();
    const turn = await openLastTurn(project.workspace, sessions, session);
    await sessions.useSession(session);
    return await work({ project, sessions, session, turn });
  } finally {
    held.release();
  }
}
