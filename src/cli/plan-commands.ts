import type { Command } from 'commander';

/** The commands that read a plan and change nothing but its fences. */
export function addPlanCommands(program: Command, setExitCode: (code: number) => void): void {
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
  teddy validate --syntax-only      only its form, whatever files are here

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

Exit codes: 0 repaired or nothing to repair, 1 it cannot be decided (or --check
found something to change), 2 it cannot be read.`,
    );
}
