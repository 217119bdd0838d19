import { describe, expect, test } from 'vitest';
import { readJson } from '../../../src/core/json/read.js';
import { FAULTS } from './faults.js';

const nest = (levels: number, open: string, inside: string, close: string) =>
  `${open.repeat(levels)}${inside}${close.repeat(levels)}`;

const codeOf = (text: string) => {
  const read = readJson(text);
  if (read.status === 'value') return 'value';
  return read.problem.code;
};

describe('values', () => {
  test.each<[string, string, unknown]>([
    [
      'an object',
      '{"a": [1, -2.5e3, "x", true, false, null, {}]}',
      { a: [1, -2500, 'x', true, false, null, {}] },
    ],
    ['white space', ' \r\n\t[ 1 ,\n2 ] \n', [1, 2]],
    ['a byte order mark', '\uFEFF{"a": 1}', { a: 1 }],
    ['a text', '"a"', 'a'],
    ['an empty string', '""', ''],
    ['a number', '-0.5E+1', -5],
    ['a zero', '0', 0],
    ['a word', 'null', null],
    ['nothing in it', '[]', []],
    ['all escapes', '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4"', '"\\/\b\f\n\r\tä'],
    ['an escaped pair', '"\\ud83d\\ude00"', '😀'],
    ['a pair', '"😀"', '😀'],
    ['an escaped backslash before what looks like half a character', '"\\\\ud800"', '\\ud800'],
    [
      'a text with __proto__',
      '{"a": "__proto__", "b": ["\\"__proto__\\": 1"]}',
      { a: '__proto__', b: ['"__proto__": 1'] },
    ],
    ['colons and brackets in texts', '{"a:[{": "\\":{[\\\\", "b": ":"}', { 'a:[{': '":{[\\', b: ':' }],
    ['a key in two objects', '[{"a": 1}, {"a": {"a": 2}}]', [{ a: 1 }, { a: { a: 2 } }]],
    ['keys that differ in case', '{"a": 1, "A": 2}', { a: 1, A: 2 }],
    ['keys that every object knows', '{"constructor": 1, "toString": 2}', { constructor: 1, toString: 2 }],
    ['keys like numbers', '{"1": "a", "0": "b", "-1": "c"}', { 0: 'b', 1: 'a', '-1': 'c' }],
    ['a number too small to tell from zero', '1e-400', 0],
    ['line separators', '"\u2028\u2029\u007f"', '\u2028\u2029\u007f'],
  ])('%s', (_, text, value) => {
    expect(readJson(text)).toEqual({ status: 'value', value });
  });

  test('200 levels', () => {
    expect(codeOf(nest(200, '[', '', ']'))).toBe('value');
    expect(codeOf(nest(200, '{"a":', '1', '}'))).toBe('value');
    expect(codeOf(nest(100, '[{"a":', '1', '}]'))).toBe('value');
  });

  test('many levels in a row', () => {
    const row = Array.from({ length: 50 }, () => nest(150, '[', '1', ']')).join();
    expect(codeOf(`[${row}]`)).toBe('value');
  });

  test('long texts that end in backslashes', () => {
    for (let count = 0; count < 8; count++) {
      const [long, end] = ['x'.repeat(100), '\\'.repeat(count)];
      const values = [long + end, end + long, `${long}"${end}`, end];
      expect(readJson(JSON.stringify(values))).toEqual({ status: 'value', value: values });
    }
  });
});

