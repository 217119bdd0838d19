import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isEnvironmentError } from '../errors.js';
import { files, O_CREAT, O_EXCL, O_WRONLY } from '../file-calls.js';
import { closing, type FileStats, writeAll } from '../folder.js';
import { gitList } from './command.js';

// git looks at many files faster than node does, with several threads. It is given an index that only says what the
// files' stat data were, in a git folder that holds nothing else: no config, no filter and no object is involved.

/** How many bytes the stat data of a file have. */
export const STAT_BYTES = 40;
const HEADER_BYTES = 12;
/** After the stat data: an id, and flags. */
const BEFORE_NAME = STAT_BYTES + 22;
const HASH_BYTES = 20;
const LONGEST_NAME = 0xfff;
/** Of an empty file. Of another one, git then takes no notice of the content. */
const EMPTY_BLOB = Buffer.from('e69de29bb2d1d6434b8b29ae775ad8c2e48c5391', 'hex');
/** The time of the index itself, in seconds: git reads files that are as new. */
const LATEST = 4_000_000_000;

const SETTINGS = [
  ...['core.trustctime=true', 'core.checkStat=default', 'core.preloadIndex=true', 'core.fileMode=true'],
  ...['core.symlinks=true', 'core.ignoreCase=false', 'core.splitIndex=false', 'core.sparseCheckout=false'],
  ...['core.untrackedCache=false', 'core.precomposeUnicode=false'],
];

/** The stat data of a file or link as git's index has them: times, inode, kind, owner and size. */
export function statBytes(stats: FileStats): Uint8Array {
  const bytes = Buffer.allocUnsafe(STAT_BYTES);
  writeTime(stats.ctimeMs, bytes, 0);
  writeTime(stats.mtimeMs, bytes, 8);
  const { dev, ino, uid, gid, size } = stats;
  for (const [i, value] of [dev, ino, modeOf(stats), uid, gid, size].entries())
    bytes.writeUInt32BE(value % 2 ** 32, 16 + 4 * i);
  return bytes;
}

/** Whether nothing happened to the file between the two, as far as they say. */
export function isSameStat(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

/** Whether git would not have to read the file to know that it is the same. */
export function fitsIndex({ ctimeMs, mtimeMs }: FileStats): boolean {
  return [ctimeMs, mtimeMs].every((time) => time >= 0 && time < LATEST * 1000);
}

function writeTime(ms: number, into: Buffer, at: number): void {
  const seconds = Math.floor(ms / 1000);
  into.writeUInt32BE(seconds >>> 0, at);
  into.writeUInt32BE(Math.floor((ms - seconds * 1000) * 1e6), at + 4);
}

function modeOf(stats: FileStats): number {
  if (stats.isSymbolicLink()) return 0o120000;
  return stats.mode & 0o100 ? 0o100755 : 0o100644;
}

/** Makes an index of git's. The paths come in the order of their bytes, each once. */
export class StatIndex {
  private readonly bytes: Buffer;
  private at = HEADER_BYTES;

  /** For so many files, with paths of so many bytes together. */
  constructor(count: number, pathBytes: number) {
    this.bytes = Buffer.alloc(HEADER_BYTES + count * (BEFORE_NAME + 8) + pathBytes + HASH_BYTES);
    this.bytes.write('DIRC');
    this.bytes.writeUInt32BE(2, 4);
    this.bytes.writeUInt32BE(count, 8);
  }

  add(path: Uint8Array, stat: Uint8Array): void {
    const { bytes, at } = this;
    bytes.set(stat, at);
    bytes.set(EMPTY_BLOB, at + STAT_BYTES);
    bytes.writeUInt16BE(Math.min(path.length, LONGEST_NAME), at + BEFORE_NAME - 2);
    bytes.set(path, at + BEFORE_NAME);
    this.at += (BEFORE_NAME + path.length + 8) & ~7;
  }

  finish(): Uint8Array {
    const { bytes, at } = this;
    bytes.set(createHash('sha1').update(bytes.subarray(0, at)).digest(), at);
    return bytes.subarray(0, at + HASH_BYTES);
  }
}

/** An index for `listTouched`, in a new file. */
export function writeStatIndex(path: string, index: Uint8Array): void {
  writeNew(path, index, (file) => files.setTimes(file, LATEST));
}

/**
 * The paths in an index of ours at which something else is now, as far as stat data say, or nothing. `folder` is empty
 * and of our own; `place` puts the index where it is told. Undefined where git does not tell.
 */
export async function listTouched(
  root: string,
  folder: string,
  place: (path: string) => void,
): Promise<string[] | undefined> {
  try {
    for (const name of ['objects', 'refs']) files.mkdir(join(folder, name), 0o700);
    writeNew(join(folder, 'HEAD'), Buffer.from('ref: refs/heads/none\n'));
    place(join(folder, 'index'));
  } catch (error) {
    if (!isEnvironmentError(error)) throw error;
    return undefined;
  }
  const listed = await gitList(['diff-files', '--name-only', '-z'], {
    ...{ cwd: root, outside: [root], config: SETTINGS },
    env: {
      ...{ GIT_DIR: folder, GIT_WORK_TREE: root },
      ...{ GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    },
  });
  return listed.status === 'ok' ? listed.items : undefined;
}

function writeNew(path: string, bytes: Uint8Array, also?: (file: number) => void): void {
  closing(files.open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600), (file) => {
    writeAll(file, bytes);
    also?.(file);
  });
}
