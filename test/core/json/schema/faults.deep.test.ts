import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileSchema } from '../../../../src/core/json/schema/compile.js';
import { describeFault } from '../../../../src/core/json/schema/describe.js';
import type { SchemaFault } from '../../../../src/core/json/schema/types.js';
import type { JsonPath, JsonValue } from '../../../../src/core/json/values.js';
import { isJsonObject } from '../../../../src/core/json/values.js';
import { schema, valueFor } from './generate.js';

const RUNS = process.env.TEDDY_SOAK ? 30_000 : 1_000;

const LACKS = ['required', 'dependentRequired'];
const HAS_TOO_MUCH = ['additionalProperties', 'propertyNames'];

test('Every fault leads to its value, says what its schema says, and has words', {
  timeout: 60_000 + RUNS * 20,
}, () => {
  let seen = 0;
  const pair = schema.chain((said) => fc.tuple(fc.constant(said), valueFor(said), valueFor(said)));
  fc.assert(
    fc.property(pair, ([said, ...values]) => {
      const read = compileSchema(said);
      if (read.status === 'refused') return;
      for (const value of values) {
        const faults = read.schema.check(value);
        for (const fault of faults) examine(fault, value);
        seen += faults.length;
        const first = read.schema.check(value, { most: 1 });
        expect(first).toEqual(faults.slice(0, 1));
      }
    }),
    { numRuns: RUNS },
  );
  expect(seen).toBeGreaterThan(RUNS / 5);
});

function examine(fault: SchemaFault, whole: JsonValue): void {
  const { keyword, path, key, expected, value } = fault;
  expect(valueAt(whole, path)).toBe(value);
  if (keyword !== 'false' && keyword !== 'oneOf' && !isUnion(fault))
    expect(expected).toEqual(fault.schema[keyword]);
  const isOfKey = LACKS.includes(keyword) || HAS_TOO_MUCH.includes(keyword);
  expect(key !== undefined).toBe(isOfKey);
  if (key !== undefined) expect(Object.hasOwn(value as object, key)).toBe(HAS_TOO_MUCH.includes(keyword));
  const { message, hint } = describeFault(fault);
  expect(message).toMatch(/^(?:must|is|fits) .*[^.]$/s);
  if (hint !== undefined) expect(hint).toMatch(/^[A-Z]/);
}

/** The words of all alternatives, of which the value has none. */
function isUnion({ keyword, schema: { anyOf, oneOf } }: SchemaFault): boolean {
  return keyword === 'enum' && (anyOf !== undefined || oneOf !== undefined);
}

function valueAt(whole: JsonValue, path: JsonPath): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((value, step) => {
    if (Array.isArray(value)) return value[step as number];
    return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }, whole);
}