describe('faults', () => {
  test.each(FAULTS)('$fault', ({ text, code, path, line, column, message }) => {
    const read = readJson(text);
    expect(read).toMatchObject({ status: 'refused', problem: { code, path, line, column, message } });
    if (read.status !== 'refused') return;
    expect(read.problem.message).toMatch(/^[^\p{C}]*\.$/u);
    expect(read.problem.hint).toMatch(/^[^\p{C}]*\.$/u);
  });

  test('every character behind a backslash, and every one inside a text', () => {
    for (let code = 0; code < 0x180; code++) {
      const char = String.fromCharCode(code);
      const escaped = [...'"\\/bfnrt'].includes(char) ? 'value' : 'json-invalid';
      const plain = code < 0x20 || char === '"' || char === '\\' ? /^json-/ : /^value$/;
      expect([char, codeOf(`["\\${char}0000"]`)]).toEqual([char, char === 'u' ? 'value' : escaped]);
      expect(codeOf(`["${char}"]`)).toMatch(plain);
    }
  });

  test('every character where a value begins or ends', () => {
    for (let code = 0; code < 0x180; code++) {
      const char = String.fromCharCode(code);
      expect([char, codeOf(`[${char}, 1]`)]).toEqual([
        char,
        /[0-9]/.test(char) ? 'value' : expect.stringMatching(/^json-/),
      ]);
      const between = /^[ \t\r\n,\]}0-9]$/.test(char);
      if (!between) expect([char, codeOf(`[1${char}]`)]).toEqual([char, expect.stringMatching(/^json-/)]);
    }
  });

  test('every code has one', () => {
    expect([...new Set(FAULTS.map(({ code }) => code))].sort()).toEqual([
      'json-around',
      'json-cut-off',
      'json-empty',
      'json-half-character',
      'json-invalid',
      'json-key-forbidden',
      'json-key-repeated',
      'json-too-deep',
    ]);
  });

  test('sentences stay short, however long what is wrong', () => {
    const long = 'x'.repeat(100_000);
    const texts = [
      long,
      `[${long}]`,
      `{${long}:1}`,
      `${long} {}`,
      `{} ${long}`,
      `["a" ${long}]`,
      `[1${long}]`,
    ];
    for (const text of [...texts, `{"${long}": 1, "${long}": 2}`, `{"${long}": 01}`]) {
      const read = readJson(text);
      expect(read.status === 'refused' && read.problem.message.length).toBeLessThan(600);
    }
  });
});

describe('hostile texts', () => {
  const MB = 1_000_000;
  test.each<[string, () => string, string]>([
    ['100,000 levels', () => nest(100_000, '[', '', ']'), 'json-too-deep'],
    ['100,000 levels of objects', () => nest(100_000, '{"a":', '1', '}'), 'json-too-deep'],
    ['20 MB of [', () => '['.repeat(20 * MB), 'json-too-deep'],
    ['20 MB of {', () => '{'.repeat(20 * MB), 'json-invalid'],
    ['20 MB of {"a":', () => '{"a":'.repeat(4 * MB), 'json-too-deep'],
    ['20 MB of backslashes', () => `["${'\\'.repeat(20 * MB)}`, 'json-cut-off'],
    ['20 MB of quotes', () => '"'.repeat(20 * MB), 'json-around'],
    ['20 MB of white space', () => ' '.repeat(20 * MB), 'json-empty'],
    ['20 MB of digits', () => '9'.repeat(20 * MB), 'json-invalid'],
    ['20 MB of letters', () => 'x'.repeat(20 * MB), 'json-invalid'],
    ['20 MB of closing brackets', () => ']'.repeat(20 * MB), 'json-invalid'],
    ['a fault behind 20 MB of lines', () => `${'\n'.repeat(20 * MB)}[1,]`, 'json-invalid'],
    ['5 MB of commas', () => `[${','.repeat(5 * MB)}]`, 'json-invalid'],
  ])('%s', (_, make, code) => {
    expect(codeOf(make())).toBe(code);
  });

  test('a key again behind 200,000 others', () => {
    const keys = Array.from({ length: 200_000 }, (_, index) => `"k${index}":1`).join();
    const read = readJson(`{${keys},"k7":1}`);
    expect(read).toMatchObject({ problem: { code: 'json-key-repeated', path: ['k7'] } });
  });

  test('nothing is changed by a refused __proto__', () => {
    expect(codeOf('{"__proto__": {"polluted": true}}')).toBe('json-key-forbidden');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
