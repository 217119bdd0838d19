import { describe, expect, test } from 'vitest';
import { parseTaskPlan } from '../../../src/core/task-plan/parse.js';
import type { Task } from '../../../src/core/task-plan/types.js';

const NAMES = [
  'Task 1: Parse a, b and c',
  'Task 2: Print',
  'Task 3: Ship it',
  'Task 4: Rest',
  'Task 5: Last',
];

/** A plan of five tasks, the fourth of which has these attributes. */
function readFourth(attributes: string, names: readonly string[] = NAMES) {
  const elements = names.map((name, i) => {
    const own = i === 3 ? ` ${attributes}` : i === 0 ? ' id="base"' : '';
    return `<task${own}><name>${name}</name></task>`;
  });
  const { tasks, issues } = parseTaskPlan(`${elements.join('\n')}\n`);
  return { task: tasks[3]!, codes: issues.map(({ code, line }) => `${line} ${code}`) };
}

const dependsOn = ({ dependsOn, dependsOnUnknown }: Task) => [dependsOn, dependsOnUnknown];

describe('depends_on is understood', () => {
  test.each<[string, number[]]>([
    ['1', [1]],
    ['1,2', [1, 2]],
    ['2; 1', [1, 2]],
    ['1 2', [1, 2]],
    [' 1  2\t3 ', [1, 2, 3]],
    ['1 and 2', [1, 2]],
    ['1, 2, and 3', [1, 2, 3]],
    ['1 &amp; 2', [1, 2]],
    ['1 + 2', [1, 2]],
    ['[1, 2]', [1, 2]],
    ['[1]', [1]],
    ['[1], [2]', [1, 2]],
    ['(1, 5)', [1, 5]],
    ["['1', '2']", [1, 2]],
    ['[&quot;1&quot;,&quot;Task 2&quot;]', [1, 2]],
    ['1-3', [1, 2, 3]],
    ['1 - 3', [1, 2, 3]],
    ['1\u20133', [1, 2, 3]],
    ['1..3', [1, 2, 3]],
    ['1 to 3', [1, 2, 3]],
    ['1-2, 5', [1, 2, 5]],
    ['tasks 1-3', [1, 2, 3]],
    ['2-2', [2]],
    ['Task 1', [1]],
    ['task-1', [1]],
    ['task_2', [2]],
    ['#1, #2', [1, 2]],
    ['Task 1, Task 2', [1, 2]],
    ['Task 1 and Task 2', [1, 2]],
    ['Task 1 Task 2', [1, 2]],
    ['Tasks 1 and 2', [1, 2]],
    ['Tasks 1 2 5', [1, 2, 5]],
    ['base', [1]],
    ['base and 2', [1, 2]],
    ['base 2', [1, 2]],
    ['Task 2: Print', [2]],
    ['task 2: print', [2]],
    ['Task 1: Parse a, b and c', [1]],
    ['Task 2: Print, Task 1: Parse a, b and c; 5', [1, 2, 5]],
    ['Task 3: Ship it and Task 2: Print', [2, 3]],
    ['01', [1]],
    ['1,1,1', [1]],
    ['1,', [1]],
    ['', []],
    ['none', []],
    ['None', []],
    ['[]', []],
    ['null', []],
    ['-', []],
  ])('%j', (written, expected) => {
    const { task, codes } = readFourth(`depends_on="${written}"`);
    expect(dependsOn(task)).toEqual([expected, []]);
    expect(codes).toEqual([]);
  });

  test.each<[string, number[]]>([
    ['depends_on=1', [1]],
    ['depends_on=1, 2', [1, 2]],
    ['depends_on=1 2 tdd', [1, 2]],
    ['depends_on=[1, 2] type=auto', [1, 2]],
    ["depends-on='1' tdd", [1]],
    ['dependsOn="1"', [1]],
    ['depends_on="1" depends_on="2"', [1, 2]],
    ['depends_on="1" depends-on="2"', [1, 2]],
    ['depends_on', []],
  ])('in the tag: %s', (attributes, expected) => {
    expect(dependsOn(readFourth(attributes).task)).toEqual([expected, []]);
  });

  test('by names without numbers, and by numbers that are no positions', () => {
    const plain = ['Parse', 'Print', 'Ship', 'Rest'];
    expect(dependsOn(readFourth('depends_on="Print, parse"', plain).task)).toEqual([[1, 2], []]);
    expect(dependsOn(readFourth('depends_on="Task 2"', plain).task)).toEqual([[2], []]);
    const later = ['Task 6: A', 'Task 7: B', 'Task 2.1: C', 'Task 9: D'];
    expect(dependsOn(readFourth('depends_on="Task 6, 7, Task 2.1"', later).task)).toEqual([[1, 2, 3], []]);
    expect(dependsOn(readFourth('depends_on="1, 2"', later).task)).toEqual([[1, 2], []]);
    expect(dependsOn(readFourth('depends_on="Task 2"', later).task)).toEqual([[], ['Task 2']]);
    const shifted = ['Task 2: A', 'Task 3: B', 'Task 4: C', 'Task 5: D'];
    expect(dependsOn(readFourth('depends_on="Task 2"', shifted).task)).toEqual([[1], []]);
  });

  test('and its absence is told apart from an empty one', () => {
    expect(dependsOn(readFourth('type="auto"').task)).toEqual([null, []]);
    const { tasks } = parseTaskPlan('- [ ] Task 1: A\n');
    expect(dependsOn(tasks[0]!)).toEqual([null, []]);
  });
});

