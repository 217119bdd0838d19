import { isUtf8 } from 'node:buffer';

export type Decoded =
  | { status: 'text'; text: string }
  /** `reason` completes the sentence "<name> …". */
  | { status: 'refused'; reason: string };

/** UTF-8 to text, or the reason why not. A byte order mark stays in the text. */
export function decodeText(bytes: Uint8Array): Decoded {
  const first = bytes[0];
  const second = bytes[1];
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return { status: 'refused', reason: 'is UTF-16, not UTF-8 text' };
  }
  if (bytes.includes(0)) return { status: 'refused', reason: 'is binary, not text (it holds NUL bytes)' };
  if (!isUtf8(bytes)) return { status: 'refused', reason: 'is not UTF-8 text' };
  return {
    status: 'text',
    text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
  };
}

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

export function fromBase64(text: string): Uint8Array {
  return Buffer.from(text, 'base64');
}
