// node:crypto takes 3 ms to load, which a start that needs no id is spared.
const crypto = () => process.getBuiltinModule('node:crypto');

/** `YYYYMMDD-HHMMSS-xxxx`, in UTC: ids sort by time, and `random` keeps those of one second apart. */
export function newRunId(date: Date, random: string = randomId(4)): string {
  const [day, time] = date.toISOString().split('T') as [string, string];
  return `${day.replaceAll('-', '')}-${time.slice(0, 'HH:MM:SS'.length).replaceAll(':', '')}-${random}`;
}

/** Digits and lower-case letters, each equally likely; not to be guessed. */
export function randomId(length: number): string {
  const { randomInt } = crypto();
  return Array.from({ length }, () => randomInt(36).toString(36)).join('');
}

/** In hexadecimal. Text is hashed as UTF-8. */
export function sha256(content: Uint8Array | string): string {
  return crypto().createHash('sha256').update(content).digest('hex');
}
