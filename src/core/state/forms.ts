import { DURATION } from './durations.js';

// The forms of values in the template and in files that people and other tools write. A value that has one of these forms
// from end to end says no more than the template has room for. All are in lower case, as values are compared: to compile
// a pattern that ignores the case of all scripts takes several times as long.

const NUMBER = String.raw`\d{1,9}(?:\.\d{1,9}){0,4}[a-z]?(?![\p{L}\d])`;
const BLANK = String.raw`(?:[-–—?…]|tbd|\[[^[\]]{0,40}\])`;
const OF = String.raw`(?: of | ?/ ?)(?:\d{1,9}|${BLANK})`;
const NAME = String.raw`\((?:[^()]|\([^()]{0,80}\)){1,200}\)`;
const SLUG = String.raw`\d{1,9}-\p{L}[\p{L}\p{N}_-]{0,80}`;
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
  return value.length < 250 && EMPTY.test(toLowerAscii(value));
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
  let shape: RegExp | undefined;
  return (value) => {
    if (isEmpty(value)) return true;
    if (value.length >= 500) return false;
    shape ??= whole(...patterns);
    return shape.test(toLowerAscii(withoutEmphasis(value)));
  };
}

function withoutEmphasis(value: string): string {
  return value.replace(/[*`]/g, '');
}

function whole(...patterns: string[]): RegExp {
  return new RegExp(`^(?:${patterns.join('|')})$`, 'u');
}

/** Each letter stays where it is. */
export function toLowerAscii(text: string): string {
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

const COUNT = new RegExp(
  `^(?:(?:phase|plan) |#)?((?:\\d{1,9}-)?${NUMBER}|\\?)(?:(?: of | ?/ ?)(?:(\\d{1,9})(?![\\p{L}\\d])|${BLANK}))?(?: (${NAME}))?`,
  'du',
);
const COUNT_SLUG = /^(\d{1,9})-(\p{L}[\p{L}\p{N}_-]{0,80})/u;

export function readCountText(value: string): Count | undefined {
  const text = withoutEmphasis(value.slice(0, 500));
  const slug = COUNT_SLUG.exec(text);
  if (slug) return { number: slug[1]!, of: null, name: `(${slug[2]})` };
  const read = COUNT.exec(toLowerAscii(text));
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
