import { isUtf8 } from 'node:buffer';
import { brokenEnd } from './head-and-tail.js';

/** Bytes in pieces to text in whole characters. A wrong byte becomes U+FFFD, and `valid` says so. */
export class Utf8Decoder {
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
