import type { FileStats } from './folder.js';

/** A file or link as it was seen. */
export interface TableEntry {
  kind: 'file' | 'link';
  size: number;
  /** Times, inode and owner, as git's index has them. */
  stat: Uint8Array;
  mode: number;
  /** SHA-256 of the content; null where it was not read, and of a link. */
  hash: string | null;
  /** Of a link. */
  target?: string | undefined;
  /** Where the content is: an id of git's, `kept` (among our own), or null for nowhere. */
  source: string | null;
  /** It may have been written again in the moment in which it was read: the same times prove nothing. */
  racy: boolean;
}

// A project can have very many files: here each is a record of 128 bytes, and an object only while it is looked at.
// The path is among the names, followed by the target of a link.

/** How many bytes the stat data of a file have. */
export const STAT_BYTES = 40;
/** The time of git's index itself, in seconds: git reads files that are as new. */
export const LATEST = 4_000_000_000;
const RECORD = 128;
const SIZE = 40;
const HASH = 48;
const ID = 80;
const START = 112;
const PATH_END = 116;
const END = 120;
const MODE = 124;
const FLAGS = 126;
const IS_LINK = 1;
const HAS_HASH = 2;
const IS_RACY = 4;
const IS_KEPT = 8;
const HAS_SHORT_ID = 16;
const HAS_LONG_ID = 32;
const HAS_SOURCE = IS_KEPT | HAS_SHORT_ID | HAS_LONG_ID;
const USUAL_NAME = 64;

/** Entries by path, each once. */
export class EntryTable {
  /** By the hash of the path, the place of its entry and 1; 0 for none. */
  private slots: Int32Array | undefined;

  private records: Buffer;
  private names: Buffer;

  constructor(
    records: Uint8Array = Buffer.alloc(0),
    names: Uint8Array = Buffer.alloc(0),
    private recordsEnd = 0,
    private namesEnd = 0,
  ) {
    this.records = viewOf(records);
    this.names = viewOf(names);
  }

  static withRoomFor(count: number): EntryTable {
    return new EntryTable(Buffer.alloc(count * RECORD), Buffer.alloc(count * USUAL_NAME));
  }

  /** What `new EntryTable` makes the same table of. */
  get bytes(): { records: Uint8Array; names: Uint8Array } {
    return {
      records: this.records.subarray(0, this.recordsEnd),
      names: this.names.subarray(0, this.namesEnd),
    };
  }

  get size(): number {
    return this.recordsEnd / RECORD;
  }

  append(path: string, { kind, size, stat, mode, hash, target = '', source, racy }: TableEntry): void {
    this.records = withRoom(this.records, this.recordsEnd, RECORD);
    this.names = withRoom(this.names, this.namesEnd, 3 * (path.length + target.length));
    const { records, recordsEnd: at } = this;
    const pathEnd = this.namesEnd + this.names.write(path, this.namesEnd);
    const end = pathEnd + this.names.write(target, pathEnd);
    const hasId = source !== null && source !== 'kept';
    records.fill(0, at, at + RECORD);
    records.set(stat, at);
    records.writeDoubleLE(size, at + SIZE);
    if (hash !== null && kind === 'file') records.write(hash, at + HASH, 'hex');
    if (hasId) records.write(source, at + ID, 'hex');
    records.writeUInt32LE(this.namesEnd, at + START);
    records.writeUInt32LE(pathEnd, at + PATH_END);
    records.writeUInt32LE(end, at + END);
    records.writeUInt16LE(mode, at + MODE);
    records[at + FLAGS] =
      (kind === 'link' ? IS_LINK : 0) |
      (hash === null ? 0 : HAS_HASH) |
      (racy ? IS_RACY : 0) |
      (source === 'kept' ? IS_KEPT : 0) |
      (hasId ? (source.length === 64 ? HAS_LONG_ID : HAS_SHORT_ID) : 0);
    this.recordsEnd += RECORD;
    this.namesEnd = end;
    if (this.slots) this.note(path, this.size - 1);
  }

