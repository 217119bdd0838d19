import { agentOf } from '../../confine/agents.js';
import { type ClientDefinition, containsResult } from '../../core/agent-report/clients/client.js';
import { CLIENT_DEFINITIONS } from '../../core/agent-report/clients/clients.js';
import { ProgressLines } from '../../core/agent-report/clients/progress.js';
import { readClientEnd } from '../../core/agent-report/clients/read-client.js';
import type { JsonClient } from '../../core/agent-report/types.js';
import { RESULT_LIMIT } from '../../core/task-result/read.js';
import { monotonicMs, sleep } from '../../node/clock.js';
import { MB } from '../../node/files.js';
import { runProcess } from '../../node/process/run.js';
import type { ProcessEnd, ProcessOutput, ProcessResult } from '../../node/process/types.js';
import {
  describeMissing,
  describeOutput,
  describeStart,
  describeTime,
  describeUnseen,
  SET_UP,
  type StartedProgram,
  saysLimited,
} from './program.js';
import {
  type Executor,
  type ExecutorEnd,
  type ExecutorIO,
  type ExecutorOutcome,
  NOTHING_USED,
  type TaskAssignment,
  type Usage,
} from './types.js';

/** A program that gets the prompt on standard input, and how to find its answer in its output. */
interface Program extends StartedProgram {
  writePrompt?: ((prompt: string) => string) | undefined;
  /** In bytes: longer output is cut. */
  outputLimit: number;
  readAnswer(printed: Printed): ExecutorAnswer;
  /** If its standard output is events. */
  describeEvent?: ClientDefinition['describeEvent'];
  busy?: RegExp | undefined;
}

/** `exitCode` is null if it was ended. */
interface Printed {
  stdout: ProcessOutput;
  stderr: ProcessOutput;
  exitCode: number | null;
}

interface ExecutorAnswer {
  text: string | null;
  usage: Usage;
  /** Why the program says that it failed, or why its answer cannot be used: whole sentences. */
  trouble: string | null;
  /** Whole sentences about how it worked. */
  remarks?: readonly string[];
  /** The kind of trouble, if known. */
  kind: 'unusable' | 'limited' | 'cut-off' | null;
}

const TOO_LARGE = 'Its result is larger than 10 MB. Print a summary, and put long output into a file.';

/** Any shell command: its standard output is the answer. */
export function createCommandExecutor(name: string, command: string): Executor {
  return createProgramExecutor(name, {
    command: () => ({ shell: command }),
    agent: agentOf(command.trim().split(/\s+/)),
    environment: {},
    outputLimit: RESULT_LIMIT,
    readAnswer({ stdout: { head, tail, truncated }, stderr }) {
      if (truncated) return { text: null, usage: NOTHING_USED, trouble: TOO_LARGE, kind: null };
      // The program has no fields that we know, only text.
      const limited = [tail || head, stderr.tail || stderr.head].some(saysLimited);
      const text = /\S/.test(head) ? head : null;
      return { text, usage: NOTHING_USED, trouble: null, kind: limited ? 'limited' : null };
    },
  });
}

/** Clients print the output of their tools too, far more than the result. */
const CLIENT_OUTPUT_LIMIT = 40 * MB;

/** A known client, under its own name or one from the config, with the config's own arguments. */
export function createPresetExecutor(
  name: string,
  client: JsonClient,
  more: readonly string[] = [],
): Executor {
  const { executor, describeEvent, busy } = CLIENT_DEFINITIONS[client];
  const { args, confinedArgs = args, budgetArgs, schemaArgs, environment, writePrompt } = executor;
  const program = createProgramExecutor(name, {
    command({ confined, budgetUsd, answerSchema }) {
      const budget = budgetUsd === undefined ? [] : (budgetArgs?.(budgetUsd) ?? []);
      const schema = answerSchema === undefined ? [] : (schemaArgs?.(answerSchema) ?? []);
      const own = [...budget, ...schema, ...more];
      return { file: client, args: addArguments(confined ? confinedArgs : args, own) };
    },
    agent: client,
    environment,
    writePrompt,
    outputLimit: CLIENT_OUTPUT_LIMIT,
    readAnswer: (printed) => readClientAnswer(client, printed),
    describeEvent,
    busy,
  });
  return {
    ...program,
    takesSchema: schemaArgs !== undefined,
    async run(assignment, io) {
      const end = await program.run(assignment, io);
      const { answerSchema, ...rest } = assignment;
      const [flag] = (answerSchema && schemaArgs?.(answerSchema)) ?? [];
      if (flag === undefined || end.status !== 'unusable' || !end.reason.includes(flag)) return end;
      io.onOutput('stderr', `[teddy: ${name} refuses ${flag}; starting it again without]\n`);
      return program.run(rest, io);
    },
  };
}

/** `-`, for standard input, stays the last one. */
function addArguments(args: readonly string[], more: readonly string[]): string[] {
  const end = args.at(-1) === '-' ? -1 : args.length;
  return [...args.slice(0, end), ...more, ...args.slice(end)];
}

/** If there are too many events, the last ones have the answer, and the usage is unknown. */
function readClientAnswer(client: JsonClient, { stdout, stderr, exitCode }: Printed): ExecutorAnswer {
  const { head, tail, truncated } = stdout;
  const { text, measured, issues, failed } = readClientEnd(client, {
    stdout: truncated ? tail.slice(tail.indexOf('\n') + 1) : head,
    stderr: stderr.truncated ? stderr.tail : stderr.head,
    exitCode,
  });
  const { inputTokens, outputTokens, costUsd } = measured;
  const usage = truncated ? NOTHING_USED : { inputTokens, outputTokens, costUsd };
  if (text !== null && text.length > RESULT_LIMIT)
    return { text: null, usage, trouble: TOO_LARGE, kind: null };
  const isSilent = text === null && /\S/.test(stdout.head);
  const failure = issues.find(({ code }) => code === 'client-error' || (isSilent && code === 'report-empty'));
  const kind = failed === 'unusable' || failed === 'limited' || failed === 'cut-off' ? failed : null;
  const remarks = issues.filter(({ code }) => code === 'client-denied').map(({ message }) => message);
  return { text, usage, trouble: failure?.message ?? null, kind, remarks };
}

