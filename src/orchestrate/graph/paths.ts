import { placeIn } from '../../core/place.js';
import type { Tree } from '../../core/tree.js';

/** Nothing about it could be written in another way. */
const PLAIN = /^[\w@-][\w.@-]*(?:\/[\w@-][\w.@-]*)*$/;

/**
 * What a plan says that it writes, as a path from the root: of a pattern only the folders before its first star count.
 * Undefined where it is no path, or leads out of the root.
 */
export function readWritten(text: string, tree?: Tree): string | undefined {
  if (PLAIN.test(text)) return text;
  const star = text.search(/[*?{]/);
  const literal = star === -1 ? text : text.slice(0, text.lastIndexOf('/', star) + 1) || '.';
  return placeIn(tree, literal);
}
