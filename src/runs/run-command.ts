import { join } from 'node:path';
import { agentEnvironment } from '../confine/agents.js';
import { checkConfinement } from '../confine/check.js';
import { confine } from '../confine/confine.js';
import type { ExecuteAction } from '../core/plan/types.js';
import type { Done, ExpectedOutcome, Facts } from '../core/report/record.js';
import { groupDigits } from '../core/text.js';
import { MB } from '../node/files.js';
import type { ProcessMark } from '../node/process/process-table.js';
import { onceReady, runProcess } from '../node/process/run.js';
import type {
  OutputName,
  ProcessEnd,
  ProcessOptions,
  ProcessOutput,
  ProcessResult,
} from '../node/process/types.js';
import { locateFolder } from '../workspace/tree.js';
import { CAPTURE_BYTES, captureOutput } from './output.js';
import type { CommandContext, RunContext } from './run-context.js';
import { failure } from './run-record.js';

/** Of each output in its file: the beginning, and as much of the end as is at hand. */
const KEPT_BYTES = 64 * MB;

/**
 * Runs an EXECUTE: `/bin/sh -c` with the command as it is. `onStart` gets the mark of its processes before they have
 * done much. The files of a long output start with `name`. Never throws.
 */
export async function runCommand(
  action: ExecuteAction,
  name: string,
  context: RunContext,
  onStart: (mark: ProcessMark) => void,
): Promise<Done> {
  const cwd = locateFolder(context.root, action.cwd);
  if (cwd.status === 'refused') {
    return failure(`The command was not run: its cwd ${JSON.stringify(action.cwd)} ${cwd.reason}.`);
  }
  const prepared = await prepare(action, cwd.path, context);
  if (context.signal.aborted) return failure(`The command was not run: stopped ${stopper(context.signal)}.`);
  if (prepared.status === 'refused') return failure(`The command was not run: ${prepared.reason}`);

  const names = { stdout: `${name}-stdout.txt`, stderr: `${name}-stderr.txt` };
  const timeoutMs = action.timeout === null ? context.settings.execute.timeoutMs : action.timeout * 1000;
  const search = new OutcomeSearch(action.expectedOutcome, context);
  const result = await runProcess({
    command: prepared.command,
    env: prepared.env,
    cwd: cwd.path,
    timeoutMs,
    signal: context.signal,
    capture: {
      bytes: CAPTURE_BYTES,
      spill: {
        most: KEPT_BYTES,
        stdout: join(context.outputs.path, names.stdout),
        stderr: join(context.outputs.path, names.stderr),
      },
    },
    mask: () => context.redactor.stream(),
    onStart,
    onOutput(stream, text) {
      search.push(stream, text);
      context.onOutput(stream, text);
    },
  });
  if (result.status === 'not-started') return failure(`The command was not run: ${result.reason}`);

  const output = captureOutput(result.stdout, names.stdout, context);
  const error = captureOutput(result.stderr, names.stderr, context);
  const expectedOutcome = search.result();
  const notes = [...notesOn(result), ...(search.note === undefined ? [] : [search.note])];
  return {
    ...describeEnd(result, { timeoutMs, signal: context.signal }),
    ...(output && { output }),
    ...(error && { error }),
    ...(expectedOutcome && { expectedOutcome }),
    ...(notes.length > 0 && { notes }),
  };
}

/** How a command ended that was run only to see how it ends. */
export type CommandCheck =
  | {
      status: 'run';
      /** Null where it did not end by itself. */
      exitCode: number | null;
      /** It was ended when its time was over. */
      timedOut: boolean;
      durationMs: number;
      /** The end of its output, after why it did not end by itself. */
      summary: string;
      /** The beginning and the end of both its outputs, masked, as far as a reader looks for words in them. */
      output: string;
    }
  /** It says nothing about what was to be checked. `reason` is a whole sentence. */
  | { status: 'not-run'; reason: string };

/** The summary of a command that printed nothing. */
export const NO_OUTPUT = 'no output';

const SUMMARY_LINES = 10;
const SUMMARY_CHARACTERS = 2000;

/**
 * Runs a command in the root like an EXECUTE, with the same shell, limits, sandbox and masks. It may run what an agent
 * wrote: in the sandbox it has an agent's variables. Of several lines each has to succeed. `onStart` gets the mark of its
 * processes before they have done much. Never throws.
 */
