import type { ChildProcess } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { endOf, until } from '../sessions/site.js';
import { isAlive, lines, madeBy, planText, readEvents, Site } from './site.js';

describe('attempts that are used up', () => {
  test('a person is asked, once, and what they say comes first in the next prompt', async () => {
    const site = new Site({ '01-01': planText('01-01', 3) }, { executor: 'fail "the brush is dry"' });
    const first = await site.orchestrate();
    expect(first.exit).toBe(1);
    expect(first.stdout).toContain('teddy task resolve 01-01:1 retry');
    expect(first.stdout).toContain('the brush is dry');
    expect(first.stdout).toContain('01-01:2, 01-01:3 depend on it');
    expect(site.tally).toEqual(['01-01:1 1', '01-01:1 2', '01-01:1 3']);

    const again = await site.conduct();
    expect(again.exit).toBe(1);
    expect(again.summary.questions.map(({ id, why }) => [id, why])).toEqual([
      ['01-01:1', 'attempts-exhausted'],
    ]);
    expect(site.tally).toHaveLength(3);

    expect((await site.resolve('01-01:1', 'fix: use the blue brush')).exit).toBe(0);
    site.behave('[ "$TEDDY_TASK_ID $TEDDY_ATTEMPT" = "01-01:1 4" ] && fail "still dry" || { make; claim; }');
    const { exit, summary } = await site.conduct();
    expect({ exit, complete: summary.complete, done: summary.done }).toEqual({
      exit: 0,
      complete: true,
      done: 3,
    });
    // The count began anew with the person's word.
    expect(site.tally.slice(3)).toEqual(['01-01:1 4', '01-01:1 5', '01-01:2 1', '01-01:3 1']);
    for (const attempt of [4, 5]) {
      const prompt = site.promptOf('01-01:1', attempt);
      expect(prompt).toMatch(
        /^# Instruction from the user\n[^#]*use the blue brush[^#]*# Earlier attempts\n/,
      );
      expect(prompt.match(/the brush is dry/g)).toHaveLength(3);
    }
    expect(site.promptOf('01-01:1', 5)).toContain('still dry');
  });

  test('three of a wave stop the wave, and no other begins', async () => {
    const ids = ['01-01', '01-02', '01-03', '01-04', '01-05'];
    const site = new Site(
      {
        ...Object.fromEntries(ids.map((id) => [id, planText(id, 1, ['wave: 1'])])),
        '01-06': planText('01-06', 1, ['wave: 2']),
      },
      { executor: 'fail "no"' },
    );
    const { exit, of, summary } = await site.conduct('--max-attempts', '1');
    expect(exit).toBe(1);
    expect(site.tally).toEqual(['01-01:1 1', '01-02:1 1', '01-03:1 1']);
    expect(of('wave-stopped').map(({ wave, tasks }) => [wave, tasks.map(({ id }) => id)])).toEqual([
      [1, ['01-01:1', '01-02:1', '01-03:1']],
    ]);
    expect(summary.questions).toHaveLength(3);
    expect(summary.open.map(({ task }) => task.id)).toEqual(['01-04:1', '01-05:1', '01-06:1']);

    // It stays so until a person has decided on one of them.
    expect((await site.orchestrate('--max-attempts', '1')).exit).toBe(1);
    expect(site.tally).toHaveLength(3);
    await site.resolve('01-02:1', 'retry');
    site.behave('make; claim');
    expect((await site.orchestrate('--max-attempts', '1')).exit).toBe(1);
    expect(site.tally.slice(3).sort()).toEqual(['01-02:1 2', '01-04:1 1', '01-05:1 1']);
  });
});

