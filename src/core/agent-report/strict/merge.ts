import type { JsonObject, JsonValue } from '../../json/types.js';
import { isJsonObject, jsonEquals } from '../../json/values.js';

/** A keyword of both schemas as one; undefined where it cannot be said by one. */
type Merger = (a: JsonValue, b: JsonValue) => JsonValue | undefined;

const larger: Merger = (a, b) => (typeof a === 'number' && typeof b === 'number' ? Math.max(a, b) : a);
const smaller: Merger = (a, b) => (typeof a === 'number' && typeof b === 'number' ? Math.min(a, b) : a);
const both: Merger = (a, b) => ({ allOf: [a, b] });

const bothByName: Merger = (a, b) => {
  if (!isJsonObject(a) || !isJsonObject(b)) return undefined;
  const merged: JsonObject = { ...a };
  for (const [name, schema] of Object.entries(b)) {
    merged[name] = Object.hasOwn(a, name) ? both(a[name]!, schema)! : schema;
  }
  return merged;
};

const MERGERS: Readonly<Record<string, Merger>> = {
  type: mergeTypes,
  enum: (a, b) =>
    Array.isArray(a) && Array.isArray(b)
      ? a.filter((value) => b.some((other) => jsonEquals(value, other)))
      : undefined,
  properties: bothByName,
  patternProperties: bothByName,
  required: (a, b) => (Array.isArray(a) && Array.isArray(b) ? [...new Set([...a, ...b])] : undefined),
  additionalProperties: (a, b) => (a === false || b === false ? false : both(a, b)),
  items: (a, b) => (a === false || b === false ? false : both(a, b)),
  // Places of one list against `items` of the other: nobody writes that.
  prefixItems: (a, b) => (jsonEquals(a, b) ? a : undefined),
  minimum: larger,
  exclusiveMinimum: larger,
  minItems: larger,
  minLength: larger,
  minProperties: larger,
  maximum: smaller,
  exclusiveMaximum: smaller,
  maxItems: smaller,
  maxLength: smaller,
  maxProperties: smaller,
};

/**
 * What both schemas allow, as one schema; or the keyword that stands in the way. Of a constraint that only one of the two
 * can state, such as a second `pattern`, the first stands: the judge knows both.
 */
export function mergeSchemas(a: JsonObject, b: JsonObject): { schema: JsonObject } | { inTheWay: string } {
  const first = withEnum(a);
  const second = withEnum(b);
  const merged: JsonObject = { ...first };
  for (const [keyword, value] of Object.entries(second)) {
    if (!Object.hasOwn(first, keyword)) {
      merged[keyword] = value;
      continue;
    }
    if (!Object.hasOwn(MERGERS, keyword)) continue;
    const joined = MERGERS[keyword]!(first[keyword]!, value);
    if (joined === undefined) return { inTheWay: keyword };
    merged[keyword] = joined;
  }
  if (Object.hasOwn(merged, 'prefixItems') && first.items !== second.items && !samePlaces(first, second))
    return { inTheWay: 'items' };
  merged.properties = { ...(isJsonObject(merged.properties) ? merged.properties : {}) };
  limitKeys(merged.properties, first, second);
  limitKeys(merged.properties, second, first);
  if (Object.keys(merged.properties).length === 0) delete merged.properties;
  return { schema: merged };
}

function withEnum(schema: JsonObject): JsonObject {
  if (!Object.hasOwn(schema, 'const')) return schema;
  const { const: value, ...rest } = schema;
  const values = Array.isArray(rest.enum) ? rest.enum.filter((other) => jsonEquals(other, value!)) : [value!];
  return { ...rest, enum: values };
}

function mergeTypes(a: JsonValue, b: JsonValue): JsonValue {
  const left = Array.isArray(a) ? a : [a];
  const right = Array.isArray(b) ? b : [b];
  const covers = (types: JsonValue[], type: JsonValue) =>
    types.includes(type) || (type === 'integer' && types.includes('number'));
  return [
    ...new Set([
      ...left.filter((type) => covers(right, type)),
      ...right.filter((type) => covers(left, type)),
    ]),
  ];
}

function samePlaces(a: JsonObject, b: JsonObject): boolean {
  const silent = (schema: JsonObject) =>
    !Object.hasOwn(schema, 'items') && !Object.hasOwn(schema, 'prefixItems');
  return silent(a) || silent(b);
}

/** What one schema says of keys that it does not name holds for those that only the other names. */
function limitKeys(properties: JsonObject, names: JsonObject, others: JsonObject): void {
  if (!isJsonObject(names.properties) || !Object.hasOwn(others, 'additionalProperties')) return;
  if (isJsonObject(others.patternProperties)) return;
  const own = isJsonObject(others.properties) ? others.properties : {};
  const limit = others.additionalProperties!;
  for (const [key, schema] of Object.entries(names.properties)) {
    if (!Object.hasOwn(own, key)) properties[key] = limit === false ? false : { allOf: [schema, limit] };
  }
}
