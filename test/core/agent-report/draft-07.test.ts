import { Ajv2020 } from 'ajv/dist/2020.js';
import { Ajv } from 'ajv/dist/ajv.js';
import { expect, test } from 'vitest';
import { toDraft07 } from '../../../src/core/agent-report/report-schema.js';
import type { JsonObject, JsonValue } from '../../../src/core/json/values.js';

const CASES: [string, JsonObject, JsonValue[]][] = [
  [
    'a tuple, and what follows it',
    { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'integer' } },
    [[], ['a'], ['a', 1], ['a', 'b'], [1]],
  ],
  [
    'a closed tuple',
    { type: 'array', prefixItems: [{ type: 'string' }], items: false },
    [['a'], ['a', 1], []],
  ],
  ['a list', { type: 'array', items: { type: 'integer' } }, [[1], ['a']]],
  [
    'what depends on a key',
    {
      type: 'object',
      dependentRequired: { a: ['b'] },
      dependentSchemas: { c: { required: ['d'], properties: { d: { type: 'string' } } } },
    },
    [{}, { a: 1 }, { a: 1, b: 1 }, { c: 1 }, { c: 1, d: 'x' }, { c: 1, d: 1 }],
  ],
  [
    'references into what is called otherwise here, with words beside them',
    {
      type: 'object',
      properties: {
        $defs: { type: 'array', prefixItems: [{ type: 'string' }] },
        one: { $ref: '#/properties/$defs/prefixItems/0', minLength: 2 },
        two: { $ref: '#/$defs/prefixItems' },
        rest: { $ref: '#/$defs/prefixItems/items', description: 'The rest.' },
      },
      $defs: { prefixItems: { type: 'array', prefixItems: [{ type: 'null' }], items: { type: 'boolean' } } },
    },
    [
      { one: 'ab' },
      { one: 'a' },
      { one: 1 },
      { two: [null, true] },
      { two: [true] },
      { rest: true },
      { rest: 1 },
    ],
  ],
  [
    'a reference beside an allOf',
    {
      allOf: [{ type: 'string' }],
      $ref: '#/$defs/short',
      $defs: { short: { type: 'string', maxLength: 2 } },
    },
    ['ab', 'abc', 1],
  ],
  [
    'contains that need not be',
    { type: 'array', contains: { type: 'string' }, minContains: 0 },
    [[], [1], ['a']],
  ],
];

test.each(CASES)('%s', (_, schema, values) => {
  const before = new Ajv2020({ strict: false }).compile(schema);
  const after = new Ajv({ strict: true, strictTypes: false, strictTuples: false }).compile(toDraft07(schema));
  const verdicts = values.map((value) => before(value));
  expect(values.map((value) => after(value))).toEqual(verdicts);
  expect(JSON.stringify(toDraft07(schema))).not.toMatch(/"(?:\$schema|prefixItems":\[|dependent\w+)/);
});

test('a reference that is not encoded as it should be', () => {
  const schema = { $defs: { '100%': { type: 'string' } }, properties: { a: { $ref: '#/$defs/100%' } } };
  expect(toDraft07(schema)).toEqual({
    definitions: { '100%': { type: 'string' } },
    properties: { a: { $ref: '#/definitions/100%25' } },
  });
});