  placeOf(path: string): number | undefined {
    this.slots ??= this.index();
    for (let slot = hashOf(path); ; slot++) {
      const place = this.slots[slot & (this.slots.length - 1)]! - 1;
      if (place === -1) return undefined;
      if (this.pathAt(place) === path) return place;
    }
  }

  private index(): Int32Array {
    let length = 1024;
    while (length < 4 * this.size) length *= 2;
    this.slots = new Int32Array(length);
    for (let i = 0; i < this.size; i++) this.note(this.pathAt(i), i);
    return this.slots;
  }

  private note(path: string, place: number): void {
    if (2 * this.size > this.slots!.length) {
      this.index();
      return;
    }
    const mask = this.slots!.length - 1;
    let slot = hashOf(path) & mask;
    while (this.slots![slot] !== 0) slot = (slot + 1) & mask;
    this.slots![slot] = place + 1;
  }

  pathAt(i: number): string {
    return this.names.toString('utf8', ...this.pathRangeAt(i));
  }

  at(i: number): TableEntry {
    const { records, names } = this;
    const at = i * RECORD;
    const flags = records[at + FLAGS]!;
    const isLink = (flags & IS_LINK) !== 0;
    const idEnd = at + ID + (flags & HAS_LONG_ID ? 32 : 20);
    const id = flags & (HAS_SHORT_ID | HAS_LONG_ID) ? records.toString('hex', at + ID, idEnd) : null;
    const [start, end] = [records.readUInt32LE(at + PATH_END), records.readUInt32LE(at + END)];
    const target = isLink ? names.toString('utf8', start, end) : undefined;
    const hash = flags & HAS_HASH ? records.toString('hex', at + HASH, at + ID) : null;
    return {
      kind: isLink ? 'link' : 'file',
      size: records.readDoubleLE(at + SIZE),
      stat: this.statAt(i),
      mode: records.readUInt16LE(at + MODE),
      hash,
      target,
      source: flags & IS_KEPT ? 'kept' : id,
      racy: (flags & IS_RACY) !== 0,
    };
  }

  isRacyAt(i: number): boolean {
    return (this.records[i * RECORD + FLAGS]! & IS_RACY) !== 0;
  }

  isKeptAt(i: number): boolean {
    return (this.records[i * RECORD + FLAGS]! & IS_KEPT) !== 0;
  }

  /** A file, and its content is nowhere. */
  isLostAt(i: number): boolean {
    return (this.records[i * RECORD + FLAGS]! & (HAS_SOURCE | IS_LINK)) === 0;
  }

  statAt(i: number): Uint8Array {
    return this.records.subarray(i * RECORD, i * RECORD + STAT_BYTES);
  }

  /** Which of two paths comes first in the order of their bytes. */
  comparePathsAt(a: number, b: number): number {
    const [start, end] = this.pathRangeAt(a);
    return this.names.compare(this.names, ...this.pathRangeAt(b), start, end);
  }

  private pathRangeAt(i: number): [start: number, end: number] {
    const at = i * RECORD;
    return [this.records.readUInt32LE(at + START), this.records.readUInt32LE(at + PATH_END)];
  }

  /** The bytes of its path. */
  pathBytesAt(i: number): Uint8Array {
    return this.names.subarray(...this.pathRangeAt(i));
  }
}

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

/** FNV-1a. */
function hashOf(path: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < path.length; i++) hash = Math.imul(hash ^ path.charCodeAt(i), 0x01000193);
  return hash >>> 1;
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function withRoom(bytes: Buffer, length: number, more: number): Buffer {
  if (length + more <= bytes.length) return bytes;
  const larger = Buffer.alloc(2 * (length + more));
  bytes.copy(larger, 0, 0, length);
  return larger;
}
