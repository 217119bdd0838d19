import { describe, expect, test } from 'vitest';
import { CLAUDE, isAlive, lines, planText, Site } from './site.js';

describe('executors that fail by themselves', () => {
  test('what crashes, says nothing or says too much is waited out and tried again', async () => {
    const site = new Site(
      { '01-01': planText('01-01', 5, ['parallel: true']) },
      {
        executor: `case "$TEDDY_TASK_INDEX.$TEDDY_ATTEMPT" in
  1.1) echo "out of memory" >&2; exit 1;;
  2.1) exit 0;;
  3.1) make; claim; head -c 11000000 /dev/zero | tr '\\0' x;;
  4.1) kill -KILL $$;;
  5.1) echo "429 Too Many Requests" >&2; exit 1;;
  *) make; claim;;
esac`,
      },
    );
    const { exit, summary, of } = await site.conduct('--jobs', '5', '--isolation', 'none');
    expect({ exit, done: summary.done, retries: summary.retries }).toEqual({ exit: 0, done: 5, retries: 5 });
    expect(summary.firstAttemptRate).toBe(0);
    const retries = of('retry').map(({ task, waitMs, why }) => `${task.id} ${why} ${waitMs}`);
    expect(retries.sort()).toEqual([
      '01-01:1 crash 1000',
      '01-01:2 crash 1000',
      '01-01:3 crash 1000',
      '01-01:4 crash 1000',
      '01-01:5 rate-limit 1000',
    ]);
    expect(site.promptOf('01-01:1', 2)).toContain('out of memory');
    expect(site.promptOf('01-01:3', 2)).toContain('10 MB');
    expect(site.marks('01-01')).toEqual(Array.from({ length: 5 }, () => 'completed'));
  });

  test('what hangs is ended with its grandchildren, and tried again', async () => {
    const site = new Site(
      { '01-01': planText('01-01', 1) },
      {
        config: 'orchestrate: {taskTime: 2s}\n',
        executor: `if [ $TEDDY_ATTEMPT -gt 1 ]; then make; claim; exit; fi
sh -c 'sleep 60 & echo $! >> "$SITE/pids"; wait' & echo $! >> "$SITE/pids"; sleep 60`,
      },
    );
    const { exit, of } = await site.conduct();
    expect(exit).toBe(0);
    expect(of('retry')[0]).toMatchObject({ why: 'time-out', waitMs: 1000 });
    expect(site.promptOf('01-01:1', 2)).toContain('It ran longer than 2s');
    const pids = lines(site.note('pids')).map(Number);
    expect(pids).toHaveLength(2);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test('a verification that hangs is ended with all of it, and counts as one that failed', async () => {
    const site = new Site(
      { '01-01': planText('01-01', [{ verify: 'sh check.sh' }]) },
      {
        config: 'execute: {timeout: 1s}\n',
        files: {
          'check.sh': 'if [ -f second ]; then exit 0; fi\nsleep 60 & echo $! > "$SITE/pid"\nwait\n',
        },
        executor: '[ $TEDDY_ATTEMPT -gt 1 ] && touch second; make; claim',
      },
    );
    const { exit, of } = await site.conduct();
    expect(exit).toBe(0);
    expect(of('finished').map(({ outcome, why }) => [outcome, why])).toEqual([
      ['failed', 'verification'],
      ['done', null],
    ]);
    expect(isAlive(Number(site.note('pid')))).toBe(false);
    expect(site.promptOf('01-01:1', 2)).toContain('did not end by itself');
  });

  test('what is left running behind a result is ended', async () => {
    const site = new Site(
      { '01-01': planText('01-01', 1) },
      { executor: 'sleep 60 & echo $! > "$SITE/pid"; make; claim' },
    );
    expect((await site.orchestrate()).exit).toBe(0);
    expect(isAlive(Number(site.note('pid')))).toBe(false);
  });

  test('a program that is not there is for human review, and no attempt is used up', async () => {
    const site = new Site(
      { '01-01': planText('01-01', 2, ['parallel: true']) },
      { executor: 'make; claim', config: '  absent: {command: no-such-program-at-all --do-it}\n' },
    );
    const { exit, summary, of } = await site.conduct('--executor', 'absent');
    expect(exit).toBe(1);
    // What holds for every task is asked once.
    expect(summary.questions.map(({ id, why }) => [id, why])).toEqual([['01-01:1', 'unusable']]);
    expect(summary.open).toEqual([
      { task: expect.objectContaining({ id: '01-01:2' }), waitsOn: [expect.stringContaining('01-01:1')] },
    ]);
    expect(summary.questions[0]!.message).toContain('no-such-program-at-all');
    expect(of('retry')).toEqual([]);
    expect(summary.attempts).toBe(0);
    // Nothing was tried, so nothing failed; and the next start needs no answer.
    expect(site.marks('01-01')).toEqual(['-', '-']);
    expect(site.logs).toEqual({});
    expect((await site.orchestrate('--executor', 'worker')).exit).toBe(0);
    expect(site.marks('01-01')).toEqual(['completed', 'completed']);
  });
});

describe('money', () => {
  test('nothing more begins once the budget is spent, and the next run goes on', async () => {
    const site = new Site({ '01-01': planText('01-01', 4, ['parallel: true']) });
    site.program('claude', CLAUDE);
    const { exit, summary } = await site.conduct('--executor', 'claude', '--budget', '0.5');
    expect(exit).toBe(1);
    // 0.4 is below, 0.8 is not.
    expect(summary).toMatchObject({ stopped: 'budget', done: 2, complete: false, questions: [] });
    expect(summary.usage).toMatchObject({
      costUsd: 0.8,
      inputTokens: 2000,
      outputTokens: 40,
      unknown: 0,
    });
    expect(summary.open.map(({ task }) => task.id)).toEqual(['01-01:3', '01-01:4']);
    expect(lines(site.note('arguments'))[0]).toMatch(/^-p --output-format stream-json --verbose/);
    const rest = await site.orchestrate('--executor', 'claude');
    expect(rest.exit).toBe(0);
    expect(rest.stdout).toContain('$0.8');
    expect(site.tally).toEqual(['01-01:1 1', '01-01:2 1', '01-01:3 1', '01-01:4 1']);
  });

  test('a task that cost too much is for human review, before its attempts are used up', async () => {
    const site = new Site(
      { '01-01': planText('01-01', 1), '01-02': planText('01-02', 1) },
      {
        config: 'orchestrate: {taskBudget: 0.7}\n',
        executor: 'case $TEDDY_TASK_ID in 01-01:1) fail "not yet";; *) make; claim;; esac',
      },
    );
    site.program('claude', CLAUDE);
    const { exit, summary } = await site.conduct('--executor', 'claude', '--max-attempts', '9');
    expect(exit).toBe(1);
    expect(summary.questions.map(({ id, why }) => [id, why])).toEqual([['01-01:1', 'budget']]);
    expect(site.tally.filter((line) => line.startsWith('01-01'))).toEqual(['01-01:1 1', '01-01:1 2']);
    expect(site.marks('01-02')).toEqual(['completed']);
  });
});
