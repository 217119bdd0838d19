import { writeError, writeOutput } from '../../platform/terminal.js';
import { requireVerbosity } from '../../turn/index.js';
import { paintFor } from '../paint.js';
import { resultJson } from '../result-json.js';
import { visible } from '../visible.js';
import { type ReadOptions, readReport } from './read-report.js';
import { checkJson, checkLines } from './report-lines.js';

interface Options extends ReadOptions {
  taskId?: string;
  verbosity?: string;
  base?: string;
}

export async function check(file: string, options: Options): Promise<number> {
  const checked = await readReport(file, options, () => ({
    base: options.base ?? null,
    asked: {
      agent: options.agent ?? null,
      taskId: options.taskId ?? null,
      verbosity: options.verbosity === undefined ? null : requireVerbosity(options.verbosity),
    },
  }));
  for (const note of checked.notes) writeError(`${visible(note)}\n`);
  writeOutput(
    options.json
      ? resultJson(checked.project.root, { ...checkJson(checked), kept: checked.kept })
      : `${checkLines(checked, checked.project.config.review.confidence, paintFor('stdout', options)).join('\n')}\n`,
  );
  if (!options.json && checked.kept !== null) writeError(`Kept in ${checked.kept}.\n`);
  return checked.compliant && checked.route !== 'failed' ? 0 : 1;
}
