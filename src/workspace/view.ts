import { closing, files, isAbsent, type PathLook, readAll, Unusable } from '../platform/index.js';
import { describeError, type Jail, type Place } from './jail.js';

/** The bytes of a file, whole or only their end. */
export type FileRead =
  | { status: 'bytes'; bytes: Uint8Array; size: number }
  | { status: 'missing' }
  /** `reason` completes the sentence "<path> …". */
  | { status: 'refused'; reason: string };

/**
 * The files under a root as the tool's own doors see them, all through one jail. Inside `Workspace.update` they are
 * what the lock guards: nobody who takes it can change them before the changes are made. Where the machine does not let
 * us look, every method throws `Unusable`: what cannot be seen is not missing.
 */
export class View {
  constructor(private readonly jail: Jail) {}

  read(path: string, limit: number): FileRead {
    return this.open(path, (file, size) => {
      const bytes = size > limit ? undefined : readAll(file, size, limit);
      return bytes
        ? { status: 'bytes', bytes, size: bytes.length }
        : { status: 'refused', reason: `is larger than ${limit} bytes` };
    });
  }

  /** The last `length` bytes of a file of any size. */
  readEnd(path: string, length: number): FileRead {
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

  /** What stands at a path, links inside the root followed. What lies outside is missing. */
  look(path: string): PathLook {
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

  private open(path: string, work: (file: number, size: number) => FileRead): FileRead {
    const place = this.locate(path);
    if ('reason' in place)
      return place.code === 'blocked' ? { status: 'missing' } : { status: 'refused', reason: place.reason };
    return seeing(path, () => readPlace(place, work));
  }

  private locate(path: string): Place | { code: string; reason: string } {
    return this.locateBeside(path) ?? this.locateAnew(path);
  }

  /** In a folder that was found before there is only one step to go. */
  private locateBeside(path: string): Place | undefined {
    const slash = path.lastIndexOf('/');
    const name = path.slice(slash + 1);
    const folder = this.jail.openedFolder(path.slice(0, Math.max(slash, 0)));
    if (!folder || name === '' || name === '.' || name === '..' || name.includes('\0')) return undefined;
    const stats = seeing(path, () => folder.lstat(name));
    if (stats?.isSymbolicLink()) return undefined;
    return { folder, name, path, stats, missing: [], linked: false };
  }

  private locateAnew(path: string): Place | { code: string; reason: string } {
    const located = this.jail.locate(path, { door: 'tool' });
    if (located.status === 'inside') return located.place;
    if (located.code === 'failed') throw new Unusable(`${path} ${located.reason}.`);
    return located;
  }
}

function seeing<T>(path: string, look: () => T): T {
  try {
    return look();
  } catch (error) {
    throw new Unusable(`${path} cannot be read (${describeError(error)}).`, { cause: error });
  }
}

function readPlace({ folder, name, stats }: Place, work: (file: number, size: number) => FileRead): FileRead {
  if (!stats) return { status: 'missing' };
  if (!stats.isFile())
    return { status: 'refused', reason: stats.isDirectory() ? 'is a folder' : 'is not a regular file' };
  try {
    return closing(folder.openToRead(name), (file) => {
      const now = files.stat(file);
      return now.isFile() ? work(file, now.size) : { status: 'refused', reason: 'is not a regular file' };
    });
  } catch (error) {
    if (isAbsent(error)) return { status: 'missing' };
    throw error;
  }
}
