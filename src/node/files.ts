import { isUtf8 } from 'node:buffer';
import { constants, type Stats } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { errorCode, UserError } from './errors.js';
import { files, O_DIRECTORY, O_NOFOLLOW, O_RDONLY } from './file-calls.js';
import { closing, isAlreadyThere, newFileMode, readAll, writeAll } from './folder.js';

/** One MB, in the unit of every size limit. */
export const MB = 1024 * 1024;

export type PathLook = 'file' | 'folder' | 'symlink' | 'other' | 'missing';

export type BytesRead =
  | { status: 'bytes'; bytes: Uint8Array }
  | { status: 'missing' }
  /** It is there but cannot be read: `reason` completes the sentence "<path> …". */
  | { status: 'refused'; reason: string };

type Replaced = { status: 'replaced' } | { status: 'refused'; reason: string };

/** The entry at a path itself, even if it is a symlink. Unreadable counts as missing. */
export function lookAtFile(path: string): PathLook {
  try {
    const stats = files.lstat(path);
    return stats ? kindOf(stats) : 'missing';
  } catch {
    return 'missing';
  }
}

/** Creates missing parents, too. */
export function makeFolders(path: string): void {
  if (files.lstat(path) !== undefined) return;
  makeFolders(dirname(path));
  files.mkdir(path, 0o755);
}

/** Creates a folder, unless something is already there or its parent is missing. */
export function makeNewFolder(path: string, mode?: number): 'made' | 'exists' | 'no-parent' {
  try {
    files.mkdir(path, mode);
    return 'made';
  } catch (error) {
    if (isAlreadyThere(error)) return 'exists';
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return 'no-parent';
    throw error;
  }
}

/** The path with every symlink resolved; undefined if it leads to nothing. */
export function realPath(path: string): string | undefined {
  try {
    return files.realpath(path);
  } catch {
    return undefined;
  }
}

/**
 * The bytes of a file of at most `limit` bytes. With `pipes`, a named pipe is read to its end too, so that a shell's
 * `<(command)` can stand for a file; without, only regular files are opened, since any other could block.
 */
export function readBytes(path: string, limit: number, { pipes = false } = {}): BytesRead {
  try {
    const before = files.statAt(path);
    if (!before) return { status: 'missing' };
    const refusal = refuseKind(before, pipes);
    if (refusal !== undefined) return { status: 'refused', reason: refusal };
    // The path may become a pipe between stat and open: O_NONBLOCK prevents a hang.
    const flags = before.isFile() ? constants.O_RDONLY | constants.O_NONBLOCK : constants.O_RDONLY;
    return closing(files.open(path, flags), (file) => {
      const now = files.stat(file);
      const changed = refuseKind(now, pipes);
      if (changed !== undefined) return { status: 'refused', reason: changed };
      const bytes = now.size > limit ? undefined : readAll(file, now.size, limit);
      return bytes ? { status: 'bytes', bytes } : overLimit(limit);
    });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return { status: 'missing' };
    return { status: 'refused', reason: `cannot be read (${describe(error)})` };
  }
}

/** The same limit for bytes from elsewhere. */
export function limitBytes(bytes: Uint8Array, limit: number): BytesRead {
  return bytes.length > limit ? overLimit(limit) : { status: 'bytes', bytes };
}

function overLimit(limit: number): BytesRead {
  return { status: 'refused', reason: `is larger than ${limit / MB} MB` };
}

/**
 * Replaces an existing file atomically: at every moment the path has either the old or the new content.
 * Mode and, where allowed, owner stay; of a symlink, the target is replaced.
 */
export function replaceFile(path: string, bytes: Uint8Array): Replaced {
  try {
    const target = files.realpath(path);
    const old = files.statAt(target);
    const refusal = old && refuseKind(old, false);
    if (!old || refusal !== undefined) return { status: 'refused', reason: refusal ?? 'is not there' };
    // A rename needs permission only for the folder; read-only files must not be replaced either.
    files.access(target, constants.W_OK);
    return putInPlace(target, bytes, old);
  } catch (error) {
    return { status: 'refused', reason: `cannot be written (${describe(error)})` };
  }
}

