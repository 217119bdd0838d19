import { Command, Option } from 'commander';
import { UserError } from '../../node/errors.js';

/** Set by the build from package.json. */
declare const TEDDY_VERSION: string;

export function teddyVersion(): string {
  return TEDDY_VERSION;
}

/** How a command ended. */
export interface CommandEnd {
  code: number;
  /** The folder that it worked in, if it differs from the root in its options. */
  root?: string;
}

/** A command whose action returns its exit code or a `CommandEnd`, which the outermost command stores. */
export class TeddyCommand extends Command {
  end: CommandEnd = { code: 0 };
  /** Whether it only leads to other commands. */
  isGroup = false;
  #guide: string | undefined;

  override createCommand(name?: string): TeddyCommand {
    return new TeddyCommand(name);
  }

  /** The action gets the arguments, then the options of this command and of those above it. */
  run<Words extends unknown[]>(action: (...words: Words) => Promise<number | CommandEnd>): this {
    return this.action(async (...words: unknown[]) => {
      const args = words.slice(0, -2);
      const end = await action(...([...args, this.optsWithGlobals()] as Words));
      outermost(this).end = typeof end === 'number' ? { code: end } : end;
    });
  }

  /** Text below the options: three examples, then what else a user needs to know. The guide's page is added at the end. */
  helpText(text: string): this {
    return this.addHelpText('after', `\n${text}`);
  }

  /** Names the page that explains this command and those in it. */
  explainedIn(page: string): this {
    this.#guide = page;
    return this;
  }

  guide(): string | undefined {
    return this.#guide ?? (this.parent as TeddyCommand | null)?.guide();
  }
}

/** A command that takes the name of another one: `task next`. */
export function commandGroup(name: string, commands: readonly TeddyCommand[]): TeddyCommand {
  const names = commands.map((command) => command.name());
  const list = names.join('|');
  const refuse = (problem: string): never => {
    const said = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
    throw new UserError(`${problem}: ${said}; see teddy ${name} --help.`, { isUsage: true });
  };
  const refuseWord = (word: string) => refuse(`unknown command '${name} ${word}'`);
  const group = new TeddyCommand(name)
    .usage(`<${`Usage: teddy ${name} <${list}> [options]`.length > 80 ? 'command' : list}> [options]`)
    .helpCommand(false)
    .argument('[command]')
    .addHelpText('before', ({ command }) => {
      // `--help` after a word that is not a command is not a request for the help of the group.
      const word = command.args.find((each) => !each.startsWith('-'));
      return word === undefined ? '' : refuseWord(word);
    })
    .action((word: string | undefined) =>
      word === undefined ? refuse(`${name} needs a command`) : refuseWord(word),
    );
  group.isGroup = true;
  for (const command of commands) group.addCommand(command);
  return group;
}

export const PLAN = 'the path of a task file, or its id: 03-01';

export const SESSION = 'the session (default: the one you last worked in)';

const REPORT_FORMATS = ['mirrored', 'contract', 'json'] as const;

export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** `more`: formats that only this command has. */
export function reportFormatOption(...more: string[]): Option {
  return new Option('--format <form>', 'the format of the report').choices([...REPORT_FORMATS, ...more]);
}

function outermost(command: Command): TeddyCommand {
  return command.parent === null ? (command as TeddyCommand) : outermost(command.parent);
}
