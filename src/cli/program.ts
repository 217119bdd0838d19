import { Command, CommanderError } from 'commander';
import { Unusable, writeOutput } from '../platform/index.js';
import { welcome } from './welcome.js';

/** Set by the build from package.json. */
declare const TEDDY_VERSION: string;

/** Runs one command line and gives its exit code; throws `Unusable` where it cannot be understood. */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  let code = 0;
  const program = describeProgram((result) => {
    code = result;
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // commander shows help where no command is named, and says so by this exit code.
    if (error.code === 'commander.help' && error.exitCode !== 0)
      return welcome(TEDDY_VERSION, program.opts());
    if (error.exitCode === 0) return 0;
    throw new Unusable(oneSentence(error.message), { cause: error });
  }
}

function describeProgram(setExitCode: (code: number) => void): Command {
  const program = new Command('teddy')
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
  teddy validate plan.md            can this plan be carried out here?
  teddy validate                    the same for the plan in the clipboard
  teddy preprocess plan.md          repair its code fences in place

Exit codes: 0 done, 1 the answer is no, 2 cannot be understood or read, 130 interrupted.`,
    );

  program
    .command('validate')
    .description('say whether a plan can be carried out, and what is wrong with it')
    .argument('[file]', 'the plan; - for standard input, nothing for the clipboard')
    .option('--syntax-only', 'read the plan, but do not check it against the files here')
    .option('--strict', 'refuse whatever is not written exactly as the format says')
    .action(async (file: string | undefined, _, command: Command) => {
      const { validate } = await import('./validate.js');
      setExitCode(await validate(file, command.optsWithGlobals()));
    })
    .addHelpText(
      'after',
      `
Examples:
  teddy validate plan.md
  teddy validate plan.md --strict --json
  some-agent | teddy validate -     read the plan from standard input
  teddy validate --syntax-only      the plan in the clipboard, whatever files are here

Exit codes: 0 the plan is ready, 1 it is refused, 2 it cannot be read.`,
    );

  program
    .command('preprocess')
    .description('repair the code fences of a plan, without guessing')
    .argument('[file]', 'the plan, repaired in place; - for standard input, nothing for the clipboard')
    .option('--check', 'write nothing; exit with 1 if something would change')
    .option('--no-copy', 'print the plan from the clipboard instead of copying it back')
    .action(async (file: string | undefined, _, command: Command) => {
      const { preprocess } = await import('./preprocess.js');
      setExitCode(await preprocess(file, command.optsWithGlobals()));
    })
    .addHelpText(
      'after',
      `
Examples:
  teddy preprocess plan.md          repair the file in place
  teddy preprocess plan.md --check  only say what would change
  teddy preprocess                  repair the plan in the clipboard
  teddy preprocess - < answer.md > plan.md

Exit codes: 0 repaired or nothing to repair, 1 it cannot be decided (or --check found
something to change), 2 it cannot be read.`,
    );

  return program;
}

/** commander's "error: unknown command 'x'\n(Did you mean y?)" as a sentence of ours. */
function oneSentence(message: string): string {
  const [what = '', suggestion] = message.replace(/^error: /, '').split('\n');
  const sentence = what.replace(/\.$/, '');
  const meant = suggestion?.match(/Did you mean (?:one of )?(.+)\?/)?.[1];
  return meant ? `${sentence}; did you mean ${meant}?` : `${sentence}; see teddy --help.`;
}
