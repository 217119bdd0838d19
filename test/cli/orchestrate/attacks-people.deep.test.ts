import { describe, expect, test } from 'vitest';
import { readTree } from '../../folder.js';
import { until } from '../sessions/site.js';
import { AWAIT, watch } from './attacked.js';
import { madeBy, planText, Site } from './site.js';

describe('people decide while it runs', () => {
  test('retry while it is verified: the attempt that follows counts, once', async () => {
    const site = new Site(
      { '01-01': planText('01-01', [{ verify: 'sh check.sh' }]) },
      {
        files: {
          // Fails for the first attempt, once the person has decided.
          'check.sh': `${AWAIT}
touch "$SITE/verifying"; await decided; [ "$(wc -l < "$SITE/tally")" -ge 2 ]\n`,
        },
      },
    );
    const run = watch(site);
    await run.hear('verifying');
    expect((await site.resolve('01-01:1', 'retry')).exit).toBe(0);
    await run.hear('answered');
    site.leave('decided');
    const { exit, summary, of } = await run.told();
    expect({ exit, done: summary.done, complete: summary.complete }).toEqual({
      exit: 0,
      done: 1,
      complete: true,
    });
    expect(of('finished').map(({ attempt, outcome }) => [attempt, outcome])).toEqual([[1, 'done']]);
    expect(site.tally).toEqual(['01-01:1 1', '01-01:1 1']);
    expect(site.marks('01-01')).toEqual(['completed']);
    expect(site.journal.flatMap(({ outcome }) => outcome ?? [])).toEqual(['cut-off', 'done']);
    const logs = Object.entries(site.logs);
    expect(logs.filter(([, text]) => !/superseded/.test(text)).map(([name]) => name)).toEqual([
      '01-01-task-01-success.yaml',
    ]);
    expect((await site.run(['logs', 'verify'])).exit).toBe(0);
  });

  test('an abort is not the last word: done and retry after it are heard, and counted', async () => {
    const site = new Site(
      { '01-01': planText('01-01', 1), '01-02': planText('01-02', 1), '01-03': planText('01-03', 1) },
      {
        executor: `${AWAIT}
case $TEDDY_TASK_ID in 01-03:1) await again;; *) await go;; esac
make; claim`,
      },
    );
    const run = watch(site, '--jobs', '3', '--isolation', 'none');
    await until(() => site.tally.length === 3, 'all are at work');
    for (const id of ['01-01:1', '01-03:1']) expect((await site.resolve(id, 'abort')).exit).toBe(0);
    await run.hear('answered', 2);
    // Until its executor has ended, nobody else can complete it.
    const over = JSON.stringify({ op: 'over', task: '01-01:1' });
    await until(() => site.read('.ultraplan/state/handed.jsonl').includes(over), 'its executor has ended');
    site.write(madeBy('01-01:1'), 'by hand\n');
    expect(await site.resolve('01-01:1', 'done')).toMatchObject({
      exit: 0,
      stderr: expect.not.stringContaining('teddy:'),
    });
    site.leave('again');
    expect((await site.resolve('01-03:1', 'retry')).exit).toBe(0);
    await run.hear('finished');
    site.leave('go');
    const { exit, summary } = await run.told();
    expect(summary).toMatchObject({
      done: 3,
      failed: 0,
      skipped: 0,
      open: [],
      questions: [],
      complete: true,
    });
    expect(exit).toBe(0);
    expect(site.read(madeBy('01-01:1'))).toBe('by hand\n');
    for (const id of ['01-01', '01-02', '01-03']) expect(site.marks(id)).toEqual(['completed']);
    expect([...site.tally].sort()).toEqual(['01-01:1 1', '01-02:1 1', '01-03:1 1', '01-03:1 1']);
  });

  test('an abort of what has not begun is a failure, and no question', async () => {
    const site = new Site(
      { '01-01': planText('01-01', 2), '01-02': planText('01-02', 1) },
      { executor: `${AWAIT}\nawait go; make; claim` },
    );
    const run = watch(site, '--jobs', '1');
    await until(() => site.tally.length === 1, 'the first is at work');
    // One that waits for another, and one that waits for somebody to do it.
    for (const id of ['01-01:2', '01-02:1']) expect((await site.resolve(id, 'abort')).exit).toBe(0);
    site.leave('go');
    const { exit, summary, of } = await run.told();
    expect(exit).toBe(1);
    expect(of('asked')).toEqual([]);
    expect(summary).toMatchObject({ done: 1, failed: 2, questions: [], open: [], complete: false });
    expect(site.tally).toEqual(['01-01:1 1']);
  });

  test('another task in its place while it is verified: neither it nor what began behind it counts', async () => {
    const site = new Site(
      { '01-01': planText('01-01', [{ verify: 'sh check.sh' }, {}]) },
      { files: { 'check.sh': `${AWAIT}\nawait renamed; test -s ${madeBy('01-01:1')}\n` } },
    );
    const run = watch(site, '--jobs', '1');
    await run.hear('verifying');
    const path = '.planning/01-01-PLAN.md';
    site.write(path, site.read(path).replaceAll('Task 1: Part 1', 'Task 1: Quite another'));
    site.leave('renamed');
    const { exit, summary, of } = await run.told();
    expect({ exit, done: summary.done, complete: summary.complete }).toEqual({
      exit: 1,
      done: 0,
      complete: false,
    });
    expect(of('finished')).toEqual([]);
    expect(summary.questions).toMatchObject([{ id: '01-01:1', why: 'unusable' }]);
    expect(summary.questions[0]!.message).toContain('the task file was changed during the verification');
    expect(site.marks('01-01')).toEqual(['-', '-']);
    expect(site.tally.filter((line) => line !== '01-01:2 1')).toEqual(['01-01:1 1']);
    expect(site.logs).toEqual({});
    expect(site.journal.filter(({ task }) => task === '01-01:2')).toEqual([]);
  });
});

