import { UserError } from '../../../../node/errors.js';
import { environmentVariables, onSignals } from '../../../../node/terminal/terminal.js';
import { requireModel } from '../../../../sessions/plan-turn.js';
import { newSession, suggestSessionName } from '../../../../sessions/sessions.js';
import { TeddyCommand } from '../../command.js';
import { visibleLine } from '../../output.js';
import { openScreen } from '../../terminal/screen.js';
import { ChatLoop } from './chat-loop.js';
import type { PlanOptions } from './plan.js';
import { type Opened, openProjectSessions, requireMessage, workInSession } from './session-turn.js';

export const chatCommand = new TeddyCommand('chat')
  .description('work with your model in one conversation: message, plan, review, result')
  .option('-m, --message <text>', 'your first message')
  .option('--session <name>', 'the session (default: the one you last worked in, or a new one)')
  .option('--agent <name>', 'start or continue with this planner')
  .option('--model <name>', 'use another model than the configured one')
  .option('--budget <usd>', 'the most that the session may cost')
  .run(chat)
  .helpText(`Examples:
  teddy chat -m "Lock accounts after five wrong passwords."
  teddy chat                        continue where you stopped
  teddy chat --session login --budget 0.50

Enter sends, Ctrl-J starts a new line, Up brings back earlier messages. Ctrl-C
stops the model, and leaves at an empty prompt. /help lists the commands that
you can type instead of a message.

Exit codes: 0 you left with /quit, 2 there is no terminal or no model,
130 you left with Ctrl-C.`);

export async function chat(options: PlanOptions): Promise<number> {
  requireMessage(options);
  const screen = options.json ? undefined : openScreen(options);
  if (screen === undefined) {
    const why = options.json ? 'teddy chat has no --json' : 'There is no terminal to chat in';
    throw new UserError(
      `${why}. Ask for a plan with teddy plan -m "…", then review and run it with teddy execute.`,
    );
  }
  // While the chat is open, signals end it in order instead of killing the process.
  const stop = onSignals(() => {});
  try {
    const opened = await openProjectSessions(options);
    requireModel(opened.project.config, environmentVariables());
    const session = await chooseSession(opened, options);
    return await workInSession(session, opened, (at) => new ChatLoop(screen, at, options).run());
  } finally {
    stop();
    screen.close();
  }
}

/** The named session, otherwise the last used one, otherwise a new one. */
async function chooseSession({ project, sessions }: Opened, options: PlanOptions): Promise<string> {
  const named = options.session ?? sessions.current();
  if (named !== undefined) return named;
  const name = suggestSessionName(options.message, sessions.names());
  const { meta } = await newSession(project.workspace, sessions, name, options.agent);
  return visibleLine(meta.session);
}
