import { writePath } from '../json/path.js';
import { allowsNothing, makeResolver } from '../json/schema/keywords.js';
import type { JsonObject, JsonPath, JsonValue } from '../json/values.js';
import { isJsonObject } from '../json/values.js';
import { NAMED_CONTEXT_MAP_SCHEMA, pickAnnotations, replaceContextMap } from './context-map/forms.js';
import { nameKey } from './issue.js';
import { LEVEL_MARK } from './levels.js';
import { offeredLevels, reportSchema } from './report-schema.js';
import type { Manual, Verbosity } from './types.js';

/** The schema of a report for a service that accepts only strict schemas, or why there is none. */
export type StrictSchema =
  | { status: 'ok'; schema: JsonObject }
  /** In full sentences, for the author of the manual. */
  | { status: 'refused'; reason: string };

/**
 * A report's schema in the subset that strict services accept: objects with named keys, lists, strings, numbers, booleans,
 * null, and a choice between these. Every key is required; null means that an optional one is left out. `judgeValue`
 * accepts such a report as it is. Without a level: `detailed`, or the highest that the manual offers.
 */
export function strictSchema(manual: Manual, level?: Verbosity): StrictSchema {
  const offered = offeredLevels(manual);
  const only = level ?? (offered.includes('detailed') ? 'detailed' : offered.at(-1)!);
  const findings = replaceContextMap(manual.findings, (own) => ({
    ...NAMED_CONTEXT_MAP_SCHEMA,
    ...pickAnnotations(own, ['description', 'minItems', 'maxItems', LEVEL_MARK]),
  }));
  const { allOf: _, ...whole } = reportSchema({ ...manual, findings }, only);
  try {
    return { status: 'ok', schema: rewriteRoot(whole) };
  } catch (error) {
    if (!(error instanceof OutsideSubset)) throw error;
    const place = error.path.length === 0 ? '' : ` (at ${writePath(withinFindings(error.path))})`;
    const reason = `The findings schema of the manual ${nameKey(manual.name)} has no strict form. ${error.message}${place}.`;
    return { status: 'refused', reason };
  }
}

/** A path in the schema of the whole report, as one in the findings schema. */
function withinFindings(path: JsonPath): JsonPath {
  const [holder, name] = path;
  return (holder === 'properties' || holder === '$defs') && name === 'findings' ? path.slice(2) : path;
}

const NULL: JsonObject = { type: 'null' };

