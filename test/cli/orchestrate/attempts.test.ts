import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { madeBy, planText, Site } from './site.js';

const EXECUTOR = `case "$TEDDY_TASK_INDEX" in
  1) make; echo "no memory" >&2; exit 1;;
  2) sleep 60;;
  3) echo "All is well.";;
  *) make; claim;;
esac`;

test('what crashed, hung or printed garbage is told by metrics, list, next and show, until it is answered', async () => {
  const site = new Site(
    {
      '01-01': planText('01-01', 4, ['parallel: true']),
      '01-02': planText('01-02', 1, ['depends_on: ["01-01"]']),
    },
    { git: true, config: 'orchestrate: {taskTime: 2s}\n', executor: EXECUTOR },
  );
  const { exit, summary } = await site.conduct('--jobs', '4', '--max-attempts', '1');
  expect([exit, summary.attempts, summary.questions.length]).toEqual([1, 4, 3]);

  const [metrics, metricsJson, list, listJson, next, nextJson, show, showJson] = await Promise.all([
    site.run(['metrics']),
    site.run(['metrics', '--json']),
    site.run(['task', 'list', '--plan', '01-01']),
    site.run(['task', 'list', '--json']),
    site.run(['task', 'next']),
    site.run(['task', 'next', '--json']),
    site.run(['task', 'show', '01-01:1']),
    site.run(['task', 'show', '01-01:2', '--json']),
  ]);
  expect(metrics.stdout).toMatch(
    /Attempts {2}made {2}done {5}crashed {2}timed out {2}invalid {2}time each\n {2}worker {2}4 {5}1 \(25%\) {2}1 {8}1 {10}1 {8}\d/,
  );
  const { attempts, executors } = JSON.parse(metricsJson.stdout);
  expect(executors).toMatchObject([{ executor: 'worker', results: 1 }]);
  expect(attempts).toMatchObject([
    {
      executor: 'worker',
      attempts: 4,
      done: 1,
      failed: 3,
      cutOff: 0,
      costUsd: null,
      failures: { crash: 1, 'time-out': 1, invalid: 1, verification: 0 },
      duration: { total: summary.workMs },
    },
  ]);

  expect(list.stdout).toBe(`01-01  .planning/01-01-PLAN.md: 1 of 4 tasks done
?  01-01:1  needs you  Task 1: Part 1  1 attempt failed (crashed)
?  01-01:2  needs you  Task 2: Part 2  1 attempt failed (timed out)
?  01-01:3  needs you  Task 3: Part 3  1 attempt failed (invalid result)
✓  01-01:4  completed  Task 4: Part 4
`);
  const tasks = JSON.parse(listJson.stdout).plans[0].tasks;
  expect(tasks[1]).toMatchObject({ ready: false, question: { why: 'attempts-exhausted' } });
  expect(tasks[1].question.message).toContain('It ran longer than 2s');
  expect(tasks[3].question).toBeNull();

  expect(next.stdout).toMatch(/^Next: nothing can start now\.\nNeeds your answer:\n {2}01-01:1 /);
  expect(next.stdout).toContain('teddy task resolve 01-01:1 retry   (or "fix: …", done, skip, abort)');
  expect(next.stdout).toMatch(/without a result\. Its last error\s+output: no memory\n/);
  expect(next.stdout).toContain('Waiting:\n  01-02:1  Task 1: Part 1  waiting for 01-01\n');
  const ids = (list: { id: string }[]) => list.map(({ id }) => id);
  const parts = JSON.parse(nextJson.stdout);
  expect([ids(parts.next), ids(parts.asking), ids(parts.waiting)]).toEqual([
    [],
    ['01-01:1', '01-01:2', '01-01:3'],
    ['01-02:1'],
  ]);

  expect(show.stdout).toMatch(/^01-01:1 {2}Task 1: Part 1: \? needs you\n/);
  expect(show.stdout).toMatch(
    /Attempts by teddy orchestrate\n {2}1 {2}worker: failed after [^\n]* \(crashed\)\n {5}[^\n]+\n {5}\.ultraplan\/state\/output\/01-01-1\.1\.txt\n {5}\.ultraplan\/state\/patches\/01-01-1-1\.patch\n\nNeeds your answer\n/,
  );
  const shown = JSON.parse(showJson.stdout);
  expect(shown.question.message).toBe(tasks[1].question.message);
  expect(shown.attempts).toMatchObject([{ attempt: 1, outcome: 'failed', why: 'time-out', patches: [] }]);

  const [bare, bareJson] = await Promise.all([site.run([]), site.run(['--json'])]);
  expect(bare.stdout).toContain(
    '2 task files, 1 of 5 tasks done; waiting for your answer: 01-01:1, 01-01:2, 01-01:3.\n',
  );
  expect(JSON.parse(bareJson.stdout).tasks).toMatchObject({
    ready: [],
    asking: ['01-01:1', '01-01:2', '01-01:3'],
  });
  site.write(madeBy('01-01:1'), 'by hand\n');
  const done = await site.resolve('01-01:1', 'done');
  expect(done.stdout).toMatch(
    /\nNext: nothing can start now\.\nNeeds your answer:\n {2}01-01:2 {2}Task 2: Part 2: 1 attempt failed \(timed out\)\n {4}teddy task resolve 01-01:2 retry {3}\(or [^\n]*\)\n {2}01-01:3 {2}/,
  );
  const input = JSON.stringify({
    ...{
      status: 'failure',
      task_name: 'Task 3: Part 3',
      files_modified: [],
      verification: { command: 'test -s x', exit_code: 1, output_summary: 'no' },
    },
    done_criteria_met: false,
    evidence: 'It was tried.',
    error: 'It does not fit.',
  });
  const submitted = await site.run(['result', 'submit', '-', '--plan', '01-01', '--json'], { input });
  const behind = JSON.parse(submitted.stdout);
  expect([submitted.exit, behind.applied, behind.next, behind.waiting]).toEqual([0, true, [], []]);
  expect(behind.asking).toMatchObject([
    { id: '01-01:2', why: 'attempts-exhausted', message: expect.stringContaining('longer than 2s') },
    { id: '01-01:3', why: 'attempts-exhausted' },
  ]);

  const skipped = await site.resolve('01-01:2', 'skip');
  expect(skipped.stdout).toContain('skipped. 01-02:1 depends on it and cannot start.');
  const after = await site.run(['task', 'list', '--plan', '01-01']);
  expect(after.stdout).toContain('-  01-01:2  skipped    Task 2: Part 2\n');
});

test('an attempt that is not confined has a temporary folder of its own, which is gone after it', async () => {
  const executor = `echo "$TMPDIR" >> "$SITE/temporary"
echo left > "$TMPDIR/left"; ls -ld "$TMPDIR" | cut -c1-10 >> "$SITE/modes"
if [ "$TEDDY_ATTEMPT" = 1 ]; then exit 1; fi; make; claim`;
  const site = new Site({ '01-01': planText('01-01', 1) }, { executor });
  expect(await site.conduct()).toMatchObject({ exit: 0, summary: { attempts: 2 } });
  const folders = site.note('temporary').trim().split('\n');
  expect(new Set(folders).size).toBe(2);
  expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
  expect(site.note('modes')).toBe('drwx------\ndrwx------\n');
});
