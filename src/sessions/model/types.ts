import type { ModelConfig } from '../../config/types.js';
import type { Tokens } from '../turns/turn.js';

/** The model's section of the config without the key and the budget. */
export type ModelSettings = Omit<ModelConfig, 'keyEnv' | 'budgetUsd'>;

export interface ModelMessage {
  role: 'user' | 'assistant';
  text: string;
}

export interface ModelRequest {
  system: string;
  messages: readonly ModelMessage[];
  signal: AbortSignal;
  /** Called with each piece of the answer. Must not throw. */
  onText(text: string): void;
  /** Called before each retry. Must not throw. */
  onRetry(reason: string, waitMs: number): void;
}

/** The answer to one request. `text` is all that arrived, however it ended. */
export type ModelAnswer = { text: string } & Spent &
  (
    | { status: 'answered' }
    /** It reached the token limit. */
    | { status: 'cut-off'; reason: string }
    /**
     * The service was unreachable, refused, stalled or broke off. `reason` is a sentence. `mayPass`: a retry
     * may succeed. `limited`: the rate limit was reached.
     */
    | { status: 'failed'; reason: string; mayPass: boolean; limited?: true }
    | { status: 'interrupted'; reason: string }
  );

export interface ModelClient {
  settings: ModelSettings;
  /** Retries temporary failures (429, 5xx, a connection that breaks before any text). */
  ask(request: ModelRequest): Promise<ModelAnswer>;
}

const MILLION = 1_000_000;
/** Rounds off the errors of binary fractions in prices. */
const PLACES = 1e9;

/** In US dollars; null if prices are unknown. */
export function costOf(
  { prices }: Pick<ModelSettings, 'prices'>,
  { input, output }: Pick<Tokens, 'input' | 'output'>,
): number | null {
  if (prices === null) return null;
  return round((input * prices.input + output * prices.output) / MILLION);
}

/** The cost of the longest possible answer. */
export function worstCostOf(
  settings: Pick<ModelSettings, 'prices' | 'maxOutputTokens'>,
  inputTokens: number,
): number | null {
  return costOf(settings, { input: inputTokens, output: settings.maxOutputTokens });
}

export interface Spent {
  tokens: Tokens;
  costUsd: number | null;
  /** The month of teddy's price list, if the cost is an estimate from it. */
  pricesOf?: string;
}

/** Sums up all tries. One unknown cost makes the sum unknown. */
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

/** The cost of tokens at the known prices. */
export function priceTokens(settings: Pick<ModelSettings, 'prices'>, tokens: Tokens): Spent {
  const pricesOf = settings.prices?.asOf;
  return { tokens, costUsd: costOf(settings, tokens), ...(pricesOf !== undefined && { pricesOf }) };
}

function round(usd: number): number {
  return Math.round(usd * PLACES) / PLACES;
}
