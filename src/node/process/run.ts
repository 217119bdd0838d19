import type { ChildProcess } from 'node:child_process';
import type { Duplex, Readable, Writable } from 'node:stream';
import { monotonicMs, timeAfter, waitUnless, waitUntil } from '../clock.js';
import { errorCode } from '../errors.js';
import { files } from '../file-calls.js';
import { type Cleared, endProcesses, endProcessesNow } from './end.js';
import { OutputReader } from './output.js';
import {
  closeInherited,
  isAnyMarked,
  type LastNumber,
  lastNumber,
  listMarked,
  makeToken,
  markProcess,
  type ProcessMark,
  withToken,
} from './process-table.js';
import type { ProcessEnd, ProcessOptions, ProcessResult } from './types.js';

const GRACE_MS = 2000;
/** For output still in the pipes when no process of the command is left. */
const DRAIN_MS = 1000;
/** A process that has closed its output is about to end, and not a background process. */
const SETTLE_MS = 100;

/**
 * Runs a command in a session of its own, and ends everything that it started on time-out or abort: SIGTERM, and SIGKILL
 * after the grace time. The command has ended when its first process has, and its output has ended or been silent for
 * the grace time. Memory is bounded by `capture.bytes`. Never throws, and always ends when the command or its time does.
 */
export async function runProcess(options: ProcessOptions): Promise<ProcessResult> {
  const clock = monotonicMs();
  const output = { stdout: new OutputReader('stdout', options), stderr: new OutputReader('stderr', options) };
  const result = (end: ProcessEnd, rest: Remains): ProcessResult => ({
    ...end,
    durationMs: monotonicMs() - clock,
    stdout: output.stdout.output(),
    stderr: output.stderr.output(),
    ...rest,
  });
  if (options.signal?.aborted) {
    return result({ status: 'aborted', reason: 'It was stopped before it started.' }, NO_REMAINS);
  }
  const started = await startProcess(options);
  if (started.status === 'not-started') return result(started, NO_REMAINS);

  const stop = new StopRequest(options);
  const release = guardProcesses(started.mark);
  const stopFeeding = feedInput(started.stdin, options.input, ({ message }) =>
    stop.abort(`Its input failed (${message}).`),
  );
  announce(started, options, stop);
  const reading = readOutput(started, output, stop);

  const end = await Promise.race([started.exited, stop.made]);
  stopFeeding();
  const remains = await clearUp(started, end, options, {
    over: Promise.race([reading, stop.made]),
    silent: isSilent(output, options.graceMs ?? GRACE_MS),
  });
  stop.clear();
  const drained = await waitUnless(reading, timeAfter(DRAIN_MS));
  started.stdout.destroy();
  started.stderr.destroy();
  const failure = await reading;
  release();
  started.detach();
  return result(failure ?? end, { ...remains, leftovers: remains.leftovers || !drained });
}

type Remains = Pick<ProcessResult, 'backgroundEnded' | 'leftovers' | keyof Cleared>;
type Outputs = { stdout: OutputReader; stderr: OutputReader };

const NO_REMAINS: Remains = { backgroundEnded: false, leftovers: false, ended: [], survived: [] };

function announce({ mark, allowStart }: Started, { onStart }: ProcessOptions, stop: StopRequest): void {
  try {
    onStart?.(mark);
    allowStart();
  } catch (error) {
    stop.abort(`Its start could not be recorded (${error}).`);
  }
}

/** Never rejects: a mask or listener that throws ends the command, because its output could be unmasked. */
async function readOutput(
  started: Started,
  output: Outputs,
  stop: StopRequest,
): Promise<ProcessEnd | undefined> {
  let failure: ProcessEnd | undefined;
  const onError = (error: unknown) => {
    failure ??= stop.abort(`Its output could not be read (${error}).`);
  };
  await Promise.all([
    output.stdout.readAll(started.stdout).catch(onError),
    output.stderr.readAll(started.stderr).catch(onError),
  ]);
  return failure;
}

