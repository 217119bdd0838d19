import { describe, expect, test } from 'vitest';
import { type Finished, Tally } from '../../src/orchestrate/events.js';
import type { Usage } from '../../src/orchestrate/executors/types.js';

const NOTHING: Usage = { inputTokens: null, outputTokens: null, costUsd: null };

const finished = (id: string, outcome: Finished['outcome'], more: Partial<Finished> = {}): Finished => ({
  task: { id, name: id },
  attempt: 1,
  executor: 'e',
  outcome,
  claimed: null,
  why: null,
  reason: null,
  warnings: [],
  durationMs: 100,
  usage: NOTHING,
  logged: null,
  ...more,
});

const summaryOf = (tally: Tally, more: Partial<Parameters<Tally['summarize']>[0]> = {}) =>
  tally.summarize({
    stopped: null,
    doneBefore: 0,
    total: 5,
    failed: 0,
    skipped: 0,
    open: [],
    questions: [],
    elapsedMs: 250.4,
    criticalPathMs: 99.6,
    ...more,
  });

describe('what is counted', () => {
  test('attempts, retries, what was right at the first, and how long all of it took', () => {
    const tally = new Tally();
    tally.count(finished('1', 'done'), false);
    tally.count(finished('2', 'failed'), false);
    tally.count(finished('2', 'failed', { durationMs: 50 }), true);
    tally.count(finished('2', 'done', { durationMs: 25 }), true);
    tally.count(finished('3', 'blocked', { durationMs: 5 }), false);
    expect(summaryOf(tally)).toMatchObject({
      done: 2,
      attempts: 5,
      retries: 2,
      firstAttemptRate: 0.5,
      workMs: 280,
      elapsedMs: 250,
      criticalPathMs: 100,
    });
    expect(Object.fromEntries(tally.workOf)).toEqual({ '1': 100, '2': 175, '3': 5 });
  });

  test('two thirds are 0.67, and of nothing there is no rate', () => {
    const tally = new Tally();
    expect(summaryOf(tally).firstAttemptRate).toBeNull();
    tally.count(finished('1', 'failed'), false);
    expect(summaryOf(tally).firstAttemptRate).toBeNull();
    tally.count(finished('1', 'done'), true);
    tally.count(finished('2', 'done'), false);
    tally.count(finished('3', 'done'), false);
    expect(summaryOf(tally).firstAttemptRate).toBe(0.67);
  });

  test('a task that failed is not spoken of, and one that was sent back did not pass first time', () => {
    const tally = new Tally();
    tally.count(finished('1', 'done'), false);
    for (const isRetry of [false, true, true]) tally.count(finished('2', 'failed'), isRetry);
    expect(summaryOf(tally)).toMatchObject({ done: 1, firstAttemptRate: 1 });
    tally.countReturned('1');
    expect(summaryOf(tally)).toMatchObject({ done: 0, firstAttemptRate: null });
    tally.count(finished('1', 'done'), true);
    expect(summaryOf(tally)).toMatchObject({ done: 1, firstAttemptRate: 0 });
  });

  test('nearly all is not all, and nearly none is not none', () => {
    const [most, few] = [new Tally(), new Tally()];
    for (let i = 0; i < 300; i++) {
      most.count(finished(String(i), 'done'), i === 0);
      few.count(finished(String(i), 'done'), i !== 0);
    }
    expect([most, few].map((tally) => summaryOf(tally).firstAttemptRate)).toEqual([0.99, 0.01]);
  });

  test('what nobody said stays unknown, and is not taken for nothing', () => {
    const tally = new Tally();
    tally.spend('1', NOTHING);
    tally.count(finished('1', 'done'), false);
    expect(summaryOf(tally).usage).toEqual({ ...NOTHING, unknown: 1 });
    expect(tally.costUsd).toBe(0);
    const usage = { inputTokens: 10, outputTokens: null, costUsd: 0.25 };
    tally.spend('2', usage);
    tally.count(finished('2', 'failed', { usage }), false);
    tally.spend('2', { ...usage, outputTokens: 4 });
    expect(summaryOf(tally).usage).toEqual({ inputTokens: 20, outputTokens: 4, costUsd: 0.5, unknown: 1 });
    expect([tally.costOf('1'), tally.costOf('2'), tally.costUsd]).toEqual([0, 0.5, 0.5]);
    // What was cut off cost money, and was no attempt.
    expect(summaryOf(tally).attempts).toBe(2);
  });

  test('complete is what leaves nothing to be done', () => {
    const tally = new Tally();
    expect(summaryOf(tally).complete).toBe(true);
    const task = { id: '1', name: '1' };
    for (const more of [
      { failed: 1 },
      { skipped: 1 },
      { open: [{ task, waitsOn: [] }] },
      {
        questions: [
          { ...task, why: 'blocked' as const, message: '', detail: '', answers: [], blocks: [], outputs: [] },
        ],
      },
    ])
      expect(summaryOf(tally, more).complete).toBe(false);
  });
});
