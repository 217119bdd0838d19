import type { Readable } from 'node:stream';
import { HeadAndTail } from './head-and-tail.js';
import { Spill } from './spill.js';
import type { OutputMask, OutputName, ProcessOptions, ProcessOutput } from './types.js';
import { Utf8Decoder } from './utf8.js';

const NEWLINE = 0x0a;

/** One output stream of a process: bytes → text → masked text → listener, window, spill file. */
export class OutputReader {
  /** When it last was busy, as `performance.now()`; in all future while it waits for the disk. */
  lastActive = performance.now();
  readonly #name: OutputName;
  readonly #options: ProcessOptions;
  readonly #decoder = new Utf8Decoder();
  #mask: OutputMask | undefined;
  readonly #window: HeadAndTail;
  #spill: Spill | undefined;
  #newlines = 0;
  #lastByte = NEWLINE;
  /** A mask may cut between the two halves of a character; the first waits here for the second. */
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
        this.lastActive = performance.now();
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

/** undefined at the end, which a pipe that was destroyed or broke has come to as well. */
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
