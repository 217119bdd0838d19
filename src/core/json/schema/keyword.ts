import type { JsonObject, JsonPath, JsonValue } from '../types.js';
import { isJsonObject } from '../values.js';
import { ANY, ARRAY, NUMBER, OBJECT, STRING } from './kinds.js';
import type { Check, Facts, Node, Rule } from './model.js';
import type { Pattern } from './pattern/pattern.js';
import type { Run, Says } from './run.js';

/** One keyword in one schema, as it is read. */
export interface Site extends Says {
  /** Whether it stands in the outermost schema. */
  readonly isRoot: boolean;
  /** Tells a problem at the keyword, or at a place under it. */
  refuse(message: string, under?: JsonPath): undefined;
  /** The schema under the keyword that judges a part of the value. */
  part(schema: JsonValue, under?: JsonPath): Node;
  /** The schema under the keyword that judges the same value. */
  same(schema: JsonValue, under?: JsonPath): Node;
  /** The schema at another keyword of the same schema object, about the same value. */
  beside(keyword: string): Node;
  /** The schema elsewhere that judges the same value; it can be asked once everything is read. */
  reference(target: string): Node | undefined;
  /** Without a place, its problem is told elsewhere. */
  pattern(source: string, under?: JsonPath | null): Pattern | undefined;
}

/** Reads what stands at a keyword. No rule: it asks nothing, or it had a problem. */
export type Keyword = (site: Site) => Rule | undefined;
export type Keywords = Readonly<Record<string, Keyword>>;

export const forAll = (check: Check): Rule => ({ kinds: ANY, check });
export const forTexts = (check: (value: string, run: Run) => boolean, facts?: Partial<Facts>) =>
  ruleFor(STRING, check, facts);
export const forNumbers = (check: (value: number, run: Run) => boolean, facts?: Partial<Facts>) =>
  ruleFor(NUMBER, check, facts);
export const forLists = (check: (value: JsonValue[], run: Run) => boolean, facts?: Partial<Facts>) =>
  ruleFor(ARRAY, check, facts);
export const forObjects = (check: (value: JsonObject, run: Run) => boolean, facts?: Partial<Facts>) =>
  ruleFor(OBJECT, check, facts);

// The kinds see to it that no other values come here.
function ruleFor<T extends JsonValue>(
  kinds: number,
  check: (value: T, run: Run) => boolean,
  facts: Partial<Facts> | undefined,
): Rule {
  const rule = { kinds, check: check as Check };
  return facts === undefined ? rule : { ...rule, facts };
}

/** A length, a number of items or keys. */
export function readCount(site: Site): number | undefined {
  const { keyword, expected } = site;
  if (Number.isSafeInteger(expected) && (expected as number) >= 0) return expected as number;
  return site.refuse(`${keyword} must be a whole number from 0.`);
}

export function readNumber(site: Site): number | undefined {
  if (typeof site.expected === 'number') return site.expected;
  return site.refuse(`${site.keyword} must be a number.`);
}

export function readText(site: Site): string | undefined {
  if (typeof site.expected === 'string') return site.expected;
  return site.refuse(`${site.keyword} must be a text.`);
}

/** The keys of an object with what stands at each. */
export function readEntries(site: Site, what: string): [string, JsonValue][] | undefined {
  if (isJsonObject(site.expected)) return Object.entries(site.expected);
  return site.refuse(`${site.keyword} must be an object with ${what}.`);
}

/** A list of keys, none of them twice. */
export function readKeys(site: Site, list: JsonValue, under: JsonPath = []): string[] | undefined {
  const at = [site.keyword, ...under].join(' → ');
  if (!Array.isArray(list)) return site.refuse(`${at} must be a list of keys, such as ["name"].`, under);
  const wrong = list.findIndex((key) => typeof key !== 'string');
  if (wrong !== -1) return site.refuse(`${at} must be a list of keys, each a text.`, [...under, wrong]);
  if (new Set(list).size < list.length) return site.refuse(`${at} names a key twice.`, under);
  return list as string[];
}

/** A list of schemas, at least one. */
export function readList(site: Site): JsonValue[] | undefined {
  const { keyword, expected } = site;
  if (Array.isArray(expected) && expected.length > 0) return expected;
  return site.refuse(`${keyword} must be a list of at least one schema.`);
}
