import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addLines,
  canonicalUri,
  readReference,
  writeReference,
} from '../../../../src/core/agent-report/context-map/reference.js';

const first = (uri: string) => {
  const read = readReference(uri);
  return read.status === 'file' ? read.readings[0] : read;
};
const at = (path: string, from: number | null = null, to = from) => ({
  path,
  lines: from === null ? null : { from, to },
  anchor: null,
});

describe('a file and its lines', () => {
  test.each([
    ['repo://src/a.ts', at('src/a.ts')],
    ['repo://src/a.ts:7', at('src/a.ts', 7)],
    ['repo://src/a.ts:45-120', at('src/a.ts', 45, 120)],
    ['src/a.ts', at('src/a.ts')],
    ['src/a.ts:45-120', at('src/a.ts', 45, 120)],
    ['repo:src/a.ts:3', at('src/a.ts', 3)],
    ['REPO://src/a.ts', at('src/a.ts')],
    ['repo:///src/a.ts', at('src/a.ts')],
    ['/src/a.ts:3', at('src/a.ts', 3)],
    ['./src/../b.ts', at('b.ts')],
    ['repo://src/', at('src')],
    ['repo://', at('.')],
    ['  repo://a.ts:1  ', at('a.ts', 1)],
    ['a.ts#L10', at('a.ts', 10)],
    ['repo://a.ts#L10-L20', at('a.ts', 10, 20)],
    ['a.ts#10-20', at('a.ts', 10, 20)],
    ['a.ts:L10-20', at('a.ts', 10, 20)],
    ['a.ts:10 - 20', at('a.ts', 10, 20)],
    ['a.ts:10–20', at('a.ts', 10, 20)],
    ['a.ts:10:5', at('a.ts', 10)],
    ['Makefile:10', at('Makefile', 10)],
    ['a.ts:', at('a.ts')],
    ['a.ts#', at('a.ts')],
    ['a.ts:0', at('a.ts', 0)],
    ['a.ts:20-10', at('a.ts', 20, 10)],
    [`a.ts:${'9'.repeat(400)}`, at('a.ts', Number.MAX_SAFE_INTEGER)],
    ['docs/C#.md:10', at('docs/C#.md', 10)],
  ])('%s', (uri, reading) => {
    expect(first(uri)).toEqual(reading);
  });

  test('every other way to read it follows', () => {
    expect(readReference('notes/10:30')).toMatchObject({ readings: [at('notes/10', 30), at('notes/10:30')] });
    expect(readReference('src/a.ts:10:5')).toMatchObject({
      readings: [at('src/a.ts', 10), at('src/a.ts:10', 5), at('src/a.ts:10:5')],
    });
    expect(readReference('repo://a%20b/c.md:3')).toMatchObject({
      readings: [at('a%20b/c.md', 3), at('a%20b/c.md:3'), at('a b/c.md', 3), at('a b/c.md:3')],
    });
  });

  test('escapes are read in repo:// alone, and broken ones stay', () => {
    expect(readReference('a%20b.md')).toMatchObject({ readings: [at('a%20b.md')] });
    expect(readReference('repo://100%.md')).toMatchObject({ readings: [at('100%.md')] });
  });
});

describe('what has no lines to check', () => {
  test.each([
    ['repo://src/a.ts#login', 'src/a.ts', 'login'],
    ['repo://src/a.ts:login', 'src/a.ts', 'login'],
    ['src/a.ts#Class:method', 'src/a.ts', 'Class:method'],
    ['src/a.py::Case::test', 'src/a.py', ':Case::test'],
    ['api.json#/paths/login', 'api.json', '/paths/login'],
    ['a.ts:3, 9, 12', 'a.ts', '3, 9, 12'],
    ['a.ts:-5', 'a.ts', '-5'],
  ])('%s', (uri, path, anchor) => {
    expect(first(uri)).toEqual({ path, lines: null, anchor });
  });

  test.each(['https://example.org/a.ts:3', 'http://localhost', 'git+ssh://host/x'])(
    '%s is another address',
    (uri) => {
      expect(readReference(uri)).toMatchObject({ status: 'unverifiable' });
    },
  );
});

describe('what leads out', () => {
  test.each(['../a.ts', 'repo://src/../../a.ts:3', '~/.ssh/id', 'C:\\a.ts', 'repo://c:/a.ts'])(
    '%s',
    (uri) => {
      expect(readReference(uri)).toMatchObject({ status: 'outside' });
    },
  );

  test('behind escapes it counts unless the file of that very name is there', () => {
    expect(readReference('repo://%2e%2e/a.ts')).toEqual({
      status: 'file',
      readings: [at('%2e%2e/a.ts')],
      outside: 'leads out of the project root',
    });
  });

  test.each([
    ['src\\a.ts', 'backslash'],
    ['a\u0000.ts', 'control character'],
    ['', 'is empty'],
  ])('%j cannot be a path', (uri, reason) => {
    expect(readReference(uri)).toEqual({ status: 'invalid', reason: expect.stringContaining(reason) });
  });
});

describe('written again', () => {
  test.each([
    ['/src//a.ts#L3-L9', 'repo://src/a.ts:3-9'],
    ['repo:src/a.ts:4-4', 'repo://src/a.ts:4'],
    ['src/a.ts:login', 'repo://src/a.ts#login'],
    ['repo:///', 'repo://'],
    [' https://example.org ', 'https://example.org'],
  ])('%s', (uri, canonical) => {
    expect(canonicalUri(uri)).toBe(canonical);
  });

  test('a canonical address reads as what was written, and stays', () => {
    const path = fc
      .array(fc.stringMatching(/^[a-z][a-z.]{0,5}$/), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join('/'));
    const lines = fc.option(fc.tuple(fc.nat(9999), fc.nat(9999)).map(([from, to]) => ({ from, to })));
    fc.assert(
      fc.property(path, lines, (name, range) => {
        const reading = { path: name, lines: range, anchor: null };
        const uri = writeReference(reading);
        expect(first(uri)).toEqual(reading);
        expect(canonicalUri(uri)).toBe(uri);
      }),
    );
  });

  test('lines go behind an address that has none', () => {
    expect(addLines('src/a.ts', '4-9')).toBe('src/a.ts:4-9');
    expect(addLines('src/a.ts', null)).toBe('src/a.ts');
    expect(addLines('src/a.ts#login', '4')).toBe('src/a.ts#login');
    expect(addLines('../a.ts', '4')).toBe('../a.ts');
  });
});

test('no text throws, and no reading leaves the root', () => {
  const part = fc.constantFrom(
    'repo:',
    '//',
    '/',
    '..',
    '%2e',
    '%2F',
    ':',
    '#',
    'L',
    '1',
    '-',
    '–',
    'a',
    ' ',
    '\\',
    '~',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(part).map((parts) => parts.join('')),
        fc.string({ unit: 'binary' }),
      ),
      (uri) => {
        const read = readReference(uri);
        if (read.status !== 'file') {
          expect(read.reason).not.toBe('');
          return;
        }
        for (const { path } of read.readings) {
          expect(path.startsWith('/')).toBe(false);
          expect(path.split('/')).not.toContain('..');
        }
      },
    ),
    { numRuns: process.env.TEDDY_SOAK ? 50_000 : 1000 },
  );
});
