import { DEFAULTS } from '../../../../config/config-file.js';
import { loadProject } from '../../../../config/project.js';
import type { InertConfig } from '../../../../config/types.js';
import { UserError } from '../../../../node/errors.js';
import { writeFile } from '../../../../node/files.js';
import { isTerminal, writeError, writeOutput } from '../../../../node/terminal/terminal.js';
import { explainForeign, findRun, type ReadRun } from '../../../../runs/run-list.js';
import type { Workspace } from '../../../../workspace/workspace.js';
import { type ReportFormat, reportFormatOption, TeddyCommand } from '../../command.js';
import { deliverReport } from '../../deliver.js';
import { type GlobalOptions, visibleLine } from '../../output.js';
import { openProject } from '../../project.js';

interface Options extends GlobalOptions {
  format?: ReportFormat | 'html';
  output?: string;
  copy: boolean;
}

export const reportCommand = new TeddyCommand('report')
  .description('show the report of a run')
  .argument('[run]', 'the id of the run, or its first or last characters (default: the last run)')
  .addOption(reportFormatOption('html'))
  .option('--output <file>', 'write the report to a file instead of printing it')
  .option('--no-copy', 'do not copy the report')
  .run(report)
  .helpText(`Examples:
  teddy report                      the last run
  teddy report k3x9 --format contract
  teddy report --format json > run.json
  teddy report --format html --output receipt.html   one file, for colleagues`);

export async function report(named: string | undefined, options: Options): Promise<number> {
  const { root, workspace } = await openProject(options);
  const found = findRun(workspace, named);
  if (found.status === 'missing') throw new UserError(visibleLine(found.reason));
  // Needs no trust: nothing in the config can act here. A config that cannot be read is ignored.
  const loaded = await loadProject(root);
  const config = loaded.status === 'loaded' ? loaded.config : DEFAULTS;
  if (found.origin !== 'own') writeError(`teddy: ${found.run.id} is foreign: ${explainForeign(found)}\n`);
  const undone = workspace.readUndone(found.run.id);
  if (undone) writeError(`${found.run.id} was undone${describeLeft(undone.left)}.\n`);
  const { format, ...others } = options;
  if (format === 'html') return writeReceipt(workspace, config, found, options);
  const delivery = { ...others, ...(format === undefined ? {} : { format }), print: true };
  const copied = await deliverReport(found.run, config.report, delivery);
  if (copied !== undefined) writeError(`${copied}\n`);
  return 0;
}

/** Prints the receipt to files and pipes; at a terminal, writes it only to a file. */
async function writeReceipt(
  workspace: Workspace,
  config: InertConfig,
  read: ReadRun,
  options: Options,
): Promise<number> {
  const { makeReceipt } = await import('../../../web/receipt/make-receipt.js');
  const html = makeReceipt(workspace, config, read);
  if (options.output === undefined) {
    if (isTerminal('stdout')) throw new UserError('Name a file for the receipt: --output receipt.html');
    writeOutput(html);
    return 0;
  }
  const written = writeFile(options.output, new TextEncoder().encode(html));
  if (written.status === 'refused') throw new UserError(`${visibleLine(options.output)} ${written.reason}.`);
  writeError(`Wrote ${visibleLine(options.output)}.\n`);
  return 0;
}

function describeLeft(left: readonly string[]): string {
  return left.length === 0 ? '' : `, except for ${left.map(visibleLine).join(', ')}`;
}
