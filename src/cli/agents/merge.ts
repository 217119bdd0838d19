import { mergeReports } from '../../formats/agent-report/merge/merge.js';
import { renderMerged } from '../../formats/agent-report/merge/render.js';
import { writeError, writeOutput } from '../../platform/terminal.js';
import { visible, visibleJson, visibleLine } from '../visible.js';
import { type ReadOptions, readReport } from './read-report.js';

export async function merge(files: readonly string[], options: ReadOptions): Promise<number> {
  const inputs = [];
  let threshold = 0;
  for (const file of files) {
    const { project, ...checked } = await readReport(file, options, () => ({ again: true, beside: files }));
    for (const note of checked.notes) writeError(`${visible(note)}\n`);
    inputs.push({ name: file === '-' ? 'standard input' : visibleLine(file), checked });
    threshold = project.config.review.confidence;
  }
  writeOutput(
    options.json ? `${visibleJson(mergeReports(inputs))}\n` : visible(renderMerged(inputs, { threshold })),
  );
  return inputs.every(({ checked }) => checked.compliant && checked.route !== 'failed') ? 0 : 1;
}