/** The constraints that strict schemas may have; the check applies the others. */
const NUMERIC = ['enum', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const KEPT: ReadonlyMap<JsonValue, readonly string[]> = new Map([
  ['string', ['enum', 'pattern']],
  ['number', NUMERIC],
  ['integer', NUMERIC],
  ['boolean', ['enum']],
  ['null', []],
]);

const OUTSIDE = ['allOf', 'if', 'patternProperties', 'dependentSchemas', 'prefixItems'];

/** Levels that strict services accept. */
const MOST_LEVELS = 10;
/** References are expanded, so a small schema can become a large one. */
const MOST_PARTS = 5_000;

class OutsideSubset extends Error {
  constructor(
    message: string,
    readonly path: JsonPath,
  ) {
    super(message);
  }
}

type Rewrite = (inner: JsonValue, step: JsonPath, levels: number) => JsonObject;

function rewriteRoot(root: JsonObject): JsonObject {
  const resolve = makeResolver(root);
  let parts = 0;

  const rewrite = (schema: JsonValue, path: JsonPath, level: number, open: readonly string[]): JsonObject => {
    if (++parts > MOST_PARTS)
      throw new OutsideSubset('It is too large once its references are expanded', path);
    if (level > MOST_LEVELS) throw new OutsideSubset(`It is more than ${MOST_LEVELS} levels deep`, path);
    if (!isJsonObject(schema)) throw new OutsideSubset('It has no type', path);
    const { $ref, description } = schema;
    if (typeof $ref === 'string') {
      if (open.includes($ref)) throw new OutsideSubset('It refers to itself', path);
      const target = resolve($ref);
      const { $ref: _, type: __, ...own } = schema;
      const whole = isJsonObject(target) ? combine(target, own, path) : target!;
      return rewrite(whole, path, level, [...open, $ref]);
    }
    const keyword = OUTSIDE.find((each) => Object.hasOwn(schema, each));
    if (keyword) throw new OutsideSubset(`It has \`${keyword}\``, path);
    const alternatives = listAlternatives(schema, path);
    const under: Rewrite = (inner, step, levels) => rewrite(inner, [...path, ...step], level + levels, open);
    const rewritten =
      alternatives.length > 1
        ? joinAlternatives(
            alternatives.map((inner, at) => under(inner, at === 0 ? [] : ['anyOf', at], 1)),
            path,
          )
        : rewriteType(alternatives[0]!, path, under);
    return typeof description === 'string' ? { description, ...rewritten } : rewritten;
  };
  return rewrite(root, [], 0, []);
}

/** Strict services refuse objects that start with the same key, so one kind of each is allowed. */
function joinAlternatives(schemas: readonly JsonObject[], path: JsonPath): JsonObject {
  const all = schemas.flatMap(alternativesOf);
  const several = (wanted: string) => all.filter(({ type }) => type === wanted).length > 1;
  if (several('object')) throw new OutsideSubset('It allows several kinds of objects', path);
  if (several('array')) throw new OutsideSubset('It allows several kinds of lists', path);
  return { anyOf: all };
}

const SAID_TWICE = ['type', 'title', 'description', '$comment', 'default', 'examples', '$defs'];

/** A schema in which both hold. They may not have the same keyword, except for descriptions. */
function combine(first: JsonObject, second: JsonObject, path: JsonPath): JsonObject {
  const twice = Object.keys(second).find((key) => Object.hasOwn(first, key) && !SAID_TWICE.includes(key));
  if (twice !== undefined) throw new OutsideSubset(`It has \`${twice}\` twice`, path);
  return { ...first, ...second };
}

/** A schema with `anyOf`, several types or mixed values, as several schemas of one type. */
function listAlternatives(schema: JsonObject, path: JsonPath): JsonObject[] {
  const { anyOf, oneOf, description: _, ...own } = schema;
  const choice = anyOf ?? oneOf;
  if (Array.isArray(choice)) {
    const others = choice.filter(isJsonObject).map((inner) => combine(own, inner, path));
    if (others.length < choice.length) throw new OutsideSubset('It allows anything', path);
    return others;
  }
  const values = Object.hasOwn(own, 'const') ? [own.const!] : Array.isArray(own.enum) ? own.enum : null;
  if (values) {
    const types = new Set(values.map(typeOfValue));
    return [...types].map((type) =>
      type === 'null' ? NULL : { type, enum: values.filter((value) => typeOfValue(value) === type) },
    );
  }
  return Array.isArray(own.type) ? own.type.map((type) => ({ ...own, type })) : [own];
}

function typeOfValue(value: JsonValue): string {
  return value === null ? 'null' : typeof value;
}

function rewriteType(schema: JsonObject, path: JsonPath, under: Rewrite): JsonObject {
  const { type = isJsonObject(schema.properties) ? 'object' : null } = schema;
  if (type === 'object') return rewriteObject(schema, path, under);
  if (type === 'array') {
    const { items = true, ...list } = schema;
    return { type, items: under(items, ['items'], 1), ...pick(list, ['minItems', 'maxItems']) };
  }
  const kept = KEPT.get(type);
  if (kept === undefined) throw new OutsideSubset('It has no type', path);
  return { type, ...pick(schema, kept) };
}

function pick(schema: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => keys.includes(key)));
}

function rewriteObject(
  { properties = {}, required, additionalProperties = true }: JsonObject,
  path: JsonPath,
  under: Rewrite,
): JsonObject {
  if (typeof additionalProperties !== 'boolean') throw new OutsideSubset('Its keys have no names', path);
  const fields = Object.entries(properties as JsonObject)
    .filter(([, inner]) => !allowsNothing(inner))
    .map(([name, inner]): [string, JsonObject] => {
      const isRequired = Array.isArray(required) && required.includes(name);
      const rewritten = under(inner, ['properties', name], isRequired ? 1 : 2);
      return [name, isRequired ? rewritten : allowNull(rewritten)];
    });
  if (fields.length === 0) throw new OutsideSubset('It is an object without named keys', path);
  return {
    type: 'object',
    properties: Object.fromEntries(fields),
    required: fields.map(([name]) => name),
    additionalProperties: false,
  };
}

function allowNull(schema: JsonObject): JsonObject {
  const { description, ...own } = schema;
  const alternatives = alternativesOf(own);
  if (alternatives.some(({ type }) => type === 'null')) return schema;
  const about =
    typeof description === 'string' ? `${description} null leaves it out.` : 'null leaves it out.';
  return { description: about, anyOf: [...alternatives, NULL] };
}

function alternativesOf(schema: JsonObject): JsonObject[] {
  return Array.isArray(schema.anyOf) ? schema.anyOf.filter(isJsonObject) : [schema];
}
