import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { planText, Site } from './site.js';

const SCRIPT = (name: string, text: string) => ({ [`checks/${name}`]: text });

/** Each task lies with its first attempt, in its own way, and does it with its second. */
const LIAR = `[ "$TEDDY_ATTEMPT" -gt 1 ] && cp "$TEDDY_PLAN" "$SITE/plan-before-$TEDDY_TASK_INDEX.2"
case "$TEDDY_TASK_INDEX.$TEDDY_ATTEMPT" in
  1.1) claim;;
  2.1) make; claim;;
  2.2) touch tested; make; claim;;
  3.1) make; claim;;
  4.1) make; claim; exit 3;;
  5.1) make; result success "$NAME" "$MADE" '"as the plan says"' 2 true "It was written." null;;
  6.1) echo "I did all of it, believe me: { [";;
  7.1) make; NAME="Task 1: Part 1" claim;;
  8.1) make; claim; echo ---; fail "or rather not";;
  9.1) make; NAME="Task 9: Wax the floor" claim;;
  *) make; claim;;
esac`;

describe('claims', () => {
  test('every lie is found out, told in the next prompt, and never applied', async () => {
    const site = new Site(
      {
        '01-01': planText(
          '01-01',
          [
            {},
            { verify: 'sh checks/vacuous.sh' },
            { verify: 'sh checks/flaky.sh' },
            ...Array.from({ length: 6 }, () => ({})),
          ],
          ['parallel: true'],
        ),
      },
      {
        executor: LIAR,
        files: {
          ...SCRIPT(
            'vacuous.sh',
            'if test -f tested; then echo "1 passed"; else echo "no tests to run"; fi\n',
          ),
          ...SCRIPT('flaky.sh', 'if test -f once; then exit 0; fi\ntouch once\nexit 1\n'),
        },
      },
    );
    const { exit, summary, of } = await site.conduct('--jobs', '3', '--isolation', 'none');
    expect({ exit, done: summary.done, complete: summary.complete }).toEqual({
      exit: 0,
      done: 9,
      complete: true,
    });

    const firsts = Object.fromEntries(
      of('finished')
        .filter(({ attempt }) => attempt === 1)
        .map(({ task, outcome, claimed, why }) => [task.id, [outcome, claimed, why]]),
    );
    expect(firsts).toEqual({
      '01-01:1': ['failed', 'success', 'verification'],
      '01-01:2': ['failed', 'success', 'vacuous'],
      '01-01:3': ['done', 'success', null],
      '01-01:4': ['done', 'success', null],
      '01-01:5': ['failed', expect.anything(), 'invalid'],
      '01-01:6': ['failed', null, 'invalid'],
      '01-01:7': ['failed', expect.anything(), 'invalid'],
      '01-01:8': ['failed', null, 'invalid'],
      '01-01:9': ['done', 'success', null],
    });
    expect([...site.tally].sort()).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((task) =>
        [1, 2].filter((n) => n === 1 || [1, 2, 5, 6, 7, 8].includes(task)).map((n) => `01-01:${task} ${n}`),
      ),
    );
    const warningsOf = (id: string) =>
      of('finished')
        .find(({ task, outcome }) => task.id === id && outcome === 'done')!
        .warnings.join('\n');
    expect(warningsOf('01-01:3')).toMatch(/flaky|once more|second time/i);
    expect(warningsOf('01-01:9')).toContain('Wax the floor');
    expect(warningsOf('01-01:4')).toBe('');

    // Both are recorded.
    const log = parse(site.logs['01-01-task-01-failure.yaml']!);
    expect(log).toMatchObject({
      executor: 'worker',
      attempt: 1,
      effective_status: 'failure',
      verification_run: { command: 'test -s made-01-01-1.txt', exit_code: 1 },
      result: { status: 'success', done_criteria_met: true },
    });
    expect(parse(site.logs['01-01-task-02-failure.yaml']!)).toMatchObject({
      effective_status: 'failure',
      verification_run: { exit_code: 0, vacuous: true },
      result: { status: 'success' },
    });
    expect(parse(site.logs['01-01-task-03-success.yaml']!)).toMatchObject({
      verification_run: { exit_code: 0, flaky: true },
    });
    expect(Object.keys(site.logs).sort()).toEqual([
      '01-01-task-01-failure.yaml',
      '01-01-task-01-success.yaml',
      '01-01-task-02-failure.yaml',
      ...[2, 3, 4, 5, 6, 7, 8, 9].map((task) => `01-01-task-0${task}-success.yaml`),
    ]);
    expect(site.rejected).toHaveLength(4);

    // Not ticked while it was not so; and then ticked once.
    for (const task of [1, 2, 5, 6, 7, 8]) {
      const then = site.note(`plan-before-${task}.2`);
      expect(then).toContain(`- [ ] Task ${task}: Part ${task}\n`);
      expect(site.plan('01-01')).toMatch(new RegExp(`- \\[x\\] Task ${task}: Part ${task} \\(completed`));
    }

    // What was wrong comes first.
    const opening = '# Earlier attempts\n';
    expect(site.promptOf('01-01:1', 1).startsWith('# Task 1: Part 1\n')).toBe(true);
    expect(site.promptOf('01-01:1', 2).startsWith(opening)).toBe(true);
    expect(site.promptOf('01-01:1', 2)).toContain(
      'Verification failed: `test -s made-01-01-1.txt` exited with 1',
    );
    expect(site.promptOf('01-01:1', 2)).toContain('It was written.');
    expect(site.promptOf('01-01:2', 2)).toContain('no test ran');
    expect(site.promptOf('01-01:5', 2)).toContain('verification.exit_code is 2');
    for (const task of [6, 7, 8]) expect(site.promptOf(`01-01:${task}`, 2).startsWith(opening)).toBe(true);

    const metrics = JSON.parse((await site.run(['metrics', '--json'])).stdout);
    expect(metrics.executors).toEqual([
      {
        executor: 'worker',
        results: 11,
        succeeded: 9,
        successRate: 0.82,
        verified: 11,
        falseClaims: 2,
        falseClaimRate: 0.18,
      },
    ]);
    expect((await site.run(['metrics'])).stdout).toMatch(/worker .*2 \(18%\)/);
    expect((await site.run(['logs', 'verify'])).exit).toBe(0);
    expect((await site.run(['metrics', '--rebuild', '--json'])).exit).toBe(0);
  });

  test('a result about another task of the same plan leaves that task alone', async () => {
    const site = new Site(
      { '01-01': planText('01-01', 2, ['parallel: true']) },
      {
        // The first says nothing good of itself; the second speaks for the first.
        executor: `case $TEDDY_TASK_INDEX in 1) fail "no";; 2) make; NAME="Task 1: Part 1" claim;; esac`,
      },
    );
    const { exit, summary } = await site.conduct('--max-attempts', '1');
    expect(exit).toBe(1);
    expect(summary).toMatchObject({ done: 0, complete: false });
    expect(site.marks('01-01')[0]).toBe('failed');
    expect(site.marks('01-01')).not.toContain('completed');
    expect(Object.keys(site.logs)).toEqual(['01-01-task-01-failure.yaml']);
    expect(summary.questions.map(({ id, why }) => [id, why])).toEqual([
      ['01-01:1', 'attempts-exhausted'],
      ['01-01:2', 'attempts-exhausted'],
    ]);
  });

  test('the environment and the prompt are what was promised', async () => {
    const site = new Site(
      { '01-01': planText('01-01', [{ name: 'Paint &amp; dry', action: 'Use a < b.' }]) },
      { executor: `env | grep ^TEDDY_ | sort > "$SITE/env"; pwd > "$SITE/cwd"; make; claim` },
    );
    expect((await site.orchestrate()).exit).toBe(0);
    expect(site.note('env').trim().split('\n')).toEqual([
      'TEDDY_ATTEMPT=1',
      expect.stringMatching(/^TEDDY_MARK=[a-z0-9]{20,}$/),
      `TEDDY_PLAN=${site.root}/.planning/01-01-PLAN.md`,
      'TEDDY_TASK_ID=01-01:1',
      'TEDDY_TASK_INDEX=1',
      'TEDDY_TASK_NAME=Task 1: Paint & dry',
    ]);
    expect(site.note('cwd').trim()).toBe(site.root);
    const prompt = site.promptOf('01-01:1', 1);
    // The task as written, and the contract last, with an example.
    expect(prompt).toContain('  <action>Use a < b.</action>\n');
    expect(prompt).toContain('test -s made-01-01-1.txt');
    const contract = prompt.slice(prompt.indexOf('\n## The result'));
    for (const field of ['status:', 'task_name:', 'files_modified:', 'verification:', 'evidence:', 'error:'])
      expect(contract).toContain(field);
  });
});

test('teddy task brief prints what the next executor gets, with the failures and the instruction so far', async () => {
  const site = new Site(
    { '01-01': planText('01-01', [{}, { type: 'checkpoint:human-verify' }]) },
    { executor: 'fail "no brush"' },
  );
  await site.orchestrate('--max-attempts', '1');
  expect((await site.resolve('01-01:1', 'fix: use the blue one')).exit).toBe(0);
  const { stdout } = await site.run(['task', 'brief', '01-01:1']);
  site.behave('make; claim');
  await site.orchestrate();
  expect(stdout).toContain('use the blue one');
  expect(stdout).toContain('no brush');
  expect(stdout).toBe(site.promptOf('01-01:1', 2));
  const yours = await site.run(['task', 'brief', '01-01:2']);
  expect(yours).toMatchObject({ exit: 2, stdout: '' });
  expect(yours.stderr).toContain(
    '01-01:2 is a checkpoint: you answer it yourself, so no executor gets a prompt for it.',
  );
});
