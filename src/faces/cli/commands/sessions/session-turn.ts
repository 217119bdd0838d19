import { masksFor } from '../../../../config/redactor.js';
import { readPlan } from '../../../../core/plan/read.js';
import type { Run } from '../../../../core/report/record.js';
import { UserError } from '../../../../node/errors.js';
import { environmentVariables, isTerminal, writeError } from '../../../../node/terminal/terminal.js';
import type { Continuation } from '../../../../runs/continue-run.js';
import { executePlan } from '../../../../runs/execute-plan.js';
import { bringPlan, executeTurn, openLastTurn } from '../../../../sessions/sessions.js';
import { Sessions } from '../../../../sessions/turns/sessions.js';
import { type Turn, turnId, turnName } from '../../../../sessions/turns/turn.js';
import { openTree } from '../../../../workspace/tree.js';
import { pathInside, readPlanInput, type TextInput } from '../../input.js';
import { type GlobalOptions, visibleLine } from '../../output.js';
import { endDeadRuns, openTrusted, type TrustedProject, trustAgents } from '../../project.js';
import { describeRest, type ExecuteWords, isPredicted, runReviewedPlan } from '../plans/run-reviewed-plan.js';

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
  const sessions = new Sessions(project.workspace);
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

/** Runs the rest of a plan that a turn of the session left, as the plan of the session's next turn. */
export async function continueInSession(
  session: string,
  continued: Continuation,
  options: ExecuteWords,
): Promise<number> {
  return workInSession(session, await openProjectSessions(options), async (at) => {
    if (at.turn.plan !== null && at.turn.plan !== continued.text) {
      throw new UserError(
        `Cannot continue: session ${visibleLine(session)} has a newer plan. Review it with: teddy resume ${visibleLine(session)}`,
      );
    }
    const turn = at.turn.plan === null ? await bringPlan(at.sessions, at.turn, continued.text) : at.turn;
    if (!turn) throw new UserError(`Cannot continue: the plan of run ${continued.run} cannot be read.`);
    return carryOutTurn({ ...at, turn }, options, continued);
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
  return runReviewedPlan(text, project, options, {
    execute: (execution) => executePlan(text, { ...execution, path: null }),
    retry: (edited) => carryOutAlone(edited, project, options),
  });
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
export async function carryOutTurn(
  at: SessionAtWork,
  options: ExecuteWords,
  continued?: Continuation,
): Promise<number> {
  const { project, sessions, session, turn } = at;
  return runReviewedPlan(turn.plan ?? '', project, options, {
    execute: (execution) =>
      executeTurn(sessions, turn, { ...execution, continued }, project.config.context.budget),
    retry: (text) =>
      bringIn({ ...at, turn: sessions.lastTurn(session) }, { name: 'the edited plan', text }, options),
    describeNext: (run) => describeNext(run, at),
  });
}

function describeNext(run: Run, { project, sessions, session, turn }: SessionAtWork): string {
  const name = `Turn ${turnName(turn.meta.turn)}`;
  const next = sessions.lastTurn(session);
  if (next.stage === 'planned')
    return `Nothing was decided: ${name.toLowerCase()} waits with its plan; teddy resume asks again.`;
  const { agent, attempts } = next.meta;
  const who = agent === turn.meta.agent ? '' : `, and ${visibleLine(agent)} has the work now`;
  const how = project.config.model ? 'resume' : 'context';
  const rest = describeRest(run);
  if (!run.refused) return `${name} is done${who}; teddy ${how} goes on.${rest === '' ? '' : `\n${rest}`}`;
  const answer = attempts.at(-1)?.answer;
  const anyway =
    answer && isPredicted(run)
      ? ` teddy execute ${turn.folder}/${answer} --session ${session} --keep-going carries it out all the same.`
      : '';
  return `${name} waits for another plan: paste the report into the chat, or teddy plan asks again.${anyway}`;
}

/** What is said must say something. */
export function requireMessage({ message }: { message?: string }): void {
  if (message !== undefined && !/\S/.test(message))
    throw new UserError('--message is empty; say what you want.');
}
