import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writePath } from '../../../src/core/json/path.js';
import type { JsonPath } from '../../../src/core/json/types.js';
import { isJsonObject, jsonEquals } from '../../../src/core/json/values.js';

const RUNS = process.env.TEDDY_SOAK ? 50_000 : 500;

describe('writePath', () => {
  test.each<[JsonPath, string]>([
    [[], '$'],
    [['report_metadata', 'status'], '$.report_metadata.status'],
    [['findings', 'context_map', 1, 0], '$.findings.context_map[1][0]'],
    [['odd key'], "$['odd key']"],
    [['a', 'b-c', 0, '_d1'], "$.a['b-c'][0]._d1"],
    [[''], "$['']"],
    [['1a', '7'], "$['1a']['7']"],
    [["it's", '\\'], "$['it\\'s']['\\\\']"],
    [['a\nb\u0000'], "$['a\\u000Ab\\u0000']"],
    [['größe', '😀'], "$['größe']['😀']"],
    [['a\u202eb'], "$['a\\u202Eb']"],
    [['\ud800x'], "$['\\uD800x']"],
    [['\u{e0041}'], "$['\\uDB40\\uDC41']"],
    [['a]', "['"], "$['a]']['[\\'']"],
    [['x'.repeat(201)], `$['${'x'.repeat(199)}…']`],
    [['x'.repeat(200)], `$.${'x'.repeat(200)}`],
  ])('%j', (path, written) => {
    expect(writePath(path)).toBe(written);
  });

  test('leads back to every name', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(fc.nat(), fc.string({ unit: 'binary', maxLength: 20 }), fc.stringMatching(/^\w{1,9}$/)),
        ),
        (path) => {
          expect(readPath(writePath(path))).toEqual(path);
        },
      ),
      { numRuns: RUNS },
    );
  });
});

/** The steps of a path, by the grammar of RFC 9535 as far as a path with one result needs it. */
function readPath(written: string): JsonPath {
  const steps = written.slice(1).match(/\.[A-Za-z_]\w*|\[\d+\]|\['(?:[^'\\]|\\.)*'\]/g) ?? [];
  expect(`$${steps.join('')}`).toBe(written);
  return steps.map((step) => {
    if (step.startsWith('.')) return step.slice(1);
    if (!step.startsWith("['")) return Number(step.slice(1, -1));
    const inside = step.slice(2, -2).replace(/\\'|"/g, (char) => (char === '"' ? '\\"' : "'"));
    return JSON.parse(`"${inside}"`);
  });
}

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
