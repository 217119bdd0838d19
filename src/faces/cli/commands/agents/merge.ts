import { mergeReports } from '../../../../core/agent-report/merge/merge.js';
import { renderMerged } from '../../../../core/agent-report/merge/render.js';
import { writeError, writeOutput } from '../../../../node/terminal/terminal.js';
import { TeddyCommand } from '../../command.js';
import { visible, visibleJson, visibleLine } from '../../output.js';
import { CLIENTS_HELP, LENIENT, NOT_LENIENT, type ReadOptions, readReport } from './read-report.js';

export const mergeCommand = new TeddyCommand('merge')
  .description('merge several reports into one short overview')
  .argument('<files...>', 'reports; - for standard input')
  .option('--from <client>', CLIENTS_HELP)
  .option('--lenient', LENIENT)
  .option('--no-lenient', NOT_LENIENT)
  .run(merge)
  .helpText(`Examples:
  teddy agent merge reports/*.json
  teddy agent merge first.json second.json
  teddy agent merge reports/*.json --json > merged.json

With --json, the result is itself a report that follows the contract.

Exit codes: 0 every report is compliant and none failed, 1 otherwise,
2 unreadable input.`);

async function merge(files: readonly string[], options: ReadOptions): Promise<number> {
  const inputs = [];
  let threshold = 0;
  for (const file of files) {
    const { project, ...checked } = await readReport(file, options, () => ({ again: true, beside: files }));
    for (const note of checked.notes) writeError(`${visible(note)}\n`);
    inputs.push({ name: file === '-' ? 'standard input' : visibleLine(file), checked });
    threshold = project.config.review.confidence;
  }
  writeOutput(
    options.json ? `${visibleJson(mergeReports(inputs))}\n` : visible(renderMerged(inputs, threshold)),
  );
  return inputs.every(({ checked }) => checked.compliant && checked.route !== 'failed') ? 0 : 1;
}
