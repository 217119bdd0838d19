import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileSchema } from '../../../../src/core/json/schema/compile.js';
import { makeSampler } from '../../../../src/core/json/schema/sample.js';
import type { JsonObject, JsonValue } from '../../../../src/core/json/values.js';
import { schema, simple, valueFor } from './generate.js';

const RUNS = process.env.TEDDY_SOAK ? 50_000 : 4_000;

const count = fc.integer({ min: 0, max: 4 });

/** What one keyword says about a value without parts. */
const plain: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ enum: fc.array(simple, { minLength: 1, maxLength: 4 }) }),
  fc.record({ const: simple }),
  fc.record({ type: fc.constantFrom('string', 'integer', 'number', 'boolean') }),
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].map((keyword) =>
    fc.constantFrom(1, 2, 3, 0.5).map((number): JsonObject => ({ [keyword]: number })),
  ),
  ...['minLength', 'maxLength'].map((keyword) => count.map((length): JsonObject => ({ [keyword]: length }))),
  fc.record({ pattern: fc.constantFrom('^a', 'b$', '[0-9]') }),
);

/** What a schema says about a list, an object, or both. */
const holder: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ items: plain }),
  fc.record({ items: plain, prefixItems: fc.array(plain, { minLength: 1, maxLength: 2 }) }),
  fc.record({ items: plain, minItems: count, maxItems: count }, { requiredKeys: ['items'] }),
  fc.record({
    items: fc.record({
      properties: fc.record({ a: plain, b: plain }),
      required: fc.constant<JsonValue>(['a']),
    }),
  }),
  fc.record({
    items: fc.record({ properties: fc.record({ a: plain }), additionalProperties: fc.constant(false) }),
  }),
  fc.record({ items: fc.record({ anyOf: fc.tuple(plain, fc.record({ items: plain })) }) }),
);

const item: fc.Arbitrary<JsonValue> = fc.oneof(
  simple,
  fc.array(simple, { maxLength: 6 }),
  fc.record({ a: simple, b: simple }, { requiredKeys: [] }),
);

function isValid(said: JsonObject, value: JsonValue): boolean {
  const read = compileSchema(said);
  if (read.status === 'refused') throw new Error(read.problems[0]!.message);
  return read.schema.check(value).length === 0;
}

test('A sample of a list in which all items but one fit is valid exactly if that one fits too', {
  timeout: 60_000 + RUNS * 50,
}, () => {
  let [smaller, refused] = [0, 0];
  const list = holder.chain((said) => {
    const near = fc.oneof({ weight: 2, arbitrary: simple }, item, valueFor(said));
    return fc.tuple(fc.constant(said), fc.array(near, { maxLength: 20 }), near);
  });
  fc.assert(
    fc.property(list, ([said, items, last]) => {
      const { items: inner } = said;
      const fitting = items.filter((each) => isValid(inner as JsonObject, each));
      const whole = [...fitting, last, ...fitting];
      const sampled = makeSampler(said)(whole) as JsonValue[];
      const valid = isValid(said, whole);
      expect(isValid(said, sampled)).toBe(valid);
      if (sampled.length === whole.length) return;
      smaller++;
      if (!valid) refused++;
    }),
    { numRuns: RUNS },
  );
  expect(smaller).toBeGreaterThan(RUNS / 4);
  expect(refused).toBeGreaterThan(RUNS / 10);
});

test('A sample is valid exactly if the whole value is, by schemas with any keywords', {
  timeout: 60_000 + RUNS * 20,
}, () => {
  const pair = schema.chain((said) => {
    const items = fc.array(valueFor(said), { maxLength: 12 });
    return fc.tuple(fc.constant(said), fc.oneof(items, fc.array(items), fc.record({ a: items })));
  });
  fc.assert(
    fc.property(pair, ([said, value]) => {
      const whole = { ...(said as JsonObject) };
      if (compileSchema(whole).status === 'refused') return;
      expect(isValid(whole, makeSampler(whole)(value))).toBe(isValid(whole, value));
    }),
    { numRuns: RUNS },
  );
});
