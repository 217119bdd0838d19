import { formatDuration, formatDurationWords, formatProgress } from './durations.js';
import { fieldText } from './inline.js';
import type { FieldName } from './names.js';
import type { PhaseRow, StateFacts } from './types.js';

/** What a field is to say, given what it says now; empty where it is new. */
type Value = (old: string) => string;

/** The fields that the facts speak of, in the order in which they are added where they are missing. */
export function fieldValues(facts: StateFacts): Map<FieldName, Value> {
  const values = new Map<FieldName, Value>();
  const set = (name: FieldName, value: Value | string | undefined) => {
    if (value !== undefined) values.set(name, typeof value === 'string' ? () => value : value);
  };
  const { phase, plan, status, lastActivity, progress, velocity, recentPlans, session } = facts;
  set('phase', phase && ((old) => phaseValue(old, phase)));
  set('plan', plan && ((old) => planValue(old, plan)));
  set('status', status && fieldText(status));
  set('lastActivity', lastActivity && ((old) => activityValue(old, lastActivity)));
  set('progress', progress && ((old) => progressValue(old, progress)));
  if (velocity) {
    set('totalPlansCompleted', wholeNumber(velocity.plansCompleted));
    set('averageDuration', formatDurationWords(velocity.averageMs));
    set('totalExecutionTime', velocity.totalMs > 0 ? formatDuration(velocity.totalMs) : '0m');
  }
  if (recentPlans) {
    set('lastPlans', recentPlans.durationsMs.slice(0, 5).map(formatDuration).join(', ') || '-');
    set('trend', fieldText(recentPlans.trend));
  }
  set('lastSession', session && sessionTime(session.at));
  set('stoppedAt', session && fieldText(session.stoppedAt));
  return values;
}

interface Counted {
  /** Emphasis before the numbers, which closes behind them. */
  emphasis: string;
  number: string;
  /** What follows the numbers. */
  tail: string;
}

/** `3 of 8 (Name)`, `3/8`, `**3** of 8`, `3`; the name in `03-executor` becomes one in parentheses. */
function readCounted(value: string): Counted | undefined {
  const read =
    /^([*_`]{0,3})(\d{1,9}(?:[.-]\d{1,9}){0,4}[a-z]?)(?![\p{L}\d])/u.exec(value) ??
    /^([*_`]{0,3})(\?|\p{L}[\p{L}\d]{0,40})(?= of \d)/u.exec(value);
  if (!read) return undefined;
  const [all, emphasis = '', number = ''] = read;
  const rest = value.slice(all.length);
  if (/^-\p{L}/u.test(rest)) return { emphasis: '', number, tail: ` (${value.slice(emphasis.length)})` };
  const total = /^[*_`]{0,3}(?: of |\/| \/ )[*_`]{0,3}\d+/i.exec(rest)?.[0] ?? '';
  let tail = rest.slice(total.length);
  if (emphasis !== '' && tail.startsWith(emphasis)) tail = tail.slice(emphasis.length);
  else if (/[*_`]/.test(total)) tail = tail.replace(/^[*_`]{1,3}/, '');
  return { emphasis, number, tail: tail.includes('<!--') ? '' : tail };
}

function writeCounted({ emphasis, tail }: Counted, number: string, of: string): string {
  const gap = /^\d/.test(tail) ? ' ' : '';
  return `${emphasis}${number} of ${of}${emphasis}${gap}${tail}`.trim();
}

/** A name stays as long as the number does: behind another number it would be false. */
function phaseValue(old: string, phase: { number: string; of: number }): string {
  const { number, of } = plainCount(phase);
  const was = readCounted(old);
  if (!was || (/^\D/.test(number) && was.number !== number)) return `${number} of ${of}`;
  if (isSameNumber(was.number, number)) return writeCounted(was, was.number, of);
  return writeCounted({ ...was, tail: withoutName(was.tail) }, number, of);
}

function planValue(old: string, plan: { number: string; of: number }): string {
  const { number, of } = plainCount(plan);
  const was = readCounted(old);
  if (!was) return `${number} of ${of} in current phase`;
  return writeCounted(was, isSameNumber(was.number, number) ? was.number : number, of);
}

