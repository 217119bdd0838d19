const FIRST_BYTES = 16 * 1024;

/** The beginning and the end of a byte stream that is UTF-8, within a budget; memory grows with what comes, up to it. */
export class HeadAndTail {
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

  /** All that came, as long as it is not truncated. */
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

/** How many bytes at the end begin a UTF-8 character that is not finished there. */
export function brokenEnd(bytes: Buffer): number {
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
