// The doors to the machine: files, standard streams, clipboard, environment. Paths and bytes enter,
// plain values leave: a failure is a value with a reason, or `Unusable`. No room above this one
// imports a node built-in that has effects.

export { readClipboard, writeClipboard } from './clipboard.js';
export type { BytesRead, PathLook } from './files.js';
export { limitBytes, lookAt, MB, readBytes, realPath, replaceFile } from './files.js';
export { readStdin } from './stdin.js';
export {
  commandLine,
  currentFolder,
  environment,
  exit,
  isTerminal,
  onUncaught,
  writeError,
  writeOutput,
} from './terminal.js';
export { decodeText } from './text.js';
export { Unusable } from './unusable.js';
