import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../../src/core/json/types.js';

/** A JSON Schema of keywords that the strict transport carries, with values that keep it and have no unnamed keys. */
export interface SchemaCase {
  schema: JsonObject;
  values: fc.Arbitrary<JsonValue>;
}

const name = fc.constantFrom(
  'a',
  'b',
  'kind',
  'value',
  'key',
  'text',
  'absent',
  'choice_1',
  'constructor',
  'x y',
);
const text = fc.string({ maxLength: 6 });
const json = fc
  .jsonValue({ maxDepth: 2 })
  .filter((value) => !JSON.stringify(value).includes('__proto__')) as fc.Arbitrary<JsonValue>;

const leaf = fc.oneof<fc.Arbitrary<SchemaCase>[]>(
  fc.constant({ schema: { type: 'string' }, values: text }),
  fc.constant({
    schema: { type: 'string', minLength: 1, pattern: '^[a-c]+$' },
    values: fc.stringMatching(/^[a-c]+$/),
  }),
  fc.constant({ schema: { type: 'string', description: 'Some words.', maxLength: 6 }, values: text }),
  fc.constant({ schema: { type: 'number' }, values: fc.double({ noNaN: true, noDefaultInfinity: true }) }),
  fc.constant({
    schema: { type: 'integer', minimum: -3, exclusiveMaximum: 9 },
    values: fc.integer({ min: -3, max: 8 }),
  }),
  fc.constant({ schema: { type: 'boolean' }, values: fc.boolean() }),
  fc.constant({ schema: { type: 'null' }, values: fc.constant(null) }),
  fc.constant({ schema: { type: ['string', 'null'] }, values: fc.option(text, { nil: null }) }),
  fc.constant({
    schema: { type: ['integer', 'boolean'], minimum: 0 },
    values: fc.oneof(fc.nat(), fc.boolean()),
  }),
  fc.constant({ schema: { enum: ['one', 'two'] }, values: fc.constantFrom('one', 'two') }),
  fc.constant({ schema: { enum: ['one', 2, true, null] }, values: fc.constantFrom('one', 2, true, null) }),
  fc.constant({ schema: { const: 7 }, values: fc.constant(7) }),
  fc.constant({ schema: { enum: [[1], { a: 1 }, 'x'] }, values: fc.constantFrom([1], { a: 1 }, 'x') }),
  fc.constant({ schema: {}, values: json }),
  fc.constant({ schema: { type: 'object' }, values: fc.dictionary(name, json, { maxKeys: 2 }) }),
  fc.constant({ schema: { type: 'object', additionalProperties: false }, values: fc.constant({}) }),
  fc.constant({ schema: { type: 'array', items: false }, values: fc.constant([]) }),
);

/** `{}` says nothing of keys without names. */
const typedLeaf = leaf.filter(({ schema }) => Object.keys(schema).length > 0);

function listOf({ schema, values }: SchemaCase): SchemaCase {
  const limited = { type: 'array', items: schema, minItems: 1, maxItems: 3, uniqueItems: false };
  return { schema: limited, values: fc.array(values, { minLength: 1, maxLength: 3 }) };
}

function mapOf({ schema, values }: SchemaCase): SchemaCase {
  return {
    schema: { type: 'object', additionalProperties: schema },
    values: fc.dictionary(name, values, { maxKeys: 3 }),
  };
}

function patternMapOf({ schema, values }: SchemaCase): SchemaCase {
  return {
    schema: {
      type: 'object',
      patternProperties: { '^k[0-9]$': schema },
      additionalProperties: false,
      maxProperties: 3,
    },
    values: fc.dictionary(fc.stringMatching(/^k[0-9]$/), values, { maxKeys: 3 }),
  };
}

function tupleOf(places: SchemaCase[], least: number, rest: SchemaCase | null): SchemaCase {
  const prefixItems = places.map(({ schema }) => schema);
  const length = places.length;
  const given = fc
    .integer({ min: least, max: length })
    .chain((count) =>
      fc.tuple(
        fc.tuple(...places.slice(0, count).map(({ values }) => values)),
        rest && count === length ? fc.array(rest.values, { maxLength: 2 }) : fc.constant([]),
      ),
    );
  return {
    schema: { type: 'array', prefixItems, minItems: least, items: rest ? rest.schema : false },
    values: given.map(([first, more]) => [...first, ...more]),
  };
}

function objectOf(
  fields: { name: string; required: boolean; of: SchemaCase }[],
  rest: SchemaCase | null,
): SchemaCase {
  const properties = Object.fromEntries(fields.map(({ name, of }) => [name, of.schema]));
  const required = fields.filter(({ required }) => required).map(({ name }) => name);
  const named = fc.tuple(
    ...fields.map(({ name, required, of }) => {
      const there = of.values.map((value) => [[name, value] as [string, JsonValue]]);
      return required ? there : fc.oneof(there, fc.constant([]));
    }),
  );
  const others = rest
    ? fc.dictionary(fc.stringMatching(/^o[a-z]$/), rest.values, { maxKeys: 2 })
    : fc.constant({});
  return {
    schema: { type: 'object', properties, required, additionalProperties: rest ? rest.schema : false },
    values: fc
      .tuple(named, others)
      .map(([entries, more]) => ({ ...Object.fromEntries(entries.flat()), ...more })),
  };
}

function unionOf(keyword: 'anyOf', alternatives: SchemaCase[]): SchemaCase {
  return {
    schema: { [keyword]: alternatives.map(({ schema }) => schema), description: 'One of these.' },
    values: fc.oneof(...alternatives.map(({ values }) => values)),
  };
}