test('a retry approves the verification that was shown, and none that the policy denies', async () => {
  const site = new Site(
    { '01-01': planText('01-01', 1), '01-02': planText('01-02', 1) },
    {
      files: { '.teddy/policy.yaml': 'rules:\n  - {deny: EXECUTE, command: "touch *"}\n  - {allow: "*"}\n' },
      executor: `${AWAIT}
case $TEDDY_TASK_ID.$TEDDY_ATTEMPT in 01-02:1.*) await go;; esac
[ "$(cat "$SITE/tally" | grep -c 01-01:1)" = 1 ] && sed -i 's#<verify>.*</verify>#<verify>true</verify>#' "$ROOT/.planning/01-01-PLAN.md"
make; claim`,
    },
  );
  const run = watch(site, '--jobs', '2', '--isolation', 'none');
  const question = (n: number) => run.of('asked')[n - 1]!.question;
  await run.hear('asked');
  expect(question(1)).toMatchObject({ id: '01-01:1', why: 'verify-changed' });
  expect(question(1).message).toMatch(/\ntrue$/);

  // Between the question and the answer it becomes another one again.
  site.write(
    '.planning/01-01-PLAN.md',
    site.plan('01-01').replace('<verify>true<', '<verify><automated>touch "$SITE/evil"<'),
  );
  expect((await site.resolve('01-01:1', 'retry')).exit).toBe(0);
  await run.hear('asked', 2);
  expect(question(2)).toMatchObject({ id: '01-01:1', why: 'verify-changed' });
  expect(question(2).message).toMatch(/\ntouch "\$SITE\/evil"$/);

  // This one was shown, and is denied all the same.
  expect((await site.resolve('01-01:1', 'retry')).exit).toBe(0);
  await run.hear('asked', 3);
  expect(question(3).message).toContain('denied');
  site.leave('go');
  const { exit, summary, of } = await run.told();
  expect({ exit, done: summary.done }).toEqual({ exit: 1, done: 1 });
  expect(of('verifying').map(({ task }) => task.id)).toEqual(['01-02:1']);
  expect(site.marks('01-01')).toEqual(['-']);
  expect(readTree(site.base).evil).toBeUndefined();
});
