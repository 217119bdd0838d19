import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { files } from '../file-calls.js';
import {
  type LastNumber,
  lastNumber,
  makeToken,
  markProcess,
  type ProcessMark,
  withToken,
} from './process-table.js';
import type { ProcessEnd, ProcessOptions } from './types.js';

export type Started = {
  status: 'started';
  mark: ProcessMark;
  /** Before it was started; undefined where that says nothing about what it starts. */
  before: LastNumber | undefined;
  stdin: Writable | null;
  stdout: Readable;
  stderr: Readable;
  exited: Promise<ProcessEnd>;
  /** The command begins only now. */
  letBegin(): void;
  /** This process need not wait for that one. */
  letGo(): void;
};

type NotStarted = Extract<ProcessEnd, { status: 'not-started' }>;

/**
 * Waits for a line on its fourth stream. Where this process dies before it has said so, the stream ends, and nothing has
 * run that nobody knows of.
 */
const GATE = 'IFS= read -r _ <&3 && exec 3<&-';

/**
 * Starts the command as the leader of a new session, and so of a new group, without a terminal, and marks it. Where its start is to
 * be noted first, it waits until `letBegin`.
 */
export async function startProcess(options: ProcessOptions): Promise<Started | NotStarted> {
  const { command, cwd, env, input, onStart, background } = options;
  const token = background === 'leave' ? undefined : makeToken();
  const gated = onStart !== undefined;
  const [file, args] = gated ? behindGate(command) : wordsOf(command);
  try {
    const { spawn } = process.getBuiltinModule('node:child_process');
    const before = lastNumber();
    const child = spawn(file, args, {
      cwd,
      env: token === undefined ? env : withToken(env, token),
      detached: true,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', gated ? 'pipe' : 'ignore'],
    });
    const { pid, stdin, stdout, stderr } = child;
    if (pid === undefined || stdout === null || stderr === null) throw await failureOf(child);
    return {
      status: 'started',
      mark: markProcess(pid, token),
      before: before !== undefined && before.number < pid ? before : undefined,
      stdin,
      stdout,
      stderr,
      exited: exitOf(child),
      letBegin: () => openGate(child),
      letGo: () => child.unref(),
    };
  } catch (error) {
    return explain(error, file, cwd);
  }
}

function wordsOf(command: ProcessOptions['command']): [string, string[]] {
  return 'shell' in command ? ['/bin/sh', ['-c', command.shell]] : [command.file, [...command.args]];
}

/** A shell goes on with its command, in the line in which that would stand; any other becomes the program. */
function behindGate(command: ProcessOptions['command']): [string, string[]] {
  return 'shell' in command
    ? ['/bin/sh', ['-c', `${GATE} || exit; ${command.shell}`]]
    : ['/bin/sh', ['-c', `${GATE} && exec "$@"`, 'sh', command.file, ...command.args]];
}

function openGate({ stdio: [, , , gate] }: ChildProcess): void {
  if (!gate || !('end' in gate)) return;
  gate.on('error', () => {});
  gate.end('\n');
}

function exitOf(child: ChildProcess): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(signal === null ? { status: 'exited', code: code ?? 0 } : { status: 'signalled', signal }),
    );
  });
}

function failureOf(child: ChildProcess): Promise<Error> {
  return new Promise((resolve) => {
    child.once('error', resolve);
  });
}

const PLAIN_WORDS: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  E2BIG: 'command and environment are longer than this system allows',
  EAGAIN: 'too many processes',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
  ENOMEM: 'no memory is left',
  ENOEXEC: 'it is not a program for this system',
  ERR_INVALID_ARG_VALUE: 'command, folder or environment holds a NUL character',
};

function explain(error: unknown, file: string, cwd: string): NotStarted {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  if (!isFolder(cwd)) {
    return { status: 'not-started', code: 'folder-missing', reason: `There is no folder ${cwd}.` };
  }
  if (code === 'ENOENT') {
    // The same error says that a script's first line names a program that is not there.
    const reason = `${file} was not found, or the program that its first line names.`;
    return { status: 'not-started', code: 'command-missing', reason };
  }
  const reason = `${file} could not be started (${PLAIN_WORDS[code] ?? code}).`;
  return { status: 'not-started', code: 'refused', reason };
}

function isFolder(path: string): boolean {
  try {
    return files.statAt(path)?.isDirectory() === true;
  } catch {
    return false;
  }
}
