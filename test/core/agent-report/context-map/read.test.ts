import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CONTEXT_MAP_SCHEMA, readContextMap } from '../../../../src/core/agent-report/context-map/forms.js';
import type { JsonValue } from '../../../../src/core/json/values.js';

const canonicalByAjv = new Ajv2020({ strict: true }).compile(CONTEXT_MAP_SCHEMA);

const pairs = (map: JsonValue) => readContextMap(map)?.map(({ text, uri }) => [text, uri]) ?? null;

describe('the pair form', () => {
  test('the map of the contract', () => {
    const map = [
      ['The flow is in auth/.', null],
      ['Signing.', 'repo://src/auth/jwt.ts:45-120'],
    ];
    expect(readContextMap(map)).toEqual([
      { text: 'The flow is in auth/.', uri: null, path: [0] },
      { text: 'Signing.', uri: 'repo://src/auth/jwt.ts:45-120', path: [1, 1] },
    ]);
    expect(canonicalByAjv(map)).toBe(true);
  });

  test('a pair without its second half, a bare text, a blank address', () => {
    expect(pairs([['One.'], 'Two.', ['Three.', ' ']])).toEqual([
      ['One.', null],
      ['Two.', null],
      ['Three.', null],
    ]);
  });

  test('the two halves in the wrong order', () => {
    expect(readContextMap([['repo://src/a.ts:3', 'Signing.']])).toEqual([
      { text: 'Signing.', uri: 'repo://src/a.ts:3', path: [0, 0] },
    ]);
    // A bare path is no clear case: what came first is the text.
    expect(pairs([['src/a.ts', 'Signing.']])).toEqual([['src/a.ts', 'Signing.']]);
  });

  test('an address with nothing to say is a reference all the same', () => {
    expect(readContextMap(['repo://src/a.ts', ['repo://b.ts', null]])).toEqual([
      { text: 'repo://src/a.ts', uri: 'repo://src/a.ts', path: [0] },
      { text: 'repo://b.ts', uri: 'repo://b.ts', path: [1, 0] },
    ]);
  });

  test('an empty map', () => {
    expect(readContextMap([])).toEqual([]);
    expect(readContextMap({})).toEqual([]);
  });
});

describe('entries as objects', () => {
  test.each<[JsonValue, string, string | null]>([
    [{ text: 'A.', uri: 'repo://a.ts:1' }, 'A.', 'repo://a.ts:1'],
    [{ description: 'A.', path: 'a.ts', lines: '45-120' }, 'A.', 'a.ts:45-120'],
    [{ summary: 'A.', file: 'a.ts', lines: [45, 120] }, 'A.', 'a.ts:45-120'],
    [{ note: 'A.', file_path: 'a.ts', lines: { start: 45, end: 120 } }, 'A.', 'a.ts:45-120'],
    [{ note: 'A.', filePath: 'a.ts', lines: { from: 45, to: 120 } }, 'A.', 'a.ts:45-120'],
    [{ content: 'A.', ref: 'a.ts', lines: { start: 45 } }, 'A.', 'a.ts:45'],
    [{ title: 'A.', location: 'repo://a.ts', line: 45 }, 'A.', 'repo://a.ts:45'],
    [{ text: 'A.', file: 'a.ts', start_line: 45, end_line: 120 }, 'A.', 'a.ts:45-120'],
    [{ text: 'A.', file: 'a.ts', line_start: '45', line_end: '120' }, 'A.', 'a.ts:45-120'],
    [{ text: 'A.', reference: 'a.ts', startLine: 45, endLine: null }, 'A.', 'a.ts:45'],
    [{ text: 'A.', reference: 'a.ts', lines: ['45-120'] }, 'A.', 'a.ts:45-120'],
    [{ text: 'A.', reference: 'a.ts', lines: [3, 9, 12] }, 'A.', 'a.ts:3-9-12'],
    [{ text: 'A.', reference: 'a.ts', lines: 'login' }, 'A.', 'a.ts:login'],
    [{ text: 'A.', path: 'a.ts', lines: null, line: null }, 'A.', 'a.ts'],
    [{ text: 'A.', path: 'a.ts', lines: '' }, 'A.', 'a.ts'],
    // The address says it already, or is not of the project.
    [{ text: 'A.', uri: 'repo://a.ts:1-2', lines: '45' }, 'A.', 'repo://a.ts:1-2'],
    [{ text: 'A.', url: 'https://example.org/a', lines: '45' }, 'A.', 'https://example.org/a'],
    [{ text: 'A.' }, 'A.', null],
    [{ text: 'A.', lines: '45' }, 'A.', null],
    // The first that is filled stands.
    [{ title: 'Short.', description: 'Long.', text: null }, 'Long.', null],
    [{ text: 'A.', uri: null, path: 'a.ts' }, 'A.', 'a.ts'],
    [{ text: 'A.', unknown: [1, { deep: true }] }, 'A.', null],
    // What is of another type is not read.
    [{ text: 4, description: 'A.', uri: ['repo://a.ts'] }, 'A.', null],
    [{ text: 'A.', uri: 'a.ts', lines: [{}], start_line: [4] }, 'A.', 'a.ts'],
  ])('%j', (entry, text, uri) => {
    expect(pairs([entry])).toEqual([[text, uri]]);
  });

  test('the path leads to the address', () => {
    expect(readContextMap([{ text: 'A.', file: 'a.ts', line: 4 }])![0]!.path).toEqual([0, 'file']);
    expect(readContextMap([{ text: 'A.' }])![0]!.path).toEqual([0]);
  });
});

