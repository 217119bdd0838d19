import { DEFAULT_PLANNER, findPlanner, listPlanners, renderPrompt } from '../../../../agents/planners.js';
import { masksFor } from '../../../../config/redactor.js';
import { groupDigits } from '../../../../core/text.js';
import { UserError } from '../../../../node/errors.js';
import { environmentVariables, isTerminal, writeError } from '../../../../node/terminal/terminal.js';
import { countTokens } from '../../../../sessions/context/input-parts.js';
import type { AssembledInput } from '../../../../sessions/context/types.js';
import { assembleProject, assembleTurn, type InputOptions } from '../../../../sessions/turn-input.js';
import type { Sessions } from '../../../../sessions/turns/sessions.js';
import type { Turn } from '../../../../sessions/turns/turn.js';
import { openTree } from '../../../../workspace/tree.js';
import { SESSION, TeddyCommand } from '../../command.js';
import { deliverText } from '../../deliver.js';
import { type GlobalOptions, type Paint, paintFor, visibleLine } from '../../output.js';
import type { TrustedProject } from '../../project.js';
import { type Cell, cell, tableLines } from '../../table.js';
import { type ProgressOptions, startProgress } from '../../terminal/progress-line.js';
import {
  type Opened,
  openProjectSessions,
  requireMessage,
  type SessionAtWork,
  workInSession,
} from './session-turn.js';

interface Options extends GlobalOptions {
  session?: string;
  message?: string;
  /** Whether to include the system prompt; undefined includes it if it is new to the chat. */
  prompt?: boolean;
  copy: boolean;
}

export const contextCommand = new TeddyCommand('context')
  .description('assemble what the agent needs for its next plan, and copy it')
  .option('--session <name>', SESSION)
  .option('-m, --message <text>', 'what you want; part of the context')
  .option('--prompt', 'put the system prompt first (default: only in the first turn of an agent)')
  .option('--no-prompt', 'leave the system prompt out')
  .option('--no-copy', 'do not copy it')
  .run(context)
  .helpText(`Examples:
  teddy context                     paste it into a chat, copy the answer; then:
  teddy execute                     review and run the plan; copies its report
  teddy context -m "Now the tests." > input.md
  teddy context --json              with the tokens of each file

This works with any chat window: context, paste, copy the whole answer, execute.`);

/** The complete input for the next turn, to paste into a chat. */
export async function context(options: Options): Promise<number> {
  requireMessage(options);
  const opened = await openProjectSessions(options);
  if (options.session === undefined && opened.sessions.names().length === 0)
    return projectContext(opened, options);
  return workInSession(options.session, opened, (at) => turnContext(at, options));
}

async function turnContext({ project, sessions, turn }: SessionAtWork, options: Options): Promise<number> {
  const { session, turn: number, agent } = turn.meta;
  if (turn.stage === 'planned') return plannedContext(turn, project.root, options);
  const message = maskMessage(project, options);
  const input = await assembleShown(project, message, options, (how) => assembleTurn(sessions, turn, how));
  const kept = await sessions.keepInput(turn, { input: input.text, message });
  const withPrompt = options.prompt ?? isNewToChat(sessions, turn);
  const path = `${kept.folder}/input.md`;
  const json = { session, turn: number, agent, path, ...accountJson(input) };
  const prompt = withPrompt ? turn.prompt : null;
  await deliverContext(input, { agent, prompt, root: project.root, json, path }, options);
  return 0;
}

/** The context of a turn is fixed once it has a plan. */
async function plannedContext(
  { meta, folder, input }: Turn,
  root: string,
  options: Options,
): Promise<number> {
  if (options.message !== undefined) {
    throw new UserError(
      `${folder} already has a plan. Review it with teddy resume, or ask for another one with teddy plan -m.`,
    );
  }
  writeError(
    `${visibleLine(folder)} has a plan to review (teddy resume). This is the context that it was made from.\n`,
  );
  const text = input ?? '';
  const { session, turn, agent } = meta;
  const path = input === null ? null : `${folder}/input.md`;
  const unknown = { budget: null, tree: null, resources: null, leftOut: null };
  const json = { session, turn, agent, path, tokens: countTokens(text), ...unknown, text };
  await deliverText(text, { what: 'the context', root, json }, options);
  return 0;
}

/** Without a session, every context is the first message of a chat. */
async function projectContext({ project, sessions }: Opened, options: Options): Promise<number> {
  const message = maskMessage(project, options);
  const input = await assembleShown(project, message, options, (how) => assembleProject(sessions, how));
  const prompt = options.prompt === false ? null : defaultPrompt(project);
  const json = { session: null, turn: null, agent: null, path: null, ...accountJson(input) };
  await deliverContext(input, { agent: DEFAULT_PLANNER, prompt, root: project.root, json }, options);
  return 0;
}

