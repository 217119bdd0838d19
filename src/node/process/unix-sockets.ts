import { files } from '../file-calls.js';
import { closing, readAll } from '../folder.js';

const LARGEST_TABLE = 16 * 1024 * 1024;

/** Paths of the sockets on this machine: any program that sees such a path can connect. Empty except on Linux. */
export function socketPaths(): string[] {
  try {
    const bytes = closing(files.open('/proc/net/unix', 'r'), (file) => readAll(file, 0, LARGEST_TABLE));
    const table = Buffer.from(bytes ?? []).toString('utf8');
    // `0000: 00000002 00000000 00010000 0001 01 21343 /run/x`; a path may hold spaces.
    return [...new Set(Array.from(table.matchAll(/^(?:\S+ +){7}(\/.*)$/gm), ([, path]) => path!))];
  } catch {
    return [];
  }
}
