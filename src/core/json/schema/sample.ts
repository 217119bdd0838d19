// A long list usually repeats a few kinds of items that its schema cannot tell apart: texts of any length and content, numbers
// above a minimum. The library takes about half a microsecond per value, so it judges one item of each kind first.
import type { JsonObject, JsonValue } from '../values.js';
import { isJsonObject } from '../values.js';
import { walkSchemas } from './keywords.js';

/** Different kinds that are remembered per list; items of further kinds all stay. */
const MOST_KINDS = 20;

/** Everything in a schema that distinguishes two texts, two numbers or two lengths. */
interface Distinctions {
  words: Set<string>;
  longestWord: number;
  lengths: number[];
  numbers: number[];
  patterns: boolean;
  multiples: boolean;
  /** Items at the start of a list that always stay. */
  keep: number;
}

/**
 * A sampler for values of a schema: the sample is valid exactly if the whole value is. It is the value with shorter lists, or
 * the value itself where nothing repeats, or where the schema compares the items of a list.
 */
export function makeSampler(schema: JsonObject): (value: JsonValue) => JsonValue {
  const distinctions = readDistinctions(schema);
  if (distinctions === null) return (value) => value;
  const areAlike = makeComparison(distinctions);

  const sample = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return sampleItems(value).map(sample);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, sample(inner)]));
  };
  const sampleItems = (items: JsonValue[]): JsonValue[] => {
    const kinds: JsonValue[] = [];
    return items.filter((item, index) => {
      if (kinds.some((kind) => areAlike(kind, item))) return index < distinctions.keep;
      if (kinds.length < MOST_KINDS) kinds.push(item);
      return true;
    });
  };
  return sample;
}

/** Null if the schema compares whole lists or objects. */
function readDistinctions(root: JsonObject): Distinctions | null {
  const found: Distinctions = {
    words: new Set(),
    longestWord: 0,
    lengths: [],
    numbers: [],
    patterns: false,
    multiples: false,
    keep: 1,
  };
  for (const { schema } of walkSchemas(root)) {
    if (Object.hasOwn(schema, 'contains') || Object.hasOwn(schema, 'uniqueItems')) return null;
    for (const value of [...listOf(schema.enum), ...listOf([schema.const ?? null])]) {
      if (typeof value === 'object' && value !== null) return null;
      if (typeof value === 'string') found.words.add(value);
      if (typeof value === 'number') found.numbers.push(value);
    }
    const { minLength, maxLength, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
    found.lengths.push(...[minLength, maxLength].filter(isNumber));
    found.numbers.push(...[minimum, maximum, exclusiveMinimum, exclusiveMaximum].filter(isNumber));
    found.patterns ||= Object.hasOwn(schema, 'pattern');
    found.multiples ||= Object.hasOwn(schema, 'multipleOf');
    const counts = [schema.minItems, schema.maxItems, listOf(schema.prefixItems).length].filter(isNumber);
    found.keep = Math.max(found.keep, ...counts.map((count) => count + 1));
  }
  found.longestWord = Math.max(0, ...[...found.words].map(({ length }) => length));
  return found;
}

/** Whether two values have the same keys, and otherwise differ only in what the schema does not distinguish. */
function makeComparison(distinctions: Distinctions): (a: JsonValue, b: JsonValue) => boolean {
  const { words, longestWord, lengths, numbers, patterns, multiples } = distinctions;
  const isWord = (text: string) => text.length <= longestWord && words.has(text);
  const rankText = (text: string): number => {
    // A character is one unit or two.
    const rank = rankAmong(text.length, lengths);
    if (rank === rankAmong(text.length / 2, lengths)) return rank;
    return rankAmong([...text].length, lengths);
  };
  const areAlike = (a: JsonValue, b: JsonValue): boolean => {
    if (a === b) return true;
    if (typeof a === 'string' && typeof b === 'string')
      return !patterns && !isWord(a) && !isWord(b) && rankText(a) === rankText(b);
    if (typeof a === 'number' && typeof b === 'number') {
      if (multiples || Number.isInteger(a) !== Number.isInteger(b)) return false;
      return rankAmong(a, numbers) === rankAmong(b, numbers);
    }
    if (Array.isArray(a) && Array.isArray(b))
      return a.length === b.length && a.every((item, index) => areAlike(item, b[index]!));
    return isJsonObject(a) && isJsonObject(b) && haveAlikeKeys(a, b);
  };
  const haveAlikeKeys = (a: JsonObject, b: JsonObject): boolean => {
    let more = 0;
    for (const _ in a) more++;
    for (const key in b) {
      const own = a[key];
      if (own === undefined || !areAlike(own, b[key]!)) return false;
      more--;
    }
    return more === 0;
  };
  return areAlike;
}

/** Two amounts have the same rank if no limit is between them or is one of them. */
function rankAmong(amount: number, limits: readonly number[]): number {
  let rank = 0;
  for (const limit of limits) rank += amount > limit ? 2 : amount === limit ? 1 : 0;
  return rank;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function isNumber(value: JsonValue | undefined): value is number {
  return typeof value === 'number';
}
