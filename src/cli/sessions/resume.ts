import { environmentVariables, writeError } from '../../platform/terminal.js';
import { masksFor, requireModel } from '../../turn/index.js';
import type { ExecuteOptions } from '../carry-out.js';
import { requireOutput } from '../deliver-report.js';
import { visibleLine } from '../visible.js';
import { carryOutTurn } from './execute-turn.js';
import { openProjectSessions, type SessionAtWork, workInSession } from './open-session.js';
import { type PlanOptions, planInSession, requireMessage } from './plan.js';
import { takeMessage } from './take-message.js';

/**
 * Goes on wherever a session is: what a killed run left is ended first, a plan is decided on and carried out, and
 * after a report the person is asked what comes next.
 */
export async function resume(
  named: string | undefined,
  options: PlanOptions & Omit<ExecuteOptions, 'session'>,
): Promise<number> {
  requireOutput(options);
  requireMessage(options);
  return workInSession(named, await openProjectSessions(options), async (at) => {
    const { turn } = at;
    if (turn.stage === 'planned') {
      if (options.message !== undefined) return planInSession(at, options.message, options);
      writeError(`${visibleLine(turn.folder)} has a plan to decide on.\n`);
      return carryOutTurn(at, options as ExecuteOptions);
    }
    requireModel(at.project.config, environmentVariables());
    const message = options.message ?? (await askForMessage(at, options));
    if (message === 'interrupted') return 130;
    return planInSession(at, message, options);
  });
}

async function askForMessage(
  { project, sessions, turn }: SessionAtWork,
  options: PlanOptions,
): Promise<string | null | 'interrupted'> {
  const { maskKnown } = await masksFor(project.config, environmentVariables());
  return takeMessage(sessions, turn, options, maskKnown);
}
