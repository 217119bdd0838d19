import { requireManual } from '../../agents/manuals.js';
import { reduceReport } from '../../formats/agent-report/reduce.js';
import { Unusable } from '../../platform/unusable.js';
import { writeError, writeOutput } from '../../platform/terminal.js';
import { requireVerbosity } from '../../turn/index.js';
import { paintFor } from '../paint.js';
import { visible, visibleJson } from '../visible.js';
import { type ReadOptions, readReport } from './read-report.js';
import { issueLines } from './report-lines.js';

export async function reduce(file: string, options: ReadOptions & { verbosity?: string }): Promise<number> {
  if (options.verbosity === undefined)
    throw new Unusable('--verbosity is missing: detailed or summary; see teddy agent reduce --help.', {
      isUsage: true,
    });
  const level = requireVerbosity(options.verbosity);
  const { report, issues, notes, project } = await readReport(file, options, () => ({ again: true }));
  for (const note of notes) writeError(`${visible(note)}\n`);
  if (!report) {
    const paint = paintFor('stderr', options);
    const errors = issues.filter(({ severity }) => severity === 'error');
    writeError(`${errors.flatMap((issue) => issueLines(issue, paint)).join('\n')}\n`);
    writeError('The report does not keep the contract, so it cannot be reduced.\n');
    return 1;
  }
  const manual = requireManual(project.workspace, options.agent ?? report.report_metadata.agent_name);
  const reduced = reduceReport(report, manual, level);
  if (reduced.status === 'refused') {
    writeError(`${visible(reduced.reason)}\n`);
    return 1;
  }
  writeOutput(`${visibleJson(reduced.report)}\n`);
  for (const part of reduced.leftOut) writeError(`Left out: ${visible(part)}\n`);
  return 0;
}
