import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/config-file.js';
import { addUp, costOf, worstCostOf } from '../../../src/sessions/model/types.js';

const SETTINGS = { prices: { input: 3, output: 15 }, maxOutputTokens: 16_000 };
const FREE = { prices: null, maxOutputTokens: 16_000 };

test('what tokens cost', () => {
  expect(costOf(SETTINGS, { input: 1_000_000, output: 0 })).toBe(3);
  expect(costOf(SETTINGS, { input: 7, output: 1 })).toBe(0.000036);
  expect(costOf({ prices: { input: 0.1, output: 0.2 } }, { input: 1, output: 1 })).toBe(0.0000003);
  expect(costOf({ prices: { input: 0, output: 0 } }, { input: 9, output: 9 })).toBe(0);
  expect(costOf(FREE, { input: 1, output: 1 })).toBeNull();
});

test('what an answer costs at its longest', () => {
  expect(worstCostOf(SETTINGS, 1000)).toBe(0.243);
  expect(worstCostOf(FREE, 1000)).toBeNull();
});

test('tries add up', () => {
  const one = { tokens: { input: 10, output: 1, estimated: false }, costUsd: 0.1 };
  const two = { tokens: { input: 20, output: 2, estimated: true }, costUsd: 0.2 };
  expect(addUp(SETTINGS, [one, two])).toEqual({
    tokens: { input: 30, output: 3, estimated: true },
    costUsd: 0.3,
  });
  expect(addUp(SETTINGS, [one, { ...two, costUsd: null }]).costUsd).toBeNull();
  expect(addUp(SETTINGS, []).costUsd).toBe(0);
  expect(addUp(FREE, []).costUsd).toBeNull();
});

test('a config gives what a client needs, and no key', async () => {
  const read = await parseConfig(
    'model: {provider: anthropic, name: m, inputPrice: 3, outputPrice: 15, budget: 1, idle: 30s}',
  );
  if (read.status !== 'config') throw new Error('It was refused.');
  expect(read.config.model).toEqual({
    provider: 'anthropic',
    api: 'anthropic',
    baseURL: 'https://api.anthropic.com/v1',
    name: 'm',
    maxOutputTokens: 16_000,
    prices: { input: 3, output: 15 },
    timeoutMs: 600_000,
    idleMs: 30_000,
    keyEnv: 'ANTHROPIC_API_KEY',
    budgetUsd: 1,
  });
});
