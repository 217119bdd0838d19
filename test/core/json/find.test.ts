import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findJson } from '../../../src/core/json/find.js';
import { readJson } from '../../../src/core/json/read.js';

const RUNS = process.env.TEDDY_SOAK ? 50_000 : 500;

const found = (text: string) => findJson(text, 'r').found.map(({ value }) => value.r);

describe('found', () => {
  test.each<[string, string, unknown[]]>([
    ['alone', '{"r": 1}', [1]],
    ['nothing', '', []],
    ['no object', 'I could not do it. [1, 2] "r": 3', []],
    ['between words', 'Here it is: {"r": 1}. Anything else?', [1]],
    ['in a fence', 'Here:\n```json\n{\n  "r": "a\\n```\\nb"\n}\n```\nDone.', ['a\n```\nb']],
    ['in an open fence', '~~~\n{"r": 1}', [1]],
    ['two', '{"r": 1}\n\n{"r": 2}', [1, 2]],
    ['two without anything between', '{"r":1}{"r":2}', [1, 2]],
    ['not those inside', '{"r": {"r": 2}, "x": [{"r": 3}]}', [{ r: 2 }]],
    ['not those inside one that is not wanted', '{"x": {"r": 2}}', []],
    ['not those inside a text', '{"x": "{\\"r\\": 2}"}', []],
    ['in a list', '[{"r": 1}, {"r": 2}]', [1, 2]],
    ['behind braces of other kinds', 'f() { return {} } #{x} {{y}} {z} { } {"r": 1}', [1]],
    ['behind an object in code', 'const a = {b: 1, c: {"r": 0}}; {"r": 1}', [1]],
    ['behind a broken one', 'so {"a": 1, …} or so: {"r": 1}', [1]],
    ['not those inside a broken one', '{"a": 01, "b": {"r": 1}} {"r": 2}', [2]],
    ['not those inside one with a key twice', '{"a": 1, "a": {"r": 1}} {"r": 2}', [2]],
    ['not those before the fault', '{"b": {"r": 1}, "c": } {"r": 2}', [2]],
    ['after a string that is not closed', '{"a": "b}\n, "c": 1} {"r": 2}', [2]],
    ['behind a bad escape in a text with brackets', '{"a": "\\_ }}}"} {"r": 2}', [2]],
    ['behind a quote in a text', '{"a": "say "hi" now"} {"r": 2}', [2]],
    ['behind too many levels', `${'{"a":'.repeat(300)}{"r":1}${'}'.repeat(300)} {"r": 2}`, [2]],
    ['behind one that does not end, at the beginning of a line', '{"a": [1, 2\n```\n{"r": 2}\n', [2]],
    ['not within one that does not end', '{"a": x, "b": [\n  {"r": 2}, {"r": 3}', []],
    ['behind a byte order mark', '\uFEFF{"r": 1}', [1]],
    ['spread over lines', '\r\n{\r\n\t"r"\r\n:\r\n1\r\n}', [1]],
  ])('%s', (_, text, values) => {
    expect(found(text)).toEqual(values);
  });

  test('where they stand', () => {
    const text = 'Ä: {"r": [1]}, {"s": 2}, {"r": 3}';
    const { found } = findJson(text, 'r');
    expect(found).toEqual([
      { value: { r: [1] }, from: 3, to: 13 },
      { value: { r: 3 }, from: 25, to: 33 },
    ]);
  });
});

