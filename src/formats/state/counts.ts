import { FORMS, ownPart, type Written } from './own-part.js';

/** A phase or a plan as a field says it: `3 of 8`. */
interface Count {
  number: string;
  of: number;
}

interface Counted {
  /** Emphasis before the numbers, and a word: `**Phase `. */
  lead: string;
  number: string;
  /** The emphasis again, where it ends behind the numbers. */
  close: string;
  /** What follows the numbers. */
  tail: string;
  /** Both numbers are there, as we write them. */
  isFull?: boolean;
}

/** Without a count, `Phase: of the moon` and `Plan: ask Bob` are sentences, and no fields. */
export function isCountValue(value: string): boolean {
  return value === '' || readCounted(value) !== undefined || ownPart(value, FORMS.noCount).length > 0;
}

/** `3 of 8`, whatever follows. */
export function isFullCount(value: string): boolean {
  return readCounted(value)?.isFull === true;
}

const PHRASE = ' in current phase';
const TOTAL = /^([*_`]{0,3})(?: of |\/| \/ )([*_`]{0,3})(?:\d+(?![\p{L}\d])|\?|\[[^[\]]{0,20}\])/u;

/** `3 of 8 (Name)`, `3/8`, `**3** of 8`, `3`; the name in `03-executor` becomes one in parentheses. */
function readCounted(value: string): Counted | undefined {
  const read =
    /^([*_`]{0,3})((?:(?:phase|plan) |#)?)(\d{1,9}(?:[.-]\d{1,9}){0,4}[a-z]?)(?![\p{L}\d])/iu.exec(value) ??
    /^([*_`]{0,3})()(\?|\p{L}[\p{L}\d]{0,40})(?= of \d)/u.exec(value);
  if (!read) return undefined;
  const [all, emphasis = '', word = '', number = ''] = read;
  const lead = emphasis + word;
  const rest = value.slice(all.length);
  const slug = /^-\p{L}[\p{L}\p{N}_-]*/u.exec(rest)?.[0];
  if (slug) {
    const tail = rest.slice(slug.length);
    return { lead: emphasis, number, close: '', tail: ` (${number}${slug})${tail}` };
  }
  const total = TOTAL.exec(rest);
  const behind = rest.slice(total?.[0].length ?? 0);
  const isSentence = total ? /^\D/.test(number) && isProse(behind) : rest.startsWith(' of ');
  if (isSentence) return undefined;
  const closes = emphasis !== '' && behind.startsWith(emphasis);
  const close = closes || total?.[1] || total?.[2] ? emphasis : '';
  const isFull = total?.[0].includes(' of ') === true;
  return { lead, number, close, tail: closes ? behind.slice(emphasis.length) : behind, isFull };
}

/** `most of 5 hours are lost`; a phase may have a word for its number, but then no sentence goes on behind it. */
function isProse(tail: string): boolean {
  return /^\s*[\p{L}\p{N}]/u.test(tail) && !tail.startsWith(PHRASE);
}

function writeCounted({ lead, close, tail }: Counted, number: string, of: string): Written {
  const ours = `${lead}${number} of ${of}${close}`;
  const again = readCounted(ours + tail);
  const isStable = again?.number === number && again.tail === tail;
  return { ours, theirs: isStable || tail === '' ? tail : ` — ${tail.trimStart()}` };
}

/** A name stays as long as the number does: behind another number it would be false. */
export function phaseValue(old: string, phase: Count): Written {
  const { number, of } = plainCount(phase);
  const was = readCounted(old);
  if (!was) return writeCounted(readUncounted(old, ''), number, of);
  if (isSameNumber(was.number, number)) return writeCounted(was, was.number, of);
  const tail = withoutName(was.tail);
  if (tail === undefined) return { ours: `${number} of ${of}`, theirs: '', kept: 'below' };
  return writeCounted({ ...was, tail }, number, of);
}

export function planValue(old: string, plan: Count): Written {
  const { number, of } = plainCount(plan);
  const was = readCounted(old);
  if (was) return writeCounted(was, isSameNumber(was.number, number) ? was.number : number, of);
  return writeCounted(readUncounted(old, PHRASE), number, of);
}

/** What stands around a placeholder; `phrase` is to follow the count that takes its place. */
function readUncounted(value: string, phrase: string): Counted {
  const { lead, length } = ownPart(value, FORMS.noCount);
  const rest = value.slice(lead.length + length);
  const isClosed = lead !== '' && rest.startsWith(lead);
  const tail = isClosed ? rest.slice(lead.length) : rest;
  const behind = tail.startsWith(phrase) ? tail : phrase + tail;
  return { lead, number: '', close: isClosed ? lead : '', tail: behind };
}

/** Nothing in it that would be read as more than one number of a count. */
function plainCount({ number, of }: Count): { number: string; of: string } {
  const known = /\d{1,9}(?:[.-]\d{1,9}){0,4}[a-z]?(?![\p{L}\d])|\p{L}[\p{L}\d]{0,40}/u.exec(number)?.[0];
  return { number: known ?? '?', of: wholeNumber(of) };
}

export function wholeNumber(value: number): string {
  return String(Math.min(999_999_999, Math.max(0, Math.round(value) || 0)));
}

function isSameNumber(one: string, other: string): boolean {
  const parts = (number: string) => number.split(/[.-]/).map((part) => part.replace(/^0{1,8}(?=\d)/, ''));
  return parts(one).join('.') === parts(other).join('.');
}

/** ` (Name) and more` → ` and more`. Undefined where a name cannot be told from a note, as in ` - ask Ann`. */
function withoutName(tail: string): string | undefined {
  const rest = tail.trimStart();
  if (!rest.startsWith('(')) return /^[-–—:]/.test(rest) ? undefined : tail;
  const close = closingParen(rest);
  const name = rest.slice(1, close);
  const isNote = /^\p{Ll}\S*\s/u.test(name) || /[.!?]$/.test(name);
  return close === -1 || isNote ? undefined : rest.slice(close + 1);
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
