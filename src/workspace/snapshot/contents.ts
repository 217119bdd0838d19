import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { files } from '../../node/file-calls.js';
import { removeTree } from '../../node/files.js';
import { closing, type Folder, isAbsent, writeAll } from '../../node/folder.js';
import { randomId } from '../../node/ids.js';
import { makeFolder, openContent } from '../store.js';

/** How much is kept of what commands may change, in bytes. */
export interface ContentLimits {
  maxFile: number;
  maxTotal: number;
}

export const CONTENTS = 'contents';
/** So old is a half-written file only if its process died. */
const ABANDONED_MS = 3_600_000;
const PART = /^(?:new|now|state)-[a-z0-9]{8}$/;
const OBJECT = /^[0-9a-f]{64}$/;
const PREFIX = /^[0-9a-f]{2}$/;
const CHUNK = 1024 * 1024;

/**
 * `.teddy/contents`: files by the SHA-256 of their content, for the user's eyes alone. A run that needs one has a second
 * name for it in its journal, so the count of its names says whether it is still needed. Nothing here is trusted: who
 * takes a content out compares it with its hash.
 */
export class Contents {
  private readonly folder: Folder;
  private readonly opened = new Map<string, Folder>();
  private readonly known = new Map<string, Set<string>>();
  /** Bytes in it; counted once something is added. */
  private total: number | undefined;
  /** Whether something was added since it was opened. */
  hasGrown = false;

  constructor(
    store: Folder,
    readonly limits: ContentLimits,
  ) {
    this.folder = openContent(store, CONTENTS);
  }

  close(): void {
    for (const folder of this.opened.values()) folder.close();
    this.folder.close();
  }

  /** Where states are written. */
  get states(): Folder {
    return this.folder;
  }

  /** What time it is for the file system, in milliseconds. */
  now(): number {
    const name = `now-${randomId(8)}`;
    const time = closing(this.folder.create(name, 0o600), (file) => files.stat(file).ctimeMs);
    this.folder.unlink(name);
    return time;
  }

  has(hash: string): boolean {
    return this.namesIn(hash.slice(0, 2)).has(hash);
  }

  /** Whether there is room for so many bytes more. */
  hasRoom(bytes: number): boolean {
    this.total ??= this.count();
    return this.total + bytes <= this.limits.maxTotal;
  }

  add(hash: string, bytes: Uint8Array): void {
    this.write(hash, (file) => {
      writeAll(file, bytes);
      return bytes.length;
    });
  }

  /** Copies an open file from its start; false if it holds something else by now. */
  addFrom(hash: string, source: number): boolean {
    const chunk = new Uint8Array(CHUNK);
    const hasher = createHash('sha256');
    return this.write(hash, (file) => {
      let length = 0;
      for (;;) {
        const count = files.read(source, chunk, 0, CHUNK, length);
        if (count === 0) break;
        hasher.update(chunk.subarray(0, count));
        writeAll(file, chunk.subarray(0, count));
        length += count;
      }
      return hasher.digest('hex') === hash ? length : undefined;
    });
  }

  /** Takes in files that have their hash for a name, from a folder of teddy's own; those that do not hold it are left there. */
  takeIn(from: Folder): void {
    for (const hash of from.list()) {
      if (!OBJECT.test(hash) || this.has(hash)) continue;
      try {
        closing(from.openToRead(hash), (source) => this.addFrom(hash, source));
      } catch (error) {
        if (!isAbsent(error)) throw error;
      }
    }
  }

  /** A second name for a content; a copy where the file system knows none. False if the content is not here. */
  linkTo(hash: string, folder: Folder, name: string): boolean {
    if (!this.has(hash)) return false;
    const parent = this.open(hash.slice(0, 2));
    try {
      parent.link(hash, folder, name);
      return true;
    } catch (error) {
      if (isAbsent(error)) return false;
      return this.copyTo(parent, hash, folder, name);
    }
  }

  /** Removes what no run needs and `isNeeded` does not name. */
  prune(isNeeded: (hash: string) => boolean): void {
    this.clearParts();
    for (const [parent, hash] of this.objects()) {
      if (isNeeded(hash)) continue;
      if ((parent.lstat(hash)?.nlink ?? 2) > 1) continue;
      parent.unlink(hash);
      this.known.get(hash.slice(0, 2))?.delete(hash);
    }
    this.total = undefined;
  }

  private copyTo(parent: Folder, hash: string, folder: Folder, name: string): boolean {
    return closing(parent.openToRead(hash), (source) =>
      closing(folder.create(name, 0o600), (file) => {
        const chunk = new Uint8Array(CHUNK);
        for (let at = 0, count = 0; ; at += count) {
          count = files.read(source, chunk, 0, CHUNK, at);
          if (count === 0) return true;
          writeAll(file, chunk.subarray(0, count));
        }
      }),
    );
  }

  /** Whole or not there. `fill` gives the number of bytes, or undefined to give up. */
  private write(hash: string, fill: (file: number) => number | undefined): boolean {
    const parent = this.open(hash.slice(0, 2));
    const part = `${hash}-${randomId(8)}`;
    const length = closing(parent.create(part, 0o600), fill);
    if (length === undefined) {
      parent.unlink(part);
      return false;
    }
    parent.rename(part, parent, hash);
    this.namesIn(hash.slice(0, 2)).add(hash);
    this.hasGrown = true;
    if (this.total !== undefined) this.total += length;
    return true;
  }

  private open(prefix: string): Folder {
    const known = this.opened.get(prefix);
    if (known) return known;
    makeFolder(this.folder, prefix, 0o700);
    const folder = this.folder.enterFolder(prefix);
    this.opened.set(prefix, folder);
    return folder;
  }

  private namesIn(prefix: string): Set<string> {
    const known = this.known.get(prefix);
    if (known) return known;
    const isThere = this.folder.lstat(prefix)?.isDirectory() === true;
    const names = isThere
      ? this.open(prefix)
          .list()
          .filter((name) => OBJECT.test(name))
      : [];
    const found = new Set(names);
    this.known.set(prefix, found);
    return found;
  }

  private count(): number {
    let total = 0;
    for (const [parent, hash] of this.objects()) total += parent.lstat(hash)?.size ?? 0;
    return total;
  }

  private *objects(): Generator<[Folder, string]> {
    for (const prefix of this.folder.list().filter((name) => PREFIX.test(name)))
      for (const hash of [...this.namesIn(prefix)]) yield [this.open(prefix), hash];
  }

  /** An empty folder of its own for `work`, gone afterwards. */
  async inTemporary<T>(work: (folder: string) => Promise<T>): Promise<T> {
    const name = `new-${randomId(8)}`;
    this.folder.makeFolder(name, 0o700);
    try {
      return await work(join(this.folder.path, name));
    } finally {
      removeTree(join(this.folder.path, name));
    }
  }

  /** Removes what processes that died left half-written. */
  private clearParts(): void {
    const before = this.now() - ABANDONED_MS;
    for (const name of this.folder.list()) {
      if (PART.test(name)) removeIfOld(this.folder, name, before);
      if (!PREFIX.test(name)) continue;
      const parent = this.open(name);
      for (const each of parent.list()) if (!OBJECT.test(each)) removeIfOld(parent, each, before);
    }
  }
}

function removeIfOld(folder: Folder, name: string, before: number): void {
  const stats = folder.lstat(name);
  if (stats && stats.mtimeMs < before) removeTree(join(folder.path, name));
}
