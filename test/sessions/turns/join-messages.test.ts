import { expect, test } from 'vitest';
import { joinMessages } from '../../../src/sessions/turns/turn-changes.js';

const ATTEMPT = { outcome: 'refused', reason: null, at: '', tokens: null, costUsd: null } as const;
const HEARD = [{ ...ATTEMPT, answer: 'answer-1.md' }];
const UNHEARD = [{ ...ATTEMPT, answer: null }];

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
])('%j, which was answered, and then %j is %j', (message, said, all) => {
  expect(joinMessages({ message, attempts: HEARD }, said)).toBe(all);
});

test.each([
  ['A', 'B', 'B'],
  ['A', null, 'A'],
  [null, 'B', 'B'],
])('%j, which nobody heard, and then %j is %j', (message, said, all) => {
  for (const attempts of [[], UNHEARD]) expect(joinMessages({ message, attempts }, said)).toBe(all);
});
