import { type WordPattern, wordPattern } from '../text.js';

// Each unit is rounded by itself, half up, and what rounds to a whole of the next unit is written in that one: 59.5 s is
// `1m` and never `60s`, 59.5 m is `1h`, 119 m 59 s is `2h`. Hours without minutes stand alone.

interface Parts {
  hours: number;
  minutes: number;
  seconds: number;
}

/** As many hours as are written without an exponent, and read again as a number. */
const MOST_MS = 999_999_999 * 3_600_000;

/** Only one of seconds and the others is ever more than 0. What is not a duration counts as 0. */
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
const PART = String.raw`\d{1,9}(?:\.\d{1,9})? ?(?:h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)(?![\p{L}])`;

/** `2h 10m`, `28 minutes`, `~5.6 hours`, as a part of a regular expression for a text in lower case. */
const DURATION = `[~≈<]?${PART}(?: ?${PART}){0,2}`;

const FIRST_DURATION = wordPattern(`(?<![\\p{L}\\d.])${DURATION}`);

/** In milliseconds, the first duration in a text; null where there is none. */
export function readDuration(text: string): number | null {
  const start = text.slice(0, 200).toLowerCase();
  const found = FIRST_DURATION(start).exec(start);
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

// The forms of values in the template and in files that people and other tools write. A value that has one of these forms
// from end to end says no more than the template has room for. All are in lower case, as values are compared: to compile
// a pattern that ignores the case of all scripts takes several times as long.

const NUMBER = String.raw`\d{1,9}(?:\.\d{1,9}){0,4}[a-z]?(?![\p{L}\d])`;
const BLANK = String.raw`(?:[-–—?…]|tbd|\[[^[\]]{0,40}\])`;
const OF = String.raw`(?: of | ?/ ?)(?:\d{1,9}|${BLANK})`;
const NAME = String.raw`\((?:[^()]|\([^()]{0,80}\)){1,200}\)`;
const SLUG = String.raw`\d{1,9}-[\p{L}][\p{L}\p{N}_-]{0,80}`;
const DAY = String.raw`\d{4}-\d{2}-\d{2}`;
const TIME = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?: ?(?:z|utc|[+-]\d{2}:?\d{2}))?`;
const MOMENT = `${DAY}(?:(?:t|,? )${TIME})?`;
const BAR = String.raw`(?:\[[^\]\p{L}\d]{0,120}\]|[\u2580-\u25ff#=>·.-]{1,120})`;
const STATUS = [
  'ready(?: to (?:plan|execute|start|begin)| for (?:planning|execution|verification))?',
  '(?:planning|phase|milestone|project) completed?',
  'in[ _-]progress|not[ _-]started|on hold',
  'planned|planning|executing|active|verifying|blocked|completed?|done|paused|pending|waiting|failed|skipped',
].join('|');

const EMPTY = whole(
  String.raw`|-{1,3}|[–—…]|\.{3}|\?{1,3}|n/a|tbd|todo|unknown|never|\[[^[\]]{0,200}\]`,
  String.raw`(?:none|nothing|not (?:yet )?(?:started|planned))(?: yet)?\.?`,
);

/** Nothing, or a placeholder such as `-`, `TBD`, `None yet`, `[X]`. */
export function isEmpty(value: string): boolean {
  return value.length < 250 && matches(EMPTY, toLowerAscii(value));
}

/** Whether a value has the form from end to end. */
export type Form = (value: string) => boolean;

export const FORMS = {
  phase: form(
    `(?:phase )?(?:\\d{1,9}-)?${NUMBER}(?:${OF})?(?: ${NAME})?`,
    `${BLANK}(?:${OF})?(?: \\(${BLANK}\\))?`,
    SLUG,
  ),
  plan: form(`(?:plan )?(?:\\d{1,9}-)?(?:${NUMBER}|${BLANK})(?:${OF})?(?: in current phase)?`),
  status: form(`(?:[\\p{So}\\ufe0f]{1,4} ?)?(?:${STATUS})\\.?`),
  progress: form(`(?:${BAR} ?)?\\d{1,3}(?:\\.\\d{1,2})? ?%`),
  number: form('\\d{1,9}'),
  /** `3/5`, `3 of 5`, `3/?`, `3` */
  share: form(`\\d{1,9}(?:${OF})?`),
  duration: form(`${DURATION}(?: ?/ ?plan| per plan)?`, `${BLANK} (?:min|minutes|hours)`),
  durations: form(`${DURATION}(?:, ?${DURATION}){0,9}`),
  trend: form('improving|declining|stable|not enough data|degrading|worsening|slowing|steady'),
  moment: form(MOMENT),
} as const;

function form(...patterns: string[]): Form {
  const shape = whole(...patterns);
  return (value) =>
    isEmpty(value) || (value.length < 500 && matches(shape, toLowerAscii(withoutEmphasis(value))));
}

function withoutEmphasis(value: string): string {
  return value.replace(/[*`]/g, '');
}

function whole(...patterns: string[]): WordPattern {
  return wordPattern(`^(?:${patterns.join('|')})$`);
}

function matches(pattern: WordPattern, text: string): boolean {
  return pattern(text).test(text);
}

/** Each letter stays where it is. */
function toLowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** A phase or a plan: `3 of 8`, `3/8`, `Phase 3`, whatever follows. */
export interface Count {
  number: string;
  /** Null where the text does not say it. */
  of: number | null;
  /** `(Name)`, as it is written; empty where there is none. */
  name: string;
}

const COUNT = wordPattern(
  `^(?:(?:phase|plan) |#)?((?:\\d{1,9}-)?${NUMBER}|\\?)(?:(?: of | ?/ ?)(?:(\\d{1,9})(?![\\p{L}\\d])|${BLANK}))?(?: (${NAME}))?`,
  'd',
);
const COUNT_SLUG = wordPattern(String.raw`^(\d{1,9})-([\p{L}][\p{L}\p{N}_-]{0,80})`);

export function readCountText(value: string): Count | undefined {
  const text = withoutEmphasis(value.slice(0, 500));
  const slug = COUNT_SLUG(text).exec(text);
  if (slug) return { number: slug[1]!, of: null, name: `(${slug[2]})` };
  const read = COUNT(text).exec(toLowerAscii(text));
  if (!read) return undefined;
  const [, number = '', of, name = ''] = read.indices!.map((span) => span && text.slice(...span));
  return { number, of: of === undefined ? null : Number(of), name };
}

/** `03` and `3` are the same, as are `3.1` and `03.01`. */
export function isSameNumber(one: string, other: string): boolean {
  const plain = (number: string) => number.replace(/\d+/g, (digits) => digits.replace(/^0+(?=\d)/, ''));
  return plain(one) === plain(other);
}

const EVENT = new RegExp(`^(?:${MOMENT}(?: ?(?:[–—:-]|--) |$))?`, 'u');

/** `2026-01-26 - **Completed** Task 2` → `Completed Task 2`; empty for a day alone. */
function eventOf(value: string): string {
  const plain = withoutEmphasis(value);
  return plain.slice(EVENT.exec(toLowerAscii(plain))![0].length);
}

/**
 * Whether a value says what became of a task, and no more: `Last activity` and `Stopped at` are written with the same
 * words, so that words which only one of them has are not ours.
 */
export function isOwnEvent(value: string, twin: string | undefined): boolean {
  const event = eventOf(value);
  if (isEmpty(event)) return true;
  if (!/^(?:Completed|Failed|Blocked) \S/.test(event)) return false;
  return twin === undefined || isEmpty(eventOf(twin)) || eventOf(twin).startsWith(event);
}
