import fc from 'fast-check';
import { makeResolver } from '../../../src/core/json/schema/keywords.js';
import type { JsonObject, JsonValue } from '../../../src/core/json/values.js';
import { isJsonObject } from '../../../src/core/json/values.js';

/** Below, what need not be there is not there, or a schema that refers to itself would have no end. */
const DEEP_ENOUGH = 5;
const KEYS = ['repo://src/a.ts:1-2', 'b c', 'constructor', 'some words'];

const textOf = (least: number) =>
  fc
    .oneof(
      fc.string({ minLength: least, maxLength: 12 }),
      fc.constantFrom('repo://src/a.ts:1-2', 'a\nb', '`x` é'),
    )
    .filter((text) => [...text].length >= least);

/** Values that a schema allows, for the keywords that manuals use. A schema that allows nothing gives null. */
export function valuesOf(schema: JsonValue, root: JsonObject, depth = 0): fc.Arbitrary<JsonValue> | null {
  if (schema === false || depth > 12) return null;
  if (!isJsonObject(schema)) return fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<JsonValue>;
  const { $ref, const: only, enum: some, anyOf, type, not } = schema;
  if (isJsonObject(not) && Object.keys(not).length === 0) return null;
  if (typeof $ref === 'string') return valuesOf(makeResolver(root)($ref) ?? false, root, depth + 1);
  if (only !== undefined) return fc.constant(only);
  if (Array.isArray(some)) return fc.constantFrom(...some);
  if (Array.isArray(anyOf)) {
    const { anyOf: _, ...rest } = schema;
    const each = anyOf.flatMap((branch) => valuesOf(merge(rest, branch as JsonObject), root, depth) ?? []);
    return each.length > 0 ? fc.oneof(...each) : null;
  }
  if (isJsonObject(schema.if)) {
    const { if: _, then: one, else: other, ...rest } = schema;
    const branches = [one, other].filter(isJsonObject);
    return fc.oneof(...branches.flatMap((branch) => valuesOf(merge(rest, branch), root, depth) ?? []));
  }
  const types = (
    Array.isArray(type) ? type : [type ?? (schema.properties ? 'object' : 'string')]
  ) as string[];
  return fc.oneof(...types.map((name) => ofType(name, schema, root, depth)));
}

function merge(a: JsonObject, b: JsonObject): JsonObject {
  const properties = { ...(a.properties as JsonObject), ...(b.properties as JsonObject) };
  const required = [...((a.required as string[]) ?? []), ...((b.required as string[]) ?? [])];
  return {
    ...a,
    ...b,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function ofType(type: string, schema: JsonObject, root: JsonObject, depth: number): fc.Arbitrary<JsonValue> {
  const least = (schema.minimum as number) ?? -5;
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: least, max: (schema.maximum as number) ?? least + 100 });
    case 'number':
      return fc.double({ min: least, max: (schema.maximum as number) ?? least + 100, noNaN: true });
    case 'array':
      return listOf(schema, root, depth);
    case 'object':
      return objectOf(schema, root, depth);
    default:
      return textOf((schema.minLength as number) ?? 0);
  }
}

function listOf(schema: JsonObject, root: JsonObject, depth: number): fc.Arbitrary<JsonValue> {
  const minLength = (schema.minItems as number) ?? 0;
  if (Array.isArray(schema.prefixItems)) {
    const items = schema.prefixItems.map((inner) => valuesOf(inner, root, depth + 1) ?? fc.constant(null));
    const most = Math.max(minLength, Math.min((schema.maxItems as number) ?? items.length, items.length));
    return fc
      .tuple(fc.integer({ min: minLength, max: most }), ...items)
      .map(([count, ...values]) => values.slice(0, count));
  }
  const item = valuesOf(schema.items ?? true, root, depth + 1);
  return item
    ? fc.array(item, { minLength, maxLength: (schema.maxItems as number) ?? minLength + 3 })
    : fc.constant([]);
}

function objectOf(schema: JsonObject, root: JsonObject, depth: number): fc.Arbitrary<JsonValue> {
  const required = (schema.required as string[]) ?? [];
  const properties = Object.entries((schema.properties as JsonObject) ?? {});
  const model = properties.flatMap(([key, inner]) => {
    if (depth > DEEP_ENOUGH && !required.includes(key)) return [];
    const value = valuesOf(inner, root, depth + 1);
    return value
      ? [[key, required.includes(key) ? value.map(some) : fc.option(value.map(some))] as const]
      : [];
  });
  const extra =
    properties.length === 0 && isJsonObject(schema.additionalProperties)
      ? fc.dictionary(fc.constantFrom(...KEYS), valuesOf(schema.additionalProperties, root, depth + 1)!, {
          maxKeys: 3,
        })
      : fc.constant({});
  return fc.tuple(fc.record(Object.fromEntries(model)), extra).map(([known, more]) => ({
    ...Object.fromEntries(
      Object.entries(known).flatMap(([key, value]) => (value ? [[key, value.value]] : [])),
    ),
    ...more,
  }));
}

const some = (value: JsonValue) => ({ value });

/** The same value with one thing in it another: a value, a key or an entry that is gone, or one too many. */
export function mutationsOf(value: JsonValue): fc.Arbitrary<JsonValue> {
  return fc
    .tuple(fc.nat(), fc.constantFrom('replace', 'remove', 'add', 'rename'), strange)
    .map(([seed, kind, other]) => {
      const copy = structuredClone(value);
      const places = listPlaces(copy);
      if (places.length === 0) return other;
      const { holder, key } = places[seed % places.length]!;
      const slots = holder as Record<string | number, JsonValue>;
      if (kind === 'replace') {
        slots[key] = other;
      } else if (Array.isArray(holder)) {
        if (kind === 'remove') holder.splice(Number(key), 1);
        else holder.push(other);
      } else {
        if (kind === 'rename') slots[`${key}s`] = slots[key]!;
        if (kind === 'add') slots.extra = other;
        else delete slots[key];
      }
      return copy;
    });
}

const strange: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(
    null,
    true,
    '',
    ' ',
    'completed',
    'blocked',
    'failed',
    'summary',
    'detailed',
    'comprehensive',
  ),
  fc.constantFrom<JsonValue>(0, -1, 1, 0.5, 1e300, [], {}, ['x'], ['x', null], [''], { text: 'x' }),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>,
);

function listPlaces(value: JsonValue): { holder: JsonValue; key: string | number }[] {
  if (typeof value !== 'object' || value === null) return [];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap((key) => [
    { holder: value, key },
    ...listPlaces((value as Record<string | number, JsonValue>)[key]!),
  ]);
}
