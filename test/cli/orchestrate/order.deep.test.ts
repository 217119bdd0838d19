import { describe, expect, test } from 'vitest';
import { lines, planText, Site } from './site.js';

/** Notes when it began and when it ended, in one file that only grows. */
const NOTED = `echo "+$TEDDY_TASK_ID" >> "$SITE/times"
make
echo "-$TEDDY_TASK_ID" >> "$SITE/times"
claim`;

/** Which tasks were under way at the same time as another, as pairs. */
function togetherIn(site: Site): string[] {
  const open = new Set<string>();
  const pairs: string[] = [];
  for (const line of lines(site.note('times'))) {
    const id = line.slice(1);
    if (line.startsWith('-')) open.delete(id);
    else {
      pairs.push(...[...open].map((other) => [other, id].sort().join(' ')));
      open.add(id);
    }
  }
  return pairs.sort();
}

const begun = (site: Site) => site.tally.map((line) => line.split(' ')[0]);

describe('the order of tasks', () => {
  test('tasks of a plan one after the other, however many jobs there are', async () => {
    const site = new Site({ '01-01': planText('01-01', 3) }, { executor: NOTED });
    const { exit, summary, events } = await site.conduct('--jobs', '3', '--isolation', 'none');
    expect({ exit, complete: summary.complete, done: summary.done }).toEqual({
      exit: 0,
      complete: true,
      done: 3,
    });
    expect(site.tally).toEqual(['01-01:1 1', '01-01:2 1', '01-01:3 1']);
    expect(togetherIn(site)).toEqual([]);
    expect(site.marks('01-01')).toEqual(['completed', 'completed', 'completed']);
    expect(site.plan('01-01').match(/- \[x\] Task \d: Part \d \(completed /g)).toHaveLength(3);
    expect(events[0]?.type).toBe('began');
    expect(events.at(-1)?.type).toBe('ended');
    expect(summary.firstAttemptRate).toBe(1);
  });

  test('what is told: the end of each before the beginning of the next, and a checkpoint at last', async () => {
    const tasks = [{}, {}, { type: 'checkpoint:human-verify', verify: null }];
    const site = new Site({ '01-01': planText('01-01', tasks) });
    const { events } = await site.conduct('--jobs', '1', '--isolation', 'none');
    const told = events.flatMap((event) => {
      if (event.type === 'asked') return [`asked ${event.question.id}`];
      return event.type === 'started' || event.type === 'finished' ? [`${event.type} ${event.task.id}`] : [];
    });
    expect(told).toEqual([
      'started 01-01:1',
      'finished 01-01:1',
      'started 01-01:2',
      'finished 01-01:2',
      'asked 01-01:3',
    ]);
    // The end of the first and the beginning of the second were written together.
    expect(site.journal.map(({ type, task }) => `${type} ${task}`)).toEqual([
      'started 01-01:1',
      'ended 01-01:1',
      'started 01-01:2',
      'ended 01-01:2',
    ]);
  });

  test('waves, phases, depends_on and parallel, all in one project', async () => {
    // Who is alone in its time waits for nobody; who is not waits for the others of its group to have begun.
    const meet = (ids: string, count: number) =>
      `case "$TEDDY_TASK_ID" in ${ids}) n=0; until [ "$(grep -c "^+\\(${ids.replaceAll('|', '\\|')}\\)" "$SITE/times")" -ge ${count} ] || [ $n -gt 200 ]; do sleep 0.05; n=$((n+1)); done;; esac`;
    const site = new Site(
      {
        // Wave 1: two plans side by side, the first with parallel tasks.
        '01-01': planText('01-01', 2, ['wave: 1', 'parallel: true']),
        '01-02': planText('01-02', [{}, { dependsOn: '1' }, { dependsOn: '1' }], ['wave: 1']),
        // Wave 2, and in it one that needs the other.
        '01-03': planText('01-03', 1, ['wave: 2', 'depends_on: [01-04]']),
        '01-04': planText('01-04', 1, ['wave: 2']),
        // The next phase, whatever its wave is.
        '02-01': planText('02-01', 1, ['wave: 1']),
      },
      {
        executor: `echo "+$TEDDY_TASK_ID" >> "$SITE/times"
${meet('01-01:1|01-01:2|01-02:1', 3)}
${meet('01-02:2|01-02:3', 2)}
make
echo "-$TEDDY_TASK_ID" >> "$SITE/times"
claim`,
      },
    );
    const { exit, summary } = await site.conduct('--jobs', '4', '--isolation', 'none');
    expect({ exit, done: summary.done }).toEqual({ exit: 0, done: 8 });
    const pairs = togetherIn(site);
    // Each of these waited for the other, so that it was there at the same time.
    expect(pairs).toEqual(
      expect.arrayContaining(['01-01:1 01-01:2', '01-01:1 01-02:1', '01-01:2 01-02:1', '01-02:2 01-02:3']),
    );
    // Nothing else may be, but for parts of the same wave.
    const wave1 = (id: string) => id.startsWith('01-01') || id.startsWith('01-02');
    expect(pairs.filter((pair) => !pair.split(' ').every(wave1))).toEqual([]);
    expect(begun(site).slice(-3)).toEqual(['01-04:1', '01-03:1', '02-01:1']);
  });

  test('plans of one wave that write the same file are never at work together', async () => {
    const shared = [{ files: 'shared.txt', verify: 'test -s shared.txt' }];
    const site = new Site(
      {
        '01-01': planText('01-01', shared, ['wave: 1']),
        '01-02': planText('01-02', shared, ['wave: 1']),
        '01-03': planText('01-03', shared, ['wave: 1']),
        '01-04': planText('01-04', 1, ['wave: 1']),
      },
      {
        executor: `echo "+$TEDDY_TASK_ID" >> "$SITE/times"
sleep 0.3
make; echo "$TEDDY_TASK_ID" >> shared.txt
echo "-$TEDDY_TASK_ID" >> "$SITE/times"
FILES=shared.txt claim`,
      },
    );
    const { exit } = await site.conduct('--jobs', '4', '--isolation', 'none');
    expect(exit).toBe(0);
    const writers = /01-0[123]:1 01-0[123]:1/;
    expect(togetherIn(site).filter((pair) => writers.test(pair))).toEqual([]);
    expect(
      lines(site.read('shared.txt'))
        .filter((id) => id !== '01-04:1')
        .sort(),
    ).toEqual(['01-01:1', '01-02:1', '01-03:1']);
  });

  test('what is not begun after a skip or an abort is what was said, later phases included', async () => {
    const site = new Site({
      '01-01': planText('01-01', 2),
      '01-02': planText('01-02', 2),
      '02-01': planText('02-01', 1),
    });
    /** What it names, in all. */
    const resolve = async (id: string, answer: string) => {
      const { stdout } = await site.run(['task', 'resolve', id, answer, '--json']);
      const { blocks, heldUp } = JSON.parse(stdout) as Record<string, string[]>;
      return { blocks, heldUp };
    };
    expect((await site.resolve('01-01:1', 'skip')).stdout).toContain(
      'skipped. 01-01:2 depends on it and cannot start. teddy orchestrate does not start 02-01:1 either, because its phase comes later.',
    );
    expect(await resolve('01-02:1', 'abort')).toEqual({
      blocks: ['01-02:2'],
      heldUp: ['02-01:1'],
    });
    const first = await site.conduct();
    expect(begun(site)).toEqual([]);
    expect(first.summary.open.map(({ task }) => task.id)).toEqual(['01-01:2', '01-02:2', '02-01:1']);

    // Nothing is left to do of what was skipped and has nothing behind it.
    expect(await resolve('01-02:1', 'retry')).toEqual({ blocks: ['01-02:2'], heldUp: [] });
    expect(await resolve('01-01:2', 'skip')).toEqual({ blocks: [], heldUp: [] });
    const second = await site.conduct();
    expect(begun(site)).toEqual(['01-02:1', '01-02:2', '02-01:1']);
    expect(second.summary).toMatchObject({ skipped: 2, failed: 0, open: [] });
  });

  test('only the plans that are named, and what they need has to be done before', async () => {
    const site = new Site({ '01-01': planText('01-01', 1), '01-02': planText('01-02', 1) });
    expect((await site.orchestrate('01-02')).exit).toBe(0);
    expect(begun(site)).toEqual(['01-02:1']);
    expect((await site.orchestrate()).exit).toBe(0);
    expect(begun(site)).toEqual(['01-02:1', '01-01:1']);
    const again = await site.orchestrate();
    expect(again).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('Finished: 2 tasks done, 2 of them before this run.'),
    });
    expect(site.tally).toHaveLength(2);
  });
});

