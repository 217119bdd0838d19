import { closeSync, constants, openSync } from 'node:fs';
import type { ReadStream } from 'node:tty';
import { environment, writeWhole } from './terminal.js';

const TERMINAL = '/dev/tty';
/** Long enough for the stop to take effect; a process that cannot be stopped continues. */
const STOP_MS = 50;
const ENDING = ['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

interface TtySize {
  columns: number;
  rows: number;
}

/** Listens to the terminal. None of these may throw. */
interface TtyListener {
  /** As typed: nothing is echoed, and Ctrl-C is a byte like any other. */
  bytes(chunk: Uint8Array): void;
  /** The screen must be drawn again: its size changed, or this process was stopped and continues. */
  redraw(): void;
  /** Called right before the terminal returns to its usual mode, for whatever reason: the last chance to write to it. */
  leaving(): void;
  /** The terminal was closed. */
  ended(): void;
}

/** The terminal that this process was started from, wherever its standard streams lead. */
export interface Tty {
  size(): TtySize;
  /** Returns when all of it is written. It is not an error if the terminal has closed. */
  write(text: string): void;
  /** Any bytes; in `exact` mode they arrive unchanged. */
  writeBytes(bytes: Uint8Array): void;
  /**
   * Raw mode, with every key sent to `listener`, until the returned function is called or this process ends. `exact`:
   * output is not changed either, while the terminal otherwise converts newlines.
   */
  listen(listener: TtyListener, options?: { exact?: boolean }): () => void;
  /** Ctrl-Z: stops the whole job, with the terminal restored, until its shell continues it. */
  stop(): void;
  close(): void;
}

/** Undefined if this process has no controlling terminal. */
export function openTty(): Tty | undefined {
  const output = openTerminal(constants.O_WRONLY);
  return output === undefined ? undefined : new ControllingTty(output);
}

/** Whether this process has a controlling terminal. */
export function hasTerminal(): boolean {
  const terminal = openTerminal(constants.O_WRONLY);
  if (terminal === undefined) return false;
  closeSync(terminal);
  return true;
}

function openTerminal(flags: number): number | undefined {
  try {
    return openSync(TERMINAL, flags | constants.O_NOCTTY);
  } catch {
    return undefined;
  }
}

class ControllingTty implements Tty {
  readonly #output: number;
  #size: TtySize | undefined;
  #listener: TtyListener | undefined;
  #input: ReadStream | undefined;
  #stopped: NodeJS.Timeout | undefined;
  #isExact = false;

  constructor(output: number) {
    this.#output = output;
    process.on('SIGWINCH', this.#onResize);
  }

  size(): TtySize {
    this.#size ??= measure();
    return this.#size;
  }

  write(text: string): void {
    writeWhole(this.#output, text);
  }

  writeBytes(bytes: Uint8Array): void {
    writeWhole(this.#output, bytes);
  }

  listen(listener: TtyListener, { exact = false } = {}): () => void {
    this.#listener = listener;
    this.#isExact = exact;
    process.on('exit', this.#leave);
    for (const signal of ENDING) process.on(signal, this.#onEnding);
    process.on('SIGINT', this.#onInterrupt);
    process.on('SIGTSTP', this.#onStop);
    process.on('SIGCONT', this.#onContinue);
    this.#listen();
    return () => {
      if (this.#listener !== listener) return;
      this.#leave();
      this.#forgetSignals();
      this.#listener = undefined;
    };
  }

  stop(): void {
    this.#leave();
    process.off('SIGTSTP', this.#onStop);
    process.kill(0, 'SIGTSTP');
    this.#stopped = setTimeout(() => {
      this.#stopped = undefined;
      if (this.#listener === undefined) return;
      process.on('SIGTSTP', this.#onStop);
      this.#size = undefined;
      this.#listen();
      this.#listener.redraw();
    }, STOP_MS);
  }

  close(): void {
    this.#leave();
    this.#forgetSignals();
    this.#listener = undefined;
    process.off('SIGWINCH', this.#onResize);
    try {
      closeSync(this.#output);
    } catch {}
  }

  #listen(): void {
    const listener = this.#listener;
    const file = openTerminal(constants.O_RDWR);
    if (file === undefined) {
      queueMicrotask(() => listener?.ended());
      return;
    }
    // A new stream each time: a paused one would still take the editor's input.
    const { ReadStream } = process.getBuiltinModule('node:tty');
    const input = new ReadStream(file);
    this.#input = input;
    input.on('error', () => listener?.ended());
    input.on('end', () => listener?.ended());
    input.on('data', (chunk: Uint8Array) => {
      if (this.#input === input) listener?.bytes(chunk);
    });
    this.#setRaw(input);
  }

  /** Leaving raw mode restores everything. */
  #setRaw(input: ReadStream): void {
    input.setRawMode(true);
    if (!this.#isExact) return;
    const file = openTerminal(constants.O_RDWR);
    if (file === undefined) return;
    const { spawnSync } = process.getBuiltinModule('node:child_process');
    spawnSync('stty', ['-opost'], { stdio: [file, 'ignore', 'ignore'] });
    closeSync(file);
  }

  readonly #leave = (): void => {
    clearTimeout(this.#stopped);
    const input = this.#input;
    if (input === undefined) return;
    this.#input = undefined;
    this.#listener?.leaving();
    input.removeAllListeners();
    input.on('error', () => {});
    try {
      input.setRawMode(false);
    } catch {}
    input.destroy();
  };

  #forgetSignals(): void {
    process.off('exit', this.#leave);
    for (const signal of ENDING) process.off(signal, this.#onEnding);
    process.off('SIGINT', this.#onInterrupt);
    process.off('SIGTSTP', this.#onStop);
    process.off('SIGCONT', this.#onContinue);
  }

  /** A listener suppresses the signal's usual effect, so it is sent again; if others listen too, they decide. */
  readonly #onEnding = (signal: NodeJS.Signals): void => {
    const listener = this.#listener;
    this.#leave();
    this.#forgetSignals();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    // The process is asked to end: stop waiting for a key.
    else listener?.ended();
  };

  /** A signal from elsewhere means the same as the key. */
  readonly #onInterrupt = (): void => this.#listener?.bytes(Uint8Array.of(3));

  readonly #onStop = (): void => this.stop();

  /** Stopped by another process: the terminal may have been left in another mode meanwhile. */
  readonly #onContinue = (): void => {
    if (this.#input === undefined) return;
    this.#input.setRawMode(false);
    this.#setRaw(this.#input);
    this.#size = undefined;
    this.#listener?.redraw();
  };

  readonly #onResize = (): void => {
    this.#size = undefined;
    if (this.#input !== undefined) this.#listener?.redraw();
  };
}

/** Some terminals do not know their own size, and say 0. */
function measure(): TtySize {
  const { columns = 0, rows = 0 } = askSize() ?? {};
  return {
    columns: columns || Number(environment('COLUMNS')) || 80,
    rows: rows || Number(environment('LINES')) || 24,
  };
}

function askSize(): TtySize | undefined {
  const file = openTerminal(constants.O_RDWR);
  if (file === undefined) return undefined;
  try {
    const { WriteStream } = process.getBuiltinModule('node:tty');
    const stream = new WriteStream(file);
    const { columns, rows } = stream;
    stream.destroy();
    return { columns, rows };
  } catch {
    return undefined;
  }
}
