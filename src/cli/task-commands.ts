import type { Command } from 'commander';
import { addGroup, EVERYWHERE, type Faces, PLAN, type Way } from './command-group.js';
import { addRecordCommands } from './record-commands.js';
import { RESULT_FIELDS } from './result-fields.js';

/**
 * The commands about the tasks of PLAN.md files and their results. `load` gives what they do when one is called; who has
 * the one that is called most at hand gives it too.
 */
export function taskCommands(
  load: Way['load'],
  submit: Way['submit'] = async (...words) => (await load()).submit(...words),
) {
  return (program: Command, setExitCode: Way['end']): void => {
    const way = { load, submit, end: setExitCode };
    addResult(program, way);
    addTask(program, way);
    addRecordCommands(program, way);
  };
}

function addResult(program: Command, { load, submit, end }: Way): void {
  const lookAhead: Faces['lookAhead'] = async (...words) => (await load()).lookAhead(...words);
  const result = addGroup(program, 'result', ['submit', 'check'])
    .description("judge executors' results and make them part of the project")
    .addHelpText(
      'after',
      `
Examples:
  teddy result submit result.yaml --plan 03-01
  teddy result check result.yaml --plan 03-01
  teddy result check result.yaml --plan 03-01 --fix > fixed.yaml

${RESULT_FIELDS}
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
    .action(async (file: string, _, command: Command) =>
      end(await submit(file, command.optsWithGlobals(), lookAhead)),
    )
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
    .option('--fix', 'print the result with its form corrected')
    .action(async (file: string, _, command: Command) =>
      end(await (await load()).check(file, command.optsWithGlobals())),
    )
    .addHelpText(
      'after',
      `
Examples:
  teddy result check result.yaml --plan 03-01
  some-executor | teddy result check - --plan 03-01 --json
  teddy result check result.yaml --plan 03-01 --fix > fixed.yaml

--fix corrects the form, not the claims: quotes, types, words such as yes or
completed. It drops nothing and makes nothing up; what is in no field becomes
a comment. It prints only a result that is not INVALID.

Exit codes: 0 VALID or VALID_WITH_WARNINGS, 1 INVALID or not fixed, 2 no such
plan or not readable.
${EVERYWHERE}`,
    );
}

function addTask(program: Command, { load, end }: Way): void {
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
    .action(async (_, command: Command) => end(await (await load()).listTasks(command.optsWithGlobals())))
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
    .description('say which tasks can begin now, which have begun, and what waits on what')
    .option('--plan <plan>', `${PLAN} (default: every plan)`)
    .action(async (_, command: Command) => end(await (await load()).nextTasks(command.optsWithGlobals())))
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
    .action(async (id: string, _, command: Command) =>
      end(await (await load()).startTask(id, command.optsWithGlobals())),
    )
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
    .action(async (id: string, _, command: Command) =>
      end(await (await load()).showTask(id, command.optsWithGlobals())),
    )
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
    .description('decide about a task that failed, is blocked, was left by its worker or is yours')
    .argument('<id>', 'plan id and position from 1: 03-01:2')
    .argument('<answer>', 'retry, skip, abort, done, or "fix: " and what to do')
    .option('-y, --yes', "with done: run the task's <verify> command without asking")
    .action(async (id: string, answer: string, _, command: Command) =>
      end(await (await load()).resolveTask(id, answer, command.optsWithGlobals())),
    )
    .addHelpText(
      'after',
      `
Examples:
  teddy task resolve 03-01:2 retry
  teddy task resolve 03-01:2 skip
  teddy task resolve 03-01:2 'fix: use the second port'
  teddy task resolve 03-01:3 done
  teddy task resolve 03-01:3 'done: the page looks as it should' --yes

retry   it can begin again, also where whoever had started it died over it
fix: …  the same; teddy task show keeps what you write, for its executor
skip    it is given up, and what waits on it stays waiting
abort   it is failed until you say something else, and what waits on it waits
done    it is done, a checkpoint for example: teddy shows its <verify> command,
        if it has one, asks, runs it, and captures a success in your name;
        done: … keeps your words as the evidence. Exit code 1 if the command
        fails, 2 if you say no
${EVERYWHERE}`,
    );
}
