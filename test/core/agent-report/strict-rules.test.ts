import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json/values.js';
import { findStrictFaults } from './strict-rules.js';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});
const text = { type: 'string' };

let nested: JsonObject = text;
for (let level = 0; level < 10; level++) nested = object({ a: nested });

test('a schema that keeps the rules has no faults', () => {
  const node = object({ name: text, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } });
  expect(findStrictFaults(object({ node: { $ref: '#/$defs/node' } }, { $defs: { node } }))).toEqual([]);
  expect(findStrictFaults(nested)).toEqual([]);
});

test.each<[string, JsonObject]>([
  ['$ is not closed', object({ a: text }, { additionalProperties: true })],
  ['$ does not require all keys', object({ a: text }, { required: [] })],
  ['$ has no keys', object({})],
  ['the root is no object', { anyOf: [object({ a: text })] }],
  ['$.a has oneOf', object({ a: { ...text, oneOf: [] } })],
  ['$.a has minLength', object({ a: { ...text, minLength: 1 } })],
  ['$.a has patternProperties', object({ a: object({ b: text }, { patternProperties: {} }) })],
  ['$.a has prefixItems', object({ a: { type: 'array', items: text, prefixItems: [] } })],
  ['$.a.items is no schema', object({ a: { type: 'array' } })],
  ['$.a has the type ["string","null"]', object({ a: { type: ['string', 'null'] } })],
  ['$.a has the type undefined', object({ a: { description: 'Anything.' } })],
  ['$.a refers to #/$defs/b', object({ a: { $ref: '#/$defs/b' } })],
  [
    '$.a has description',
    object({ a: { $ref: '#/$defs/b', description: 'Words.' } }, { $defs: { b: object({ c: text }) } }),
  ],
  ['$.a lists values of another type', object({ a: { type: 'string', enum: ['x', null] } })],
  ['$.a looks around in its pattern', object({ a: { type: 'string', pattern: '^(?!x)' } })],
  [
    '$.a has alternatives that begin alike: kind,kind',
    object({ a: { anyOf: [object({ kind: text, b: text }), object({ kind: text, c: text })] } }),
  ],
  ['$.a.a.a.a.a.a.a.a.a.a.a is 11 levels deep', object({ a: nested })],
  [
    '1001 values of enums',
    object({ a: { type: 'integer', enum: Array.from({ length: 1001 }, (_, index) => index) } }),
  ],
])('%s', (fault, schema) => {
  expect(findStrictFaults(schema)).toContain(fault);
});
