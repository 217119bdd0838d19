import { describe, expect, test } from 'vitest';
import { addTask, moveTask, removeTask, type TaskEdit } from '../../../src/core/task-plan/arrange.js';
import { parseTaskPlan } from '../../../src/core/task-plan/parse.js';
import { rewriteTask, type TaskChange } from '../../../src/core/task-plan/rewrite-task.js';

const NEW = { files: [], verify: null, action: null, done: null, after: [] };

function textOf(edit: TaskEdit): string {
  if (edit.status === 'refused') throw new Error(edit.reason);
  return edit.plan.text;
}
const reasonOf = (edit: TaskEdit) => (edit.status === 'refused' ? edit.reason : undefined);
const add = (text: string, task: Partial<Parameters<typeof addTask>[1]> & { name: string }) =>
  addTask(parseTaskPlan(text), { ...NEW, ...task });
const move = (text: string, index: number, to: number) => moveTask(parseTaskPlan(text), index, to);
const remove = (text: string, index: number) => removeTask(parseTaskPlan(text), index);
const rewrite = (text: string, index: number, change: TaskChange) =>
  rewriteTask(parseTaskPlan(text), index, change);

/** Tasks with only a name, and these attributes. */
const tasks = (...attributes: string[]) =>
  attributes
    .map((each, i) => `<task${each}>\n  <name>Task ${i + 1}: ${'ABCDEF'[i]}</name>\n</task>\n`)
    .join('\n');

describe('add', () => {
  test('in the form of the task before it, with a checkbox where the others have one', () => {
    const text =
      '\uFEFF<tasks>\r\n\t<task type="auto">\r\n\t\t<name>Task 2: A</name>\r\n\t</task>\r\n</tasks>\r\n<success_criteria>\r\n* [ ] Task 2: A\r\n</success_criteria>';
    const added = textOf(
      add(text, {
        name: 'B',
        files: ['a.ts', 'b.ts'],
        verify: 'npm test\nnpm run lint',
        action: 'Do\nit.',
        done: 'Done.',
      }),
    );
    expect(added).toBe(
      text
        .replace(
          '\t</task>\r\n',
          [
            '\t</task>\r\n\r\n\t<task type="auto">\r\n\t\t<name>Task 3: B</name>\r\n\t\t<files>a.ts, b.ts</files>\r\n',
            '\t\t<action>Do\r\nit.</action>\r\n\t\t<verify>\r\n\t\t\t<automated>npm test\r\nnpm run lint</automated>\r\n\t\t</verify>\r\n',
            '\t\t<done>Done.</done>\r\n\t</task>\r\n',
          ].join(''),
        )
        .replace('* [ ] Task 2: A\r\n', '* [ ] Task 2: A\r\n* [ ] Task 3: B\r\n'),
    );
  });

  test.each([
    ['', '\n<task type="auto">\n  <name>Task 1: A</name>\n  <action>A</action>\n</task>\n'.slice(1)],
    [
      '---\nwave: 1\n---\n',
      '---\nwave: 1\n---\n\n<task type="auto">\n  <name>Task 1: A</name>\n  <action>A</action>\n</task>\n',
    ],
    ['# Plan', '# Plan\n\n<task type="auto">\n  <name>Task 1: A</name>\n  <action>A</action>\n</task>'],
  ])('to a file without tasks: %j', (text, after) => {
    expect(textOf(add(text, { name: 'A' }))).toBe(after);
  });

  test('to a list of checkboxes, behind what belongs to the last one', () => {
    const text = '1. [x] Task 1: A\n   - detail\n\n   more\n2. [ ] Task 2: B\n   - detail\n\nEnd';
    expect(textOf(add(text, { name: 'C' }))).toBe(
      text.replace('   - detail\n\nEnd', '   - detail\n3. [ ] Task 3: C\n\nEnd'),
    );
    expect(textOf(add(text, { name: 'C', after: [1] }))).toBe(
      text.replace('   more\n', '   more\n2. [ ] Task 3: C\n'),
    );
    expect(reasonOf(add(text, { name: 'C', verify: 'npm test' }))).toContain('checkboxes');
  });

  test('behind what it waits for, where the order of the file counts', () => {
    const edit = add(tasks('', '', ''), { name: 'D', after: [1, 2] });
    expect(edit).toMatchObject({ index: 3 });
    expect(textOf(edit)).not.toContain('depends_on');
    expect(parseTaskPlan(textOf(edit)).tasks.map(({ name }) => name[8])).toEqual(['A', 'B', 'D', 'C']);
  });

  test('at the end with depends_on, where the others have it too', () => {
    const edit = add(tasks('', ' depends_on="1"'), { name: 'C', after: [2, 1, 2] });
    expect(textOf(edit)).toContain('<task type="auto" depends_on="1,2">\n  <name>Task 3: C</name>');
  });

  test.each(['<b> & "x"', '&lt;b>', '</name>', '`<task>`', "it's"])(
    'a name with the characters of tags: %j',
    (name) => {
      const edit = add(tasks(''), { name });
      expect(parseTaskPlan(textOf(edit)).tasks[1]!.name).toBe(`Task 2: ${name}`);
    },
  );

  test('what the file would not read back is refused', () => {
    expect(reasonOf(add(tasks(''), { name: 'B', action: '</action></task><task>' }))).toContain('read back');
    expect(reasonOf(add(tasks(''), { name: 'B', after: [2] }))).toBe(
      'The task file has no task 2; it has 1.',
    );
  });
});

