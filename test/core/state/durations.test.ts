import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatProgress, readDuration } from '../../../src/core/state/fields.js';
import { formatDuration, formatDurationWords } from '../../../src/core/text.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

test.each([
  [0, '0s', '0 seconds'],
  [499, '0s', '0 seconds'],
  [500, '1s', '1 second'],
  [28_500, '29s', '29 seconds'],
  [45 * SECOND, '45s', '45 seconds'],
  [59_499, '59s', '59 seconds'],
  [59_600, '1m', '1 minute'],
  [90 * SECOND - 1, '1m', '1 minute'],
  [90 * SECOND, '2m', '2 minutes'],
  [28 * MINUTE, '28m', '28 minutes'],
  [59.5 * MINUTE - 1, '59m', '59 minutes'],
  [59.5 * MINUTE, '1h', '1 hour'],
  [HOUR + MINUTE, '1h 1m', '1 hour 1 minute'],
  [119 * MINUTE + 59 * SECOND, '2h', '2 hours'],
  [2 * HOUR + 10 * MINUTE, '2h 10m', '2 hours 10 minutes'],
  [100 * HOUR + 5 * MINUTE, '100h 5m', '100 hours 5 minutes'],
  [-5, '0s', '0 seconds'],
  [Number.NaN, '0s', '0 seconds'],
  [Number.POSITIVE_INFINITY, '0s', '0 seconds'],
])('%d ms', (ms, short, words) => {
  expect(formatDuration(ms)).toBe(short);
  expect(formatDurationWords(ms)).toBe(words);
});

test('what was not measured is a dash', () => {
  expect(formatDurationWords(null)).toBe('-');
});

test('a duration is never written as 60 of a unit, and is off by half a unit at most', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1000 * HOUR }), (ms) => {
      const [, hours = 0, minutes = 0, seconds = 0] = /^(?:(\d+)h)?(?: ?(\d+)m)?(?:(\d+)s)?$/
        .exec(formatDuration(ms))!
        .map((part) => Number(part ?? 0));
      expect(Math.max(minutes, seconds)).toBeLessThan(60);
      const unit = ms < 59.5 * SECOND ? SECOND : MINUTE;
      expect(Math.abs(hours * HOUR + minutes * MINUTE + seconds * SECOND - ms)).toBeLessThanOrEqual(unit / 2);
    }),
  );
});

describe('progress', () => {
  test.each([
    [9, 20, '[#########░░░░░░░░░░░] 45%'],
    [2, 20, '[##░░░░░░░░░░░░░░░░░░] 10%'],
    [1, 3, '[#######░░░░░░░░░░░░░] 33%'],
    [0, 5, '[░░░░░░░░░░░░░░░░░░░░] 0%'],
    [5, 5, '[####################] 100%'],
    [399, 400, '[###################░] 99%'],
    [0, 0, '[░░░░░░░░░░░░░░░░░░░░] 0%'],
    [3, 0, '[░░░░░░░░░░░░░░░░░░░░] 0%'],
    [7, 5, '[####################] 100%'],
    [-1, 5, '[░░░░░░░░░░░░░░░░░░░░] 0%'],
    [Number.NaN, 5, '[░░░░░░░░░░░░░░░░░░░░] 0%'],
  ])('%d of %d', (done, total, bar) => {
    expect(formatProgress({ done, total })).toBe(bar);
  });
});

test.each([
  ['2h 10m', 130 * MINUTE],
  ['2h10m', 130 * MINUTE],
  ['28 minutes', 28 * MINUTE],
  ['~5.5 min/plan', 5.5 * MINUTE],
  ['0.25 hours', 15 * MINUTE],
  ['02-01 (15min)', 15 * MINUTE],
  ['334s (avg: 182s)', 334 * SECOND],
  ['3m 34s', 214 * SECOND],
  ['0 hours', 0],
  ['5 milestones', null],
  ['12', null],
  ['-', null],
])('%s is read', (text, ms) => {
  expect(readDuration(text)).toBe(ms);
});
