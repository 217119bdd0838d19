import { explainSystemError, UserError } from '../../node/errors.js';
import { commandLine, environment, exit, onUncaught, writeError } from '../../node/terminal/terminal.js';
import { type GlobalOptions, paintFor, rootLine, visible } from './output.js';
import { runCommandLine } from './program.js';

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
    .catch((error) => explain(error, understood))
    .then(exit);
}

/** Prints in one sentence why the command could not run, and in which project. */
function explain(error: unknown, understood: Understood | undefined): number {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UserError) {
    writeError(`teddy: ${visible(message)}\n`);
    if (understood !== undefined && !error.isUsage) printRoot(understood);
    return 2;
  }
  const cause = explainSystemError(error);
  if (cause !== undefined) {
    writeError(`teddy: ${visible(cause)}\n`);
    if (understood !== undefined) printRoot(understood);
    return 2;
  }
  const stack = environment('TEDDY_DEBUG') && error instanceof Error ? `${visible(error.stack ?? '')}\n` : '';
  writeError(`teddy: unexpected error, which is a bug in teddy: ${visible(message)}\n${stack}`);
  return 2;
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
