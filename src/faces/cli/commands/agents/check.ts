import { requireVerbosity } from '../../../../agents/brief-agent.js';
import { writeError, writeOutput } from '../../../../node/terminal/terminal.js';
import { EVERYWHERE, TeddyCommand } from '../../command.js';
import { paintFor } from '../../paint.js';
import { resultJson } from '../../result-json.js';
import { visible } from '../../visible.js';
import {
  CLIENTS_HELP,
  LENIENT,
  LEVEL,
  NOT_LENIENT,
  type ReadOptions,
  readReport,
  STRICT,
} from './read-report.js';
import { checkJson, checkLines } from './report-lines.js';

interface Options extends ReadOptions {
  taskId?: string;
  verbosity?: string;
  base?: string;
}

export const checkReportCommand = new TeddyCommand('check')
  .description('judge a report: the contract, its references, its claims; and where it goes')
  .argument('<file>', 'the report, or what a client printed; - for standard input')
  .option('--agent <name>', 'the agent that was asked (default: the one in the report)')
  .option('--task-id <id>', 'the task that was given')
  .option('--verbosity <level>', `the level that was asked for: ${LEVEL}`)
  .option('--from <client>', CLIENTS_HELP)
  .option('--lenient', LENIENT)
  .option('--no-lenient', NOT_LENIENT)
  .option('--strict', STRICT)
  .option('--base <commit>', 'compare claimed files with the changes since this commit')
  .run(check)
  .addHelpText(
    'after',
    `
Examples:
  teddy agent check report.json
  teddy agent check report.json --agent reviewer --task-id auth-3 --json
  claude -p "$(cat briefing.md)" --output-format json |
    teddy agent check - --from claude --task-id auth-1
  teddy agent check answer.txt --lenient

--lenient also reads trailing commas, comments, None, True and False, and a
report that lacks its last brace. Each of these is a warning; comments and a
missing brace go to human-review. Standard output decides whether it is the
default: at a terminal it is, unless --json is given.

Where it goes: accept; human-review, when the agent is not sure of itself, or a
reference or a claim does not hold; blocked; failed, also when the report does
not keep the contract.

Exit codes: 0 it keeps the contract and is not failed, 1 it does not, or it is,
2 not readable.
${EVERYWHERE}`,
  );

async function check(file: string, options: Options): Promise<number> {
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
