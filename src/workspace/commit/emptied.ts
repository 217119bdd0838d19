import type { Jail } from '../jail.js';
import { parentOf } from './log.js';

/** A folder in which a commit leaves nothing. */
export interface EmptiedFolder {
  path: string;
  mode: number;
}

/** The folders with nothing in them but what is removed, the innermost first; none that something is written below. */
export function findEmptied(
  jail: Jail,
  removed: ReadonlySet<string>,
  written: readonly string[],
): EmptiedFolder[] {
  const inUse = new Set(written.flatMap(foldersAbove));
  const candidates = new Set([...removed].flatMap(foldersAbove).filter((path) => !inUse.has(path)));
  const depth = (path: string) => path.split('/').length;
  const emptied = new Map<string, EmptiedFolder>();
  for (const path of [...candidates].sort((a, b) => depth(b) - depth(a))) {
    const folder = jail.requireFolder(path);
    const isLeft = (name: string) => !removed.has(`${path}/${name}`) && !emptied.has(`${path}/${name}`);
    if (folder === undefined || folder.list().some(isLeft)) continue;
    emptied.set(path, { path, mode: folder.seen.mode & 0o7777 });
  }
  return [...emptied.values()];
}

/** From the inside out. */
export function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let above = parentOf(path); above !== ''; above = parentOf(above)) folders.push(above);
  return folders;
}