/** Leaves nothing of the command alive, unless its background processes may stay. */
async function clearUp(
  { mark, before }: Started,
  end: ProcessEnd,
  { graceMs = GRACE_MS, background = 'end' }: ProcessOptions,
  output: { over: Promise<unknown>; silent: () => boolean },
): Promise<Remains> {
  if (end.status !== 'exited' && end.status !== 'signalled') {
    const cleared = await endProcesses([mark], graceMs);
    return { ...cleared, backgroundEnded: false, leftovers: cleared.survived.length > 0 };
  }
  await waitUnless(output.over, output.silent);
  if (await waitUntil(() => !isAnyMarked(mark, before), SETTLE_MS)) return NO_REMAINS;
  if (background === 'leave') return { ...NO_REMAINS, leftovers: true, survived: listMarked(mark) };
  const cleared = await endProcesses([mark], graceMs);
  const gone = cleared.survived.length === 0;
  return { ...cleared, backgroundEnded: gone, leftovers: !gone };
}

function isSilent({ stdout, stderr }: Outputs, graceMs: number): () => boolean {
  const since = monotonicMs();
  return () => monotonicMs() - Math.max(since, stdout.lastActive, stderr.lastActive) >= graceMs;
}

/** Writes the input. It is not an error if the command does not read all of it. The returned function stops writing. */
function feedInput(
  stdin: Writable | null,
  input: ProcessOptions['input'],
  onBroken: (error: Error) => void,
): () => void {
  if (stdin === null || input === undefined) return () => {};
  stdin.on('error', () => {});
  if (typeof input !== 'string' && !(input instanceof Uint8Array)) return feedStream(stdin, input, onBroken);
  stdin.end(input);
  return () => stdin.destroy();
}

function feedStream(stdin: Writable, source: Readable, onBroken: (error: Error) => void): () => void {
  const { finished } = process.getBuiltinModule('node:stream');
  const forget = finished(source, { writable: false }, (error) => {
    if (error) onBroken(error);
  });
  source.pipe(stdin);
  return () => {
    source.unpipe(stdin);
    forget();
    stdin.destroy();
  };
}

/** The longest delay of a timer; a longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** The reason to end a command: time-out, abort or a failure. The first one counts. */
class StopRequest {
  readonly made: Promise<ProcessEnd>;
  #make!: (end: ProcessEnd) => void;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = () => this.abort('It was stopped.');

  constructor({ timeoutMs, signal }: ProcessOptions) {
    this.made = new Promise((resolve) => {
      this.#make = resolve;
    });
    if (timeoutMs !== undefined && timeoutMs <= LONGEST_MS) {
      this.#timer = setTimeout(() => this.#make({ status: 'timed-out' }), timeoutMs);
    }
    this.#signal = signal;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  abort(reason: string): ProcessEnd {
    const end: ProcessEnd = { status: 'aborted', reason };
    this.#make(end);
    return end;
  }

  /** After this, the time limit and the caller's signal have no effect. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const LAST_MOMENT_MS = 200;

const live = new Set<ProcessMark>();

/**
 * Ends the command's processes when this process ends, until the returned function is called. After SIGKILL or a crash
 * of the runtime, `endProcesses` finds them by their mark.
 */
function guardProcesses(mark: ProcessMark): () => void {
  if (live.size === 0) listen();
  live.add(mark);
  return () => {
    if (live.delete(mark) && live.size === 0) stopListening();
  };
}

function listen(): void {
  process.on('exit', endAll);
  for (const signal of SIGNALS) process.on(signal, onSignal);
}

function stopListening(): void {
  process.off('exit', endAll);
  for (const signal of SIGNALS) process.off(signal, onSignal);
}

/** A listener suppresses the signal's usual effect, so it is sent again; if a face listens too, it decides. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  endAll();
  stopListening();
  process.kill(process.pid, signal);
}

/** Blocks the whole process. */
function endAll(): void {
  endProcessesNow([...live], LAST_MOMENT_MS);
  live.clear();
}

// A program that teddy starts waits on its fourth stream until its start is recorded.

export const GATE_STREAM = 3;

/**
 * The wait is inside the confinement, so that everything that ends the program with teddy is in place before it starts;
 * otherwise a teddy killed at that moment would leave it running.
 */
export const AWAIT_START = 'echo ready >&3; IFS= read -r _ <&3 || exit';

const GATE = `${AWAIT_START}; exec 3<&-;`;

/** Wraps a program so that it waits for `allowStart`. */
export function onceReady(program: string, args: readonly string[]): [string, ...string[]] {
  return ['/bin/sh', '-c', `${GATE} exec "$@"`, 'sh', program, ...args];
}

/** The same for a shell text: the shell itself waits in its first line. */
function shellOnceReady(text: string): [string, ...string[]] {
  return ['/bin/sh', '-c', `${GATE} ${text}`];
}

/** Lets the program at the other end of the stream start, as soon as it waits. */
export function openGate(stream: Duplex): void {
  stream.on('error', () => {});
  onLines(stream, (line) => void (line === 'ready' && stream.end('\n')));
}

export function onLines(stream: Duplex, listen: (line: string) => void): void {
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop()!.slice(-100);
    for (const line of lines) listen(line);
  });
}

