import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fixResult } from '../../../src/core/task-result/fix.js';
import { judgeResult } from '../../../src/core/task-result/judge.js';
import { readResult } from '../../../src/core/task-result/read.js';
import { RESULT_EXAMPLE, writeResult } from '../../../src/core/task-result/write.js';
import { BLOCKED } from './mutations.js';
import { change, SUBJECT } from './subject.js';

const RUNS = process.env.TEDDY_SOAK ? 4000 : 600;

const EXAMPLE = writeResult(readResult(RESULT_EXAMPLE).result!);

const verdictOf = (text: string | undefined) => judgeResult(readResult(text ?? ''), SUBJECT).verdict;
const resultOf = (text: string) => readResult(fixResult(text) ?? '').result;

test('a result that is in order stays as it is', () => {
  expect(fixResult(RESULT_EXAMPLE)).toBe(EXAMPLE);
});

describe('what can only be meant is written', () => {
  test.each<[string, Record<number, string | null>, object]>([
    ['a colon', { 2: 'task_name: Task 2: Check the port of the server' }, {}],
    ['an exit code in quotes', { 8: '  exit_code: "0"' }, {}],
    ['yes', { 10: 'done_criteria_met: yes' }, {}],
    ['another word for success', { 1: 'status: Completed' }, {}],
    ['an error in words', { 14: 'error: "none"' }, {}],
    ['no error at all', { 14: null }, {}],
    ['no list', { 3: 'files_modified:', 4: null, 5: null }, { filesModified: [] }],
    [
      'one path',
      { 3: 'files_modified: src/server/port.ts', 4: null, 5: null },
      { filesModified: ['src/server/port.ts'] },
    ],
    [
      'a list of evidence',
      { 11: 'evidence:', 12: '  - first', 13: '  - second: it' },
      { evidence: '- first\n- second: it' },
    ],
    ['a number as text', { 9: '  output_summary: 1.10' }, {}],
    ['an open quote', { 9: '  output_summary: "4 "tests" passed' }, {}],
    ['quotes in quotes', { 9: '  output_summary: "4 "tests" passed"' }, {}],
    ['an apostrophe', { 9: "  output_summary: 'it's done'" }, {}],
    [
      'a text behind the mark of a block',
      { 11: 'evidence: | readPort refuses it', 12: null, 13: null },
      { evidence: 'readPort refuses it' },
    ],
    [
      'lines at the margin',
      { 12: 'readPort refuses: it', 13: 'and so on' },
      { evidence: 'readPort refuses: it\nand so on' },
    ],
    [
      'tabs',
      { 7: '\tcommand: "npm test -- port"', 8: '\texit_code: 0', 9: '\toutput_summary: "4 passed"' },
      {},
    ],
    ['a comment', { 11: 'evidence: fixed #12', 12: null, 13: null }, { evidence: 'fixed #12' }],
  ])('%s', (_, edits, want) => {
    const fixed = fixResult(change(edits));
    expect(verdictOf(fixed)).not.toBe('INVALID');
    expect(resultOf(change(edits))).toMatchObject({ status: 'success', error: null, ...want });
    expect(fixResult(fixed!)).toBe(fixed);
  });

  test('null in words, of a task that is blocked', () => {
    const text = change({
      ...BLOCKED,
      7: '  command: "null"',
      8: '  exit_code: n/a',
      9: '  output_summary: none',
    });
    expect(resultOf(text)?.verification).toEqual({ command: null, exitCode: null, outputSummary: null });
    expect(verdictOf(fixResult(text))).toBe('VALID');
  });

  test('in JSON', () => {
    const text = JSON.stringify({
      ...readResult(RESULT_EXAMPLE).fields,
      status: 'done',
      done_criteria_met: 'yes',
    });
    expect(fixResult(text)).toBe(EXAMPLE);
  });
});

test('what is in no field is kept above it, and other fields at its end', () => {
  const text = `Here it is: done\n\n\`\`\`yaml\n${change({
    4: '  - src/server/port.ts # new',
    14: 'error: null\nnotes: see: the log\n# by hand',
    17: '  attempt: two',
  })}\`\`\`\nShall I go on?\n`;
  const fixed = fixResult(text)!;
  expect(fixed.startsWith('# Here it is: done\n# Shall I go on?\n# new\n# by hand\nstatus: success\n')).toBe(
    true,
  );
  expect(fixed).toContain('\nnotes: "see: the log"\n');
  expect(fixed).toContain('attempt: "two"');
  expect(verdictOf(fixed)).toBe('VALID_WITH_WARNINGS');
});

test.each([
  ['nothing is made up', { 11: null, 12: null, 13: null }],
  ['a claim is not changed', { 8: '  exit_code: 1' }],
  ['nor is a vague one', { 10: 'done_criteria_met: mostly' }],
])('%s', (_, edits) => {
  expect(verdictOf(fixResult(change(edits as Record<number, null>)))).toBe('INVALID');
});

test.each([
  ['nothing', ''],
  ['prose', 'I could not do it.'],
  ['a key that is there twice', `${RESULT_EXAMPLE}error: null\n`],
])('%s is not fixed', (_, text) => {
  expect(fixResult(text)).toBeUndefined();
});

test('of any text it gives a text or nothing', () => {
  const line = fc.constantFrom(
    ...RESULT_EXAMPLE.split('\n'),
    '```',
    '---',
    '{',
    '- ',
    '\t',
    '"',
    '&a',
    '*a',
    'x: y: z',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(line, fc.string()), { maxLength: 30 }), (lines) => {
      const fixed = fixResult(lines.join('\n'));
      if (fixed !== undefined) expect(readResult(fixed).fields).not.toBeNull();
    }),
    { numRuns: RUNS },
  );
});