describe('what cannot be understood does not vanish', () => {
  test.each<[string, number[], string[]]>([
    ['4', [], ['4']],
    ['1, 4', [1], ['4']],
    ['Task 4: Rest', [], ['Task 4: Rest']],
    ['0', [], ['0']],
    ['6', [], ['6']],
    ['5,6,x', [5], ['6', 'x']],
    ['1-4', [1, 2, 3], ['1-4']],
    ['2-9', [], ['2-9']],
    ['3-1', [], ['3-1']],
    ['03-01', [], ['03-01']],
    ['04-01:1', [], ['04-01:1']],
    ['1, 04-01:1', [1], ['04-01:1']],
    ['04-01:1 and 2', [], ['04-01:1 and 2']],
    ['the first one', [], ['the first one']],
    ['after 1 day', [], ['after 1 day']],
    ['all', [], ['all']],
    ['Task 2: Sing', [], ['Task 2: Sing']],
    ['Print', [], ['Print']],
    ['x, x', [], ['x']],
    ['99999999999999999999', [], ['99999999999999999999']],
    ['1-99999999999999999999', [], ['1-99999999999999999999']],
    ['toString', [], ['toString']],
  ])('%j', (written, known, unknown) => {
    const { task, codes } = readFourth(`depends_on="${written}"`);
    expect(dependsOn(task)).toEqual([known, unknown]);
    expect(codes).toEqual(unknown.map(() => '4 dependency-unknown'));
  });

  test('names and ids that two tasks have are nobody\u2019s', () => {
    const names = ['Same', 'Same', 'Task 1: A', 'Rest'];
    expect(dependsOn(readFourth('depends_on="Same"', names).task)).toEqual([[], ['Same']]);
    const numbers = ['Task 1: A', 'Task 2: B', 'Task 2: C', 'Rest'];
    expect(dependsOn(readFourth('depends_on="Task 2"', numbers).task)).toEqual([[], ['Task 2']]);
    const { tasks } = parseTaskPlan('<task id="a"/>\n<task id="a"/>\n<task depends_on="a"/>\n');
    expect(dependsOn(tasks[2]!)).toEqual([[], ['a']]);
  });

  test('a range in every one of many tasks costs no more than a list', () => {
    const text = '<task depends_on="1-9999"/>\n'.repeat(10_000);
    const { tasks } = parseTaskPlan(text);
    const positions = tasks.reduce((sum, { dependsOn }) => sum + dependsOn!.length, 0);
    expect(positions).toBeLessThanOrEqual(100_000);
    const last = tasks.at(-1)!;
    expect(last.dependsOn!.length + last.dependsOnUnknown.length).toBeGreaterThan(0);
  });
});

test('tasks that wait for each other are a dependency cycle', () => {
  const cyclesOf = (...dependsOn: string[]) =>
    parseTaskPlan(
      dependsOn.map((on, i) => `<task depends_on="${on}"><name>Task ${i + 1}: T</name></task>\n`).join(''),
    )
      .issues.filter(({ code }) => code === 'dependency-cycle')
      .map(({ line, message }) => `${line} ${message}`);
  expect(cyclesOf('3', '1', '2', '1')).toEqual([
    '1 Dependency cycle: tasks 1, 2 and 3 wait for each other, so they never start.',
  ]);
  expect(cyclesOf('2', '1', '4', '3')).toHaveLength(2);
  expect(cyclesOf('2', '', '2')).toEqual([]);
});
