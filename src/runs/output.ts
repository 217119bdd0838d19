import type { Captured } from '../core/report/record.js';
import { groupDigits } from '../core/text.js';
import { errorCode } from '../node/errors.js';
import { closing, Folder, writeText } from '../node/folder.js';
import type { ProcessOutput } from '../node/process/types.js';
import { LIVE_OUTPUT, type RunFolder } from '../workspace/runs/run-folder.js';
import type { Workspace } from '../workspace/workspace.js';
import type { RunEvent } from './events.js';
import type { RunContext } from './run-context.js';

/** Of each text in a report; a long line must not get past a limit that counts lines. */
const MOST_CHARACTERS = 40_000;

/** How much of an output must be at hand for its excerpt, whatever characters it holds: half of it for each end. */
export const CAPTURE_BYTES = 256 * 1024;

/** A text that came as a whole. It is masked here; of a long one, all is kept in a file of that name. */
export function captureText(text: string, fileName: string, context: RunContext): Captured {
  const masked = context.redactor.mask(text);
  const bytes = byteLength(masked);
  const source = { head: masked, tail: masked, bytes, lines: countLines(masked), truncated: false };
  return capture(source, context, () => keepWhole(masked, fileName, context));
}

/** One output of a command, masked already; undefined where nothing was printed. */
export function captureOutput(
  output: ProcessOutput,
  fileName: string,
  context: RunContext,
): Captured | undefined {
  if (output.bytes === 0) return undefined;
  if (!output.truncated) {
    return capture({ ...output, tail: output.head }, context, () =>
      keepWhole(output.head, fileName, context),
    );
  }
  const { path, shown } = context.outputs;
  const reason = output.spillFailed?.replace(path, () => shown) ?? 'There was no file for it.';
  return capture(output, context, () =>
    output.spilled === undefined
      ? { status: 'failed', reason }
      : { ...kept(fileName, context), partly: output.omitted !== undefined },
  );
}

type Source = Pick<ProcessOutput, 'head' | 'tail' | 'bytes' | 'lines' | 'truncated'>;
/** `reason` is a whole sentence. */
type Keeping = { status: 'kept'; file: string; partly?: boolean } | { status: 'failed'; reason: string };

function capture(source: Source, { settings }: RunContext, keep: () => Keeping): Captured {
  const most = settings.execute.outputLines;
  if (!source.truncated && source.lines <= most && source.head.length <= MOST_CHARACTERS) {
    return { text: source.head };
  }
  const head = takeHead(source.head, Math.ceil(most / 2), MOST_CHARACTERS / 2);
  const rest = source.truncated ? source.tail : source.tail.slice(head.length);
  const tail = takeTail(rest, Math.floor(most / 2), MOST_CHARACTERS / 2);
  const keeping = keep();
  const gap = `[… ${describeGap(source, head, tail, rest)} left out; ${describeKeeping(keeping)} …]\n`;
  return {
    text: `${head}${head === '' || head.endsWith('\n') ? '' : '\n'}${gap}${tail}`,
    whole: {
      file: keeping.status === 'kept' ? keeping.file : null,
      bytes: source.bytes,
      lines: source.lines,
    },
  };
}

/** In lines where whole lines are left out, else in bytes. */
function describeGap({ bytes, lines }: Source, head: string, tail: string, rest: string): string {
  const startsLine = tail === '' || rest[rest.length - tail.length - 1] === '\n' || tail === rest;
  const inLines = startsLine && (head === '' || head.endsWith('\n'));
  if (!inLines)
    return `${groupDigits(bytes - byteLength(head) - byteLength(tail))} of ${groupDigits(bytes)} bytes`;
  return `${groupDigits(lines - countLines(head) - countLines(tail))} of ${groupDigits(lines)} lines`;
}

function describeKeeping(keeping: Keeping): string {
  if (keeping.status === 'kept') return `${keeping.partly ? 'most' : 'all'} of it is in ${keeping.file}`;
  return `the full text could not be saved: ${keeping.reason.replace(/\.$/, '')}`;
}

