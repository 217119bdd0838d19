// A schema becomes something that can be asked about values. @cfworker/json-schema judges them, on a copy of the schema
// with what it lacks: patterns in linear time, and a limit of work.
import { format, type OutputUnit, type Schema, validate } from '@cfworker/json-schema';
import type { JsonObject, JsonValue } from '../values.js';
import { isJsonObject } from '../values.js';
import { listFaults } from './faults.js';
import { KEYWORDS, makeResolver } from './keywords.js';
import { type Pattern, readSchema } from './read-schema.js';
import type { CompiledSchema, SchemaFault, SchemaRead } from './types.js';

/** Faults that a check reports unless it is asked for another number. */
const MOST_FAULTS = 100;
/** How often a schema is applied to a value during one check. A report of 5 MB takes less than a million. */
const MOST_STEPS = 5_000_000;
/** The limit when all errors are collected, each of which takes memory; beyond it, only the first are reported. */
const MOST_STEPS_FOR_ALL = 500_000;
/** Characters that a pattern reads in the time of one step. */
const CHARACTERS_OF_A_STEP = 10;
/** Keys and values of a schema that are gone through in the time of one step. */
const ENTRIES_OF_A_STEP = 10;
/** The library compares every item of a `uniqueItems` list with every other. */
const MOST_COMPARISONS = 25_000_000;
/** Different keys of a value under a schema that has `patternProperties`. */
const MOST_KEYS = 2_000;

/** Keywords that ask nothing of a value. */
const ANNOTATIONS = new Set([
  ...['title', 'description', '$comment', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['format', 'contentEncoding', 'contentMediaType', 'contentSchema', '$id', '$schema'],
]);

class TooMuchWork extends Error {}

/** The steps that a check may still take; the library has no limit itself. */
let stepsLeft = 0;

function spend(steps: number): void {
  stepsLeft -= steps;
  if (stepsLeft < 0) throw new TooMuchWork();
}

/** A schema as the library gets it. All have the same keys, each written out, so that V8 reads them several times faster. */
class LibrarySchema {
  $ref = undefined;
  type = undefined;
  const = undefined;
  enum = undefined;
  required = undefined;
  not = undefined;
  anyOf = undefined;
  allOf = undefined;
  oneOf = undefined;
  if = undefined;
  // biome-ignore lint/suspicious/noThenProperty: the name of a keyword
  then = undefined;
  else = undefined;
  format = undefined;
  properties = undefined;
  patternProperties = undefined;
  additionalProperties = undefined;
  minProperties = undefined;
  maxProperties = undefined;
  propertyNames = undefined;
  dependentRequired = undefined;
  dependentSchemas = undefined;
  prefixItems = undefined;
  items = undefined;
  contains = undefined;
  minContains = undefined;
  maxContains = undefined;
  minItems = undefined;
  maxItems = undefined;
  uniqueItems = undefined;
  minimum = undefined;
  maximum = undefined;
  exclusiveMinimum = undefined;
  exclusiveMaximum = undefined;
  multipleOf = undefined;
  minLength = undefined;
  maxLength = undefined;
  $defs = undefined;
  $anchor = undefined;
  steps = 1;

  /** The library reads this key whenever it applies a schema. */
  get $recursiveAnchor(): boolean {
    spend(this.steps);
    return false;
  }
}

function blankSchema(): Schema {
  return new LibrarySchema() as unknown as Schema;
}

export function compileSchema(schema: JsonValue): SchemaRead {
  const { problems, patterns } = readSchema(schema);
  if (problems.length > 0) return { status: 'refused', problems };
  const copy = copySchema(schema, patterns);
  const whole = isJsonObject(schema) ? schema : {};

  const listErrors = (value: JsonValue, onlyFirst: boolean): OutputUnit[] => {
    stepsLeft = onlyFirst ? MOST_STEPS : MOST_STEPS_FOR_ALL;
    return validate(value, copy.root, '2020-12', copy.targets, onlyFirst).errors;
  };
  const check: CompiledSchema['check'] = (value, { most = MOST_FAULTS } = {}) => {
    const first = orUndefined(() => {
      copy.prepare(value);
      return listErrors(value, true);
    });
    if (first === undefined)
      return [
        { keyword: 'limit', path: [], expected: MOST_STEPS, schema: whole, value } satisfies SchemaFault,
      ];
    if (first.length === 0) return [];
    const errors = orUndefined(() => listErrors(value, false)) ?? first;
    return listFaults(errors, { value, ...copy }, Math.max(1, most));
  };
  return { status: 'compiled', schema: { check } };
}

/** Undefined if it takes too much work, or more stack than there is. */
function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof TooMuchWork || error instanceof RangeError) return undefined;
    throw error;
  }
}

interface SchemaCopy {
  root: Schema;
  /** What each `$ref` leads to, as written. */
  targets: Record<string, Schema | boolean>;
  /** What each schema of the copy is a copy of: an object, or `false`. */
  origins: ReadonlyMap<Schema, JsonValue>;
  /** To be called before a value is judged. */
  prepare(value: JsonValue): void;
}

