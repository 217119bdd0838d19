import { requireVerbosity } from '../../../../agents/brief-agent.js';
import { writeError } from '../../../../node/terminal/terminal.js';
import { TeddyCommand } from '../../command.js';
import { printResult, visible } from '../../output.js';
import { CLIENTS_HELP, LENIENT, LEVEL, NOT_LENIENT, type ReadOptions, readReport } from './read-report.js';
import { checkJson, checkLines } from './report-lines.js';

interface Options extends ReadOptions {
  taskId?: string;
  verbosity?: string;
  base?: string;
}

export const checkReportCommand = new TeddyCommand('check')
  .description("check an agent's report: contract, references, claimed changes")
  .argument('<file>', 'the report, or the output of a client; - for standard input')
  .option('--agent <name>', 'the agent you briefed (default: the one in the report)')
  .option('--task-id <id>', 'the task you gave it')
  .option('--verbosity <level>', `the level you asked for: ${LEVEL}`)
  .option('--from <client>', CLIENTS_HELP)
  .option('--lenient', LENIENT)
  .option('--no-lenient', NOT_LENIENT)
  .option('--base <commit>', 'compare the claimed files with the changes since this commit')
  .run(check)
  .helpText(`Examples:
  teddy agent check report.json
  teddy agent check report.json --agent reviewer --task-id auth-3 --json
  claude -p "$(cat briefing.md)" --output-format json |
    teddy agent check - --from claude --task-id auth-1
  teddy agent check answer.txt --lenient

Routes: accept; human-review (low confidence, or a reference or claim is wrong);
blocked; failed (also when the report breaks the contract).

Exit codes: 0 compliant and not failed, 1 not compliant or failed, 2 unreadable
input.`);

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
  const { root, config } = checked.project;
  printResult(root, options, { ...checkJson(checked), kept: checked.kept }, (paint) =>
    checkLines(checked, config.review.confidence, paint),
  );
  if (!options.json && checked.kept !== null) writeError(`Saved in ${checked.kept}.\n`);
  return checked.compliant && checked.route !== 'failed' ? 0 : 1;
}
