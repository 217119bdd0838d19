import { isReport } from '../../core/report/read/parse.js';
import { type BytesRead, decodeText, limitBytes, MB, readBytes } from '../../node/files.js';
import { readClipboard } from '../../node/terminal/clipboard.js';
import { readStdin } from '../../node/terminal/terminal.js';
import { UserError } from '../../node/user-error.js';
import { visibleLine } from './visible.js';

const PLAN_LIMIT = 10 * MB;
const REPORT_LIMIT = 20 * MB;

export interface TextInput {
  /** As a person would call it: the path as typed, "standard input" or "the clipboard". */
  name: string;
  text: string;
}

/** The plan named on the command line: a file, `-` for standard input, nothing for the clipboard. */
export async function readPlanInput(file: string | undefined): Promise<TextInput> {
  const input = await open(file);
  if (/^\s*$/.test(input.text)) throw new UserError(`${input.name} is empty.`);
  if (isReport(input.text)) throw new UserError(`${input.name} is the report of a run, not a plan.`);
  return input;
}

/** What was handed over, before anybody knows whether it is text. */
export interface BytesInput {
  name: string;
  bytes: Uint8Array;
}

/** A report, or what a client printed; it may be empty. */
export async function readReportInput(file: string): Promise<BytesInput> {
  const name = nameOf(file);
  return { name, bytes: requireBytes(name, await readFrom(file, REPORT_LIMIT)) };
}

/** Throws `UserError` where the bytes are no text. */
export function textOf({ name, bytes }: BytesInput): string {
  const text = decodeText(bytes);
  if (text.status === 'refused') throw new UserError(`${name} ${text.reason}.`);
  return text.text;
}

async function open(file: string | undefined): Promise<TextInput> {
  return file === undefined ? openClipboard() : openFile(file, PLAN_LIMIT);
}

async function openFile(file: string, limit: number): Promise<TextInput> {
  return decoded(nameOf(file), await readFrom(file, limit));
}

function nameOf(file: string): string {
  if (file === '-') return 'standard input';
  return file === '' ? '""' : visibleLine(file);
}

async function readFrom(file: string, limit: number): Promise<BytesRead> {
  return file === '-' ? readStdin(limit) : readBytes(file, limit, { pipes: true });
}

function decoded(name: string, read: BytesRead): TextInput {
  return { name, text: textOf({ name, bytes: requireBytes(name, read) }) };
}

function requireBytes(name: string, read: BytesRead): Uint8Array {
  if (read.status === 'missing') throw new UserError(`${name} does not exist.`);
  if (read.status === 'refused') throw new UserError(`${name} ${read.reason}.`);
  return read.bytes;
}

async function openClipboard(): Promise<TextInput> {
  const name = 'the clipboard';
  const read = await readClipboard();
  if (read.status === 'refused') {
    throw new UserError(`${name} ${read.reason}; name a file instead, or - for standard input.`);
  }
  return decoded(name, limitBytes(new TextEncoder().encode(read.text), PLAN_LIMIT));
}
