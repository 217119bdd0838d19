import { now } from '../../../node/clock.js';
import { isTerminal, writeError, writeOutput } from '../../../node/terminal/terminal.js';
import type { OrchestrateEvent, Summary } from '../../../orchestrate/events.js';
import type { Person } from '../../../orchestrate/orchestration.js';
import { type Paint, paintFor, rootLine, visibleJson } from '../output.js';
import { rowsOf, ruleLine } from '../terminal/line.js';
import { chooseLook, type Look } from '../terminal/look.js';
import { type BoardSize, openScreen } from '../terminal/screen.js';
import { boardRows } from './board-rows.js';
import { EventLines } from './lines.js';
import { orchestrationLines } from './overview-lines.js';
import { BoardProgress } from './progress.js';
import { openPerson, type PersonOptions, type SeatedPerson } from './questions.js';
import { summaryLines } from './summary-lines.js';

/** Elapsed times are shown in seconds. */
const TICK_MS = 1000;
/** Rows that the board may have while nobody is asked, however low the screen. */
const LEAST_ROWS = 2;

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

/** A board of the run, and above it a line for whatever has ended. Undefined where there is no terminal for one. */
function boardFace(options: FaceOptions): OrchestrateFace | undefined {
  const progress = new BoardProgress();
  let person: SeatedPerson | undefined;
  const look = chooseLook(options);
  const screen = openScreen(options, (size) => drawBoard(progress, person?.title, size, look));
  if (screen === undefined) return undefined;
  person = openPerson(screen, options, (id, isLater) => progress.setLater(id, isLater));
  const lines = new EventLines(look);
  const paint = paintFor('stderr', options);
  const clock = setInterval(() => screen.change(), TICK_MS);
  clock.unref();
  const close = () => {
    clearInterval(clock);
    person?.close();
    screen.close();
  };
  return {
    listen: (event) => {
      if (event.type === 'began')
        writeLines([
          rootLine(options.root, paint),
          ...orchestrationLines(event.overview, paint, screen.width),
        ]);
      progress.apply(event);
      const told = lines.linesOf(event);
      // That something was begun, and what is asked, is on the board and below it.
      screen.print(event.type === 'started' || event.type === 'asked' ? [] : told);
      if (event.type !== 'ended') return;
      close();
      writeSummary(event.summary, progress, options);
    },
    person,
    close,
  };
}

function drawBoard(
  progress: BoardProgress,
  title: string | undefined,
  { width, height }: BoardSize,
  look: Look,
): string[] {
  if (progress.beganAt === undefined) return [];
  const titles = title === undefined ? [] : rowsOf([ruleLine(title, look, width)], width, look);
  const most =
    title === undefined ? Math.max(LEAST_ROWS, Math.ceil((height * 2) / 3)) : height - titles.length;
  return [...boardRows(progress, now().getTime(), { width, height: most }, look), ...titles];
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
