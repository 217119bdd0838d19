import { describe, expect, test } from 'vitest';
import { phaseOf, planIdOf, readPlanFrontmatter } from '../../../src/core/task-plan/frontmatter.js';
import { parseTaskPlan } from '../../../src/core/task-plan/parse.js';

const read = (...lines: string[]) =>
  readPlanFrontmatter(parseTaskPlan(`---\n${lines.join('\n')}\n---\n<task/>\n`));
const EMPTY = {
  phase: null,
  plan: null,
  type: null,
  wave: null,
  dependsOn: [],
  filesModified: [],
  autonomous: null,
  parallel: false,
  issues: [],
  orderIssues: [],
};

describe('frontmatter', () => {
  test('is read with everything in it', () => {
    expect(
      read(
        'phase: 03-auth-flow',
        'plan: 01',
        'type: execute',
        'wave: 2',
        'depends_on: ["03-01", 02]',
        'files_modified:',
        '  - a.ts',
        '  - b.ts',
        'autonomous: false',
        'parallel: true',
        'must_haves:',
        '  truths:',
        '    - It works',
        'tags: [x]',
      ),
    ).toMatchObject({
      phase: '03-auth-flow',
      plan: '01',
      type: 'execute',
      wave: 2,
      dependsOn: ['03-01', '02'],
      filesModified: ['a.ts', 'b.ts'],
      autonomous: false,
      parallel: true,
      issues: [],
    });
  });

  test('keeps numbers as they are written', () => {
    expect(read('phase: 02.10', 'plan: 007 # the seventh')).toMatchObject({ phase: '02.10', plan: '007' });
    expect(read('depends_on:', '  - 01', '  - 002')).toMatchObject({ dependsOn: ['01', '002'] });
    expect(read('depends_on: 03')).toMatchObject({ dependsOn: ['03'] });
  });

  test('takes one text with commas for a list, and none for nothing', () => {
    expect(read('depends_on: 01-01, 01-02', 'files_modified: a.ts')).toMatchObject({
      dependsOn: ['01-01', '01-02'],
      filesModified: ['a.ts'],
    });
    expect(read('depends_on: none', 'files_modified:')).toMatchObject({ dependsOn: [], filesModified: [] });
  });

  test('of the wrong types is an issue for each key, with its line', () => {
    const { issues, ...rest } = read('phase: [1]', 'wave: two', 'autonomous: perhaps', 'depends_on: {a: 1}');
    expect(rest).toEqual({ ...EMPTY, orderIssues: [issues[1], issues[2]], issues: undefined });
    expect(issues.map(({ code, line }) => `${line} ${code}`)).toEqual([
      '2 frontmatter-type',
      '3 frontmatter-type',
      '5 frontmatter-type',
      '4 frontmatter-type',
    ]);
  });

  test.each([
    ['not YAML', '---\n\ntype: b: c\n---\n', 'frontmatter-invalid', 3],
    ['a list', '---\n# A list\n\n- a\n---\n', 'frontmatter-invalid', 4],
    ['a key twice', '---\ntype: a\ntype: b\n---\n', 'frontmatter-invalid', 3],
    ['not closed', '---\na: 1\n', 'frontmatter-unclosed', 1],
    ['not closed before the plan', '---\na: 1\n<tasks>\n---\n', 'frontmatter-unclosed', 1],
  ])('that is %s is an issue and nothing else', (_, text, code, line) => {
    const { issues, ...rest } = readPlanFrontmatter(parseTaskPlan(text));
    expect(rest).toEqual({ ...EMPTY, orderIssues: expect.any(Array), issues: undefined });
    expect(issues).toMatchObject([{ code, line }]);
  });

  test.each([
    '',
    'a',
    'a: b\n',
    '# Title\n---\na: b\n---\n',
    '---',
    '----\na: b\n----\n',
    '---\n---\n',
    '---\n# x\n---\n',
  ])('is not in %j', (text) => {
    const { issues, ...rest } = readPlanFrontmatter(parseTaskPlan(text));
    expect({ ...rest, issues: issues.filter(({ code }) => code !== 'frontmatter-unclosed') }).toEqual(EMPTY);
  });

  test('may have CRLF, a byte order mark, blank lines before it and blanks behind its rules', () => {
    const text = '\uFEFF\r\n---  \r\nphase: 3\r\nwave: [\r\n---\t\r\n<task/>\r\n';
    expect(readPlanFrontmatter(parseTaskPlan(text.replace('wave: [\r\n', ''))).phase).toBe('3');
    expect(readPlanFrontmatter(parseTaskPlan(text)).issues).toMatchObject([{ code: 'frontmatter-invalid' }]);
    expect(parseTaskPlan(text).tasks).toMatchObject([{ line: 6 }]);
  });

  test('an alias bomb is refused', () => {
    const lines = ['a: &a [x, x, x, x, x, x, x, x, x]'];
    for (let i = 0; i < 12; i++)
      lines.push(
        `b${i}: &b${i} [${Array(9)
          .fill(i === 0 ? '*a' : `*b${i - 1}`)
          .join(', ')}]`,
      );
    expect(read(...lines).issues).toEqual([]);
    expect(read('files_modified:', ...lines.map((line) => `  ${line}`)).issues).toMatchObject([
      { code: 'frontmatter-invalid' },
    ]);
  });

  test('is read once for a plan', () => {
    const plan = parseTaskPlan('---\nphase: 1\n---\n<task/>\n');
    expect(readPlanFrontmatter(plan)).toBe(readPlanFrontmatter(plan));
  });
});

