import type { Command } from 'commander';
import { addGroup, EVERYWHERE, PLAN, type Way } from './command-group.js';

/** The commands about what was counted and kept of all results. */
export function addRecordCommands(program: Command, way: Way): void {
  addMetrics(program, way);
  addState(program, way);
  addLogs(program, way);
}

function addMetrics(program: Command, { load, end }: Way): void {
  program
    .command('metrics')
    .description('success, failure and time of the results, in numbers and small charts')
    .option('--day <date>', 'of one day: 2026-01-26, or today')
    .option('--plan <plan>', `of one plan: ${PLAN}`)
    .option('--phase <number>', 'of one phase: 3')
    .option('--task <id>', 'of one task: 03-01:2')
    .option('--trend [n]', 'how long the last plans took (default: 5 of them)')
    .option('--rebuild', 'count everything again from the log, and say what differs')
    .action(async (_, command: Command) => end(await (await load()).metrics(command.optsWithGlobals())))
    .addHelpText(
      'after',
      `
Examples:
  teddy metrics
  teddy metrics --day 2026-01-26
  teddy metrics --plan 03-01 --json
  teddy metrics --trend
  teddy metrics --rebuild           mends the counters where they differ

Exit codes: 0 done, 1 --rebuild found a difference, 2 misuse.
${EVERYWHERE}`,
    );
}

function addState(program: Command, { load, end }: Way): void {
  program
    .command('state')
    .description('what STATE.md should say, and where it says something else')
    .option(
      '--state <file>',
      'the STATE.md (default: the one in the config, the root, .planning or .ultraplan)',
    )
    .option('--write', 'write what it should say; what people wrote there stays')
    .action(async (_, command: Command) => end(await (await load()).state(command.optsWithGlobals())))
    .addHelpText(
      'after',
      `
Examples:
  teddy state
  teddy state --json
  teddy state --write
  teddy state --state docs/STATE.md
${EVERYWHERE}`,
    );
}

function addLogs(program: Command, { load, end }: Way): void {
  const logs = addGroup(program, 'logs', ['verify', 'rotate'])
    .description('the log of all results: is it whole, and what of it is old')
    .addHelpText(
      'after',
      `
Examples:
  teddy logs verify
  teddy logs rotate --dry-run
${EVERYWHERE}`,
    );

  logs
    .command('verify')
    .description('check every log against the ledger, and the ledger against itself')
    .action(async (_, command: Command) => end(await (await load()).verifyLogs(command.optsWithGlobals())))
    .addHelpText(
      'after',
      `
Examples:
  teddy logs verify
  teddy logs verify --json

Exit codes: 0 nothing is missing or changed, 1 something is, 2 not readable.
${EVERYWHERE}`,
    );

  logs
    .command('rotate')
    .description('move logs older than 30 days, and all but the last 10 sessions, to archive/')
    .option('--dry-run', 'only say what would be moved')
    .action(async (_, command: Command) => end(await (await load()).rotateLogs(command.optsWithGlobals())))
    .addHelpText(
      'after',
      `
Examples:
  teddy logs rotate
  teddy logs rotate --dry-run --json

The first result of a day does this too.
${EVERYWHERE}`,
    );
}
