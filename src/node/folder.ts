import type { Stats as FileStats } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from './errors.js';
import {
  files,
  O_APPEND,
  O_CREAT,
  O_DIRECTORY,
  O_EXCL,
  O_NOFOLLOW,
  O_NONBLOCK,
  O_RDONLY,
  O_RDWR,
  O_WRONLY,
  setHandleRelief,
} from './file-calls.js';

export type { FileStats };

const FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
const CLOSED = -1;

// Linux opens `/proc/self/fd/N/name` relative to the folder of handle N, even if its path leads elsewhere now: this
// is node's substitute for openat. Other systems only have the path.
const byHandle = process.platform === 'linux' && files.lstat('/proc/self/fd') !== undefined;

/** The most folders that `enterFolder` keeps open: far below a process's limit. */
const MOST_ENTERED = 128;

/** Folders whose handles can be closed while unused, the least recently used first. */
const entered = new Set<Folder>();

// When the system has no more handles, unused ones are closed first.
setHandleRelief(() => shrinkTo(Math.floor(entered.size / 2)));

/** Returns whether it closed any. */
function shrinkTo(most: number): boolean {
  const before = entered.size;
  for (const folder of entered) {
    if (entered.size <= most) break;
    folder.rest();
  }
  return entered.size < before;
}

/**
 * A folder held open. On Linux everything in it is reached through the handle, so that no folder or link
 * swapped in on the way there can lead a call elsewhere. On other systems its path is checked to be still
 * real before each call, which leaves a moment between the check and the call. Its methods throw as node's do.
 */
export class Folder {
  private firstLook: FileStats | undefined;
  private knownMount: string | undefined;
  /** Calls in progress through the handle, which must not change meanwhile. */
  private uses = 0;

  private constructor(
    readonly path: string,
    /** Undefined while closed. */
    private held: number | undefined,
    /** Reopens it; undefined for a folder that stays open. */
    private readonly parent?: Folder,
    private readonly name = '',
  ) {}

  /** Opens a real path. */
  static open(path: string): Folder {
    return new Folder(path, files.open(path, FOLDER));
  }

  /** The folder `name` in this one; never through a symlink. */
  openFolder(name: string): Folder {
    return new Folder(join(this.path, name), this.openHandle(name));
  }

  /**
   * The same for one of very many: if too many are open, its handle is closed until needed again, and it must be the
   * same folder then. This folder must stay open meanwhile.
   */
  enterFolder(name: string): Folder {
    const folder = new Folder(join(this.path, name), this.openHandle(name), this, name);
    folder.keepEntered();
    return folder;
  }

  close(): void {
    entered.delete(this);
    if (this.held !== undefined && this.held !== CLOSED) closeQuietly(this.held);
    // Later calls are refused: the handle's number may belong to another file by then.
    this.held = CLOSED;
  }

  /** Closes the handle until it is needed, unless it is in use. */
  rest(): void {
    if (this.uses > 0 || this.held === undefined || this.held === CLOSED) return;
    void this.seen;
    entered.delete(this);
    closeQuietly(this.held);
    this.held = undefined;
  }

  private get handle(): number {
    if (this.held === CLOSED) throw new Error(`${this.path} is closed`);
    if (this.parent === undefined) return this.held!;
    this.held ??= this.reopen(this.parent);
    this.keepEntered();
    return this.held;
  }

  private reopen(parent: Folder): number {
    const handle = parent.openHandle(this.name);
    const { dev, ino } = files.stat(handle);
    if (dev === this.seen.dev && ino === this.seen.ino) return handle;
    closeQuietly(handle);
    throw new Error(`${this.path} is no longer the folder that it was`);
  }

  private keepEntered(): void {
    entered.delete(this);
    entered.add(this);
    if (entered.size > MOST_ENTERED) this.using(() => shrinkTo(MOST_ENTERED));
  }

  private openHandle(name: string): number {
    return this.open(name, FOLDER);
  }

  private open(name: string, flags: number, mode?: number): number {
    return this.using(() => files.open(this.reach(name), flags, mode));
  }

  /** The handle stays open during `work`. */
  private using<T>(work: () => T): T {
    this.uses++;
    try {
      return work();
    } finally {
      this.uses--;
    }
  }

  /** Identifies the folder, whatever path leads to it. */
  get identity(): string {
    const { dev, ino } = this.seen;
    return `${dev}:${ino}`;
  }

  /** The area that a rename can reach: file system and, on Linux, mount. */
  get mount(): string {
    this.knownMount ??= this.using(() => `${this.seen.dev}:${mountOf(this.handle)}`);
    return this.knownMount;
  }

  /** The folder's identity when it was first opened. */
  get seen(): FileStats {
    this.firstLook ??= this.stat();
    return this.firstLook;
  }

  stat(): FileStats {
    return files.stat(this.handle);
  }

  lstat(name: string): FileStats | undefined {
    return files.lstat(this.reach(name));
  }

  makeLink(name: string, target: string): void {
    files.symlink(target, this.reach(name));
  }

  readlink(name: string): string {
    return files.readlink(this.reach(name));
  }

