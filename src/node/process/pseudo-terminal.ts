import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Duplex } from 'node:stream';
import { sleep } from '../clock.js';
import { UserError } from '../errors.js';
import { closeInherited, makeToken, markProcess, type ProcessMark, withToken } from './process-table.js';
import { AWAIT_START, GATE_STREAM, onLines } from './run.js';

// A program in a terminal of its own: it can neither type into teddy's terminal nor change its modes.

export interface TerminalSize {
  columns: number;
  rows: number;
}

/** A program, made by `underJobControl` and possibly wrapped further. */
export interface TerminalCommand {
  program: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment: nothing is inherited. */
  env: Readonly<Record<string, string | undefined>>;
}

interface TerminalListener {
  /** Receives output as it comes; more only after it has returned. */
  output(bytes: Uint8Array): void;
  /** The program has stopped, as Ctrl-Z makes it; `resume` continues it. */
  stopped(): void;
}

/** 128 plus the signal's number if a signal ended it, as in shells. */
export type TerminalEnd = { exitCode: number };

export interface PseudoTerminal {
  /** Of all that was started in it. */
  readonly mark: ProcessMark;
  /** Starts the program. */
  begin(listener: TerminalListener): void;
  /** Resolves when the program has ended and the listener has received all output. */
  readonly ended: Promise<TerminalEnd>;
  type(bytes: Uint8Array): void;
  resize(size: TerminalSize): void;
  resume(): void;
}

/** The calls of node-pty 1.1 used here. Its own class loses output that is not read 200 ms after the program's end. */
interface Addon {
  open(columns: number, rows: number): { master: number; slave: number; pty: string };
  resize(master: number, columns: number, rows: number): void;
}

const PTY_PACKAGE = '@lydell/node-pty';
/** For output in transit when the program has ended. */
const REPORT_MS = 200;
/** More than the kernel buffers of a terminal's output: anything beyond it is from a background program. */
const MOST_LEFT = 1024 * 1024;

/** Opens the terminal as the controlling one of its session. */
const LEADER = 'exec <>"$1" >&0 2>&0; shift; exec "$@"';

/**
 * A shell that gives the program its own process group: Ctrl-C reaches only the program, and it can be suspended.
 * It reports both on its fourth stream, since shells of other process namespaces cannot end with the program's exit code.
 */
const JOB_CONTROL = `
${AWAIT_START}
trap : HUP INT QUIT TERM
set -m
exec 4>&2 2>/dev/null
"$@" 2>&4 3>&- 4>&-
code=$?
while jobs %1 >/dev/null; do
  echo stopped >&3
  IFS= read -r _ <&3 || exit
  fg %1 >/dev/null
  code=$?
done
echo "$code" >&3
exit "$code"`;

/** The command to start in a pseudo-terminal, so that a program runs as at a shell's prompt. */
export function underJobControl(program: string, args: readonly string[]): [string, ...string[]] {
  return ['/bin/sh', '-c', JOB_CONTROL, 'sh', program, ...args];
}

/** A terminal with a program that waits for `begin`. Throws `UserError` if the system offers no pseudo-terminal. */
export function openPseudoTerminal(command: TerminalCommand, size: TerminalSize): PseudoTerminal {
  const addon = loadAddon();
  const opened = addon.open(size.columns, size.rows);
  const token = makeToken();
  const child = startIn(opened, command, token);
  const channel = child.stdio[GATE_STREAM] as Duplex;
  channel.on('error', () => {});
  const { ReadStream } = process.getBuiltinModule('node:tty');
  const terminal = new ReadStream(opened.master);
  terminal.on('error', () => terminal.destroy());
  let listener: TerminalListener | undefined;
  let received = 0;
  terminal.on('data', (bytes: Uint8Array) => {
    received += bytes.length;
    listener?.output(bytes);
  });
  let reported: number | undefined;
  let isReady = false;
  const begin = (isNowReady = true) => {
    isReady ||= isNowReady;
    if (isReady && listener) channel.write('\n');
  };
  onLines(channel, (line) => {
    if (line === 'ready') begin();
    else if (line === 'stopped') listener?.stopped();
    else if (/^\d{1,3}$/.test(line)) reported = Number(line);
  });
  const isReported = new Promise<void>((resolve) => channel.once('close', () => resolve()));
  const ended = childExitCode(child).then(async (exitCode) => {
    await drain(() => received);
    closeSync(opened.slave);
    terminal.destroy();
    await Promise.race([isReported, sleep(REPORT_MS)]);
    channel.destroy();
    return { exitCode: reported ?? exitCode };
  });
  return {
    mark: markProcess(child.pid!, token),
    begin: (next) => {
      listener = next;
      begin(isReady);
    },
    ended,
    type: (bytes) => void (terminal.destroyed || terminal.write(bytes)),
    resize: ({ columns, rows }) => {
      if (!terminal.destroyed) addon.resize(opened.master, columns, rows);
    },
    resume: () => void channel.write('\n'),
  };
}

/**
 * Waits until the terminal's output was read. It is still open here: on close, Node drops what it has read and not
 * yet given to anyone.
 */
async function drain(received: () => number): Promise<void> {
  const first = received();
  for (let idle = 0, before = first; idle < 3 && received() - first < MOST_LEFT; before = received()) {
    await sleep(5);
    idle = received() === before ? idle + 1 : 0;
  }
}

function startIn(
  { master, slave, pty }: ReturnType<Addon['open']>,
  { program, args, cwd, env }: TerminalCommand,
  token: string,
): ChildProcess {
  const nothing = openSync('/dev/null', 'r');
  try {
    const { spawn } = process.getBuiltinModule('node:child_process');
    // The program must inherit neither end of the terminal, or it would never hang up.
    const stdio: (number | 'ignore' | 'pipe')[] = Array(Math.max(master, slave) + 1).fill('ignore');
    stdio[GATE_STREAM] = 'pipe';
    for (const file of [master, slave]) stdio[file] = nothing;
    const words = ['-c', LEADER, 'sh', pty, program, ...args];
    const child = spawn('/bin/sh', words, {
      cwd,
      env: withToken(env, token),
      detached: true,
      stdio: closeInherited(...stdio),
    });
    if (child.pid === undefined) throw new UserError(`/bin/sh cannot be started in ${cwd}.`);
    return child;
  } catch (error) {
    for (const file of [master, slave]) closeSync(file);
    throw error;
  } finally {
    closeSync(nothing);
  }
}

export function childExitCode(child: ChildProcess): Promise<number> {
  const { constants } = process.getBuiltinModule('node:os');
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal!]));
    child.once('error', () => resolve(127));
  });
}

/** Loaded on demand: it takes some milliseconds. */
function loadAddon(): Addon {
  const require = createRequire(import.meta.url);
  try {
    return require(`${PTY_PACKAGE}-${process.platform}-${process.arch}/pty.node`) as Addon;
  } catch (cause) {
    throw new UserError(
      `Pseudo-terminals are not available: ${PTY_PACKAGE}-${process.platform}-${process.arch} is not installed or does not work here. Reinstall teddy-cli without --omit=optional, or redirect the command's output (| cat).`,
      { cause },
    );
  }
}
