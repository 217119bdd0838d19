import { now } from '../../../node/clock.js';
import { isTerminal, writeError, writeOutput } from '../../../node/terminal/terminal.js';
import type { OrchestrateEvent, OrchestrationOverview, Summary } from '../../../orchestrate/events.js';
import type { Person } from '../../../orchestrate/orchestration.js';
import { chooseLook, type Look, paintFor, rootLine, visibleJson } from '../output.js';
import { cutToWidth, foreignLine, prose, rowsOf, ruleLine } from '../terminal/line.js';
import { Panel } from '../terminal/panel.js';
import { type BoardSize, openScreen, type Screen } from '../terminal/screen.js';
import { plural } from '../words.js';
import { boardRows } from './board-rows.js';
import { EventLines } from './lines.js';
import { isOpenState, orchestrationLines } from './overview-lines.js';
import { BoardProgress } from './progress.js';
import { openPerson, type PersonOptions, type SeatedPerson } from './questions.js';
import { summaryLines } from './summary-lines.js';

/** Elapsed times are shown in seconds. */
const TICK_MS = 1000;
/** The minimum height of the board while no question is open. */
const LEAST_ROWS = 2;

export interface FaceOptions extends Omit<PersonOptions, 'board'> {
  json: boolean;
  color: boolean;
}

/** Shows a run and asks its questions. */
export interface OrchestrateFace {
  listen(event: OrchestrateEvent): void;
  /** Undefined without a terminal; `teddy task resolve` always works. */
  person?: Person;
  /** Shows the overview and asks whether to start. */
  approve(overview: OrchestrationOverview): Promise<StartAnswer>;
  /** Restores the terminal. May be called again. */
  close(): void;
}

export type StartAnswer = 'yes' | 'no' | 'interrupted' | 'no-terminal';

/** A board at a terminal, lines elsewhere, JSON with --json. The summary goes to standard output. */
export function createOrchestrateFace(options: FaceOptions): OrchestrateFace {
  if (options.json)
    return {
      listen: (event) => writeOutput(jsonLine(event, options)),
      approve: (overview) => approveOnce(overview, options),
      close: () => {},
    };
  return (isTerminal('stderr') ? boardFace(options) : undefined) ?? linesFace(options);
}

/** A board with a log above it; undefined without a terminal. */
function boardFace(options: FaceOptions): OrchestrateFace | undefined {
  const progress = new BoardProgress();
  const look = chooseLook(options);
  const screen = openScreen(options, (size) => drawBoard(progress, person.title, size, look));
  if (screen === undefined) return undefined;
  const person: SeatedPerson = openPerson(screen, { ...options, board: progress }, (id, isLater) =>
    progress.setLater(id, isLater),
  );
  const lines = new EventLines(look);
  let isShown = false;
  const clock = setInterval(() => screen.change(), TICK_MS);
  clock.unref();
  const close = () => {
    clearInterval(clock);
    person.close();
    screen.close();
  };
  return {
    listen: (event) => {
      if (event.type === 'began') {
        if (!isShown) writeOverview(event.overview, screen.width, options);
        person.start();
      }
      progress.apply(event);
      // The board shows what started, and questions are shown below it.
      screen.print(event.type === 'started' || event.type === 'asked' ? [] : lines.linesOf(event));
      if (event.type !== 'ended') return;
      close();
      writeSummary(event.summary, progress, options);
    },
    person,
    async approve(overview) {
      writeOverview(overview, screen.width, options);
      isShown = true;
      return askToStart(screen, overview);
    },
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
  const rows = boardRows(progress, now().getTime(), { width, height: most }, look);
  const isRoomy = rows.length > 1 && rows.length < most;
  const keys = title === undefined && isRoomy ? [keysRow(look, width, progress.stopping)] : [];
  return [...rows, ...keys, ...titles];
}

/** Help for the keys of the board. */
function keysRow(look: Look, width: number, stopping: BoardProgress['stopping']): string {
  const { dot, updown } = look.glyphs;
  const stop = stopping === undefined ? 'stop' : 'end the running tasks';
  const last = stopping?.ending ? '' : ` ${dot} Ctrl-C ${stop}`;
  const words = `${updown} select ${dot} o output ${dot} d changes${last}`;
  return look.paint('dim', cutToWidth(words, width));
}

function linesFace(options: FaceOptions): OrchestrateFace {
  const onTerminal = isTerminal('stderr');
  const look = chooseLook({ color: options.color && onTerminal });
  let isShown = false;
  const lines = new EventLines(look);
  const progress = new BoardProgress();
  return {
    listen: (event) => {
      progress.apply(event);
      // Logs have no width, and terminals wrap by themselves.
      if (event.type === 'began' && !isShown)
        writeOverview(event.overview, Number.POSITIVE_INFINITY, options);
      writeLines(rowsOf(lines.linesOf(event), Number.POSITIVE_INFINITY, look));
      if (event.type === 'ended') writeSummary(event.summary, progress, options);
    },
    async approve(overview) {
      isShown = true;
      return approveOnce(overview, options);
    },
    close: () => {},
  };
}

/** Asks on a temporary screen, without a board. */
async function approveOnce(overview: OrchestrationOverview, options: FaceOptions): Promise<StartAnswer> {
  const screen = openScreen(options);
  if (screen === undefined) return 'no-terminal';
  try {
    writeOverview(overview, screen.width, options);
    return await askToStart(screen, overview);
  } finally {
    screen.close();
  }
}

async function askToStart(screen: Screen, { executor, plans }: OrchestrationOverview): Promise<StartAnswer> {
  const open = plans.flatMap(({ tasks }) => tasks).filter(({ status }) => isOpenState(status));
  // There is nothing to approve: the run ends at once, or asks what is left to answer.
  if (open.length === 0) return 'yes';
  // Checkpoints are the user's, whatever the executor.
  const tasks = open.filter(({ isCheckpoint }) => !isCheckpoint);
  const canStart = tasks.some(({ status }) => status === 'ready');
  const question =
    tasks.length === 0
      ? `Continue with ${plural(open.length, 'checkpoint')}?`
      : `${canStart ? 'Start' : 'Continue'} ${plural(tasks.length, 'task')} with the executor ${executor}?`;
  screen.openKeyboard();
  const key = await new Panel(screen, {
    build: () => [prose(foreignLine(question, screen.look, 'strong'), 0)],
    choices: [
      { key: 'y', label: canStart ? 'start' : 'continue' },
      { key: 'n', label: 'cancel', also: ['q', 'escape'] },
    ],
  }).ask();
  screen.endAsking();
  screen.closeKeyboard();
  if (key === 'y') return 'yes';
  return key === 'n' ? 'no' : 'interrupted';
}

function writeOverview(overview: OrchestrationOverview, width: number, options: FaceOptions): void {
  const paint = paintFor('stderr', options);
  writeLines([rootLine(options.root, paint), ...orchestrationLines(overview, paint, width)]);
}

function writeLines(lines: readonly string[]): void {
  if (lines.length > 0) writeError(`${lines.join('\n')}\n`);
}

function writeSummary(summary: Summary, { skipped }: BoardProgress, options: FaceOptions): void {
  writeOutput(`${summaryLines(summary, paintFor('stdout', options), skipped).join('\n')}\n`);
}

/** One line: JSON strings contain no newline, so every newline is between values. The first and the last event name the root. */
function jsonLine(event: OrchestrateEvent, { root }: FaceOptions): string {
  const named = event.type === 'began' || event.type === 'ended' ? { root, ...event } : event;
  return `${visibleJson(named).replace(/\n */g, '')}\n`;
}
