import { files } from '../file-calls.js';
import { writeAll } from '../folder.js';
import { brokenEnd } from './head-and-tail.js';

/**
 * A file that takes an output as it comes, up to a limit. After the first failure it takes no more. None of its methods
 * throws.
 */
export class Spill {
  failed: string | undefined;
  /** How many bytes were neither written as they came nor at the end. */
  omitted = 0;
  readonly path: string;
  readonly #most: number;
  #file: number | undefined;
  #taken = 0;
  #written = 0;

  constructor(path: string, most = Number.POSITIVE_INFINITY) {
    this.path = path;
    this.#most = most;
  }

  open(): void {
    // 'wx' neither follows a link nor writes into a file that is there.
    this.#attempt(() => {
      this.#file = files.open(this.path, 'wx', 0o600);
    });
  }

  /** Waits for the disk, and so makes the command wait. */
  write(bytes: Buffer): void {
    const fits = this.#written === this.#taken && this.#taken + bytes.length <= this.#most;
    const part = fits ? bytes : this.#written < this.#taken ? bytes.subarray(0, 0) : this.#cut(bytes);
    this.#taken += bytes.length;
    if (part.length > 0) this.#write(part);
  }

  /** `end` is the end of all that came, and is written where it is behind what was. */
  close(end: Buffer): void {
    const missing = this.#taken - this.#written;
    this.omitted = Math.max(0, missing - end.length);
    if (this.omitted > 0) {
      this.#write(Buffer.from(`\n[… ${this.omitted.toLocaleString('en-US')} bytes left out …]\n`));
    }
    if (missing > 0) this.#write(end.subarray(Math.max(0, end.length - missing)));
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) this.#attempt(() => files.close(file));
  }

  /** As much as fits, up to the end of a character. */
  #cut(bytes: Buffer): Buffer {
    const part = bytes.subarray(0, this.#most - this.#taken);
    return part.subarray(0, part.length - brokenEnd(part));
  }

  #write(bytes: Buffer): void {
    const file = this.#file;
    this.#written += bytes.length;
    if (this.failed === undefined && file !== undefined) this.#attempt(() => writeAll(file, bytes));
  }

  #attempt(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.failed ??= `${this.path} could not be written (${codeOf(error)}).`;
    }
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
