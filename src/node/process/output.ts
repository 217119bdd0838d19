import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { groupDigits } from '../../core/text.js';
import { monotonicMs } from '../clock.js';
import { errorCode } from '../errors.js';
import { files } from '../file-calls.js';
import { writeAll } from '../folder.js';
import type { OutputMask, OutputName, ProcessOptions, ProcessOutput } from './types.js';

const NEWLINE = 0x0a;

/** One output stream of a process: bytes → text → masked text → listener, window, spill file. */
export class OutputReader {
  /** The time of its last activity, as `monotonicMs`; infinite while it waits for the disk. */
  lastActive = monotonicMs();
  readonly #name: OutputName;
  readonly #options: ProcessOptions;
  readonly #decoder = new Utf8Decoder();
  #mask: OutputMask | undefined;
  readonly #window: HeadAndTail;
  #spill: Spill | undefined;
  #newlines = 0;
  #lastByte = NEWLINE;
  /** A mask may split a surrogate pair; the first half waits here for the second. */
  #halfCharacter = '';

  constructor(name: OutputName, options: ProcessOptions) {
    this.#name = name;
    this.#options = options;
    this.#window = new HeadAndTail(options.capture.bytes);
  }

  /** Reads to the end, or until the stream is destroyed. Throws only what mask and listener throw. */
  async readAll(stream: Readable): Promise<void> {
    try {
      this.#mask = this.#options.mask?.();
      const chunks = stream[Symbol.asyncIterator]();
      for (;;) {
        const chunk: Buffer | undefined = await nextChunk(chunks);
        if (chunk === undefined) break;
        this.lastActive = Number.POSITIVE_INFINITY;
        this.#take(this.#decoder.push(chunk));
        this.lastActive = monotonicMs();
      }
      this.#finish();
    } finally {
      stream.destroy();
      this.#spill?.close(this.#window.end());
    }
  }

  output(): ProcessOutput {
    const { bytes, truncated } = this.#window;
    const spill = this.#spill;
    return {
      ...this.#window.texts(),
      bytes,
      lines: this.#newlines + (this.#lastByte === NEWLINE ? 0 : 1),
      truncated,
      valid: this.#decoder.valid,
      ...(spill && spill.failed === undefined && { spilled: spill.path }),
      ...(spill && spill.omitted > 0 && { omitted: spill.omitted }),
      ...(spill?.failed !== undefined && { spillFailed: spill.failed }),
    };
  }

  #take(text: string): void {
    this.#keep(this.#mask ? this.#mask.push(text) : text);
  }

  #finish(): void {
    this.#take(this.#decoder.end());
    if (this.#mask) this.#keep(this.#mask.end());
    if (this.#halfCharacter !== '') this.#keepWhole('\ufffd');
  }

  #keep(piece: string): void {
    const text = this.#halfCharacter + piece;
    const cut = endsInHalf(text) ? text.length - 1 : text.length;
    this.#halfCharacter = text.slice(cut);
    if (cut > 0) this.#keepWhole(text.slice(0, cut));
  }

  #keepWhole(text: string): void {
    this.#options.onOutput?.(this.#name, text);
    const bytes = Buffer.from(text, 'utf8');
    this.#countLines(bytes);
    this.#spillWhenFull(bytes);
    this.#window.push(bytes);
  }

  #spillWhenFull(next: Buffer): void {
    const { capture } = this.#options;
    if (this.#spill === undefined) {
      if (!capture.spill || this.#window.bytes + next.length <= capture.bytes) return;
      this.#spill = new Spill(capture.spill[this.#name], capture.spill.most);
      this.#spill.open();
      this.#spill.write(this.#window.whole());
    }
    this.#spill.write(next);
  }

  #countLines(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at++) if (bytes[at] === NEWLINE) this.#newlines++;
    this.#lastByte = bytes[bytes.length - 1]!;
  }
}

/** Undefined at the end, and after a pipe was destroyed or broke. */
async function nextChunk(chunks: AsyncIterator<Buffer>): Promise<Buffer | undefined> {
  try {
    const next = await chunks.next();
    return next.done ? undefined : next.value;
  } catch {
    return undefined;
  }
}

function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}

/** Bytes in pieces to text in whole characters. A wrong byte becomes U+FFFD, and `valid` says so. */
class Utf8Decoder {
  valid = true;
  #unfinished = Buffer.alloc(0);

