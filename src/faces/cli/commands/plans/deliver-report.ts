import type { Config } from '../../../../config/types.js';
import { renderContract } from '../../../../core/report/contract.js';
import { renderMirrored } from '../../../../core/report/mirrored.js';
import type { Run } from '../../../../core/report/record.js';
import { refuseToWrite, writeFile } from '../../../../node/files.js';
import { writeClipboard } from '../../../../node/terminal/clipboard.js';
import { isTerminal, writeError, writeOutput } from '../../../../node/terminal/terminal.js';
import { UserError } from '../../../../node/user-error.js';
import type { ReportFormat } from '../../command.js';
import type { GlobalOptions } from '../../options.js';
import { paintFor } from '../../paint.js';
import { visible, visibleJson, visibleLine } from '../../visible.js';

type ReportConfig = Config['report'];

interface Options extends GlobalOptions {
  format?: ReportFormat;
  output?: string;
  copy: boolean;
}

/** Before anything is done that would then be told nowhere. */
export function requireOutput({ output }: Pick<Options, 'output'>): void {
  const refusal = output === undefined ? undefined : refuseToWrite(output);
  if (refusal !== undefined)
    throw new UserError(`--output ${visibleLine(output!)} ${refusal}; nothing was done.`);
}

/** Prints the report or writes it to a file, and copies it where a person sits at the terminal. */
export async function deliverReport(run: Run, defaults: ReportConfig, options: Options): Promise<void> {
  const text = render(run, defaults, options);
  if (options.output !== undefined) {
    const written = writeFile(options.output, new TextEncoder().encode(text));
    if (written.status === 'refused') {
      writeOutput(isTerminal('stdout') ? visible(text) : text);
      throw new UserError(`${visibleLine(options.output)} ${written.reason}; the report is printed instead.`);
    }
  } else {
    // A file or another program gets the report as it is; a terminal would act on what a command printed.
    writeOutput(isTerminal('stdout') ? visible(text) : text);
  }
  if (options.copy && isTerminal('stdout')) await copy(text, options);
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

async function copy(text: string, options: GlobalOptions): Promise<void> {
  const paint = paintFor('stderr', options);
  const copied = await writeClipboard(text);
  const message =
    copied.status === 'written'
      ? 'The report is in the clipboard.'
      : `Not copied: the clipboard ${copied.reason}.`;
  writeError(`${paint('dim', message)}\n`);
}