describe('move', () => {
  test('what is between the tasks stays', () => {
    const text = `\uFEFF<!-- one -->\n${tasks('', ' type="checkpoint:human-verify"')}# Between\n\n<task><name>Task 3: C</name></task><!-- end -->`;
    const moved = textOf(move(text, 3, 1));
    expect(moved.replaceAll(/<task.*?<\/task>/gs, '@')).toBe(text.replaceAll(/<task.*?<\/task>/gs, '@'));
    expect(parseTaskPlan(moved).tasks.map(({ name }) => name)).toEqual([
      'Task 3: C',
      'Task 1: A',
      'Task 2: B',
    ]);
    expect(textOf(move(moved, 1, 3))).toBe(text);
  });

  test.each([
    ['"2"', '"3"'],
    ["'2, 3'", "'3, 1'"],
    ['2', '3'],
    ['"[1; 2]"', '"[2; 3]"'],
    ['"1-3"', '"1-3"'],
    ['"1-2"', '"2,3"'],
    ['"Task 2"', '"Task 2"'],
    ['"b, 3"', '"b, 1"'],
    ['"2,nothing"', '"3,nothing"'],
  ])('depends_on=%s of the last becomes %s', (before, after) => {
    const text = tasks('', ' id="b"', '', ` depends_on=${before}`);
    expect(textOf(move(text, 3, 1))).toContain(`<task depends_on=${after}>`);
  });

  test('in a file of checkboxes with what is indented below', () => {
    const text = '- [ ] Task 1: A\n  - a\n* [x] Task 2: B (completed 2026-01-02)\n\n  b\n- [ ] not a task\n';
    expect(textOf(move(text, 2, 1))).toBe(
      '- [x] Task 2: B (completed 2026-01-02)\n\n  b\n* [ ] Task 1: A\n  - a\n- [ ] not a task\n',
    );
  });

  test('checkboxes that mean a position get the new one', () => {
    const text =
      '<task><name>A</name></task>\n<task><name>B</name></task>\n- [ ] Task 1: A\n- [x] Task 2: B\n';
    const moved = textOf(move(text, 2, 1));
    expect(moved).toContain('- [ ] Task 2: A\n- [x] Task 1: B\n');
    expect(parseTaskPlan(moved).tasks.map(({ status }) => status)).toEqual(['completed', 'pending']);
  });

  test('tasks inside each other, and positions that are not there, are refused', () => {
    expect(reasonOf(move('<task><name>A</name>\n<task><name>B</name></task>\n</task>\n', 2, 1))).toContain(
      'inside each other',
    );
    expect(reasonOf(move(tasks('', ''), 1, 3))).toBe('The task file has 2 tasks, so there is no position 3.');
  });
});

