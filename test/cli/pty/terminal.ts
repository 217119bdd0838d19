import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import xterm from '@xterm/headless';
import { onTestFinished } from 'vitest';
import { homeOf } from '../../folder.js';

const DRIVER = fileURLToPath(new URL('pty.py', import.meta.url));
/** Ends a test that waits for what never comes; no machine is that slow. */
const PATIENCE_MS = 300_000;

/** For the title of what is skipped: pseudo-terminals are made with python3's standard library. */
export const noPython =
  spawnSync('python3', ['-c', 'import pty, termios']).status === 0 ? '' : ' (skipped: there is no python3)';

export interface TerminalOptions {
  columns?: number;
  rows?: number;
  cwd: string;
  env?: Record<string, string>;
}

export interface TerminalEnd {
  exit: number | null;
  signal: number | null;
}

/** A program in a real pseudo-terminal, and the screen that a person would see. */
export class TestTerminal {
  readonly ended: Promise<TerminalEnd>;
  readonly #driver: ChildProcessWithoutNullStreams;
  readonly #screen: xterm.Terminal;
  #raw = '';
  #complaint = '';
  #waiting = new Set<() => void>();

  constructor(words: readonly string[], { columns = 80, rows = 24, cwd, env = {} }: TerminalOptions) {
    this.#screen = new xterm.Terminal({ cols: columns, rows, scrollback: 20_000, allowProposedApi: true });
    this.#driver = spawn('python3', [DRIVER, String(columns), String(rows), ...words], {
      cwd,
      env: {
        PATH: process.env.PATH,
        TMPDIR: tmpdir(),
        XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
        HOME: homeOf(cwd),
        TERM: 'xterm-256color',
        LANG: 'C.UTF-8',
        // Otherwise python3 makes every locale that it does not know one of UTF-8.
        PYTHONCOERCECLOCALE: '0',
        ...env,
      },
    });
    this.#driver.stdin.on('error', () => {});
    this.#driver.stderr.on('data', (chunk) => {
      this.#complaint += chunk;
    });
    this.ended = new Promise((resolve) => {
      createInterface(this.#driver.stdout).on('line', (line) => {
        const message = JSON.parse(line) as { data: string } | TerminalEnd;
        if ('data' in message) this.#show(Buffer.from(message.data, 'base64'));
        else this.#screen.write('', () => resolve(message));
      });
    });
    onTestFinished(() => {
      this.#driver.kill('SIGKILL');
      this.#screen.dispose();
    });
  }

  /** The rows of the screen, without the blanks at their ends. */
  rows(): string[] {
    const { buffer, rows } = this.#screen;
    return Array.from({ length: rows }, (_, at) =>
      (buffer.active.getLine(buffer.active.baseY + at)?.translateToString(true) ?? '').trimEnd(),
    );
  }

  text(): string {
    return this.rows().join('\n').trimEnd();
  }

  /** With what has gone up and out of the screen. */
  history(): string {
    const { active } = this.#screen.buffer;
    return Array.from(
      { length: active.length },
      (_, at) => active.getLine(at)?.translateToString(true).trimEnd() ?? '',
    ).join('\n');
  }

  /** Everything that was sent to the terminal, as it was sent. */
  get raw(): string {
    return this.#raw;
  }

  get cursor(): { row: number; column: number } {
    const { active } = this.#screen.buffer;
    return { row: active.cursorY, column: active.cursorX };
  }

  /** Whether the first cell of this text on the screen is coloured. */
  isColoured(text: string): boolean {
    const { active } = this.#screen.buffer;
    const row = this.rows().findIndex((line) => line.includes(text));
    const cell = active.getLine(active.baseY + row)?.getCell(this.rows()[row]!.indexOf(text));
    return cell !== undefined && (!cell.isFgDefault() || cell.isBold() !== 0 || cell.isInverse() !== 0);
  }

  /** Waits until the screen shows this. */
  async shows(wanted: string | RegExp): Promise<void> {
    const holds = (text: string) => (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text));
    await this.until(() => holds(this.text()), `${wanted}`);
  }

  /** Sends a key until the screen shows this: a key that comes before a question reads keys is ignored. */
  async press(key: string, wanted: RegExp): Promise<void> {
    const again = setInterval(() => this.send(key), 500);
    try {
      this.send(key);
      await this.shows(wanted);
    } finally {
      clearInterval(again);
    }
  }

  async showsNoMore(unwanted: string): Promise<void> {
    await this.until(() => !this.text().includes(unwanted), `no ${unwanted}`);
  }

  async until(holds: () => boolean, what: string): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    while (!holds()) {
      if (Date.now() > deadline)
        throw new Error(`The screen never showed ${what}; it shows:\n${this.text()}${this.#complaint}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 200);
        this.#waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  /** Types this, in one go. */
  send(typed: string): void {
    this.#command({ send: Buffer.from(typed).toString('base64') });
  }

  resize(columns: number, rows: number): void {
    this.#screen.resize(columns, rows);
    this.#command({ resize: [columns, rows] });
  }

  signal(name: string): void {
    this.#command({ signal: name });
  }

  close(): void {
    this.#command({ close: true });
  }

  #command(command: object): void {
    this.#driver.stdin.write(`${JSON.stringify(command)}\n`);
  }

  #show(bytes: Buffer): void {
    this.#raw += bytes.toString('latin1');
    this.#screen.write(bytes, () => {
      for (const wake of this.#waiting) wake();
      this.#waiting.clear();
    });
  }
}