describe('--dry-run', () => {
  test('changes nothing at all, and lists what would be approved', async () => {
    const site = new Site({ '01-01': planText('01-01', 2) }, { git: true });
    const before = [site.tree(), site.git('status', '--porcelain'), site.leftovers()];
    const text = await site.orchestrate('--dry-run', '--jobs', '2');
    expect(text.exit).toBe(0);
    expect(text.stdout).toContain('│ test -s made-01-01-1.txt');
    expect(text.stdout).toContain('│ test -s made-01-01-2.txt');
    expect(text.stdout).toContain(
      'Executor worker, up to 2 tasks at once, each attempt in its own git worktree.',
    );
    const { stdout } = await site.run(['orchestrate', '--dry-run', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      executor: 'worker',
      jobs: 1,
      isolation: 'none',
      commands: [
        { command: 'test -s made-01-01-1.txt', tasks: ['01-01:1'] },
        { command: 'test -s made-01-01-2.txt', tasks: ['01-01:2'] },
      ],
      plans: [{ id: '01-01', tasks: [{ status: 'ready' }, { status: 'waiting', waitsOn: ['01-01:1'] }] }],
    });
    expect([site.tree(), site.git('status', '--porcelain'), site.leftovers()]).toEqual(before);
    expect(site.tally).toEqual([]);
  });
});

