import { shorten } from '../../shorten.js';
import { escapeUnseen } from '../path.js';
import type { JsonObject, JsonValue } from '../types.js';
import { isJsonObject } from '../values.js';

const LONGEST = 80;
const MOST_NAMED = 12;

/** A text of somebody else, in quotes and not without end. */
export function quoteJson(text: string): string {
  return escapeUnseen(JSON.stringify(shorten(text, LONGEST)));
}

/** Words of somebody else: on one line, and not without end. */
function showWords(text: string, longest: number): string {
  const line = text.slice(0, 2 * longest).replace(/\s+/g, ' ');
  return escapeUnseen(shorten(line.trim(), longest));
}

/** Without the escapes of JSON. */
export function showPattern(pattern: JsonValue): string {
  return escapeUnseen(shorten(String(pattern), 120));
}

/** `a`, `a or b`, `a, b or c` */
export function join(words: readonly string[], last: 'or' | 'and'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}

/** `a, b, c and 9 more` */
export function listItems<T>(items: readonly T[], say: (item: T) => string): string {
  const words = items.slice(0, MOST_NAMED).map(say).join(', ');
  return items.length > MOST_NAMED ? `${words} and ${items.length - MOST_NAMED} more` : words;
}

/** `1 item`, `3 items`, `none` */
export function count(number: number, what: string): string {
  return number === 0 ? 'none' : `${number} ${what}${number === 1 ? '' : 's'}`;
}

/** What a value is: `a number (3)`, `a list of 2 items`. */
export function describeJson(value: JsonValue): string {
  if (typeof value === 'string') return value === '' ? 'an empty text' : `a text (${quoteJson(value)})`;
  if (typeof value === 'number') return `a number (${value})`;
  if (Array.isArray(value))
    return value.length === 0 ? 'an empty list' : `a list of ${count(value.length, 'item')}`;
  if (!isJsonObject(value)) return String(value);
  const keys = Object.keys(value);
  return keys.length === 0 ? 'an empty object' : `an object with ${count(keys.length, 'key')}`;
}

/** A value as it is written, where that is short; otherwise what it is. */
export function showValue(value: JsonValue): string {
  if (typeof value === 'string') return quoteJson(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const parts = Array.isArray(value) ? value : Object.values(value);
  if (parts.length > 4 || parts.some((part) => typeof part === 'object' && part !== null))
    return describeJson(value);
  return escapeUnseen(shorten(JSON.stringify(value), LONGEST));
}

/** Values to choose from. Plain words need no quotes. */
export function listValues(values: readonly JsonValue[]): string {
  const isPlain = (value: JsonValue) => typeof value === 'string' && /^[A-Za-z][\w.-]{0,60}$/.test(value);
  return listItems(values, values.slice(0, MOST_NAMED).every(isPlain) ? String : showValue);
}

const TYPES: ReadonlyMap<JsonValue, string> = new Map([
  ['null', 'null'],
  ['boolean', 'true or false'],
  ['integer', 'a whole number'],
  ['number', 'a number'],
  ['string', 'a text'],
  ['array', 'a list'],
  ['object', 'an object'],
]);

/** `a text`, `a text or null`: what stands at `type`. */
export function describeTypes(type: JsonValue): string {
  const names = Array.isArray(type) ? type : [type];
  return join(
    names.map((name) => TYPES.get(name) ?? String(name)),
    'or',
  );
}

/** What a schema asks for, in a few words; null where it takes more. */
export function describeSchema(schema: JsonValue): string | null {
  if (!isJsonObject(schema)) return null;
  if (Object.hasOwn(schema, 'const')) return showValue(schema.const!);
  if (Array.isArray(schema.enum)) return `one of ${listValues(schema.enum)}`;
  if (typeof schema.title === 'string') return showWords(schema.title, LONGEST);
  if (typeof schema.type === 'string' || Array.isArray(schema.type)) return describeTypes(schema.type);
  return null;
}

export function describedAs({ description }: JsonObject): string | undefined {
  if (typeof description !== 'string' || description.trim() === '') return undefined;
  return `It is described as: ${showWords(description, 300)}`;
}

/** The word that was probably meant: another case, other joints, or one letter astray. */
export function findNear(written: string, all: readonly string[]): string | undefined {
  const words = all.slice(0, 500);
  const folded = fold(written);
  if (folded === '') return undefined;
  return words.find((word) => fold(word) === folded) ?? words.find((word) => isOneSlip(folded, fold(word)));
}

function fold(word: string): string {
  return word
    .slice(0, 100)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** A letter too many, too few, another, or two that changed places; in words that are long enough for it. */
function isOneSlip(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < 4 || Math.abs(a.length - b.length) > 1) return false;
  let from = 0;
  while (from < a.length && a[from] === b[from]) from++;
  const [restA, restB] = [a.slice(from), b.slice(from)];
  if (restA.slice(1) === restB.slice(1) || restA.slice(1) === restB || restA === restB.slice(1)) return true;
  return restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
}
