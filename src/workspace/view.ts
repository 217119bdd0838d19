import { UserError } from '../node/errors.js';
import { files } from '../node/file-calls.js';
import type { PathLook } from '../node/files.js';
import { closing, type Folder, isAbsent, readAll } from '../node/folder.js';
import { sha256 } from '../node/ids.js';
import type { Change } from './commit/change.js';
import { describeError, type Jail, type ResolvedPath } from './jail.js';

/** The bytes of a file, whole or only their end. */
export type FileRead =
  | { status: 'bytes'; bytes: Uint8Array; size: number }
  | { status: 'missing' }
  /** `reason` completes the sentence "<path> …". */
  | { status: 'refused'; reason: string };

const MOST_SEEN = 200;
const LARGEST_SEEN = 1024 * 1024;

/**
 * The files under a root as teddy itself sees them, all through one jail. Inside `Workspace.update` they are
 * what the lock guards: nobody who takes it can change them before the changes are made. Where the machine does not let
 * us look, every method throws `UserError`: what cannot be seen is not missing.
 */
export class View {
  private staged = new Map<string, Change>();
  /** Who looks at a file again sees what it saw: all of it is one look. */
  private readonly seen = new Map<string, Uint8Array>();

  constructor(private readonly jail: Jail) {}

  /** From now on the files are seen as these changes will leave them; folders are still listed as they are. */
  stage(changes: readonly Change[]): void {
    for (const change of changes) this.staged.set(change.path, joined(this.staged.get(change.path), change));
  }

  /** Of what `work` stages nothing stays where it throws. */
  staging<T>(work: () => T): T {
    const before = new Map(this.staged);
    try {
      return work();
    } catch (error) {
      this.staged = before;
      throw error;
    }
  }

  /** All that was staged, as changes of what is there. */
  get changes(): Change[] {
    return [...this.staged.values()].filter(
      (change) => 'append' in change || change.before !== null || change.after !== null,
    );
  }

  read(path: string, limit: number): FileRead {
    const staged = this.staged.get(path);
    if (staged && !('append' in staged)) return readStaged(staged.after, limit);
    const seen = this.seen.get(path);
    if (seen && seen.length <= limit) return { status: 'bytes', bytes: seen, size: seen.length };
    const read = this.readOnDisk(path, limit);
    if (read.status === 'bytes' && read.size <= LARGEST_SEEN) {
      if (this.seen.size >= MOST_SEEN) this.seen.clear();
      this.seen.set(path, read.bytes);
    }
    return read;
  }

  private readOnDisk(path: string, limit: number): FileRead {
    return this.open(path, (file, size) => {
      const bytes = size > limit ? undefined : readAll(file, size, limit);
      return bytes
        ? { status: 'bytes', bytes, size: bytes.length }
        : { status: 'refused', reason: `is larger than ${limit} bytes` };
    });
  }

  /** The last `length` bytes of a file of any size. */
  readEnd(path: string, length: number): FileRead {
    const staged = this.staged.get(path);
    if (!staged) return this.readEndOnDisk(path, length);
    if (!('append' in staged)) return readStaged(staged.after, length, true);
    const before = this.readEndOnDisk(path, length);
    if (before.status === 'refused') return before;
    const bytes = concatenate(before.status === 'bytes' ? before.bytes : new Uint8Array(), staged.append);
    return { status: 'bytes', bytes: lastOf(bytes, length), size: staged.offset + staged.append.length };
  }

  private readEndOnDisk(path: string, length: number): FileRead {
    return this.open(path, (file, size) => {
      const bytes = new Uint8Array(Math.min(size, length));
      let filled = 0;
      while (filled < bytes.length) {
        const count = files.read(file, bytes, filled, bytes.length - filled, size - bytes.length + filled);
        if (count === 0) break;
        filled += count;
      }
      return { status: 'bytes', bytes: bytes.subarray(0, filled), size };
    });
  }

  /** What is at a path, links inside the root followed. What is outside counts as missing. */
  look(path: string): PathLook {
    const staged = this.staged.get(path);
    if (staged) return 'append' in staged || staged.after !== null ? 'file' : 'missing';
    const place = this.locate(path);
    const stats = 'reason' in place ? undefined : place.stats;
    if (!stats) return 'missing';
    return stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other';
  }

  /** The names in a folder, sorted; none where there is no such folder. Never through a link. */
  list(path: string): string[] {
    return seeing(path, () => this.jail.requireFolder(path)?.list().sort() ?? []);
  }

