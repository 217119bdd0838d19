import { expect } from 'vitest';

const TIMES = 8;
/** Rounds until the least of each size is low enough: what disturbs a round never makes it cheaper. */
const ROUNDS = 12;
/** Below this many microseconds, only noise is measured. */
const FLOOR = 1000;

/**
 * Fails where eight times the size takes much more than eight times the work; quadratic work would take 64 times. It
 * is counted in processor time, of which the least of several rounds is taken.
 */
export function expectLinear(size: number, work: (size: number) => void): void {
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const growth = () => large / Math.max(small, FLOOR);
  for (let round = 0; round < ROUNDS && !(growth() < 3 * TIMES); round++) {
    small = Math.min(
      small,
      cost(() => work(Math.ceil(size / TIMES))),
    );
    large = Math.min(
      large,
      cost(() => work(size)),
    );
  }
  expect(growth()).toBeLessThan(3 * TIMES);
}

function cost(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
