import type { Readable, Writable } from 'node:stream';
import type { ProcessOptions } from './types.js';

/** Hands the input over. A command that does not want all of it is no error. The returned function ends the feeding. */
export function feedInput(
  stdin: Writable | null,
  input: ProcessOptions['input'],
  onBroken: (error: Error) => void,
): () => void {
  if (stdin === null || input === undefined) return () => {};
  stdin.on('error', () => {});
  if (typeof input !== 'string' && !(input instanceof Uint8Array)) return feedStream(stdin, input, onBroken);
  stdin.end(input);
  return () => stdin.destroy();
}

function feedStream(stdin: Writable, source: Readable, onBroken: (error: Error) => void): () => void {
  const { finished } = process.getBuiltinModule('node:stream');
  const forget = finished(source, { writable: false }, (error) => {
    if (error) onBroken(error);
  });
  source.pipe(stdin);
  return () => {
    source.unpipe(stdin);
    forget();
    stdin.destroy();
  };
}
