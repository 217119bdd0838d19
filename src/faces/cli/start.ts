import { explainSystemError, UserError } from '../../node/errors.js';
import { commandLine, environment, exit, onUncaught, writeError } from '../../node/terminal/terminal.js';
import { type GlobalOptions, paintFor, rootLine, visible } from './output.js';
import { runCommandLine } from './program.js';

/** A command that was understood, and the root that it works in, which it may change itself; undefined where there is none. */
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
    .then((code) => {
      // JSON names the root itself.
      if (understood !== undefined && !understood.options.json) tellRoot(understood);
      return code;
    })
    .catch((error) => explain(error, understood))
    .then(exit);
}

/** Says in one sentence why the command could not be carried out, and where. */
function explain(error: unknown, understood: Understood | undefined): number {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UserError) {
    writeError(`teddy: ${visible(message)}\n`);
    if (understood !== undefined && !error.isUsage) tellRoot(understood);
    return 2;
  }
  const cause = explainSystemError(error);
  if (cause !== undefined) {
    writeError(`teddy: ${visible(cause)}\n`);
    if (understood !== undefined) tellRoot(understood);
    return 2;
  }
  const stack = environment('TEDDY_DEBUG') && error instanceof Error ? `${visible(error.stack ?? '')}\n` : '';
  writeError(`teddy: something went wrong, and this is a bug in teddy: ${visible(message)}\n${stack}`);
  return 2;
}

/** Whatever a command shows, refuses or does, its last line says where. */
function tellRoot({ options, root }: Understood): void {
  if (root !== undefined) writeError(`${rootLine(root, paintFor('stderr', options))}\n`);
}

/** Why there is none, the command itself says. */
async function rootIfAny(options: GlobalOptions): Promise<string | undefined> {
  const { findRootFor } = await import('./project.js');
  try {
    return findRootFor(options);
  } catch {
    return undefined;
  }
}
