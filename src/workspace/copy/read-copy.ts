import { join } from 'node:path';
import type { Entry, EntryTree } from '../../core/changeset/entry-tree.js';
import { errorCode } from '../../node/errors.js';
import { files } from '../../node/file-calls.js';
import { lookAtFile, MB, removeTree } from '../../node/files.js';
import { closing, Folder, readAll } from '../../node/folder.js';
import { type BaseEntry, BaseRepository } from '../../node/git/base-repository.js';
import { foldersAbove } from '../commit/folders.js';
import type { LentFolder, ProjectCopy } from './types.js';

/** Of one file, as everywhere in a changeset, and of all that changed: a review has them in memory. */
const LARGEST_FILE = 256 * MB;
const LARGEST_CHANGES = 1024 * MB;

interface SkippedEntry {
  path: string;
  /** Completes the sentence "<path> …". */
  reason: string;
}

export type CopyRead =
  | { status: 'ok'; base: EntryTree; folder: EntryTree; skipped: SkippedEntry[] }
  | { status: 'failed'; reason: string };

/**
 * The base of a copy and what the copy holds now. Links are never followed, and nothing that the copy's own git folder
 * says is used. Call it when nothing runs in the copy. Files that have not changed are not read. `before` is made anew,
 * and holds what is read of the base later. Never throws.
 */
export async function readCopy(
  copy: Pick<ProjectCopy, 'root' | 'folder' | 'copy' | 'lent'>,
  before = join(copy.folder, 'before'),
): Promise<CopyRead> {
  try {
    return await read(copy, before);
  } catch (error) {
    return { status: 'failed', reason: `${copy.copy} cannot be read (${errorCode(error)}).` };
  }
}

async function read(
  { root, folder, copy, lent }: Parameters<typeof readCopy>[0],
  before: string,
): Promise<CopyRead> {
  const repository = new BaseRepository(join(folder, 'base.git'), [root, copy]);
  const known = await repository.entries(copy);
  if (known.status !== 'ok') return { status: 'failed', reason: `${known.reason}.` };
  const found = await repository.compare(copy);
  if (found.status !== 'ok') return { status: 'failed', reason: `${found.reason}.` };
  const skipped: SkippedEntry[] = [];
  const skip = (path: string, reason: string) => void skipped.push({ path, reason });
  const isLent = (path: string) =>
    lent.some((each) => path === each.path || path.startsWith(`${each.path}/`));
  const base = new Map([...known.entries].filter(([path]) => isUtf8Name(path)));
  const present = new Map<string, BaseEntry | undefined>(base);
  const changed: string[] = [];
  for (const path of found.changed) {
    if (!isUtf8Name(path)) skip(path, NOT_UTF8);
    else if (base.has(path)) changed.push(path);
  }
  // git passes over files below a link that leads to itself.
  const untracked = new Set(found.untracked);
  const isCovered = (path: string) => foldersAbove(path).some((folder) => untracked.has(folder));
  const knownChanged = new Set(changed);
  if (untracked.size > 0)
    changed.push(...[...base.keys()].filter((path) => !knownChanged.has(path) && isCovered(path)));
  for (const path of changed) present.delete(path);
  let left = LARGEST_CHANGES;
  for (const path of [...changed, ...found.untracked]) {
    if (path.endsWith('/')) skip(path, 'is a git repository within the project');
    else if (!isUtf8Name(path)) skip(path, NOT_UTF8);
    else if (isLent(path)) continue;
    else {
      const found = findAt(copy, path);
      if (found.kind === 'entry' && found.size <= left) {
        left -= found.size;
        present.set(path, undefined);
      } else if (found.kind !== 'missing') {
        skip(path, found.kind === 'entry' ? TOO_MANY : found.reason);
        // Not taken is not deleted.
        if (base.has(path)) present.set(path, base.get(path));
      }
    }
  }
  const named = new Set(skipped.map(({ path }) => path));
  for (const { path, reason } of findSpecial(copy, (path) => path === '.git' || isLent(path)))
    if (!named.has(path)) skip(path, reason);
  removeTree(before);
  const written = await repository.writeBefore(copy, changed, `${before}/`);
  if (written.status !== 'ok') return { status: 'failed', reason: `${written.reason}.` };
  return { status: 'ok', base: treeOf(before, base), folder: treeOf(copy, present), skipped };
}

const NOT_UTF8 = 'has a name that is not UTF-8';
const TOO_MANY = 'is more than the 1 GB that changes can have in all';
const SPECIAL = 'is a socket, a pipe or a device';

function isUtf8Name(path: string): boolean {
  return !path.includes('\ufffd');
}

