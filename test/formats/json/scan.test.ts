import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readJson } from '../../../src/core/json/read.js';
import { countKeyEnds, hasFewBrackets, scanShape } from '../../../src/core/json/scan.js';

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

/** JSON with this between a key and its value, and all texts and keys of it. */
function write(value: unknown, colon: string, texts: string[]): string {
  if (typeof value === 'string') texts.push(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((inner) => write(inner, colon, texts)).join(', ')}]`;
  const entries = Object.entries(value).map(([key, inner]) => {
    texts.push(key);
    return JSON.stringify(key) + colon + write(inner, colon, texts);
  });
  return `{${entries.join(',\n')}}`;
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inside = Object.values(value).reduce<number>((sum, inner) => sum + countKeys(inner), 0);
  return Array.isArray(value) ? inside : inside + Object.keys(value).length;
}

test('the quick count of keys is never too low, and too high only where a text begins with a colon', () => {
  fc.assert(
    fc.property(values, fc.constantFrom(':', ': ', ' :', '\r\n\t :\n'), (value, colon) => {
      const texts: string[] = [];
      const text = write(value, colon, texts);
      const keys = countKeys(value);
      expect(scanShape(text, 200).colons).toBe(keys);
      expect(countKeyEnds(text)).toBe(keys + texts.filter((each) => /^ *:/.test(each)).length);
      expect(readJson(text)).toEqual({ status: 'value', value });
    }),
    { numRuns },
  );
});

test.each([
  ['{"a": 1, "b": [":", " :", "\\":", "x\\\\"]}', 4],
  ['{"a\\\\" :1}', 1],
  ['{"a\\"":1}', 1],
  ['["\\":"]', 0],
  ['[":"]', 1],
  ['{":": ":"}', 3],
  [':', 0],
  ['":', 1],
])('%s: %i', (text, count) => {
  expect(countKeyEnds(text)).toBe(count);
});

test('a key twice is found beside texts that begin with a colon', () => {
  for (const text of ['{"a": ":", "a": 1}', '{"a": 1, "a": ":b"}', '{":": 1, ":": 2}', '[{"a":":","a":":"}]'])
    expect(readJson(text)).toMatchObject({ status: 'refused', problem: { code: 'json-key-repeated' } });
  expect(readJson('{"a": ":", "b": 1}').status).toBe('value');
});

test('many brackets are looked at first, whatever they are', () => {
  expect(hasFewBrackets('[{'.repeat(250_000))).toBe(true);
  expect(hasFewBrackets(`${'[{'.repeat(250_000)}[`)).toBe(false);
  const wide = `[${'[],'.repeat(600_000)}[]]`;
  expect(readJson(wide).status).toBe('value');
  for (const levels of [201, 400_000, 600_000])
    expect(readJson(`${'['.repeat(levels)}${']'.repeat(levels)}`)).toMatchObject({
      problem: { code: 'json-too-deep' },
    });
  expect(readJson(`${'['.repeat(200)}${']'.repeat(200)}`).status).toBe('value');
});
