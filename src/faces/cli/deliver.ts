import type { Config } from '../../config/types.js';
import { renderContract } from '../../core/report/contract.js';
import { renderMirrored } from '../../core/report/mirrored.js';
import type { Run } from '../../core/report/record.js';
import { UserError } from '../../node/errors.js';
import { refuseToWrite, writeFile } from '../../node/files.js';
import { writeClipboard } from '../../node/terminal/clipboard.js';
import { isTerminal, writeError, writeOutput } from '../../node/terminal/terminal.js';
import type { ReportFormat } from './command.js';
import { type GlobalOptions, paintFor, resultJson, visible, visibleJson, visibleLine } from './output.js';

type ReportConfig = Config['report'];

interface Options extends GlobalOptions {
  format?: ReportFormat;
  output?: string;
  copy: boolean;
}

/** Checked before the run, whose report would otherwise be lost. */
export function requireOutput({ output }: Pick<Options, 'output'>): void {
  const refusal = output === undefined ? undefined : refuseToWrite(output);
  if (refusal !== undefined)
    throw new UserError(`--output ${visibleLine(output!)} ${refusal}; nothing was done.`);
}

/** Prints the report or writes it to a file, and copies it where a person sits at the terminal. */
export async function deliverReport(run: Run, defaults: ReportConfig, options: Options): Promise<void> {
  const text = render(run, defaults, options);
  const { output } = options;
  const written = output === undefined ? undefined : writeFile(output, new TextEncoder().encode(text));
  // A file or another program gets the report as it is; a terminal would act on what a command printed.
  if (written?.status !== 'replaced') writeOutput(isTerminal('stdout') ? visible(text) : text);
  if (written?.status === 'refused')
    throw new UserError(`${visibleLine(output!)} ${written.reason}; the report is printed instead.`);
  if (!options.copy || !isTerminal('stdout')) return;
  const copied = await writeClipboard(text);
  remark(
    copied.status === 'written'
      ? 'The report is in the clipboard.'
      : `Not copied: the clipboard ${copied.reason}.`,
    options,
  );
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

function remark(message: string, options: GlobalOptions): void {
  writeError(`${paintFor('stderr', options)('dim', visibleLine(message))}\n`);
}

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
): Promise<void> {
  if (options.json || !isTerminal('stdout')) {
    writeOutput(options.json ? resultJson(root, json) : text);
    return;
  }
  const copied = options.copy ? await writeClipboard(text) : undefined;
  const isCopied = copied?.status === 'written';
  writeOutput(isCopied && instead !== undefined ? instead : visible(text));
  if (isCopied) remark(`Copied: ${what}.`, options);
  else if (copied)
    remark(
      `Not copied: the clipboard ${copied.reason}. With > FILE behind the command it is written to a file.`,
      options,
    );
}
