/** The words of a text with white space between them. */
export function splitWords(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

/** Cuts a text to this many characters, without splitting a surrogate pair. */
export function cutText(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

/** Like `cutText`, but ends in `…` if something was left out. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${cutText(text, most - 1)}…`;
}

/** Like `cutText`, with the number of omitted characters: `begin… (12 more characters)`. */
export function shortenCounted(text: string, most: number): string {
  const shown = cutText(text, most);
  return shown === text ? text : `${shown}… ${countRest(text, shown)}`;
}

/** `12,340`. The first use of `toLocaleString` would take 10 ms. */
export function groupDigits(count: number): string {
  return String(count).replace(/(?<!\.\d*)\B(?=(?:\d{3})+(?!\d))/g, ',');
}

/** Quotes untrusted text within a sentence: on one line and shortened. */
export function quoteExcerpt(text: string, most = 120): string {
  const shown = cutText(text, most);
  return shown === text ? JSON.stringify(text) : `${JSON.stringify(shown)}… ${countRest(text, shown)}`;
}

function countRest(text: string, shown: string): string {
  return `(${text.length - shown.length} more characters)`;
}

/** Puts a text on one line, with single spaces. */
export function foldText(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

// Everything that a terminal or a font would act on, reorder, swallow or draw as nothing: controls, format
// characters (bidirectional and zero-width ones among them), lone surrogates, private-use characters, unassigned
// ones and noncharacters (`\p{C}` is all of these), line separators, the blank Braille pattern, the object placeholder.
const UNSEEN = String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\uFFFC]`;

/** Tab and newline are plain text. The selector and the joiner inside an emoji hide nothing. */
const PLAIN = [
  String.raw`(?![\t\n])`,
  String.raw`(?!(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier})\uFE0F)`,
  String.raw`(?!(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)\u200D\p{Extended_Pictographic})`,
].join('');

/** A cheap pre-check: the character classes of the full expression are slow to build. */
function mayHide(text: string): boolean {
  return /[^\t\n -~]/.test(text);
}

/** Finds hidden characters, each as one match. */
export function hiddenPattern(flags: 'u' | 'gu'): RegExp {
  return new RegExp(PLAIN + UNSEEN, flags);
}

/** The text with every hidden character replaced; all other characters stay. */
export function replaceHidden(text: string, replace: (character: string) => string): string {
  return mayHide(text) ? text.replace(hiddenPattern('gu'), replace) : text;
}

/** Safe to show, on one line: hidden characters and line breaks are written as `<U+202E>`. */
export function visibleLine(text: string): string {
  const show = (character: string) => `<${codePointName(character)}>`;
  return replaceHidden(text, show).replace(/\n/g, show);
}

/** The text in parts: plain ones as they are, and hidden characters, each as its name in angle brackets. */
export function splitHidden(text: string): { text: string; hidden: boolean }[] {
  const parts: { text: string; hidden: boolean }[] = [];
  if (!mayHide(text)) return [{ text, hidden: false }];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(hiddenPattern('gu'))) {
    if (index > from) parts.push({ text: text.slice(from, index), hidden: false });
    parts.push({ text: `<${codePointName(character)}>`, hidden: true });
    from = index + character.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), hidden: false });
  return parts;
}

/** The first hidden character; undefined if there is none. */
export function findHidden(text: string): string | undefined {
  return mayHide(text) ? hiddenPattern('u').exec(text)?.[0] : undefined;
}

/** `U+202E`: how a character is named where it cannot be shown. */
export function codePointName(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

const FARTHEST = 2;
/** Of the lengths of two words that may be near; marks between letters do not count. */
const LONGEST_DIFFERENCE = 10;

/** The known word that may have been meant; undefined if none is near. */
export function nearestWord(written: string, known: readonly string[]): string | undefined {
  const folded = fold(written);
  const same = known.find((word) => fold(word) === folded);
  if (same !== undefined || written.length > 40) return same;
  const near = known
    .filter((word) => Math.abs(word.length - written.length) <= LONGEST_DIFFERENCE)
    .map((word) => ({ word, distance: countEdits(folded, fold(word)) }))
    .filter(({ word, distance }) => distance <= FARTHEST && distance < word.length / 2)
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.word;
}

function fold(word: string): string {
  return word.toLowerCase().replace(/[-_ ]/g, '');
}

/** Letters to add, drop or change. */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const change = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}

/** Picks the expression that reads a text. */
export type WordPattern = (text: string) => RegExp;

/**
 * A pattern with the letters and digits of all scripts, each class in brackets: `[\p{L}_]`. V8 takes milliseconds to
 * compile one, so a text in ASCII is read with a pattern that knows no others.
 */
export function wordPattern(source: string, flags = ''): WordPattern {
  let ascii: RegExp | undefined;
  let all: RegExp | undefined;
  return (text) => {
    if (/[^\0-\x7f]/.test(text)) {
      all ??= new RegExp(source, `${flags}u`);
      return all;
    }
    ascii ??= new RegExp(withoutOtherScripts(source), flags);
    return ascii;
  };
}

function withoutOtherScripts(source: string): string {
  return source.replace(/\\p\{(?:(L)|(N)|M|So)\}/g, (_, letter, digit) =>
    letter ? 'A-Za-z' : digit ? '0-9' : '',
  );
}

// Each unit is rounded by itself, half up, and what rounds to a whole of the next unit is written in that one: 59.5 s is
// `1m` and never `60s`, 59.5 m is `1h`, 119 m 59 s is `2h`. Hours without minutes stand alone.

interface DurationParts {
  hours: number;
  minutes: number;
  seconds: number;
}

/** As many hours as are written without an exponent, and read again as a number. */
const MOST_MS = 999_999_999 * 3_600_000;

/** Only one of seconds and the others is ever more than 0. What is not a duration counts as 0. */
function partsOf(ms: number): DurationParts {
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

/** `45 seconds`, `28 minutes`, `2 hours 10 minutes`; `-` if nothing was measured. */
export function formatDurationWords(ms: number | null): string {
  if (ms === null) return '-';
  const { hours, minutes, seconds } = partsOf(ms);
  if (hours === 0) return minutes === 0 ? countUnits(seconds, 'second') : countUnits(minutes, 'minute');
  return minutes === 0
    ? countUnits(hours, 'hour')
    : `${countUnits(hours, 'hour')} ${countUnits(minutes, 'minute')}`;
}

/** `1 line`, `3 lines` */
export function countUnits(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}

/** By code units: the same order everywhere. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

interface ListStyle<T> {
  say?: (item: T) => string;
  /** Of more than these only the first are named. */
  most?: number;
}

/** `a`, `a and b`, `a, b, c and 9 more` */
export function listWords<T>(
  items: readonly T[],
  { say = String, most = 5, joint = 'and' }: ListStyle<T> & { joint?: string } = {},
): string {
  if (items.length < 2 || items.length > most) return listFirst(items, { say, most });
  return `${items.slice(0, -1).map(say).join(', ')} ${joint} ${say(items.at(-1)!)}`;
}

/** `a, b`, `a, b, c and 9 more` */
export function listFirst<T>(items: readonly T[], { say = String, most = 5 }: ListStyle<T> = {}): string {
  const first = items.slice(0, most).map(say).join(', ');
  return items.length > most ? `${first} and ${items.length - most} more` : first;
}

/** Whether `offset` is between the two halves of one character. */
export function splitsPair(text: string, offset: number): boolean {
  return isHigh(text.charCodeAt(offset - 1)) && isLow(text.charCodeAt(offset));
}

const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
