import { describe, expect, test } from 'vitest';
import { setTaskStatus } from '../../../src/core/task-plan/edit.js';
import { parseTaskPlan } from '../../../src/core/task-plan/parse.js';
import type { TaskPlan } from '../../../src/core/task-plan/types.js';

const AT = '2026-01-26T10:30:45Z';
const plan = (...lines: string[]) => parseTaskPlan(`${lines.join('\n')}\n`);
const element = (name: string) => `<task><name>${name}</name></task>`;
const inside = (name: string, ...lines: string[]) => [`<${name}>`, ...lines, `</${name}>`];
const criteria = (...lines: string[]) => inside('success_criteria', ...lines);
const codes = ({ issues }: TaskPlan) => issues.map(({ code, line }) => `${line} ${code}`);
const boxLines = ({ tasks }: TaskPlan) => tasks.map(({ checkbox }) => checkbox?.line ?? null);

const TASK = element('Task 1: Create DB');
const BOX = '- [x] Task 1: Create DB';

/** No byte of the line changes when the task is completed, and the edit says that no box stands for it. */
function expectLeftAlone(read: TaskPlan, box: string): void {
  expect(read.tasks[0]).toMatchObject({ status: 'pending', checkbox: null });
  const { text, issues } = setTaskStatus(read, 1, { status: 'completed', at: AT });
  expect(text).toContain(`${box}\n`);
  expect(text).toContain('<task status="completed"');
  expect(issues.map(({ code }) => code)).toEqual(['checkbox-missing']);
}

describe('with success criteria, a box elsewhere stands for no task', () => {
  test.each(['context', 'objective', 'execution_context', 'verification', 'output', 'interfaces', 'tasks'])(
    'in <%s>',
    (name) => {
      const read = plan(...inside(name, 'From plan 02-01:', BOX), TASK, ...criteria('- works'));
      expectLeftAlone(read, BOX);
      expect(read.issues).toEqual([]);
    },
  );

  test('under a heading', () => {
    expectLeftAlone(plan(TASK, '## Before', BOX, ...criteria('- works')), BOX);
    expectLeftAlone(plan(TASK, ...criteria('- works'), '## Before', BOX), BOX);
  });

  test('and the one in them does, whatever else there is', () => {
    const open = '- [ ] Task 1: Create DB';
    const read = plan(open, ...inside('context', BOX), TASK, ...criteria(open));
    expect(boxLines(read)).toEqual([7]);
    expect(read.tasks[0]?.status).toBe('pending');
  });

  test('even in criteria that another plan had', () => {
    const quoted = inside('context', 'Plan 02-01 said:', ...criteria(BOX));
    const read = plan(...quoted, TASK, ...criteria('- [ ] Task 1: Create DB'));
    expect(boxLines(read)).toEqual([9]);
    expect(read.criteria.map(({ line }) => line)).toEqual([9]);
    expect(read.tasks[0]?.status).toBe('pending');
  });
});

describe('without success criteria', () => {
  test.each(['context', 'objective', 'execution_context', 'verification', 'output', 'previous_work'])(
    'a box in <%s> stands for no task',
    (name) => {
      expectLeftAlone(plan(...inside(name, BOX), TASK), BOX);
      expectLeftAlone(plan(TASK, ...inside(name, '<br>', BOX)), BOX);
    },
  );

  test('nor does one in an element that is not closed', () => {
    expectLeftAlone(plan('<context>', BOX, TASK), BOX);
    expectLeftAlone(plan(TASK, '<verification>', BOX), BOX);
  });

  test('a box outside of everything does, and one between the tasks', () => {
    expect(boxLines(plan(BOX, TASK))).toEqual([1]);
    expect(boxLines(plan(...inside('context', 'x'), TASK, '## Progress', BOX))).toEqual([6]);
    expect(boxLines(plan(...inside('tasks', TASK, BOX)))).toEqual([3]);
    expect(boxLines(plan(...inside('details', '<summary>Tasks</summary>', BOX), TASK))).toEqual([3]);
  });
});

describe('a number with other words', () => {
  const OTHER = '- [x] Task 1: all endpoints return 200';

  test('makes no box stand for a task, and that is said once', () => {
    const read = plan(TASK, ...criteria(OTHER));
    expectLeftAlone(read, OTHER);
    expect(codes(read)).toEqual(['3 checkbox-words-differ']);
    expect(read.issues[0]?.message).toContain('Task 1: Create DB');
  });

  test('is said of each of several boxes', () => {
    const read = plan(TASK, ...criteria(OTHER, '- [ ] Task 1: Remove old DB'));
    expectLeftAlone(read, OTHER);
    expect(codes(read)).toEqual(['3 checkbox-words-differ', '4 checkbox-words-differ']);
  });

  test('hides no box with the right ones', () => {
    const read = plan(TASK, ...criteria(OTHER, '- [ ] Task 1: Create the DB'));
    expect(boxLines(read)).toEqual([4]);
    expect(codes(read)).toEqual(['3 checkbox-words-differ']);
  });

  test('is not said where two tasks share the number and one has the words', () => {
    const read = plan(TASK, element('Task 1: Fill DB'), ...criteria('- [ ] Task 1: Fill DB', BOX));
    expect(boxLines(read)).toEqual([5, 4]);
    expect(codes(read)).toEqual(['2 number-repeated']);
  });

  test('is said too where the number is a position', () => {
    const read = plan(element('Create DB'), ...criteria(OTHER));
    expect(codes(read)).toEqual(['3 checkbox-words-differ']);
    expect(read.tasks[0]?.status).toBe('pending');
  });

  test('is not said of a number that no task has', () => {
    expect(codes(plan(TASK, ...criteria('- [ ] Task 7: Later')))).toEqual([]);
  });
});

describe('the boxes of a plan without elements are tasks', () => {
  const lines = (read: TaskPlan) => read.tasks.map(({ line }) => line);

  test.each(['context', 'objective', 'execution_context', 'verification', 'output'])(
    'but not in <%s>',
    (name) => {
      const read = plan(...inside(name, BOX), '- [ ] Task 1: Build', '- [ ] Task 2: Ship');
      expect(lines(read)).toEqual([4, 5]);
      expect(read.issues).toEqual([]);
    },
  );

  test('in and out of <tasks> and <success_criteria>', () => {
    expect(
      lines(plan('- [ ] Task 1: A', ...inside('tasks', '- [ ] Task 2: B'), ...criteria('- [ ] Task 3: C'))),
    ).toEqual([1, 3, 6]);
  });

  test('and where all of them stand in other elements, that is said', () => {
    const read = plan(...inside('context', BOX));
    expect(read.tasks).toEqual([]);
    expect(read.issues).toMatchObject([
      { code: 'tasks-missing', hint: expect.stringContaining('<context>') },
    ]);
  });
});
