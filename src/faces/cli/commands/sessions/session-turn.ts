import { masksFor } from '../../../../config/redactor.js';
import { readPlan } from '../../../../core/plan/read.js';
import type { Run } from '../../../../core/report/record.js';
import { UserError } from '../../../../node/errors.js';
import { environmentVariables, isTerminal, writeError } from '../../../../node/terminal/terminal.js';
import { executePlan } from '../../../../runs/execute-plan.js';
import type { Continuation } from '../../../../runs/run-record.js';
import { bringPlan, executeTurn, inSession } from '../../../../sessions/sessions.js';
import { Sessions } from '../../../../sessions/turns/sessions.js';
import { type Turn, turnId, turnName } from '../../../../sessions/turns/turn.js';
import { openTree } from '../../../../workspace/tree.js';
import { pathInside, readPlanInput, type TextInput } from '../../input.js';
import { type GlobalOptions, visibleLine } from '../../output.js';
import { endDeadRuns, openTrusted, type TrustedProject, trustAgents } from '../../project.js';
import {
  describeRest,
  type ExecuteCommandOptions,
  isPredicted,
  runReviewedPlan,
} from '../plans/run-reviewed-plan.js';

/** A session that this process has locked, with its last turn. */
export interface SessionAtWork {
  project: TrustedProject;
  sessions: Sessions;
  session: string;
  turn: Turn;
}

export type Opened = Pick<SessionAtWork, 'project' | 'sessions'> & {
  /** Recovers runs of processes that died meanwhile. */
  endDead(): Promise<void>;
};

export async function openProjectSessions(options: GlobalOptions): Promise<Opened> {
  const project = await openTrusted(options);
  await trustAgents(project, options);
  const sessions = new Sessions(project.workspace);
  return { project, sessions, endDead: () => endDeadRuns(project, options) };
}

/** Locks a session while `work` runs. `named` undefined means the last used one. */
export async function workInSession<T>(
  named: string | undefined,
  { project, sessions, endDead }: Opened,
  work: (at: SessionAtWork) => Promise<T>,
): Promise<T> {
  const session = sessions.choose(named);
  return inSession(project.workspace, sessions, session, endDead, async (turn) => {
    await sessions.useSession(session);
    return work({ project, sessions, session, turn });
  });
}

/** `teddy execute` for a plan that belongs to a session: the clipboard's, or one in a session's folder. */
export async function executeInSession(
  file: string | undefined,
  options: ExecuteCommandOptions,
): Promise<number> {
  const opened = await openProjectSessions(options);
  const named = typeof options.session === 'string' ? options.session : undefined;
  const path = pathInside(opened.project.root, file) ?? '';
  const session = named ?? /^\.teddy\/sessions\/([^/]+)\/./.exec(path)?.[1];
  if (session === undefined && opened.sessions.names().length === 0) {
    const { text } = await readPlanInput(file);
    return runOutsideSession(text, opened.project, options);
  }
  return workInSession(session, opened, async (at) => {
    if (path === `${at.turn.folder}/plan.md`) return runTurnPlan(at, options);
    const isTurnsPlan = /^\.teddy\/sessions\/[^/]+\/\d+\/plan\.md$/.test(path);
    if (isTurnsPlan && named === undefined) {
      throw new UserError(
        `${visibleLine(file!)} is the plan of an earlier turn, which cannot run again. The session is at ${at.turn.folder}.`,
      );
    }
    return runForeignPlan(at, await readPlanInput(file), options);
  });
}

/** Runs the rest of an earlier turn's plan as the plan of the next turn. */
export async function continueInSession(
  session: string,
  continued: Continuation,
  options: ExecuteCommandOptions,
): Promise<number> {
  return workInSession(session, await openProjectSessions(options), async (at) => {
    if (at.turn.plan !== null && at.turn.plan !== continued.text) {
      throw new UserError(
        `Cannot continue: session ${visibleLine(session)} has a newer plan. Review it with: teddy resume ${visibleLine(session)}`,
      );
    }
    const turn = at.turn.plan === null ? await bringPlan(at.sessions, at.turn, continued.text) : at.turn;
    if (!turn) throw new UserError(`Cannot continue: the plan of run ${continued.run} cannot be read.`);
    return runTurnPlan({ ...at, turn }, options, { continued });
  });
}