function defaultPrompt({ workspace, config }: TrustedProject): string {
  const found = findPlanner(workspace, DEFAULT_PLANNER);
  if (found.status !== 'found') throw new UserError(found.reason);
  const { mask } = masksFor(config, environmentVariables());
  return mask(renderPrompt(found.planner, listPlanners(workspace)));
}

interface ContextDelivery {
  agent: string;
  /** Null where the chat knows it. */
  prompt: string | null;
  root: string;
  json: object;
  path?: string;
}

async function deliverContext(
  input: AssembledInput,
  { agent, prompt, root, json, path }: ContextDelivery,
  options: Options,
): Promise<void> {
  const text = prompt === null ? input.text : `${prompt.trimEnd()}\n\n---\n\n${input.text}`;
  const paint = paintFor('stdout', options);
  const promptTokens = prompt === null ? 0 : countTokens(prompt);
  const lines = [
    ...(path === undefined ? [] : [paint('bold', path)]),
    ...accountLines(input, paint),
    ...(prompt === null ? [] : [`About ${groupDigits(input.tokens + promptTokens)} with the prompt.`]),
  ];
  await deliverText(
    text,
    {
      what: prompt === null ? 'the context' : `the prompt of ${agent} and its context`,
      root,
      json: { ...json, promptTokens, text },
      instead: `${lines.join('\n')}\n`,
    },
    options,
  );
  if (options.json) return;
  if (!isTerminal('stdout') && input.leftOut.length > 0)
    writeError(`${leftOutLines(input, paintFor('stderr', options)).join('\n')}\n`);
  writeError('Paste it into a chat, copy the whole answer, then run: teddy execute\n');
}

function maskMessage({ config }: TrustedProject, { message }: Options): string | null {
  return message === undefined ? null : masksFor(config, environmentVariables()).mask(message);
}

/** Assembles an input, with a progress line at a terminal. */
export async function assembleShown(
  { workspace, root, config }: TrustedProject,
  message: string | null,
  options: ProgressOptions,
  assemble: (options: InputOptions) => Promise<AssembledInput>,
): Promise<AssembledInput> {
  const { mask } = masksFor(config, environmentVariables());
  const what = 'Reading the context';
  const progress = startProgress(what, options);
  try {
    return await assemble({
      workspace,
      tree: openTree(root),
      budget: config.context.budget,
      message,
      mask,
      onRead: (done, of) => progress.update(what, { done, of, unit: 'files' }),
    });
  } finally {
    progress.end();
  }
}

/** A chat knows the prompt from the previous turn, unless the agent has changed. */
function isNewToChat(sessions: Sessions, { meta, prompt }: Turn): boolean {
  return meta.parent === null || sessions.promptOf(meta.session, meta.parent) !== prompt;
}

const MOST_LINES = 30;

/** The input's parts by tokens, and what was left out. */
export function accountLines(input: AssembledInput, paint: Paint): string[] {
  const { resources, tree, tokens, budget } = input;
  const files = `${groupDigits(tree.files)} ${tree.files === 1 ? 'file' : 'files'}`;
  const rows: Cell[][] = [
    ...some(resources).map(({ target, from, tokens: count }) => [
      cell(groupDigits(count)),
      cell(target),
      cell(from, 'dim'),
    ]),
    [
      cell(groupDigits(tree.tokens)),
      cell(`the project's tree: ${files}${tree.shown === 'all' ? '' : ', by folders'}`),
    ],
  ];
  return [
    ...(resources.length > MOST_LINES
      ? [`${groupDigits(resources.length)} resources; the first ${MOST_LINES}:`]
      : []),
    ...tableLines(rows, { flexible: 1, paint }),
    ...leftOutLines(input, paint),
    `About ${groupDigits(tokens)} tokens in total${budget === 0 ? '' : ` (limit ${groupDigits(budget)})`}.`,
  ];
}

/** Omitted resources with reasons. */
export function leftOutLines({ leftOut }: AssembledInput, paint: Paint): string[] {
  if (leftOut.length === 0) return [];
  const rows = some(leftOut).map(({ target, reason }) => [cell(''), cell(`${target} ${reason}`, 'yellow')]);
  return [paint('yellow', 'Left out:'), ...tableLines(rows, { flexible: 1, paint }), ...rest(leftOut.length)];
}

function some<T>(items: readonly T[]): readonly T[] {
  return items.slice(0, MOST_LINES);
}

function rest(count: number): string[] {
  return count > MOST_LINES ? [`  and ${groupDigits(count - MOST_LINES)} more`] : [];
}

export function accountJson({ resources, leftOut, tree, tokens, budget }: AssembledInput) {
  return { tokens, budget, tree, resources, leftOut };
}