describe('the id of a plan', () => {
  const FRONTMATTER = 'phase: 07-late\nplan: 02';
  const id = (path: string, yaml = FRONTMATTER) =>
    planIdOf(path, parseTaskPlan(`---\n${yaml}\n---\n<task/>\n`));

  test.each([
    ['03-01-PLAN.md', '03-01'],
    ['.planning/phases/03-auth/03-01-PLAN.md', '03-01'],
    ['C:\\plans\\03-01-PLAN.md', '03-01'],
    ['3-1-PLAN.md', '3-1'],
    ['02.1-03-PLAN.md', '02.1-03'],
    ['142-01-PLAN.md', '142-01'],
    ['03-01.md', '03-01'],
    ['03-01', '03-01'],
    ['03-01-sign-in-PLAN.md', '03-01'],
    ['PLAN.md', '07-02'],
    ['03-sign-in-PLAN.md', '07-02'],
    ['03-2fa-PLAN.md', '07-02'],
    ['2026-01-26-PLAN.md', '07-02'],
  ])('of %s is %s', (path, expected) => {
    expect(id(path)).toBe(expected);
  });

  test.each([
    ['phase: 03\nplan: 01', '03-01'],
    ['phase: 2.1-fix\nplan: "04"', '2.1-04'],
    ['phase: Phase 3\nplan: 1', '3-1'],
    ['phase: x\nplan: 03-04', '03-04'],
    ['phase: 3', 'PLAN'],
    ['plan: 3', 'PLAN'],
    ['phase: auth\nplan: 1', 'PLAN'],
    ['phase: 3\nplan: first', 'PLAN'],
    ['a: [', 'PLAN'],
  ])('with %j is %s', (yaml, expected) => {
    expect(id('dir.d/PLAN.md', yaml)).toBe(expected);
  });

  test('without extension or name is the name', () => {
    expect(id('plan', 'a: b')).toBe('plan');
    expect(id('.plan', 'a: b')).toBe('.plan');
    expect(id('a.b.md', 'a: b')).toBe('a.b');
  });

  test.each([
    ['03-01', '', '3'],
    ['02.1-03', '', '2.1'],
    ['00-01', '', '0'],
    ['10-01', '', '10'],
    ['PLAN', 'phase: 04-x', '4'],
    ['PLAN', 'phase: 2.1', '2.1'],
    ['PLAN', 'phase: auth', null],
    ['PLAN', 'a: b', null],
    ['a-03-01', 'a: b', null],
  ])('%s with %j is of phase %s', (planId, yaml, expected) => {
    expect(phaseOf(planId, parseTaskPlan(`---\n${yaml}\n---\n<task/>\n`))).toBe(expected);
  });
});

describe('each key is read on its own', () => {
  const BROKEN = ['must_haves:', '  truths:', '    - `teddy` works: yes', 'note: "a" b'];

  test.each([
    [['wave: 2', 'depends_on: [01-01, "01-02"]', ...BROKEN]],
    [[...BROKEN, 'wave: 2 # later', 'depends_on:', '  - 01-01', "  - '01-02'"]],
    [[...BROKEN, 'depends_on:', '- 01-01', '- 01-02', 'wave: "2"']],
    [['depends_on: 01-01, 01-02', ...BROKEN, 'wave: 2']],
  ])('what another has wrong does not matter: %j', (lines) => {
    for (const [indent, end] of [
      ['', ''],
      ['  ', ''],
      ['', '\r'],
    ]) {
      expect(read(...['phase: 03-a', 'plan: 01', ...lines].map((line) => indent + line + end))).toEqual({
        ...EMPTY,
        phase: '03-a',
        plan: '01',
        wave: 2,
        dependsOn: ['01-01', '01-02'],
      });
    }
  });

  test.each([
    ['depends_on: [01-01', 'wave: 2', 2, '"depends_on" of the frontmatter is not valid YAML'],
    ['wave: 1', 'wave: 2', 3, '"wave" occurs twice in the frontmatter.'],
    ['a: "b" c', '  depends_on: 01-01', 2, '"a" of the frontmatter is not valid YAML'],
    ['a: b', 'wave:2', 2, '"a" of the frontmatter is not valid YAML'],
    ['just words', 'about wave one', 2, 'The frontmatter is not a list of "key: value" lines.'],
    ['a: "b" c', 'wave: first', 3, '"wave" of the frontmatter is not a number.'],
  ])('what may say when a plan begins is never lost in silence: %s, %s', (first, second, line, message) => {
    const { issues, orderIssues } = read(first, second);
    expect(orderIssues).toMatchObject([{ line, message: expect.stringContaining(message) }]);
    expect(issues).toEqual(orderIssues);
  });

  test('what another key holds under these names is its own', () => {
    expect(read('plan: 1', 'history:', '  wave: 1', '  depends_on: [x]')).toEqual({ ...EMPTY, plan: '1' });
  });
});
