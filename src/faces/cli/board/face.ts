import { isTerminal, writeError, writeOutput } from '../../../node/terminal/terminal.js';
import type { OrchestrateEvent, Summary } from '../../../orchestrate/events.js';
import type { Person } from '../../../orchestrate/orchestration.js';
import { type Paint, paintFor } from '../paint.js';
import { rootLine } from '../root-line.js';
import { rowsOf } from '../terminal/line.js';
import { chooseLook } from '../terminal/look.js';
import { visibleJson } from '../visible.js';
import { openBoard } from './board.js';
import { EventLines } from './lines.js';
import { orchestrationLines } from './overview-lines.js';
import { BoardProgress } from './progress.js';
import { openPerson, type PersonOptions } from './questions.js';
import { summaryLines } from './summary-lines.js';

export interface FaceOptions extends PersonOptions {
  root: string;
  json: boolean;
  color: boolean;
}

/** Who is told of a run. */
export interface OrchestrateFace {
  listen(event: OrchestrateEvent): void;
  /** Missing where nobody can be asked; `teddy task resolve` answers then, and also meanwhile. */
  person?: Person;
  /** Gives the terminal back. It may be called again. */
  close(): void;
}

/** A board at a terminal, lines elsewhere, JSON where that is asked for. How it ended goes to standard output. */
export function createOrchestrateFace(options: FaceOptions): OrchestrateFace {
  if (options.json) return { listen: (event) => writeOutput(jsonLine(event, options)), close: () => {} };
  return (isTerminal('stderr') ? boardFace(options) : undefined) ?? linesFace(options);
}

function boardFace(options: FaceOptions): OrchestrateFace | undefined {
  const progress = new BoardProgress();
  const board = openBoard(options, progress);
  if (board === undefined) return undefined;
  const person = openPerson(board.stage, options, (id, isLater) => progress.setLater(id, isLater));
  const paint = paintFor('stderr', options);
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    person.close();
    board.close();
  };
  return {
    listen: (event) => {
      if (event.type === 'began')
        writeLines([
          rootLine(options.root, paint),
          ...orchestrationLines(event.overview, paint, board.stage.width),
        ]);
      progress.apply(event);
      board.listen(event);
      if (event.type !== 'ended') return;
      close();
      writeSummary(event.summary, progress, options);
    },
    person,
    close,
  };
}

function linesFace(options: FaceOptions): OrchestrateFace {
  const onTerminal = isTerminal('stderr');
  const look = chooseLook({ color: options.color && onTerminal });
  const paint: Paint = paintFor('stderr', options);
  const lines = new EventLines(look);
  const progress = new BoardProgress();
  return {
    listen: (event) => {
      progress.apply(event);
      // Whoever reads this has no width of their own, or wraps by themselves.
      if (event.type === 'began')
        writeLines([
          rootLine(options.root, paint),
          ...orchestrationLines(event.overview, paint, Number.POSITIVE_INFINITY),
        ]);
      writeLines(rowsOf(lines.linesOf(event), Number.POSITIVE_INFINITY, look));
      if (event.type === 'ended') writeSummary(event.summary, progress, options);
    },
    close: () => {},
  };
}

function writeLines(lines: readonly string[]): void {
  if (lines.length > 0) writeError(`${lines.join('\n')}\n`);
}

function writeSummary(summary: Summary, { skipped }: BoardProgress, options: FaceOptions): void {
  writeOutput(`${summaryLines(summary, paintFor('stdout', options), skipped).join('\n')}\n`);
}

/** One line: in JSON no string holds a newline, so each of them is between two values. The first and the last name the root. */
function jsonLine(event: OrchestrateEvent, { root }: FaceOptions): string {
  const named = event.type === 'began' || event.type === 'ended' ? { root, ...event } : event;
  return `${visibleJson(named).replace(/\n */g, '')}\n`;
}