export async function runCheck(
  command: string,
  context: CommandContext,
  {
    onStart,
    timeoutMs = context.settings.execute.timeoutMs,
  }: { onStart?: ((mark: ProcessMark) => void) | undefined; timeoutMs?: number | undefined } = {},
): Promise<CommandCheck> {
  const strict = command.trim().includes('\n') ? `set -e\n${command}` : command;
  const { sandbox } = context.settings.execute;
  const environment = sandbox ? agentEnvironment(context.environment) : context.environment;
  const prepared = await prepare({ command: strict, env: {} }, context.root, { ...context, environment });
  if (prepared.status === 'refused') return { status: 'not-run', reason: prepared.reason };
  const result = await runProcess({
    command: prepared.command,
    env: prepared.env,
    cwd: context.root,
    timeoutMs,
    signal: context.signal,
    capture: { bytes: CAPTURE_BYTES },
    mask: () => context.redactor.stream(),
    ...(onStart && { onStart }),
    onOutput: (stream, text) => context.onOutput(stream, text),
  });
  const { durationMs } = result;
  if (result.status === 'not-started') return { status: 'not-run', reason: result.reason };
  const end = describeEnd(result, { timeoutMs, signal: context.signal });
  const { stdout, stderr } = result;
  const printed = lastLines(`${stdout.head}${stdout.tail}${stderr.head}${stderr.tail}`);
  return {
    status: 'run',
    exitCode: result.status === 'exited' ? result.code : null,
    timedOut: result.status === 'timed-out',
    durationMs: Math.round(durationMs),
    summary: [...(result.status === 'exited' ? [] : [end.summary]), ...printed].join('\n') || NO_OUTPUT,
    output: [stdout, stderr].map(({ head, tail }) => headAndTail(`${head}${tail}`)).join('\n'),
  };
}

const OUTPUT_CHARACTERS = 64 * 1024;

function headAndTail(text: string): string {
  const half = OUTPUT_CHARACTERS / 2;
  return text.length <= OUTPUT_CHARACTERS ? text : `${text.slice(0, half)}\n${text.slice(-half)}`;
}

function lastLines(text: string): string[] {
  return text
    .slice(-SUMMARY_CHARACTERS)
    .trim()
    .split('\n')
    .slice(-SUMMARY_LINES)
    .filter((line) => line !== '');
}

type Prepared =
  | ({ status: 'confined' | 'unconfined' } & Pick<ProcessOptions, 'command' | 'env'>)
  | { status: 'refused'; reason: string };

async function prepare(
  { command, env }: Pick<ExecuteAction, 'command' | 'env'>,
  cwd: string,
  context: CommandContext,
): Promise<Prepared> {
  const { root, environment, signal, redactor } = context;
  const { sandbox, network } = context.settings.execute;
  const { write, hide, view = { root, project: 'writable' } } = context.settings.confine;
  if (!sandbox) return { status: 'unconfined', command: { shell: command }, env: { ...environment, ...env } };
  const checked = await checkConfinement({ root, environment, signal });
  if (!checked.available) {
    const reason = `execute.sandbox is on, but ${redactor.mask(checked.cause)}. ${checked.remedy}, or set execute.sandbox to false to run commands without one.`;
    return { status: 'refused', reason };
  }
  const confined = confine(
    { program: '/bin/sh', args: ['-c', command], start: onceReady, cwd, env: environment, set: env },
    { ...view, write, hide, network, home: 'read-only', terminal: false },
    checked.tools,
  );
  const { program: file, args } = confined;
  return { status: 'confined', command: { file, args, gated: true }, env: confined.env };
}

type Ended = Exclude<ProcessEnd, { status: 'not-started' }>;