describe('remove', () => {
  test('whole lines, and one of two blank lines', () => {
    const text = `${tasks('', '', '')}\n<success_criteria>\n- [ ] Task 1: A\n- [ ] Task 2: B\n- [ ] Task 3: C`;
    expect(textOf(remove(text, 2))).toBe(
      text.replace('<task>\n  <name>Task 2: B</name>\n</task>\n\n', '').replace('- [ ] Task 2: B\n', ''),
    );
    expect(textOf(remove(text, 3)).endsWith('- [ ] Task 2: B')).toBe(true);
  });

  test('what depended on it depends on what it depended on', () => {
    const text = tasks('', '', ' depends_on="1,2"', ' depends_on="3"', ' depends_on="4,3"');
    const left = textOf(remove(text, 3));
    expect(parseTaskPlan(left).tasks.map(({ dependsOn }) => dependsOn)).toEqual([
      null,
      null,
      [1, 2],
      [1, 2, 3],
    ]);
  });

  test('on a line with others only itself', () => {
    expect(textOf(remove('<tasks><task><name>A</name></task><task><name>B</name></task></tasks>', 1))).toBe(
      '<tasks><task><name>B</name></task></tasks>',
    );
  });
});

describe('rewrite', () => {
  const text = [
    '<task type="auto">\r\n',
    '  <name>Task 1: A</name>\r\n',
    '  <verify>\r\n    <automated>npm test</automated>\r\n  </verify>\r\n',
    '</task>\r\n<task depends_on="Task 1: A">\r\n  <name>Task 2: B</name>\r\n</task>\r\n',
    '- [ ] **Task 1:** A\r\n  and more (completed 2026-01-02)\r\n',
  ].join('');

  test.each<[TaskChange, string, string]>([
    [{ verify: 'make & make' }, 'npm test', 'make & make'],
    [
      { files: ['a.ts', 'b.ts'] },
      '</name>\r\n  <verify>',
      '</name>\r\n  <files>a.ts, b.ts</files>\r\n  <verify>',
    ],
    [{ done: 'So.' }, '  </verify>\r\n', '  </verify>\r\n  <done>So.</done>\r\n'],
  ])('%j changes only that', (change, before, after) => {
    expect(textOf(rewrite(text, 1, change))).toBe(text.replace(before, after));
  });

  test('a name changes what refers to it', () => {
    const plain = text.replace(
      '**Task 1:** A\r\n  and more (completed 2026-01-02)',
      'Task 1: A (completed 2026-01-02)',
    );
    expect(textOf(rewrite(plain, 1, { name: 'New' }))).toBe(
      plain
        .replace('<name>Task 1: A', '<name>Task 1: New')
        .replace('"Task 1: A"', '"1"')
        .replace('] Task 1: A', '] Task 1: New'),
    );
  });

  test('depends_on only where it is used', () => {
    const used = tasks('', ' depends_on="1"', ' status="failed"');
    expect(textOf(rewrite(used, 3, { after: [2, 1] }))).toContain('<task status="failed" depends_on="1,2">');
    expect(textOf(rewrite(used, 2, { after: [] }))).toContain('<task depends_on="">');
    expect(reasonOf(rewrite(used, 2, { after: [2] }))).toBe('A task cannot wait for itself.');
    expect(reasonOf(rewrite(tasks('', ''), 2, { after: [1] }))).toContain('teddy task move');
  });

  test('what the file would not read back is refused', () => {
    expect(reasonOf(rewrite(text, 1, { files: ['none'] }))).toContain('read back');
    expect(reasonOf(rewrite('- [ ] Task 1: A\n', 1, { verify: 'x' }))).toContain('checkboxes');
  });
});
