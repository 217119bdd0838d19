import { join } from 'node:path';
import { type BytesRead, decodeText, lookAtFile, MB, readBytes } from '../../../../node/files.js';
import { readStdin, writeError } from '../../../../node/terminal/terminal.js';
import { UserError } from '../../../../node/user-error.js';
import type { Incoming } from '../../../../workspace/incoming.js';
import { holdInput, INCOMING, pathFromHere, quoteWord } from '../../held-input.js';
import type { Project } from '../../open-project.js';
import type { GlobalOptions } from '../../options.js';
import { paintFor } from '../../paint.js';
import { visibleLine } from '../../visible.js';
import { NoSuchPlan } from '../tasks/open.js';

const RESULT_LIMIT = 10 * MB;
/** How many leftover texts are named. */
const MOST_NAMED = 3;
/** How long nobody is told of a text that is not captured. */
const NEW_FOR_MS = 10_000;

/** A result as it was handed over. */
export interface ResultInput {
  /** As a person would call it: the path as typed, or "standard input". */
  name: string;
  bytes: Uint8Array;
  /** Where it is kept, when it stands nowhere else: whoever captures it takes it away from there. */
  held: Incoming | undefined;
}

/** The words of a command that submits. */
export interface SubmitWords extends GlobalOptions {
  plan?: string;
  state?: string;
  session?: string;
  id?: string;
  verify?: boolean;
}

/** For commands that only read it. */
export async function readResultInput(file: string): Promise<ResultInput> {
  const name = file === '-' ? 'standard input' : file === '' ? '""' : visibleLine(file);
  const read = await readFrom(file);
  if (read.status === 'missing') throw new UserError(`${name} does not exist.`);
  if (read.status === 'refused') throw new UserError(`${name} ${read.reason}.`);
  return { name, bytes: read.bytes, held: undefined };
}

/** Reads a result and has it on disk before anything else can go wrong. */
export async function receiveResult(file: string, place: Project): Promise<ResultInput> {
  const input = await readResultInput(file);
  return { ...input, held: holdInput(file, input.bytes, place) };
}

/** Throws `UserError` where the bytes are no text. */
export function decodeInput({ name, bytes }: ResultInput): string {
  const text = decodeText(bytes);
  if (text.status === 'refused') throw new UserError(`${name} ${text.reason}.`);
  return text.text;
}

/**
 * Whatever goes wrong in `work` is told together with where the result is now, and how to submit it again: with the same
 * words, but for those that were at fault.
 */
export async function keeping<T>(
  { held }: ResultInput,
  place: Project,
  options: SubmitWords,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // What was committed before it went wrong took the text away.
    if (!held || !(error instanceof Error) || lookAtFile(join(place.root, held.path)) !== 'file') throw error;
    const way = describeKept(held, place, withoutFaults(options, error));
    if (error instanceof UserError) throw new UserError(`${error.message}\n${way}`, { cause: error });
    writeError(`${way}\n`);
    throw error;
  } finally {
    held?.release();
  }
}

export function tellOfInterruption({ held }: ResultInput, place: Project, options: SubmitWords): void {
  writeError(
    `Interrupted; the result was not captured.\n${held ? `${describeKept(held, place, options)}\n` : ''}`,
  );
}

function describeKept({ path }: Incoming, place: Project, options: SubmitWords): string {
  return `The result is kept; to submit it again: ${describeSubmit(path, place, options)}`;
}

/** The words to submit with again. A sentence that names an option blames it; empty, a word is to be chosen anew. */
function withoutFaults(options: SubmitWords, error: Error): SubmitWords {
  const blamed = (name: string) => new RegExp(`--${name}\\b`).test(error.message);
  return {
    ...options,
    ...((error instanceof NoSuchPlan || blamed('plan')) && { plan: '' }),
    ...(options.state !== undefined && blamed('state') && { state: '' }),
    ...(options.session !== undefined && blamed('session') && { session: '' }),
    ...(options.id !== undefined && blamed('id') && { id: '' }),
  };
}

/** Says which results processes left that died before they had captured them. */
export function tellOfLeft({ held }: ResultInput, place: Project, options: GlobalOptions): void {
  const paths = findLeft(place).filter((path) => path !== held?.path);
  if (paths.length === 0) return;
  const paint = paintFor('stderr', options);
  const several = paths.length > 1;
  const left = { color: options.color, ...(options.root !== undefined && { root: options.root }) };
  writeError(
    [
      paint(
        'yellow',
        several
          ? `${paths.length} results were handed over and never captured. Submit or delete them:`
          : 'A result was handed over and never captured. Submit or delete it:',
      ),
      ...paths.slice(0, MOST_NAMED).map((path) => `  ${describeSubmit(path, place, left)}`),
      ...(paths.length > MOST_NAMED ? [`  and ${paths.length - MOST_NAMED} more in ${INCOMING}`] : []),
      '',
    ].join('\n'),
  );
}

/** Where many submit at once, whether each of their texts is held is not checked while it is new. */
function findLeft({ workspace }: Project): string[] {
  try {
    const old = workspace.view((view) => view.list(INCOMING)).filter(isOld);
    if (old.length === 0) return [];
    return workspace.leftIncoming().filter((path) => old.some((name) => path === `${INCOMING}/${name}`));
  } catch {
    // Whatever is wrong with that folder is no reason not to capture this one.
    return [];
  }
}

/** The names of these texts begin with the time at which they were handed over. */
function isOld(name: string): boolean {
  const at = Number.parseInt(name, 36);
  return !(Date.now() - at < NEW_FOR_MS);
}

async function readFrom(file: string): Promise<BytesRead> {
  return file === '-' ? readStdin(RESULT_LIMIT) : readBytes(file, RESULT_LIMIT, { pipes: true });
}

/** A word that is not known, or is to be chosen anew, stands in capitals. */
function describeSubmit(path: string, { root }: Project, options: SubmitWords): string {
  const from = pathFromHere(root, path);
  const { plan, state, session, id, verify } = options;
  const option = (name: string, word: string | undefined, unknown: string) =>
    word === undefined ? [] : [`--${name} ${word === '' ? unknown : quoteWord(word)}`];
  return [
    'teddy result submit',
    quoteWord(from),
    ...option('plan', plan ?? '', 'PLAN'),
    ...option('state', state, 'FILE'),
    ...option('session', session, 'ID'),
    ...option('id', id, 'KEY'),
    ...(verify ? ['--verify'] : []),
    ...option('root', options.root, 'FOLDER'),
  ].join(' ');
}
