// Each unit is rounded by itself, half up, and what rounds to a whole of the next unit is written in that one: 59.5 s is
// `1m` and never `60s`, 59.5 m is `1h`, 119 m 59 s is `2h`. Hours without minutes stand alone.

interface Parts {
  hours: number;
  minutes: number;
  seconds: number;
}

/** As many hours as are written without an exponent, and read again as a number. */
const MOST_MS = 999_999_999 * 3_600_000;

/** Only one of seconds and the others is ever more than 0. What is no duration counts as 0. */
function partsOf(ms: number): Parts {
  const known = Number.isFinite(ms) && ms > 0 ? Math.min(ms, MOST_MS) : 0;
  const seconds = Math.round(known / 1000);
  if (seconds < 60) return { hours: 0, minutes: 0, seconds };
  const minutes = Math.round(known / 60_000);
  return { hours: Math.floor(minutes / 60), minutes: minutes % 60, seconds: 0 };
}

/** `45s`, `26m`, `2h 10m`; `0s` for nothing. */
export function formatDuration(ms: number): string {
  const { hours, minutes, seconds } = partsOf(ms);
  if (hours === 0) return minutes === 0 ? `${seconds}s` : `${minutes}m`;
  return minutes === 0 ? `${hours}h` : `${hours}h ${minutes}m`;
}

/** `45 seconds`, `28 minutes`, `2 hours 10 minutes`; `-` where nothing was measured. */
export function formatDurationWords(ms: number | null): string {
  if (ms === null) return '-';
  const { hours, minutes, seconds } = partsOf(ms);
  if (hours === 0) return minutes === 0 ? count(seconds, 'second') : count(minutes, 'minute');
  return minutes === 0 ? count(hours, 'hour') : `${count(hours, 'hour')} ${count(minutes, 'minute')}`;
}

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 };
const PART = String.raw`\d{1,9}(?:\.\d{1,9})? ?(?:h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)(?!\p{L})`;

/** `2h 10m`, `28 minutes`, `~5.6 hours`, as a part of a regular expression for a text in lower case. */
export const DURATION = `[~≈<]?${PART}(?: ?${PART}){0,2}`;

/** In milliseconds, the first duration in a text; null where there is none. */
export function readDuration(text: string): number | null {
  const found = new RegExp(`(?<![\\p{L}\\d.])${DURATION}`, 'u').exec(text.slice(0, 200).toLowerCase());
  if (!found) return null;
  const parts = found[0].matchAll(/(\d+(?:\.\d+)?) ?([a-z])/g);
  return Math.round([...parts].reduce((sum, [, number, unit]) => sum + Number(number) * UNIT_MS[unit!]!, 0));
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}

const CELLS = 20;

/** `[#########░░░░░░░░░░░] 45%`: 20 cells, both rounded, and full only when all is done. No tasks at all are 0%. */
export function formatProgress({ done, total }: { done: number; total: number }): string {
  const share = total > 0 ? Math.min(1, Math.max(0, done / total)) : 0;
  const known = Number.isFinite(share) ? share : 0;
  const partOf = (whole: number) => Math.min(Math.round(known * whole), known < 1 ? whole - 1 : whole);
  const cells = partOf(CELLS);
  return `[${'#'.repeat(cells)}${'░'.repeat(CELLS - cells)}] ${partOf(100)}%`;
}