/** Nothing in it that would be read as more than one number of a count. */
function plainCount({ number, of }: { number: string; of: number }): { number: string; of: string } {
  const known = /\d{1,9}(?:[.-]\d{1,9}){0,4}[a-z]?(?![\p{L}\d])|\p{L}[\p{L}\d]{0,40}/u.exec(number)?.[0];
  return { number: known ?? '?', of: wholeNumber(of) };
}

function wholeNumber(value: number): string {
  return String(Math.min(999_999_999, Math.max(0, Math.round(value) || 0)));
}

function isSameNumber(one: string, other: string): boolean {
  const parts = (number: string) => number.split(/[.-]/).map((part) => part.replace(/^0{1,8}(?=\d)/, ''));
  return parts(one).join('.') === parts(other).join('.');
}

/** ` (Name) and more` → ` and more`; ` - Name` → nothing. */
function withoutName(tail: string): string {
  const rest = tail.trimStart();
  if (rest.startsWith('(')) {
    const close = closingParen(rest);
    return close === -1 ? '' : rest.slice(close + 1);
  }
  return /^[-–—:]/.test(rest) ? '' : tail;
}

function closingParen(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')' && --depth === 0) return at;
  }
  return -1;
}

/** `03`, `3.`, `Phase 3`, `3. Name` and `03-name` are all `3`; what has no number is itself. */
export function phaseKey(cell: string): string {
  const plain = cell
    .replace(/[*_`~[]/g, '')
    .trim()
    .toLowerCase();
  const read = /^(?:phase[ #:]{0,3})?(\d{1,9}(?:\.\d{1,9}){0,4})([a-z]?)(?![a-z\d])/.exec(plain);
  if (!read) return plain;
  const [, number = '', letter = ''] = read;
  return number.split('.').map(Number).join('.') + letter;
}

/** Ascending by number: 2 before 2.1 before 10. Null where one of them has none. */
export function comparePhases(one: string, other: string): number | null {
  const [ours, theirs] = [one, other].map((key) =>
    /^\d/.test(key) ? key.split('.').map(Number.parseFloat) : [],
  );
  if (ours!.length === 0 || theirs!.length === 0) return null;
  for (let i = 0; i < Math.max(ours!.length, theirs!.length); i++) {
    const difference = (ours![i] ?? -1) - (theirs![i] ?? -1);
    if (difference !== 0) return difference;
  }
  return one < other ? -1 : one > other ? 1 : 0;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The separator that the file has between date and text stays. */
function activityValue(old: string, { date, text }: { date: string; text: string }): string {
  const own = DATE.test(date) ? /^\d{4}-\d{2}-\d{2}( ?(?:[–—:-]|--) )(?=\S)/.exec(old)?.[1] : undefined;
  return fieldText(text) === '' ? fieldText(date) : fieldText(`${date}${own ?? ' - '}${text}`);
}

/** What stands behind the percentage stays, unless it is a count of its own: `(9/20 tasks)`. */
function progressValue(old: string, progress: { done: number; total: number }): string {
  const percent = old.indexOf('%');
  let tail = percent === -1 ? '' : old.slice(percent + 1);
  for (let before = ''; before !== tail; ) {
    before = tail;
    tail = tail.replace(/^[`*_]+/, '').replace(/^ ?\([^()\d]{0,40}\d[^()]{0,80}\)/, '');
  }
  const isText = /^[\s\p{P}]/u.test(tail) && !tail.includes('<!--');
  return formatProgress(progress) + (isText ? tail : '');
}

/** `2026-01-26 14:32`, in UTC; a time without a zone is in UTC already, and one that cannot be read stays as it is. */
function sessionTime(at: string): string {
  const ms = Date.parse(/^\d{4}-\d{2}-\d{2}T[\d:.]{1,20}$/.test(at) ? `${at}Z` : at);
  if (Number.isNaN(ms)) return fieldText(at);
  return new Date(ms).toISOString().slice(0, 'YYYY-MM-DD HH:MM'.length).replace('T', ' ');
}

/** The cells of a row of By Phase, by column. */
export function phaseCells({ completed, plans, totalMs, averageMs }: PhaseRow) {
  return {
    plans: `${wholeNumber(completed)}/${wholeNumber(plans)}`,
    total: totalMs === null ? '-' : formatDuration(totalMs),
    average: averageMs === null ? '-' : formatDuration(averageMs),
  };
}