/** Two parts of one object, each open, held together by `allOf`. */
function allOf(a: SchemaCase, b: SchemaCase): SchemaCase {
  const part = (key: string, { schema }: SchemaCase) => ({ properties: { [key]: schema }, required: [key] });
  return {
    schema: { type: 'object', allOf: [part('left', a), part('right', b)] },
    values: fc.record({ left: a.values, right: b.values }),
  };
}

/** The fields of an object whose names differ; now and then one that only constrains. */
const fieldsOf = (of: fc.Arbitrary<SchemaCase>) =>
  fc.uniqueArray(fc.record({ name, required: fc.boolean(), of }), {
    minLength: 1,
    maxLength: 3,
    selector: (field) => field.name,
  });

const inner = fc.letrec<{ any: SchemaCase }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    leaf,
    tie('any').map(listOf),
    tie('any').map(mapOf),
    tie('any').map(patternMapOf),
    fc
      .tuple(fc.array(tie('any'), { minLength: 1, maxLength: 3 }), fc.nat({ max: 1 }), fc.option(typedLeaf))
      .map(([places, least, rest]) => tupleOf(places, least, rest)),
    fc
      .tuple(fieldsOf(tie('any')), fc.option(typedLeaf, { freq: 4 }))
      .map(([fields, rest]) => objectOf(fields, rest)),
    fc
      .array(tie('any'), { minLength: 2, maxLength: 3 })
      .map((alternatives) => unionOf('anyOf', alternatives)),
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => allOf(a, b)),
  ),
})).any;

export const schemaCase: fc.Arbitrary<SchemaCase> = inner;

/** A tree of itself, with whatever else in each node. */
export const recursiveCase: fc.Arbitrary<SchemaCase> = inner.map(({ schema, values }) => {
  const node = {
    type: 'object',
    properties: {
      own: schema,
      left: { $ref: '#/$defs/node' },
      more: { type: 'array', items: { $ref: '#/$defs/node' } },
    },
    required: ['own'],
    additionalProperties: false,
  };
  const tree = fc.letrec<{ node: JsonValue }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      values.map((own) => ({ own })),
      fc.record({ own: values, left: tie('node') }),
      fc.record({ own: values, more: fc.array(tie('node'), { maxLength: 2 }) }),
    ),
  })).node;
  return { schema: { $ref: '#/$defs/node', $defs: { node } }, values: tree };
});

/** Values of a strict schema, maps and JSON texts in the form in which they are written. */
export function strictValues(root: JsonObject): fc.Arbitrary<JsonValue> {
  const definitions = (root.$defs ?? {}) as Record<string, JsonObject>;
  const of = (schema: JsonObject, depth: number): fc.Arbitrary<JsonValue> => {
    if (typeof schema.$ref === 'string') return of(definitions[schema.$ref.slice('#/$defs/'.length)]!, depth);
    if (Array.isArray(schema.anyOf)) {
      const alternatives = schema.anyOf as JsonObject[];
      const null_ = alternatives.find(({ type }) => type === 'null');
      if (depth > 6 && null_) return fc.constant(null);
      return fc
        .oneof(...alternatives.map((inner) => fc.constant(inner)))
        .chain((inner) => of(inner, depth + 1));
    }
    if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
    switch (schema.type) {
      case 'object': {
        const properties = Object.entries(schema.properties as Record<string, JsonObject>);
        const values = properties.map(([key, inner]) =>
          fc
            .constant(null)
            .chain(() => of(inner, depth + 1))
            .map((value) => [key, value] as const),
        );
        return fc.tuple(...values).map((entries) => Object.fromEntries(entries));
      }
      case 'array': {
        const least = Number(schema.minItems ?? 0);
        const most = Math.min(Number(schema.maxItems ?? 3), depth > 6 ? least : least + (depth > 3 ? 1 : 2));
        const items = fc.constant(null).chain(() => of(schema.items as JsonObject, depth + 1));
        return isEntry(schema.items as JsonObject)
          ? // Keys that are numbers come first in every object, whatever order they were written in.
            fc.uniqueArray(
              items.filter((entry) => !/^\d+$/.test((entry as { key: string }).key)),
              {
                minLength: least,
                maxLength: most,
                selector: (entry) => (entry as { key: string }).key,
              },
            )
          : fc.array(items, { minLength: least, maxLength: most });
      }
      case 'string':
        return strictText(schema);
      case 'number':
        return fc
          .double({ noNaN: true, min: Number(schema.minimum ?? -1e9), max: Number(schema.maximum ?? 1e9) })
          .map((value) => value + 0);
      case 'integer':
        return fc.integer({
          min: Number(schema.minimum ?? -5),
          max: Number(schema.exclusiveMaximum ?? schema.maximum ?? 6) - 1,
        });
      case 'boolean':
        return fc.boolean();
      default:
        return fc.constant(null);
    }
  };
  return of(root, 0);
}

function isEntry(items: JsonObject): boolean {
  return (
    JSON.stringify(Object.keys((items.properties as JsonObject | undefined) ?? {})) === '["key","value"]'
  );
}

function strictText({ pattern, description = '' }: JsonObject): fc.Arbitrary<string> {
  const about = String(description);
  if (about.endsWith('A JSON object, written as a text.'))
    return fc.dictionary(name, json, { maxKeys: 2 }).map((value) => JSON.stringify(value));
  if (about.endsWith('Any JSON value, written as a text.')) return json.map((value) => JSON.stringify(value));
  return typeof pattern === 'string' ? fc.stringMatching(new RegExp(pattern)) : text;
}
