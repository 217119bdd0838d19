import { files } from '../file-calls.js';
import { writeAll } from '../folder.js';

/** A file that takes an output as it comes. After the first failure it takes no more. None of its methods throws. */
export class Spill {
  failed: string | undefined;
  readonly path: string;
  #file: number | undefined;

  constructor(path: string) {
    this.path = path;
  }

  open(): void {
    // 'wx' neither follows a link nor writes into a file that is there.
    this.#attempt(() => {
      this.#file = files.open(this.path, 'wx', 0o600);
    });
  }

  /** Waits for the disk, and so makes the command wait. */
  write(bytes: Buffer): void {
    const file = this.#file;
    if (this.failed === undefined && file !== undefined) this.#attempt(() => writeAll(file, bytes));
  }

  close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) this.#attempt(() => files.close(file));
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
