import { beforeAll, describe, expect, test } from 'vitest';
import { runCommandLine } from '../../../src/faces/cli/program.js';

beforeAll(() => {
  Object.assign(globalThis, { TEDDY_VERSION: '0.0.0' });
});

describe('teddy orchestrate', () => {
  test.each([
    ['--jobs', '0', 'is not a whole number from 1 to 64'],
    ['--jobs', '65', 'is not a whole number from 1 to 64'],
    ['--jobs', '1.5', 'is not a whole number from 1 to 64'],
    ['--max-attempts', 'x', 'is not a whole number from 1 to 20'],
    ['--budget', '0', 'is not an amount in US dollars above 0'],
    ['--budget', '-1', 'is not an amount in US dollars above 0'],
    ['--budget', '1e3', 'is not an amount in US dollars above 0'],
    ['--isolation', 'docker', '--isolation "docker" must be one of worktree, none'],
    ['--executor', '', '--executor is empty'],
    ['--json', '', 'The name of a task file is empty'],
  ])('%s %j is refused with what to write instead', async (option, value, sentence) => {
    await expect(runCommandLine(['orchestrate', option, value], async () => {})).rejects.toThrow(sentence);
  });
});
