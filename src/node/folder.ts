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

/** How many folders are held open at most by `enterFolder`: far below what a process may have open. */
const MOST_ENTERED = 128;

/** Folders whose handles can be closed while they are not in use, the least recently used first. */
const entered = new Set<Folder>();

// When the system has no more handles, unused ones are closed first.
setHandleRelief(() => shrinkTo(Math.floor(entered.size / 2)));

/** Whether any was closed. */
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
  /** Calls under way that go through the handle: it must not change meanwhile. */
  private uses = 0;

  private constructor(
    readonly path: string,
    /** Undefined while it rests. */
    private held: number | undefined,
    /** Through which it is opened again; undefined for one that never rests. */
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
   * The same for one of very many. When too many are open, its handle is closed until it is needed again; by then it
   * must still be the same folder. This folder must stay open meanwhile.
   */
  enterFolder(name: string): Folder {
    const folder = new Folder(join(this.path, name), this.openHandle(name), this, name);
    folder.keepEntered();
    return folder;
  }

  close(): void {
    entered.delete(this);
    if (this.held !== undefined && this.held !== CLOSED) closeQuietly(this.held);
    // What comes after is refused, and not led to whatever the handle's number means by then.
    this.held = CLOSED;
  }

  /** Closes the handle until it is needed; not while it is in use. */
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

  /** Which folder it is, whatever paths lead to it. */
  get identity(): string {
    const { dev, ino } = this.seen;
    return `${dev}:${ino}`;
  }

  /** Where a rename can reach: file system and, on Linux, mount. */
  get mount(): string {
    this.knownMount ??= this.using(() => `${this.seen.dev}:${mountOf(this.handle)}`);
    return this.knownMount;
  }

  /** What the folder was when it was first looked at. */
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

  /** A file that must not be there yet. */
  create(name: string, mode: number): number {
    return this.open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  }

  /** A file to add to, made when missing. */
  openToAppend(name: string, mode: number): number {
    return this.open(name, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode);
  }

  /** A file to lock: made when missing, never written. */
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

  /** Makes what was created, renamed or removed in the folder last. */
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

/** One component of a path: nothing that leads out of its folder. */
function isName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !name.includes('/') && !name.includes('\0');
}

/** Two mounts of one file system have the same device, and no rename leads from one to the other. */
function mountOf(handle: number): string {
  if (!byHandle) return '';
  const info = closing(files.open(`/proc/self/fdinfo/${handle}`, O_RDONLY), (file) =>
    readAll(file, 512, 4096),
  );
  return /^mnt_id:\s*(\d+)/m.exec(Buffer.from(info ?? []).toString('latin1'))?.[1] ?? '';
}

/** Writes everything, however little each call takes. */
export function writeAll(file: number, bytes: Uint8Array, position: number | null = null): void {
  for (let at = 0; at < bytes.length; ) {
    const where = position === null ? null : position + at;
    at += files.write(file, bytes, at, bytes.length - at, where);
  }
}

/**
 * The bytes of an open file; undefined when there are more than `limit`. Where they fit into `scratch` they are part of
 * it, and good until it is used again.
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

/** Opens, does, closes: also when doing fails. */
export function closing<T>(file: number, work: (file: number) => T): T {
  try {
    return work(file);
  } finally {
    files.close(file);
  }
}

/** For what is done with: whatever close says, the file is closed. */
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

/** Removes a file or a link. To look first costs less than the error of a call in vain. */
export function removeIfThere(folder: Folder, name: string): void {
  const stats = folder.lstat(name);
  if (!stats?.isFile() && !stats?.isSymbolicLink()) return;
  try {
    folder.unlink(name);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** The mode of a new file, as the user's umask has it. */
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
