import { describe, expect, test } from 'vitest';
import { parseTaskPlan } from '../../../src/core/task-plan/parse.js';
import { judgeResult } from '../../../src/core/task-result/judge.js';
import { readResult } from '../../../src/core/task-result/read.js';
import { RESULT_ISSUES, type ResultIssueCode, type Verdict } from '../../../src/core/task-result/types.js';
import { RESULT_EXAMPLE } from '../../../src/core/task-result/write.js';
import { MemoryTree } from '../../../src/core/tree.js';
import { BLOCKED, FAILED, MUTATIONS, ON_TASK } from './mutations.js';
import { change, makePlan, makeTask, SUBJECT } from './subject.js';

function judge(text: string, about: Partial<typeof SUBJECT> = {}): Verdict {
  return judgeResult(readResult(text), { ...SUBJECT, ...about });
}

const codes = (verdict: Verdict) => verdict.issues.map(({ code }) => code);
const said = (verdict: Verdict) => verdict.checks.map((check) => `${check.state}: ${check.said}`);

describe('one fault in a result that was in order', () => {
  test.each(MUTATIONS)('$fault: $code', ({ text, code, field, line, hint, also = [] }) => {
    const verdict = judge(text);
    const { severity } = RESULT_ISSUES[code];
    expect(codes(verdict)).toEqual([code, ...also]);
    const [issue] = verdict.issues;
    expect(issue).toMatchObject({ code, severity, line });
    expect(issue?.field).toBe(field);
    if (hint !== undefined) expect(issue?.hint).toMatch(hint);
    const outcome = { error: 'INVALID', warning: 'VALID_WITH_WARNINGS', info: 'VALID' };
    expect(verdict.verdict).toBe(also.length > 0 ? 'VALID_WITH_WARNINGS' : outcome[severity]);
    expect(verdict.checks.some(({ state }) => state === 'failed')).toBe(severity === 'error');
  });

  test('there are many, and every code has one', () => {
    expect(MUTATIONS.length).toBeGreaterThan(100);
    const elsewhere: ResultIssueCode[] = [
      'task-folded',
      'task-not-asked',
      'file-unclaimed',
      'file-unchanged',
    ];
    const seen = new Set([...MUTATIONS.map(({ code }) => code), ...elsewhere]);
    expect(Object.keys(RESULT_ISSUES).filter((code) => !seen.has(code as ResultIssueCode))).toEqual([]);
  });
});

