import type { Tokens } from '../turns/types.js';
import type { ModelSettings } from './types.js';

const MILLION = 1_000_000;
/** Prices are products of numbers that binary fractions cannot hold. */
const PLACES = 1e9;

/** In US dollars; null without prices. */
export function costOf(
  { prices }: Pick<ModelSettings, 'prices'>,
  { input, output }: Pick<Tokens, 'input' | 'output'>,
): number | null {
  if (prices === null) return null;
  return round((input * prices.input + output * prices.output) / MILLION);
}

/** What one answer costs if it is as long as it may be. */
export function worstCostOf(
  settings: Pick<ModelSettings, 'prices' | 'maxOutputTokens'>,
  inputTokens: number,
): number | null {
  return costOf(settings, { input: inputTokens, output: settings.maxOutputTokens });
}

export interface Spent {
  tokens: Tokens;
  costUsd: number | null;
}

/** All tries together. What one of them cost and nobody knows makes the sum unknown. */
export function addUp(settings: Pick<ModelSettings, 'prices'>, tries: readonly Spent[]): Spent {
  const tokens = tries.reduce<Tokens>(
    (sum, { tokens: { input, output, estimated } }) => ({
      input: sum.input + input,
      output: sum.output + output,
      estimated: sum.estimated || estimated,
    }),
    { input: 0, output: 0, estimated: false },
  );
  if (tries.length === 0) return { tokens, costUsd: costOf(settings, tokens) };
  const costs = tries.map(({ costUsd }) => costUsd);
  const known = costs.filter((cost) => cost !== null);
  const costUsd = known.length < costs.length ? null : round(known.reduce((sum, cost) => sum + cost, 0));
  return { tokens, costUsd };
}

function round(usd: number): number {
  return Math.round(usd * PLACES) / PLACES;
}
