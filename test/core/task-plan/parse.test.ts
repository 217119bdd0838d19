import { describe, expect, test } from 'vitest';
import { parseTaskPlan } from '../../../src/core/task-plan/parse.js';
import type { TaskPlan } from '../../../src/core/task-plan/types.js';

const names = (plan: TaskPlan) => plan.tasks.map(({ name }) => name);
const codes = (plan: TaskPlan) => plan.issues.map(({ code, line }) => `${line} ${code}`);
const plan = (...lines: string[]) => parseTaskPlan(`${lines.join('\n')}\n`);

describe('a task element', () => {
  test('has everything that is written in it', () => {
    const { tasks, issues } = plan(
      '<tasks>',
      '<task type="checkpoint:human-verify" tdd="true" id="two" gate="blocking" status="failed">',
      '  <name>Task 1: Look &amp; see</name>',
      '  <files>a.ts (new), b.ts</files>',
      '  <read_first>',
      '    - @c.ts',
      '  </read_first>',
      '  <behavior>',
      '    - It works',
      '  </behavior>',
      '  <action>',
      '',
      '    Do it.',
      '      Twice.',
      '',
      '  </action>',
      '  <verify>npm test</verify>',
      '  <acceptance_criteria>- Yes</acceptance_criteria>',
      '  <done>Seen.</done>',
      '</task>',
      '</tasks>',
    );
    expect(issues).toEqual([]);
    expect(tasks).toHaveLength(1);
    expect(tasks).toMatchObject([
      {
        index: 1,
        line: 2,
        name: 'Task 1: Look & see',
        named: true,
        type: 'checkpoint:human-verify',
        tdd: true,
        id: 'two',
        gate: 'blocking',
        status: 'failed',
        completedAt: null,
        files: [
          { path: 'a.ts', note: 'new' },
          { path: 'b.ts', note: null },
        ],
        readFirst: [{ path: 'c.ts', note: null }],
        action: '    Do it.\n      Twice.',
        behavior: '    - It works',
        verify: { text: 'npm test', command: 'npm test', commands: ['npm test'], hint: null },
        acceptanceCriteria: '- Yes',
        done: 'Seen.',
        dependsOn: null,
        dependsOnUnknown: [],
        dependsOnItself: [],
        checkbox: null,
        source: expect.stringMatching(/^<task type="checkpoint[\s\S]*<\/task>$/),
      },
    ]);
  });

  test('needs nothing but its tag', () => {
    const { tasks } = plan('<task>', '</task>', '<task/>', '<task type="auto" />');
    expect(tasks.map(({ name, named, type, line }) => [name, named, type, line])).toEqual([
      ['Task 1', false, 'auto', 1],
      ['Task 2', false, 'auto', 3],
      ['Task 3', false, 'auto', 4],
    ]);
  });

  test.each([
    ['single quotes', "<task type='tdd'>"],
    ['no quotes', '<task type=tdd>'],
    ['several lines', '<task\n  id="x"\n  type="tdd"\n>'],
    ['spaces around the sign', '<task type = "tdd" >'],
    ['capitals', '<TASK TYPE="tdd">'],
    ['a > in another value', '<task gate="a > b" type="tdd">'],
    ['a tag in another value', '<task gate="</task>" type="tdd">'],
    ['tabs', '<task\ttype="tdd"\t>'],
    ['a quote that does not end', '<task gate="a type=tdd>'],
  ])('reads attributes with %s', (_, tag) => {
    const { tasks } = parseTaskPlan(`${tag}\n<name>Task 1: A</name>\n</task>\n`);
    expect(tasks.map(({ type, name }) => [type, name])).toEqual([['tdd', 'Task 1: A']]);
  });

  test('whose tag does not end is not a task, and that is said', () => {
    const read = plan('<task type="auto"', '<name>Task 1: A</name>', '</task>', '<task>', '</task>');
    expect(read.tasks.map(({ line }) => line)).toEqual([4]);
    expect(codes(read)).toContain('1 tag-malformed');
  });

  test.each([
    ['completed', 'completed'],
    ['done', 'completed'],
    ['Complete', 'completed'],
    ['failed', 'failed'],
    ['blocked', 'blocked'],
    ['skipped', 'skipped'],
    ['in_progress', 'in_progress'],
    ['in-progress', 'in_progress'],
    ['pending', 'pending'],
    ['toString', 'pending'],
  ])('with status="%s" is %s', (word, status) => {
    const read = plan(`<task status="${word}">`, '<name>Task 1: A</name>', '</task>');
    expect(read.tasks[0]?.status).toBe(status);
    expect(codes(read)).toEqual(word === 'toString' ? ['1 status-unknown'] : []);
  });
});

describe('tags that are not elements', () => {
  test.each([
    ['a fence', '```xml', '```'],
    ['a fence of tildes', '~~~', '~~~'],
    ['an indented fence', '      ```', '      ```'],
    ['a fence in a list', '1. ```', '   ```'],
    ['a longer fence', '`````', '`````'],
    ['a fence with a remark before it', '- Write:\n  ```', '  ```'],
    ['a comment', '<!--', '-->'],
    ['a comment behind words', 'words <!--', '-->'],
  ])('stand in %s', (_, open, close) => {
    const read = plan(
      '<task>',
      '<name>Task 1: A</name>',
      '<action>',
      open,
      '<task>',
      '<name>Task 2: B</name>',
      '</task>',
      close,
      '</action>',
      '<done>Yes</done>',
      '</task>',
      '<task>',
      '<name>Task 3: C</name>',
      '</task>',
    );
    expect(names(read)).toEqual(['Task 1: A', 'Task 3: C']);
    expect(read.tasks[0]?.done).toBe('Yes');
    expect(read.issues).toEqual([]);
  });

  test('stand in a fence that begins or ends on the line of its element', () => {
    const read = plan(
      '<task>',
      '<action>```xml',
      '<task>',
      '```</action>',
      '<name>Task 1: A</name>',
      '<verify>```',
      'npm test',
      '```',
      '</verify>',
      '<done>```one line```</done>',
      '</task>',
      '<task>',
      '</task>',
    );
    expect(read.tasks).toMatchObject([
      {
        name: 'Task 1: A',
        action: '```xml\n<task>\n```',
        verify: { command: 'npm test' },
        done: '```one line```',
      },
      { line: 12 },
    ]);
    expect(codes(read)).toEqual(['12 name-missing']);
  });

  test.each([
    '</task>',
    '</action>',
    '</action>\n</task>',
    '</task>\n</tasks>',
    '</action>\n</task>\n<task>',
    '</action>\n</task>\n<task>\n<name>Task 8: X</name>\n</task>',
  ])('are pieces of a plan in a fence: %j', (piece) => {
    for (const more of ['', '```ts\nx\n```\n', '```\nx\n```\n']) {
      const read = parseTaskPlan(
        `<tasks>\n<task>\n<name>Task 1: A</name>\n<action>\n\`\`\`xml\n${piece}\n\`\`\`\n${more}</action>\n` +
          '<done>Yes</done>\n</task>\n<task>\n<name>Task 2: B</name>\n</task>\n</tasks>\n',
      );
      expect(names(read)).toEqual(['Task 1: A', 'Task 2: B']);
      expect(read.tasks[0]?.done).toBe('Yes');
      expect(read.issues).toEqual([]);
    }
  });

  test.each(['```', '```bash', '~~~'])('do not vanish in a fence %s that its task leaves open', (fence) => {
    const task = (n: number, inside: string) =>
      `<task>\n<name>Task ${n}: T</name>\n<action>\n${inside}\n</action>\n<done>Yes</done>\n</task>\n`;
    const nested = '```\n```markdown\nx\n```\n```js\ny\n```\nz\n```';
    const closed = ['```ts\nx\n```', '```\nx\n```', '~~~\nx\n~~~', `${nested}\n\nMore.`];
    for (const other of closed) {
      for (const at of [1, 2, 3, 4, 5]) {
        const tasks = [1, 2, 3, 4, 5].map((n) => task(n, n === at ? `Write:\n${fence}\nx` : other));
        const read = parseTaskPlan(
          `<tasks>\n${tasks.join('\n')}</tasks>\n<verification>\n${other}\n</verification>\n`,
        );
        expect(names(read)).toEqual([1, 2, 3, 4, 5].map((n) => `Task ${n}: T`));
        expect(read.tasks.map(({ done }) => done)).toEqual(['Yes', 'Yes', 'Yes', 'Yes', 'Yes']);
        expect(codes(read).some((code) => code.endsWith('fence-unclosed'))).toBe(true);
      }
    }
  });

  test('stand in code spans or in the middle of a line', () => {
    const read = plan(
      '<task>',
      '<name>Task 1: A</name>',
      '<action>',
      'Write `<task>` and `</action>`, then <task> and the </action> tag, ``</task>``',
      '</action>',
      '<done>Yes</done>',
      '</task>',
    );
    expect(names(read)).toEqual(['Task 1: A']);
    expect(read.tasks[0]?.done).toBe('Yes');
    expect(read.issues).toEqual([]);
  });

  test('are spoken of at the start of a line', () => {
    const read = plan(
      '<task>',
      '<name>Task 1: A</name>',
      '<action>',
      'The word',
      '<task> is a word.',
      '</action>',
      '<done>Yes</done>',
      '</task>',
      '<task>',
      '<name>Task 2: B</name>',
      '</task>',
    );
    expect(names(read)).toEqual(['Task 1: A', 'Task 2: B']);
    expect(read.tasks[0]?.done).toBe('Yes');
    expect(codes(read)).toEqual(['5 task-nested']);
  });

  test('are code: generics, comparisons, JSX and HTML', () => {
    const action = [
      'if (a <b && c> d) return Map<string, Array<T>>;',
      '<div>',
      '<Name first="x">',
      '<br>',
      '<T extends object>(x: T) => x',
      '</div>',
      '<p>',
    ];
    const read = plan('<task>', '<action>', ...action, '</action>', '<name>Task 1: A</name>', '</task>');
    expect(read.tasks[0]?.action).toBe(action.join('\n'));
    expect(names(read)).toEqual(['Task 1: A']);
    expect(read.issues).toEqual([]);
  });

  test('stand in the frontmatter', () => {
    const read = plan(
      '---',
      'a: |',
      '  <task>',
      '  </task>',
      '  - [ ] Task 1: A',
      '---',
      '<task>',
      '</task>',
    );
    expect(read.tasks.map(({ line }) => line)).toEqual([7]);
  });
});

describe('what is not closed', () => {
  const task = (n: number, ...action: string[]) => [
    '<task>',
    `<name>Task ${n}: T</name>`,
    '<action>',
    ...action,
    '</action>',
    `<done>${n}</done>`,
    '</task>',
  ];
  const three = ['Task 1: T', 'Task 2: T', 'Task 3: T'];

  test.each([
    ['the last fence of the plan', task(1, '```ts', 'x'), task(2), task(3)],
    ['before a block with a language', task(1, '```ts', 'x'), task(2, '```ts', 'y', '```'), task(3)],
    ['before a block without one', task(1, '```', 'x'), task(2, '```', 'y', '```'), task(3)],
    ['two tasks before the next block', task(1, '```ts', 'x'), task(2), task(3, '```', 'y', '```')],
    ['twice', task(1, '```ts', 'x'), task(2, '```ts', 'x'), task(3, '```ts', 'y', '```')],
    ['after a good block', task(1, '```', 'x', '```', '```'), task(2, '```ts', 'y', '```'), task(3)],
    ['in the last task', task(1), task(2), task(3, '~~~', 'x')],
  ])('a fence, %s, hides no task', (_, ...tasks) => {
    const read = plan('<tasks>', ...tasks.flat(), '</tasks>', '<verification>', '```', 'npm test', '```');
    expect(names(read)).toEqual(three);
    expect(read.tasks.map(({ done }) => done)).toEqual(['1', '2', '3']);
    expect(codes(read).every((code) => /fence-unclosed|element-unclosed/.test(code))).toBe(true);
    expect(codes(read).join()).toContain('fence-unclosed');
  });

  test('a fence in the context hides no task', () => {
    const read = plan(
      '<context>',
      '```ts',
      'x',
      '</context>',
      '<tasks>',
      ...task(1, '```ts', 'y', '```'),
      '</tasks>',
    );
    expect(names(read)).toEqual(['Task 1: T']);
    expect(codes(read)).toEqual(['2 fence-unclosed']);
  });

  test('a comment hides no task', () => {
    const read = plan(...task(1, '<!-- x'), ...task(2, 'y -->'), ...task(3, '<!-- z'));
    expect(names(read)).toEqual(three);
    expect(codes(read)).toEqual(['4 comment-unclosed', '18 comment-unclosed']);
  });

  test('an element ends where the next one begins', () => {
    const read = plan('<task>', '<name>Task 1: A', '<action>', 'Do', '<verify>npm test</verify>', '</task>');
    expect(read.tasks[0]).toMatchObject({ name: 'Task 1: A', action: 'Do', verify: { command: 'npm test' } });
    expect(codes(read)).toEqual(['2 element-unclosed', '3 element-unclosed']);
  });

  test('an element ends at a closing tag with words behind it', () => {
    const read = plan(
      '<task>',
      '<name>Task 1: A</name> (new)',
      '<files>a.ts</files>, that is all',
      '</task>',
    );
    expect(read.tasks[0]).toMatchObject({ name: 'Task 1: A', files: [{ path: 'a.ts', note: null }] });
  });

  test('a task ends where the next one, or a section, begins', () => {
    const read = plan(
      '<tasks>',
      '<task>',
      '<name>Task 1: A</name>',
      '<task>',
      '<name>Task 2: B</name>',
      '<done>B</done>',
      '</task>',
      '<task>',
      '<name>Task 3: C</name>',
      '<verification>',
      'All',
      '</verification>',
    );
    expect(read.tasks.map(({ name, done, source }) => [name, done, source])).toEqual([
      ['Task 1: A', null, '<task>\n<name>Task 1: A</name>'],
      ['Task 2: B', 'B', '<task>\n<name>Task 2: B</name>\n<done>B</done>\n</task>'],
      ['Task 3: C', null, '<task>\n<name>Task 3: C</name>'],
    ]);
    expect(read.verification).toBe('All');
    expect(codes(read)).toEqual(['2 task-unclosed', '8 task-unclosed']);
  });
});

describe('a task in a task', () => {
  test('is a task of its own, and the outer one goes on behind it', () => {
    const read = plan(
      '<task>',
      '<name>Task 1: A</name>',
      '<task>',
      '<name>Task 2: B</name>',
      '<done>B</done>',
      '</task>',
      '<done>A</done>',
      '</task>',
    );
    expect(read.tasks.map(({ index, name, done, line }) => [index, name, done, line])).toEqual([
      [1, 'Task 1: A', 'A', 1],
      [2, 'Task 2: B', 'B', 3],
    ]);
    expect(codes(read)).toEqual(['3 task-nested']);
  });

  test('is text inside an element of it', () => {
    const read = plan(
      '<task>',
      '<action>',
      '<task>',
      '<task>',
      '<name>X</name>',
      '</task>',
      '</task>',
      '</action>',
      '<name>Task 1: A</name>',
      '</task>',
    );
    expect(names(read)).toEqual(['Task 1: A']);
    expect(read.tasks[0]?.action).toContain('<name>X</name>');
    expect(codes(read)).toEqual(['3 task-nested']);
  });
});

describe('sections', () => {
  test('are read without the blank lines around them', () => {
    const read = plan(
      '<objective>',
      '',
      '  Reach it.',
      '',
      '</objective>',
      '<context>@a.md</context>',
      '<task><name>Task 1: A</name>',
      '<context>not this one</context>',
      '</task>',
      '<success_criteria>',
      '- [x] One (completed 2026-01-26)',
      '* Two',
      '  goes on',
      '3. Three',
      'Prose.',
      '</success_criteria>',
      '<output>',
      '</output>',
    );
    expect(read).toMatchObject({
      objective: '  Reach it.',
      context: '@a.md',
      verification: null,
      output: '',
      criteria: [
        { line: 11, text: 'One', checked: true },
        { line: 12, text: 'Two goes on', checked: null },
        { line: 14, text: 'Three', checked: null },
      ],
    });
  });

  test('have LF in a text with CRLF', () => {
    const read = parseTaskPlan(
      '<objective>\r\na\r\nb\r\n</objective>\r\n<task><name>a\r\nb</name></task>\r\n',
    );
    expect(read.objective).toBe('a\nb');
    expect(names(read)).toEqual(['a b']);
  });
});

describe('checkboxes', () => {
  const element = (name: string) => `<task><name>${name}</name></task>`;
  const boxOf = (name: string, ...lines: string[]) => plan(element(name), ...lines).tasks[0]!.checkbox;

  test.each([
    '- [x] Task 1: Make it',
    '* [X] Task 1: Make it',
    '+ [x] Task 1: Make it (completed 2026-01-26)',
    '1. [x] Task 1: Make it',
    '  - [x] Task 1: Make it  ',
    '- [x] **Task 1:** Make it',
    '- [x] **Task 1: Make it**',
    '- [x] Task 1: Make',
    '- [x] Task 1: Make all of it',
    '- [x] Task 01: Make it',
  ])('stand for a task: %s', (line) => {
    expect(boxOf('Task 1: Make it', line)).toMatchObject({ line: 2, checked: true });
  });

  test.each([
    '- [x] Task 2: Make it',
    '- [x] Make it',
    '- [y] Task 1: Make it',
    '- [x]Task 1: Make it',
    '-[x] Task 1: Make it',
    '[x] Task 1: Make it',
    '> - [x] Task 1: Make it',
    '- [x] Task 11: Make it',
    '- [x] Task 1: quite another thing',
    '```\n- [x] Task 1: Make it\n```',
    '<!--\n- [x] Task 1: Make it\n-->',
  ])('do not stand for it: %j', (line) => {
    expect(boxOf('Task 1: Make it', line)).toBeNull();
  });

  test('stand for a task without a number by its very name, or by its place and words', () => {
    expect(boxOf('Make it', '- [ ] Make it')).not.toBeNull();
    expect(boxOf('Make it', '- [ ] Task 1: Make it')).not.toBeNull();
    expect(boxOf('Make it', '- [ ] Task 1: Break it')).toBeNull();
    expect(boxOf('Make it', '- [ ] Task 2: Make it')).toBeNull();
    expect(boxOf('Make it', '- [ ] make it')).toBeNull();
  });

  test('that could be two things are neither', () => {
    expect(boxOf('Task 1: A', '- [x] Task 1: A b', '- [ ] Task 1: A c')).toBeNull();
    const twice = plan(element('Make it'), element('Make it'), '- [x] Make it');
    expect(twice.tasks.map(({ status }) => status)).toEqual(['pending', 'pending']);
    expect(codes(twice)).toEqual(['1 checkbox-ambiguous', '2 checkbox-ambiguous', '2 name-repeated']);
  });

  test('inside a task are its own', () => {
    const read = plan('<task><name>Task 1: A</name>', '- [x] Task 1: A', '</task>');
    expect(read.tasks[0]).toMatchObject({ checkbox: null, status: 'pending' });
  });

  test('say that a task is completed, unless its tag says something else', () => {
    const box = '- [x] Task 1: A';
    expect(plan('<task><name>Task 1: A</name></task>', box).tasks[0]?.status).toBe('completed');
    expect(plan('<task status=failed><name>Task 1: A</name></task>', box).tasks[0]?.status).toBe('failed');
  });

  test('are the tasks of a plan without elements', () => {
    const read = plan(
      '- [ ] Task 1: A',
      'text',
      '- [x] **Task 2:** B (completed 2026-01-26)',
      '- [ ] C',
      '- [ ] Task: D',
    );
    expect(read.tasks.map(({ index, line, name, status }) => [index, line, name, status])).toEqual([
      [1, 1, 'Task 1: A', 'pending'],
      [2, 3, 'Task 2: B', 'completed'],
    ]);
    expect(read.tasks[1]?.source).toBe('- [x] **Task 2:** B (completed 2026-01-26)');
  });
});

test('a plan without tasks says so, and where they might be', () => {
  expect(codes(parseTaskPlan(''))).toEqual(['1 tasks-missing']);
  const wrapped = plan('```', '<task>', '</task>', '```');
  expect(wrapped.issues).toMatchObject([{ code: 'tasks-missing', hint: expect.stringContaining('fence') }]);
});

test('a plan becomes JSON with everything that it says', () => {
  const text = `<objective>Ship it</objective>
<tasks>
<task type="auto" id="a">
<name>Task 1: Write</name>
<files>a.ts</files>
<action>Write it.</action>
<verify>npm test</verify>
<done>It works.</done>
</task>
</tasks>
<success_criteria>
- [ ] It is there
</success_criteria>
`;
  const plan = JSON.parse(JSON.stringify(parseTaskPlan(text)));
  expect(plan).toMatchObject({ text, objective: 'Ship it', issues: [] });
  expect(plan.criteria).toEqual([{ text: 'It is there', checked: false, line: 12 }]);
  expect(plan.tasks).toHaveLength(1);
  expect(plan.tasks[0]).toMatchObject({ id: 'a', line: 3, action: 'Write it.', files: [{ path: 'a.ts' }] });
  expect(Object.keys(plan.tasks[0])).not.toContain('element');
});
