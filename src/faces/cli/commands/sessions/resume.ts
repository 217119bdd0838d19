import { masksFor } from '../../../../config/redactor.js';
import { UserError } from '../../../../node/errors.js';
import { environmentVariables, writeError } from '../../../../node/terminal/terminal.js';
import { requireModel } from '../../../../sessions/plan-turn.js';
import { reportFormatOption, TeddyCommand } from '../../command.js';
import { requireOutput } from '../../deliver.js';
import { visibleLine } from '../../output.js';
import { openScreen } from '../../terminal/screen.js';
import { typeText } from '../../terminal/text-area.js';
import type { ExecuteWords } from '../plans/run-reviewed-plan.js';
import { type PlanOptions, planInSession } from './plan.js';
import {
  carryOutTurn,
  openProjectSessions,
  requireMessage,
  type SessionAtWork,
  workInSession,
} from './session-turn.js';

export const resumeCommand = new TeddyCommand('resume')
  .description('go on with a session, wherever it is')
  .argument('[session]', 'its name (default: the one last worked in)')
  .option('-m, --message <text>', 'what you want next, instead of being asked')
  .option('--agent <name>', 'go on with another planner')
  .option('--model <name>', "another model than the config's")
  .option('--budget <usd>', 'what the session may cost in all')
  .option('-y, --yes', 'approve everything that no policy denies')
  .option('--keep-going', 'go on after a failure, and in spite of one that is foreseen')
  .option('--decisions <file>', 'take decisions and replies from a file')
  .addOption(reportFormatOption())
  .option('--output <file>', 'write the report to a file instead of printing it')
  .option('--print', 'print the report also at a terminal')
  .option('--no-copy', 'do not copy the report')
  .run(resume)
  .helpText(`Examples:
  teddy resume                      the session last worked in
  teddy resume login -m "Go on."    ask for the next plan at once
  teddy resume --yes                carry out the plan that waits

A run that was cut off is ended first. A plan that waits is decided on and
carried out. After a report you are asked what you want, and the model for the
next plan.

Exit codes: those of teddy execute, or of teddy plan.`);

/**
 * Goes on wherever a session is: what a killed run left is ended first, a plan is decided on and carried out, and
 * after a report the person is asked what comes next.
 */
export async function resume(
  named: string | undefined,
  options: PlanOptions & Omit<ExecuteWords, 'session'>,
): Promise<number> {
  requireOutput(options);
  requireMessage(options);
  return workInSession(named, await openProjectSessions(options), async (at) => {
    const { turn } = at;
    if (turn.stage === 'planned') {
      if (options.message !== undefined) return planInSession(at, options.message, options);
      writeError(`${visibleLine(turn.folder)} has a plan to decide on.\n`);
      return carryOutTurn(at, options as ExecuteWords);
    }
    requireModel(at.project.config, environmentVariables());
    const message = options.message ?? (await askForMessage(at, options));
    if (message === 'interrupted') return 130;
    return planInSession(at, message, options);
  });
}

/**
 * What a person wants next; null for nothing in particular. What was typed is kept with the turn, and is there again
 * the next time, until the model is told. A known secret in it is in no file.
 */
async function askForMessage(
  { project, sessions, turn }: SessionAtWork,
  options: PlanOptions,
): Promise<string | null | 'interrupted'> {
  const screen = openScreen(options);
  if (screen === undefined) {
    throw new UserError(
      'Nobody can be asked what comes next: there is no terminal. Say it with -m, or work with a chat: teddy context.',
    );
  }
  try {
    screen.openKeyboard();
    // Then there is something to plan from, also if nothing is said.
    const hasMore = turn.meta.parent !== null || turn.meta.message !== null;
    const typed = await typeText(screen, {
      title: `Message to ${visibleLine(turn.meta.agent)} (session ${visibleLine(turn.meta.session)})`,
      enter: hasMore ? 'send (empty: just continue)' : 'send',
      esc: 'leave',
      text: sessions.leftMessage(turn) ?? '',
    });
    const { maskKnown } = masksFor(project.config, environmentVariables());
    const text = maskKnown(typed.text.trim());
    if (text !== '') await sessions.keepMessage(turn, text);
    if (typed.status === 'done' && (text !== '' || hasMore)) return text === '' ? null : text;
    if (text !== '') writeError('What you typed is kept, and is there again with the next teddy resume.\n');
    return 'interrupted';
  } finally {
    screen.close();
  }
}
