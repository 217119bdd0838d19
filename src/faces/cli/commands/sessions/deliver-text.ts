import { writeClipboard } from '../../../../node/terminal/clipboard.js';
import { isTerminal, writeError, writeOutput } from '../../../../node/terminal/terminal.js';
import type { GlobalOptions } from '../../options.js';
import { paintFor } from '../../paint.js';
import { resultJson } from '../../result-json.js';
import { visible, visibleLine } from '../../visible.js';

interface Delivery {
  /** What it is, in the middle of a sentence. */
  what: string;
  /** The project it is about. */
  root: string;
  json: object;
  /** Printed instead of the text where a person sits at the terminal and the text is in their clipboard. */
  instead?: string;
}

/** Prints a text that is made for a chat, or copies it where a person sits at the terminal. */
export async function deliverText(
  text: string,
  { what, root, json, instead }: Delivery,
  options: GlobalOptions & { copy: boolean },
): Promise<'printed' | 'copied'> {
  if (options.json || !isTerminal('stdout')) {
    writeOutput(options.json ? resultJson(root, json) : text);
    return 'printed';
  }
  const copied = options.copy ? await writeClipboard(text) : undefined;
  const isCopied = copied?.status === 'written';
  writeOutput(isCopied && instead !== undefined ? instead : visible(text));
  const message = isCopied
    ? `Copied: ${what}.`
    : copied?.status === 'refused'
      ? `Not copied: the clipboard ${copied.reason}. With > FILE behind the command it is written to a file.`
      : '';
  if (message !== '') writeError(`${paintFor('stderr', options)('dim', visibleLine(message))}\n`);
  return isCopied ? 'copied' : 'printed';
}
