import { type Command, Option } from 'commander';
import { EVERYWHERE } from './command-group.js';
import { REPORT_FORMATS } from './report-formats.js';

type Faces = typeof import('./session-faces.js');

interface Way {
  load(): Promise<Faces>;
  end(exitCode: number): void;
}

/** The commands about sessions. What they do is loaded when one of them is called. */
export function sessionCommands(
  load: () => Promise<Faces>,
): (program: Command, setExitCode: (code: number) => void) => void {
  return (program, end) => {
    const way = { load, end };
    addBeginning(program, way);
    addWorking(program, way);
    addLookingBack(program, way);
  };
}

const SESSION = 'the session (default: the one last worked in)';

function addBeginning(program: Command, { load, end }: Way): void {
  program
    .command('new')
    .description('begin a session: turns with an agent, each kept as plain files')
    .argument('<name>', 'letters, digits, ".", "_" and "-"')
    .option('--agent <name>', 'the planner that begins (default: assistant); teddy agent list')
    .action(async (name: string, _, command: Command) =>
      end(await (await load()).beginSession(name, command.optsWithGlobals())),
    )
    .addHelpText(
      'after',
      `
Examples:
  teddy new login
  teddy new login --agent architect
  echo src/login/ >> .teddy/sessions/login/session.context
  teddy plan -m "Lock accounts after five wrong passwords."

What the agent is to see stands in session.context: one path, folder, glob or
URL a line, ! before what it is not to see.
${EVERYWHERE}`,
    );

  program
    .command('get-prompt')
    .description('print and copy the system prompt of a planner, with the rules of plans')
    .argument('[name]', "the planner (default: the session's, else assistant)")
    .option('--no-copy', 'do not copy it')
    .action(async (name: string | undefined, _, command: Command) =>
      end(await (await load()).getPrompt(name, command.optsWithGlobals())),
    )
    .addHelpText(
      'after',
      `
Examples:
  teddy get-prompt developer        then paste it into a new chat
  teddy get-prompt architect > architect.txt
${EVERYWHERE}`,
    );
}

function addWorking(program: Command, { load, end }: Way): void {
  program
    .command('context')
    .description('assemble what the agent has to know for its next plan, and copy it')
    .option('--session <name>', SESSION)
    .option('-m, --message <text>', 'what you want, as a part of it')
    .option('--prompt', 'put the system prompt first (default: in the first turn of an agent)')
    .option('--no-prompt', 'leave the system prompt out')
    .option('--no-copy', 'do not copy it')
    .action(async (_, command: Command) => end(await (await load()).context(command.optsWithGlobals())))
    .addHelpText(
      'after',
      `
Examples:
  teddy context                     paste it into a chat, copy the answer; then:
  teddy execute                     decide on the plan; its report is copied
  teddy context -m "Now the tests." > input.md
  teddy context --json              with the tokens of each file

By clipboard, with any chat: context, paste, copy the whole answer, execute.
${EVERYWHERE}`,
    );

  program
    .command('plan')
    .description('ask the model of your config for the next plan, until it can be carried out')
    .option('-m, --message <text>', 'what you want')
    .option('--session <name>', SESSION)
    .option('--agent <name>', 'go on with another planner')
    .option('--model <name>', "another model than the config's")
    .option('--budget <usd>', 'what the session may cost in all')
    .action(async (_, command: Command) => end(await (await load()).plan(command.optsWithGlobals())))
    .addHelpText(
      'after',
      `
Examples:
  teddy plan -m "Lock accounts after five wrong passwords."
  teddy plan                        go on from the last report
  teddy plan -m "Smaller steps." --session login --budget 0.50
  teddy resume                      then: decide on the plan

Nothing is carried out by this. Every answer is kept. A plan that cannot be
carried out goes back to the model with what is wrong (replan.limit times).

Exit codes: 0 there is a plan, 1 no answer was one, or the budget is too small,
2 the model cannot be asked, 130 interrupted.
${EVERYWHERE}`,
    );

  program
    .command('resume')
    .description('go on with a session, wherever it is')
    .argument('[session]', 'its name (default: the one last worked in)')
    .option('-m, --message <text>', 'what you want next, instead of being asked')
    .option('--agent <name>', 'go on with another planner')
    .option('--model <name>', "another model than the config's")
    .option('--budget <usd>', 'what the session may cost in all')
    .option('-y, --yes', 'approve everything that no policy denies')
    .option('--keep-going', 'go on after a failure, and in spite of one that is foreseen')
    .option('--decisions <file>', 'take decisions and replies from a file')
    .addOption(new Option('--format <form>', 'the form of the report').choices([...REPORT_FORMATS]))
    .option('--output <file>', 'write the report to a file instead of printing it')
    .option('--no-copy', 'do not copy the report')
    .action(async (session: string | undefined, _, command: Command) =>
      end(await (await load()).resume(session, command.optsWithGlobals())),
    )
    .addHelpText(
      'after',
      `
Examples:
  teddy resume                      the session last worked in
  teddy resume login -m "Go on."    ask for the next plan at once
  teddy resume --yes                carry out the plan that waits

A run that was cut off is ended first. A plan that waits is decided on and
carried out. After a report you are asked what you want, and the model for the
next plan.

Exit codes: those of teddy execute, or of teddy plan.
${EVERYWHERE}`,
    );
}

function addLookingBack(program: Command, { load, end }: Way): void {
  program
    .command('sessions')
    .description('list the sessions of this project')
    .action(async (_, command: Command) => end(await (await load()).sessions(command.optsWithGlobals())))
    .addHelpText(
      'after',
      `
Examples:
  teddy sessions
  teddy sessions --json
${EVERYWHERE}`,
    );

  program
    .command('memos')
    .description('list what agents remember about this project from plan to plan')
    .action(async (_, command: Command) => end(await (await load()).memos(command.optsWithGlobals())))
    .addHelpText(
      'after',
      `
Examples:
  teddy memos
  teddy memos --json
  teddy memos --root ../shop

Plans propose memos, and each change needs your approval. They are kept in
.teddy/memos.yaml, a list of texts, which you may edit.
${EVERYWHERE}`,
    );

  program
    .command('history')
    .description('the turns of a session: who planned what, what came of it, what it cost')
    .argument('[session]', 'its name (default: the one last worked in)')
    .action(async (session: string | undefined, _, command: Command) =>
      end(await (await load()).history(session, command.optsWithGlobals())),
    )
    .addHelpText(
      'after',
      `
Examples:
  teddy history
  teddy history login --json
${EVERYWHERE}`,
    );

  program
    .command('diff')
    .description('what a turn changed in files')
    .argument('<turn>', '03, or login/03')
    .action(async (turn: string, _, command: Command) =>
      end(await (await load()).diff(turn, command.optsWithGlobals())),
    )
    .addHelpText(
      'after',
      `
Examples:
  teddy diff 03                     of the session last worked in
  teddy diff login/03

What commands changed is not shown: only they know.
${EVERYWHERE}`,
    );
}
