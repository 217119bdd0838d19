import { type TurnFacts, type TurnSummary, turnHistory } from '../../../../sessions/session-history.js';
import { Sessions } from '../../../../sessions/turns/sessions.js';
import { TeddyCommand } from '../../command.js';
import { type GlobalOptions, type Paint, printResult, visibleLine } from '../../output.js';
import { openProject } from '../../project.js';
import { type CellStyle, pageWidth, wrapWords } from '../../table.js';
import { cutToWidth, textWidth } from '../../terminal/line.js';
import { costWords, tokenWords } from '../../words.js';

export const historyCommand = new TeddyCommand('history')
  .description('list the turns of a session, with result and cost')
  .argument('[session]', 'its name (default: the one you last worked in)')
  .run(history)
  .helpText(`Examples:
  teddy history
  teddy history login
  teddy history login --json`);

export async function history(named: string | undefined, options: GlobalOptions): Promise<number> {
  const { root, workspace } = await openProject(options);
  const session = new Sessions(workspace).choose(named);
  const turns = await turnHistory(workspace, session);
  printResult(root, options, turns, (paint) => historyLines(turns, paint, pageWidth()));
  return 0;
}

const INDENT = 2;
/** Deeper levels are not indented any further. */
const DEEPEST = 8;
const GAP = 2;

/**
 * A timeline for a person:
 *
 *     01  pathfinder   Look around                       3 done   12.3k  $0.042
 *         > Make the login work
 *     02    developer  Write the login         2 done, 1 failed   18.0k  $0.061
 *           1 answer refused
 */
export function historyLines(turns: readonly TurnSummary[], paint: Paint, width: number): string {
  const facts = turns.flatMap((turn) => (turn.broken === null ? [turn] : []));
  const widest = (words: (turn: TurnFacts) => string) =>
    facts.reduce((most, turn) => Math.max(most, textWidth(words(turn))), 0);
  const columns = { who: widest(agentWords), tokens: widest(tokenWords), cost: widest(costWords), width };
  return turns
    .flatMap((turn) => {
      const number = turn.turn.slice(turn.turn.lastIndexOf('/') + 1);
      return turn.broken === null
        ? turnLines(number, turn, columns, paint)
        : [`${paint('bold', number)}${' '.repeat(GAP)}${paint('red', visibleLine(turn.broken))}`];
    })
    .map((line) => `${line}\n`)
    .join('');
}

interface Columns {
  who: number;
  tokens: number;
  cost: number;
  width: number;
}

function turnLines(number: string, turn: TurnFacts, columns: Columns, paint: Paint): string[] {
  const margin = number.length + GAP;
  const titleAt = margin + columns.who + GAP;
  const titles = wrapWords(visibleLine(turn.title ?? ''), Math.max(columns.width - titleAt, 20));
  const gap = ' '.repeat(GAP);
  const head = `${paint('bold', number)}${gap}${pad(agentWords(turn), columns.who)}${gap}`;
  const lines = titles.map((title, at) => (at === 0 ? head : ' '.repeat(titleAt)) + title);
  const [status, amounts] = [statusWords(turn), amountWords(turn, columns)];
  const room = columns.width - textWidth(status + amounts);
  const used = titleAt + textWidth(titles.at(-1)!);
  const painted = paint(styleOf(turn), status) + (amounts.trim() === '' ? '' : paint('dim', amounts));
  if (used + GAP <= room) lines.push(lines.pop()! + ' '.repeat(room - used) + painted);
  else lines.push(' '.repeat(Math.max(room, margin)) + painted);
  const below = margin + indentOf(turn);
  return [...lines.map((line) => line.trimEnd()), ...noteLines(turn, below, columns.width, paint)];
}

function agentWords(turn: TurnFacts): string {
  return ' '.repeat(indentOf(turn)) + visibleLine(turn.agent);
}

function indentOf({ depth }: TurnFacts): number {
  return Math.min(depth, DEEPEST) * INDENT;
}

/** Tokens and cost, aligned with those of the other turns. */
function amountWords(turn: TurnFacts, { tokens, cost }: Columns): string {
  const gap = ' '.repeat(GAP);
  return [
    ...(tokens === 0 ? [] : [gap, tokenWords(turn).padStart(tokens)]),
    ...(cost === 0 ? [] : [gap, costWords(turn).padStart(cost)]),
  ].join('');
}

const STAGES: Record<TurnFacts['stage'], string> = {
  made: 'open',
  asked: 'asked',
  planned: 'to review',
  done: 'done',
};

function statusWords(turn: TurnFacts): string {
  const marks = [
    ...(turn.interrupted ? ['interrupted'] : []),
    ...(turn.concluded ? ['concluded'] : []),
    ...(turn.undone ? [turn.left ? 'undone in part' : 'undone'] : []),
  ].join(', ');
  const words = countWords(turn) || turn.overall?.toLowerCase() || STAGES[turn.stage];
  return marks === '' ? words : `${words} (${marks})`;
}

function countWords({ counts }: TurnFacts): string {
  if (counts === null) return '';
  const { approved, skipped, succeeded, failed } = counts;
  return [
    [succeeded, 'done'] as const,
    [failed, 'failed'] as const,
    [approved - succeeded - failed, 'not run'] as const,
    [skipped, 'skipped'] as const,
  ]
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(', ');
}

const STYLES: Record<NonNullable<TurnFacts['overall']>, CellStyle> = {
  Completed: 'green',
  Partial: 'yellow',
  Skipped: 'yellow',
  Failed: 'red',
};

function styleOf({ overall }: TurnFacts): CellStyle {
  return overall === null ? 'cyan' : STYLES[overall];
}

const OUTCOMES: Record<keyof TurnFacts['notPassed'], string> = {
  passed: 'passed',
  refused: 'refused',
  message: 'prose',
  'cut-off': 'cut off',
  'broken-off': 'broken off',
  interrupted: 'interrupted',
  replaced: 'replaced',
};

/** Messages and rejected answers, one line each. */
function noteLines(turn: TurnFacts, indent: number, width: number, paint: Paint): string[] {
  const outcomes = Object.entries(turn.notPassed) as [keyof typeof OUTCOMES, number][];
  const unpassed = outcomes.map(([outcome, count]) => `${count} ${OUTCOMES[outcome]}`).join(', ');
  return [
    ...(turn.handoff === null ? [] : [`${turn.handoff.from}: ${turn.handoff.message}`]),
    ...(turn.message === null ? [] : [`> ${turn.message}`]),
    ...(unpassed === '' ? [] : [`Answers that did not pass: ${unpassed}`]),
  ].map((note) => ' '.repeat(indent) + paint('dim', cut(visibleLine(note), width - indent)));
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

function cut(text: string, width: number): string {
  return textWidth(text) <= width ? text : `${cutToWidth(text, width - GAP)} …`;
}
