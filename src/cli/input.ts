import {
  type BytesRead,
  decodeText,
  limitBytes,
  MB,
  readBytes,
  readClipboard,
  readStdin,
  Unusable,
} from '../platform/index.js';
import { visibleLine } from './visible.js';

const PLAN_LIMIT = 10 * MB;

export interface PlanInput {
  /** As a person would call it: the path as typed, "standard input" or "the clipboard". */
  name: string;
  text: string;
}

/** The plan named on the command line: a file, `-` for standard input, nothing for the clipboard. */
export async function readPlanInput(file: string | undefined): Promise<PlanInput> {
  const input = await open(file);
  if (/^\s*$/.test(input.text)) throw new Unusable(`${input.name} is empty.`);
  return input;
}

async function open(file: string | undefined): Promise<PlanInput> {
  if (file === undefined) return openClipboard();
  if (file === '-') return decoded('standard input', await readStdin(PLAN_LIMIT));
  return decoded(file === '' ? '""' : visibleLine(file), readBytes(file, PLAN_LIMIT, { pipes: true }));
}

function decoded(name: string, read: BytesRead): PlanInput {
  if (read.status === 'missing') throw new Unusable(`${name} does not exist.`);
  if (read.status === 'refused') throw new Unusable(`${name} ${read.reason}.`);
  const text = decodeText(read.bytes);
  if (text.status === 'refused') throw new Unusable(`${name} ${text.reason}.`);
  return { name, text: text.text };
}

async function openClipboard(): Promise<PlanInput> {
  const name = 'the clipboard';
  const read = await readClipboard();
  if (read.status === 'refused') {
    throw new Unusable(`${name} ${read.reason}; name a file instead, or - for standard input.`);
  }
  return decoded(name, limitBytes(new TextEncoder().encode(read.text), PLAN_LIMIT));
}
