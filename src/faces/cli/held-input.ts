import { basename, dirname, join, relative, resolve } from 'node:path';
import { lookAtFile, realPath } from '../../node/files.js';
import { currentFolder } from '../../node/terminal/terminal.js';
import { UserError } from '../../node/user-error.js';
import type { Incoming } from '../../workspace/incoming.js';
import type { Project } from './open-project.js';
import { visibleLine } from './visible.js';

export const INCOMING = '.teddy/incoming';

/** What stands in a file stays there, unless it is one of those that were left in `.teddy/incoming`. */
export function holdInput(
  file: string,
  bytes: Uint8Array,
  place: Project,
  ending?: '.report',
): Incoming | undefined {
  if (bytes.length === 0) return undefined;
  if (file === '-' || lookAtFile(file) !== 'file') return place.workspace.keepIncoming(bytes, { ending });
  const path = fromRoot(place.root, realPath(file) ?? file);
  if (!path?.startsWith(`${INCOMING}/`)) return undefined;
  const held = place.workspace.takeIncoming(path);
  if (!held) throw new UserError(`${visibleLine(file)} is being seen to by another teddy right now.`);
  return held;
}

/** A path as it is typed in the current folder, from the root; undefined where it leads out, or to the root itself. */
export function fromRoot(root: string, path: string): string | undefined {
  const inside = relative(realPath(root) ?? root, realPlace(resolve(currentFolder(), path)));
  return inside === '' || inside === '..' || inside.startsWith('../') ? undefined : inside;
}

/** Where a file is or would be: links on the way are followed, one at its end is not. */
function realPlace(path: string): string {
  const folder = dirname(path);
  return folder === path ? path : join(realPath(folder) ?? realPlace(folder), basename(path));
}

/** The other way round: a path from the root, as it would be typed in the current folder. */
export function pathFromHere(root: string, path: string): string {
  return relative(realPath(currentFolder()) ?? currentFolder(), join(realPath(root) ?? root, path));
}

/** A word as a shell would take it, with nothing in it that a terminal would act on. */
export function quoteWord(word: string): string {
  if (/^[\w./:@%+=-]+$/.test(word)) return word;
  if (visibleLine(word) === word) return `'${word.replaceAll("'", `'\\''`)}'`;
  const bytes = [...new TextEncoder().encode(word)];
  const escaped = bytes.map((byte) =>
    /[\w ./:@%+=-]/.test(String.fromCharCode(byte))
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`,
  );
  return `$'${escaped.join('')}'`;
}
