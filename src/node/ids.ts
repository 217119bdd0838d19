import { isClockSet } from './clock.js';

// node:crypto takes 3 ms to load, so only starts that need an id do.
const crypto = () => process.getBuiltinModule('node:crypto');

const SUFFIXES = 36 ** 4;

/**
 * `YYYYMMDD-HHMMSS-xxxx`, in UTC. Ids sort by time: one in the same second as any of `others`, which are sorted, sorts
 * behind them, as far as there is room. Under a clock that was set they are counted, so that a replay gives the same.
 */
export function newRunId(date: Date, others: readonly string[] = []): string {
  const [day, time] = date.toISOString().split('T') as [string, string];
  const second = `${day.replaceAll('-', '')}-${time.slice(0, 'HH:MM:SS'.length).replaceAll(':', '')}-`;
  const last = others.findLast((id) => id.startsWith(second));
  const before = last === undefined ? -1 : Number.parseInt(last.slice(second.length), 36);
  return second + suffixBehind(before).toString(36).padStart(4, '0');
}

/** `before` is -1 for the first of a second. */
function suffixBehind(before: number): number {
  const { randomInt } = crypto();
  if (before + 1 >= SUFFIXES) return randomInt(SUFFIXES);
  if (isClockSet()) return before + 1;
  // The first leaves room above it; each that follows takes a small part of what is left.
  return before === -1 ? randomInt(SUFFIXES / 2) : randomInt(before + 1, Math.min(SUFFIXES, before + 1000));
}

/** Digits and lower-case letters, each equally likely; not to be guessed. */
export function randomId(length: number): string {
  const { randomInt } = crypto();
  return Array.from({ length }, () => randomInt(36).toString(36)).join('');
}

/** 256 random bits, in 43 letters, digits, `-` and `_`. */
export function randomSecret(): string {
  return crypto().randomBytes(32).toString('base64url');
}

/** In hexadecimal. Text is hashed as UTF-8. */
export function sha256(content: Uint8Array | string): string {
  return crypto().hash('sha256', content, 'hex');
}

/** The same in base64, as a policy for browsers names it. */
export function sha256Base64(content: string): string {
  return crypto().hash('sha256', content, 'base64');
}

/** HMAC with SHA-256, in hexadecimal: it cannot be made without the key. */
export function sign(content: Uint8Array | string, key: Uint8Array | string): string {
  return crypto().createHmac('sha256', key).update(content).digest('hex');
}

/** Of this process; unique among running ones on this machine. */
export function processId(): number {
  return process.pid;
}
