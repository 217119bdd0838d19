import type { PlanAttempt, Tokens } from './types.js';

/** What answers took, as far as it is known; null where nothing is. */
export interface SessionCost {
  tokens: Tokens | null;
  costUsd: number | null;
}

export function sumUp(attempts: readonly PlanAttempt[]): SessionCost {
  const counted = attempts.flatMap(({ tokens }) => tokens ?? []);
  const costs = attempts.flatMap(({ costUsd }) => costUsd ?? []);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  return {
    tokens:
      counted.length === 0
        ? null
        : {
            input: sum(counted.map(({ input }) => input)),
            output: sum(counted.map(({ output }) => output)),
            estimated: counted.some(({ estimated }) => estimated),
          },
    // Without the dust that adding fractions leaves.
    costUsd: costs.length === 0 ? null : Number(sum(costs).toPrecision(12)),
  };
}
