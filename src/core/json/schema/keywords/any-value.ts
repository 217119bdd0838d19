import type { JsonValue } from '../../types.js';
import { isJsonObject } from '../../values.js';
import { canonize } from '../canonical.js';
import { forAll, type Keywords, type Site } from '../keyword.js';
import { ANY, kindOf, NONE, TYPES } from '../kinds.js';
import { countKeys } from '../measures.js';
import type { Rule } from '../model.js';
import { type Run, refuse } from '../run.js';
import { quote } from '../words.js';

/** What may be said of values of every kind. */
export const ANY_VALUE_KEYWORDS: Keywords = {
  type: (site) => {
    const allowed = readTypes(site);
    if (allowed === undefined) return undefined;
    // A rule for the kinds that are not allowed: whatever it is asked about is a fault.
    const check = (value: JsonValue, run: Run) => refuse(run, site, value);
    return { kinds: ANY & ~allowed, check, facts: { types: allowed }, admits: () => allowed };
  },
  const: (site) => oneOfValues(site, [site.expected]),
  enum: (site) => {
    if (!Array.isArray(site.expected) || site.expected.length === 0)
      return site.refuse('enum must be a list of at least one value.');
    return oneOfValues(site, site.expected);
  },
};

function readTypes(site: Site): number | undefined {
  const { expected } = site;
  const names = Array.isArray(expected) ? expected : [expected];
  if (names.length === 0) return site.refuse('type must name at least one type.');
  if (new Set(names).size < names.length) return site.refuse('type names a type twice.');
  let types = NONE;
  for (const [index, name] of names.entries()) {
    const kinds = typeof name === 'string' ? TYPES.get(name) : undefined;
    if (kinds === undefined)
      return site.refuse(wrongType(name), Array.isArray(expected) ? [index] : undefined);
    types |= kinds;
  }
  return types;
}

const MEANT: ReadonlyMap<string, string> = new Map([
  ['text', 'string'],
  ['str', 'string'],
  ['int', 'integer'],
  ['long', 'integer'],
  ['float', 'number'],
  ['double', 'number'],
  ['bool', 'boolean'],
  ['list', 'array'],
  ['map', 'object'],
  ['dict', 'object'],
  ['none', 'null'],
  ['nil', 'null'],
]);

function wrongType(name: JsonValue): string {
  const all = [...TYPES.keys()].join(', ');
  if (typeof name !== 'string') return `type must be one of ${all}, or a list of them.`;
  const lower = name.toLowerCase();
  const meant = MEANT.get(lower) ?? (TYPES.has(lower) ? lower : undefined);
  const known = meant ? `write ${JSON.stringify(meant)}` : `the types are ${all}`;
  return `${quote(name)} is no type: ${known}.`;
}

function oneOfValues(site: Site, values: readonly JsonValue[]): Rule {
  const isAmong = createSearch(values);
  const admitted = values.reduce<number>((kinds, value) => kinds | (1 << kindOf(value)), NONE);
  return {
    ...forAll((value, run) => isAmong(value, run) || refuse(run, site, value)),
    values,
    admits: () => admitted,
  };
}

/** Whether a value is one of many, in time that does not grow with their number. */
function createSearch(values: readonly JsonValue[]): (value: JsonValue, run: Run) => boolean {
  // A set finds texts and numbers as they are, and takes -0 for 0.
  const simple = new Set(values.filter(isSimple));
  const compound = values.filter((value) => !isSimple(value));
  const write = (value: JsonValue) =>
    canonize(value, { left: Number.POSITIVE_INFINITY }, Number.POSITIVE_INFINITY);
  const texts = new Set(compound.map(write));
  const longest = [...texts].reduce((most, text) => Math.max(most, text?.length ?? 0), 0);
  const lengths = new Set(compound.filter((value) => Array.isArray(value)).map((list) => list.length));
  const sizes = new Set(compound.filter(isJsonObject).map((object) => Object.keys(object).length));
  return (value, run) => {
    if (isSimple(value)) return simple.has(value);
    const isLike = isJsonObject(value)
      ? sizes.has(countKeys(value, run))
      : lengths.has((value as JsonValue[]).length);
    return isLike && texts.has(canonize(value, run, longest));
  };
}

function isSimple(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null;
}
