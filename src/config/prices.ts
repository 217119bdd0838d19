import type { ProviderName } from './providers.js';

/** US dollars for a million tokens. */
export interface Prices {
  input: number;
  output: number;
  /** The month in which they were known to be right, for those that come with teddy. */
  asOf?: string;
}

type Row = readonly [name: string, input: number, output: number, asOf: string];

/**
 * The list prices of well-known models, without discounts and without surcharges for very long questions. A model that
 * is not here has no price: a wrong one would be worse.
 */
const TABLE: Partial<Record<ProviderName, readonly Row[]>> = {
  anthropic: [
    ['claude-fable-5', 10, 50, '2026-10'],
    ['claude-opus-5-5', 4, 20, '2026-10'],
    ['claude-opus-5', 5, 25, '2026-10'],
    ['claude-opus-4-8', 5, 25, '2026-10'],
    ['claude-opus-4-7', 5, 25, '2026-10'],
    ['claude-opus-4-6', 5, 25, '2026-10'],
    ['claude-opus-4-5', 5, 25, '2026-10'],
    ['claude-opus-4-1', 15, 75, '2026-10'],
    ['claude-opus-4', 15, 75, '2026-10'],
    ['claude-sonnet-5-5', 2, 10, '2026-10'],
    ['claude-sonnet-5', 2, 10, '2026-10'],
    ['claude-sonnet-4-6', 3, 15, '2026-10'],
    ['claude-sonnet-4-5', 3, 15, '2026-10'],
    ['claude-sonnet-4', 3, 15, '2026-10'],
    ['claude-3-7-sonnet', 3, 15, '2026-10'],
    ['claude-haiku-4-5', 1, 5, '2026-10'],
  ],
  openai: [
    ['gpt-6-sol', 2, 10, '2026-09'],
    ['gpt-5.4', 2.5, 15, '2026-07'],
    ['gpt-5.4-mini', 0.75, 4.5, '2026-07'],
    ['gpt-5.4-nano', 0.2, 1.25, '2026-07'],
    ['gpt-5.2', 1.75, 14, '2026-09'],
    ['gpt-5.1', 1.25, 10, '2026-07'],
    ['gpt-5', 1.25, 10, '2026-07'],
    ['gpt-5-mini', 0.25, 2, '2026-07'],
    ['gpt-5-nano', 0.05, 0.4, '2026-09'],
    ['gpt-4.1', 2, 8, '2026-07'],
    ['gpt-4.1-mini', 0.4, 1.6, '2026-07'],
    ['gpt-4.1-nano', 0.1, 0.4, '2026-07'],
    ['gpt-4o', 2.5, 10, '2026-07'],
    ['gpt-4o-mini', 0.15, 0.6, '2026-07'],
    ['o3', 2, 8, '2026-07'],
    ['o4-mini', 1.1, 4.4, '2026-07'],
  ],
  gemini: [
    ['gemini-2.5-pro', 1.25, 10, '2026-07'],
    ['gemini-2.5-flash', 0.3, 2.5, '2026-07'],
    ['gemini-2.5-flash-lite', 0.1, 0.4, '2026-07'],
  ],
};

/** `-latest`, `-20260205` and `-2026-02-05` name a version of the same model, at the same price. */
const VERSION = /-(?:latest|\d{8}|\d{4}-\d{2}-\d{2})$/;

/** Null for a model whose price is not known. */
export function listPrices(provider: ProviderName, model: string): Prices | null {
  const base = model.replace(VERSION, '');
  const row = TABLE[provider]?.find(([name]) => name === base);
  return row === undefined ? null : { input: row[1], output: row[2], asOf: row[3] };
}