describe('broken', () => {
  test.each<[string, string, string, [number, number]]>([
    ['two commas', 'Here:\n{"r": 1, "s": 2,,}', 'json-invalid', [2, 17]],
    ['a comma too many', 'Here: {"r": 1,}', 'json-invalid', [1, 14]],
    ['cut off', 'Here: {"r": {"x": "so', 'json-cut-off', [1, 22]],
    ['key without quotes', '{r: 1}', 'json-invalid', [1, 2]],
    ['key in single quotes', "x { 'r' : 1}", 'json-invalid', [1, 5]],
    ['key in curved quotes', '{“r”: 1}', 'json-invalid', [1, 2]],
    ['key twice', '{"r": 1, "r": 2}', 'json-key-repeated', [1, 10]],
    ['__proto__', '{"r": 1, "__proto__": 2}', 'json-key-forbidden', [1, 10]],
    ['half a character', '{"r": "\\ud800"}', 'json-half-character', [1, 8]],
    ['the first key is never read', '{"r', 'json-cut-off', [1, 4]],
  ])('%s', (_, text, code, [line, column]) => {
    const { found, broken, complete } = findJson(text, 'r');
    expect(found).toEqual([]);
    expect(broken).toMatchObject([{ from: text.indexOf('{'), problem: { code, line, column } }]);
    expect(complete).toBe(true);
  });

  test('each is listed, with its own place', () => {
    const { found, broken } = findJson('{"r": 1,,}\n{"r": 1}\n\n{"b": 01}\n{"r": {"d":\n', 'r');
    expect(found).toHaveLength(1);
    expect(broken.map(({ problem }) => [problem.code, problem.line, problem.column])).toEqual([
      ['json-invalid', 1, 9],
      ['json-cut-off', 5, 12],
    ]);
  });

  test('other things in braces are not', () => {
    const text = 'f() { return 1 } #{x} {{y}} {z} { a, b } {1: 2} {\\"r\\": 1} { ';
    expect(findJson(text, 'x').broken).toEqual([]);
  });
});

describe('whatever the text', () => {
  const object = fc
    .dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true })
    .map((others) => ({ ...others, r: 1 }));
  const prose = fc.constantFrom(
    '',
    ' ',
    'so: ',
    '\n',
    '```json\n',
    '\n```\n',
    ', ',
    '{z} ',
    "it's ",
    '[1] ',
    '}',
    ']',
  );

  test('every object between words is found, in order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(prose, object, fc.constantFrom(0, 2)), { maxLength: 5 }),
        prose,
        (parts, end) => {
          fc.pre(!JSON.stringify(parts).includes('__proto__'));
          const texts = parts.map(([, value, indent]) => JSON.stringify(value, null, indent));
          const text = parts.map(([before], index) => before + texts[index]).join('') + end;
          const { found, broken } = findJson(text, 'r');
          expect(found.map(({ from, to }) => text.slice(from, to))).toEqual(texts);
          expect(found.map(({ value }) => value)).toEqual(texts.map((json) => JSON.parse(json)));
          expect(broken).toEqual([]);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('what is found is JSON as it stands there, and nothing overlaps', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '"r"',
      '"a"',
      ':',
      ',',
      '[',
      ']',
      '1',
      '"',
      '\\',
      '\n',
      ' ',
      'x',
      '{"r":1}',
      "'",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        const { found, broken, complete } = findJson(text, 'r');
        let last = 0;
        for (const { value, from, to } of found) {
          expect(from).toBeGreaterThanOrEqual(last);
          expect(readJson(text.slice(from, to))).toEqual({ status: 'value', value });
          last = to;
        }
        for (const { from } of broken) {
          expect(text[from]).toBe('{');
          expect(found.some((one) => one.from <= from && from < one.to)).toBe(false);
        }
        expect(complete).toBe(true);
      }),
      { numRuns: RUNS * 4 },
    );
  });
});

describe('hostile texts', () => {
  const MB = 1_000_000;
  test.each<[string, () => string, boolean]>([
    ['{', () => '{'.repeat(20 * MB), true],
    ['{"', () => '{"'.repeat(10 * MB), true],
    ['{a', () => '{a'.repeat(10 * MB), true],
    ['{a:', () => '{a:'.repeat(7 * MB), true],
    ['{"a":', () => '{"a":'.repeat(4 * MB), true],
    ['{"a" and a line break', () => '{"a"\n'.repeat(4 * MB), false],
    ['{"a"}', () => '{"a"}'.repeat(4 * MB), false],
    ['{}', () => '{}'.repeat(10 * MB), false],
    ['{ and much white space', () => `{${' '.repeat(10_000)}`.repeat(2_000), true],
    ['{ and long names', () => `{${'a'.repeat(60)}`.repeat(300_000), true],
    ['{" and backslashes', () => `{"${'\\'.repeat(20 * MB)}`, true],
  ])('20 MB of %s', (_, make, complete) => {
    const result = findJson(make(), 'r');
    expect(result.found).toEqual([]);
    expect(result.complete).toBe(complete);
  });
});