/** Why `writeFile` would fail, as far as that is foreseeable. */
export function refuseToWrite(path: string): string | undefined {
  try {
    const old = files.statAt(path);
    const refusal = old && refuseKind(old, false);
    if (refusal !== undefined) return refusal;
    if (old) files.access(path, constants.W_OK);
    const folder = dirname(old ? files.realpath(path) : path);
    if (files.statAt(folder)?.isDirectory() !== true) return 'is in a folder that does not exist';
    files.access(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    return `cannot be written (${describe(error)})`;
  }
}

/** The same for a path that may not exist yet. */
export function writeFile(path: string, bytes: Uint8Array): Replaced {
  try {
    if (files.lstat(path) !== undefined) return replaceFile(path, bytes);
    return putInPlace(path, bytes, undefined);
  } catch (error) {
    return { status: 'refused', reason: `cannot be written (${describe(error)})` };
  }
}

function putInPlace(target: string, bytes: Uint8Array, old: Stats | undefined): Replaced {
  let temporary: string | undefined;
  try {
    const name = join(dirname(target), `.${basename(target).slice(0, 200)}.${process.pid}.${Date.now()}`);
    closing(files.open(name, 'wx', old ? 0o600 : newFileMode()), (file) => {
      temporary = name;
      writeAll(file, bytes);
      if (old) {
        keepOwner(file, old);
        files.chmod(file, old.mode & 0o7777);
      }
      files.sync(file);
    });
    files.rename(name, target);
    temporary = undefined;
    syncFolder(dirname(target));
    return { status: 'replaced' };
  } finally {
    if (temporary !== undefined) removeQuietly(temporary);
  }
}

/** Only root can change the owner; otherwise the new file belongs to the current user. */
export function keepOwner(file: number, like: Stats): void {
  try {
    const own = files.stat(file);
    if (own.uid !== like.uid || own.gid !== like.gid) files.chown(file, like.uid, like.gid);
  } catch {}
}

/** Makes the rename durable. Some file systems cannot; the content is complete either way. */
function syncFolder(path: string): void {
  try {
    closing(files.open(path, 'r'), (folder) => files.sync(folder));
  } catch {}
}

function removeQuietly(path: string): void {
  try {
    files.unlink(path);
  } catch {}
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

const PLAIN_WORDS: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left',
  ENOENT: 'it is no longer there',
  ELOOP: 'its symlinks lead in a circle',
  ENAMETOOLONG: 'its name is too long',
  ERR_INVALID_ARG_VALUE: 'its name is not a valid path',
};

function describe(error: unknown): string {
  return PLAIN_WORDS[errorCode(error)] ?? errorCode(error);
}

export type Decoded =
  | { status: 'text'; text: string }
  /** `reason` completes the sentence "<name> …". */
  | { status: 'refused'; reason: string };

/** UTF-8 to text, or the reason why not. A byte order mark stays in the text. */
export function decodeText(bytes: Uint8Array): Decoded {
  const first = bytes[0];
  const second = bytes[1];
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return { status: 'refused', reason: 'is UTF-16, not UTF-8 text' };
  }
  if (bytes.includes(0)) return { status: 'refused', reason: 'is binary, not text (it holds NUL bytes)' };
  if (!isUtf8(bytes)) return { status: 'refused', reason: 'is not UTF-8 text' };
  return {
    status: 'text',
    text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
  };
}

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

export function fromBase64(text: string): Uint8Array {
  return Buffer.from(text, 'base64');
}

/**
 * Removes a path and everything below it, read-only folders included. Follows no link, and leaves other mounted disks
 * alone. Returns the reason if something remains.
 */
export function removeTree(path: string): string | undefined {
  try {
    remove(path, files.lstat(path)?.dev);
    return undefined;
  } catch (error) {
    return `${JSON.stringify(path)} cannot be removed (${errorCode(error)}).`;
  }
}

function remove(path: string, device: number | undefined): void {
  const stats = files.lstat(path);
  if (stats === undefined) return;
  if (stats.dev !== device) throw Object.assign(new Error('another disk'), { code: 'EXDEV' });
  if (!stats.isDirectory()) {
    files.unlink(path);
    return;
  }
  if ((stats.mode & 0o700) !== 0o700) makeOpen(path, stats.mode);
  for (const name of files.list(path)) remove(join(path, name), device);
  files.rmdir(path);
}

/** An unreadable folder cannot be opened, so its mode is changed by path; its parent is this user's own. */
function makeOpen(path: string, mode: number): void {
  try {
    closing(files.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), (folder) =>
      files.chmod(folder, mode | 0o700),
    );
  } catch {
    files.chmodAt(path, mode | 0o700);
  }
}

