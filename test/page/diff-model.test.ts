import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RowHeights } from '../../src/faces/web/page/parts/row-heights.js';
import {
  type DiffLayout,
  findMatches,
  LONGEST_ROW,
  layOutDiff,
  modelDiff,
} from '../../src/faces/web/page/review/diff/diff-model.js';
import { cutLine } from '../../src/faces/web/page/review/diff/line-pieces.js';

const LAYOUT: DiffLayout = { split: false, whole: false, opened: [], choices: false, commented: new Set() };

const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', 'd\r'), { maxLength: 30 });
const texts = fc.tuple(lines, fc.boolean()).map(([all, ended]) => all.join('\n') + (ended ? '\n' : ''));

describe('the rows of a diff', () => {
  test('are the whole old text and the whole new text', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const { rows } = modelDiff({ path: 'a.ts', before, after });
        const side = (sign: '-' | '+') =>
          rows
            .filter((row) => row.sign === sign || row.sign === ' ')
            .map((row) => row.text)
            .join('\n');
        const shown = (text: string, crlf: boolean) =>
          (crlf ? text.replaceAll('\r\n', '\n') : text).replace(/\n$/, '');
        const { crlf } = modelDiff({ path: 'a.ts', before, after });
        expect(side('-')).toBe(shown(before, crlf));
        expect(side('+')).toBe(shown(after, crlf));
      }),
    );
  });

  test('a whole file shows every row once, in both layouts', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const model = modelDiff({ path: 'a.ts', before, after });
        const unified = layOutDiff(model, { ...LAYOUT, whole: true }).flatMap((item) =>
          item.kind === 'row' ? [item.row] : [],
        );
        expect(unified).toEqual(model.rows.map((_, at) => at));
        const split = layOutDiff(model, { ...LAYOUT, whole: true, split: true }).flatMap((item) =>
          item.kind === 'pair' ? [item.left, item.right].filter((row) => row !== null) : [],
        );
        expect([...new Set(split)].sort((a, b) => a - b)).toEqual(unified);
      }),
    );
  });

  test('rows are never left out without a gap that counts them', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const model = modelDiff({ path: 'a.ts', before, after });
        const counted = layOutDiff(model, LAYOUT).reduce(
          (sum, item) => sum + (item.kind === 'row' ? 1 : item.kind === 'gap' ? item.to - item.from : 0),
          0,
        );
        expect(counted).toBe(model.rows.length);
      }),
    );
  });

  test('a long line is shown in parts that are the line', () => {
    const after = `${'😀x'.repeat(LONGEST_ROW)}\n`;
    const model = modelDiff({ path: 'a.ts', before: null, after });
    const parts = layOutDiff(model, LAYOUT).flatMap((item) =>
      item.kind === 'row' ? [model.rows[0]!.text.slice(item.from, item.to)] : [],
    );
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.join('')).toBe(after.trimEnd());
    for (const part of parts) expect(part).not.toMatch(/[\uD800-\uDBFF]$/);
  });

  test('search finds every occurrence, whatever its case', () => {
    const model = modelDiff({ path: 'a.ts', before: 'One\ntwo one\n', after: 'One\ntwo one\nONE\n' });
    expect(findMatches(model, 'one').map(({ row, from }) => [row, from])).toEqual([
      [0, 0],
      [1, 4],
      [2, 0],
    ]);
  });
});

test('the pieces of a line are the line, to the letter', () => {
  const range = (most: number) =>
    fc.tuple(fc.nat(most), fc.nat(most)).map(([a, b]) => [a, b].sort((x, y) => x - y));
  fc.assert(
    fc.property(fc.string({ maxLength: 30 }), range(30), range(30), (text, changed, found) => {
      const pieces = cutLine(text, {
        tokens: [{ from: 0, to: Math.min(3, text.length), kind: 'keyword' }],
        changed: [Math.min(changed[0]!, text.length), Math.min(changed[1]!, text.length)],
        matches: [
          { from: Math.min(found[0]!, text.length), to: Math.min(found[1]!, text.length), current: true },
        ],
        spaces: true,
      });
      expect(pieces.map((piece) => piece.text).join('')).toBe(text);
    }),
  );
});

test('row heights: sums and rows agree with a plain list', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 60 }),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 80 })), { maxLength: 20 }),
      fc.nat(3000),
      (initial, changes, offset) => {
        const plain = [...initial];
        const heights = new RowHeights(plain.length, (row) => plain[row]!);
        for (const [row, height] of changes) {
          plain[row % plain.length] = height;
          heights.measure(row % plain.length, height);
        }
        const total = plain.reduce((sum, one) => sum + one, 0);
        expect(heights.total).toBe(total);
        let row = 0;
        for (let sum = plain[0]!; row < plain.length - 1 && sum <= offset; sum += plain[row]!) row++;
        expect(heights.rowAt(offset)).toBe(row);
      },
    ),
  );
});
