import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration } from '../../../src/core/text.js';
import { bar, sparkline } from '../../../src/faces/cli/commands/results/metrics-lines.js';
import { cell, tableLines } from '../../../src/faces/cli/table.js';
import { exactTime } from '../../../src/faces/cli/words.js';

const plain = (_: string, text: string) => text;

test('a bar shows how much of each there was', () => {
  expect(bar({ succeeded: 6, failed: 3, blocked: 1 }, 10, 10, plain)).toBe('██████▒▒▒░');
  expect(bar({ succeeded: 5, failed: 0, blocked: 0 }, 10, 10, plain)).toBe('█████     ');
  expect(bar({ succeeded: 998, failed: 1, blocked: 1 }, 1000, 10, plain)).toBe('████████▒░');
});

test('whatever is not 0 is seen, and a bar is as wide as it should be', () => {
  const count = fc.integer({ min: 0, max: 100_000 });
  fc.assert(
    fc.property(count, count, count, count, (succeeded, failed, blocked, more) => {
      const most = succeeded + failed + blocked + more;
      const width = Math.min(30, Math.max(most, 1));
      const drawn = bar({ succeeded, failed, blocked }, Math.max(most, 1), width, plain);
      expect([...drawn]).toHaveLength(width);
      expect([drawn.includes('█'), drawn.includes('▒'), drawn.includes('░')]).toEqual([
        succeeded > 0,
        failed > 0,
        blocked > 0,
      ]);
    }),
  );
});

test('a sparkline is as high as its values', () => {
  expect(sparkline([25, 50, 100])).toBe('▃▅█');
  expect(sparkline([0, 0])).toBe('▁▁');
  expect(sparkline([])).toBe('');
});

test.each([
  [0, '0 ms', '0s'],
  [850, '850 ms', '1s'],
  [999.6, '1.0 s', '1s'],
  [28_500, '28.5 s', '29s'],
  [59_960, '1m', '1m'],
  [26 * 60_000, '26m', '26m'],
  [130 * 60_000, '2h 10m', '2h 10m'],
  [119.8 * 60_000, '2h', '2h'],
])('%d ms is %s, roughly %s', (ms, exact, rough) => {
  expect([exactTime(ms), formatDuration(ms)]).toEqual([exact, rough]);
});

test('a table wraps its widest column and cuts nothing off', () => {
  const rows = [
    [cell('a:1'), cell('a name of several words'), cell('waiting for a:0')],
    [cell('a:10'), cell('short'), cell('')],
  ];
  expect(tableLines(rows, { flexible: 1, paint: plain, width: 40 })).toEqual([
    'a:1   a name of several  waiting for a:0',
    '      words',
    'a:10  short',
  ]);
});

test('a table counts cells, not characters', () => {
  const rows = [
    [cell('日本'), cell('x')],
    [cell('abcd'), cell('y')],
  ];
  expect(tableLines(rows, { flexible: 1, paint: plain })).toEqual(['日本  x', 'abcd  y']);
});