  /** Whether `name` in the folder at `path` is a folder itself, and not a link to one. */
  isFolder(path: string, name: string): boolean {
    return seeing(path, () => this.jail.requireFolder(path)?.lstat(name)?.isDirectory() === true);
  }

  /** The files that are not as these changes left them. A file that cannot be read is not one of them. */
  findLost(changes: readonly Change[]): string[] {
    const isLost = (change: Change): boolean => {
      if ('append' in change) {
        const end = this.readEnd(change.path, 0);
        return end.status !== 'bytes' || end.size < change.offset + change.append.length;
      }
      const read = this.read(change.path, Number.POSITIVE_INFINITY);
      const found = read.status === 'bytes' ? sha256(read.bytes) : null;
      return found !== (change.after === null ? null : sha256(change.after));
    };
    return changes.flatMap((change) => {
      try {
        return isLost(change) ? [change.path] : [];
      } catch {
        return [];
      }
    });
  }

  private open(path: string, work: (file: number, size: number) => FileRead): FileRead {
    const beside = this.beside(path);
    const read = beside && seeing(path, () => readName(...beside, work));
    if (read) return read;
    const place = this.locateAnew(path);
    if ('reason' in place)
      return place.code === 'blocked' ? { status: 'missing' } : { status: 'refused', reason: place.reason };
    if (!place.stats) return { status: 'missing' };
    return seeing(path, () => readName(place.folder, place.name, work)) ?? { status: 'missing' };
  }

  private locate(path: string): ResolvedPath | { code: string; reason: string } {
    return this.locateBeside(path) ?? this.locateAnew(path);
  }

  private locateBeside(path: string): ResolvedPath | undefined {
    const beside = this.beside(path);
    if (!beside) return undefined;
    const [folder, name] = beside;
    const stats = seeing(path, () => folder.lstat(name));
    if (stats?.isSymbolicLink()) return undefined;
    return { folder, name, path, stats, missing: [], linked: false };
  }

  /** In a folder that was found before there is only one step to go. */
  private beside(path: string): [Folder, string] | undefined {
    const slash = path.lastIndexOf('/');
    const name = path.slice(slash + 1);
    const folder = this.jail.openedFolder(path.slice(0, Math.max(slash, 0)));
    if (!folder || name === '' || name === '.' || name === '..' || name.includes('\0')) return undefined;
    return [folder, name];
  }

  private locateAnew(path: string): ResolvedPath | { code: string; reason: string } {
    const located = this.jail.locate(path, { origin: 'tool' });
    if (located.status === 'inside') return located.place;
    if (located.code === 'failed') throw new UserError(`${path} ${located.reason}.`);
    return located;
  }
}

/** What two changes of one file, one after the other, come to. */
function joined(first: Change | undefined, second: Change): Change {
  if (!first) return second;
  if ('append' in first && 'append' in second) {
    return { ...first, append: concatenate(first.append, second.append) };
  }
  if ('append' in first || 'append' in second) {
    throw new Error(`${second.path} is both added to and replaced`);
  }
  return { ...second, before: first.before };
}

function readStaged(bytes: Uint8Array | null, limit: number, end = false): FileRead {
  if (bytes === null) return { status: 'missing' };
  if (end) return { status: 'bytes', bytes: lastOf(bytes, limit), size: bytes.length };
  if (bytes.length > limit) return { status: 'refused', reason: `is larger than ${limit} bytes` };
  return { status: 'bytes', bytes, size: bytes.length };
}

function lastOf(bytes: Uint8Array, length: number): Uint8Array {
  return bytes.slice(Math.max(0, bytes.length - length));
}

function concatenate(one: Uint8Array, other: Uint8Array): Uint8Array {
  const all = new Uint8Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}

function seeing<T>(path: string, look: () => T): T {
  try {
    return look();
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${path} cannot be read (${describeError(error)}).`, { cause: error });
  }
}

/** Undefined where it is a link, which opening does not follow. */
function readName(
  folder: Folder,
  name: string,
  work: (file: number, size: number) => FileRead,
): FileRead | undefined {
  try {
    return closing(folder.openToRead(name), (file) => {
      const stats = files.stat(file);
      if (stats.isFile()) return work(file, stats.size);
      return { status: 'refused', reason: stats.isDirectory() ? 'is a folder' : 'is not a regular file' };
    });
  } catch (error) {
    if (isAbsent(error)) return { status: 'missing' };
    if (describeError(error) === 'ELOOP') return undefined;
    throw error;
  }
}
