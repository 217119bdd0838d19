import { writeError, writeOutput } from '../../../../node/terminal/terminal.js';
import { listSessions, type SessionSummary } from '../../../../sessions/session-history.js';
import { TeddyCommand } from '../../command.js';
import { type GlobalOptions, type Paint, paintFor, resultJson, visible, visibleLine } from '../../output.js';
import { openProject } from '../../project.js';
import { type Cell, type CellStyle, cell, tableLines } from '../../table.js';
import { costWords, plural } from '../../words.js';

export const sessionsCommand = new TeddyCommand('sessions')
  .description('list the sessions of this project')
  .run(sessions)
  .helpText(`Examples:
  teddy sessions
  teddy sessions --json
  teddy sessions --root ../shop`);

export async function sessions(options: GlobalOptions): Promise<number> {
  const { root, workspace } = await openProject(options);
  const list = await listSessions(workspace);
  if (list.length === 0)
    writeError('There is no session here yet. Start one with teddy chat, or teddy new NAME.\n');
  if (options.json) writeOutput(resultJson(root, list));
  else if (list.length > 0) writeOutput(sessionLines(list, paintFor('stdout', options)));
  if (!options.json) printBroken(list, paintFor('stderr', options));
  return 0;
}

export function sessionLines(list: readonly SessionSummary[], paint: Paint, width?: number): string {
  const lines = tableLines(list.map(sessionRow), { flexible: 4, paint, ...(width ? { width } : {}) });
  return lines.map((line) => `${line}\n`).join('');
}

function sessionRow(session: SessionSummary): Cell[] {
  const [state, style] = stateOf(session);
  return [
    cell(`${session.current ? '*' : ' '} ${session.name}`, 'bold'),
    cell(session.agent ?? ''),
    cell(plural(session.turns, 'turn'), 'dim'),
    cell(state, style),
    cell(session.title ?? ''),
    cell(costWords(session), 'dim'),
  ];
}

const STAGES: Record<NonNullable<SessionSummary['stage']>, [words: string, style?: CellStyle]> = {
  made: ['open'],
  asked: ['asked'],
  planned: ['to review', 'cyan'],
  done: ['done', 'green'],
};

function stateOf({ live, broken, concluded, stage }: SessionSummary): [words: string, style?: CellStyle] {
  if (live) return ['at work', 'yellow'];
  if (broken !== null) return ['broken', 'red'];
  if (concluded) return ['concluded', 'green'];
  return stage === null ? ['empty', 'dim'] : STAGES[stage];
}

function printBroken(list: readonly SessionSummary[], paint: Paint): void {
  for (const { name, broken } of list)
    if (broken !== null) writeError(`${paint('red', visibleLine(name))}: ${visible(broken)}\n`);
}
