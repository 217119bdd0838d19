import { join } from 'node:path';
import { type Folder, isAbsent, isAlreadyThere } from '../../node/folder.js';
import type { Jail, ResolvedPath } from '../jail.js';
import { OWN_MODE } from '../store.js';

// The folders of a commit: those that it makes for its files, those that it leaves empty and removes, and those that it
// changes for their own sake.

/** What a commit does to folders besides its entries, as far as the system allows it. */
export interface FolderSteps {
  /** Removed if they are empty by then, or where an entry takes their place; the innermost first. */
  removed: readonly string[];
  /** Created again, or given this mode; the outermost first. */
  kept: readonly { path: string; mode: number }[];
}

/** The folders that a commit changes. */
export class CommitFolders {
  /** Folders whose entries changed, to be synced before the commit is done. */
  private readonly touched = new Set<Folder>();
  private readonly opened = new Map<string, Folder>();

  /** The folder of a place, with those that were missing on the way made. */
  reach(place: ResolvedPath): Folder {
    let folder = place.folder;
    let path = parentOf(place.path, place.missing.length + 1);
    for (const name of place.missing) {
      path = path === '' ? name : `${path}/${name}`;
      folder = this.opened.get(path) ?? this.make(folder, name, path);
    }
    this.touched.add(folder);
    return folder;
  }

  touch(folder: Folder): void {
    this.touched.add(folder);
  }

  /** Removes a folder that is empty; false for one that is not, or is gone. */
  remove(parent: Folder, name: string, path: string): boolean {
    try {
      parent.removeFolder(name);
    } catch (error) {
      // Another program put something there, or removed it.
      if (!isNotEmpty(error) && !isAbsent(error) && !isNoFolder(error)) throw error;
      return false;
    }
    this.touched.add(parent);
    this.opened.get(path)?.close();
    this.opened.delete(path);
    const gone = join(parent.path, name);
    for (const folder of this.touched) if (folder.path === gone) this.touched.delete(folder);
    return true;
  }

  syncTouched(): void {
    for (const folder of this.touched) folder.sync();
  }

  close(): void {
    for (const folder of this.opened.values()) folder.close();
  }

  private make(parent: Folder, name: string, path: string): Folder {
    try {
      parent.makeFolder(name, folderMode(path));
    } catch (error) {
      if (!isAlreadyThere(error)) throw error;
    }
    this.touched.add(parent);
    const folder = parent.enterFolder(name);
    this.opened.set(path, folder);
    return folder;
  }
}

/** Removes folders as far as they are empty, the innermost first. */
export function removeFolders(site: CommitFolders, jail: Jail, paths: readonly string[]): void {
  for (const path of [...new Set(paths)].sort((a, b) => b.length - a.length)) {
    const parent = jail.requireFolder(parentOf(path));
    let isLeft = false;
    try {
      isLeft = !parent || !site.remove(parent, path.split('/').at(-1)!, path);
    } finally {
      // Also if the system reports an error: it may be gone anyway.
      if (!isLeft) jail.forget(path);
    }
  }
}

/** Creates folders as they were, and syncs them before anything is moved into them. */
export function restoreFolders(
  jail: Jail,
  paths: readonly string[],
  modes: Readonly<Record<string, number>> | undefined,
): void {
  for (const path of [...new Set(paths)].sort((a, b) => a.length - b.length)) {
    const mode = modes?.[path];
    const parent = mode === undefined ? undefined : jail.requireFolder(parentOf(path));
    if (mode === undefined || parent === undefined) continue;
    const name = path.split('/').at(-1)!;
    if (parent.lstat(name) === undefined) parent.makeFolder(name, mode);
    if (!parent.lstat(name)?.isDirectory()) continue;
    const folder = parent.openFolder(name);
    try {
      if ((folder.seen.mode & 0o7777) !== mode) folder.chmod(mode);
      folder.sync();
    } finally {
      folder.close();
    }
    parent.sync();
  }
}

/** The last step of a commit. Repeating it changes nothing more. */
export function changeOtherFolders(jail: Jail, folders: FolderSteps): void {
  const touched = new Set<string>();
  const attempt = (path: string, work: (parent: Folder, name: string) => void) => {
    try {
      const parent = jail.requireFolder(parentOf(path));
      if (parent) work(parent, path.split('/').at(-1)!);
      touched.add(parentOf(path));
    } catch {}
  };
  for (const path of folders.removed)
    attempt(path, (parent, name) => {
      if (!parent.lstat(name)?.isDirectory()) return;
      parent.removeFolder(name);
      jail.forget(path);
      touched.delete(path);
    });
  for (const { path, mode } of folders.kept)
    attempt(path, (parent, name) => {
      if (parent.lstat(name) === undefined) parent.makeFolder(name, mode);
      jail.forget(path);
      const folder = jail.requireFolder(path);
      if (folder && (folder.seen.mode & 0o7777) !== mode) folder.chmod(mode);
    });
  for (const path of touched) {
    try {
      jail.folder(path)?.sync();
    } catch {}
  }
}

/** A folder in which a commit leaves nothing. */
export interface EmptiedFolder {
  path: string;
  mode: number;
}

/**
 * The folders with nothing in them but what is removed, the innermost first; none that something is written below. Those
 * of `hollow` may have been empty before.
 */
export function findEmptied(
  jail: Jail,
  removed: ReadonlySet<string>,
  written: readonly string[],
  hollow: readonly string[] = [],
): EmptiedFolder[] {
  const inUse = new Set(written.flatMap(foldersAbove));
  const holding = [...hollow, ...[...removed].flatMap(foldersAbove)];
  const candidates = new Set(holding.filter((path) => !inUse.has(path)));
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

/** The innermost first. */
export function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let above = parentOf(path); above !== ''; above = parentOf(above)) folders.push(above);
  return folders;
}

export function parentOf(path: string, levels = 1): string {
  return path.split('/').slice(0, -levels).join('/');
}

function folderMode(path: string): number {
  return path.startsWith('.teddy/') ? OWN_MODE : 0o777;
}

function isNoFolder(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOTDIR';
}

function isNotEmpty(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST');
}
