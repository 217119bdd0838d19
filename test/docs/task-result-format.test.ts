import { describe, expect, test } from 'vitest';
import { parseTaskPlan } from '../../src/core/task-plan/parse.js';
import { judgeResult } from '../../src/core/task-result/judge.js';
import { readResult } from '../../src/core/task-result/read.js';
import { RESULT_ISSUES } from '../../src/core/task-result/types.js';
import { RESULT_EXAMPLE } from '../../src/core/task-result/write.js';
import { MemoryTree } from '../../src/core/tree.js';
import { readExamples } from './page.js';
import { makeReadersFolder, walkPage } from './shell.js';

// The text after the opening fence of an example says how it is tested:
//
//   yaml                       a result without an issue
//   yaml part                  fields that replace those of the good result
//   text                       the output of an executor
//   … expect: CODE CODE        with these issues, in this order
//   LANGUAGE file: PATH        saved, for the commands that follow; the plan and the good result among them
//   console                    run, line by line
const PAGE = 'docs/formats/task-result.md';
const examples = readExamples(PAGE);
const good = examples.find(({ note }) => note === 'file: result.yaml')!;
const plan = parseTaskPlan(examples.find(({ note }) => note.endsWith('PLAN.md'))!.text);
const tree = new MemoryTree({
  'README.md': '',
  'src/server/port.ts': '',
  'test/server/port.test.ts': '',
});
const results = examples.filter(
  ({ language, note }) => /^(?:yaml|text)$/.test(language) && note !== good.note,
);

test('the good result is the one that executors are shown', () => {
  expect(good.text).toBe(RESULT_EXAMPLE);
  expect(verdictOf(good.text)).toEqual({ verdict: 'VALID', codes: '' });
});

describe.each(results)('the result at line $line', ({ text, note }) => {
  const codes = /expect: (.+)/.exec(note)?.[1] ?? '';

  test(codes === '' ? 'is VALID' : `gives ${codes}`, () => {
    expect(verdictOf(note.startsWith('part') ? complete(text) : text)).toEqual({
      verdict: expectedVerdict(codes),
      codes,
    });
  });
});

test('the commands print what the page shows, and every example is tested', () => {
  const judged = new Set(results.map(({ line }) => line));
  const others = walkPage(PAGE, makeReadersFolder()).filter(({ line }) => !judged.has(line));
  expect(others.map(({ line }) => line)).toEqual([]);
});

function verdictOf(text: string) {
  const { verdict, issues } = judgeResult(readResult(text), { plan, planName: 'PLAN.md', tree });
  return { verdict, codes: issues.map(({ code }) => code).join(' ') };
}

function expectedVerdict(codes: string): string {
  if (codes === '') return 'VALID';
  const severities = codes
    .split(' ')
    .map((code) => RESULT_ISSUES[code as keyof typeof RESULT_ISSUES].severity);
  return severities.includes('error') ? 'INVALID' : 'VALID_WITH_WARNINGS';
}

/** The good result with its fields replaced by those of the part; new ones at its end. */
function complete(part: string): string {
  const fields = fieldsOf(RESULT_EXAMPLE);
  for (const [key, lines] of fieldsOf(part)) fields.set(key, lines);
  return [...fields.values()].join('');
}

/** Each field with all its lines. */
function fieldsOf(yaml: string): Map<string, string> {
  const fields = yaml.split(/^(?=[a-z])/m).filter((field) => field !== '');
  return new Map(fields.map((field) => [field.slice(0, field.indexOf(':')), field]));
}
