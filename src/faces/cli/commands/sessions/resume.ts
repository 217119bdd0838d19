import { UserError } from '../../../../node/errors.js';
import { environmentVariables, writeError } from '../../../../node/terminal/terminal.js';
import { requireModel } from '../../../../sessions/plan-turn.js';
import { reportFormatOption, TeddyCommand } from '../../command.js';
import { requireOutput } from '../../deliver.js';
import { visibleLine } from '../../output.js';
import { openScreen } from '../../terminal/screen.js';
import type { ExecuteCommandOptions } from '../plans/run-reviewed-plan.js';
import { askMessage } from './message-prompt.js';
import { type PlanOptions, planInSession } from './plan.js';
import {
  openProjectSessions,
  requireMessage,
  runTurnPlan,
  type SessionAtWork,
  workInSession,
} from './session-turn.js';

export const resumeCommand = new TeddyCommand('resume')
  .description('continue a session: review its plan, or ask for the next one')
  .argument('[session]', 'its name (default: the one you last worked in)')
  .option('-m, --message <text>', 'your message, instead of typing it when asked')
  .option('--agent <name>', 'continue with another planner')
  .option('--model <name>', 'use another model than the configured one')
  .option('--budget <usd>', 'the most that the session may cost')
  .option('-y, --yes', 'approve everything that no policy denies')
  .option('--keep-going', 'continue after failures, including predicted ones')
  .option('--decisions <file>', 'take decisions and replies from a file')
  .addOption(reportFormatOption())
  .option('--output <file>', 'write the report to a file instead of printing it')
  .option('--print', 'print the report also at a terminal')
  .option('--no-copy', 'do not copy the report')
  .run(resume)
  .helpText(`Examples:
  teddy resume                       the session you last worked in
  teddy resume login -m "Test it."   ask for the next plan at once
  teddy resume --yes                 run the plan without a review

This is one step of teddy chat: if there is a plan, you review it and it runs;
otherwise you type a message, and the model is asked for the next plan. A run
that was interrupted is closed first.

Exit codes: those of teddy execute, or of teddy plan.`);

/** One step of a session: runs a pending plan, otherwise asks the model for one. */
export async function resume(
  named: string | undefined,
  options: PlanOptions & Omit<ExecuteCommandOptions, 'session'>,
): Promise<number> {
  requireOutput(options);
  requireMessage(options);
  return workInSession(named, await openProjectSessions(options), async (at) => {
    const { turn } = at;
    if (turn.stage === 'planned') {
      if (options.message !== undefined) return planInSession(at, options.message, options);
      const folder = visibleLine(turn.folder);
      writeError(options.yes ? `Running the plan of ${folder}.\n` : `${folder} has a plan to review.\n`);
      return runTurnPlan(at, options as ExecuteCommandOptions);
    }
    requireModel(at.project.config, environmentVariables());
    const message = options.message ?? (await askForMessage(at, options));
    if (message === 'interrupted') return 130;
    return planInSession(at, message, options);
  });
}

/** The next message; null to continue without one. */
async function askForMessage(
  at: SessionAtWork,
  options: PlanOptions,
): Promise<string | null | 'interrupted'> {
  const screen = openScreen(options);
  if (screen === undefined) {
    throw new UserError(
      'There is no terminal to type a message in. Give one with -m, or use any chat window: teddy context.',
    );
  }
  try {
    screen.openKeyboard();
    // Without a message, the agent continues from its report or from earlier messages.
    const { parent, message } = at.turn.meta;
    const canContinue = parent !== null || message !== null;
    const enter = canContinue ? 'send (empty: just continue)' : 'send';
    const { status, text } = await askMessage(screen, at, { enter, esc: 'leave' });
    if (status === 'done' && (text !== '' || canContinue)) return text === '' ? null : text;
    if (text !== '') writeError('What you typed is kept. teddy resume shows it again.\n');
    return 'interrupted';
  } finally {
    screen.close();
  }
}
