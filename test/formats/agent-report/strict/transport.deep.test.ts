import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type StrictTransport, strictTransport } from '../../../../src/core/agent-report/strict/transport.js';
import type { JsonObject, JsonValue } from '../../../../src/core/json/types.js';
import { jsonEquals } from '../../../../src/core/json/values.js';
import { recursiveCase, type SchemaCase, schemaCase, strictValues } from './schemas.js';
import { findStrictFaults } from './strict-rules.js';

const RUNS = process.env.TEDDY_SOAK ? 1_000 : 40;
const TIMEOUT = 600_000;

const ajv = (options = {}) => new Ajv2020({ strict: true, ownProperties: true, ...options });

function make(schema: JsonObject): StrictTransport {
  const read = strictTransport(schema);
  if (read.status === 'refused') throw new Error(JSON.stringify([schema, read.problems]));
  return read.transport;
}

function expectRoundTrip(schema: JsonObject, value: JsonValue): void {
  const transport = make(schema);
  expect(findStrictFaults(transport.schema)).toEqual([]);
  const encoded = transport.encode(value);
  if (encoded.status === 'refused') throw new Error(JSON.stringify([schema, value, encoded.problems]));
  const isStrict = ajv().compile(transport.schema);
  expect(isStrict(encoded.value), JSON.stringify([transport.schema, encoded.value, isStrict.errors])).toBe(
    true,
  );
  const decoded = transport.decode(encoded.value);
  if (decoded.status === 'refused') throw new Error(JSON.stringify([schema, encoded, decoded.problems]));
  expect(jsonEquals(decoded.value, value), JSON.stringify([schema, value, encoded, decoded])).toBe(true);
}

const withValue = (cases: fc.Arbitrary<SchemaCase>) =>
  cases.chain(({ schema, values }) => values.map((value) => ({ schema, value })));

test(
  'what is valid is carried there and back without loss',
  () => {
    fc.assert(
      fc.property(withValue(schemaCase), ({ schema, value }) => {
        const isValid = ajv({ allowUnionTypes: true, strictTypes: false, strictTuples: false }).compile(
          schema,
        );
        expect(isValid(value), JSON.stringify([schema, value])).toBe(true);
        expectRoundTrip(schema, value);
      }),
      { numRuns: RUNS },
    );
  },
  TIMEOUT,
);

test(
  'so is what refers to itself',
  () => {
    fc.assert(
      fc.property(withValue(recursiveCase), ({ schema, value }) => expectRoundTrip(schema, value)),
      { numRuns: Math.ceil(RUNS / 3) },
    );
  },
  TIMEOUT,
);

test(
  'what keeps the strict schema comes back to the same',
  () => {
    const exact = { yes: 0, no: 0 };
    fc.assert(
      fc.property(
        schemaCase.chain(({ schema }) => {
          const transport = make(schema);
          return strictValues(transport.schema).map((strict) => ({ schema, transport, strict }));
        }),
        ({ schema, transport, strict }) => {
          const isStrict = ajv().compile(transport.schema);
          expect(isStrict(strict), JSON.stringify([transport.schema, strict])).toBe(true);
          const decoded = transport.decode(strict);
          if (decoded.status === 'refused') {
            // Places of a tuple that are empty before others that are not: no list can say that.
            expect(decoded.problems.every(({ message }) => message.includes('follows after'))).toBe(true);
            return;
          }
          const encoded = transport.encode(decoded.value);
          if (encoded.status === 'refused') throw new Error(JSON.stringify([schema, strict, encoded]));
          if (!JSON.stringify(schema).includes('"anyOf"')) {
            exact.yes++;
            expect(encoded.value).toEqual(strict);
            return;
          }
          // A plain value that fits two alternatives has two strict forms, of which the first is written.
          exact.no++;
          expect(isStrict(encoded.value)).toBe(true);
          const again = transport.decode(encoded.value);
          expect(again.status === 'mapped' && jsonEquals(again.value, decoded.value)).toBe(true);
        },
      ),
      { numRuns: RUNS },
    );
    expect(exact.yes).toBeGreaterThan(exact.no);
  },
  TIMEOUT,
);

test(
  'no schema and no value makes it throw',
  () => {
    const odd = fc.oneof(
      fc.constantFrom<JsonValue>(
        null,
        true,
        false,
        0,
        -1,
        1.5,
        '',
        '#',
        '#/$defs/a',
        '#/properties/a',
        '__proto__',
        'a',
        'string',
        'object',
      ),
      fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>,
    );
    const keyword = fc.constantFrom(
      ...['$ref', '$defs', 'type', 'enum', 'const', 'properties', 'required', 'additionalProperties'],
      ...[
        'patternProperties',
        'propertyNames',
        'items',
        'prefixItems',
        'anyOf',
        'oneOf',
        'allOf',
        'if',
        'then',
      ],
      ...['not', 'pattern', 'minItems', 'maxItems', 'minProperties', 'a', 'description'],
    );
    const schema = fc.letrec<{ any: JsonValue }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 4, depthSize: 'small' },
        odd,
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(keyword, tie('any'), { maxKeys: 4 }),
      ),
    })).any;
    fc.assert(
      fc.property(fc.dictionary(keyword, schema, { maxKeys: 5 }), odd, (wild, value) => {
        const read = strictTransport(wild);
        if (read.status === 'refused') return void expect(read.problems.length).toBeGreaterThan(0);
        expect(findStrictFaults(read.transport.schema)).toEqual([]);
        read.transport.encode(value);
        read.transport.decode(value);
        read.transport.decode({ value });
      }),
      { numRuns: RUNS * 3 },
    );
  },
  TIMEOUT,
);
