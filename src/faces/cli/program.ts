import { type Command, CommanderError } from 'commander';
import { explainSystemError, UserError } from '../../node/errors.js';
import { lookAtFile } from '../../node/files.js';
import {
  commandLine,
  environment,
  exit,
  isTerminal,
  onUncaught,
  terminalWidth,
  writeError,
  writeOutput,
} from '../../node/terminal/terminal.js';
import { type CommandEnd, TeddyCommand, teddyVersion } from './command.js';
import { type GlobalOptions, paintFor, rootLine, visible } from './output.js';

/** The commands that one guide explains. Each is loaded when it is named, and all of them for help. */
interface CommandGroup {
  heading: string;
  guide: string;
  commands: Record<string, () => Promise<TeddyCommand>>;
}

/** In the order of the help. */
const GROUPS: readonly CommandGroup[] = [
  {
    heading: 'Any agent:',
    guide: 'docs/wrap.md',
    commands: {
      wrap: async () => (await import('./commands/changes/wrap.js')).wrapCommand,
      changes: async () => (await import('./commands/changes/changes.js')).changesCommand,
    },
  },
  {
    heading: 'Plans:',
    guide: 'docs/plans.md',
    commands: {
      execute: async () => (await import('./commands/plans/execute.js')).executeCommand,
      undo: async () => (await import('./commands/plans/undo.js')).undoCommand,
      redo: async () => (await import('./commands/plans/redo.js')).redoCommand,
      diff: async () => (await import('./commands/plans/diff.js')).diffCommand,
      runs: async () => (await import('./commands/plans/runs.js')).runsCommand,
      report: async () => (await import('./commands/plans/report.js')).reportCommand,
      validate: async () => (await import('./commands/plans/validate.js')).validateCommand,
      preprocess: async () => (await import('./commands/plans/preprocess.js')).preprocessCommand,
    },
  },
  {
    heading: 'Plans:',
    guide: 'docs/page.md',
    commands: {
      web: async () => (await import('./commands/web/web.js')).webCommand,
      inbox: async () => (await import('./commands/web/inbox.js')).inboxCommand,
    },
  },
  {
    heading: 'Sessions:',
    guide: 'docs/sessions.md',
    commands: {
      chat: async () => (await import('./commands/sessions/chat.js')).chatCommand,
      new: async () => (await import('./commands/sessions/new.js')).newCommand,
      'get-prompt': async () => (await import('./commands/sessions/get-prompt.js')).getPromptCommand,
      context: async () => (await import('./commands/sessions/context.js')).contextCommand,
      plan: async () => (await import('./commands/sessions/plan.js')).planCommand,
      resume: async () => (await import('./commands/sessions/resume.js')).resumeCommand,
      sessions: async () => (await import('./commands/sessions/sessions.js')).sessionsCommand,
      memos: async () => (await import('./commands/sessions/memos.js')).memosCommand,
      history: async () => (await import('./commands/sessions/history.js')).historyCommand,
    },
  },
  {
    heading: 'Tasks:',
    guide: 'docs/tasks.md',
    commands: {
      orchestrate: async () => (await import('./commands/tasks/orchestrate.js')).orchestrateCommand,
      task: async () => (await import('./commands/tasks/task-group.js')).taskCommand,
      result: async () => (await import('./commands/results/submit.js')).resultCommand,
      metrics: async () => (await import('./commands/results/metrics.js')).metricsCommand,
      state: async () => (await import('./commands/results/state.js')).stateCommand,
      logs: async () => (await import('./commands/results/logs.js')).logsCommand,
    },
  },
  {
    heading: 'Agents:',
    guide: 'docs/agents.md',
    commands: {
      agent: async () => (await import('./commands/agents/agent-group.js')).agentCommand,
    },
  },
  {
    heading: 'Agents:',
    guide: 'docs/connect.md',
    commands: {
      connect: async () => (await import('./commands/connect/connect.js')).connectCommand,
      mcp: async () => (await import('./commands/connect/mcp.js')).mcpCommand,
      acp: async () => (await import('./commands/connect/acp.js')).acpCommand,
    },
  },
  {
    heading: 'Set-up:',
    guide: 'docs/setup.md',
    commands: {
      demo: async () => (await import('./commands/setup/demo.js')).demoCommand,
      status: async () => (await import('./commands/setup/status.js')).statusCommand,
      setup: async () => (await import('./commands/setup/setup.js')).setupCommand,
      init: async () => (await import('./commands/setup/init.js')).initCommand,
      trust: async () => (await import('./commands/setup/trust.js')).trustCommand,
    },
  },
];

