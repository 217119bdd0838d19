// A schema becomes something that can be asked about values. @cfworker/json-schema judges them, on a copy of the schema
// with what it lacks: patterns in linear time, and a limit of work.
import { format, type OutputUnit, type Schema, validate } from '@cfworker/json-schema';
import type { JsonObject, JsonValue } from '../types.js';
import { isJsonObject } from '../values.js';
import { openFaults } from './faults.js';
import { KEYWORDS } from './keywords.js';
import type { Pattern } from './pattern.js';
import { readSchema } from './read-schema.js';
import { makeResolver } from './subschemas.js';
import type { CompiledSchema, SchemaFault, SchemaRead } from './types.js';

/** Faults that a check reports unless it is asked for another number. */
const MOST_FAULTS = 100;
/** How often a schema is applied to a value during one check. A report of 5 MB takes less than a million. */
const MOST_STEPS = 5_000_000;
/** The library compares every item of a `uniqueItems` list with every other. */
const MOST_UNIQUE_ITEMS = 5_000;
/** Different keys of a value under a schema that has `patternProperties`. */
const MOST_KEYS = 2_000;

/** Keywords that ask nothing of a value. */
const ANNOTATIONS = new Set([
  ...['title', 'description', '$comment', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['format', 'contentEncoding', 'contentMediaType', 'contentSchema', '$id', '$schema'],
]);

class TooMuchWork extends Error {}

/** A schema as the library gets it, which has no limit of work of its own. */
class LibrarySchema {
  static steps = 0;

  /** The library reads this key whenever it applies a schema. */
  get $recursiveAnchor(): boolean {
    if (++LibrarySchema.steps > MOST_STEPS) throw new TooMuchWork();
    return false;
  }
}

export function compileSchema(schema: JsonValue): SchemaRead {
  const { problems, patterns } = readSchema(schema);
  if (problems.length > 0) return { status: 'refused', problems };
  const copy = copySchema(schema, patterns);
  const whole = isJsonObject(schema) ? schema : {};

  const listErrors = (value: JsonValue): OutputUnit[] => {
    copy.prepare(value);
    // With all its errors at once the library can exhaust the stack; with the first ones alone, seldom.
    for (const onlyFirst of [false, true]) {
      try {
        LibrarySchema.steps = 0;
        return validate(value, copy.root, '2020-12', copy.targets, onlyFirst).errors;
      } catch (error) {
        if (error instanceof TooMuchWork || !(error instanceof RangeError)) throw error;
      }
    }
    throw new TooMuchWork();
  };

  const check: CompiledSchema['check'] = (value, { most = MOST_FAULTS } = {}) => {
    try {
      const faults = openFaults({ value, ...copy });
      return faults.list(listErrors(value), Math.max(1, most));
    } catch (error) {
      if (!(error instanceof TooMuchWork)) throw error;
      return [
        { keyword: 'limit', path: [], expected: MOST_STEPS, schema: whole, value } satisfies SchemaFault,
      ];
    }
  };
  return { status: 'compiled', schema: { check } };
}

interface SchemaCopy {
  root: Schema;
  /** What each `$ref` leads to, as it is written. */
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
  let hasUnique = false;

  const copy = (from: JsonValue): Schema | boolean => {
    if (from === true) return true;
    const to = new LibrarySchema() as Schema;
    if (from === false) to.not = new LibrarySchema() as Schema;
    origins.set(to, from);
    copies.set(from, to);
    for (const [keyword, value] of isJsonObject(from) ? Object.entries(from) : []) {
      const kind = KEYWORDS.get(keyword);
      if (kind === undefined || ANNOTATIONS.has(keyword)) continue;
      if (keyword === 'uniqueItems') hasUnique ||= value === true;
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
    if (!hasUnique && byPattern.length === 0) return;
    const { keys, longest } = measure(value);
    if (hasUnique && longest > MOST_UNIQUE_ITEMS) throw new TooMuchWork();
    if (byPattern.length > 0 && keys.size > MOST_KEYS) throw new TooMuchWork();
    for (const { holder, schemas } of byPattern) {
      holder.patternProperties = Object.fromEntries(
        [...schemas].flatMap(([source, inner], index): [string, Schema | boolean][] => {
          const matching = [...keys].filter((key) => patterns.get(source)!.test(key));
          return matching.length === 0 ? [] : [[matchExactly(matching, index), inner]];
        }),
      );
    }
  };
  // What is true itself has no errors, so what stands for it does not matter.
  const root = copy(schema);
  for (const to of [...origins.keys()]) {
    if (to.$ref === undefined) continue;
    const target = resolve(to.$ref)!;
    targets[to.$ref] = copies.get(target) ?? copy(target);
  }
  return {
    root: root === true ? {} : (root as Schema),
    targets,
    origins,
    prepare,
  };
}

/** A format is the one check of texts that can be added to the library. */
function registerPattern(source: string, pattern: Pattern): string {
  const name = `pattern ${source}`;
  format[name] ??= (text) => pattern.test(text);
  return name;
}

function matchExactly(keys: readonly string[], index: number): string {
  const literals = keys.map((key) => key.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  // Named, so that two patterns with the same keys stay two.
  return `^(?<p${index}>${literals.join('|')})$`;
}

/** The different keys in a value, and the length of its longest list. */
function measure(value: JsonValue): { keys: ReadonlySet<string>; longest: number } {
  const keys = new Set<string>();
  let longest = 0;
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop()!;
    if (typeof next !== 'object' || next === null) continue;
    if (Array.isArray(next)) longest = Math.max(longest, next.length);
    else for (const key of Object.keys(next)) keys.add(key);
    for (const inner of Object.values(next)) waiting.push(inner);
  }
  return { keys, longest };
}
