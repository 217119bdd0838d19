import { expect, test } from 'vitest';
import { parseYaml } from '../../src/core/yaml.js';

function readValue(text: string) {
  const read = parseYaml(text);
  if (read.status === 'refused') throw new Error(`${read.line}: ${read.reason}`);
  return read;
}

test('the core schema: what looks like a date or a yes is text', () => {
  expect(readValue('a: yes\nb: 2020-01-01\nc: 1\nd: true\ne: ~\nf: 0x10\ng: [x, "1"]\n').value).toEqual({
    a: 'yes',
    b: '2020-01-01',
    c: 1,
    d: true,
    e: null,
    f: 16,
    g: ['x', '1'],
  });
});

test.each([
  ['', null],
  ['# nothing', null],
  ['\uFEFFa: 1', { a: 1 }],
  ['%YAML 1.1\n---\na: yes', { a: 'yes' }],
  ['a: &x [1, 2]\nb: *x', { a: [1, 2], b: [1, 2] }],
  ['a: {<<: {b: 1}}', { a: { '<<': { b: 1 } } }],
  ['1: a\ntrue: b', { '1': 'a', true: 'b' }],
])('%j', (text, value) => {
  expect(readValue(text).value).toEqual(value);
});

test('objects have nothing that nobody wrote', () => {
  const { value } = readValue('__proto__: {polluted: true}\nconstructor: 1');
  expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
  expect(Object.getPrototypeOf(value)).toBeNull();
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test('every path has a line', () => {
  const { lineOf } = readValue('a:\n  b: 1\n  c:\n    - x\n    - d: 2\n\n# note\ne: &e\n  f: 1\ng: *e\n');
  expect(lineOf([])).toBe(1);
  expect(lineOf(['a', 'b'])).toBe(2);
  expect(lineOf(['a', 'c', 0])).toBe(4);
  expect(lineOf(['a', 'c', 1, 'd'])).toBe(5);
  expect(lineOf(['e'])).toBe(8);
  expect(lineOf(['g', 'f'])).toBe(9);
  expect(lineOf(['a', 'none', 'such'])).toBe(1);
  expect(lineOf(['a', 'c', 7])).toBe(3);
});

const BOMB = ['a: &a [x,x,x,x,x,x,x,x,x]'].concat(
  [...'bcdefgh'].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[at]}`)}]`),
);

test.each([
  ['a: 1\nb: 2\na: 3', 3, 'the key "a" occurs twice'],
  ['a:\n  - {b: 1, b: 2}', 2, 'the key "b" occurs twice'],
  ['1: a\n"1": b', 2, 'the key "1" occurs twice'],
  ['a: 1\nb: !custom x', 2, 'Unresolved tag: !custom'],
  ['a: !!binary aGk=', 1, 'Unresolved tag'],
  ['a: 1\n---\nb: 1', 2, 'several documents'],
  ['a: "x', 1, 'closing'],
  ['a:\n\tb: 1', 2, 'Tabs'],
  ['a: *nothing', 1, ''],
  ['a: &a [*a]', 1, 'the alias *a has no complete anchor before it'],
  ['a: &a {b: *a}', 1, 'the alias *a has no complete anchor before it'],
  [BOMB.join('\n'), 5, 'its aliases expand to too much text'],
  ['? {a: 1}\n: b', 1, ''],
  ['['.repeat(150) + ']'.repeat(150), 1, 'it is nested too deeply'],
])('%j is refused', (text, line, reason) => {
  const read = parseYaml(text);
  expect(read).toMatchObject({ status: 'refused', line });
  expect(read.status === 'refused' && read.reason).toMatch(/^is not valid YAML: ./);
  expect(read.status === 'refused' && read.reason.toLowerCase()).toContain(reason.toLowerCase());
});

test('a first fault goes before a second document, and long reasons are cut', () => {
  expect(parseYaml('a: "x" y\n---\nb: 1')).toMatchObject({ status: 'refused', line: 1 });
  const read = parseYaml(`${'k'.repeat(900)}: 1\n`.repeat(2));
  expect(read.status === 'refused' && read.reason).toMatch(/^is not valid YAML: the key "k{100,200}…$/);
});

test('tokens are counted where a limit is set; a long text is one', () => {
  const list = '- a\n'.repeat(1000);
  expect(parseYaml(list).status).toBe('value');
  expect(parseYaml(list, { mostTokens: 6000 }).status).toBe('value');
  expect(parseYaml(list, { mostTokens: 2000 })).toMatchObject({
    status: 'refused',
    reason: 'is not valid YAML: it contains too many values',
  });
  expect(parseYaml(`a: |\n${'  x\n'.repeat(5000)}`, { mostTokens: 20 }).status).toBe('value');
});
