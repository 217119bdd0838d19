// node:crypto takes 3 ms to load, which a start that needs no id is spared.
const crypto = () => process.getBuiltinModule('node:crypto');

const SUFFIXES = 36 ** 4;

/**
 * `YYYYMMDD-HHMMSS-xxxx`, in UTC. Ids sort by time: one in the same second as `last` sorts behind it, as far as there
 * is room.
 */
export function newRunId(date: Date, last?: string): string {
  const [day, time] = date.toISOString().split('T') as [string, string];
  const second = `${day.replaceAll('-', '')}-${time.slice(0, 'HH:MM:SS'.length).replaceAll(':', '')}-`;
  const before = last?.startsWith(second) ? Number.parseInt(last.slice(second.length), 36) : Number.NaN;
  const { randomInt } = crypto();
  // The first of a second leaves room above it; each that follows takes a small part of what is left.
  const suffix = Number.isNaN(before)
    ? randomInt(SUFFIXES / 2)
    : before + 1 < SUFFIXES
      ? randomInt(before + 1, Math.min(SUFFIXES, before + 1000))
      : randomInt(SUFFIXES);
  return second + suffix.toString(36).padStart(4, '0');
}

/** Digits and lower-case letters, each equally likely; not to be guessed. */
export function randomId(length: number): string {
  const { randomInt } = crypto();
  return Array.from({ length }, () => randomInt(36).toString(36)).join('');
}

/** In hexadecimal. Text is hashed as UTF-8. */
export function sha256(content: Uint8Array | string): string {
  return crypto().hash('sha256', content, 'hex');
}

/** Of this process; no other that lives has it, on this machine. */
export function processId(): number {
  return process.pid;
}
