// The command line: words in, words and an exit code out. It reads no file and changes nothing itself;
// the result goes to standard output, all else to standard error.
import { commandLine, environment, exit, onUncaught, Unusable, writeError } from '../platform/index.js';
import { runCommandLine } from './program.js';
import { visible } from './visible.js';

onUncaught((error) => exit(explain(error)));
runCommandLine(commandLine()).catch(explain).then(exit);

/** Says in one sentence why the command could not be carried out. */
function explain(error: unknown): number {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Unusable) {
    writeError(`teddy: ${visible(message)}\n`);
    return 2;
  }
  const stack = environment('TEDDY_DEBUG') && error instanceof Error ? `${visible(error.stack ?? '')}\n` : '';
  writeError(`teddy: something went wrong, and this is a bug in teddy: ${visible(message)}\n${stack}`);
  return 2;
}