describe('decisions', () => {
  test('retry, skip, abort and done each lead on in their own way', async () => {
    const site = new Site(
      {
        '01-01': planText(
          '01-01',
          [
            { dependsOn: '' },
            { dependsOn: '' },
            { dependsOn: '' },
            { dependsOn: '' },
            { dependsOn: '2' },
            { dependsOn: '3' },
          ],
          ['parallel: true'],
        ),
      },
      { executor: 'blocked "somebody has to open the door"' },
    );
    const first = await site.conduct();
    expect(first.exit).toBe(1);
    expect(first.summary.questions.map(({ id, why, blocks }) => [id, why, blocks]).sort()).toEqual([
      ['01-01:1', 'blocked', []],
      ['01-01:2', 'blocked', ['01-01:5']],
      ['01-01:3', 'blocked', ['01-01:6']],
      ['01-01:4', 'blocked', []],
    ]);

    expect((await site.resolve('01-01:1', 'retry')).exit).toBe(0);
    expect(await site.resolve('01-01:2', 'skip')).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('skipped. 01-01:5 depends on it and cannot start.'),
    });
    expect(await site.resolve('01-01:3', 'abort')).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining(
        'failed. It does not start again until you give another answer, such as retry. 01-01:6 depends on it and cannot start.',
      ),
    });
    // A person's word is verified too.
    expect((await site.resolve('01-01:4', 'done')).exit).toBe(1);
    expect(site.marks('01-01')[3]).toBe('failed');
    site.write(madeBy('01-01:4'), 'by hand\n');
    expect((await site.resolve('01-01:4', 'done')).exit).toBe(0);

    site.behave('make; claim');
    const second = await site.conduct();
    expect(second.exit).toBe(1);
    expect(second.summary).toMatchObject({ done: 1, failed: 1, skipped: 1, questions: [] });
    expect(second.summary.open.map(({ task }) => task.id)).toEqual(['01-01:5', '01-01:6']);
    expect(site.tally.slice(4)).toEqual(['01-01:1 2']);
    expect(site.marks('01-01')).toEqual(['completed', 'skipped', 'failed', 'completed', '-', '-']);

    await site.resolve('01-01:2', 'retry');
    await site.resolve('01-01:3', 'retry');
    expect((await site.orchestrate()).exit).toBe(0);
    expect(site.marks('01-01')).toEqual(Array.from({ length: 6 }, () => 'completed'));
    expect(
      site.tally
        .slice(5)
        .map((line) => line.split(' ')[0])
        .sort(),
    ).toEqual(['01-01:2', '01-01:3', '01-01:5', '01-01:6']);
  });

  test.each(['skip', 'abort'])('%s ends what runs, and nothing of it is applied', async (answer) => {
    const site = new Site(
      { '01-01': planText('01-01', 2), '01-02': planText('01-02', 1) },
      {
        executor: `case $TEDDY_TASK_ID in
  01-01:1) echo $$ > "$SITE/pid"; n=0; until [ -f "$SITE/go" ] || [ $n -gt 100 ]; do sleep 0.05; n=$((n+1)); done; make; claim;;
  *) make; claim;;
esac`,
      },
    );
    const running = site.conduct();
    await until(() => site.note('pid') !== '', 'the first task is at work');
    expect((await site.resolve('01-01:1', answer)).exit).toBe(0);
    const { exit, summary } = await running;
    expect(exit).toBe(1);
    expect(isAlive(Number(site.note('pid')))).toBe(false);
    expect(summary).toMatchObject(answer === 'skip' ? { skipped: 1, failed: 0 } : { skipped: 0, failed: 1 });
    expect(site.marks('01-01')).toEqual([answer === 'skip' ? 'skipped' : 'failed', '-']);
    expect(site.marks('01-02')).toEqual(['completed']);
    expect(Object.keys(site.logs)).toEqual(['01-02-task-01-success.yaml']);
    site.leave('go');
    await site.resolve('01-01:1', 'retry');
    expect((await site.orchestrate()).exit).toBe(0);
  });

  test('an answer that is given while it runs is heard', async () => {
    const site = new Site(
      { '01-01': planText('01-01', 1), '01-02': planText('01-02', 1) },
      {
        executor: `case "$TEDDY_TASK_ID $TEDDY_ATTEMPT" in
  "01-01:1 1") blocked "nobody is there";;
  *) until [ -f "$SITE/go" ]; do sleep 0.05; done; make; claim;;
esac`,
      },
    );
    const child = site.start(['orchestrate', '--yes', '--json', '--jobs', '2', '--isolation', 'none']);
    const heard = listenTo(child);
    const ended = endOf(child);
    await until(() => heard().includes('"asked"'), 'a person is asked');
    expect((await site.resolve('01-01:1', 'retry')).exit).toBe(0);
    await until(() => heard().includes('"answered"'), 'the answer is heard');
    site.leave('go');
    const { exit, stdout } = await ended;
    expect({ exit, complete: readEvents(stdout).summary.complete }).toEqual({ exit: 0, complete: true });
  });
});