/** Whole lines from the start, unless a long one would leave too little: then it is cut. */
function takeHead(text: string, lines: number, characters: number): string {
  let end = 0;
  for (let line = 0; line < lines; line++) {
    const next = text.indexOf('\n', end) + 1;
    if (next > 0 && next <= characters) end = next;
    else if (end < characters / 2) end = isInsideCharacter(text, characters) ? characters - 1 : characters;
    else break;
    if (end >= characters - 1) break;
  }
  return text.slice(0, end);
}

/** Whole lines up to the end, unless a long one would leave too little: then it is cut. */
function takeTail(text: string, lines: number, characters: number): string {
  let start = text.length;
  for (let line = 0; line < lines && start > 0; line++) {
    const before = start === text.length && !text.endsWith('\n') ? start - 1 : start - 2;
    const begin = before < 0 ? 0 : text.lastIndexOf('\n', before) + 1;
    if (text.length - begin <= characters) {
      start = begin;
      continue;
    }
    const cut = text.length - characters;
    if (text.length - start < characters / 2) start = isInsideCharacter(text, cut) ? cut + 1 : cut;
    break;
  }
  return text.slice(start);
}

function isInsideCharacter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff;
}

function keepWhole(text: string, fileName: string, context: RunContext): Keeping {
  let folder: Folder | undefined;
  try {
    folder = Folder.open(context.outputs.path);
    // It must be a new file of ours: no link is followed, and no file is overwritten.
    closing(folder.create(fileName, 0o600), (file) => writeText(file, text));
    return kept(fileName, context);
  } catch (error) {
    const code = errorCode(error);
    return {
      status: 'failed',
      reason: `${context.outputs.shown}/${fileName} could not be written (${code}).`,
    };
  } finally {
    folder?.close();
  }
}

function kept(fileName: string, { outputs }: RunContext): Extract<Keeping, { status: 'kept' }> {
  return { status: 'kept', file: `${outputs.shown}/${fileName}` };
}

/** A last line without its newline counts. */
function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return text === '' || text.endsWith('\n') ? lines : lines + 1;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

// What commands of a run print, masked, in a file that other processes follow while the run lives. It is not synced:
// the record has the output once the command has ended.

const FLUSH_MS = 100;
const FLUSH_LENGTH = 64 * 1024;
/** A command that prints more is shown up to here, and whole once it has ended. */
const MOST_LENGTH = 8 * 1024 * 1024;

export interface LiveChunk {
  number: number;
  stream: 'stdout' | 'stderr';
  text: string;
}

/** Writes the output of a run's commands as it comes. Never throws. */
export class LiveOutputWriter {
  #pending = '';
  #length = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly folder: () => RunFolder) {}

  listen(event: RunEvent): void {
    if (event.kind === 'output') this.#add(event);
    else if (event.kind === 'action-ended') this.#flush();
    else if (event.kind === 'run-ended') this.#end();
  }

  #end(): void {
    clearTimeout(this.#timer);
    try {
      if (this.#length > 0) this.folder().removeLive();
    } catch {
      // It goes with its run.
    }
  }

  #add({ number, stream, text }: LiveChunk): void {
    if (this.#length > MOST_LENGTH) return;
    const line = `${JSON.stringify({ number, stream, text } satisfies LiveChunk)}\n`;
    this.#length += line.length;
    this.#pending += line;
    if (this.#pending.length > FLUSH_LENGTH) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending === '') return;
    try {
      this.folder().appendLive(this.#pending);
    } catch {
      // Nothing is lost: the record has it.
    }
    this.#pending = '';
  }
}

/** The chunks in a text of whole lines. */
export function readLiveChunks(text: string): LiveChunk[] {
  return text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as LiveChunk];
    } catch {
      return [];
    }
  });
}

/** What a command has printed so far. */
export function readLiveOutput(workspace: Workspace, run: string, number: number): Captured {
  const text = workspace.readRunFile(run, LIVE_OUTPUT) ?? '';
  const chunks = readLiveChunks(text).filter((chunk) => chunk.number === number);
  return { text: chunks.map((chunk) => chunk.text).join('') };
}