/**
 * Runs one command line and returns how it ended; throws a `UserError` for a usage error. `onUnderstood` is called before
 * the command starts, and never for `--help` or `--version`.
 */
export async function runCommandLine(
  given: readonly string[],
  onUnderstood: (options: GlobalOptions) => Promise<void>,
): Promise<CommandEnd> {
  const words = nameCommand(given);
  const program = describeProgram();
  program.hook('preAction', (_, command) => onUnderstood(command.optsWithGlobals()));
  await addCommands(program, words);
  refuseExcess(program);
  try {
    await program.parseAsync(words, { from: 'user' });
    return program.end;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { code: 0 };
    throw new UserError(describeUsage(error, findCommand(program, words), words), { cause: error });
  }
}

/** `teddy` means `teddy status`, and `teddy FILE` means `teddy execute FILE`. */
function nameCommand(words: readonly string[]): readonly string[] {
  const word = firstCommandWord(words);
  if (word === undefined) return words.some(isAboutProgram) ? words : ['status', ...words];
  const isNamed = word === 'help' || GROUPS.some(({ commands }) => Object.hasOwn(commands, word));
  return !isNamed && isFile(word) ? ['execute', ...words] : words;
}

function isAboutProgram(word: string): boolean {
  return word === '--help' || word === '--version';
}

/** A named pipe counts too: a shell's `<(command)` is a file to its user. */
function isFile(path: string): boolean {
  return !['missing', 'folder'].includes(lookAtFile(path));
}

/** Adds the command that is named; all of them for help and for suggestions; none for the version. */
async function addCommands(program: TeddyCommand, words: readonly string[]): Promise<void> {
  if (words[0] === '--version') return;
  const word = firstCommandWord(words) ?? '';
  const named = GROUPS.filter(({ commands }) => Object.hasOwn(commands, word));
  for (const { heading, guide, commands } of named.length > 0 ? named : GROUPS) {
    const loaders = named.length > 0 ? [commands[word]!] : Object.values(commands);
    for (const load of loaders) addCommand(program, (await load()).helpGroup(heading).explainedIn(guide));
  }
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

/** A group takes any words, to explain the one that is not its command; other commands would inherit that. */
function refuseExcess(command: TeddyCommand): void {
  command.allowExcessArguments(command.isGroup).allowUnknownOption(command.isGroup);
  for (const inner of command.commands) refuseExcess(inner as TeddyCommand);
}

function describeProgram(): TeddyCommand {
  return new TeddyCommand('teddy')
    .description('Review, run and undo the changes that your AI agents propose.')
    .usage('[options] <command>')
    .version(teddyVersion(), '--version', 'print the version')
    .helpOption('--help', 'print this help')
    .commandsGroup('Set-up:')
    .helpCommand('help [command]', 'print the help of a command')
    .option('--root <dir>', 'work in this project (default: the nearest with .teddy or .git)')
    .option('--json', 'print the result as JSON')
    .option('--no-color', 'print without colours')
    .option('--trust', "trust this project's configuration for this one command")
    .configureOutput({ writeOut: writeOutput, writeErr: () => {} })
    .configureHelp({ subcommandTerm: nameWithArguments })
    .exitOverride()
    .addHelpText('afterAll', ({ command }) => describeEverywhere(command as TeddyCommand))
    .addHelpText('after', EXAMPLES);
}

/** `undo [run]`: a list of commands is easier to read without an `[options]` in every line. */
function nameWithArguments(command: Command): string {
  const words = command.registeredArguments.map((argument) => {
    const word = argument.name() + (argument.variadic ? '...' : '');
    return argument.required ? `<${word}>` : `[${word}]`;
  });
  return [command.name(), ...words].join(' ');
}

const EXAMPLES = `
Examples:
  teddy                     show what to do next in this folder
  teddy wrap -- claude      let an agent work in a copy, and review its changes
  teddy execute             review the plan that you copied from your agent
  teddy execute plan.md     review a plan in a file (or only: teddy plan.md)
  teddy undo                undo the last run

Exit codes: 0 success, 1 failed or refused, 2 could not start (usage, files, no
terminal), 130 interrupted.
Guides: docs/ in the package folder (npm root -g shows where).`;

/** The end of every command's help. */
function describeEverywhere(command: TeddyCommand): string {
  if (command.parent === null) return '';
  const guide = command.guide();
  return `
For every command: --root, --json, --no-color, --trust; see teddy --help.${guide ? `\nGuide: ${guide}` : ''}`;
}

/** Why a command line is refused, in one sentence, with a suggestion or the help that explains it. */
function describeUsage(
  { code, message }: CommanderError,
  command: Command,
  words: readonly string[],
): string {
  const [what = '', suggestion] = message.replace(/^error: /, '').split('\n');
  const meant = suggestion?.match(/Did you mean (?:one of )?(.+)\?/)?.[1];
  if (meant) return `${what}; did you mean ${meant}?`;
  return `${describeProblem(code, what.replace(/\.$/, ''), command, words)}; see ${pathOf(command)} --help.`;
}

function describeProblem(code: string, what: string, command: Command, words: readonly string[]): string {
  const name = /'([^']+)'/.exec(what)?.[1] ?? '';
  const option = name.split(/[ ,]/, 1)[0];
  switch (code) {
    case 'commander.missingArgument': {
      const argument = command.registeredArguments.find((each) => each.name() === name);
      return argument?.description ? `${what} (${argument.description})` : what;
    }
    case 'commander.missingMandatoryOptionValue':
      return `${option} is missing`;
    case 'commander.invalidArgument':
      return what.replace(
        /^option '.*?' argument '(.*)' is invalid\. Allowed choices are /,
        `${option} "$1" must be one of `,
      );
    // `teddy help NAME`, where there is no such command.
    case 'commander.help':
      return `unknown command '${words.at(-1)}'`;
    case 'commander.unknownCommand':
      return /[./]/.test(name) ? `${name} is neither a file nor a command` : what;
    default:
      return what;
  }
}

