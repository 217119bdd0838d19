import { requireVerbosity } from '../../../../agents/brief-agent.js';
import { requireManual } from '../../../../agents/manuals.js';
import { reduceReport } from '../../../../core/agent-report/reduce.js';
import { writeError, writeOutput } from '../../../../node/terminal/terminal.js';
import { UserError } from '../../../../node/user-error.js';
import { EVERYWHERE, TeddyCommand } from '../../command.js';
import { paintFor } from '../../paint.js';
import { visible, visibleJson } from '../../visible.js';
import { CLIENTS, LENIENT, NOT_LENIENT, STRICT } from './options.js';
import { type ReadOptions, readReport } from './read-report.js';
import { issueLines } from './report-lines.js';

export const reduceCommand = new TeddyCommand('reduce')
  .description('print a report with less in it')
  .argument('<file>', 'a report that keeps the contract; - for standard input')
  .option('--verbosity <level>', 'needed: detailed or summary')
  .option('--agent <name>', 'the agent whose manual counts (default: the one in the report)')
  .option('--from <client>', CLIENTS)
  .option('--lenient', LENIENT)
  .option('--no-lenient', NOT_LENIENT)
  .option('--strict', STRICT)
  .run(reduce)
  .addHelpText(
    'after',
    `
Examples:
  teddy agent reduce report.json --verbosity summary
  teddy agent reduce - --verbosity detailed < report.json

The manual's marks say what a level holds. What was left out is told on standard
error; what a summary was cut by, in the report's gaps too.

Exit codes: 0 done, 1 the report does not keep the contract, or cannot be
reduced so far, 2 not readable.
${EVERYWHERE}`,
  );

async function reduce(file: string, options: ReadOptions & { verbosity?: string }): Promise<number> {
  if (options.verbosity === undefined)
    throw new UserError('--verbosity is missing: detailed or summary; see teddy agent reduce --help.', {
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
