import { beforeAll, describe, expect, test } from 'vitest';
import type { OrchestrateWords } from '../../../src/cli/orchestrate/orchestrate.js';
import { orchestrateCommands } from '../../../src/cli/orchestrate-commands.js';
import { runCommandLine } from '../../../src/cli/program.js';

beforeAll(() => {
  Object.assign(globalThis, { TEDDY_VERSION: '0.0.0' });
});

async function run(...words: string[]) {
  const calls: { plans: readonly string[]; options: OrchestrateWords }[] = [];
  const commands = orchestrateCommands(async () => ({
    orchestrate: async (plans, options) => {
      calls.push({ plans, options });
      return 7;
    },
  }));
  const code = await runCommandLine(
    ['orchestrate', ...words],
    { commands: [commands], welcome: async () => 0 },
    () => {},
  );
  return { code, ...calls[0]! };
}

describe('teddy orchestrate', () => {
  test('takes plans and amounts, and ends as it is told', async () => {
    const words =
      '03-01 x/04-PLAN.md --executor claude --jobs 4 --isolation none --max-attempts 2 --budget 0.50';
    expect(await run(...words.split(' '))).toEqual({
      code: 7,
      plans: ['03-01', 'x/04-PLAN.md'],
      options: {
        executor: 'claude',
        jobs: 4,
        isolation: 'none',
        maxAttempts: 2,
        budgetUsd: 0.5,
        color: true,
      },
    });
    expect((await run('--dry-run', '--json')).options).toEqual({ dryRun: true, json: true, color: true });
  });

  test.each([
    ['--jobs', '0', 'write a whole number from 1 to 64'],
    ['--jobs', '65', 'write a whole number from 1 to 64'],
    ['--jobs', '1.5', 'write a whole number from 1 to 64'],
    ['--max-attempts', 'x', 'write a whole number from 1 to 20'],
    ['--budget', '0', 'write US dollars above 0'],
    ['--budget', '-1', 'write US dollars above 0'],
    ['--budget', '1e3', 'write US dollars above 0'],
    ['--isolation', 'docker', 'Allowed choices are worktree, none'],
    ['--executor', '', '--executor is empty'],
    ['--json', '', 'The name of a plan is empty'],
  ])('%s %j is refused with what to write instead', async (option, value, sentence) => {
    await expect(run(option, value)).rejects.toThrow(sentence);
  });
});
