import type { Command } from 'commander';
import { Unusable } from '../platform/index.js';
import type { GlobalOptions } from './options.js';

/** What the commands do, in whatever way it comes into the process. */
type Faces = typeof import('./task-faces.js');

const EVERYWHERE = `
For every command: --root, --json, --no-color, --trust; see teddy --help.`;

const PLAN = 'the path of a PLAN.md, or its id: 03-01';

/** The commands about the tasks of PLAN.md files and their results. `load` gives what they do when one is called. */
export function taskCommands(load: () => Promise<Faces>) {
  return (program: Command, setExitCode: (code: number) => void): void => {
    /** The options are what the command's own declaration says; commander gives them without a type. */
    const run = async <Options extends GlobalOptions>(
      command: Command,
      act: (faces: Faces, options: Options) => Promise<number>,
    ) => {
      const options = command.optsWithGlobals<Options>();
      setExitCode(await act(await load(), options));
    };
    addResult(program, run);
    addTask(program, run);
    addMetrics(program, run);
    addState(program, run);
    addLogs(program, run);
  };
}

// biome-ignore lint/suspicious/noExplicitAny: each face says which options it takes.
type Run = (command: Command, act: (faces: Faces, options: any) => Promise<number>) => Promise<void>;

/** A word that stands before others and does nothing by itself. */
function addGroup(program: Command, name: string, words: readonly string[]): Command {
  return program
    .command(name)
    .usage(`<${words.join('|')}> [options]`)
    .helpCommand(false)
    .argument('[command]')
    .allowExcessArguments()
    .action((word: string | undefined) => {
      const said = word === undefined ? `${name} needs one more word` : `unknown command '${name} ${word}'`;
      throw new Unusable(`${said}: ${listWords(words)}; see teddy ${name} --help.`);
    });
}

