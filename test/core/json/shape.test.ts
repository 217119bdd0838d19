import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readJson } from '../../../src/core/json/read.js';

const numRuns = process.env.TEDDY_SOAK ? 50_000 : 1000;

/** Texts and keys full of what could be taken for the end of a key. */
const tricky = fc.string({ unit: fc.constantFrom('"', ':', '\\', ' ', '\n', 'a', '{', '[', ',') });
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    tricky,
    fc.constantFrom(null, true, 1),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(tricky, tie('value'), { maxKeys: 3 }),
  ),
})).value;

/** JSON with this between a key and its value. */
function write(value: unknown, colon: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((inner) => write(inner, colon)).join(', ')}]`;
  const entries = Object.entries(value).map(
    ([key, inner]) => JSON.stringify(key) + colon + write(inner, colon),
  );
  return `{${entries.join(',\n')}}`;
}

test('whatever stands in texts and keys, and between a key and its value, is read', () => {
  fc.assert(
    fc.property(values, fc.constantFrom(':', ': ', ' :', '\r\n\t :\n'), (value, colon) => {
      expect(readJson(write(value, colon))).toEqual({ status: 'value', value });
    }),
    { numRuns },
  );
});

test('a key twice is found beside texts that begin with a colon', () => {
  for (const text of ['{"a": ":", "a": 1}', '{"a": 1, "a": ":b"}', '{":": 1, ":": 2}', '[{"a":":","a":":"}]'])
    expect(readJson(text)).toMatchObject({ status: 'refused', problem: { code: 'json-key-repeated' } });
  expect(readJson('{"a": ":", "b": 1}').status).toBe('value');
});

test('many brackets are no levels', () => {
  const wide = `[${'[],'.repeat(600_000)}[]]`;
  expect(readJson(wide).status).toBe('value');
  for (const levels of [201, 400_000, 600_000])
    expect(readJson(`${'['.repeat(levels)}${']'.repeat(levels)}`)).toMatchObject({
      problem: { code: 'json-too-deep' },
    });
  expect(readJson(`${'['.repeat(200)}${']'.repeat(200)}`).status).toBe('value');
});
