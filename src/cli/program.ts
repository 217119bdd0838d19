import { Command, CommanderError } from 'commander';
import { Unusable } from '../platform/unusable.js';
import { writeOutput } from '../platform/terminal.js';
import type { GlobalOptions } from './options.js';

/** Set by the build from package.json. */
declare const TEDDY_VERSION: string;

/** What of the program there is. */
export interface Faces {
  commands: ((program: Command, setExitCode: (code: number) => void) => void)[];
  /** Where no command is named. */
  welcome(version: string, options: GlobalOptions): Promise<number>;
}

/**
 * Runs one command line and gives its exit code; throws `Unusable` where it cannot be understood. `onUnderstood` is called
 * before the command begins, and never for `--help` or `--version`.
 */
export async function runCommandLine(
  words: readonly string[],
  { commands, welcome }: Faces,
  onUnderstood: (options: GlobalOptions) => void,
): Promise<number> {
  let code = 0;
  const program = describeProgram();
  program.hook('preAction', (_, command) => onUnderstood(command.optsWithGlobals()));
  for (const add of commands) {
    add(program, (result) => {
      code = result;
    });
  }
  refuseExcess(program);
  try {
    await program.parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // commander shows help where no command is named, and says so by this exit code.
    if (error.code === 'commander.help' && error.exitCode !== 0) {
      const options = program.opts<GlobalOptions>();
      onUnderstood(options);
      return welcome(TEDDY_VERSION, options);
    }
    if (error.exitCode === 0) return 0;
    const sentence =
      error.code === 'commander.missingArgument'
        ? describeMissing(error.message, findCommand(program, words))
        : oneSentence(error.message);
    throw new Unusable(sentence, { cause: error });
  }
}

/** A word too many is refused, also below a word that stands before others, which passes its leniency on. */
function refuseExcess(command: Command): void {
  if (command.commands.length === 0) command.allowExcessArguments(false);
  for (const inner of command.commands) refuseExcess(inner);
}

function describeProgram(): Command {
  return new Command('teddy')
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