/** Entries that git knows have its id for their identity; the others are read when they are asked for. */
function treeOf(folder: string, entries: ReadonlyMap<string, BaseEntry | undefined>): EntryTree {
  return {
    paths: () => entries.keys(),
    entry: (path) => (entries.has(path) ? readEntry(folder, path) : undefined),
    identity: (path) => {
      const known = entries.get(path);
      return known && `${known.mode} ${known.id}`;
    },
  };
}

function readEntry(root: string, path: string): Entry | undefined {
  return inParent(root, path, (folder, name): Entry | undefined => {
    const stats = folder.lstat(name);
    if (stats?.isSymbolicLink()) return { kind: 'link', target: folder.readlink(name) };
    if (!stats?.isFile()) return undefined;
    // What is opened counts: something else may have taken its place since.
    return closing(folder.openToRead(name), (file): Entry | undefined => {
      const opened = files.stat(file);
      const bytes = opened.isFile() ? readAll(file, opened.size, LARGEST_FILE) : undefined;
      return bytes && { kind: 'file', bytes, executable: (opened.mode & 0o100) !== 0 };
    });
  });
}

/** `reason`: why it is not an entry. */
type FoundEntry = { kind: 'entry'; size: number } | { kind: 'missing' } | { kind: 'skipped'; reason: string };

function findAt(root: string, path: string): FoundEntry {
  try {
    const found = inParent(root, path, (folder, name): FoundEntry => {
      const stats = folder.lstat(name);
      if (stats === undefined || stats.isDirectory()) return { kind: 'missing' };
      if (stats.isSymbolicLink()) return { kind: 'entry', size: 0 };
      if (!stats.isFile()) return { kind: 'skipped', reason: SPECIAL };
      if (stats.size > LARGEST_FILE) return { kind: 'skipped', reason: 'is larger than 256 MB' };
      files.close(folder.openToRead(name));
      return { kind: 'entry', size: stats.size };
    });
    return found ?? { kind: 'missing' };
  } catch (error) {
    return { kind: 'skipped', reason: unreadable(error) };
  }
}

function unreadable(error: unknown): string {
  return `cannot be read (${errorCode(error)})`;
}

/** Works in the folder that a path lies in, no link followed; undefined where there is no such folder. */
function inParent<T>(root: string, path: string, work: (folder: Folder, name: string) => T): T | undefined {
  const names = path.split('/');
  const name = names.pop()!;
  let folder = Folder.open(root);
  try {
    for (const each of names) {
      const next = folder.openFolder(each);
      folder.close();
      folder = next;
    }
    return work(folder, name);
  } catch (error) {
    // EINVAL and EISDIR: a link or a file that became something else while it was read.
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL', 'EISDIR'].includes(errorCode(error))) return undefined;
    throw error;
  } finally {
    folder.close();
  }
}

/** Sockets, pipes, devices and what cannot be listed: git passes over them in silence. */
function findSpecial(root: string, isLeftOut: (path: string) => boolean): SkippedEntry[] {
  const found: SkippedEntry[] = [];
  const folders = [''];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    try {
      for (const name of files.list(join(root, at))) {
        const path = at === '' ? name : `${at}/${name}`;
        if (isLeftOut(path) || !isUtf8Name(path)) continue;
        const stats = files.lstat(join(root, path));
        if (stats?.isDirectory()) folders.push(path);
        else if (stats !== undefined && !stats.isFile() && !stats.isSymbolicLink())
          found.push({ path, reason: SPECIAL });
      }
    } catch (error) {
      found.push({ path: at, reason: unreadable(error) });
    }
  }
  return found;
}

/**
 * What was written to folders that were lent, and files and folders that git ignores and that the project does not have,
 * from the root: none of it is part of a changeset. Changes of single ignored files are not found. Never throws.
 */
export async function findIgnoredWrites(project: ProjectCopy): Promise<string[]> {
  const { root, folder, copy, lent } = project;
  const written = lent.filter((each) => hasContent(join(overlayOf(project, each), 'upper')));
  const base = new BaseRepository(join(folder, 'base.git'), [root, copy]);
  const ignored = await base.ignored(copy);
  const isLent = (path: string) =>
    lent.some((each) => path === each.path || path.startsWith(`${each.path}/`));
  const made = (ignored.status === 'ok' ? ignored.paths : [])
    .map((path) => path.replace(/\/$/, ''))
    .filter((path) => !isLent(path) && lookAtFile(join(root, path)) === 'missing');
  return [...written.map(({ path }) => path), ...made].sort();
}

/** Where a lent folder has its overlay, at every start. A number, because options of a mount cannot hold every character. */
export function overlayOf({ folder, lent }: Pick<ProjectCopy, 'folder' | 'lent'>, each: LentFolder): string {
  return join(folder, 'lent', String(lent.indexOf(each)));
}

function hasContent(folder: string): boolean {
  try {
    return files.list(folder).length > 0;
  } catch {
    return false;
  }
}
