import { type Command, CommanderError } from 'commander';
import { UserError } from '../../node/errors.js';
import { writeOutput } from '../../node/terminal/terminal.js';
import { TeddyCommand } from './command.js';
import type { GlobalOptions } from './output.js';

/** Set by the build from package.json. */
declare const TEDDY_VERSION: string;

/** In the order of the help. Each is loaded when it is named, and all of them for help. */
const COMMANDS: Record<string, () => Promise<TeddyCommand>> = {
  execute: async () => (await import('./commands/plans/execute.js')).executeCommand,
  undo: async () => (await import('./commands/plans/undo.js')).undoCommand,
  runs: async () => (await import('./commands/plans/runs.js')).runsCommand,
  report: async () => (await import('./commands/plans/report.js')).reportCommand,
  init: async () => (await import('./commands/setup/init.js')).initCommand,
  trust: async () => (await import('./commands/setup/trust.js')).trustCommand,
  new: async () => (await import('./commands/sessions/new.js')).newCommand,
  'get-prompt': async () => (await import('./commands/sessions/get-prompt.js')).getPromptCommand,
  context: async () => (await import('./commands/sessions/context.js')).contextCommand,
  plan: async () => (await import('./commands/sessions/plan.js')).planCommand,
  resume: async () => (await import('./commands/sessions/resume.js')).resumeCommand,
  sessions: async () => (await import('./commands/sessions/sessions.js')).sessionsCommand,
  memos: async () => (await import('./commands/sessions/memos.js')).memosCommand,
  history: async () => (await import('./commands/sessions/history.js')).historyCommand,
  diff: async () => (await import('./commands/sessions/diff.js')).diffCommand,
  validate: async () => (await import('./commands/plans/validate.js')).validateCommand,
  preprocess: async () => (await import('./commands/plans/preprocess.js')).preprocessCommand,
  result: async () => (await import('./commands/results/result-group.js')).resultCommand,
  task: async () => (await import('./commands/tasks/task-group.js')).taskCommand,
  metrics: async () => (await import('./commands/results/metrics.js')).metricsCommand,
  state: async () => (await import('./commands/results/state.js')).stateCommand,
  logs: async () => (await import('./commands/results/logs.js')).logsCommand,
  orchestrate: async () => (await import('./commands/tasks/orchestrate.js')).orchestrateCommand,
  agent: async () => (await import('./commands/agents/agent-group.js')).agentCommand,
};

/**
 * Runs one command line and gives its exit code; throws `UserError` where it cannot be understood. `onUnderstood` is called
 * before the command begins, and never for `--help` or `--version`.
 */
export async function runCommandLine(
  words: readonly string[],
  onUnderstood: (options: GlobalOptions) => Promise<void>,
): Promise<number> {
  const program = describeProgram();
  program.hook('preAction', (_, command) => onUnderstood(command.optsWithGlobals()));
  for (const load of commandsFor(words)) addCommand(program, await load());
  refuseExcess(program);
  try {
    await program.parseAsync(words, { from: 'user' });
    return program.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // commander shows help where no command is named, and says so by this exit code.
    if (error.code === 'commander.help' && error.exitCode !== 0) {
      const options = program.opts<GlobalOptions>();
      await onUnderstood(options);
      const { welcome } = await import('./welcome.js');
      return welcome(TEDDY_VERSION, options);
    }
    if (error.exitCode === 0) return 0;
    const sentence =
      error.code === 'commander.missingArgument'
        ? describeMissing(error.message, findCommand(program, words))
        : oneSentence(error.message);
    throw new UserError(sentence, { cause: error });
  }
}

/** The one that is named; all where help or a suggestion has to know them; none for the version. */
function commandsFor(words: readonly string[]): (() => Promise<TeddyCommand>)[] {
  if (words[0] === '--version') return [];
  const word = firstCommandWord(words) ?? '';
  return Object.hasOwn(COMMANDS, word) ? [COMMANDS[word]!] : Object.values(COMMANDS);
}

/** The first word that is neither an option nor the folder of `--root`. */
function firstCommandWord(words: readonly string[]): string | undefined {
  return words.find((word, at) => !word.startsWith('-') && words[at - 1] !== '--root');
}

/** Commands inherit how the program prints and ends. */
function addCommand(parent: TeddyCommand, command: TeddyCommand): void {
  passOn(parent, command);
  parent.addCommand(command);
}

function passOn(parent: Command, command: Command): void {
  const own = command.configureHelp();
  command.copyInheritedSettings(parent).configureHelp({ ...command.configureHelp(), ...own });
  for (const inner of command.commands) passOn(command, inner);
}

/** A word too many is refused, also below a word that stands before others, which passes its leniency on. */
function refuseExcess(command: Command): void {
  if (command.commands.length === 0) command.allowExcessArguments(false);
  for (const inner of command.commands) refuseExcess(inner);
}

function describeProgram(): TeddyCommand {
  return new TeddyCommand('teddy')
    .description('Agents propose a plan; you decide; teddy acts and tells the truth.')
    .usage('[options] <command>')
    .version(TEDDY_VERSION, '--version', 'print the version')
    .helpOption('--help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .option('--root <dir>', 'the folder that the plan is about (default: the nearest with .teddy or .git)')
    .option('--json', 'print the result as JSON')
    .option('--no-color', 'print without colours')
    .option('--trust', "trust this project's configuration for this one command")
    .configureOutput({ writeOut: writeOutput, writeErr: () => {} })
    .exitOverride()
    .addHelpText(
      'after',
      `
Examples:
  teddy execute plan.md             decide on each action and carry it out
  teddy execute                     the same for the plan in the clipboard
  teddy undo                        put the files back as they were before it
  teddy validate plan.md            can this plan be carried out here?
  teddy task next                   which tasks of the PLAN.md files can begin?
  teddy result submit r.yaml --plan 03-01    what an executor says it did

Exit codes: 0 done, 1 the answer is no, 2 cannot be understood, read or asked,
130 interrupted.`,
    );
}

/** commander's "error: unknown command 'x'\n(Did you mean y?)" as a sentence of ours. */
function oneSentence(message: string): string {
  const [what = '', suggestion] = message.replace(/^error: /, '').split('\n');
  const sentence = what.replace(/\.$/, '');
  const meant = suggestion?.match(/Did you mean (?:one of )?(.+)\?/)?.[1];
  return meant ? `${sentence}; did you mean ${meant}?` : `${sentence}; see teddy --help.`;
}

/** The innermost command that these words name. */
function findCommand(program: Command, words: readonly string[]): Command {
  let found = program;
  for (const word of words) found = found.commands.find((command) => command.name() === word) ?? found;
  return found;
}

/** Says what the argument is, and where its command is explained. */
function describeMissing(message: string, command: Command): string {
  const name = /'(.+)'/.exec(message)?.[1];
  const about = command.registeredArguments.find((argument) => argument.name() === name)?.description;
  const names: string[] = [];
  for (let each: Command | null = command; each; each = each.parent) names.unshift(each.name());
  return `${message.replace(/^error: /, '')}${about ? ` (${about})` : ''}; see ${names.join(' ')} --help.`;
}