test('a checkpoint waits for human review, others go on, and done leads on', async () => {
  const site = new Site({
    '01-01': planText('01-01', [{}, { type: 'checkpoint:human-verify', verify: null }, {}]),
    '01-02': planText('01-02', 1),
  });
  const first = await site.orchestrate();
  expect(first.exit).toBe(1);
  expect(first.stdout).toContain('teddy task resolve 01-01:2 done');
  expect(first.stderr).toContain('01-01:2  needs your answer: Checkpoint: this one is yours.');
  expect(site.marks('01-01')).toEqual(['completed', '-', '-']);
  expect(site.marks('01-02')).toEqual(['completed']);
  expect((await site.resolve('01-01:2', 'done')).exit).toBe(0);
  expect((await site.orchestrate()).exit).toBe(0);
  expect(site.marks('01-01')).toEqual(['completed', 'completed', 'completed']);
  expect(site.tally.sort()).toEqual(['01-01:1 1', '01-01:3 1', '01-02:1 1']);
});

const resultOf = (task: number, evidence: string) => `status: success
task_name: "Task ${task}: Part ${task}"
files_modified: [${madeBy(`01-01:${task}`)}]
verification:
  command: "test -s ${madeBy(`01-01:${task}`)}"
  exit_code: 0
  output_summary: "fine"
done_criteria_met: true
evidence: "${evidence}"
error: null
`;

/** All that was printed so far. */
function listenTo(child: ChildProcess): () => string {
  let text = '';
  child.stdout!.on('data', (chunk) => {
    text += chunk;
  });
  return () => text;
}

describe('--executor human', () => {
  test('the task is handed over, and what is submitted is verified', async () => {
    const site = new Site({ '01-01': planText('01-01', 2) });
    const child = site.start(['orchestrate', '--yes', '--json', '--executor', 'human']);
    const heard = listenTo(child);
    const ended = endOf(child);
    const handed = () => lines(heard()).filter((line) => line.includes('"handed"'));
    await until(() => handed().length === 1, 'the first task is handed over');
    expect(JSON.parse(handed()[0]!)).toMatchObject({
      task: { id: '01-01:1' },
      planPath: '.planning/01-01-PLAN.md',
      text: expect.stringContaining('<name>Task 1: Part 1</name>'),
    });

    const submit = (task: number, evidence: string) =>
      site.run(['result', 'submit', '-', '--plan', '01-01'], { input: resultOf(task, evidence) });
    expect((await submit(1, 'I say so.')).exit).toBe(1);
    await until(() => handed().length === 2, 'it is asked for again');
    expect(site.marks('01-01')[0]).toBe('failed');
    site.write(madeBy('01-01:1'), 'by hand\n');
    expect((await submit(1, 'Now it is there.')).exit).toBe(0);
    await until(() => handed().length === 3, 'the second task is handed over');
    site.write(madeBy('01-01:2'), 'by hand\n');
    expect((await submit(2, 'There.')).exit).toBe(0);

    const { exit, stdout } = await ended;
    const { summary, of } = readEvents(stdout);
    expect({ exit, done: summary.done, retries: summary.retries }).toEqual({ exit: 0, done: 2, retries: 1 });
    expect(of('finished').map(({ task, outcome }) => [task.id, outcome])).toEqual([
      ['01-01:1', 'failed'],
      ['01-01:1', 'done'],
      ['01-01:2', 'done'],
    ]);
    expect(site.has('.ultraplan/state/handed.jsonl')).toBe(false);
  });

  test.each(['skip', 'abort'])('%s of a task that was handed over: nobody is waited for', async (answer) => {
    const site = new Site({ '01-01': planText('01-01', 1) });
    const child = site.start(['orchestrate', '--yes', '--json', '--executor', 'human']);
    const heard = listenTo(child);
    const ended = endOf(child);
    await until(() => heard().includes('"handed"'), 'the task is handed over');
    expect((await site.resolve('01-01:1', answer)).exit).toBe(0);
    const { exit, stdout } = await ended;
    expect(exit).toBe(1);
    expect(readEvents(stdout).summary).toMatchObject(
      answer === 'skip' ? { skipped: 1, failed: 0, done: 0 } : { skipped: 0, failed: 1, done: 0 },
    );
    expect(site.has('.ultraplan/state/handed.jsonl')).toBe(false);
  });

  test('what a machine works on is not to be submitted by others', async () => {
    const site = new Site(
      { '01-01': planText('01-01', 1) },
      { executor: 'touch "$SITE/at-work"; until [ -f "$SITE/go" ]; do sleep 0.05; done; make; claim' },
    );
    const ended = site.orchestrate();
    await until(() => site.note('tally') !== '', 'the executor is at work');
    const refused = await site.run(['result', 'submit', '-', '--plan', '01-01'], {
      input: resultOf(1, 'I was quicker.'),
    });
    expect(refused.exit).toBe(2);
    expect(refused.stderr).toContain('01-01:1 is being worked on by teddy orchestrate (worker)');
    site.leave('go');
    expect((await ended).exit).toBe(0);
    expect(Object.keys(site.logs)).toEqual(['01-01-task-01-success.yaml']);
    expect(site.logs['01-01-task-01-success.yaml']).not.toContain('quicker');
  });
});