function listWords(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function addResult(program: Command, run: Run): void {
  const result = addGroup(program, 'result', ['submit', 'check'])
    .description("judge executors' results and make them part of the project")
    .addHelpText(
      'after',
      `
Examples:
  teddy result submit result.yaml --plan 03-01
  teddy result check result.yaml --plan 03-01
${EVERYWHERE}`,
    );

  result
    .command('submit')
    .description('judge a result; apply it to PLAN.md and STATE.md; log it; say what is next')
    .argument('<file>', 'the YAML of the result; - for standard input')
    .option('--plan <plan>', `needed: ${PLAN}`)
    .option('--state <file>', 'the STATE.md to keep up to date')
    .option('--session <id>', 'begin or go on with this session')
    .option('--id <key>', "the result's identity (default: a hash of plan and text)")
    .option('--verify', "run the task's <verify> command before believing a success")
    .action(async (file: string, _, command: Command) => run(command, (to, it) => to.submit(file, it)))
    .addHelpText(
      'after',
      `
Examples:
  teddy result submit result.yaml --plan 03-01
  some-executor | teddy result submit - --plan .planning/03-01-PLAN.md
  teddy result submit result.yaml --plan 03-01 --verify
  teddy result submit result.yaml --plan 03-01 --id build-814 --json

A result is applied once: the same text again is a duplicate, and changes
nothing. A true retry says so: metadata.attempt: 2.

With --verify, what the command says goes before what the result claims.

Exit codes: 0 captured (also a failure that was told as one, and a duplicate),
1 INVALID, or a claim that --verify found to be untrue, 2 no such plan, not
readable, not trusted, or locked for a minute. What came on standard input is
kept in .teddy/incoming until it is captured.
${EVERYWHERE}`,
    );

  result
    .command('check')
    .description('judge a result, and change nothing')
    .argument('<file>', 'the YAML of the result; - for standard input')
    .option('--plan <plan>', `needed: ${PLAN}`)
    .action(async (file: string, _, command: Command) => run(command, (to, it) => to.check(file, it)))
    .addHelpText(
      'after',
      `
Examples:
  teddy result check result.yaml --plan 03-01
  some-executor | teddy result check - --plan 03-01 --json

Exit codes: 0 VALID or VALID_WITH_WARNINGS, 1 INVALID, 2 no such plan or not
readable.
${EVERYWHERE}`,
    );
}

function addTask(program: Command, run: Run): void {
  const task = addGroup(program, 'task', ['list', 'next', 'start', 'show', 'resolve'])
    .description('the tasks of PLAN.md files: what is done, and what is next')
    .addHelpText(
      'after',
      `
Examples:
  teddy task list --plan 03-01
  teddy task next
  teddy task show 03-01:2
${EVERYWHERE}`,
    );

  task
    .command('list')
    .description('list the tasks of a plan and how they stand')
    .option('--plan <plan>', `${PLAN} (default: every plan)`)
    .action(async (_, command: Command) => run(command, (to, it) => to.listTasks(it)))
    .addHelpText(
      'after',
      `
Examples:
  teddy task list --plan 03-01
  teddy task list --plan .planning/03-01-PLAN.md --json
  teddy task list
${EVERYWHERE}`,
    );

  task
    .command('next')
    .description('say which tasks can begin now, and what waits on what')
    .option('--plan <plan>', `${PLAN} (default: every plan)`)
    .action(async (_, command: Command) => run(command, (to, it) => to.nextTasks(it)))
    .addHelpText(
      'after',
      `
Examples:
  teddy task next
  teddy task next --plan 03-01 --json
${EVERYWHERE}`,
    );

  task
    .command('start')
    .description('write down that somebody works on a task now')
    .argument('<id>', 'plan id and position from 1: 03-01:2')
    .option('--session <id>', 'begin or go on with this session')
    .action(async (id: string, _, command: Command) => run(command, (to, it) => to.startTask(id, it)))
    .addHelpText(
      'after',
      `
Examples:
  teddy task start 03-01:2
  teddy task start 03-01:2 --session evening
${EVERYWHERE}`,
    );

  task
    .command('show')
    .description('show all of a task: what it asks for, its results, your decisions')
    .argument('<id>', 'plan id and position from 1: 03-01:2')
    .action(async (id: string, _, command: Command) => run(command, (to, it) => to.showTask(id, it)))
    .addHelpText(
      'after',
      `
Examples:
  teddy task show 03-01:2
  teddy task show 03-01:2 --json
${EVERYWHERE}`,
    );

  task
    .command('resolve')
    .description('decide about a task that failed or is blocked')
    .argument('<id>', 'plan id and position from 1: 03-01:2')
    .argument('<answer>', 'retry, skip, abort, or "fix: " and what to do')
    .action(async (id: string, answer: string, _, command: Command) =>
      run(command, (to, it) => to.resolveTask(id, answer, it)),
    )
    .addHelpText(
      'after',
      `
Examples:
  teddy task resolve 03-01:2 retry
  teddy task resolve 03-01:2 skip
  teddy task resolve 03-01:2 'fix: use the second port'

retry   it can begin again
fix: …  the same, and the next executor is told what you write
skip    it is given up, and what waits on it stays waiting
abort   it stays failed, and what waits on it stays waiting
${EVERYWHERE}`,
    );
}

function addMetrics(program: Command, run: Run): void {
  program
    .command('metrics')
    .description('success, failure and time of the results, in numbers and small charts')
    .option('--day <date>', 'of one day: 2026-01-26, or today')
    .option('--plan <plan>', `of one plan: ${PLAN}`)
    .option('--phase <number>', 'of one phase: 3')
    .option('--task <id>', 'of one task: 03-01:2')
    .option('--trend', 'how long the last plans took')
    .option('--rebuild', 'count everything again from the log, and say what differs')
    .action(async (_, command: Command) => run(command, (to, it) => to.metrics(it)))
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

function addState(program: Command, run: Run): void {
  program
    .command('state')
    .description('what STATE.md should say, and where it says something else')
    .option(
      '--state <file>',
      'the STATE.md (default: the one in the config, the root, .planning or .ultraplan)',
    )
    .option('--write', 'write what it should say; what people wrote there stays')
    .action(async (_, command: Command) => run(command, (to, it) => to.state(it)))
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

function addLogs(program: Command, run: Run): void {
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
    .action(async (_, command: Command) => run(command, (to, it) => to.verifyLogs(it)))
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
    .action(async (_, command: Command) => run(command, (to, it) => to.rotateLogs(it)))
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
