import type { Trend } from '../../core/state/types.js';

/** With fewer plans there is nothing to compare. */
const FEWEST_PLANS = 3;

/** The newest two fifths against the others. More than a fifth slower is a decline, any gain an improvement. */
export function trendOf(durationsNewestFirst: readonly number[]): Trend {
  const count = durationsNewestFirst.length;
  if (count < FEWEST_PLANS) return 'Not enough data';
  const newest = durationsNewestFirst.slice(0, Math.ceil((2 * count) / 5));
  const others = durationsNewestFirst.slice(newest.length);
  // Averages by one denominator: whole numbers compare exactly where fractions round.
  const now = sum(newest) * others.length;
  const before = sum(others) * newest.length;
  if (now < before) return 'Improving';
  return 5 * now > 6 * before ? 'Declining' : 'Stable';
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}
