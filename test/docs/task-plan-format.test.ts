import { describe, expect, test } from 'vitest';
import { parseTaskPlan, readFrontmatter, type StatusChange, setTaskStatus } from '../../src/index.js';
import { type Example, readExamples } from './page.js';
import { makeReadersFolder, walkPage } from './shell.js';

// The text after the opening fence of an example says how it is tested:
//
//   markdown                      a plan without an issue
//   markdown expect: CODE CODE    with these issues, in this order
//   markdown after: STATUS N      the plan before it, with this status of task N
//   json                          what is read of the plan before it: its tasks, as far as they are shown
//   LANGUAGE file: PATH           saved, for the commands that follow
//   console                       run, line by line
const PAGE = 'docs/formats/task-plan.md';
const AT = '2026-01-26T10:30:45Z';
const examples = readExamples(PAGE);

const plans = examples.filter(({ language, note }) => language === 'markdown' && !note.startsWith('after: '));
describe.each(plans)('the plan at line $line', ({ text, note }) => {
  const expected = /expect: (.+)/.exec(note)?.[1] ?? '';
  const plan = parseTaskPlan(text);

  test(expected === '' ? 'has no issue' : `gives ${expected}`, () => {
    const issues = [...readFrontmatter(plan).issues, ...plan.issues];
    expect(issues.map(({ code }) => code).join(' ')).toBe(expected);
    expect(plan.tasks.length).toBeGreaterThan(0);
  });
});

const read = examples.filter(({ language }) => language === 'json');
test.each(read)('what is read, at line $line', (example) => {
  const shown = JSON.parse(example.text) as unknown[];
  const { tasks } = parseTaskPlan(textBefore(example));
  expect(tasks).toMatchObject(shown);
});

const changed = examples.filter(({ note }) => note.startsWith('after: '));
test.each(changed)('the change at line $line', (example) => {
  const [, status, index] = /^after: (\w+) (\d+)$/.exec(example.note)!;
  const change: StatusChange = { status: status as StatusChange['status'], at: AT };
  const { text, issues } = setTaskStatus(parseTaskPlan(textBefore(example)), Number(index), change);
  expect({ text, issues }).toEqual({ text: example.text, issues: [] });
});

test('every example is tested', () => {
  const folder = makeReadersFolder();
  const tested = new Set([...plans, ...read, ...changed].map(({ line }) => line));
  const others = walkPage(PAGE, folder).filter(({ line }) => !tested.has(line));
  expect(others.map(({ line }) => line)).toEqual([]);
});

/** The plan before an example, changed or not. */
function textBefore({ line }: Example): string {
  return examples.findLast((each) => each.line < line && each.language === 'markdown')!.text;
}