function createProgramExecutor(name: string, program: Program): Executor {
  return {
    name,
    kind: 'machine',
    async run(assignment, io) {
      const started = monotonicMs();
      const elapsed = () => monotonicMs() - started;
      const { timeoutMs } = assignment;
      const timeLeft = () => (timeoutMs === null ? Number.POSITIVE_INFINITY : timeoutMs - elapsed());
      let result = await runOnce(program, assignment, io, timeLeft());
      for (const waitMs of BUSY_WAITS_MS) {
        if (!isBusy(result, program) || io.signal.aborted || waitMs >= timeLeft()) break;
        io.onOutput('stderr', `[teddy: ${name} could not start; starting it again in ${waitMs / 1000} s]\n`);
        await sleep(waitMs, undefined, { signal: io.signal }).catch(() => {});
        result = await runOnce(program, assignment, io, timeLeft());
      }
      return describeEnd({ ...result, durationMs: elapsed() }, program, assignment, io);
    },
  };
}

/** Before each further start. Of several that are in each other's way, one more gets through each time. */
const BUSY_WAITS_MS = [500, 1000, 2000, 4000];

/** Another process of it was in the way, and it has done nothing yet: it prints an event before it acts. */
function isBusy({ status, stdout, stderr }: ProcessResult, { busy }: Program): boolean {
  return status === 'exited' && !/\S/.test(stdout.head) && busy?.test(stderr.head) === true;
}

function runOnce(
  program: Program,
  assignment: TaskAssignment,
  io: ExecutorIO,
  timeoutMs: number,
): Promise<ProcessResult> {
  const progress = program.describeEvent && new ProgressLines(program.describeEvent);
  return runProcess({
    ...describeStart(program, assignment, io),
    cwd: assignment.cwd,
    input: program.writePrompt?.(assignment.prompt) ?? assignment.prompt,
    timeoutMs: Number.isFinite(timeoutMs) ? timeoutMs : undefined,
    signal: io.signal,
    capture: { bytes: program.outputLimit },
    mask: () => io.mask(),
    onStart: (mark) => io.onStart(mark),
    onOutput: (stream, text) =>
      io.onOutput(stream, text, stream === 'stdout' ? progress?.push(text) : undefined),
  });
}

type ByItself = Extract<ProcessEnd, { status: 'exited' | 'signalled' }>;

function describeEnd(
  result: ProcessResult,
  program: Program,
  assignment: TaskAssignment,
  io: ExecutorIO,
): ExecutorEnd {
  const { timeoutMs } = assignment;
  const durationMs = Math.round(result.durationMs);
  const nothing = { durationMs, usage: NOTHING_USED };
  switch (result.status) {
    case 'not-started':
      return result.code === 'command-missing'
        ? { ...nothing, status: 'unusable', reason: result.reason }
        : { ...nothing, status: 'crashed', reason: result.reason, limited: false };
    case 'aborted':
      if (io.signal.aborted) return { ...nothing, status: 'cancelled' };
      return { ...nothing, status: 'crashed', reason: `It was stopped. ${result.reason}`, limited: false };
    case 'timed-out': {
      const usage =
        result.stdout.bytes === 0 ? NOTHING_USED : program.readAnswer({ ...result, exitCode: null }).usage;
      const reason = `It ran longer than ${describeTime(timeoutMs ?? 0)} and was stopped.`;
      return { durationMs, usage, status: 'timed-out', reason: `${reason}${describeOutput(result)}` };
    }
    default:
      return {
        durationMs,
        ...describeAnswer(result, result, program, () => describeUnseen(program, assignment, io)),
      };
  }
}

/** A text that may be a result counts, however the program ended; any other text only after a clean exit. */
function describeAnswer(
  end: ByItself,
  { stdout, stderr }: ProcessResult,
  program: Program,
  unseen: () => string | null,
): { usage: Usage } & ExecutorOutcome {
  const exitCode = end.status === 'exited' ? end.code : null;
  const { text, usage, trouble, kind, remarks = [] } = program.readAnswer({ stdout, stderr, exitCode });
  const wentWell = exitCode === 0 && trouble === null;
  const counts = text !== null && kind !== 'cut-off' && (wentWell || containsResult(text));
  if (counts) return { status: 'returned', usage, text, exitCode, ...(remarks.length > 0 && { remarks }) };
  const hidden = kind === 'limited' ? null : unseen();
  if (hidden !== null)
    return { status: 'unusable', usage, reason: `${hidden}${describeOutput({ stdout, stderr })}` };
  const missing = describeMissing(exitCode, stderr);
  if (missing !== null) return { status: 'unusable', usage, reason: missing };
  const said = describeExit(end, trouble);
  const output = describeOutput(trouble === null ? { stdout, stderr } : { stderr });
  const shown = trouble === null ? output : '';
  if (kind === 'unusable') return { status: 'unusable', usage, reason: `${said} ${SET_UP}${shown}` };
  return { status: 'crashed', usage, reason: `${said}${output}`, limited: kind === 'limited' };
}

function describeExit(end: ByItself, trouble: string | null): string {
  const how = end.status === 'signalled' ? `It was killed by ${end.signal}` : `It exited with ${end.code}`;
  return trouble === null ? `${how} without a result.` : `${how}. ${trouble}`;
}