/** The title of an input, which plans never have. */
const CONTEXT = /^# Input(?:: turn \d+ of session .{1,100})?$/m;

/** Makes a text from elsewhere the plan of the turn, and runs it. */
async function runForeignPlan(
  at: SessionAtWork,
  input: TextInput,
  options: ExecuteCommandOptions,
  more?: TurnRunOptions,
): Promise<number> {
  if (CONTEXT.test(input.text)) {
    throw new UserError(
      `${input.name} still contains the output of teddy context, not a plan. Paste it into a chat, then copy the whole answer.`,
    );
  }
  const masks = masksFor(at.project.config, environmentVariables());
  const text = masks.maskKnown(input.text);
  if (at.turn.plan !== null) announceReplacement(at, input.name, text);
  const turn = await bringPlan(at.sessions, at.turn, text);
  if (turn) {
    if (isTerminal('stderr'))
      writeError(`This is turn ${visibleLine(turnId(at.session, turn.meta.turn))}.\n`);
    return runTurnPlan({ ...at, turn }, options, more);
  }
  // Not a plan: it gets a report, and the session does not change.
  writeError(`${input.name} is not a readable plan. The session ${visibleLine(at.session)} is unchanged.\n`);
  return runOutsideSession(text, at.project, options);
}

function runOutsideSession(
  text: string,
  project: TrustedProject,
  options: ExecuteCommandOptions,
): Promise<number> {
  return runReviewedPlan(text, project, options, {
    execute: (execution) => executePlan(text, { ...execution, path: null }),
    retry: (edited) => runOutsideSession(edited, project, options),
  });
}

/** A pending plan is replaced by another plan, but not by a text that is not a plan. */
function announceReplacement({ project, turn }: SessionAtWork, name: string, text: string): void {
  if (readPlan(text, openTree(project.root)).issues.some(({ severity }) => severity === 'error')) {
    throw new UserError(
      `${name} is not a valid plan. The plan of ${turn.folder} is still waiting: teddy resume reviews it.`,
    );
  }
  writeError(`This plan replaces the one in ${visibleLine(turn.folder)}, which is kept there.\n`);
}

interface TurnRunOptions {
  continued?: Continuation | undefined;
  /** What the user can do next; null prints nothing. */
  describe?(run: Run, at: SessionAtWork): string | null;
}

/** Reviews and runs the plan of a turn. The caller holds the session's lock. */
export async function runTurnPlan(
  at: SessionAtWork,
  options: ExecuteCommandOptions,
  { continued, describe = describeNext }: TurnRunOptions = {},
): Promise<number> {
  const { project, sessions, session, turn } = at;
  return runReviewedPlan(turn.plan ?? '', project, options, {
    execute: (execution) =>
      executeTurn(sessions, turn, { ...execution, continued }, project.config.context.budget),
    retry: (text) =>
      runForeignPlan(
        { ...at, turn: sessions.lastTurn(session) },
        { name: 'the edited plan', text },
        options,
        {
          describe,
        },
      ),
    describeNext: (run) => describe(run, at),
  });
}

function describeNext(run: Run, { project, sessions, session, turn }: SessionAtWork): string {
  const name = `Turn ${turnName(turn.meta.turn)}`;
  const next = sessions.lastTurn(session);
  if (next.stage === 'planned')
    return `Nothing was decided. ${name} keeps its plan; review it with teddy resume.`;
  const { agent, attempts } = next.meta;
  const who = agent === turn.meta.agent ? '' : `; ${visibleLine(agent)} continues`;
  const how = project.config.model ? 'resume' : 'context';
  const rest = describeRest(run);
  if (!run.refused)
    return `${name} is done${who}. Continue with teddy ${how}.${rest === '' ? '' : `\n${rest}`}`;
  const answer = attempts.at(-1)?.answer;
  const anyway =
    answer && isPredicted(run)
      ? ` To run it anyway: teddy execute ${turn.folder}/${answer} --session ${session} --keep-going`
      : '';
  return `${name} needs another plan: paste the report into the chat, or ask again with teddy plan.${anyway}`;
}

export function requireMessage({ message }: { message?: string }): void {
  if (message !== undefined && !/\S/.test(message))
    throw new UserError('--message is empty. Say what you want.');
}
