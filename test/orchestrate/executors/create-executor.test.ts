import { describe, expect, test } from 'vitest';
import { DEFAULTS } from '../../../src/config/config-file.js';
import type { Config } from '../../../src/config/types.js';
import { UserError } from '../../../src/node/errors.js';
import {
  chooseExecutorName,
  createExecutor,
  type OwnExecutors,
} from '../../../src/orchestrate/executors/create-executor.js';
import type { Executor } from '../../../src/orchestrate/executors/types.js';
import { assignmentIn, openTestSite, printing } from './site.js';

const TEDDY: Executor = { name: 'teddy', kind: 'machine', run: () => Promise.reject(new Error('not asked')) };

const OWN: OwnExecutors = {
  human: { onAssigned() {}, submitted: () => Promise.resolve() },
  createTeddy: async () => TEDDY,
};

function configWith(executors: Config['executors'], executor: string | null = null): Config {
  return { ...DEFAULTS, executors, orchestrate: { ...DEFAULTS.orchestrate, executor } };
}

describe('by its name', () => {
  test.each([
    'claude',
    'codex',
    'gemini',
    'opencode',
    'claude-acp',
    'codex-acp',
    'gemini-acp',
    'opencode-acp',
  ])('%s', async (name) => {
    expect(await createExecutor(name, configWith({}), OWN)).toMatchObject({ name, kind: 'machine' });
  });

  test('teddy and a person', async () => {
    expect(await createExecutor('teddy', configWith({}), OWN)).toBe(TEDDY);
    expect(await createExecutor('human', configWith({}), OWN)).toMatchObject({
      name: 'human',
      kind: 'person',
    });
  });

  test('what the config calls so goes first, and keeps its name', async () => {
    const config = configWith({ codex: { command: 'echo status: success' }, quick: { preset: 'gemini' } });
    const { folder, site } = openTestSite({ gemini: printing('{"response":"hi","stats":{"models":{}}}') });
    const own = await createExecutor('codex', config, OWN);
    expect(own.name).toBe('codex');
    expect(await own.run(assignmentIn(folder), site)).toMatchObject({ text: 'status: success\n' });
    const quick = await createExecutor('quick', config, OWN);
    expect(quick.name).toBe('quick');
    expect(await quick.run(assignmentIn(folder), site)).toMatchObject({ status: 'returned', text: 'hi' });
  });

  test.each(['cluade', 'toString', ''])('%j is none', async (name) => {
    const created = createExecutor(name, configWith({ mine: { command: 'x' } }), OWN);
    await expect(created).rejects.toThrow(UserError);
    await expect(created).rejects.toThrow(
      `Unknown executor ${JSON.stringify(name)}. Available: mine, claude, codex, gemini, opencode, claude-acp, codex-acp, gemini-acp, opencode-acp, teddy and human.`,
    );
  });
});

describe('who is chosen', () => {
  const two: Config['executors'] = { one: { command: 'x' }, two: { preset: 'codex' } };

  test.each<[string, string | undefined, Config, string]>([
    ['by the option', 'gemini', configWith(two, 'two'), 'gemini'],
    ['by the config', undefined, configWith(two, 'two'), 'two'],
    ['as the only one', undefined, configWith({ one: { command: 'x' } }), 'one'],
  ])('%s', (_, named, config, chosen) => expect(chooseExecutorName(named, config)).toBe(chosen));

  test.each([configWith(two), configWith({})])('nobody', (config) => {
    const choose = () => chooseExecutorName(undefined, config);
    expect(choose).toThrow(UserError);
    expect(choose).toThrow(/Use --executor NAME, or set orchestrate: \{executor: NAME\}/);
  });
});
