import { groupDigits } from '../../../../core/text.js';
import { assembleTurn } from '../../../../sessions/turn-input.js';
import { sumUp, turnId } from '../../../../sessions/turns/turn.js';
import { paintFor, visibleLine } from '../../output.js';
import type { Line } from '../../terminal/line.js';
import type { Screen } from '../../terminal/screen.js';
import { costWords, plural } from '../../words.js';
import { diff } from '../plans/diff.js';
import { undo } from '../plans/undo.js';
import { accountLines, assembleShown } from './context.js';
import type { PlanOptions } from './plan.js';
import type { SessionAtWork } from './session-turn.js';

/** The slash commands and their descriptions. */
const SLASHES = {
  undo: 'restore the files as they were before the last run',
  diff: 'show what the last turn changed',
  context: 'show which files the agent sees, and their tokens',
  cost: 'show what this session has used',
  model: 'show the model, or use another one: /model NAME',
  help: 'show this list',
  quit: 'leave; teddy chat continues later',
} as const;

type SlashName = keyof typeof SLASHES;

interface Slash {
  kind: 'slash';
  name: SlashName;
  argument: string;
}

export type SlashRead = Slash | { kind: 'message'; text: string } | { kind: 'unknown'; sentence: string };

/** Reads what was typed: `/undo`; `//path` is a message that starts with one slash. */
export function readSlash(typed: string): SlashRead {
  if (!typed.startsWith('/')) return { kind: 'message', text: typed };
  if (typed.startsWith('//')) return { kind: 'message', text: typed.slice(1) };
  const [, word = '', argument = ''] = /^\/(\S*)\s*(.*)$/s.exec(typed)!;
  const name = word.toLowerCase();
  if (isSlash(name) && (argument === '' || name === 'model')) return { kind: 'slash', name, argument };
  const list = Object.keys(SLASHES).map((each) => `/${each}`);
  const problem = isSlash(name)
    ? `/${name} takes nothing after it.`
    : `/${visibleLine(word)} is not a command.`;
  return {
    kind: 'unknown',
    sentence: `${problem} Commands: ${list.join(' ')}. To send a message that starts with a slash, write //.`,
  };
}

function isSlash(name: string): name is SlashName {
  return Object.hasOwn(SLASHES, name);
}

/** The caller handles `/quit`. */
export async function runSlash(
  { name, argument }: Slash,
  screen: Screen,
  at: SessionAtWork,
  options: PlanOptions,
): Promise<void> {
  switch (name) {
    case 'undo':
      await screen.lend(() => undo(undefined, options));
      return;
    case 'diff':
      return showDiff(screen, at, options);
    case 'context':
      return showContext(screen, at, options);
    case 'cost':
      return screen.printText(costLine(at, options));
    case 'model':
      if (argument !== '') options.model = argument;
      return screen.printText(modelLine(at, options));
    case 'help':
    case 'quit':
      return screen.printText(helpLines().join('\n'));
  }
}

function helpLines(): string[] {
  return [
    ...Object.entries(SLASHES).map(([name, does]) => `  ${`/${name}`.padEnd(9)} ${does}`),
    '  //…       send a message that starts with a slash',
  ];
}

async function showDiff(screen: Screen, at: SessionAtWork, options: PlanOptions): Promise<void> {
  const { sessions, session } = at;
  const last = sessions.metas(session).findLast(({ run }) => run !== null);
  if (last === undefined) return screen.printText('No plan of this session has finished yet.');
  await screen.lend(() => diff(turnId(session, last.turn), undefined, options));
}

async function showContext(
  screen: Screen,
  { project, sessions, turn }: SessionAtWork,
  { color }: PlanOptions,
): Promise<void> {
  const draw = (line: Line | undefined) => screen.drawFoot(line === undefined ? [] : [screen.row(line)]);
  const input = await assembleShown(project, null, { color, draw }, (how) =>
    assembleTurn(sessions, turn, how),
  );
  screen.printText(accountLines(input, paintFor('stderr', { color })).join('\n'));
}

function costLine({ sessions, session, project }: SessionAtWork, options: PlanOptions): string {
  const attempts = sessions.metas(session).flatMap((meta) => meta.attempts);
  const { tokens, costUsd } = sumUp(attempts);
  if (tokens === null) return 'This session has used no tokens yet.';
  const budget = options.budget ?? project.config.model?.budgetUsd ?? null;
  const facts = [
    plural(attempts.length, 'answer'),
    `${groupDigits(tokens.input)} tokens in, ${groupDigits(tokens.output)} out${tokens.estimated ? ' (estimated)' : ''}`,
    costUsd === null ? 'cost unknown (the model has no prices)' : costWords({ costUsd }),
    ...(budget === null ? [] : [`budget $${budget}`]),
  ];
  return `Session ${visibleLine(session)}: ${facts.join(', ')}.`;
}

function modelLine({ project }: SessionAtWork, { model }: PlanOptions): string {
  const { name, provider } = project.config.model!;
  return `Model: ${visibleLine(model ?? name)} (${provider}). /model NAME uses another one in this conversation.`;
}
