// One line about long work: a spinner, what is being done, how far it is and how long it has taken. It is drawn only
// where standard error is a terminal that can draw in place, and nothing of it is left at the end.
import { monotonicMs } from '../../../node/clock.js';
import { isTerminal, terminalWidth, writeError } from '../../../node/terminal/terminal.js';
import { countWords, spellTime } from '../words.js';
import { foreignLine, type Line, layOut, paintRow } from './line.js';
import { chooseLook, type Look } from './look.js';

/** How far the work is: `3 of 10 files`, `4.2 of 10.0 MB`; without `of`, what there is so far. */
export interface Headway {
  done: number;
  of?: number | undefined;
  unit: 'bytes' | (string & {});
}

export interface ProgressLine {
  /** May be called as often as there is something new, also from work that never yields. */
  update(what: string, headway?: Headway): void;
  /** Writes whole lines to standard error, above the progress line. */
  print(text: string): void;
  end(): void;
}

export interface ProgressOptions {
  color: boolean;
  /** Work that takes less shows nothing. */
  afterMs?: number;
  /** Draws the line in place of the one before, undefined to clear it; default: on standard error. */
  draw?: ((line: Line | undefined) => void) | undefined;
}

interface Progress {
  what: string;
  headway?: Headway | undefined;
}

const FRAME_MS = 100;
const CLEAR_ROW = '\r\u001b[K';

export function startProgress(what: string, { color, afterMs = 300, draw }: ProgressOptions): ProgressLine {
  const look = chooseLook({ color });
  const drawLine = draw ?? drawerOnStderr(look);
  if (drawLine === undefined) return { update: () => {}, print: writeError, end: () => {} };

  const startedAt = monotonicMs();
  let current: Progress = { what };
  let nextAt = startedAt + afterMs;
  let isDrawn = false;
  const show = () => {
    const at = monotonicMs();
    if (at < nextAt) return;
    nextAt = at + FRAME_MS;
    isDrawn = true;
    drawLine(progressLine(current, at - startedAt, look));
  };
  const clear = () => {
    if (isDrawn) drawLine(undefined);
    isDrawn = false;
  };
  const timer = setInterval(show, FRAME_MS);
  timer.unref();
  return {
    update(what, headway) {
      current = { what, headway };
      show();
    },
    print(text) {
      clear();
      writeError(text);
    },
    end() {
      clearInterval(timer);
      clear();
    },
  };
}

function drawerOnStderr(look: Look): ProgressOptions['draw'] {
  if (!look.inPlace || !isTerminal('stderr')) return undefined;
  return (line) => {
    const row = line === undefined ? '' : paintRow(layOut(line, terminalWidth('stderr') - 1)[0]!, look);
    writeError(`${CLEAR_ROW}${row}`);
  };
}

/** `⠹ Asking qwen3 · 120 tokens · 12s` */
function progressLine({ what, headway }: Progress, ms: number, look: Look): Line {
  const { spinner, dot } = look.glyphs;
  const frame = spinner[Math.floor(ms / FRAME_MS) % spinner.length]!;
  const facts = [
    ...(headway === undefined ? [] : [headwayWords(headway)]),
    ...(ms < 1000 ? [] : [spellTime(ms)]),
  ];
  const spans = [
    ...foreignLine(what, look),
    { text: facts.map((fact) => ` ${dot} ${fact}`).join(''), style: 'dim' as const },
  ];
  return { lead: [{ text: `${frame} `, style: 'accent' }], more: [], spans, wrap: 'cells' };
}

const SIZES: readonly [number, string][] = [
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'kB'],
];

function headwayWords({ done, of, unit }: Headway): string {
  const whole = (words: (amount: number) => string) =>
    of === undefined ? words(done) : `${words(done)} of ${words(of)}`;
  if (unit !== 'bytes') return `${whole(countWords)} ${unit}`;
  const [size, name] = SIZES.find(([least]) => (of ?? done) >= least) ?? [1, 'bytes'];
  return `${whole((bytes) => (size === 1 ? String(bytes) : (bytes / size).toFixed(1)))} ${name}`;
}
