import { type Cleared, endProcesses, isAnyMarked, listMarked } from './end.js';
import { guardProcesses } from './guard.js';
import { feedInput } from './input.js';
import { OutputReader } from './output.js';
import { type Started, startProcess } from './start.js';
import { StopRequest } from './stop.js';
import type { ProcessEnd, ProcessOptions, ProcessResult } from './types.js';
import { becomesTrue, endsBefore, timeAfter } from './wait.js';

const GRACE_MS = 2000;
/** For what is still in the pipes once nothing of the command can write into them. */
const DRAIN_MS = 1000;
/** A process that has closed its output is about to end; it is not yet in the background. */
const SETTLE_MS = 100;

/**
 * Runs a command in a session of its own, and ends all that it started on time-out or abort: SIGTERM, and SIGKILL after
 * the grace time. A command is over when its first process has ended and its output has too, or is silent for
 * the grace time. Memory is bounded by `capture.bytes`, whatever is printed. Never throws, and always comes to an end
 * if the command or its time does.
 */
export async function runProcess(options: ProcessOptions): Promise<ProcessResult> {
  const clock = performance.now();
  const output = { stdout: new OutputReader('stdout', options), stderr: new OutputReader('stderr', options) };
  const result = (end: ProcessEnd, rest: Remains): ProcessResult => ({
    ...end,
    durationMs: performance.now() - clock,
    stdout: output.stdout.output(),
    stderr: output.stderr.output(),
    ...rest,
  });
  if (options.signal?.aborted) {
    return result({ status: 'aborted', reason: 'The caller asked for its end before it began.' }, NO_REMAINS);
  }
  const started = await startProcess(options);
  if (started.status === 'not-started') return result(started, NO_REMAINS);

  const stop = new StopRequest(options);
  const release = guardProcesses(started.mark);
  const stopFeeding = feedInput(started.stdin, options.input, ({ message }) =>
    stop.abort(`Its input broke off (${message}).`),
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
  const drained = await endsBefore(reading, timeAfter(DRAIN_MS));
  started.stdout.destroy();
  started.stderr.destroy();
  const failure = await reading;
  release();
  started.letGo();
  return result(failure ?? end, { ...remains, leftovers: remains.leftovers || !drained });
}

type Remains = Pick<ProcessResult, 'backgroundEnded' | 'leftovers' | keyof Cleared>;
type Outputs = { stdout: OutputReader; stderr: OutputReader };

const NO_REMAINS: Remains = { backgroundEnded: false, leftovers: false, ended: [], survived: [] };

function announce({ mark, letBegin }: Started, { onStart }: ProcessOptions, stop: StopRequest): void {
  if (onStart === undefined) return;
  try {
    onStart(mark);
    letBegin();
  } catch (error) {
    stop.abort(`Its start could not be noted (${error}).`);
  }
}

/** Never rejects: a mask or a listener that throws ends the command, since nobody could vouch for its output. */
async function readOutput(
  started: Started,
  output: Outputs,
  stop: StopRequest,
): Promise<ProcessEnd | undefined> {
  let failure: ProcessEnd | undefined;
  const onError = (error: unknown) => {
    failure ??= stop.abort(`Its output could not be taken (${error}).`);
  };
  await Promise.all([
    output.stdout.readAll(started.stdout).catch(onError),
    output.stderr.readAll(started.stderr).catch(onError),
  ]);
  return failure;
}

/** Leaves nothing of the command alive, unless its background is to be left. */
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
  await endsBefore(output.over, output.silent);
  if (await becomesTrue(() => !isAnyMarked(mark, before), SETTLE_MS)) return NO_REMAINS;
  if (background === 'leave') return { ...NO_REMAINS, leftovers: true, survived: listMarked(mark) };
  const cleared = await endProcesses([mark], graceMs);
  const gone = cleared.survived.length === 0;
  return { ...cleared, backgroundEnded: gone, leftovers: !gone };
}

function isSilent({ stdout, stderr }: Outputs, graceMs: number): () => boolean {
  const since = performance.now();
  return () => performance.now() - Math.max(since, stdout.lastActive, stderr.lastActive) >= graceMs;
}
