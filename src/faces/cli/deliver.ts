import type { Config } from '../../config/types.js';
import { renderContract } from '../../core/report/contract.js';
import { renderMirrored } from '../../core/report/mirrored.js';
import type { Run } from '../../core/report/record.js';
import { UserError } from '../../node/errors.js';
import { refuseToWrite, writeFile } from '../../node/files.js';
import { writeClipboard } from '../../node/terminal/clipboard.js';
import { isTerminal, writeError, writeOutput } from '../../node/terminal/terminal.js';
import { readUserState, writeUserState } from '../../node/user-folders.js';
import type { ReportFormat } from './command.js';
import { type GlobalOptions, paintFor, resultJson, visible, visibleJson, visibleLine } from './output.js';

type ReportConfig = Config['report'];

interface Options extends GlobalOptions {
  format?: ReportFormat;
  output?: string;
  copy: boolean;
}

/** Checked before the run, because its report would be lost otherwise. */
export function requireOutput({ output }: Pick<Options, 'output'>): void {
  const refusal = output === undefined ? undefined : refuseToWrite(output);
  if (refusal !== undefined)
    throw new UserError(`--output ${visibleLine(output!)} ${refusal}; nothing was done.`);
}

/**
 * Writes the report to a file or prints it, and copies it at a terminal, or the feedback where there is one. Returns a
 * sentence on the clipboard's state.
 */
export async function deliverReport(
  run: Run,
  defaults: ReportConfig,
  options: Options & { print: boolean; feedback?: string | undefined },
): Promise<string | undefined> {
  const text = render(run, defaults, options);
  const { output, print } = options;
  const written = output === undefined ? undefined : writeFile(output, new TextEncoder().encode(text));
  // Files and pipes get the exact report. At a terminal, control characters in it are made visible.
  if (written === undefined ? print : written.status === 'refused')
    writeOutput(isTerminal('stdout') ? visible(text) : text);
  if (written?.status === 'refused')
    throw new UserError(`${visibleLine(output!)} ${written.reason}; the report is printed instead.`);
  if (!options.copy || !isTerminal('stdout')) return undefined;
  const { feedback } = options;
  const copied = feedback === undefined ? copyText(text, 'the report') : copyText(feedback, 'the feedback');
  return (await copied).words;
}

function render(run: Run, { tip, format: usual }: ReportConfig, { format, json }: Options): string {
  switch (format ?? (json ? 'json' : usual)) {
    case 'json':
      return `${visibleJson(run)}\n`;
    case 'contract':
      return renderContract(run, tip);
    case 'mirrored':
      return renderMirrored(run, tip);
  }
}

const NO_CLIPBOARD = 'no-clipboard';

interface CopyResult {
  isCopied: boolean;
  /** A message for the user. A missing clipboard is mentioned only once. */
  words: string | undefined;
}

const NOT_COPIED: CopyResult = { isCopied: false, words: undefined };

/** `what`: a noun phrase for the middle of a sentence. */
export async function copyText(text: string, what: string): Promise<CopyResult> {
  const copied = await writeClipboard(text);
  if (copied.status === 'written') {
    const how = copied.by === 'program' ? '' : ' through the terminal (OSC 52)';
    return { isCopied: true, words: `Copied ${what} to the clipboard${how}.` };
  }
  if (isSaid(NO_CLIPBOARD)) return NOT_COPIED;
  return { isCopied: false, words: `Not copied: the clipboard ${copied.reason}. This is said only once.` };
}

/** Whether this message was shown before on this machine; marks it as shown. */
function isSaid(name: string): boolean {
  try {
    if (readUserState('said', name) !== undefined) return true;
    writeUserState('said', name, '');
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
  }
  return false;
}

function remark(message: string, options: GlobalOptions): void {
  writeError(`${paintFor('stderr', options)('dim', visibleLine(message))}\n`);
}

interface Delivery {
  /** A noun phrase for the middle of a sentence. */
  what: string;
  root: string;
  json: object;
  /** Printed at a terminal instead of the text, if that was copied. */
  instead?: string;
}

/** Prints a text for a chat window, or copies it at a terminal. */
export async function deliverText(
  text: string,
  { what, root, json, instead }: Delivery,
  options: GlobalOptions & { copy: boolean },
): Promise<void> {
  if (options.json || !isTerminal('stdout')) {
    writeOutput(options.json ? resultJson(root, json) : text);
    return;
  }
  const copied = options.copy ? await copyText(text, what) : NOT_COPIED;
  const isReplaced = copied.isCopied && instead !== undefined;
  if (isReplaced && copied.words !== undefined) remark(copied.words, options);
  writeOutput(isReplaced ? instead : visible(text));
  if (!isReplaced && copied.words !== undefined) remark(copied.words, options);
}