describe('what cannot be put in an order', () => {
  test.each([
    [
      'a circle of plans',
      {
        '01-01': planText('01-01', 1, ['depends_on: [01-02]']),
        '01-02': planText('01-02', 1, ['depends_on: [01-01]']),
      },
      ['01-01 → 01-02 → 01-01', '.planning/01-01-PLAN.md'],
    ],
    [
      'a circle of tasks',
      { '01-01': planText('01-01', [{ dependsOn: '2' }, { dependsOn: '1' }]) },
      ['01-01:1 → 01-01:2 → 01-01:1', '.planning/01-01-PLAN.md'],
    ],
    [
      'an unknown plan',
      { '01-01': planText('01-01', 1, ['depends_on: [09-09]']) },
      ['01-01 → 09-09', '.planning/01-01-PLAN.md:'],
    ],
    [
      'an unknown task',
      { '01-01': planText('01-01', [{ dependsOn: '7' }]) },
      ['7', '.planning/01-01-PLAN.md:'],
    ],
    [
      'a plan that needs itself',
      { '01-01': planText('01-01', 1, ['depends_on: [01-01]']) },
      ['01-01 → 01-01', '.planning/01-01-PLAN.md:'],
    ],
    [
      'a task that needs itself',
      { '01-01': planText('01-01', [{ dependsOn: '1' }]) },
      ['01-01:1 → 01-01:1', '.planning/01-01-PLAN.md:'],
    ],
  ])('%s is exit 2, names the way, and begins nothing', async (_, plans, said) => {
    const site = new Site(plans as Record<string, string>);
    const { exit, stderr } = await site.orchestrate();
    expect(exit).toBe(2);
    for (const part of said as string[]) expect(stderr).toContain(part);
    expect(site.tally).toEqual([]);
    expect(site.has('.ultraplan')).toBe(false);
  });

  test('a plan that is not there, an executor that is not there, and numbers that are none: exit 2', async () => {
    const site = new Site({ '01-01': planText('01-01', 1) });
    for (const [words, said] of [
      [['07-07'], '07-07'],
      [['--executor', 'nobody'], 'Unknown executor "nobody"'],
      [['--jobs', '0'], 'jobs'],
      [['--isolation', 'worktree'], 'Worktrees cannot be used here'],
    ] as const) {
      const { exit, stderr } = await site.orchestrate(...words);
      expect({ words, exit }).toEqual({ words, exit: 2 });
      expect(stderr).toContain(said);
    }
    expect(site.tally).toEqual([]);
  });
});
