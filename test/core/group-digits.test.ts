import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupDigits } from '../../src/core/text.js';

test('groups whole numbers as English does', () => {
  const whole = fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
  fc.assert(fc.property(whole, (count) => groupDigits(count) === count.toLocaleString('en-US')));
});

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [1234567, '1,234,567'],
  [-1000, '-1,000'],
  [1234.56789, '1,234.56789'],
])('%d is %s', (count, text) => {
  expect(groupDigits(count)).toBe(text);
});
