import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { files } from './file-calls.js';
import { MB, readBytes } from './files.js';

const MOST_BYTES = 20 * MB;

/** The files of a folder next to the program, by name; empty if there is no such folder. */
export function readProgramFiles(folder: string): Map<string, Uint8Array> {
  const path = join(dirname(createRequire(import.meta.url).resolve(import.meta.url)), folder);
  const found = new Map<string, Uint8Array>();
  if (files.statAt(path)?.isDirectory() !== true) return found;
  for (const name of files.list(path)) {
    const read = readBytes(join(path, name), MOST_BYTES);
    if (read.status === 'bytes') found.set(name, read.bytes);
  }
  return found;
}
