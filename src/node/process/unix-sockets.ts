import { files } from '../file-calls.js';
import { closing, readAll } from '../folder.js';

const LISTENING = '00010000';
const LARGEST_TABLE = 16 * 1024 * 1024;

/**
 * Paths on which programs of this machine listen: whoever sees such a path can connect. Empty on other systems than
 * Linux.
 */
export function listeningSockets(): string[] {
  try {
    const bytes = closing(files.open('/proc/net/unix', 'r'), (file) => readAll(file, 0, LARGEST_TABLE));
    const rows = Buffer.from(bytes ?? [])
      .toString('utf8')
      .split('\n');
    // `0000: 00000002 00000000 00010000 0001 01 21343 /run/x`; a path may hold spaces.
    const paths = rows.flatMap(
      (row) => /^\S+ \S+ \S+ (\S+) \S+ \S+ +\d+ (\/.*)$/.exec(row)?.slice(1, 3) ?? [],
    );
    return [...new Set(paths.filter((_, at) => at % 2 === 1 && paths[at - 1] === LISTENING))];
  } catch {
    return [];
  }
}
