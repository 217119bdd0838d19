import { masksFor } from '../../../../config/redactor.js';
import { readPlan } from '../../../../core/plan/read.js';
import type { Run } from '../../../../core/report/record.js';
import { environmentVariables, isTerminal, writeError } from '../../../../node/terminal/terminal.js';
import { UserError } from '../../../../node/user-error.js';
import { executePlan } from '../../../../runs/execute-plan.js';
import { bringPlan, executeTurn } from '../../../../sessions/sessions.js';
import { turnId, turnName } from '../../../../sessions/turns/turn.js';
import { openTree } from '../../../../workspace/tree.js';
import { pathInside, readPlanInput, type TextInput } from '../../input.js';
import { visibleLine } from '../../output.js';
import type { TrustedProject } from '../../project.js';
import { carryOut, type ExecuteWords, isForeseen } from '../plans/carry-out.js';
import { openProjectSessions, type SessionAtWork, workInSession } from './open-session.js';

/** `teddy execute` for a plan that belongs to a session: the clipboard's, or one that lies in a session's folder. */
export async function executeInSession(file: string | undefined, options: ExecuteWords): Promise<number> {
  const opened = await openProjectSessions(options);
  const named = typeof options.session === 'string' ? options.session : undefined;
  const path = pathInside(opened.project.root, file) ?? '';
  const session = named ?? /^\.teddy\/sessions\/([^/]+)\/./.exec(path)?.[1];
  if (session === undefined && opened.sessions.names().length === 0) {
    const { text } = await readPlanInput(file);
    return carryOutAlone(text, opened.project, options);
  }
  return workInSession(session, opened, async (at) => {
    if (path === `${at.turn.folder}/plan.md`) return carryOutTurn(at, options);
    const isTurnsPlan = /^\.teddy\/sessions\/[^/]+\/\d+\/plan\.md$/.test(path);
    if (isTurnsPlan && named === undefined) {
      throw new UserError(
        `${visibleLine(file!)} is not the plan of the turn that the session is at, which is ${at.turn.folder}; turns that are done are not carried out again.`,
      );
    }
    return bringIn(at, await readPlanInput(file), options);
  });
}

/** The title of an input, which no plan has. */
const CONTEXT = /^# Input(?:: turn \d+ of session .{1,100})?$/m;

/** Makes a text from elsewhere the plan of the turn, and carries it out. */
async function bringIn(at: SessionAtWork, input: TextInput, options: ExecuteWords): Promise<number> {
  if (CONTEXT.test(input.text)) {
    throw new UserError(
      `${input.name} still holds what teddy context wrote, and no plan: paste it into a chat, and copy the whole answer.`,
    );
  }
  const masks = masksFor(at.project.config, environmentVariables());
  const text = masks.maskKnown(input.text);
  if (at.turn.plan !== null) tellOfWaiting(at, input.name, text);
  const turn = await bringPlan(at.sessions, at.turn, text);
  if (turn) {
    if (isTerminal('stderr'))
      writeError(`This is turn ${visibleLine(turnId(at.session, turn.meta.turn))}.\n`);
    return carryOutTurn({ ...at, turn }, options);
  }
  // No plan at all: it gets its report, and the session stays as it is.
  writeError(
    `${input.name} holds no plan that can be read; the session ${visibleLine(at.session)} stays as it is.\n`,
  );
  return carryOutAlone(text, at.project, options);
}

function carryOutAlone(text: string, project: TrustedProject, options: ExecuteWords): Promise<number> {
  return carryOut(text, project, options, (execution) => executePlan(text, { ...execution, path: null }));
}

/** A plan that waits gives way to another one, but not to what is none. */
function tellOfWaiting({ project, turn }: SessionAtWork, name: string, text: string): void {
  if (readPlan(text, openTree(project.root)).issues.some(({ severity }) => severity === 'error')) {
    throw new UserError(
      `${turn.folder} has a plan that waits for you (teddy resume), and ${name} holds none that could take its place.`,
    );
  }
  writeError(
    `The plan that waited in ${visibleLine(turn.folder)} gives way to this one, and is kept there.\n`,
  );
}

/** Decides on and carries out the plan of a turn that is held. */
export async function carryOutTurn(at: SessionAtWork, options: ExecuteWords): Promise<number> {
  const { project, sessions, turn } = at;
  const text = turn.plan ?? '';
  return carryOut(
    text,
    project,
    options,
    (execution) => executeTurn(sessions, turn, execution, project.config.context.budget),
    (run) => describeNext(run, at),
  );
}

function describeNext(run: Run, { project, sessions, session, turn }: SessionAtWork): string {
  const name = `Turn ${turnName(turn.meta.turn)}`;
  const next = sessions.lastTurn(session);
  if (next.stage === 'planned')
    return `Nothing was decided: ${name.toLowerCase()} waits with its plan; teddy resume asks again.`;
  const { agent, attempts } = next.meta;
  const who = agent === turn.meta.agent ? '' : `, and ${visibleLine(agent)} has the work now`;
  const how = project.config.model ? 'resume' : 'context';
  if (!run.refused) return `${name} is done${who}; teddy ${how} goes on.`;
  const answer = attempts.at(-1)?.answer;
  const anyway =
    answer && isForeseen(run)
      ? ` teddy execute ${turn.folder}/${answer} --session ${session} --keep-going carries it out all the same.`
      : '';
  return `${name} waits for another plan: paste the report into the chat, or teddy plan asks again.${anyway}`;
}
