import { monotonicMs } from '../node/clock.js';
import { UserError } from '../node/errors.js';
import { files, tryLock } from '../node/file-calls.js';
import { closeQuietly, closing, type Folder, writeText } from '../node/folder.js';
import { describeError, Jail } from './jail.js';
import { type Lock, tryAcquire } from './lock.js';

/**
 * A file of the tool's own that grows while something comes in: what was written is there when the process dies. Its
 * methods never throw; what comes after a failure is not written.
 */
export interface AppendFile {
  /** Whether it is there, with all that came before it. */
  write(text: string): boolean;
  /** Makes it last. */
  sync(): void;
  /** Makes it last, unless it is fleeting. */
  close(): void;
}

/** Who only looks whether a lock is held holds it for a moment. */
const LONGEST_LOOK_MS = 50;

/** The lock on a file, made when missing, in a folder that is there; undefined when another has it. */
export function holdFile(root: string, path: string): Lock | undefined {
  return inFolderOf(root, path, (folder, name) => {
    const deadline = monotonicMs() + LONGEST_LOOK_MS;
    for (;;) {
      const lock = tryAcquire(folder, name);
      if (lock || monotonicMs() >= deadline) return lock;
    }
  });
}

/** Whether anyone has the lock on a file. Changes nothing. */
export function isFileHeld(root: string, path: string): boolean {
  return inFolderOf(root, path, (folder, name) => {
    if (!folder.lstat(name)?.isFile()) return false;
    return closing(folder.openToWrite(name), (file) => !tryLock(file));
  });
}

export interface GrowOptions {
  /** It may be lost in a power cut: nothing waits for the disk. */
  fleeting?: boolean;
}

/** Adds to a file, made when missing, for this user's eyes alone. */
export function openAppendFile(
  root: string,
  path: string,
  { fleeting = false }: GrowOptions = {},
): AppendFile {
  return inFolderOf(root, path, (folder, name) => {
    const file = folder.openToAppend(name, 0o600);
    try {
      const stats = files.stat(file);
      if (!stats.isFile()) throw new Error('it is not a regular file');
      // What is added to a file is added under every name that it has.
      if (stats.nlink > 1) throw new Error('it has other names (hard links)');
      if (!fleeting) folder.sync();
    } catch (error) {
      closeQuietly(file);
      throw error;
    }
    return new OpenFile(file, fleeting);
  });
}

class OpenFile implements AppendFile {
  private failed = false;

  constructor(
    private readonly file: number,
    private readonly fleeting: boolean,
  ) {}

  write(text: string): boolean {
    this.unlessFailed(() => writeText(this.file, text));
    return !this.failed;
  }

  sync(): void {
    this.unlessFailed(() => files.sync(this.file));
  }

  close(): void {
    if (!this.fleeting) this.sync();
    closeQuietly(this.file);
    this.failed = true;
  }

  private unlessFailed(work: () => void): void {
    if (this.failed) return;
    try {
      work();
    } catch {
      this.failed = true;
    }
  }
}

/** Never through a link. Throws `UserError` where the machine, or what is there, does not allow it. */
function inFolderOf<T>(root: string, path: string, work: (folder: Folder, name: string) => T): T {
  const slash = path.lastIndexOf('/');
  let jail: Jail | undefined;
  try {
    jail = new Jail(root);
    const folder = jail.requireFolder(path.slice(0, slash));
    if (!folder) throw new Error('its folder is not there');
    return work(folder, path.slice(slash + 1));
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${path} cannot be used (${describeError(error)}).`, { cause: error });
  } finally {
    jail?.close();
  }
}
