import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** One MB, in the unit of every size limit. */
export const MB = 1024 * 1024;

export type PathLook = 'file' | 'folder' | 'symlink' | 'other' | 'missing';

export type BytesRead =
  | { status: 'bytes'; bytes: Uint8Array }
  | { status: 'missing' }
  /** It is there but cannot be read: `reason` completes the sentence "<path> …". */
  | { status: 'refused'; reason: string };

type Replaced = { status: 'replaced' } | { status: 'refused'; reason: string };

/** What stands at a path, without following a symlink there. What cannot be looked at is missing. */
export function lookAt(path: string): PathLook {
  try {
    return kindOf(lstatSync(path));
  } catch {
    return 'missing';
  }
}

/** The path with every symlink resolved; undefined where nothing is at its end. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/**
 * The bytes of a file of at most `limit` bytes. With `pipes`, a named pipe is read to its end too, so that a shell's
 * `<(command)` can stand for a file; without, only regular files are opened, since any other could block.
 */
export function readBytes(path: string, limit: number, { pipes = false } = {}): BytesRead {
  let file: number | undefined;
  try {
    const before = statSync(path);
    const refusal = refuseKind(before, pipes);
    if (refusal !== undefined) return { status: 'refused', reason: refusal };
    // Between stat and open the path may become a pipe: O_NONBLOCK keeps that from hanging.
    file = openSync(path, before.isFile() ? constants.O_RDONLY | constants.O_NONBLOCK : constants.O_RDONLY);
    const now = fstatSync(file);
    const changed = refuseKind(now, pipes);
    if (changed !== undefined) return { status: 'refused', reason: changed };
    if (now.size > limit) return overLimit(limit);
    return readToEnd(file, now.size, limit);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { status: 'missing' };
    return { status: 'refused', reason: `cannot be read (${describe(error)})` };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Bytes that came by another way than a file, held to the same limit. */
export function limitBytes(bytes: Uint8Array, limit: number): BytesRead {
  return bytes.length > limit ? overLimit(limit) : { status: 'bytes', bytes };
}

function overLimit(limit: number): BytesRead {
  return { status: 'refused', reason: `is larger than ${limit / MB} MB` };
}

/**
 * Puts `bytes` in place of a file that exists, so that at every moment the path holds either the old
 * content or the new. Mode and, where allowed, owner stay; a symlink stays and its target is replaced.
 */
export function replaceFile(path: string, bytes: Uint8Array): Replaced {
  let temporary: string | undefined;
  try {
    const target = realpathSync.native(path);
    const old = statSync(target);
    if (!old.isFile()) return { status: 'refused', reason: 'is not a regular file' };
    // A rename asks only the folder for leave; a file marked read-only is not to be replaced either.
    accessSync(target, constants.W_OK);
    const name = join(dirname(target), `.${basename(target).slice(0, 200)}.${process.pid}.${Date.now()}`);
    writeNew(name, bytes, old, () => {
      temporary = name;
    });
    renameSync(name, target);
    temporary = undefined;
    syncFolder(dirname(target));
    return { status: 'replaced' };
  } catch (error) {
    return { status: 'refused', reason: `cannot be written (${describe(error)})` };
  } finally {
    if (temporary !== undefined) removeQuietly(temporary);
  }
}

function writeNew(path: string, bytes: Uint8Array, like: Stats, onCreated: () => void): void {
  const file = openSync(path, 'wx', 0o600);
  onCreated();
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    keepOwner(file, like);
    fchmodSync(file, like.mode & 0o7777);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Only root may give a file away; for anyone else the new file is simply theirs. */
function keepOwner(file: number, like: Stats): void {
  try {
    fchownSync(file, like.uid, like.gid);
  } catch {}
}

/** Makes the rename last; some file systems cannot, and the content is whole either way. */
function syncFolder(path: string): void {
  try {
    const folder = openSync(path, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {}
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {}
}

/** Reads on until the end whatever the size said: files under /proc say 0, and a file may grow. */
function readToEnd(file: number, size: number, limit: number): BytesRead {
  let buffer = Buffer.allocUnsafe(Math.max(size + 1, 4096));
  let length = 0;
  for (;;) {
    if (length === buffer.length) {
      buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
    }
    const count = readSync(file, buffer, length, buffer.length - length, null);
    if (count === 0) return { status: 'bytes', bytes: buffer.subarray(0, length) };
    length += count;
    if (length > limit) return overLimit(limit);
  }
}

function refuseKind(stats: Stats, pipes: boolean): string | undefined {
  if (stats.isFile() || (pipes && stats.isFIFO())) return undefined;
  return stats.isDirectory() ? 'is a folder' : 'is not a regular file';
}

function kindOf(stats: Stats): PathLook {
  if (stats.isSymbolicLink()) return 'symlink';
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'folder' : 'other';
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

const PLAIN_WORDS: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left',
  ENOENT: 'it is no longer there',
  ELOOP: 'its symlinks lead in a circle',
  ENAMETOOLONG: 'its name is too long',
  ERR_INVALID_ARG_VALUE: 'its name is not a valid path',
};

function describe(error: unknown): string {
  const code = codeOf(error);
  return (code && PLAIN_WORDS[code]) ?? code ?? String(error);
}