/** The innermost command that these words name. */
function findCommand(program: Command, words: readonly string[]): Command {
  let found = program;
  for (const word of words) found = found.commands.find((command) => command.name() === word) ?? found;
  return found;
}

/** `teddy runs prune` */
function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** A valid command line, and the root that the command works in; undefined if there is none. */
interface Understood {
  options: GlobalOptions;
  root: string | undefined;
}

/** Runs this process's command line to its end. */
export function start(): void {
  let understood: Understood | undefined;
  onUncaught((error) => exit(explain(error, understood)));
  runCommandLine(commandLine(), async (options) => {
    understood = { options, root: await rootIfAny(options) };
  })
    .then(({ code, root }) => {
      // JSON names the root itself.
      if (understood !== undefined && !understood.options.json)
        printRoot({ ...understood, root: root ?? understood.root });
      return code;
    })
    .catch(async (error) => explain(error, understood, await loadWrap()))
    .then(exit);
}

/** Prints in one sentence why the command could not run, and in which project. */
function explain(error: unknown, understood: Understood | undefined, wrap = (text: string) => text): number {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UserError) {
    writeError(`${wrap(`teddy: ${visible(message)}`)}\n`);
    if (understood !== undefined && !error.isUsage) printRoot(understood);
    return 2;
  }
  const cause = explainSystemError(error);
  if (cause !== undefined) {
    writeError(`${wrap(`teddy: ${visible(cause)}`)}\n`);
    if (understood !== undefined) printRoot(understood);
    return 2;
  }
  const stack = environment('TEDDY_DEBUG') && error instanceof Error ? `${visible(error.stack ?? '')}\n` : '';
  writeError(`teddy: unexpected error, which is a bug in teddy: ${visible(message)}\n${stack}`);
  return 2;
}

/** At a terminal, words stay whole. */
async function loadWrap(): Promise<((text: string) => string) | undefined> {
  if (!isTerminal('stderr')) return undefined;
  const { wrapLines } = await import('./table.js');
  return (text) => wrapLines(text, terminalWidth('stderr'));
}

/** The last line of every command names the root. */
function printRoot({ options, root }: Understood): void {
  if (root !== undefined) writeError(`${rootLine(root, paintFor('stderr', options))}\n`);
}

/** The command itself reports why there is none. */
async function rootIfAny(options: GlobalOptions): Promise<string | undefined> {
  const { findRootFor } = await import('./project.js');
  try {
    return findRootFor(options);
  } catch {
    return undefined;
  }
}
