import { isTerminal, writeClipboard, writeError, writeOutput } from '../../platform/index.js';
import type { GlobalOptions } from '../options.js';
import { paintFor } from '../paint.js';
import { visible, visibleJson, visibleLine } from '../visible.js';

interface Delivery {
  /** What it is, for a sentence. */
  what: string;
  json: unknown;
  /** Printed instead of the text where a person sits at the terminal and the text is in their clipboard. */
  instead?: string;
}

/** Prints a text that is made for a chat, and copies it where a person sits at the terminal. */
export async function deliverText(
  text: string,
  { what, json, instead }: Delivery,
  options: GlobalOptions & { copy: boolean },
): Promise<void> {
  if (options.json) return writeOutput(`${visibleJson(json)}\n`);
  if (!isTerminal('stdout')) return writeOutput(text);
  const copied = options.copy ? await writeClipboard(text) : undefined;
  const isCopied = copied?.status === 'written';
  writeOutput(isCopied && instead !== undefined ? instead : visible(text));
  const message = isCopied
    ? `${what} is in the clipboard.`
    : copied?.status === 'refused'
      ? `Not copied: the clipboard ${copied.reason}.`
      : '';
  if (message !== '') writeError(`${paintFor('stderr', options)('dim', visibleLine(message))}\n`);
}