  push(chunk: Buffer): string {
    const bytes = this.#unfinished.length > 0 ? Buffer.concat([this.#unfinished, chunk]) : chunk;
    const whole = bytes.subarray(0, bytes.length - brokenEnd(bytes));
    this.#unfinished = Buffer.from(bytes.subarray(whole.length));
    this.valid &&= isUtf8(whole);
    return whole.toString('utf8');
  }

  end(): string {
    const rest = this.#unfinished;
    this.#unfinished = Buffer.alloc(0);
    if (rest.length > 0) this.valid = false;
    return rest.toString('utf8');
  }
}

/** A file that receives an output up to a limit. It stops after the first failure. Its methods never throw. */
class Spill {
  failed: string | undefined;
  /** The number of bytes that were written neither on arrival nor at the end. */
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
    // 'wx' neither follows a link nor overwrites a file.
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

  /** `end` is the end of the whole output; the part that is not in the file yet is written. */
  close(end: Buffer): void {
    const missing = this.#taken - this.#written;
    this.omitted = Math.max(0, missing - end.length);
    if (this.omitted > 0) {
      this.#write(Buffer.from(`\n[… ${groupDigits(this.omitted)} bytes left out …]\n`));
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
      this.failed ??= `${this.path} could not be written (${errorCode(error)}).`;
    }
  }
}

const FIRST_BYTES = 16 * 1024;

/** The beginning and the end of a UTF-8 byte stream, within a budget; memory grows with the stream, up to it. */
class HeadAndTail {
  bytes = 0;
  readonly #headLimit: number;
  readonly #tailLimit: number;
  #head = Buffer.alloc(0);
  #headLength = 0;
  /** A ring: once full, its oldest byte is at `#tailEnd`. */
  #tail = Buffer.alloc(0);
  #tailEnd = 0;

  constructor(limit: number) {
    this.#headLimit = Math.ceil(limit / 2);
    this.#tailLimit = Math.floor(limit / 2);
  }

  get truncated(): boolean {
    return this.bytes > this.#headLimit + this.#tailLimit;
  }

  push(chunk: Buffer): void {
    this.bytes += chunk.length;
    const forHead = Math.min(chunk.length, this.#headLimit - this.#headLength);
    if (forHead > 0) this.#pushHead(chunk.subarray(0, forHead));
    if (forHead < chunk.length) this.#pushTail(chunk.subarray(forHead));
  }

  /** The whole stream, as long as it is not truncated. */
  whole(): Buffer {
    return Buffer.concat([this.#head.subarray(0, this.#headLength), this.#tailInOrder()]);
  }

  texts(): { head: string; tail: string } {
    if (!this.truncated) return { head: this.whole().toString('utf8'), tail: '' };
    return {
      head: withoutBrokenEnd(this.#head.subarray(0, this.#headLength)).toString('utf8'),
      tail: this.end().toString('utf8'),
    };
  }

  /** The end as it is kept, from the beginning of a character. */
  end(): Buffer {
    return withoutBrokenStart(this.#tailInOrder());
  }

  #pushHead(part: Buffer): void {
    const length = this.#headLength + part.length;
    if (length > this.#head.length) {
      const roomy = Math.min(this.#headLimit, Math.max(length, this.#head.length * 2, FIRST_BYTES));
      const grown = Buffer.allocUnsafe(roomy);
      this.#head.copy(grown, 0, 0, this.#headLength);
      this.#head = grown;
    }
    part.copy(this.#head, this.#headLength);
    this.#headLength = length;
  }

  #pushTail(part: Buffer): void {
    if (this.#tail.length === 0) this.#tail = Buffer.allocUnsafe(this.#tailLimit);
    const kept = part.subarray(Math.max(0, part.length - this.#tailLimit));
    const untilEdge = this.#tailLimit - this.#tailEnd;
    kept.copy(this.#tail, this.#tailEnd);
    if (kept.length > untilEdge) kept.copy(this.#tail, 0, untilEdge);
    if (this.#tailLimit > 0) this.#tailEnd = (this.#tailEnd + kept.length) % this.#tailLimit;
  }

  #tailInOrder(): Buffer {
    const full = this.bytes - this.#headLength >= this.#tailLimit;
    if (!full) return this.#tail.subarray(0, this.#tailEnd);
    return Buffer.concat([this.#tail.subarray(this.#tailEnd), this.#tail.subarray(0, this.#tailEnd)]);
  }
}

/** The number of bytes at the end that belong to an incomplete UTF-8 character. */
function brokenEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (isContinuation(byte)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

function withoutBrokenEnd(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.length - brokenEnd(bytes));
}

function withoutBrokenStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && start < bytes.length && isContinuation(bytes[start]!)) start++;
  return bytes.subarray(start);
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
