import type { JsonObject, JsonValue } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';

/** What says which kinds of values there are. */
const STRUCTURE = [
  '$ref',
  'type',
  'enum',
  'const',
  'properties',
  'required',
  'additionalProperties',
  'patternProperties',
  'items',
  'prefixItems',
  'anyOf',
  'oneOf',
  'allOf',
];

/** What holds only under a condition, or forbids: left to the judge. */
const CONDITIONS = ['if', 'then', 'else', 'not', 'dependentSchemas', 'dependentRequired'];

/** Which type a keyword speaks of; of others it says nothing. */
const SPEAKS_OF: Readonly<Record<string, string>> = {
  pattern: 'string',
  format: 'string',
  minLength: 'string',
  maxLength: 'string',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'number',
  items: 'array',
  prefixItems: 'array',
  minItems: 'array',
  maxItems: 'array',
  uniqueItems: 'array',
  contains: 'array',
  minContains: 'array',
  maxContains: 'array',
  unevaluatedItems: 'array',
  properties: 'object',
  required: 'object',
  additionalProperties: 'object',
  patternProperties: 'object',
  propertyNames: 'object',
  minProperties: 'object',
  maxProperties: 'object',
  dependentRequired: 'object',
  dependentSchemas: 'object',
  unevaluatedProperties: 'object',
};

const ASSERTING = new Set([...STRUCTURE, ...CONDITIONS, ...Object.keys(SPEAKS_OF)]);
const STRUCTURING = new Set(STRUCTURE);
const CONDITIONAL = new Set(CONDITIONS);
const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** Whether a keyword decides on values; all others are remarks. */
export const isAsserting = (keyword: string): boolean => ASSERTING.has(keyword);

export const isConditional = (keyword: string): boolean => CONDITIONAL.has(keyword);

/** The schemas that hold for the same value under a condition. */
export function conditionsIn(schema: JsonObject): JsonObject[] {
  const { then: met, else: unmet, dependentSchemas } = schema;
  const named = isJsonObject(dependentSchemas) ? Object.values(dependentSchemas) : [];
  return [met, unmet, ...named].filter((inner) => isJsonObject(inner));
}

/**
 * Whether a schema leaves kinds and keys of values alone where `base` holds, too: whatever the base allows can be carried,
 * and this only allows less of it.
 */
export function onlyConstrains(schema: JsonValue, base: JsonObject): boolean {
  if (typeof schema === 'boolean') return schema;
  if (!isJsonObject(schema)) return false;
  const declared = isJsonObject(base.properties) ? base.properties : {};
  return Object.entries(schema).every(([keyword, value]) => {
    if (keyword === 'type') return Object.hasOwn(base, 'type');
    if (keyword === 'required') return Array.isArray(value) && value.every((key) => isKey(declared, key));
    if (keyword === 'properties')
      return (
        isJsonObject(value) &&
        Object.entries(value).every(([key, inner]) => isKey(declared, key) && narrows(inner, declared[key]!))
      );
    return !STRUCTURING.has(keyword) && (!CONDITIONAL.has(keyword) || keyword === 'not');
  });
}

/** The same for what is further in, where some values of those that are there may be meant. */
function narrows(schema: JsonValue, base: JsonValue): boolean {
  if (!isJsonObject(schema)) return true;
  const { type: _, enum: __, const: ___, ...rest } = schema;
  return onlyConstrains(rest, isJsonObject(base) ? base : {});
}

function isKey(declared: JsonObject, key: JsonValue): boolean {
  return typeof key === 'string' && Object.hasOwn(declared, key);
}

/**
 * The types that a schema names or, where it names none, speaks of: whoever writes `properties` means an object. Empty
 * where it speaks of none.
 */
export function typesOf(schema: JsonObject): string[] {
  const { type } = schema;
  if (type === undefined) {
    const meant = Object.keys(schema).flatMap((keyword) =>
      Object.hasOwn(SPEAKS_OF, keyword) ? SPEAKS_OF[keyword]! : [],
    );
    return [...new Set(meant)];
  }
  const named = Array.isArray(type) ? type : [type];
  const types = TYPES.filter((name) => named.includes(name));
  return types.includes('number') ? types.filter((name) => name !== 'integer') : types;
}

/** `false`, or `{"not": {}}`. */
export function forbids(schema: JsonValue): boolean {
  if (schema === false) return true;
  if (!isJsonObject(schema) || !Object.hasOwn(schema, 'not')) return false;
  const { not } = schema;
  return not === true || (isJsonObject(not) && !Object.keys(not).some(isAsserting));
}
