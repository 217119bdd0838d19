import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from './errors.js';

const DAY = /^\d{4}-\d{2}-\d{2}/;
const TIME = /^T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?<zone>Z|[+-]\d{2}:\d{2})?$/;

/**
 * Whether TEDDY_NOW, if set, is a time in ISO 8601. Faces check this once, at their start. `reason` is a whole
 * sentence.
 */
export function checkClock(): { status: 'ready' } | { status: 'refused'; reason: string } {
  const set = process.env.TEDDY_NOW;
  if (set === undefined || set === '' || parseTime(set) !== undefined) return { status: 'ready' };
  return {
    status: 'refused',
    reason: `TEDDY_NOW is ${JSON.stringify(set)}, which is not a time like 2026-01-26T10:30:45Z.`,
  };
}

/** The time, or the fixed time of TEDDY_NOW. Throws only where `checkClock` refuses. */
export function now(): Date {
  const set = process.env.TEDDY_NOW;
  if (set === undefined || set === '') return new Date();
  const time = parseTime(set);
  if (time !== undefined) return time;
  const checked = checkClock();
  throw new UserError(checked.status === 'refused' ? checked.reason : 'The clock cannot be read.');
}

/** Whether TEDDY_NOW fixes the time, so that the same work gives the same result. */
export function isClockSet(): boolean {
  const set = process.env.TEDDY_NOW;
  return set !== undefined && set !== '';
}

/** `2026-01-26T10:30:45Z` */
export function isoUtc(date: Date): string {
  return `${date.toISOString().slice(0, -'.000Z'.length)}Z`;
}

/** `2026-01-26T10:30:45.678Z` */
export function isoUtcMs(date: Date): string {
  return date.toISOString();
}

/** For durations: never goes back, and ignores TEDDY_NOW. `performance` would take a millisecond to load. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1_000_000;
}

/** A date alone is its midnight, and a time without a zone is UTC, as all times are here. */
function parseTime(text: string): Date | undefined {
  const day = DAY.exec(text)?.[0];
  if (day === undefined) return undefined;
  const rest = text.slice(day.length);
  const time = TIME.exec(rest);
  if (rest !== '' && time === null) return undefined;
  // Date.parse takes 30 February for 2 March.
  if (isoDay(Date.parse(`${day}T00:00:00Z`)) !== day) return undefined;
  const at = Date.parse(rest === '' || time?.groups?.zone ? text : `${text}Z`);
  return Number.isNaN(at) ? undefined : new Date(at);
}

function isoDay(at: number): string | undefined {
  return Number.isNaN(at) ? undefined : new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

export { setImmediate as letOthersRun } from 'node:timers/promises';
export { sleep };

/** A condition that is true once the time has passed. */
export function timeAfter(ms: number): () => boolean {
  const end = monotonicMs() + ms;
  return () => monotonicMs() >= end;
}

/** Whether the condition became true in time. It is checked less and less often, since checking may be costly. */
export async function waitUntil(condition: () => boolean, withinMs: number): Promise<boolean> {
  const isLate = timeAfter(withinMs);
  for (let pause = 5; !condition(); pause = Math.min(pause * 1.5, 100)) {
    if (isLate()) return false;
    await sleep(pause);
  }
  return true;
}

/** Whether the promise was fulfilled before the condition became true. The promise must not reject. */
export function waitUnless(promise: Promise<unknown>, condition: () => boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (ended: boolean) => {
      clearInterval(timer);
      resolve(ended);
    };
    const timer = setInterval(() => condition() && settle(false), 20);
    promise.then(() => settle(true));
  });
}

/** Blocks this process. */
export function pauseBlocking(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
