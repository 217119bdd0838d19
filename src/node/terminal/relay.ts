import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { UserError } from '../errors.js';
import type { ProcessMark } from '../process/process-table.js';
import {
  openPseudoTerminal,
  type PseudoTerminal,
  type TerminalCommand,
  type TerminalEnd,
} from '../process/pseudo-terminal.js';
import { ColourWatch, RESET, RESET_COLOURS } from './reset.js';
import { onSignals } from './terminal.js';
import { openTty, type Tty } from './tty.js';

export interface RelayOptions {
  /** Called before the program starts, to record its processes. If it throws, the program does not start. */
  onStart(mark: ProcessMark): void;
  /** The terminal was closed, or this process was asked to end. */
  onEnded(mark: ProcessMark): void;
}

/**
 * Runs a program in a pseudo-terminal connected to this process's terminal: keys, output, window size, Ctrl-C and Ctrl-Z
 * work as without teddy. The terminal is restored however this process ends. Throws `UserError`.
 */
export async function runAtTerminal(
  command: TerminalCommand,
  { onStart, onEnded }: RelayOptions,
): Promise<TerminalEnd> {
  const tty = openTty();
  if (tty === undefined) throw new UserError('There is no terminal.');
  let stopListening = () => {};
  const guardian = guardTerminal();
  // A listener keeps this process alive, so that the program can end first.
  const forget = onSignals(() => {});
  try {
    const pty = openPseudoTerminal(command, tty.size());
    onStart(pty.mark);
    const colours = new ColourWatch();
    stopListening = connect(tty, pty, colours, () => onEnded(pty.mark));
    const end = await pty.ended;
    stopListening();
    tty.write(colours.hasChanged ? RESET + RESET_COLOURS : RESET);
    return end;
  } finally {
    stopListening();
    forget();
    guardian.release();
    tty.close();
  }
}

function connect(tty: Tty, pty: PseudoTerminal, colours: ColourWatch, onEnded: () => void): () => void {
  let size = tty.size();
  let isStopped = false;
  const stop = tty.listen(
    {
      bytes: (bytes) => pty.type(bytes),
      redraw: () => {
        const next = tty.size();
        // A program redraws the screen when the window's size changes, so it is changed and restored.
        if (next.columns === size.columns && next.rows === size.rows && !isStopped)
          pty.resize({ ...next, rows: Math.max(1, next.rows - 1) });
        size = next;
        pty.resize(size);
        if (isStopped) pty.resume();
        isStopped = false;
      },
      leaving: () => {},
      ended: onEnded,
    },
    { exact: true },
  );
  pty.begin({
    output: (bytes) => {
      colours.see(bytes);
      tty.writeBytes(bytes);
    },
    stopped: () => {
      isStopped = true;
      tty.stop();
    },
  });
  return stop;
}

/** Restores the terminal if this process is killed: its end of a pipe is closed then. */
const GUARDIAN = `
trap "" HUP INT QUIT TERM TSTP TTIN TTOU
IFS= read -r _ && exit
stty "$1" <&4
printf %s "$2" >&4`;

function guardTerminal(): { release(): void } {
  let child: ChildProcess;
  try {
    const terminal = openSync('/dev/tty', 'r+');
    const { spawn, spawnSync } = process.getBuiltinModule('node:child_process');
    const env = { PATH: process.env.PATH };
    const mode = spawnSync('stty', ['-g'], { stdio: [terminal, 'pipe', 'ignore'], env, encoding: 'utf8' });
    child = spawn('/bin/sh', ['-c', GUARDIAN, 'sh', (mode.stdout ?? '').trim(), RESET], {
      stdio: ['pipe', 'ignore', 'ignore', 'ignore', terminal],
      env,
    });
    closeSync(terminal);
    child.on('error', () => {});
    child.stdin?.on('error', () => {});
  } catch {
    return { release: () => {} };
  }
  return {
    release: () => {
      child.stdin?.end('\n');
      child.unref();
    },
  };
}
