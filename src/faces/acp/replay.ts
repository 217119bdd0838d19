import type { EditorUpdate } from '../../core/acp/agent-messages.js';
import { shortenCounted } from '../../core/text.js';
import { UserError } from '../../node/errors.js';
import { inSession, meaningOfEmpty } from '../../sessions/sessions.js';
import { Sessions } from '../../sessions/turns/sessions.js';
import type { Turn } from '../../sessions/turns/turn.js';
import type { Workspace } from '../../workspace/workspace.js';
import { visible } from '../cli/output.js';
import { CHANGES_WAIT, nextOfAgent } from './agent-conversation.js';
import { recoverDead, WAITING } from './editor-session.js';

const LONGEST_REPORT = 20_000;

/** Shows a session that is loaded, and what it waits for. What a killed process left is put in order first. */
export async function replaySession(
  workspace: Workspace,
  session: string,
  hasAgent: boolean,
  show: (update: EditorUpdate) => void,
): Promise<void> {
  const sessions = new Sessions(workspace);
  const problem = await repair(workspace, sessions, session);
  const say = (from: 'agent' | 'user', text: string) =>
    show({ kind: 'text', from, text: `${visible(text.trimEnd())}\n\n` });
  for (const number of sessions.turns(session)) {
    const turn = readTurn(sessions, session, number);
    if (typeof turn === 'string') {
      say('agent', turn);
      continue;
    }
    if (turn.meta.message !== null) say('user', turn.meta.message);
    for (const { text } of sessions.agentMessages(turn)) say('agent', text);
    if (turn.report !== null) say('agent', shortenCounted(turn.report, LONGEST_REPORT));
  }
  if (problem !== undefined) return say('agent', problem);
  const last = sessions.lastTurn(session);
  const unsent = sessions.leftMessage(last);
  if (unsent !== undefined) say('agent', `Not sent yet:\n\n${unsent}`);
  const waits = hasAgent ? nextOfAgent(workspace, sessions, last) : meaningOfEmpty(sessions, last);
  if (waits === 'review') say('agent', hasAgent ? CHANGES_WAIT : WAITING);
  else if (waits === 'ask' && sessions.unansweredMessage(last) !== null)
    say('agent', 'Your last message has no answer yet: /resume asks the agent again.');
}

/** Why it could not be put in order: another teddy works in it. */
async function repair(
  workspace: Workspace,
  sessions: Sessions,
  session: string,
): Promise<string | undefined> {
  try {
    await inSession(
      workspace,
      sessions,
      session,
      () => recoverDead(workspace),
      async () => {},
    );
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

function readTurn(sessions: Sessions, session: string, number: number): Turn | string {
  try {
    return sessions.readTurn(session, number);
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}
