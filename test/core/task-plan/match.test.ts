import { describe, expect, test } from 'vitest';
import { matchTask } from '../../../src/core/task-plan/checkboxes.js';
import { parseTaskPlan } from '../../../src/core/task-plan/parse.js';

const planOf = (...names: string[]) =>
  parseTaskPlan(names.map((name) => `<task><name>${name}</name></task>\n`).join(''));

/** `2 exact`, `1 number`, `1 number, other words`, `ambiguous 1 2`, or undefined. */
function match(names: string[], written: string): string | undefined {
  const found = matchTask(planOf(...names), written);
  if (!found) return undefined;
  if ('ambiguous' in found) return `ambiguous ${found.ambiguous.map(({ index }) => index).join(' ')}`;
  return `${found.task.index} ${found.match}${found.sameWords ? '' : ', other words'}`;
}

describe('names with numbers', () => {
  const names = ['Task 1: Create configuration file', 'Task 2: Add validation', 'Task 3: Write tests'];

  test.each([
    ['Task 2: Add validation', '2 exact'],
    ['  Task 2: Add validation\n', '2 exact'],
    ['Task 1: Create file', '1 number'],
    ['Task 1: Create the configuration file', '1 number'],
    ['Task 1: create CONFIGURATION-file', '1 number'],
    ['Task 1', '1 number'],
    ['Task 01: Create file', '1 number'],
    ['Task 1: file Create', '1 number, other words'],
    ['Task 1: Write more', '1 number, other words'],
    ['Task 1: Write tests', 'ambiguous 1 3'],
    ['Task 3: add validation!', 'ambiguous 2 3'],
    ['task 1: write tests', 'ambiguous 1 3'],
    ['task 2: add validation', '2 folded'],
    ['TASK 2 - ADD VALIDATION', '2 folded'],
    ['**Task 2:** Add validation', '2 folded'],
    ['Task 2 Add validation.', '2 folded'],
    ['Task-2: Add-Validation', '2 folded'],
    ['task 2: add other things', undefined],
    ['Task 4: Write tests', undefined],
    ['Task 12: Add validation', undefined],
    ['Add validation', undefined],
    ['Write tests', undefined],
    ['2: Add validation', undefined],
    ['Tasks 2: Add validation', undefined],
    ['Task two: Add validation', undefined],
    ['', undefined],
    ['Task', undefined],
  ])('%j is %s', (written, expected) => {
    expect(match(names, written)).toBe(expected);
  });

  test('a number is compared whole: 1 is neither 1.1 nor 12 nor 1a', () => {
    const many = ['Task 1: A', 'Task 1.1: B', 'Task 12: C', 'Task 1a: D'];
    expect(many.map((name) => match(many, name.replace(/: .*/, ': x')))).toEqual([
      '1 number, other words',
      '2 number, other words',
      '3 number, other words',
      '4 number, other words',
    ]);
  });

  test('a number is never a position', () => {
    expect(match(['Task 5: A', 'Task 6: B'], 'Task 1: A')).toBeUndefined();
    expect(match(['Task 2: A', 'Task 1: B'], 'Task 1: C')).toBe('2 number, other words');
    expect(match(['Create it', 'Task 1: B'], 'Task 1: Create it')).toBe('ambiguous 1 2');
    expect(match(['Task 1: Create', 'Task 2: Create tests'], 'Task 2: Create')).toBe('2 number');
  });
});

describe('names that are not unique', () => {
  test('are ambiguous', () => {
    expect(match(['Task 1: A', 'Task 1: A'], 'Task 1: A')).toBe('ambiguous 1 2');
    expect(match(['Task 1: A', 'Task 1: B', 'Task 2: C'], 'Task 1: D')).toBe('ambiguous 1 2');
    expect(match(['Do it', 'Do it'], 'Do it')).toBe('ambiguous 1 2');
  });

  test('are told apart by the whole name', () => {
    expect(match(['Task 1: A', 'Task 1: B'], 'Task 1: B')).toBe('2 exact');
    expect(match(['Task 1: A', 'Task 1: B'], 'task 1 b')).toBe('2 folded');
  });
});

describe('names without numbers', () => {
  const names = ['Create config', 'Add validation', ''];

  test.each([
    ['Create config', '1 exact'],
    ['create config', undefined],
    ['Task 1: Create config', '1 number'],
    ['Task 1: Create the config', '1 number'],
    ['task 1 - create config', '1 folded'],
    ['Task 1: Add validation', undefined],
    ['Task 2: Create config', undefined],
    ['Task 1', undefined],
    ['Task 3', '3 exact'],
    ['Task 3: Look at it', '3 number, other words'],
    ['Task 4: Look at it', undefined],
    ['Task 0: Create config', undefined],
  ])('%j is %s', (written, expected) => {
    expect(match(names, written)).toBe(expected);
  });

  test('a task called by its position gives way to none that has the number in its name', () => {
    expect(match(['', 'Task 1: A'], 'Task 1')).toBe('ambiguous 1 2');
    expect(match(['', 'Task 1: A'], 'Task 1: A')).toBe('2 exact');
    expect(match(['', 'Task 1: A'], 'Task 1: B')).toBe('2 number, other words');
    expect(match(['Task 1: A', ''], 'Task 2: Look')).toBeUndefined();
  });
});

test('letters of every language are words', () => {
  expect(match(['Task 1: Größe prüfen', 'Task 2: 説明を書く'], 'Task 1: größe')).toBe('1 number');
  expect(match(['Task 1: Größe prüfen', 'Task 2: 説明を書く'], 'Task 2: 説明')).toBe('2 number, other words');
  expect(match(['Task 1: Gr\u00f6\u00dfe'], 'Task 1: Gro\u0308\u00dfe')).toBe('1 number');
});

test('long and strange names end quickly', () => {
  for (const name of [
    ' '.repeat(1e6),
    `Task ${'1'.repeat(1e6)}: x`,
    `task${'-'.repeat(1e6)}`,
    'Task 1: '.repeat(1e5),
  ])
    expect(() => matchTask(planOf('Task 1: A', name), name)).not.toThrow();
});
