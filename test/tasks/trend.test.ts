import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { trendOf } from '../../src/tasks/state-facts.js';

const minutes = (...values: number[]) => values.map((value) => value * 60_000);

describe('trendOf', () => {
  test('five plans at about the same pace are stable', () => {
    expect(trendOf(minutes(25, 32, 28, 22, 31))).toBe('Stable');
  });

  test('the other way round, the same plans would have improved: the newest come first', () => {
    expect(trendOf(minutes(31, 22, 28, 32, 25))).toBe('Improving');
  });

  test.each([0, 1, 2])('%i plans are not enough', (count) => {
    expect(trendOf(minutes(...Array<number>(count).fill(10)))).toBe('Not enough data');
  });

  test.each<[string, number[]]>([
    ['Improving', [9, 9, 10, 10, 10]],
    ['Stable', [10, 10, 10, 10, 10]],
    ['Stable', [12, 12, 10, 10, 10]],
    ['Declining', [12.01, 12, 10, 10, 10]],
    // Of three the newest two count, of four two, of six three.
    ['Improving', [10, 9, 10]],
    ['Declining', [10, 15, 10]],
    ['Stable', [10, 12, 10, 10]],
    ['Improving', [10, 10, 9, 10, 10, 10]],
    ['Stable', [10, 10, 10, 9, 10, 10]],
    ['Stable', [0, 0, 0]],
  ])('%s: %j', (trend, durations) => {
    expect(trendOf(minutes(...durations))).toBe(trend);
  });

  test('exactly a fifth slower is still stable, however the fractions round', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), (unit) => {
        expect(trendOf([6 * unit, 6 * unit, 5 * unit, 5 * unit, 5 * unit])).toBe('Stable');
        expect(trendOf([6 * unit + 1, 6 * unit, 5 * unit, 5 * unit, 5 * unit])).toBe('Declining');
        expect(trendOf([5 * unit - 1, 5 * unit, 5 * unit, 5 * unit, 5 * unit])).toBe('Improving');
      }),
    );
  });
});
