import { type Command, Option } from 'commander';
import type { GlobalOptions } from './options.js';
import { REPORT_FORMATS } from './report-formats.js';

const EVERYWHERE = `
For every command: --root, --json, --no-color, --trust; see teddy --help.`;

/** The commands that carry plans out, and those about what was carried out. */
export function addRunCommands(program: Command, setExitCode: (code: number) => void): void {
  const format = () => new Option('--format <form>', 'the form of the report').choices([...REPORT_FORMATS]);

  program
    .command('execute')
    .description('decide on each action of a plan, carry it out, and report what happened')
    .argument('[file]', 'the plan; - for standard input, nothing for the clipboard')
    .option('-y, --yes', 'approve everything that no policy denies')
    .option('--dry-run', 'show what would be done, and do nothing')
    .option('--keep-going', 'go on after a failure, and in spite of one that is foreseen')
    .option('--decisions <file>', 'take decisions and replies from a file')
    .addOption(format())
    .option('--output <file>', 'write the report to a file instead of printing it')
    .option('--no-copy', 'do not copy the report')
    .option('--session <name>', 'make it a turn of this session (clipboard: of the last one)')
    .option('--no-session', 'make it no turn of any session')
    .action(async (file: string | undefined, _, command: Command) => {
      const { execute } = await import('./execute.js');
      setExitCode(await execute(file, command.optsWithGlobals()));
    })
    .addHelpText(
      'after',
      `
Examples:
  teddy execute plan.md            review it in the terminal, action by action
  teddy execute                    the plan in the clipboard; report goes there
  teddy execute plan.md --yes      approve all of it; stop at the first failure
  teddy execute plan.md --dry-run  what would be done, with diffs
  some-agent | teddy execute -     from standard input; you are asked even so
  teddy execute plan.md --decisions d.yaml --format json

A decisions file, every key optional:
  default: approve                 or skip, for what is not named below
  decisions:
    - {action: 5, decision: skip, reason: "not today"}
    - {section: Memos, decision: approve}
  replies:
    - {action: 4, text: "Yes, go on."}

Exit codes: 0 done (or all of it skipped), 1 an action failed or the plan was
refused, 2 nobody to ask, not trusted or not readable, 130 interrupted.
There is a report in every case but 2.
${EVERYWHERE}`,
    );

  program
    .command('undo')
    .description('put the files back as they were before a run')
    .argument('[run]', 'the id of the run, or its beginning or end (default: the last one)')
    .option('--dry-run', 'only say what would be put back')
    .action(async (run: string | undefined, _, command: Command) => {
      const { undo } = await import('./undo.js');
      setExitCode(await undo(run, command.optsWithGlobals()));
    })
    .addHelpText(
      'after',
      `
Examples:
  teddy undo                        the last run
  teddy undo 20260115-093000-k3x9   that run
  teddy undo k3x9 --dry-run         what would be put back

A file that was changed since the run is left as it is, and named. What
commands did is not undone.

Exit codes: 0 all of it put back (or undone before), 1 some files were left,
2 there is no such run.
${EVERYWHERE}`,
    );

  const runs = program
    .command('runs')
    .description('list what was carried out here, the newest first')
    .action(async (_, command: Command) => {
      const { runs: list } = await import('./runs.js');
      setExitCode(await list(command.optsWithGlobals()));
    })
    .addHelpText(
      'after',
      `
Examples:
  teddy runs
  teddy runs --json
  teddy runs prune --keep 20        remove all but the last 20
${EVERYWHERE}`,
    );
  runs
    .command('prune')
    .description('remove the oldest runs; what they did can then no longer be undone')
    .requiredOption('--keep <n>', 'how many to keep')
    .action(async (_, command: Command) => {
      const { pruneRuns } = await import('./runs.js');
      const options = command.optsWithGlobals<GlobalOptions & { keep: string }>();
      setExitCode(await pruneRuns(options.keep, options));
    })
    .addHelpText(
      'after',
      `
Examples:
  teddy runs prune --keep 20`,
    );

  program
    .command('report')
    .description('print the report of a run again, in any form')
    .argument('[run]', 'the id of the run, or its beginning or end (default: the last one)')
    .addOption(format())
    .option('--output <file>', 'write the report to a file instead of printing it')
    .option('--no-copy', 'do not copy the report')
    .action(async (run: string | undefined, _, command: Command) => {
      const { report } = await import('./report.js');
      setExitCode(await report(run, command.optsWithGlobals()));
    })
    .addHelpText(
      'after',
      `
Examples:
  teddy report                      the last run
  teddy report k3x9 --format contract
  teddy report --format json > run.json
${EVERYWHERE}`,
    );

  program
    .command('init')
    .description('write a commented .teddy/config.yaml and policy.yaml')
    .action(async (_, command: Command) => {
      const { init } = await import('./init.js');
      setExitCode(await init(command.optsWithGlobals()));
    })
    .addHelpText(
      'after',
      `
Examples:
  teddy init                        in the nearest project
  teddy init --root .               in this very folder
${EVERYWHERE}`,
    );

  program
    .command('trust')
    .description("see this project's config and policy, and say that you trust them")
    .option('--yes', 'trust them without being asked')
    .action(async (_, command: Command) => {
      const { trust } = await import('./trust.js');
      setExitCode(await trust(command.optsWithGlobals()));
    })
    .addHelpText(
      'after',
      `
Examples:
  teddy trust                       shows both files and asks
  teddy trust --yes                 for scripts that have looked at them

They can run commands and open the network, so nothing uses them before you
have seen them; and after every change you are asked again.
${EVERYWHERE}`,
    );
}
