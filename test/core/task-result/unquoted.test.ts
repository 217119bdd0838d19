import { describe, expect, test } from 'vitest';
import { judgeResult } from '../../../src/core/task-result/judge.js';
import { readResult } from '../../../src/core/task-result/read.js';
import { change, SUBJECT } from './subject.js';

const codesOf = (text: string) => readResult(text).issues.map(({ code }) => code);

describe('a backslash in double quotes', () => {
  const ONE = '\\';
  test.each<[string, string | null]>([
    [`C:${ONE}new`, 'n'],
    [`moved to C:${ONE}temp${ONE}t`, 't'],
    [`grep ${ONE}bword${ONE}b`, 'b'],
    [`C:${ONE}${ONE}new`, null],
    [`one${ONE}ntwo`, null],
    [`status:${ONE}nfine`, null],
    [`C:${ONE}"x`, null],
  ])('evidence: "%s"', (written, letter) => {
    const { issues } = readResult(change({ 11: `evidence: "${written}"`, 12: null, 13: null }));
    expect(issues.map(({ code, field }) => ({ code, field }))).toEqual(
      letter === null ? [] : [{ code: 'text-escaped', field: 'evidence' }],
    );
    if (letter !== null) expect(issues[0]?.message).toContain(`reads ${ONE}${letter} as`);
  });

  test('anywhere in a listed path; nowhere in single quotes', () => {
    expect(codesOf(change({ 4: `  - "src${ONE}new.ts"` }))).toEqual(['text-escaped']);
    expect(codesOf(change({ 4: `  - 'src${ONE}new.ts'` }))).toEqual([]);
  });
});

describe('a text without quotes is kept whole', () => {
  const cases: [string, string][] = [
    ['Fixed issue #12 in the parser', 'Fixed issue #12 in the parser'],
    ['&self is borrowed twice', '&self is borrowed twice'],
    ['*Important* the port is read once', '*Important* the port is read once'],
    ['*alias', '*alias'],
    ['!important is gone', '!important is gone'],
    ['! is a macro', '! is a macro'],
    ['!!str as a tag', '!!str as a tag'],
    ['#12 is fixed', '#12 is fixed'],
    ['Done\n  # Tests\n  4 passed', 'Done\n# Tests\n4 passed'],
    ['\n  ## Summary\n    readPort\n  refuses words', '## Summary\n  readPort\nrefuses words'],
    ['4 # of 4 tests', '4 # of 4 tests'],
    ['a\t# b', 'a\t# b'],
    ['&all "4 passed"', '&all "4 passed"'],
  ];
  test.each(cases)('evidence: %j', (written, kept) => {
    const text = change({ 11: `evidence: ${written}`, 12: null, 13: null });
    const { result, issues } = readResult(text);
    expect(result?.evidence).toBe(kept);
    expect(issues).toMatchObject([
      { code: 'text-unquoted', severity: 'warning', field: 'evidence', line: 11 },
    ]);
    expect(issues[0]?.hint).toContain(JSON.stringify(kept));
    expect(judgeResult(readResult(text), SUBJECT).verdict).toBe('VALID_WITH_WARNINGS');
    // What comes later keeps its line.
    const after = change({ 11: `evidence: ${written}`, 12: null, 13: null, 14: 'error: 3' });
    const line = after.split('\n').indexOf('error: 3') + 1;
    expect(readResult(after).issues.find(({ field }) => field === 'error')?.line).toBe(line);
  });

  test('in lines that end in CRLF', () => {
    const text = change({ 11: 'evidence: one #2', 12: '  three', 13: null }).replaceAll('\n', '\r\n');
    expect(readResult(text).result?.evidence).toBe('one #2\nthree');
  });

  test('of any field', () => {
    const text = change({
      2: 'task_name: Task 2 #x',
      4: '  - *.ts # new',
      7: '  command: make #all',
      9: '  output_summary: &ok passed',
      18: '  executor_id: !me # too',
    });
    const { result } = readResult(text);
    expect(result).toMatchObject({
      taskName: 'Task 2 #x',
      filesModified: ['*.ts', 'test/server/port.test.ts'],
      verification: { command: 'make #all', outputSummary: '&ok passed' },
      metadata: { executorId: '!me # too' },
    });
    expect(codesOf(text).sort()).toEqual(['text-ignored', ...Array(5).fill('text-unquoted')]);
  });
});

describe('what YAML drops besides is named', () => {
  test.each([
    ['a remark on a path', { 4: '  - src/server/port.ts # new' }, 4],
    ['a remark on a status', { 1: 'status: success # at last' }, 1],
    ['a remark on a number', { 8: '  exit_code: 0 # twice' }, 8],
    ['a remark on null', { 14: 'error: null # none' }, 14],
    ['a remark instead of an error', { 14: 'error: # none' }, 14],
    ['a remark behind quotes', { 9: '  output_summary: "4 passed" # of 4' }, 9],
    ['a remark behind the mark of a block', { 11: 'evidence: | # below' }, 11],
    ['a remark under a block', { 13: '    more', 12: '    some', 14: '  # and this\nerror: null' }, 14],
    ['an anchor of a number', { 8: '  exit_code: &code 0' }, 8],
  ])('%s', (_, edits, line) => {
    const { result, issues } = readResult(change(edits as Record<number, string>));
    expect(result?.status).toBe('success');
    expect(result?.error).toBeNull();
    expect(issues).toMatchObject([{ code: 'text-ignored', severity: 'warning', line }]);
  });

  test('but no comment on a line of its own', () => {
    const text = change({
      1: '# Required fields\nstatus: success',
      6: '# Verification\nverification:\n  # ran it',
    });
    expect(codesOf(text)).toEqual([]);
  });
});

test('a name that YAML would cut is looked for as it was written', () => {
  const { issues } = judgeResult(readResult(change({ 2: 'task_name: Fix #12' })), SUBJECT);
  expect(issues).toMatchObject([{ code: 'text-unquoted' }, { code: 'task-unknown' }]);
  expect(issues[1]?.message).toContain('"Fix #12"');
});

test('a name is found with or without what may be a comment', () => {
  const named = (name: string) => judgeResult(readResult(change({ 2: `task_name: ${name}` })), SUBJECT);
  expect(named('Tidy up # at last').issues.map(({ code }) => code)).toEqual([
    'text-unquoted',
    'task-ambiguous',
  ]);
  expect(named('"Tidy up # at last"').issues.map(({ code }) => code)).toEqual(['task-unknown']);
});