  list(): string[] {
    return this.using(() => files.list(byHandle ? `/proc/self/fd/${this.handle}` : this.path));
  }

  /** A regular file, a pipe or a device: opening never waits, and never follows a link. */
  openToRead(name: string): number {
    return this.open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  }

  openToWrite(name: string): number {
    return this.open(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  }

  /** Creates a file that must not exist. */
  create(name: string, mode: number): number {
    return this.open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  }

  /** Opens a file for appending, and creates it if missing. */
  openToAppend(name: string, mode: number): number {
    return this.open(name, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode);
  }

  /** Opens a file for locking: creates it if missing, never writes. */
  openLock(name: string): number {
    return this.open(name, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
  }

  makeFolder(name: string, mode: number): void {
    files.mkdir(this.reach(name), mode);
  }

  /** The mode of the folder itself. */
  chmod(mode: number): void {
    files.chmod(this.handle, mode);
  }

  removeFolder(name: string): void {
    files.rmdir(this.reach(name));
  }

  unlink(name: string): void {
    files.unlink(this.reach(name));
  }

  rename(name: string, to: Folder, newName: string): void {
    this.using(() => to.using(() => files.rename(this.reach(name), to.reach(newName))));
  }

  link(name: string, to: Folder, newName: string): void {
    this.using(() => to.using(() => files.link(this.reach(name), to.reach(newName))));
  }

  /** Makes creations, renames and removals in the folder durable. */
  sync(): void {
    files.sync(this.handle);
  }

  private reach(name: string): string {
    if (!isName(name)) throw new Error(`${JSON.stringify(name)} is not the name of a file`);
    if (byHandle) return `/proc/self/fd/${this.handle}/${name}`;
    if (files.realpath(this.path) !== this.path)
      throw new Error(`${this.path} is no longer the folder that it was`);
    return join(this.path, name);
  }
}

/** One component of a path, which cannot lead out of its folder. */
function isName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !name.includes('/') && !name.includes('\0');
}

/** Two mounts of one file system have the same device, but no rename works between them. */
function mountOf(handle: number): string {
  if (!byHandle) return '';
  const info = closing(files.open(`/proc/self/fdinfo/${handle}`, O_RDONLY), (file) =>
    readAll(file, 512, 4096),
  );
  return /^mnt_id:\s*(\d+)/m.exec(Buffer.from(info ?? []).toString('latin1'))?.[1] ?? '';
}

/** Creates a file that must not exist, for this user alone. `also` is done while it is open. */
export function writeNewFile(
  path: string,
  content: Uint8Array | string,
  also?: (file: number) => void,
): void {
  closing(files.open(path, 'wx', 0o600), (file) => {
    writeAll(file, typeof content === 'string' ? Buffer.from(content) : content);
    also?.(file);
  });
}

/** Writes everything, even if each call writes only a part. */
export function writeAll(file: number, bytes: Uint8Array, position: number | null = null): void {
  for (let at = 0; at < bytes.length; ) {
    const where = position === null ? null : position + at;
    at += files.write(file, bytes, at, bytes.length - at, where);
  }
}

/**
 * The bytes of an open file; undefined if there are more than `limit`. If they fit into `scratch`, they are a view of
 * it, valid until its next use.
 */
export function readAll(
  file: number,
  size: number,
  limit: number,
  scratch?: Uint8Array,
): Uint8Array | undefined {
  const room = Math.min(size, limit) + 1;
  let buffer = scratch && scratch.length >= room ? scratch : Buffer.allocUnsafe(room);
  let length = 0;
  for (;;) {
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
    const count = files.read(file, buffer, length, buffer.length - length, null);
    if (count === 0) return buffer.subarray(0, length);
    length += count;
    if (length > limit) return undefined;
  }
}

/** Closes the file also if `work` fails. */
export function closing<T>(file: number, work: (file: number) => T): T {
  try {
    return work(file);
  } finally {
    files.close(file);
  }
}

/** Ignores errors: after a failed close the file is closed, too. */
export function closeQuietly(file: number): void {
  try {
    files.close(file);
  } catch {}
}

export function isAlreadyThere(error: unknown): boolean {
  return errorCode(error) === 'EEXIST';
}

export function isAbsent(error: unknown): boolean {
  return errorCode(error) === 'ENOENT';
}

/** Removes a file or link, if there is one. Checking first is cheaper than a failing call. */
export function removeIfThere(folder: Folder, name: string): void {
  const stats = folder.lstat(name);
  if (!stats?.isFile() && !stats?.isSymbolicLink()) return;
  try {
    folder.unlink(name);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** The mode of a new file under the user's umask. */
export function newFileMode(): number {
  return 0o666 & ~process.umask();
}

export function writeText(file: number, text: string): void {
  writeAll(file, Buffer.from(text));
}

export function readText(folder: Folder, name: string): string {
  const bytes = closing(folder.openToRead(name), (file) =>
    readAll(file, files.stat(file).size, Number.POSITIVE_INFINITY),
  );
  return Buffer.from(bytes ?? []).toString('utf8');
}
