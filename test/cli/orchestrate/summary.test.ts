import { describe, expect, test } from 'vitest';
import { exitCodeOf, summaryLines } from '../../../src/faces/cli/board/summary-lines.js';
import type { Summary } from '../../../src/orchestrate/events.js';
import { plainPaint, questionOf, summaryOf, taskName } from './scripted.js';

const linesOf = (more: Partial<Summary>) => summaryLines(summaryOf(more), plainPaint);

describe('how a run ended', () => {
  test('all done', () => {
    expect(linesOf({})).toEqual([
      'Finished: 2 tasks done.',
      'Attempts  2; of the tasks that passed, all did so first time',
      'Time      1m 30s (longest chain of tasks 1m 00s, all tasks 2m 00s)',
      'Cost      12.3k tokens, $0.042',
    ]);
    expect(linesOf({ doneBefore: 7, total: 9 })[0]).toBe(
      'Finished: 9 tasks done, 7 of them before this run.',
    );
    expect(exitCodeOf(summaryOf())).toBe(0);
  });

  test('what is open and what it waits for, the questions with what to type, and what to do next', () => {
    const lines = linesOf({
      complete: false,
      total: 9,
      doneBefore: 2,
      failed: 1,
      skipped: 2,
      open: [{ task: taskName('03-01:3'), waitsOn: ['03-01:2'] }],
      questions: [questionOf('03-01:2', { blocks: ['03-01:3'], outputs: ['out/03-01-2.1.txt'] })],
      attempts: 5,
      retries: 3,
      firstAttemptRate: 0.5,
      usage: { inputTokens: 1, outputTokens: null, costUsd: 0.5, unknown: 2 },
    });
    expect(lines).toEqual([
      'Not finished: 4 of 9 done, 1 failed, 2 skipped, 1 needs your answer, 1 open.',
      'Open:',
      '  03-01:3  Task 3: Make it  waiting for 03-01:2',
      'Needs your answer:',
      '  03-01:2  Task 2: Make it',
      '    It failed with all of its 3 attempts.',
      '    03-01:3 depends on it.',
      '    All output: out/03-01-2.1.txt',
      '    teddy task resolve 03-01:2 retry   (or skip, abort, "fix: …")',
      'Attempts  5 (3 retries); of the tasks that passed, 50% did so first time',
      'Time      1m 30s (longest chain of tasks 1m 00s, all tasks 2m 00s)',
      'Cost      1 token, $0.500, plus 2 attempts without reported cost',
      'Next: answer it, then continue with teddy orchestrate',
    ]);
    expect(exitCodeOf(summaryOf({ complete: false }))).toBe(1);
  });

  test.each([
    [5, 1, null, '5 (1 retry)'],
    [5, 5, null, '5 (all retries)'],
    [1, 1, 0, '1 (a retry); of the tasks that passed, none did so first time'],
  ])('of %i attempts %i after a failed one', (attempts, retries, firstAttemptRate, words) => {
    expect(linesOf({ attempts, retries, firstAttemptRate })[1]).toBe(`Attempts  ${words}`);
  });

  test('what failed is not said to have passed', () => {
    const more = {
      complete: false,
      done: 1,
      total: 4,
      failed: 1,
      attempts: 4,
      retries: 2,
      firstAttemptRate: 1,
    };
    const lines = linesOf(more);
    expect(lines[0]).toBe('Not finished: 1 of 4 done, 1 failed.');
    expect(lines[1]).toBe('Attempts  4 (2 retries); of the tasks that passed, all did so first time');
  });

  test('only what was given up is left: nothing is to be done next', () => {
    const given = { complete: false, total: 3, skipped: 1, attempts: 0 };
    expect(summaryLines(summaryOf(given), plainPaint, ['01-03:1'])).toEqual([
      'Finished: 2 done, 1 skipped (01-03:1).',
    ]);
    expect(linesOf(given)).toEqual(['Finished: 2 done, 1 skipped.']);
    expect(linesOf({ ...given, failed: 1 })[0]).toMatch(/^Not finished/);
  });

  test('what is not part of the run is named once', () => {
    const waitsOn = ['01-01, which is not part of this run', '03-01:1'];
    const open = ['03-01:2', '03-01:3'].map((id) => ({ task: taskName(id), waitsOn }));
    expect(linesOf({ complete: false, open, attempts: 0 }).slice(1, -1)).toEqual([
      'Open:',
      '  03-01:2  Task 2: Make it  waiting for 01-01, 03-01:1',
      '  03-01:3  Task 3: Make it  waiting for 01-01, 03-01:1',
      '  01-01 is not done and not part of this run.',
    ]);
  });

  test('a cost that nobody knows is not 0', () => {
    const nothing = { inputTokens: null, outputTokens: null, costUsd: null, unknown: 2 };
    expect(linesOf({ usage: nothing })).toContain('Cost      unknown: the executors report no usage');
    expect(linesOf({ usage: { ...nothing, inputTokens: 500 } })).toContain(
      'Cost      500 tokens; the executors report no cost',
    );
  });

  test.each([
    ['interrupted', 'You stopped it.', 'continues where this stopped', 130],
    ['budget', 'The budget is used up.', '--budget USD continues', 1],
    ['time', 'The time limit is reached.', 'continues where this stopped', 1],
  ] as const)('stopped: %s', (stopped, why, next, code) => {
    const lines = linesOf({ complete: false, stopped });
    expect(lines[0]).toContain(why);
    expect(lines.at(-1)).toContain(next);
    expect(exitCodeOf(summaryOf({ complete: false, stopped }))).toBe(code);
  });

  test('of many open tasks the first, and how many more', () => {
    const open = Array.from({ length: 25 }, (_, index) => ({
      task: taskName(`a:${index + 1}`),
      waitsOn: [],
    }));
    const lines = linesOf({ complete: false, open });
    expect(lines).toContain('  … and 5 more; teddy task next lists them');
    expect(lines.filter((line) => line.startsWith('  a:'))).toHaveLength(20);
  });

  test('nothing was tried: no amounts', () => {
    expect(linesOf({ attempts: 0, done: 0, doneBefore: 2, firstAttemptRate: null })).toEqual([
      'Finished: 2 tasks done, 2 of them before this run.',
    ]);
  });
});
