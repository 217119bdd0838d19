import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject, jsonEquals } from '../../../src/core/json/values.js';

const RUNS = process.env.TEDDY_SOAK ? 50_000 : 500;

test('isJsonObject', () => {
  expect([{}, { a: 1 }].every(isJsonObject)).toBe(true);
  expect([null, [], 'a', 1, true, undefined].some(isJsonObject)).toBe(false);
});

describe('jsonEquals', () => {
  test.each([
    ['null', 'null'],
    ['1.0', '1'],
    ['-0', '0'],
    ['"a"', '"\\u0061"'],
    ['[1, [2]]', '[1,[2]]'],
    ['{"a": 1, "b": {"c": []}}', '{"b": {"c": []}, "a": 1}'],
  ])('%s equals %s', (a, b) => {
    expect(jsonEquals(JSON.parse(a), JSON.parse(b))).toBe(true);
  });

  test.each([
    ['null', 'false'],
    ['0', 'false'],
    ['1', '"1"'],
    ['null', '{}'],
    ['[]', '{}'],
    ['[1, 2]', '[2, 1]'],
    ['[1]', '[1, 1]'],
    ['["a"]', '{"0": "a"}'],
    ['{"a": 1}', '{"b": 1}'],
    ['{"a": 1}', '{"a": 1, "b": 1}'],
    ['{"a": {"b": 1}}', '{"a": {"b": 2}}'],
    ['{"toString": null}', '{"a": null}'],
  ])('%s differs from %s', (a, b) => {
    expect(jsonEquals(JSON.parse(a), JSON.parse(b))).toBe(false);
    expect(jsonEquals(JSON.parse(b), JSON.parse(a))).toBe(false);
  });

  test('says of any two values what their text says when keys are in order', () => {
    const small = fc.jsonValue({ maxDepth: 2, noUnicodeString: true });
    fc.assert(
      fc.property(small, small, (a, b) => {
        const inOrder = (value: unknown) =>
          JSON.stringify(value, (_, inner) =>
            isJsonObject(inner) ? Object.entries(inner).sort(([x], [y]) => (x < y ? -1 : 1)) : inner,
          );
        fc.pre(!`${inOrder(a)}${inOrder(b)}`.includes('__proto__'));
        const copy = JSON.parse(JSON.stringify(a));
        expect(jsonEquals(JSON.parse(JSON.stringify(a)), copy)).toBe(true);
        if (jsonEquals(copy, JSON.parse(JSON.stringify(b)))) expect(inOrder(a)).toBe(inOrder(b));
      }),
      { numRuns: RUNS },
    );
  });
});
