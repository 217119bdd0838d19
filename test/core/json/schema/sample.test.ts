import { expect, test } from 'vitest';
import { makeSampler } from '../../../../src/core/json/schema/sample.js';
import type { JsonObject, JsonValue } from '../../../../src/core/json/values.js';

const sampleItems = (items: JsonObject, list: JsonValue[], more: JsonObject = {}) =>
  makeSampler({ type: 'array', items, ...more })(list);

test('Of items that the schema cannot tell apart, one stays', () => {
  expect(sampleItems({ type: 'string' }, ['a', 'b', 1, 'c', 2, 1.5])).toEqual(['a', 1, 1.5]);
  expect(sampleItems({ minimum: 2 }, [5, 6, 2, 7, 1, 0])).toEqual([5, 2, 1]);
  expect(sampleItems({ enum: ['a', 'b'] }, ['a', 'b', 'c', 'd', 'a'])).toEqual(['a', 'b', 'c']);
  expect(sampleItems({ minLength: 2 }, ['ab', 'abc', 'abcd', 'a', '😀', '', '😀😀'])).toEqual([
    'ab',
    'abc',
    'a',
  ]);
  expect(
    sampleItems({}, [{ a: 'x', b: [1] }, { b: [2], a: 'y' }, { a: 'z', b: [1, 2] }, { a: 'z' }]),
  ).toEqual([{ a: 'x', b: [1] }, { a: 'z', b: [1] }, { a: 'z' }]);
});

test('As many items stay as the schema counts', () => {
  const list = Array.from({ length: 9 }, () => true);
  expect(sampleItems({}, list, { maxItems: 3 })).toHaveLength(4);
  expect(sampleItems({}, list, { minItems: 5 })).toHaveLength(6);
  expect(sampleItems({}, list, { prefixItems: [true, true] })).toHaveLength(3);
});

test('A schema that compares whole items gets all of them', () => {
  for (const more of [{ uniqueItems: true }, { contains: { const: 1 } }, { enum: [['a', 'b']] }])
    expect(sampleItems({}, ['a', 'b'], more)).toEqual(['a', 'b']);
  expect(sampleItems({ pattern: '^a' }, ['a', 'b', 'b'])).toEqual(['a', 'b']);
  expect(sampleItems({ multipleOf: 2 }, [2, 3, 4])).toEqual([2, 3, 4]);
});
