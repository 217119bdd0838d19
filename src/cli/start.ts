import {
  commandLine,
  environment,
  exit,
  explainSystemError,
  isUnusable,
  onUncaught,
  writeError,
} from '../platform/index.js';
import { type Faces, runCommandLine } from './program.js';
import { visible } from './visible.js';

/** Runs this process's command line to its end. */
export function start(faces: Faces): void {
  onUncaught((error) => exit(explain(error)));
  runCommandLine(commandLine(), faces).catch(explain).then(exit);
}

/** Says in one sentence why the command could not be carried out. */
function explain(error: unknown): number {
  const message = error instanceof Error ? error.message : String(error);
  if (isUnusable(error)) {
    writeError(`teddy: ${visible(message)}\n`);
    return 2;
  }
  const cause = explainSystemError(error);
  if (cause !== undefined) {
    writeError(`teddy: ${visible(cause)}\n`);
    return 2;
  }
  const stack = environment('TEDDY_DEBUG') && error instanceof Error ? `${visible(error.stack ?? '')}\n` : '';
  writeError(`teddy: something went wrong, and this is a bug in teddy: ${visible(message)}\n${stack}`);
  return 2;
}