describe('blocked', () => {
  test('goes behind what it names; where that leads nowhere, a person is asked', async () => {
    const site = new Site(
      {
        '01-01': planText('01-01', 2, ['parallel: true']),
        '01-02': planText('01-02', 1),
        '01-03': planText('01-03', 1),
        '01-04': planText('01-04', 2),
      },
      {
        executor: `case "$TEDDY_TASK_ID.$TEDDY_ATTEMPT" in
  01-01:1.1) n=0; until [ "$(cat "$ROOT"/.planning/*.md | grep -c 'status="blocked"')" -ge 4 ] || [ $n -gt 200 ]; do sleep 0.05; n=$((n+1)); done; make; claim;;
  01-01:2.1) blocked "Task 1 has to be done first.";;
  01-02:1.1) blocked "Cannot begin before 01-01:1.";;
  01-03:1.1) blocked "There is no paint.";;
  01-04:1.1) blocked "Task 2 has to be done first.";;
  *) make; claim;;
esac`,
      },
    );
    const { exit, summary, of } = await site.conduct('--jobs', '5', '--isolation', 'none');
    expect(exit).toBe(1);
    expect(summary.questions.map(({ id, why, message }) => [id, why, message]).sort()).toEqual([
      ['01-03:1', 'blocked', 'There is no paint.'],
      ['01-04:1', 'blocked', 'Task 2 has to be done first.'],
    ]);
    const states = of('state').map(({ task, state, waitsOn }) => `${task.id} ${state} ${waitsOn}`);
    expect(states.filter((line) => line.includes('blocked')).sort()).toEqual([
      '01-01:2 blocked 01-01:1',
      '01-02:1 blocked 01-01:1',
    ]);
    expect(of('retry')).toEqual([]);
    expect(site.marks('01-01')).toEqual(['completed', 'completed']);
    expect(site.marks('01-02')).toEqual(['completed']);
    expect(site.marks('01-03')).toEqual(['blocked']);
    expect(site.marks('01-04')).toEqual(['blocked', '-']);
    const before = site.tally.indexOf('01-01:1 1');
    expect(before).toBeGreaterThanOrEqual(0);
    for (const later of ['01-01:2 2', '01-02:1 2']) expect(site.tally.indexOf(later)).toBeGreaterThan(before);
    await site.resolve('01-03:1', 'retry');
    await site.resolve('01-04:1', 'fix: you need nothing of it');
    expect((await site.orchestrate()).exit).toBe(0);
  });

  test('by what was done meanwhile: it is tried again, and nobody is asked', async () => {
    const site = new Site(
      { '01-01': planText('01-01', 2, ['parallel: true']) },
      {
        executor: `if [ $TEDDY_TASK_INDEX.$TEDDY_ATTEMPT = 2.1 ]; then
  n=0; until grep -q 'status="completed"' "$TEDDY_PLAN" || [ $n -gt 200 ]; do sleep 0.05; n=$((n+1)); done
  blocked "Task 1 has to be done first."
else make; claim; fi`,
      },
    );
    const { exit, of } = await site.conduct('--jobs', '2', '--isolation', 'none');
    expect(of('asked')).toEqual([]);
    expect(exit).toBe(0);
    expect(site.tally.at(-1)).toBe('01-01:2 2');
  });
});
