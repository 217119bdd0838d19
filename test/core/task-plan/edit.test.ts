import { describe, expect, test } from 'vitest';
import { setTaskStatus } from '../../../src/core/task-plan/edit.js';
import { parseTaskPlan } from '../../../src/core/task-plan/parse.js';
import type { StatusChange } from '../../../src/core/task-plan/types.js';

const AT = '2026-01-26T10:30:45Z';
const LATER = '2026-02-02T00:00:00Z';

const edit = (text: string, status: StatusChange['status'], index = 1, at = AT) => {
  const { plan, ...edited } = setTaskStatus(parseTaskPlan(text), index, { status, at });
  expect(plan.text).toBe(edited.text);
  return edited;
};
const codes = (text: string, status: StatusChange['status'], index = 1, at = AT) =>
  edit(text, status, index, at).issues.map(({ code }) => code);

/** A task with this tag, and nothing else. */
const tagged = (tag: string) => `${tag}\n  <name>Task 1: A</name>\n</task>\n`;
const tagAfter = (tag: string, status: StatusChange['status']) =>
  edit(tagged(tag), status).text.replace('\n  <name>Task 1: A</name>\n</task>\n', '');

describe('the tag', () => {
  test.each<[StatusChange['status'], string, string]>([
    ['completed', '<task>', `<task status="completed" completed_at="${AT}">`],
    ['completed', '<task type="auto">', `<task type="auto" status="completed" completed_at="${AT}">`],
    ['completed', '<task type="auto" >', `<task type="auto" status="completed" completed_at="${AT}" >`],
    ['completed', '<task type=auto>', `<task type=auto status="completed" completed_at="${AT}">`],
    [
      'completed',
      '<task\n  type="auto"\n>',
      `<task\n  type="auto" status="completed" completed_at="${AT}"\n>`,
    ],
    ['completed', '<TASK TYPE="auto">', `<TASK TYPE="auto" status="completed" completed_at="${AT}">`],
    ['completed', '<task gate="a > b">', `<task gate="a > b" status="completed" completed_at="${AT}">`],
    [
      'completed',
      '<task status="failed"  type="auto">',
      `<task status="completed" completed_at="${AT}"  type="auto">`,
    ],
    ['completed', "<task  status='blocked' x>", `<task  status='completed' completed_at="${AT}" x>`],
    ['completed', '<task status=failed>', `<task status=completed completed_at="${AT}">`],
    ['completed', '<task status>', `<task status="completed" completed_at="${AT}">`],
    ['completed', '<task status=>', `<task status="completed" completed_at="${AT}">`],
    ['completed', '<task status="">', `<task status="completed" completed_at="${AT}">`],
    ['completed', "<task completed_at='x' status=failed>", `<task completed_at='${AT}' status=completed>`],
    ['completed', '<task completed_at="x">', `<task completed_at="${AT}" status="completed">`],
    ['failed', '<task type="auto">', '<task type="auto" status="failed">'],
    ['blocked', '<task type="auto">', '<task type="auto" status="blocked">'],
    ['skipped', '<task type="auto">', '<task type="auto" status="skipped">'],
    ['failed', '<task status="done" completed_at="x" type="auto">', '<task status="failed" type="auto">'],
    ['failed', '<task completed_at="x">', '<task status="failed">'],
    ['failed', '<task Status="almost">', '<task Status="failed">'],
    ['pending', '<task status="failed">', '<task>'],
    ['pending', '<task a="1"  status="failed"  b="2">', '<task a="1"  b="2">'],
    ['pending', '<task\n  status="completed"\n  completed_at="x"\n  a="1">', '<task\n  a="1">'],
    ['pending', '<task status="failed" status="blocked" a>', '<task a>'],
    ['pending', '<task status="in_progress">', '<task>'],
  ])('%s: %j', (status, before, after) => {
    expect(tagAfter(before, status)).toBe(after);
  });

  test('of a task that closes itself', () => {
    expect(edit('<task type="auto" />\n', 'failed').text).toBe('<task type="auto" status="failed" />\n');
    expect(edit('<task type=auto/>\n', 'failed').text).toBe('<task type=auto status="failed"/>\n');
    expect(edit('<task/>\n', 'failed').text).toBe('<task status="failed"/>\n');
  });

  test.each<[StatusChange['status'], string]>([
    ['completed', '<task status="completed" completed_at="2020-01-01T00:00:00Z">'],
    ['completed', "<task status='done'>"],
    ['failed', '<task status=FAILED completed_at="x">'],
    ['blocked', '<task status="blocked">'],
    ['skipped', '<task status="skipped">'],
    ['pending', '<task>'],
    ['pending', '<task status="pending">'],
    ['pending', '<task status="almost">'],
  ])('is left alone when it says %s already: %s', (status, tag) => {
    expect(tagAfter(tag, status)).toBe(tag);
  });

  test('of the second of two tasks on one line', () => {
    const text = '<task><name>Task 1: A</name></task><task><name>Task 2: B</name></task>';
    expect(edit(text, 'failed', 2).text).toBe(
      '<task><name>Task 1: A</name></task><task status="failed"><name>Task 2: B</name></task>',
    );
  });
});

