import { expect } from 'vitest';

const TIMES = 8;
const ROUNDS = 3;
/** Below this many microseconds, only noise is measured. */
const FLOOR = 1000;

/**
 * Fails where eight times the size takes much more than eight times the work; quadratic work would take 64 times. It
 * is counted in processor time, which nothing else on the machine changes.
 */
export function expectLinear(size: number, work: (size: number) => void): void {
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++) {
    small = Math.min(
      small,
      cost(() => work(Math.ceil(size / TIMES))),
    );
    large = Math.min(
      large,
      cost(() => work(size)),
    );
  }
  expect(large / Math.max(small, FLOOR)).toBeLessThan(3 * TIMES);
}

function cost(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
