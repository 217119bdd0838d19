import type { Entry } from '../../core/changeset/entry-tree.js';
import { isExecutable, readNamed } from '../commit/entries.js';
import { findEmptied } from '../commit/folders.js';
import { describeError, Jail } from '../jail.js';

/** What a project has at the path of a changeset. */
export type ProjectEntry =
  | { status: 'entry'; entry: Entry }
  | { status: 'absent' }
  /** Nothing may or can be put there. `reason` completes the sentence "<path> …". */
  | { status: 'refused'; reason: string };

/** Looks at paths of a changeset, no link followed. `gone` are those that it removes: they are in nobody's way. */
export function readProjectEntries(
  root: string,
  paths: readonly string[],
  gone: ReadonlySet<string>,
): Map<string, ProjectEntry> {
  const jail = new Jail(root);
  try {
    const isKept = (path: string) => !gone.has(path);
    const emptied = new Set(findEmptied(jail, gone, paths.filter(isKept)).map(({ path }) => path));
    return new Map(paths.map((path) => [path, readProjectEntry(jail, path, gone, emptied)]));
  } finally {
    jail.close();
  }
}

function readProjectEntry(
  jail: Jail,
  path: string,
  gone: ReadonlySet<string>,
  emptied: ReadonlySet<string>,
): ProjectEntry {
  const located = jail.locate(path, { unfollowed: { gone } });
  // Written otherwise than it is resolved: `./a`, or a name that the project does not know.
  if (located.status === 'inside' && located.place.path !== path)
    return { status: 'refused', reason: `is written as ${located.place.path} here` };
  if (located.status === 'refused')
    // What the agent deleted may be below something else by now: it is gone as well.
    return located.code === 'blocked' && gone.has(path)
      ? { status: 'absent' }
      : { status: 'refused', reason: located.reason };
  const { folder, name, stats } = located.place;
  if (stats === undefined) return { status: 'absent' };
  if (stats.isSymbolicLink())
    return { status: 'entry', entry: { kind: 'link', target: folder.readlink(name) } };
  if (stats.isDirectory())
    return emptied.has(path)
      ? { status: 'absent' }
      : { status: 'refused', reason: 'is a folder with other files' };
  if (!stats.isFile()) return { status: 'refused', reason: 'is not a regular file' };
  try {
    const bytes = readNamed(folder, name);
    return { status: 'entry', entry: { kind: 'file', bytes, executable: isExecutable(stats.mode) } };
  } catch (error) {
    return { status: 'refused', reason: `cannot be read (${describeError(error)})` };
  }
}
