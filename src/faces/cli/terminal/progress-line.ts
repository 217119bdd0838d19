import { groupDigits } from '../../../core/text.js';
import { monotonicMs } from '../../../node/clock.js';
import { isTerminal, terminalWidth, writeError } from '../../../node/terminal/terminal.js';
import type { RunListener } from '../../../runs/events.js';
import type { CommitProgress } from '../../../workspace/commit/change.js';
import type { Workspace } from '../../../workspace/workspace.js';
import { chooseLook, type Look } from '../output.js';
import { spellTime } from '../words.js';
import { foreignLine, type Line, layOut, paintRow } from './line.js';

// A status line for long work: spinner, activity, progress and elapsed time. Drawn only if standard error is
// a terminal that can redraw in place; removed at the end.

/** `3 of 10 files`, `4.2 of 10.0 MB`; only the amount so far without `of`. */
export interface Headway {
  done: number;
  of?: number | undefined;
  unit: 'bytes' | (string & {});
}

export interface ProgressLine {
  /** Can be called at any rate, even by code that never yields. */
  update(what: string, headway?: Headway): void;
  /** Writes whole lines to standard error, above the progress line. */
  print(text: string): void;
  end(): void;
}

export interface ProgressOptions {
  color: boolean;
  /** No line is shown for shorter work. */
  afterMs?: number;
  /** Replaces the line, or clears it for undefined. Default: standard error. */
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
  if (unit !== 'bytes') return `${whole(groupDigits)} ${unit}`;
  const [size, name] = SIZES.find(([least]) => (of ?? done) >= least) ?? [1, 'bytes'];
  return `${whole((bytes) => (size === 1 ? String(bytes) : (bytes / size).toFixed(1)))} ${name}`;
}

const WORDS: Record<CommitProgress['phase'], string> = {
  copying: 'Saving copies of the old files',
  staging: 'Preparing the new files',
  placing: 'Writing files',
  recovering: 'Completing an interrupted change',
  recording: 'Recording files for undo',
};

/** Does some work on the files of a project, and shows at a terminal how far it is if it takes long. */
export async function showProgress<T>(
  workspace: Workspace,
  what: string,
  options: { color: boolean },
  work: () => Promise<T>,
): Promise<T> {
  const line = startProgress(what, options);
  workspace.onProgress = (progress) => updateLine(line, progress);
  try {
    return await work();
  } finally {
    workspace.onProgress = undefined;
    line.end();
  }
}

/** Shows how far a large commit of a run is, until the run has something to report. */
export function showCommits(
  workspace: Workspace,
  listen: RunListener,
  options: ProgressOptions,
): { listen: RunListener; close(): void } {
  let line: ProgressLine | undefined;
  const end = () => {
    line?.end();
    line = undefined;
  };
  workspace.onProgress = (progress) => {
    line ??= startProgress(WORDS[progress.phase], options);
    updateLine(line, progress);
  };
  return {
    listen(event) {
      end();
      listen(event);
    },
    close() {
      workspace.onProgress = undefined;
      end();
    },
  };
}

function updateLine(line: ProgressLine, { phase, done, of }: CommitProgress): void {
  line.update(WORDS[phase], { done, of, unit: 'files' });
}