describe('results in order', () => {
  test.each([
    ['success', RESULT_EXAMPLE],
    ['failure', change(FAILED)],
    ['failure with exit code 0', change({ ...FAILED, 8: '  exit_code: 0' })],
    ['failure with another command', change({ ...FAILED, 7: '  command: "make"' })],
    ['blocked', change(BLOCKED)],
    ['the shorter name', change(ON_TASK('Task 2: Check port'))],
    ['CRLF', RESULT_EXAMPLE.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\uFEFF${RESULT_EXAMPLE}`],
    ['marks around it', `---\n${RESULT_EXAMPLE}...\n`],
    ['a comment above', `# Result\n${RESULT_EXAMPLE}`],
    ['white space in the command', change({ 7: '  command: " npm  test --\\nport "' })],
  ])('%s', (_, text) => {
    const verdict = judge(text);
    expect(verdict.issues).toEqual([]);
    expect(verdict.verdict).toBe('VALID');
    expect(verdict.match?.task.index).toBe(2);
    expect(verdict.checks.map(({ state }) => state)).toEqual(['passed', 'passed', 'passed', 'passed']);
  });

  test('a folded name is found, with a warning', () => {
    const verdict = judge(change(ON_TASK('task 2 - check the PORT, of the server')));
    expect(verdict.verdict).toBe('VALID_WITH_WARNINGS');
    expect(verdict.match?.task.index).toBe(2);
  });

  test('prose to verify allows what cannot be run', () => {
    const nulls = { 7: '  command: null', 8: '  exit_code: null', 9: '  output_summary: null' };
    const verdict = judge(change({ ...ON_TASK('Task 3: Look at the log'), ...nulls }));
    expect(codes(verdict)).toEqual(['unverified']);
    expect(verdict.issues[0]?.hint).toMatch(/evidence.*<automated>.*task file/);
    expect(verdict.result?.verification).toEqual({ command: null, exitCode: null, outputSummary: null });
    expect(said(verdict)[1]).toBe(
      'warned: Status consistent: success with exit_code=null and done_criteria_met=true; unverified',
    );
  });

  test('a blocked task with prose to verify claims nothing', () => {
    expect(codes(judge(change({ ...BLOCKED, ...ON_TASK('Task 3: Look at the log') })))).toEqual([]);
  });
});

test('every rule that is broken is named, in the order of the groups', () => {
  const verdict = judge(
    change({
      2: 'task_name: "Task 9: None"\nextra: 1',
      5: '  - ../out.ts\n  - gone.ts',
      8: '  exit_code: 3',
      10: 'done_criteria_met: false',
      11: null,
      12: null,
      13: null,
      14: 'error: "x"',
      17: '  attempt: 0',
    }),
  );
  expect(verdict.issues.map(({ code, field, line }) => [code, field, line])).toEqual([
    ['field-missing', 'evidence', 1],
    ['metadata-invalid', 'metadata.attempt', 16],
    ['field-unknown', 'extra', 3],
    ['exit-code-not-zero', 'verification.exit_code', 10],
    ['done-not-met', 'done_criteria_met', 12],
    ['error-not-null', 'error', 13],
    ['task-unknown', 'task_name', 2],
    ['file-outside', 'files_modified[1]', 6],
    ['file-missing', 'files_modified[2]', 7],
  ]);
  expect(verdict).toMatchObject({ verdict: 'INVALID', result: null, match: null });
});

test('a result of which little can be read is still matched with its task', () => {
  const verdict = judge('task_name: "Task 2: Check the port of the server"\n');
  expect(verdict.match?.task.index).toBe(2);
  expect(verdict.result).toBeNull();
  expect(verdict.verdict).toBe('INVALID');
});

test('a result for a plan as it is written', () => {
  const plan = parseTaskPlan(
    [
      '<tasks>',
      '<task type="auto">',
      '  <name>Task 1: Write the reader</name>',
      '  <files>src/reader.ts (new), test/</files>',
      '  <verify>npm test -- reader &amp;&amp; echo ok</verify>',
      '</task>',
      '<task type="auto">',
      '  <name>Task 2: Read the docs</name>',
      '  <verify>The docs say what the reader does.</verify>',
      '</task>',
      '</tasks>',
    ].join('\n'),
  );
  const tree = new MemoryTree({ 'src/reader.ts': '', 'test/a/reader.test.ts': '', 'README.md': '' });
  const about = { plan, planName: 'x-PLAN.md', tree };
  const edits = {
    ...ON_TASK('Task 1: Write the reader'),
    4: '  - src/reader.ts\n  - test/a/reader.test.ts',
    5: null,
    7: '  command: "npm test -- reader && echo ok"',
  };
  expect(codes(judge(change(edits), about))).toEqual([]);
  expect(codes(judge(change({ ...edits, 5: '  - README.md' }), about))).toEqual(['file-unplanned']);
  expect(codes(judge(change({ ...edits, ...ON_TASK('Task 2: Read the docs') }), about))).toEqual([
    'unverified',
  ]);
});

describe('the list that a person sees', () => {
  test('a success', () => {
    expect(said(judge(RESULT_EXAMPLE))).toEqual([
      'passed: Schema complete: all required fields are present',
      'passed: Status consistent: success with exit_code=0 and done_criteria_met=true',
      'passed: Task name match: found "Task 2: Check the port of the server" in 03-01-PLAN.md',
      'passed: Files exist: src/server/port.ts and test/server/port.test.ts exist',
    ]);
  });

  test('a failure and a blocked task', () => {
    expect(said(judge(change(FAILED)))[1]).toBe(
      'passed: Status consistent: failure with an error and done_criteria_met=false',
    );
    const blocked = said(judge(change(BLOCKED)));
    expect(blocked[1]).toBe('passed: Status consistent: blocked with an error, no files and no command');
    expect(blocked[3]).toBe('passed: Files exist: none listed');
  });

  test('what is wrong stands in its line', () => {
    const wrong = {
      1: 'status: failure',
      2: 'task_name: "Task 7"',
      3: 'files_modified: x',
      4: null,
      5: null,
    };
    expect(said(judge(change(wrong)))).toEqual([
      'failed: Schema incomplete: files_modified has the wrong type',
      'failed: Status inconsistent: failure with error=null and done_criteria_met=true',
      'failed: Task name match: 03-01-PLAN.md has no task "Task 7"',
      'not-checked: Files not checked: no valid files_modified',
    ]);
  });

  test('what cannot be judged is not', () => {
    expect(said(judge('Sorry.'))).toEqual([
      'failed: Schema incomplete: the result is the string "Sorry.", not a mapping of fields',
      'not-checked: Status not checked: the result cannot be read',
      'not-checked: Task name not checked: the result cannot be read',
      'not-checked: Files not checked: the result cannot be read',
    ]);
    expect(said(judge(change({ 8: null })))[1]).toBe(
      'not-checked: Status not checked: success with exit_code=(unread) and done_criteria_met=true',
    );
  });

  test('many files, and some that are not there', () => {
    const files = (names: string[]) => change({ 4: names.map((name) => `  - ${name}`).join('\n'), 5: null });
    const names = Array.from({ length: 12 }, (_, at) => `f${at}.ts`);
    const about = {
      plan: makePlan(
        makeTask(1, 'Task 2: Check the port of the server', { verify: SUBJECT.plan.tasks[1]!.verify }),
      ),
      tree: new MemoryTree(Object.fromEntries(names.map((name) => [name, '']))),
    };
    expect(said(judge(files(names), about))[3]).toBe(
      'passed: Files exist: 12 files exist: f0.ts, f1.ts, f2.ts and 9 more',
    );
    expect(said(judge(files(['f1.ts', 'a.ts', '/b.ts']), about))[3]).toBe(
      'warned: Files exist: f1.ts exists; a.ts does not exist; /b.ts not checked',
    );
  });
});

describe('files of a task', () => {
  const listing = (planned: string[], listed: string) => {
    const task = makeTask(1, 'Task 1: X', { files: planned.map((path) => ({ path, note: null })) });
    const text = change({
      2: 'task_name: "Task 1: X"',
      4: `  - ${JSON.stringify(listed)}`,
      5: null,
      7: '  command: npm test',
    });
    return codes(
      judge(text, { plan: makePlan(task), tree: { ...SUBJECT.tree, stat: () => ({ kind: 'file' }) } }),
    );
  };

  test.each([
    [[], 'anything.ts'],
    [['src/a.ts'], './src/a.ts'],
    [['/src/a.ts'], 'src/a.ts'],
    [['src/'], 'src/deep/a.ts'],
    [['src'], 'src/a.ts'],
    [['.'], 'a.ts'],
    [['src/**'], 'src/x/y/z.ts'],
    [['src/**/*.ts'], 'src/a.ts'],
    [['src/**/*.ts'], 'src/x/y/a.ts'],
    [['**/test'], 'a/test/b.ts'],
    [['src/*.ts'], 'src/a.b.ts'],
    [['src/?.ts'], 'src/a.ts'],
    [['src/{a,b}.ts'], 'src/b.ts'],
    [['app/[id]/page.tsx'], 'app/[id]/page.tsx'],
    [['../elsewhere'], 'a.ts'],
  ])('%j covers %s', (planned, listed) => {
    expect(listing(planned, listed)).toEqual([]);
  });

  test.each([
    [['src/a.ts'], 'src/a.tsx'],
    [['src'], 'srcs/a.ts'],
    [['src/*.ts'], 'src/x/a.ts'],
    [['src/**/*.ts'], 'src/a.js'],
    [['src/{a,b}.ts'], 'src/c.ts'],
    [['src/?.ts'], 'src/ab.ts'],
    [['**/*a*b*a*'], 'x/aabb'],
  ])('%j does not cover %s', (planned, listed) => {
    expect(listing(planned, listed)).toEqual(['file-unplanned']);
  });

  test('very many issues of one kind are counted, not listed', () => {
    const files = Array.from({ length: 5000 }, (_, at) => `  - gone/${at}.ts`).join('\n');
    const verdict = judge(
      change({ ...ON_TASK('Task 1: Start the server'), 4: files, 5: null, 7: '  command: npm test' }),
    );
    expect(verdict.issues).toHaveLength(21);
    expect(verdict.issues.at(-1)).toMatchObject({
      code: 'file-missing',
      message: 'There are 4980 more issues of the kind file-missing.',
    });
  });
});

describe('a success that proves nothing', () => {
  const summary = (text: string) => codes(judge(change({ 9: `  output_summary: ${JSON.stringify(text)}` })));

  test.each([
    'no tests to run',
    '0 tests',
    'Ran 0 tests in 0.000s. OK',
    'No tests found, exiting with code 0',
    'collected 0 items',
    'ok pkg 0.1s [no tests to run]',
    'No test files found',
    '0 passing (1ms)',
    'Tests: 0 passed, 0 total',
    '1 test file, 0 tests',
    'no tests ran in 0.01s',
  ])('%s', (text) => {
    expect(summary(text)).toEqual(['vacuous']);
  });

  test.each([
    '10 tests passed',
    '12 passed, 0 tests failed',
    '100 tests, 0 failures',
    '12 passed, 0 tests skipped',
    'v2.0 tests are green',
    'running 12 tests … 12 passed; running 0 tests … 0 passed',
    '1 match found',
    'Pattern found',
    'no errors',
    '',
  ])('not: %s', (text) => {
    expect(summary(text)).toEqual([]);
  });
});

describe('a result of which it is known what was asked for', () => {
  test('may be about that task', () => {
    expect(codes(judge(RESULT_EXAMPLE, { expectedIndex: 2 }))).toEqual([]);
  });

  test('is INVALID where it is about another, and both are named', () => {
    const verdict = judge(RESULT_EXAMPLE, { expectedIndex: 1 });
    expect(verdict.verdict).toBe('INVALID');
    expect(verdict.match?.task.index).toBe(2);
    expect(verdict.issues).toEqual([
      expect.objectContaining({
        code: 'task-not-asked',
        field: 'task_name',
        line: 2,
        message:
          'The result is about "Task 2: Check the port of the server", but the task was "Task 1: Start the server".',
        hint: 'Do that task, report on it alone, and write task_name: "Task 1: Start the server"',
      }),
    ]);
    expect(said(verdict)[2]).toMatch(/^failed: Task name match: The result is about /);
  });

  test('is INVALID where there is no such task any more', () => {
    const verdict = judge(RESULT_EXAMPLE, { expectedIndex: 99 });
    expect(codes(verdict)).toEqual(['task-not-asked']);
    expect(verdict.issues[0]?.message).toContain('but the task was task 99');
  });

  test('means that one of two with the same name', () => {
    const text = change({ ...ON_TASK('Tidy up'), 7: '  command: npm test' });
    expect(codes(judge(text))).toContain('task-ambiguous');
    const verdict = judge(text, { expectedIndex: 6 });
    expect(verdict).toMatchObject({ verdict: 'VALID', match: { task: { index: 6 }, match: 'exact' } });
    expect(codes(judge(text, { expectedIndex: 1 }))).toContain('task-ambiguous');
  });
});

describe('what was really changed', () => {
  const both = ['src/server/port.ts', 'test/server/port.test.ts'];
  const judged = (filesChanged: string[], text = RESULT_EXAMPLE) => judge(text, { filesChanged });

  test('may be what is listed', () => expect(codes(judged(both))).toEqual([]));

  test('and is not listed', () => {
    const verdict = judged([...both, 'src/server/secret.ts']);
    expect(codes(verdict)).toEqual(['file-unclaimed', 'file-unplanned']);
    expect(verdict.verdict).toBe('VALID_WITH_WARNINGS');
    expect(verdict.issues.map(({ message }) => message)).toEqual([
      '"src/server/secret.ts" was changed but is not listed.',
      '"src/server/secret.ts" was changed but is not among the <files> of "Task 2: Check the port of the server".',
    ]);
    expect(said(verdict)[3]).toContain('src/server/secret.ts changed but not listed');
  });

  test('is less than what is listed', () => {
    const verdict = judged(both.slice(0, 1));
    expect(verdict.issues).toEqual([
      expect.objectContaining({ code: 'file-unchanged', field: 'files_modified[1]', line: 5 }),
    ]);
    expect(said(verdict)[3]).toContain('test/server/port.test.ts not changed');
  });

  test('is nothing at all', () => {
    expect(codes(judged([]))).toEqual(['file-unchanged', 'file-unchanged']);
  });

  test('was deleted, or is not in the project yet', () => {
    const text = change({ 4: '  - src/server/gone.ts', 5: null });
    expect(codes(judge(text))).toEqual(['file-missing', 'file-unplanned']);
    expect(codes(judged(['src/server/gone.ts'], text))).toEqual(['file-unplanned']);
  });

  test('is listed by its folder', () => {
    const text = change({ 4: '  - ./src/', 5: '  - test/server' });
    expect(codes(judged(both, text))).not.toContain('file-unclaimed');
    expect(codes(judged(both, text))).not.toContain('file-unchanged');
    expect(codes(judged(both, change({ 4: '  - .', 5: null })))).not.toContain('file-unclaimed');
  });

  test('is very much, and is counted', () => {
    const many = Array.from({ length: 50_000 }, (_, at) => `node_modules/${at % 500}/${at}.js`);
    const verdict = judged([...both, ...many]);
    expect(codes(verdict).filter((code) => code === 'file-unclaimed')).toHaveLength(21);
  });
});
