import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyHunks, diffHunks } from '../../../src/core/changeset/hunks.js';

const PATH = 'a.txt';

function numbered(count: number, change: Record<number, string> = {}): string {
  return Array.from({ length: count }, (_, at) => `${change[at + 1] ?? `row ${at + 1}`}\n`).join('');
}

function apply(before: string, after: string, keep: (at: number) => boolean): string {
  const hunks = diffHunks(before, after, PATH);
  return applyHunks(before, hunks, new Set(hunks.filter((_, at) => keep(at)).map(({ id }) => id)));
}

describe('the hunks of a change', () => {
  test('changes with one unchanged line in between are two, and context ends at the other one', () => {
    const hunks = diffHunks(numbered(7), numbered(7, { 2: 'two', 4: 'four' }), PATH);
    expect(hunks.map(({ lines }) => lines)).toEqual([
      [' row 1\n', '-row 2\n', '+two\n', ' row 3\n'],
      [' row 3\n', '-row 4\n', '+four\n', ' row 5\n', ' row 6\n', ' row 7\n'],
    ]);
    expect(hunks.map(({ before, after }) => [before, after])).toEqual([
      [
        { start: 1, count: 1 },
        { start: 1, count: 1 },
      ],
      [
        { start: 3, count: 1 },
        { start: 3, count: 1 },
      ],
    ]);
  });

  test('changes of adjacent lines cannot be decided separately', () => {
    expect(diffHunks(numbered(5), numbered(5, { 2: 'two', 3: 'three' }), PATH)).toHaveLength(1);
  });

  test('nothing has changed: no hunks', () => {
    expect(diffHunks(numbered(3), numbered(3), PATH)).toEqual([]);
    expect(diffHunks('', '', PATH)).toEqual([]);
  });

  test('ids are those of path and content, wherever the hunk is; equal hunks are counted', () => {
    const ids = (before: string, after: string, path = PATH) =>
      diffHunks(before, after, path).map(({ id }) => id);
    const [one] = ids('a\nb\nc\n', 'a\nB\nc\n');
    expect(ids('0\n0\na\nb\nc\n', '0\n0\na\nB\nc\n')).toEqual([one]);
    expect(ids('a\nb\nc\n', 'a\nB\nc\n', 'b.txt')).not.toEqual([one]);
    expect(ids('b\na\nb\n', 'B\na\nB\n')).toEqual([one, `${one}-2`]);
  });

  test.each([
    ['CRLF', 'a\r\nb\r\nc\r\nd\r\n', 'a\r\nB\r\nc\r\nD\r\n', 'a\r\nB\r\nc\r\nd\r\n'],
    ['line endings themselves', 'a\nb\nc\n', 'a\r\nb\nc\r\n', 'a\r\nb\nc\n'],
    ['BOM', '\ufeffa\nb\nc\n', 'a\nb\nC\n', 'a\nb\nc\n'],
    ['a final newline that comes', 'a\nb\nc', 'A\nb\nc\n', 'A\nb\nc'],
    ['a final newline that goes', 'a\nb\nc\n', 'A\nb\nc', 'A\nb\nc\n'],
  ])('the first of two kept: %s', (_, before, after, expected) => {
    expect(diffHunks(before, after, PATH)).toHaveLength(2);
    expect(apply(before, after, (at) => at === 0)).toBe(expected);
  });

  test.each([
    ['', 'a\n'],
    ['a\n', ''],
    ['', '\ufeff'],
    ['a', 'a\n'],
    ['\n', ''],
  ])('%j to %j is one hunk', (before, after) => {
    expect(diffHunks(before, after, PATH)).toHaveLength(1);
    expect(apply(before, after, () => true)).toBe(after);
  });

  test('texts with little in common are one hunk between what they share', () => {
    const before = `same\n${numbered(3000)}end\n`;
    const after = `same\n${numbered(3000).replaceAll('row', 'line')}end\n`;
    const [hunk, ...others] = diffHunks(before, after, PATH);
    expect(others).toEqual([]);
    expect(hunk).toMatchObject({ before: { start: 1, count: 3000 }, after: { start: 1, count: 3000 } });
  });
});

const line = fc.constantFrom('a', 'b', 'c', '', ' ', '\ufeff', 'é', '\ud83d\ude00', '\u2028');
const text = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r', '')), { maxLength: 30 })
  .map((lines) => lines.map(([content, ending]) => content + ending).join(''));

describe('any two texts', () => {
  test('keeping all gives the new text, keeping none the old one', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(apply(before, after, () => true)).toBe(after);
        expect(apply(before, after, () => false)).toBe(before);
      }),
      { numRuns: 2000 },
    );
  });

  test('of any subset, each hunk is either new or old, and what is between the hunks never changes', () => {
    fc.assert(
      fc.property(
        text,
        text,
        fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
        (before, after, choices) => {
          const hunks = diffHunks(before, after, PATH);
          const kept = new Set(hunks.filter((_, at) => choices[at]).map(({ id }) => id));
          const old = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
          const now = after.match(/[^\n]*\n|[^\n]+$/g) ?? [];
          let expected = '';
          let next = 0;
          for (const { id, before: was, after: is } of hunks) {
            expected += old.slice(next, was.start).join('');
            expected += kept.has(id)
              ? now.slice(is.start, is.start + is.count).join('')
              : old.slice(was.start, was.start + was.count).join('');
            next = was.start + was.count;
          }
          expected += old.slice(next).join('');
          expect(applyHunks(before, hunks, kept)).toBe(expected);
          expect(new Set(hunks.map(({ id }) => id)).size).toBe(hunks.length);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('hunks are in order, and there is an unchanged line between two of them', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const hunks = diffHunks(before, after, PATH);
        for (const [at, { before: was }] of hunks.entries()) {
          const previous = hunks[at - 1]?.before;
          if (previous) expect(was.start).toBeGreaterThan(previous.start + previous.count);
        }
      }),
    );
  });
});
