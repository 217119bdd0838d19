import { hashChange } from './hunks.js';

// The bytes of a file: whether they are text, whether two are equal.

/** A longer text is decided as a whole. */
const LONGEST_TEXT = 16 * 2 ** 20;

/** Undefined if the bytes are not UTF-8, have a NUL in them, or are too many. A byte order mark is a character of it. */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  if (bytes.length > LONGEST_TEXT || bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function isEqualBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

export function hashBytes(bytes: Uint8Array): string {
  let one = 0x811c9dc5;
  let other = 0x9747b28c;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    one = Math.imul(one ^ byte, 0x01000193);
    other = Math.imul(other ^ byte, 0x85ebca6b);
    other ^= other >>> 13;
  }
  return hashChange(`${one} ${other} ${bytes.length}`);
}
