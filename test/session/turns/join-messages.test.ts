import { expect, test } from 'vitest';
import { joinMessages } from '../../../src/session/index.js';

test.each([
  [null, null, null],
  [null, 'A', 'A'],
  ['A', null, 'A'],
  ['A', 'Smaller steps.', 'A\n\nSmaller steps.'],
  ['A\n', 'B', 'A\n\nB'],
  ['A', 'A', 'A'],
  ['A\n\nB', 'B', 'A\n\nB'],
  ['A\n\nB', 'A', 'A\n\nB\n\nA'],
  ['say B', 'B', 'say B\n\nB'],
])('%j and then %j is %j', (before, said, all) => {
  expect(joinMessages(before, said)).toBe(all);
});
