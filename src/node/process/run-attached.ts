import type { Duplex } from 'node:stream';
import { askToEnd, signalProgram } from './ask-to-end.js';
import { closeInherited, makeToken, markProcess, type ProcessMark, withToken } from './process-table.js';
import { childExitCode, type TerminalCommand, type TerminalEnd } from './pseudo-terminal.js';
import { GATE_STREAM, openGate } from './run.js';

/**
 * Runs a program with the standard streams of this process, in a session of its own: Ctrl-C and other signals reach it
 * through this process, and it cannot type into a terminal. It must have come from `onceReady`. Throws what `onStart` throws.
 */
export async function runAttached(
  { program, args, cwd, env }: TerminalCommand,
  { onStart, printsToError = false }: { onStart: (mark: ProcessMark) => void; printsToError?: boolean },
): Promise<TerminalEnd> {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const token = makeToken();
  const child = spawn(program, [...args], {
    cwd,
    env: withToken(env, token),
    detached: true,
    stdio: closeInherited(0, printsToError ? 2 : 1, 2, 'pipe'),
  });
  const ended = childExitCode(child);
  const channel = child.stdio[GATE_STREAM] as Duplex;
  channel.on('error', () => {});
  const mark = markProcess(child.pid ?? 0, token);
  const forget = passSignals(mark);
  try {
    onStart(mark);
    openGate(channel);
    return { exitCode: await ended };
  } finally {
    channel.destroy();
    forget();
  }
}

function passSignals(mark: ProcessMark): () => void {
  const listeners: [NodeJS.Signals, () => void][] = [
    ['SIGINT', () => signalProgram(mark, 'SIGINT')],
    ['SIGQUIT', () => signalProgram(mark, 'SIGQUIT')],
    ['SIGTERM', () => askToEnd(mark, 'SIGTERM')],
    ['SIGHUP', () => askToEnd(mark, 'SIGHUP')],
    [
      'SIGTSTP',
      () => {
        // SIGTSTP stops only jobs that a shell can continue.
        signalProgram(mark, 'SIGSTOP');
        process.kill(process.pid, 'SIGSTOP');
      },
    ],
    ['SIGCONT', () => signalProgram(mark, 'SIGCONT')],
  ];
  for (const [name, listener] of listeners) process.on(name, listener);
  return () => {
    for (const [name, listener] of listeners) process.off(name, listener);
  };
}