type Started = {
  status: 'started';
  mark: ProcessMark;
  /** The newest process id before its start; undefined if that says nothing about its children. */
  before: LastNumber | undefined;
  stdin: Writable | null;
  stdout: Readable;
  stderr: Readable;
  exited: Promise<ProcessEnd>;
  /** Starts the command. */
  allowStart(): void;
  /** Lets this process end before that one. */
  detach(): void;
};

type NotStarted = Extract<ProcessEnd, { status: 'not-started' }>;

/**
 * Starts the command as the leader of a new session, and so of a new group, without a terminal, and marks it. If its start
 * must be recorded first, it waits for `allowStart`.
 */
async function startProcess(options: ProcessOptions): Promise<Started | NotStarted> {
  const { command, cwd, env, input, onStart, background } = options;
  const token = background === 'leave' ? undefined : makeToken();
  const waits = onStart !== undefined || 'gated' in command;
  const [file, ...args] = waits ? behindGate(command) : wordsOf(command);
  try {
    const { spawn } = process.getBuiltinModule('node:child_process');
    const before = lastNumber();
    const child = spawn(file, args, {
      cwd,
      env: token === undefined ? env : withToken(env, token),
      detached: true,
      stdio: closeInherited(
        input === undefined ? 'ignore' : 'pipe',
        'pipe',
        'pipe',
        waits ? 'pipe' : 'ignore',
      ),
    });
    const { pid, stdin, stdout, stderr } = child;
    const gate = waits ? (child.stdio[GATE_STREAM] as Duplex) : undefined;
    if (pid === undefined || stdout === null || stderr === null) throw await failureOf(child);
    return {
      status: 'started',
      mark: markProcess(pid, token),
      before: before !== undefined && before.number < pid ? before : undefined,
      stdin,
      stdout,
      stderr,
      exited: exitOf(child),
      allowStart: () => void (gate && openGate(gate)),
      detach: () => {
        gate?.destroy();
        child.unref();
      },
    };
  } catch (error) {
    return explain(error, file, cwd);
  }
}

function wordsOf(command: ProcessOptions['command']): [string, ...string[]] {
  return 'shell' in command ? ['/bin/sh', '-c', command.shell] : [command.file, ...command.args];
}

function behindGate(command: ProcessOptions['command']): [string, ...string[]] {
  if ('shell' in command) return shellOnceReady(command.shell);
  return command.gated ? wordsOf(command) : onceReady(command.file, command.args);
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
  ENOMEM: 'no memory left',
  ENOEXEC: 'it is not a program for this system',
  ERR_INVALID_ARG_VALUE: 'command, folder or environment holds a NUL character',
};

function explain(error: unknown, file: string, cwd: string): NotStarted {
  const code = errorCode(error);
  if (!isFolder(cwd)) {
    return { status: 'not-started', code: 'folder-missing', reason: `There is no folder ${cwd}.` };
  }
  if (code === 'ENOENT') {
    // A script whose first line names a missing program fails with the same error.
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