describe('a map as one object', () => {
  test('by address, by text, without an address', () => {
    const map = {
      'src/a.ts:1-4': 'Signing.',
      'The login.': 'repo://src/b.ts',
      'repo://src/c.ts': 'repo://src/d.ts is gone.',
      'No place for this.': null,
      constructor: 'A file of that name.',
    };
    expect(readContextMap(map)).toEqual([
      { text: 'Signing.', uri: 'src/a.ts:1-4', path: ['src/a.ts:1-4'] },
      { text: 'The login.', uri: 'repo://src/b.ts', path: ['The login.'] },
      { text: 'repo://src/d.ts is gone.', uri: 'repo://src/c.ts', path: ['repo://src/c.ts'] },
      { text: 'No place for this.', uri: null, path: ['No place for this.'] },
      { text: 'A file of that name.', uri: 'constructor', path: ['constructor'] },
    ]);
  });

  test('one entry in the place of the list is refused, not misread', () => {
    const entry = { text: 'Signing.', uri: 'repo://a.ts' };
    expect(readContextMap(entry)).toBeNull();
  });
});

describe('what is refused', () => {
  test.each<[JsonValue]>([
    [null],
    ['Signing.'],
    [7],
    [[null]],
    [[[]]],
    [[[null, 'repo://a.ts']]],
    [[['A.', 'repo://a.ts', '1-2']]],
    [[['A.', 4]]],
    [[{}]],
    [[{ uri: 'repo://a.ts' }]],
    [[{ text: null }]],
    [{ 'a.ts': ['A.'] }],
    [{ entries: [['A.', null]] }],
  ])('%j', (map) => {
    expect(readContextMap(map)).toBeNull();
  });
});

test('pairs are read as they are, and only they match the schema', () => {
  const map = fc.array(fc.tuple(fc.string(), fc.option(fc.constantFrom('a.ts', 'repo://a.ts:1-2'))));
  fc.assert(
    fc.property(map, (value) => {
      expect(canonicalByAjv(value)).toBe(true);
      expect(pairs(value)).toEqual(value);
    }),
  );
  for (const other of [['A.'], [['A.']], [{ text: 'A.' }], { 'a.ts': 'A.' }]) {
    expect(canonicalByAjv(other)).toBe(false);
    expect(readContextMap(other)).not.toBeNull();
  }
});

test('any JSON is read or refused, and whatever is read can be written as pairs', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const read = pairs(value as JsonValue);
      if (read !== null) expect(canonicalByAjv(read)).toBe(true);
    }),
    { numRuns: process.env.TEDDY_SOAK ? 50_000 : 1500 },
  );
});
