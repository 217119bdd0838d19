import { describe, expect, test } from 'vitest';
import type { FailureKind } from '../../src/orchestrate/events.js';
import { decideFollowing, type Standstill } from '../../src/orchestrate/questions.js';

const following = (failures: FailureKind[], more: Partial<Standstill> = {}) =>
  decideFollowing({
    why: failures.at(-1)!,
    failures,
    maxAttempts: 20,
    costUsd: 0,
    taskBudgetUsd: null,
    ...more,
  });

describe('what follows a failure', () => {
  test.each<FailureKind>(['reported', 'invalid', 'verification', 'vacuous', 'conflict'])(
    '%s: something was learnt, so again at once',
    (kind) => {
      expect(following([kind])).toEqual({ next: 'retry', waitMs: 0 });
      expect(following(['crash', 'crash', kind])).toEqual({ next: 'retry', waitMs: 0 });
    },
  );

  test.each<FailureKind>(['crash', 'rate-limit'])('%s: after 1, 2, 4 s', (kind) => {
    expect([1, 2, 3].map((count) => following(Array.from({ length: count }, () => kind)))).toEqual([
      { next: 'retry', waitMs: 1000 },
      { next: 'retry', waitMs: 2000 },
      { next: 'retry', waitMs: 4000 },
    ]);
  });

  test('the wait grows with those in a row, begins anew after another failure, and has an end', () => {
    expect(following(['crash', 'rate-limit'])).toEqual({ next: 'retry', waitMs: 2000 });
    expect(following(['crash', 'crash', 'invalid', 'crash'])).toEqual({ next: 'retry', waitMs: 1000 });
    expect(following(Array.from({ length: 19 }, () => 'crash'))).toEqual({ next: 'retry', waitMs: 60_000 });
  });

  test('as many as there may be, and a person is asked', () => {
    expect(following(['reported', 'invalid'], { maxAttempts: 3 })).toMatchObject({ next: 'retry' });
    expect(following(['reported', 'invalid', 'crash'], { maxAttempts: 3 })).toEqual({
      next: 'ask',
      why: 'attempts-exhausted',
    });
    expect(following(['crash'], { maxAttempts: 1 })).toEqual({ next: 'ask', why: 'attempts-exhausted' });
  });

  test('money that is used up is said before attempts that are', () => {
    const spent = { costUsd: 2, taskBudgetUsd: 2 };
    expect(following(['reported'], spent)).toEqual({ next: 'ask', why: 'budget' });
    expect(following(['reported'], { ...spent, maxAttempts: 1 })).toEqual({ next: 'ask', why: 'budget' });
    expect(following(['reported'], { costUsd: 1.99, taskBudgetUsd: 2 })).toMatchObject({ next: 'retry' });
  });
});
