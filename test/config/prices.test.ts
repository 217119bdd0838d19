import { expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config-file.js';
import { listPrices } from '../../src/config/prices.js';

test.each([
  ['anthropic', 'claude-sonnet-4-5', 3, 15],
  ['anthropic', 'claude-sonnet-4-5-20250929', 3, 15],
  ['anthropic', 'claude-opus-4-20250514', 15, 75],
  ['openai', 'gpt-5-mini-2025-08-07', 0.25, 2],
  ['gemini', 'gemini-2.5-pro', 1.25, 10],
] as const)('%s %s', (provider, model, input, output) => {
  expect(listPrices(provider, model)).toMatchObject({ input, output, asOf: expect.stringMatching(/^2026-/) });
});

test.each([
  ['anthropic', 'claude-opus-9'],
  ['openai', 'gpt-5-pro'],
  ['openai', 'claude-sonnet-4-5'],
  ['ollama', 'qwen3'],
  ['openai-compatible', 'gpt-5'],
] as const)('%s %s has no known price', (provider, model) => {
  expect(listPrices(provider, model)).toBeNull();
});

test("the config's prices count instead, and a budget needs some", async () => {
  const modelOf = async (text: string) => {
    const read = await parseConfig(`model: {provider: anthropic, ${text}}`);
    return read.status === 'config' ? read.config.model : read.problems[0]?.message;
  };
  expect(await modelOf('name: claude-opus-4-1, budget: 1')).toMatchObject({
    prices: { input: 15, output: 75, asOf: '2026-10' },
    budgetUsd: 1,
  });
  expect(await modelOf('name: claude-opus-4-1, inputPrice: 1, outputPrice: 2')).toMatchObject({
    prices: { input: 1, output: 2 },
  });
  expect(await modelOf('name: secret-model, budget: 1')).toBe(
    'model has a budget, but the price of "secret-model" is not known; write inputPrice and outputPrice.',
  );
});
