import { describe, expect, test } from 'vitest';
import { parseTaskPlan } from '../../src/core/task-plan/parse.js';
import { RESULT_ISSUES } from '../../src/core/task-result/issues.js';
import { judgeResult } from '../../src/core/task-result/judge.js';
import { readResult } from '../../src/core/task-result/read.js';
import { RESULT_EXAMPLE } from '../../src/core/task-result/write.js';
import { MemoryTree } from '../../src/core/tree.js';
import { type Example, readExamples, readPage } from './page.js';
import { makeReadersFolder, runScript, walkPage } from './shell.js';

// What stands behind the opening fence of an example says how it is tested:
//
//   yaml                       a result without an issue
//   yaml part                  fields that stand in the place of those of the good result
//   text                       what an executor printed
//   … expect: CODE CODE        with these issues, in this order
//   LANGUAGE file: PATH        saved, for the commands that follow; the plan and the good result among them
//   console                    run, line by line
//   js                         run; "// → text" stands behind what prints that text
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

describe.each(results)('the result at line $line', ({ text, note, line }) => {
  const codes = /expect: (.+)/.exec(note)?.[1] ?? '';

  test(codes === '' ? 'is VALID' : `gives ${codes}`, () => {
    expect(verdictOf(note.startsWith('part') ? complete(text) : text)).toEqual({
      verdict: expectedVerdict(codes),
      codes,
    });
  });

  test('gives only what the text before it says', () => {
    const before = sectionAbove(line);
    expect(codes.split(' ').filter((code) => code !== '' && !before.includes(`\`${code}\``))).toEqual([]);
  });
});

test('the commands do what is shown, and the scripts print what their comments say', () => {
  const folder = makeReadersFolder();
  const judged = new Set(results.map(({ line }) => line));
  const others = walkPage(PAGE, folder).filter(({ line }) => !judged.has(line));
  expect(others.filter((each) => !isScript(each)).map(({ line }) => line)).toEqual([]);
  expect(others.length).toBeGreaterThan(0);
  for (const { text, line } of others) {
    const printed = [...text.matchAll(/\/\/ → (.*)/g)].map((match) => `${match[1]}\n`).join('');
    expect(runScript(text, folder), `line ${line}`).toBe(printed);
  }
});

test('every issue code has its place on the page, outside the table too', () => {
  const text = readPage(PAGE).replace(/^\| `.*$/gm, '');
  expect(Object.keys(RESULT_ISSUES).filter((code) => !text.includes(`\`${code}\``))).toEqual([]);
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

/** What the page says between the heading above an example and the example. */
function sectionAbove(line: number): string {
  const above = readPage(PAGE).split('\n').slice(0, line);
  return above.slice(above.findLastIndex((each) => each.startsWith('##'))).join('\n');
}

function isScript({ language }: Example): boolean {
  return language === 'js';
}

/** The good result with fields of the part in the place of its own; new ones at its end. */
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
