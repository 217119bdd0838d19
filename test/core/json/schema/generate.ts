import fc from 'fast-check';
import type { JsonObject, JsonPath, JsonValue } from '../../../../src/core/json/values.js';

/** Keys and texts from a small stock, so that schemas and values meet; some are what every object inherits. */
const KEYS = ['a', 'b', 'c', 'ab', 'constructor', 'toString', '0'];
const TEXTS = ['', 'a', 'b', 'ab', 'aab', 'abc', 'x1', '1', '😀', 'é😀', 'a\nb', ' '];
const NUMBERS = [0, -0, 1, 2, 3, 4, 10, -1, 0.5, 1.5, 2.5, 1e3];
const PATTERNS = ['^a', 'b$', '^a*b?$', '[0-9]', '^.$', '\\d+', '^(?:a|b)+$', '', '\\p{L}', '\\bx'];

export const simple: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(null, true, false),
  fc.constantFrom(...NUMBERS),
  fc.constantFrom(...TEXTS),
);
const key = fc.constantFrom(...KEYS);

/** Without keys that trouble the oracle's own comparison. */
const plainKey = fc.constantFrom('a', 'b', 'c');

const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    simple,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

const plainValue: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'xsmall', withCrossShrink: true },
    simple,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(plainKey, tie('value'), { maxKeys: 2, noNullPrototype: true }),
  ),
})).value;

const count = fc.integer({ min: 0, max: 4 });
const keys = fc.uniqueArray(key, { maxLength: 3 });
const type = fc.constantFrom('null', 'boolean', 'integer', 'number', 'string', 'array', 'object');

/** Schemas of the keywords that are read, with references to the root, to `$defs` and to an anchor. */
export const schema: fc.Arbitrary<JsonValue> = fc
  .tuple(anySchema(), anySchema(), anySchema())
  .map(([root, one, two]) => {
    if (typeof root !== 'object' || root === null || Array.isArray(root)) return root;
    return { ...root, $defs: { one, two: { ...asObject(two), $anchor: 'two' } } };
  });

function asObject(schemaValue: JsonValue): JsonObject {
  return typeof schemaValue === 'object' ? (schemaValue as JsonObject) : { not: { const: schemaValue } };
}

function anySchema(): fc.Arbitrary<JsonValue> {
  return fc.letrec<{ schema: JsonValue }>((tie) => {
    const inner = tie('schema');
    const list = fc.array(inner, { minLength: 1, maxLength: 3 });
    const byKey = fc.dictionary(key, inner, { maxKeys: 3, noNullPrototype: true });
    const keywords = {
      type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
      enum: fc.array(plainValue, { minLength: 1, maxLength: 4 }),
      const: plainValue,
      multipleOf: fc.constantFrom(1, 2, 3, 0.5, 1.5),
      minimum: fc.constantFrom(...NUMBERS),
      maximum: fc.constantFrom(...NUMBERS),
      exclusiveMinimum: fc.constantFrom(...NUMBERS),
      exclusiveMaximum: fc.constantFrom(...NUMBERS),
      minLength: count,
      maxLength: count,
      pattern: fc.constantFrom(...PATTERNS),
      minItems: count,
      maxItems: count,
      uniqueItems: fc.boolean(),
      minProperties: count,
      maxProperties: count,
      required: keys,
      dependentRequired: fc.dictionary(key, keys, { maxKeys: 2, noNullPrototype: true }),
      prefixItems: list,
      items: inner,
      contains: inner,
      minContains: count,
      maxContains: count,
      properties: byKey,
      patternProperties: fc.dictionary(fc.constantFrom(...PATTERNS), inner, {
        maxKeys: 2,
        noNullPrototype: true,
      }),
      additionalProperties: inner,
      propertyNames: inner,
      dependentSchemas: fc.dictionary(key, inner, { maxKeys: 2, noNullPrototype: true }),
      allOf: list,
      anyOf: list,
      oneOf: list,
      not: inner,
      if: inner,
      ...Object.fromEntries(['then', 'else'].map((name) => [name, inner])),
      $ref: fc.constantFrom('#', '#/$defs/one', '#/$defs/two', '#two', '#/%24defs/one'),
      title: fc.constant('A title'),
      format: fc.constant('date'),
      default: plainValue,
      'x-mark': plainValue,
    };
    const pairs = Object.entries(keywords).map(([name, said]) =>
      (said as fc.Arbitrary<JsonValue>).map((expected): [string, JsonValue] => [name, expected]),
    );
    const object = fc
      .uniqueArray(fc.oneof(...pairs), { maxLength: 4, selector: ([name]) => name })
      .map((entries) => Object.fromEntries(entries) as JsonValue);
    return { schema: fc.oneof({ depthSize: 'small' }, fc.boolean(), object, object, object, object) };
  }).schema;
}

/** A value that is close to what a schema says: what it names, made from it, and then changed a little. */
export function valueFor(said: JsonValue): fc.Arbitrary<JsonValue> {
  const near = listValues(said);
  if (near.length === 0) return value;
  const pick = fc.constantFrom(...near);
  return fc.oneof(
    value,
    pick,
    fc.array(fc.oneof(pick, value), { maxLength: 4 }),
    fc.dictionary(key, fc.oneof(pick, value), { maxKeys: 4, noNullPrototype: true }),
  );
}

/** Values that occur at `const` and `enum`, and samples of types, anywhere in a schema. */
function listValues(said: JsonValue, path: JsonPath = []): JsonValue[] {
  if (typeof said !== 'object' || said === null || path.length > 20) return [];
  if (Array.isArray(said)) return said.flatMap((inner, index) => listValues(inner, [...path, index]));
  return Object.entries(said).flatMap(([name, inner]) => {
    if (name === 'const') return [inner];
    if (name === 'enum' && Array.isArray(inner)) return inner;
    return listValues(inner, [...path, name]);
  });
}