/** The disk usage of a path and everything below it, in bytes; unreadable parts count as 0. Follows no link. */
export function diskUsage(path: string): number {
  try {
    const stats = files.lstat(path);
    if (stats === undefined) return 0;
    const below = stats.isDirectory() ? files.list(path) : [];
    return below.reduce((sum, name) => sum + diskUsage(join(path, name)), stats.blocks * 512);
  } catch {
    return 0;
  }
}

/**
 * Whether a file or folder belongs to this user and no one else can write to it. Pass the stat of an open handle
 * (`Folder.stat`), so that nothing can be swapped in after the check.
 */
type Owned = Pick<Stats, 'uid' | 'gid' | 'mode'>;

const LARGEST_TABLE = 16 * 1024 * 1024;

/** Why `path` must not be used: one sentence with the remedy. Undefined if it may be used. `workTree`: that of its repository. */
export function refuseForeign(path: string, stats: Owned, workTree?: string): string | undefined {
  if (!isOwn(stats)) {
    const remedy = workTree
      ? `git config --global --add safe.directory ${quote(workTree)}`
      : `${isRoot() ? '' : 'sudo '}chown -R ${effectiveUser()} ${quote(path)}`;
    return `${path} is not used because it belongs to another user (uid ${stats.uid}); if you trust what it holds, run: ${remedy}`;
  }
  if (!isWritableByOthers(stats)) return undefined;
  return `${path} is not used because other users can write to it (mode ${octal(stats.mode)}); run: chmod -R go-w ${quote(path)}`;
}

/** The same for a file that other users must not read, either. */
export function refuseShown(path: string, stats: Stats): string | undefined {
  if (isPrivate(stats)) return undefined;
  if (!stats.isFile()) return `${path} is not used because it is not a regular file; remove it`;
  return (
    refuseForeign(path, stats) ??
    `${path} is not used because other users can read it (mode ${octal(stats.mode)}); run: chmod 600 ${quote(path)}`
  );
}

/** Throws `UserError` if `refuseForeign` returns a reason. */
export function requireOwn(path: string, stats: Owned): void {
  const reason = refuseForeign(path, stats);
  if (reason !== undefined) throw new UserError(reason);
}

/** As in git: the effective user; under sudo, also the user who called it. */
export function isOwn({ uid }: Owned): boolean {
  const user = process.geteuid?.();
  if (user === undefined || uid === user) return true;
  return user === 0 && /^\d+$/.test(process.env.SUDO_UID ?? '') && uid === Number(process.env.SUDO_UID);
}

/** Whether only this user owns and can read a file. A second hard link may be the rest of an interrupted rename. */
export function isPrivate(stats: Stats): boolean {
  return stats.isFile() && isOwn(stats) && (stats.mode & 0o077) === 0;
}

/** A group whose only member is the owner is safe: systems with such groups use umask 002. */
function isWritableByOthers({ uid, gid, mode }: Owned): boolean {
  if (process.geteuid === undefined) return false;
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && !isPrivateGroup(gid, uid));
}

/** Whether the group has its user's name and no other member, as `useradd` creates it. */
function isPrivateGroup(gid: number, uid: number): boolean {
  const users = readRows('/etc/passwd');
  const groups = readRows('/etc/group').filter(([, , id]) => id === String(gid));
  const user = uid === process.geteuid?.() ? ownName() : users.find(([, , id]) => id === String(uid))?.[0];
  const members = users.flatMap(([name, , , group]) => (group === String(gid) ? [name] : []));
  for (const [name, , , listed = ''] of groups) members.push(name, ...listed.split(',').filter(Boolean));
  return groups.length > 0 && user !== undefined && members.every((member) => member === user);
}

function ownName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

function readRows(path: string): string[][] {
  try {
    const bytes = closing(files.open(path, 'r'), (file) =>
      readAll(file, files.stat(file).size, LARGEST_TABLE),
    );
    const lines = Buffer.from(bytes ?? [])
      .toString('utf8')
      .split('\n');
    return lines.filter((line) => line !== '').map((line) => line.split(':'));
  } catch {
    return [];
  }
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}

function effectiveUser(): number {
  return process.geteuid?.() ?? 0;
}

function isRoot(): boolean {
  return effectiveUser() === 0;
}

/** Quotes a text as one shell word. */
function quote(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