function copySchema(schema: JsonValue, patterns: ReadonlyMap<string, Pattern>): SchemaCopy {
  const resolve = makeResolver(isJsonObject(schema) ? schema : {});
  const targets: SchemaCopy['targets'] = Object.create(null);
  const copies = new Map<JsonValue, Schema>();
  const origins = new Map<Schema, JsonValue>();
  const byPattern: { holder: Schema; schemas: Map<string, Schema | boolean> }[] = [];
  const unique: Schema[] = [];

  const copy = (from: JsonValue): Schema | boolean => {
    if (from === true) return true;
    const to = blankSchema();
    if (from === false) to.not = blankSchema();
    origins.set(to, from);
    copies.set(from, to);
    for (const [keyword, value] of isJsonObject(from) ? Object.entries(from) : []) {
      const kind = KEYWORDS.get(keyword);
      if (kind === undefined || ANNOTATIONS.has(keyword)) continue;
      if (keyword === 'uniqueItems' && value === true) unique.push(to);
      if (typeof value === 'object' && value !== null)
        to.steps += Math.floor(Object.keys(value).length / ENTRIES_OF_A_STEP);
      if (keyword === 'pattern') to.format = registerPattern(String(value), patterns.get(String(value))!);
      else if (kind === 'schema') to[keyword] = copy(value);
      else if (kind === 'schemas') to[keyword] = (value as JsonValue[]).map(copy);
      else if (kind === 'named schemas') to[keyword] = copyNamed(value as JsonObject);
      else to[keyword] = value;
    }
    if (to.patternProperties !== undefined)
      byPattern.push({ holder: to, schemas: new Map(Object.entries(to.patternProperties)) });
    return to;
  };
  const copyNamed = (named: JsonObject) =>
    Object.fromEntries(Object.entries(named).map(([key, inner]) => [key, copy(inner)]));

  // The library makes a regular expression of what is at `patternProperties`, so it gets lists of keys.
  const prepare = (value: JsonValue): void => {
    if (unique.length > 0) {
      const { repeats, comparisons } = compareItems(value);
      if (repeats && comparisons > MOST_COMPARISONS) throw new TooMuchWork();
      for (const schema of unique) schema.uniqueItems = repeats;
    }
    if (byPattern.length === 0) return;
    const keys = listKeys(value);
    if (keys.length > MOST_KEYS) throw new TooMuchWork();
    stepsLeft = MOST_STEPS;
    for (const { holder, schemas } of byPattern) {
      holder.patternProperties = Object.fromEntries(
        [...schemas].flatMap(([source, inner], index): [string, Schema | boolean][] => {
          const matching = keys.filter((key) => testPattern(patterns.get(source)!, key));
          return matching.length === 0 ? [] : [[matchExactly(matching, index), inner]];
        }),
      );
    }
  };
  // `true` never fails, so its replacement does not matter.
  const root = copy(schema);
  // Copying a target may bring others.
  for (const to of origins.keys()) {
    if (to.$ref === undefined) continue;
    const target = resolve(to.$ref)!;
    targets[to.$ref] = copies.get(target) ?? copy(target);
  }
  return {
    root: root === true ? blankSchema() : (root as Schema),
    targets,
    origins,
    prepare,
  };
}

/** A format is the one check of texts that can be added to the library. */
function registerPattern(source: string, pattern: Pattern): string {
  const name = `pattern ${source}`;
  format[name] ??= (text) => testPattern(pattern, text);
  return name;
}

function matchExactly(keys: readonly string[], index: number): string {
  const literals = keys.map((key) => key.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  // Named, so that two patterns with the same keys stay two.
  return `^(?<p${index}>${literals.join('|')})$`;
}

function testPattern(pattern: Pattern, text: string): boolean {
  spend(1 + text.length / CHARACTERS_OF_A_STEP);
  return pattern.test(text);
}

/** The different keys in a value. */
function listKeys(value: JsonValue): string[] {
  const keys = new Set<string>();
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop()!;
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next)) for (const key of Object.keys(next)) keys.add(key);
    for (const inner of Object.values(next)) waiting.push(inner);
  }
  return [...keys];
}

/** Whether some list has the same item twice, and how many comparisons it takes to find it as the library does. */
function compareItems(value: JsonValue): { repeats: boolean; comparisons: number } {
  let repeats = false;
  let comparisons = 0;
  const numbers = new Map<string, number>();
  /** The same number for the same value. */
  const numberOf = (each: JsonValue): number => {
    const text = JSON.stringify(withNumbers(each));
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  const withNumbers = (each: JsonValue): JsonValue => {
    if (Array.isArray(each)) {
      const items = each.map(numberOf);
      repeats ||= new Set(items).size < items.length;
      comparisons += items.length ** 2;
      return items;
    }
    if (!isJsonObject(each)) return each;
    return Object.keys(each)
      .sort()
      .map((key) => [key, numberOf(each[key]!)]);
  };
  numberOf(value);
  return { repeats, comparisons };
}
