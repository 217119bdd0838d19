import { fstatSync, writeSync } from 'node:fs';
import { pauseBlocking } from '../clock.js';
import { errorCode, UserError } from '../errors.js';
import { type BytesRead, limitBytes } from '../files.js';

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;

export function commandLine(): string[] {
  return process.argv.slice(2);
}

export function environment(name: string): string | undefined {
  return process.env[name];
}

export function environmentVariables(): Record<string, string | undefined> {
  return { ...process.env };
}

/** Undefined if the system has no such ids; 0 is root. */
export function userId(): number | undefined {
  return process.geteuid?.();
}

/** `linux`, `darwin` */
export function systemName(): string {
  return process.platform;
}

/** `x64`, `arm64` */
export function processorName(): string {
  return process.arch;
}

/** Ctrl-C and other requests to end: with a listener, they do not end the process. */
export function onSignals(listen: (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') => void): () => void {
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const listeners = names.map((name) => [name, () => listen(name)] as const);
  for (const [name, listener] of listeners) process.on(name, listener);
  return () => {
    for (const [name, listener] of listeners) process.off(name, listener);
  };
}

export function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new UserError('The current folder no longer exists.', { cause });
  }
}

export function isTerminal(stream: 'stdin' | 'stdout' | 'stderr'): boolean {
  const number = { stdin: STDIN, stdout: STDOUT, stderr: STDERR }[stream];
  // Only a character device can be a terminal; loading node:tty for anything else is too costly.
  try {
    return fstatSync(number).isCharacterDevice() && process.getBuiltinModule('node:tty').isatty(number);
  } catch {
    return false;
  }
}

/** Columns of the terminal that the stream leads to. */
export function terminalWidth(stream: 'stdout' | 'stderr' = 'stdout'): number {
  return process[stream].columns || 80;
}

/** Returns when all of it is written. It is not an error if the reader has closed. */
export function writeOutput(text: string): void {
  const cause = writeWhole(STDOUT, text);
  if (cause === undefined || errorCode(cause) === 'EPIPE') return;
  throw new UserError(`The result could not be written to standard output (${errorCode(cause)}).`, { cause });
}

export function writeError(text: string): void {
  writeWhole(STDERR, text);
}

/** Writes all of it, however slow the reader: a stream may be non-blocking and full. Returns the error, if any. */
export function writeWhole(stream: number, content: string | Uint8Array): unknown {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(stream, bytes, at);
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN') return error;
      pauseBlocking(5);
    }
  }
  return undefined;
}

export function exit(code: number): never {
  process.exit(code);
}

/** Handles errors that nothing caught. */
export function onUncaught(handle: (error: unknown) => never): void {
  process.on('uncaughtException', handle);
}

/** Until the returned function is called, Ctrl-C ends the process with 130. */
export function exitOnInterrupt(): () => void {
  const interrupt = () => exit(130);
  process.once('SIGINT', interrupt);
  return () => process.off('SIGINT', interrupt);
}

/** Calls `listener` for every typed line, until the returned function is called. */
export function onInputLine(listen: (line: string) => void): () => void {
  let rest = '';
  const onData = (chunk: Buffer) => {
    const lines = (rest + chunk.toString('utf8')).split('\n');
    rest = lines.pop()!.slice(-1000);
    for (const line of lines) listen(line);
  };
  const ignore = () => {};
  process.stdin.on('data', onData);
  process.stdin.on('error', ignore);
  return () => {
    process.stdin.off('data', onData);
    process.stdin.pause();
  };
}

/** Everything on standard input, up to `limit` bytes. */
export async function readStdin(limit: number): Promise<BytesRead> {
  const done = exitOnInterrupt();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of process.stdin) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > limit) break;
    }
    return limitBytes(Buffer.concat(chunks), limit);
  } catch (error) {
    const why = errorCode(error);
    return { status: 'refused', reason: why === 'EISDIR' ? 'is a folder' : `cannot be read (${why})` };
  } finally {
    done();
  }
}

/** Resolves when the writer of standard input has closed it. */
export function inputEnded(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin
      .once('end', resolve)
      .once('close', resolve)
      .once('error', () => resolve());
  });
}
