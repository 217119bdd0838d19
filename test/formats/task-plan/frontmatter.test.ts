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
  mustHaves: null,
  other: {},
  unread: [],
  issues: [],
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
      mustHaves: { truths: ['It works'] },
      other: { tags: ['x'] },
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
    const unread = ['phase', 'wave', 'depends_on', 'autonomous'];
    expect(rest).toEqual({ ...EMPTY, unread, issues: undefined });
    expect(issues.map(({ code, line }) => `${line} ${code}`)).toEqual([
      '2 frontmatter-type',
      '3 frontmatter-type',
      '5 frontmatter-type',
      '4 frontmatter-type',
    ]);
  });

  test.each([
    ['not YAML', '---\n\na: b: c\n---\n', 'frontmatter-invalid', 3],
    ['a list', '---\n- a\n---\n', 'frontmatter-invalid', 2],
    ['a key twice', '---\na: 1\na: 2\n---\n', 'frontmatter-invalid', 3],
    ['not closed', '---\na: 1\n', 'frontmatter-unclosed', 1],
    ['not closed before the plan', '---\na: 1\n<tasks>\n---\n', 'frontmatter-unclosed', 1],
  ])('that is %s is an issue and nothing else', (_, text, code, line) => {
    const { issues, ...rest } = readPlanFrontmatter(parseTaskPlan(text));
    expect(rest).toEqual({ ...EMPTY, unread: expect.any(Array), issues: undefined });
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
    const text = '\uFEFF\r\n---  \r\nphase: 3\r\nbad: [\r\n---\t\r\n<task/>\r\n';
    expect(readPlanFrontmatter(parseTaskPlan(text.replace('bad: [\r\n', ''))).phase).toBe('3');
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
    expect(read(...lines).issues).toMatchObject([{ code: 'frontmatter-invalid' }]);
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

describe('a frontmatter that is not YAML is read key by key', () => {
  const readLines = (...lines: string[]) =>
    readPlanFrontmatter(parseTaskPlan(['---', ...lines, '---', '<task/>', ''].join('\n')));
  const BROKEN = ['must_haves:', '  truths:', '    - `teddy` works: yes', 'note: "a" b'];

  test.each([
    [['wave: 2', 'depends_on: [01-01, "01-02"]', ...BROKEN]],
    [[...BROKEN, 'wave: 2 # later', 'depends_on:', '  - 01-01', "  - '01-02'"]],
    [[...BROKEN, 'depends_on:', '- 01-01', '- 01-02', 'wave: "2"']],
    [['depends_on: 01-01, 01-02', ...BROKEN, 'wave: 2']],
  ])('%j', (lines) => {
    const read = readLines('phase: 03-a', 'plan: 01', ...lines);
    expect(read).toMatchObject({
      phase: '03-a',
      plan: '01',
      wave: 2,
      dependsOn: ['01-01', '01-02'],
      unread: ['must_haves', 'note'],
      mustHaves: null,
    });
    expect(read.issues).toMatchObject([{ code: 'frontmatter-invalid' }]);
    expect(read.issues[0]!.message).toContain('Not read: must_haves, note.');
  });

  test('what cannot be read is named, and the line of a wrong type is right', () => {
    expect(readLines('depends_on: [01-01', 'wave: 2').unread).toEqual(['depends_on']);
    expect(readLines('a: "b" c', '  depends_on: 01-01').unread).toEqual(['a', 'depends_on']);
    expect(readLines('just words', 'about wave one').unread).toEqual(['wave']);
    const { issues } = readLines('a: "b" c', 'wave: first');
    expect(issues).toMatchObject([{ line: 2 }, { code: 'frontmatter-type', line: 3 }]);
  });
});
