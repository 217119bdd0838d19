import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileSchema } from '../../../../src/core/json/schema/compile.js';
import type { JsonObject, JsonValue } from '../../../../src/core/json/values.js';
import { isJsonObject } from '../../../../src/core/json/values.js';
import { schema, valueFor } from './generate.js';

const RUNS = process.env.TEDDY_SOAK ? 30_000 : 1_000;
const TIMEOUT = 60_000 + RUNS * 20;

const OPTIONS = {
  strict: false,
  ownProperties: true,
  validateFormats: false,
  logger: false,
} as const;

function startOracle(): Ajv2020 {
  const ajv = new Ajv2020(OPTIONS);
  // It would keep count of keys for a keyword that is not used here, and throw over it now and then.
  ajv.opts.unevaluated = false;
  return ajv;
}

/** One oracle for many schemas, since each takes its time to begin; a new one now and then, since each keeps what it made. */
function createOracle() {
  let ajv = startOracle();
  let count = 0;
  return (said: JsonValue): ((value: JsonValue) => boolean) => {
    if (++count % 500 === 0) ajv = startOracle();
    const validate = ajv.compile(rewrite(said) as object | boolean);
    return (value) => validate(value) as boolean;
  };
}

/**
 * The same schema around two faults of the oracle. Of an empty list it says what it last said of another one, unless
 * `contains` has a bound above; and what stands beside `prefixItems` it forgets for lists that are shorter.
 */
function rewrite(said: JsonValue): JsonValue {
  if (Array.isArray(said)) return said.map(rewrite);
  if (!isJsonObject(said)) return said;
  const inner = Object.fromEntries(
    Object.entries(said).map(([key, value]) => [key, rewrite(value)]),
  ) as JsonObject;
  const bounded = Object.hasOwn(inner, 'contains') ? { maxContains: 1000, ...inner } : inner;
  const { prefixItems, items, allOf, ...others } = bounded;
  if (prefixItems === undefined) return bounded;
  const apart = items === undefined ? { prefixItems } : { prefixItems, items };
  return { ...others, allOf: [...(Array.isArray(allOf) ? allOf : []), apart] };
}

/** Its comparison of objects calls what stands at `toString`, and takes the `constructor` for a class. */
function isBeyondOracle(said: JsonValue, value: JsonValue): boolean {
  const compares = /"(?:const|enum|uniqueItems)":/.test(JSON.stringify(said));
  return compares && /"(?:constructor|toString)":/.test(JSON.stringify(value));
}

test('A schema that is read compiles elsewhere too, and means the same', { timeout: TIMEOUT }, () => {
  const compileWithOracle = createOracle();
  const seen = { compiled: 0, valid: 0, invalid: 0 };
  const pair = schema.chain((said) =>
    fc.tuple(fc.constant(said), fc.array(valueFor(said), { minLength: 8, maxLength: 8 })),
  );
  fc.assert(
    fc.property(pair, ([said, values]) => {
      const read = compileSchema(said);
      if (read.status === 'refused') {
        // The only problem that generated schemas have.
        expect(read.problems.map(({ message }) => message).join()).toMatch(/leads back to itself/);
        return;
      }
      seen.compiled++;
      const holds = compileWithOracle(said);
      const asked = values.filter((value) => !isBeyondOracle(said, value));
      const wanted = asked.map(holds);
      expect(asked.map((value) => read.schema.check(value).length === 0)).toEqual(wanted);
      seen.valid += wanted.filter((answer) => answer).length;
      seen.invalid += wanted.filter((answer) => !answer).length;
    }),
    { numRuns: RUNS },
  );
  expect(Math.min(seen.compiled, seen.valid, seen.invalid)).toBeGreaterThan(RUNS / 2);
});
