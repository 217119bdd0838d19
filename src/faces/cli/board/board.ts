import { now } from '../../../node/clock.js';
import type { OrchestrateEvent } from '../../../orchestrate/events.js';
import { boardRows } from './board-rows.js';
import { EventLines } from './lines.js';
import type { BoardProgress } from './progress.js';
import { openStage, type Stage } from './stage.js';

/** Elapsed times are shown in seconds. */
const TICK_MS = 1000;

export interface Board {
  stage: Stage;
  /** Once `progress` knows of it. */
  listen(event: OrchestrateEvent): void;
  /** Gives the terminal back: nothing but the lines that were printed is left on it. */
  close(): void;
}

/** A board of the run, and above it a line for whatever has ended. Undefined where there is no terminal for one. */
export function openBoard(options: { color: boolean }, progress: BoardProgress): Board | undefined {
  const stage = openStage(options, (size, look) =>
    progress.beganAt === undefined ? [] : boardRows(progress, now().getTime(), size, look),
  );
  if (stage === undefined) return undefined;
  const lines = new EventLines(stage.look);
  const clock = setInterval(() => stage.change(), TICK_MS);
  clock.unref();
  return {
    stage,
    listen: (event) => {
      const told = lines.linesOf(event);
      // That something was begun, and what is asked, is on the board and below it.
      const printed = event.type === 'started' || event.type === 'asked' ? [] : told;
      if (printed.length > 0) stage.print(printed);
      else stage.change();
    },
    close: () => {
      clearInterval(clock);
      stage.close();
      stage.tty.close();
    },
  };
}