function describeEnd(
  end: Ended & Pick<ProcessResult, 'leftovers'>,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Pick<Done, 'status' | 'summary'> & Pick<Facts, 'exitCode' | 'ended'> {
  const cut = (ended: string, summary: string) => ({ status: 'failure', summary, ended }) as const;
  switch (end.status) {
    case 'exited':
      if (end.code === 0) return { status: 'success', summary: 'The command succeeded.', exitCode: 0 };
      return {
        status: 'failure',
        summary: `The command failed with exit code ${end.code}.`,
        exitCode: end.code,
      };
    case 'signalled':
      return cut(`by signal ${end.signal}`, `The command was ended by signal ${end.signal}.`);
    case 'timed-out': {
      const rest = end.leftovers ? '' : '; its processes were ended';
      const ended = `timed out after ${describeTime(timeoutMs)}${rest}`;
      return cut(ended, `The command ${ended}.`);
    }
    case 'aborted': {
      if (!signal.aborted) return cut(end.reason, `The command was ended. ${end.reason}`);
      return cut(stopper(signal), `The command was ended ${stopper(signal)}.`);
    }
  }
}

function stopper({ reason }: AbortSignal): string {
  return typeof reason === 'string' && reason !== 'SIGINT' ? `by ${reason}` : 'by Ctrl-C';
}

function notesOn({ backgroundEnded, leftovers, survived, stdout, stderr }: ProcessResult): string[] {
  const invalid = [...(stdout.valid ? [] : ['The output']), ...(stderr.valid ? [] : ['The error output'])];
  return [
    ...(backgroundEnded ? ['Background processes that the command had left were ended.'] : []),
    ...(survived.length > 0 ? [nameSurvivors(survived)] : []),
    ...(leftovers && survived.length === 0
      ? ['A process that the command started may still be running.']
      : []),
    ...omissionIn('output', stdout),
    ...omissionIn('error output', stderr),
    ...invalid.map((what) => `${what} is not valid UTF-8: \ufffd marks each invalid byte.`),
  ];
}

const MOST_NAMED = 10;

/** Names come from the programs themselves. */
function nameSurvivors(survived: ProcessResult['survived']): string {
  const names = survived
    .slice(0, MOST_NAMED)
    .map(({ pid, name }) => `${pid} (${name.replace(/[^\w.+:-]/g, '?')})`);
  const more = survived.length > MOST_NAMED ? ` and ${survived.length - MOST_NAMED} more` : '';
  const are =
    survived.length === 1
      ? 'a process that the command started is'
      : 'processes that the command started are';
  return `teddy could not end every process: ${are} still running: ${names.join(', ')}${more}.`;
}

function omissionIn(stream: string, { omitted }: ProcessOutput): string[] {
  if (omitted === undefined) return [];
  return [
    `The ${stream} is too long to keep: its file has the first ${KEPT_BYTES / MB} MB and the end, and leaves out ${groupDigits(omitted)} bytes between them.`,
  ];
}

/** `10m`, `90s`, `1.5s`: as a plan writes it. */
function describeTime(ms: number): string {
  return ms >= 60_000 && ms % 60_000 === 0 ? `${ms / 60_000}m` : `${ms / 1000}s`;
}

/**
 * Looks for the texts that an Expected Outcome quotes, while the output goes by: all of it, of which only as much is
 * held as the longest text might need. What is looked through is masked, and so are the texts.
 */
export class OutcomeSearch {
  readonly note: string | undefined;
  readonly #texts: readonly string[];
  readonly #missing: Set<string>;
  readonly #overlap: number;
  readonly #ends: Record<OutputName, string> = { stdout: '', stderr: '' };

  constructor(expectedOutcome: string | null, { redactor }: RunContext) {
    const { texts, all } = findQuotedTexts(expectedOutcome ?? '');
    this.#texts = texts.map((text) => redactor.mask(text));
    this.#missing = new Set(this.#texts);
    this.#overlap = Math.max(0, ...this.#texts.map(({ length }) => length - 1));
    if (!all)
      this.note = 'The Expected Outcome quotes too many texts: teddy searched for the first ones only.';
  }

  push(stream: OutputName, piece: string): void {
    if (this.#missing.size === 0) return;
    const text = this.#ends[stream] + piece;
    for (const wanted of this.#missing) if (text.includes(wanted)) this.#missing.delete(wanted);
    this.#ends[stream] = this.#overlap === 0 ? '' : text.slice(-this.#overlap);
  }

  /** undefined where nothing is quoted. */
  result(): ExpectedOutcome | undefined {
    if (this.#texts.length === 0) return undefined;
    return { met: this.#missing.size === 0, missing: [...this.#missing] };
  }
}

/** Texts beyond these limits are not looked for: each costs a search of all the output. */
const MOST_TEXTS = 100;
const MOST_CHARACTERS = 10_000;

/** What an Expected Outcome quotes, in its order, each once; `all` is false where there is more than is looked at. */
export function findQuotedTexts(outcome: string): { texts: string[]; all: boolean } {
  const text = outcome.slice(0, MOST_CHARACTERS);
  const found = new Set<string>();
  for (let at = 0; at < text.length; ) {
    const quoted = readQuote(text, at);
    if (quoted !== undefined && quoted.text.trim() !== '') found.add(quoted.text);
    at = quoted?.end ?? skipMark(text, at);
  }
  const all = outcome.length <= MOST_CHARACTERS && found.size <= MOST_TEXTS;
  return { texts: [...found].slice(0, MOST_TEXTS), all };
}

type Quoted = { text: string; end: number };

function readQuote(text: string, at: number): Quoted | undefined {
  switch (text[at]) {
    case '`':
      return readCodeSpan(text, at);
    case '"':
      return readUntil(text, at, text.indexOf('"', at + 1));
    case '“':
      return readUntil(text, at, text.indexOf('”', at + 1));
    case "'":
      return isWordCharacter(text[at - 1]) ? undefined : readUntil(text, at, findClosingQuote(text, at));
    default:
      return undefined;
  }
}

function readUntil(text: string, at: number, close: number): Quoted | undefined {
  return close === -1 ? undefined : { text: text.slice(at + 1, close), end: close + 1 };
}

/** One that has a letter after it is an apostrophe. */
function findClosingQuote(text: string, open: number): number {
  let at = text.indexOf("'", open + 1);
  while (at !== -1 && isWordCharacter(text[at + 1])) at = text.indexOf("'", at + 1);
  return at;
}

/** As in Markdown: as many backticks at its end as at its start, and one space at each side is not part of it. */
function readCodeSpan(text: string, at: number): Quoted | undefined {
  const ticks = runLength(text, at);
  for (let close = text.indexOf('`', at + ticks); close !== -1; ) {
    const length = runLength(text, close);
    if (length === ticks) {
      const inside = text.slice(at + ticks, close);
      const padded = inside.startsWith(' ') && inside.endsWith(' ') && inside.trim() !== '';
      return { text: padded ? inside.slice(1, -1) : inside, end: close + length };
    }
    close = text.indexOf('`', close + length);
  }
  return undefined;
}

/** Backticks that open nothing are text, all of them. */
function skipMark(text: string, at: number): number {
  return at + (text[at] === '`' ? runLength(text, at) : 1);
}

function runLength(text: string, at: number): number {
  let end = at;
  while (text[end] === '`') end++;
  return end - at;
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}
