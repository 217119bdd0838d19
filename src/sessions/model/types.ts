import type { ModelConfig } from '../../config/types.js';
import type { Tokens } from '../turns/turn.js';

/** What to ask which model, and how far to go: the config's word, without the user's budget. */
export type ModelSettings = Omit<ModelConfig, 'keyEnv' | 'budgetUsd'>;

export interface ModelMessage {
  role: 'user' | 'assistant';
  text: string;
}

export interface ModelRequest {
  system: string;
  messages: readonly ModelMessage[];
  signal: AbortSignal;
  /** The answer as it comes. Must not throw. */
  onText(text: string): void;
  /** Called before each wait: why it is tried again, and when. Must not throw. */
  onRetry(reason: string, waitMs: number): void;
}

/** One try at an answer. Never a throw. `text` is what came, however it ended. */
export type ModelAnswer = { text: string } & Spent &
  (
    | { status: 'answered' }
    /** It ended at the token limit. */
    | { status: 'cut-off'; reason: string }
    /**
     * The service could not be reached, refused, stalled or broke off; each `reason` is a whole sentence. `mayPass`: the
     * same question may have an answer the next time. `limited`: it was asked too often.
     */
    | { status: 'failed'; reason: string; mayPass: boolean; limited?: true }
    | { status: 'interrupted'; reason: string }
  );

/** A model that can be asked. */
export interface ModelClient {
  settings: ModelSettings;
  /** Retries what a wait may fix (429, 5xx, a connection that breaks before any text). */
  ask(request: ModelRequest): Promise<ModelAnswer>;
}

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
  /** Where the cost is an estimate from teddy's own list: the month of its prices. */
  pricesOf?: string;
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
  if (tries.length === 0) return priceTokens(settings, tokens);
  const costs = tries.map(({ costUsd }) => costUsd);
  const known = costs.filter((cost) => cost !== null);
  const costUsd = known.length < costs.length ? null : round(known.reduce((sum, cost) => sum + cost, 0));
  const pricesOf = tries.find((each) => each.pricesOf !== undefined)?.pricesOf;
  return { tokens, costUsd, ...(costUsd !== null && pricesOf !== undefined && { pricesOf }) };
}

/** What tokens cost by the prices that are known. */
export function priceTokens(settings: Pick<ModelSettings, 'prices'>, tokens: Tokens): Spent {
  const pricesOf = settings.prices?.asOf;
  return { tokens, costUsd: costOf(settings, tokens), ...(pricesOf !== undefined && { pricesOf }) };
}

function round(usd: number): number {
  return Math.round(usd * PLACES) / PLACES;
}
