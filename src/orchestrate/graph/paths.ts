import { readRootPath } from '../../formats/path.js';

/** Nothing about it could be written in another way. */
const PLAIN = /^[\w@-][\w.@-]*(?:\/[\w@-][\w.@-]*)*$/;

/**
 * What a plan says that it writes, as a path from the root: of a pattern only the folders before its first star count.
 * Undefined where it is no path, or leads out of the root.
 */
export function readWritten(text: string): string | undefined {
  if (PLAIN.test(text)) return text;
  const star = text.search(/[*?{]/);
  const literal = star === -1 ? text : text.slice(0, text.lastIndexOf('/', star) + 1) || '.';
  const read = readRootPath(literal);
  return read.status === 'ok' ? read.path : undefined;
}
