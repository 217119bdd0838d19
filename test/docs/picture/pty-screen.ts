import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import xterm from '@xterm/headless';
import type { Cell } from './cell.js';

const PATIENCE_MS = 20_000;

export interface ScreenOptions {
  columns: number;
  rows: number;
  cwd: string;
  env: Record<string, string>;
}

/** A program in a real pseudo-terminal; unlike the tests' own terminal it can be used outside of a test. */
export class PtyScreen {
  readonly #driver: ChildProcessWithoutNullStreams;
  readonly #screen: xterm.Terminal;
  readonly #ended: Promise<void>;
  #complaint = '';

  constructor(root: string, words: readonly string[], { columns, rows, cwd, env }: ScreenOptions) {
    this.#screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
    const driver = join(root, 'test/cli/pty/pty.py');
    this.#driver = spawn('python3', [driver, String(columns), String(rows), ...words], { cwd, env });
    this.#ended = new Promise((resolve) => {
      this.#driver.on('close', () => resolve());
      this.#driver.on('error', (error) => {
        this.#complaint += error.message;
        resolve();
      });
    });
    this.#driver.stdin.on('error', () => {});
    this.#driver.stderr.on('data', (chunk) => {
      this.#complaint += chunk;
    });
    createInterface(this.#driver.stdout).on('line', (line) => {
      const message = JSON.parse(line) as { data?: string };
      if (message.data !== undefined) this.#screen.write(Buffer.from(message.data, 'base64'));
    });
  }

  async shows(wanted: RegExp): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    while (!wanted.test(this.text())) {
      if (Date.now() > deadline)
        throw new Error(`The screen never showed ${wanted}; it shows:\n${this.text()}${this.#complaint}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  type(keys: string): void {
    this.#driver.stdin.write(`${JSON.stringify({ send: Buffer.from(keys).toString('base64') })}\n`);
  }

  text(): string {
    return this.cells()
      .map((row) =>
        row
          .map(({ text }) => text)
          .join('')
          .trimEnd(),
      )
      .join('\n');
  }

  /** Row by row; a wide character is one cell of width 2. */
  cells(): Cell[][] {
    const { active } = this.#screen.buffer;
    return Array.from({ length: this.#screen.rows }, (_, at) => {
      const line = active.getLine(active.baseY + at);
      return Array.from({ length: this.#screen.cols }, (_, column) => line?.getCell(column)).flatMap(
        (cell, column): Cell[] => (cell && cell.getWidth() > 0 ? [readCell(cell, column)] : []),
      );
    });
  }

  /** Ends the review with Ctrl-C, and waits until the program is gone. */
  async close(): Promise<void> {
    const patience = setTimeout(() => this.#driver.kill('SIGKILL'), PATIENCE_MS);
    this.type('\u0003');
    await this.#ended;
    clearTimeout(patience);
    this.#screen.dispose();
  }
}

function readCell(cell: xterm.IBufferCell, column: number): Cell {
  if (cell.isFgRGB() || (cell.isFgPalette() && cell.getFgColor() > 15) || !cell.isBgDefault())
    throw new Error('The picture knows the sixteen colours of a terminal, for letters alone.');
  return {
    column,
    width: cell.getWidth(),
    text: cell.getChars() || ' ',
    colour: cell.isFgDefault() ? null : cell.getFgColor(),
    bold: cell.isBold() !== 0,
    dim: cell.isDim() !== 0,
    italic: cell.isItalic() !== 0,
    inverse: cell.isInverse() !== 0,
  };
}
