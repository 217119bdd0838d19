import { files } from '../../node/file-calls.js';
import {
  closing,
  type Folder,
  isAbsent,
  isAlreadyThere,
  readText,
  removeIfThere,
  writeText,
} from '../../node/folder.js';
import { randomId } from '../../node/ids.js';
import { isSealOf, sealOf } from '../../node/user-folders.js';

const PART = '.part-';
const ABANDONED_MS = 3_600_000;

/**
 * Files of JSON in one folder of a run, each sealed for its run and its name. Every process of this user may add a file;
 * the first one under a name wins. Its methods throw what the machine throws.
 */
export class SealedFiles {
  constructor(
    /** The run, or what else they belong to. */
    private readonly owner: string,
    private readonly folder: Folder,
  ) {}

  get path(): string {
    return this.folder.path;
  }

  /** False where there is a file of that name. With `sync`, it is on disk when this returns. */
  add(name: string, value: unknown, { sync = false } = {}): boolean {
    const part = `${name}${PART}${randomId(8)}`;
    this.write(part, name, value, sync);
    try {
      this.folder.link(part, this.folder, name);
      if (sync) this.folder.sync();
      return true;
    } catch (error) {
      if (isAlreadyThere(error)) return false;
      throw error;
    } finally {
      this.folder.unlink(part);
    }
  }

  /** In place of whatever has that name; on disk when this returns. */
  replace(name: string, value: unknown): void {
    const part = `${name}${PART}${randomId(8)}`;
    this.write(part, name, value, true);
    this.folder.rename(part, this.folder, name);
    this.folder.sync();
  }

  /** Undefined where there is none, or none that this user's teddy wrote. */
  read(name: string): unknown {
    try {
      const text = readText(this.folder, name);
      const end = text.indexOf('\n');
      const body = text.slice(end + 1, -1);
      return isSealOf(this.sealed(name, body), text.slice(0, end))
        ? (JSON.parse(body) as unknown)
        : undefined;
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  has(name: string): boolean {
    return this.folder.lstat(name) !== undefined;
  }

  names(): string[] {
    return this.folder.list().filter((name) => !name.includes(PART));
  }

  /** Removes what processes that died left half-written. */
  clearParts(): void {
    const before = Date.now() - ABANDONED_MS;
    for (const name of this.folder.list().filter((each) => each.includes(PART)))
      if ((this.folder.lstat(name)?.mtimeMs ?? before) < before) removeIfThere(this.folder, name);
  }

  remove(name: string): void {
    this.folder.unlink(name);
  }

  close(): void {
    this.folder.close();
  }

  private write(part: string, name: string, value: unknown, sync: boolean): void {
    closing(this.folder.create(part, 0o600), (file) => {
      const body = JSON.stringify(value);
      writeText(file, `${sealOf(this.sealed(name, body))}\n${body}\n`);
      if (sync) files.sync(file);
    });
  }

  private sealed(name: string, body: string): string {
    return `${this.owner}/${name} ${body}`;
  }
}
