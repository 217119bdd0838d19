import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { errorCode, isEnvironmentError } from './errors.js';

/** The errors of file systems without extended attributes. */
const NONE = ['ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/**
 * Copies the extended attributes of another file, its access list (ACL) included, to an open one, and removes an access
 * list that only the new file has. Returns the names of attributes that could not be copied.
 */
function keepAttributes(file: number, like: number): string[] {
  const names = namesOf(like);
  const lost = names.filter((name) => !copyAttribute(file, like, name));
  if (!names.includes(ACCESS_LIST) && namesOf(file).includes(ACCESS_LIST)) removeAttribute(file, ACCESS_LIST);
  return lost;
}

/** A new file inherits it from the folder that it is created in, not from its final one. */
const ACCESS_LIST = 'system.posix_acl_access';

function namesOf(file: number): string[] {
  try {
    return loadAddon().listAttrsSync(file);
  } catch (error) {
    if (NONE.includes(errorCode(error))) return [];
    throw error;
  }
}

function copyAttribute(file: number, like: number, name: string): boolean {
  const addon = loadAddon();
  try {
    const value = addon.getAttrSync(like, name);
    if (value === null) return true;
    const bytes = Buffer.from(value);
    if (isSame(addon.getAttrSync(file, name), bytes)) return true;
    addon.setAttrSync(file, name, bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return true;
  } catch {
    return false;
  }
}

function isSame(one: ArrayBuffer | null, other: Buffer): boolean {
  return one !== null && Buffer.from(one).equals(other);
}

function removeAttribute(file: number, name: string): void {
  try {
    loadAddon().removeAttrSync(file, name);
  } catch {}
}

/** One file call about to be made. */
export interface FileCall {
  name: FileCallName;
  args: readonly unknown[];
}

/**
 * Intercepts every file call of the product. `perform` makes the call, with these arguments
 * or others; a seam may record it, fail instead, cut a write short, or end the process.
 */
export type FileSeam = (call: FileCall, perform: (args: readonly unknown[]) => unknown) => unknown;

let seam: FileSeam | undefined;

/** For tests of failing machines. Without a seam it costs one comparison per call. */
export function setFileSeam(next: FileSeam | undefined): void {
  seam = next;
}

function through<A extends unknown[], T>(name: string, real: (...args: A) => T): (...args: A) => T {
  return (...args) => {
    try {
      if (seam === undefined) return real(...args);
      return seam({ name: name as FileCallName, args }, (used) => real(...(used as A))) as T;
    } catch (error) {
      if (isEnvironmentError(error)) nameFile(error, args[0]);
      throw error;
    }
  };
}

/** Errors of the environment name the file by its path, not by a handle. */
function nameFile(error: NodeJS.ErrnoException, given: unknown): void {
  const handle = typeof given === 'number' ? [String(given), ''] : HANDLE.exec(String(given))?.slice(1);
  if (handle) error.path = `${pathOf(handle[0]!)}${handle[1]}`;
  else if (typeof given === 'string') error.path = given;
}

const HANDLE = /^\/proc\/self\/fd\/(\d+)(.*)$/s;

function pathOf(handle: string): string {
  try {
    return fs.readlinkSync(`/proc/self/fd/${handle}`);
  } catch {
    return 'A file';
  }
}

let relief: (() => boolean) | undefined;

/** Called when this process is out of file handles. Closes some that are unused, and returns whether it did. */
export function setHandleRelief(next: () => boolean): void {
  relief = next;
}

/** Repeats a call that needs a handle while relief frees one. */
function relieved<A extends unknown[], T>(call: (...args: A) => T): (...args: A) => T {
  return (...args) => {
    for (;;) {
      try {
        return call(...args);
      } catch (error) {
        if (!isOutOfHandles(error) || !relief?.()) throw error;
      }
    }
  };
}

function isOutOfHandles(error: unknown): boolean {
  return ['EMFILE', 'ENFILE'].includes(errorCode(error));
}

/** All file calls of the product. Synchronous; they throw as Node's do. */
export const files = {
  open: relieved(
    through('open', (path: string, flags: number | string, mode?: number) => fs.openSync(path, flags, mode)),
  ),
  close: through('close', fs.closeSync),
  read: through(
    'read',
    (file: number, into: Uint8Array, offset: number, length: number, position: number | null) =>
      fs.readSync(file, into, offset, length, position),
  ),
  write: through(
    'write',
    (file: number, bytes: Uint8Array, offset: number, length: number, position: number | null) =>
      fs.writeSync(file, bytes, offset, length, position),
  ),
  sync: through('sync', fs.fsyncSync),
  truncate: through('truncate', fs.ftruncateSync),
  chmod: through('chmod', fs.fchmodSync),
  /** Follows a link. */
  chmodAt: through('chmodAt', (path: string, mode: number) => fs.chmodSync(path, mode)),
  chown: through('chown', fs.fchownSync),
  setTimes: through('setTimes', (file: number, seconds: number) => fs.futimesSync(file, seconds, seconds)),
  keepAttributes: through('keepAttributes', keepAttributes),
  stat: through('stat', (file: number) => fs.fstatSync(file)),
  statAt: through('statAt', (path: string) => fs.statSync(path, { throwIfNoEntry: false })),
  lstat: through('lstat', (path: string) => fs.lstatSync(path, { throwIfNoEntry: false })),
  rename: through('rename', fs.renameSync as (from: string, to: string) => void),
  link: through('link', fs.linkSync as (existing: string, path: string) => void),
  symlink: through('symlink', (target: string, path: string) => fs.symlinkSync(target, path)),
  /** A new file with the content of another: shared until one of them is written, where the disk can do that. */
  copy: through('copy', (from: string, to: string) =>
    fs.copyFileSync(from, to, fs.constants.COPYFILE_EXCL | fs.constants.COPYFILE_FICLONE),
  ),
  unlink: through('unlink', fs.unlinkSync as (path: string) => void),
  mkdir: through('mkdir', (path: string, mode?: number) => void fs.mkdirSync(path, mode)),
  rmdir: through('rmdir', (path: string) => fs.rmdirSync(path)),
  list: relieved(through('list', (path: string) => fs.readdirSync(path))),
  readlink: through('readlink', (path: string) => fs.readlinkSync(path)),
  realpath: through('realpath', (path: string) => fs.realpathSync.native(path)),
  access: through('access', (path: string, mode: number) => fs.accessSync(path, mode)),
};

export type FileCallName = keyof typeof files;

export const { O_APPEND, O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } =
  fs.constants;

const PACKAGE = 'fs-native-extensions';

/** The addon itself: its calls are synchronous, and throw errors with a code. */
interface Addon {
  /** EAGAIN: another process has the lock. */
  tryLock(file: number, offset: number, length: number, exclusive: boolean): void;
  listAttrsSync(file: number): string[];
  /** Null where there is none. */
  getAttrSync(file: number, name: string): ArrayBuffer | null;
  setAttrSync(file: number, name: string, value: ArrayBufferLike, offset: number, length: number): void;
  removeAttrSync(file: number, name: string): void;
}

let loaded: Addon | undefined;

/**
 * Tries to lock an open file for this open file alone. The kernel keeps the lock and frees it when the
 * file is closed or its process ends, however it ends. Loading is put off until it is needed.
 */
export function tryLock(file: number): boolean {
  try {
    loadAddon().tryLock(file, 0, 0, true);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return false;
    throw error;
  }
}

/** The package's search for its addon takes 12 ms; its usual path takes half a millisecond. */
function loadAddon(): Addon {
  loaded ??= load();
  return loaded;
}

function load(): Addon {
  const require = createRequire(import.meta.url);
  try {
    const base = require.resolve(`${PACKAGE}/package.json`).slice(0, -'package.json'.length);
    return require(`${base}prebuilds/${process.platform}-${process.arch}/${PACKAGE}.node`) as Addon;
  } catch {
    return require(`${PACKAGE}/binding`) as Addon;
  }
}
