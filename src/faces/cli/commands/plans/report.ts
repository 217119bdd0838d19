import { DEFAULTS } from '../../../../config/config-file.js';
import { loadProject } from '../../../../config/project.js';
import { UserError } from '../../../../node/errors.js';
import { writeError } from '../../../../node/terminal/terminal.js';
import { explainForeign, findRun } from '../../../../runs/run-list.js';
import { type ReportFormat, reportFormatOption, TeddyCommand } from '../../command.js';
import { deliverReport } from '../../deliver.js';
import { type GlobalOptions, visibleLine } from '../../output.js';
import { openProject } from '../../project.js';

interface Options extends GlobalOptions {
  format?: ReportFormat;
  output?: string;
  copy: boolean;
}

export const reportCommand = new TeddyCommand('report')
  .description('show the report of a run')
  .argument('[run]', 'the id of the run, or its first or last characters (default: the last run)')
  .addOption(reportFormatOption())
  .option('--output <file>', 'write the report to a file instead of printing it')
  .option('--no-copy', 'do not copy the report')
  .run(report)
  .helpText(`Examples:
  teddy report                      the last run
  teddy report k3x9 --format contract
  teddy report --format json > run.json`);

export async function report(named: string | undefined, options: Options): Promise<number> {
  const { root, workspace } = await openProject(options);
  const found = findRun(workspace, named);
  if (found.status === 'missing') throw new UserError(visibleLine(found.reason));
  // Needs no trust: nothing in the config can act here. A config that cannot be read is ignored.
  const loaded = await loadProject(root);
  const { report: defaults } = loaded.status === 'loaded' ? loaded.config : DEFAULTS;
  if (found.origin !== 'own') writeError(`teddy: ${found.run.id} is foreign: ${explainForeign(found)}\n`);
  const undone = workspace.readUndone(found.run.id);
  if (undone) writeError(`${found.run.id} was undone${describeLeft(undone.left)}.\n`);
  const copied = await deliverReport(found.run, defaults, { ...options, print: true });
  if (copied !== undefined) writeError(`${copied}\n`);
  return 0;
}

function describeLeft(left: readonly string[]): string {
  return left.length === 0 ? '' : `, except for ${left.map(visibleLine).join(', ')}`;
}