describe('the checkbox', () => {
  const boxed = (box: string, tag = '<task>') => `${tag}<name>Task 1: A</name></task>\n${box}\nend`;
  const boxAfter = (box: string, status: StatusChange['status'], tag = '<task>', at = AT) =>
    edit(boxed(box, tag), status, 1, at).text.split('\n')[1];

  test.each([
    ['- [ ] Task 1: A', '- [x] Task 1: A (completed 2026-01-26)'],
    ['* [ ] Task 1: A', '* [x] Task 1: A (completed 2026-01-26)'],
    ['1. [ ] **Task 1:** A', '1. [x] **Task 1:** A (completed 2026-01-26)'],
    ['\t- [ ]\tTask 1: A \t', '\t- [x]\tTask 1: A (completed 2026-01-26) \t'],
    ['- [ ] Task 1: A\r', '- [x] Task 1: A (completed 2026-01-26)\r'],
    ['- [ ] Task 1: $& A $1', '- [x] Task 1: $& A $1 (completed 2026-01-26)'],
  ])('is ticked, and opened again: %j', (box, ticked) => {
    const done = edit(boxed(box), 'completed');
    expect(done.issues).toEqual([]);
    expect(done.text.split('\n')[1]).toBe(ticked);
    expect(edit(done.text, 'pending')).toEqual({ text: boxed(box), issues: [] });
  });

  test('keeps a tick and a day that are there', () => {
    const done = edit(boxed('- [ ] Task 1: A'), 'completed').text;
    expect(edit(done, 'completed', 1, LATER).text).toBe(done);
    expect(boxAfter('- [X] Task 1: A', 'completed')).toBe('- [X] Task 1: A');
    expect(boxAfter('- [x] Task 1: A (completed 2020-01-01)', 'completed', '<task status=done>')).toBe(
      '- [x] Task 1: A (completed 2020-01-01)',
    );
  });

  test.each(['pending', 'failed', 'blocked', 'skipped'] as const)('is open when the task is %s', (status) => {
    expect(boxAfter('- [x] Task 1: A  (completed 2020-01-01)', status)).toBe('- [ ] Task 1: A');
    expect(boxAfter('- [X] Task 1: A', status)).toBe('- [ ] Task 1: A');
    expect(boxAfter('- [x] Task 1: A (twice)', status)).toBe('- [ ] Task 1: A (twice)');
  });

  test('is brought in line with a tag that says otherwise', () => {
    expect(boxAfter('- [ ] Task 1: A', 'completed', '<task status="completed">')).toBe(
      '- [x] Task 1: A (completed 2026-01-26)',
    );
    expect(boxAfter('- [x] Task 1: A (completed 2020-01-01)', 'failed', '<task status="failed">')).toBe(
      '- [ ] Task 1: A',
    );
    expect(boxAfter('- [x] Task 1: A (completed 2020-01-01)', 'completed', '<task status="failed">')).toBe(
      '- [x] Task 1: A (completed 2026-01-26)',
    );
  });

  test('is missing, and that is said', () => {
    expect(codes(tagged('<task>'), 'completed')).toEqual(['checkbox-missing']);
    expect(codes(tagged('<task>'), 'pending')).toEqual(['checkbox-missing']);
  });

  test('with elements elsewhere: only its own line changes', () => {
    const text = `${boxed('- [ ] Task 1: A')}\n- [ ] Task 2: A\n\`\`\`\n- [ ] Task 1: A\n\`\`\`\n`;
    expect(edit(text, 'completed').text).toBe(
      text
        .replace('<task>', `<task status="completed" completed_at="${AT}">`)
        .replace('- [ ] Task 1: A', '- [x] Task 1: A (completed 2026-01-26)'),
    );
  });
});

describe('a plan of checkboxes', () => {
  const text = '- [ ] Task 1: A\n- [x] Task 2: B (completed 2020-01-01)\n';

  test('is ticked', () => {
    expect(edit(text, 'completed', 1)).toEqual({
      text: '- [x] Task 1: A (completed 2026-01-26)\n- [x] Task 2: B (completed 2020-01-01)\n',
      issues: [],
    });
    expect(edit(text, 'completed', 2)).toEqual({ text, issues: [] });
    expect(edit(text, 'pending', 2)).toEqual({ text: '- [ ] Task 1: A\n- [ ] Task 2: B\n', issues: [] });
  });

  test('cannot say that a task failed, and says that', () => {
    expect(edit(text, 'failed', 2)).toMatchObject({
      text: '- [ ] Task 1: A\n- [ ] Task 2: B\n',
      issues: [{ code: 'status-not-shown', line: 2 }],
    });
    expect(edit(text, 'blocked', 1).text).toBe(text);
  });
});

describe('an edit is refused', () => {
  test.each([0, -1, 2, 1.5, Number.NaN])('for task %s of one', (index) => {
    expect(edit(tagged('<task>'), 'completed', index)).toMatchObject({
      text: tagged('<task>'),
      issues: [{ code: 'edit-refused', severity: 'error' }],
    });
  });

  test.each(['', 'today', '2026-01-26" onload="x', '2026-01-26T10:30:45Z>', '26.1.2026'])(
    'for the time %j',
    (at) => {
      expect(edit(tagged('<task>'), 'completed', 1, at)).toMatchObject({
        text: tagged('<task>'),
        issues: [{ code: 'edit-refused' }],
      });
    },
  );
});
