import { Command, Option } from 'commander';
import { UserError } from '../../node/errors.js';

/** A command whose action gives its exit code. The outermost one keeps it. */
export class TeddyCommand extends Command {
  exitCode = 0;

  override createCommand(name?: string): TeddyCommand {
    return new TeddyCommand(name);
  }

  /** The action gets the arguments, then the options of this command and of those above it. */
  run<Words extends unknown[]>(action: (...words: Words) => Promise<number>): this {
    return this.action(async (...words: unknown[]) => {
      const args = words.slice(0, -2);
      const code = await action(...([...args, this.optsWithGlobals()] as Words));
      outermost(this).exitCode = code;
    });
  }

  /** What stands below the options: examples first, then whatever else there is to know. */
  helpText(text: string): this {
    return this.addHelpText('after', `\n${text}\n${EVERYWHERE}`);
  }
}

const EVERYWHERE = `
For every command: --root, --json, --no-color, --trust; see teddy --help.`;

/** A word that needs another one: `task next`. */
export function commandGroup(name: string, commands: readonly TeddyCommand[]): TeddyCommand {
  const names = commands.map((command) => command.name());
  const group = new TeddyCommand(name)
    .usage(`<${names.join('|')}> [options]`)
    .helpCommand(false)
    .argument('[command]')
    .allowExcessArguments()
    .action((word: string | undefined) => {
      const problem =
        word === undefined ? `${name} needs one more word` : `unknown command '${name} ${word}'`;
      const last = names.at(-1);
      throw new UserError(
        `${problem}: ${names.slice(0, -1).join(', ')} or ${last}; see teddy ${name} --help.`,
        { isUsage: true },
      );
    });
  for (const command of commands) group.addCommand(command);
  return group;
}

export const PLAN = 'the path of a PLAN.md, or its id: 03-01';

export const SESSION = 'the session (default: the one last worked in)';

const REPORT_FORMATS = ['mirrored', 'contract', 'json'] as const;

export type ReportFormat = (typeof REPORT_FORMATS)[number];

export function reportFormatOption(): Option {
  return new Option('--format <form>', 'the form of the report').choices([...REPORT_FORMATS]);
}

function outermost(command: Command): TeddyCommand {
  return command.parent === null ? (command as TeddyCommand) : outermost(command.parent);
}
