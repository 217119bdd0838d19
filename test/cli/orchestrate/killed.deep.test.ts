import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { listContent } from '../../folder.js';
import { endOf, until } from '../sessions/site.js';
import { isAlive, lines, planText, readEvents, Site } from './site.js';

/** Task 2 waits until it may go on; its own process and a child of it are noted. */
const WAITS = `case $TEDDY_TASK_INDEX in
  2) if [ ! -f "$SITE/go" ]; then sleep 60 & echo "$$ $!" | tr ' ' '\\n' >> "$SITE/pids"; touch "$SITE/waits"; wait; fi;;
esac
make
claim`;

/** Task 2 finishes once it may. */
const DRAINED = `case $TEDDY_TASK_INDEX in
  2) echo x > "$SITE/waits"; while [ ! -f "$SITE/go" ]; do sleep 0.1; done;;
esac
make
claim`;

/** Everything of a finished project that does not depend on when and how often it was begun. */
function standingOf(site: Site) {
  return {
    marks: site.marks('01-01'),
    ticks: site.plan('01-01').match(/- \[x\]/g)?.length,
    logs: Object.keys(site.logs).sort(),
    tx: listContent(join(site.root, '.teddy/tx')),
    handed: site.has('.ultraplan/state/handed.jsonl'),
  };
}

const DONE = {
  marks: ['completed', 'completed', 'completed'],
  ticks: 3,
  logs: [1, 2, 3].map((task) => `01-01-task-0${task}-success.yaml`),
  tx: [],
  handed: false,
};

async function expectSound(site: Site): Promise<void> {
  expect((await site.run(['logs', 'verify'])).exit).toBe(0);
  expect((await site.run(['metrics', '--rebuild', '--json'])).exit).toBe(0);
}

describe('killed and started again', () => {
  test('a second one is refused; after the death of the first the next goes on', async () => {
    const site = new Site({ '01-01': planText('01-01', 3) }, { executor: WAITS });
    const first = site.start(['orchestrate', '--yes']);
    const ended = endOf(first);
    await until(() => site.note('pids').split('\n').length > 2, 'the second task is under way');
    const second = await site.orchestrate();
    expect(second.exit).toBe(2);
    expect(second.stderr).toContain(`(process ${first.pid}, since `);
    // To look at it is nobody's harm.
    expect((await site.orchestrate('--dry-run')).exit).toBe(0);

    expect((await site.run(['task', 'list'])).stdout).toMatch(/▸ {2}01-01:2 {2}in progress/);

    first.kill('SIGKILL');
    expect(await ended).toMatchObject({ signal: 'SIGKILL' });
    expect((await site.run(['task', 'list'])).stdout).toMatch(
      /! {2}01-01:2 {2}interrupted +Task 2: Part 2 +teddy orchestrate continues it/,
    );
    const { stdout: status } = await site.run([]);
    expect(status).toContain('; interrupted: 01-01:2.');
    expect(status).toMatch(/teddy orchestrate +continue the interrupted run/);
    expect(status).not.toContain('in progress');
    expect((await site.run(['task', 'next'])).stdout).toContain(
      'Interrupted (teddy orchestrate continues):\n  01-01:2  Task 2: Part 2\n',
    );
    expect(JSON.parse((await site.run(['task', 'show', '01-01:2', '--json'])).stdout)).toMatchObject({
      status: 'in_progress',
      interrupted: true,
    });
    site.leave('go');
    const { exit, summary, of } = await site.conduct();
    expect({ exit, done: summary.done }).toEqual({ exit: 0, done: 2 });
    expect(of('began')[0]!.resumed).toBe(true);
    const pids = lines(site.note('pids')).map(Number);
    expect(pids).toHaveLength(2);
    expect(pids.filter(isAlive)).toEqual([]);
    // The first task was finished, and is not done again; what was cut off does not count.
    expect(site.tally).toEqual(['01-01:1 1', '01-01:2 1', '01-01:2 1', '01-01:3 1']);
    expect(
      site.journal.filter(({ task, outcome }) => task === '01-01:2' && outcome).map((line) => line.outcome),
    ).toEqual(['cut-off', 'done']);
    expect(site.promptOf('01-01:2', 1)).not.toContain('Earlier attempts');
    expect(standingOf(site)).toEqual(DONE);
    await expectSound(site);
  });

  test('cut off as often as there are attempts, none is used up', async () => {
    const site = new Site({ '01-01': planText('01-01', 3) }, { executor: 'kill_teddy; sleep 60' });
    for (let round = 1; round <= 3; round++)
      expect(await site.orchestrate('--max-attempts', '2')).toMatchObject({ signal: 'SIGKILL' });
    expect(site.tally).toEqual(['01-01:1 1', '01-01:1 1', '01-01:1 1']);
    site.behave('make; claim');
    expect((await site.orchestrate('--max-attempts', '2')).exit).toBe(0);
    expect(standingOf(site)).toEqual(DONE);
  });

  test.each(['none', 'worktree'])(
    'at chosen moments, with isolation %s: it ends as if nothing had been',
    async (isolation) => {
      const site = new Site(
        {
          '01-01': planText('01-01', [
            {},
            {},
            // Kills once, while it verifies.
            { verify: 'sh checks/kill.sh made-01-01-3.txt' },
          ]),
        },
        {
          git: true,
          files: {
            'checks/kill.sh': `if [ ! -f "$SITE/killed-3" ]; then touch "$SITE/killed-3"
kill -KILL "$(sed -n 's/.*"pid": *\\([0-9]*\\).*/\\1/p' "$ROOT/.ultraplan/state/holder.json")"; sleep 60; fi
test -s "$1"
`,
          },
          executor: `case $TEDDY_TASK_INDEX in
  1) if [ ! -f "$SITE/killed-1" ]; then touch "$SITE/killed-1"; make; kill_teddy; sleep 60; fi; make; claim;;
  2) make; claim; if [ ! -f "$SITE/killed-2" ]; then touch "$SITE/killed-2"; kill_teddy; sleep 60; fi;;
  *) make; claim;;
esac`,
        },
      );
      const words = ['--isolation', isolation];
      for (let round = 1; round <= 3; round++)
        expect(await site.orchestrate(...words)).toMatchObject({ signal: 'SIGKILL' });
      const { exit, summary } = await site.conduct(...words);
      expect({ exit, complete: summary.complete }).toEqual({ exit: 0, complete: true });
      expect(standingOf(site)).toEqual(DONE);
      // What had come back and was being verified is not asked for again.
      expect(site.tally.filter((line) => line.startsWith('01-01:3'))).toEqual(['01-01:3 1']);
      expect(site.tally.filter((line) => line.startsWith('01-01:1'))).toHaveLength(2);
      for (const task of [1, 2, 3]) expect(site.has(`made-01-01-${task}.txt`)).toBe(true);
      expect(site.leftovers()).toEqual({ worktrees: 0, branches: [], folders: [] });
      await expectSound(site);
    },
  );
});

describe('killed after its executor has exited and left a child that holds the output', () => {
  const make = (leave: string, verify: string) =>
    new Site({ '01-01': planText('01-01', [{ verify }]) }, { executor: `${leave} &\nmake\nclaim` });

  test('once its end is stored: it is recorded, not repeated', async () => {
    const site = make('sleep 60', 'sh "$SITE/kill"');
    site.leave(
      'kill',
      `test -f "$SITE/go" && exit
kill -KILL "$(sed -n 's/.*"pid": *\\([0-9]*\\).*/\\1/p' "$ROOT/.ultraplan/state/holder.json")"; sleep 60`,
    );
    expect(await site.orchestrate()).toMatchObject({ signal: 'SIGKILL' });
    expect(Object.keys(site.logs)).toEqual([]);
    site.leave('go');
    expect((await site.orchestrate()).exit).toBe(0);
    expect(site.tally).toEqual(['01-01:1 1']);
    expect(Object.keys(site.logs)).toEqual(['01-01-task-01-success.yaml']);
  });

  test('while it may still print: the attempt is repeated, and its output is kept', async () => {
    const site = make(
      '{ echo $$ > "$SITE/pid"; until test -f "$SITE/go"; do echo "# more"; sleep 0.1; done; }',
      'test -s made-01-01-1.txt',
    );
    const child = site.start(['orchestrate', '--yes']);
    const ended = endOf(child);
    const output = '.ultraplan/state/output/01-01-1.1.txt';
    const printed = () => (site.has(output) ? site.read(output) : '');
    await until(() => /error: null\n(# more\n){3}/.test(printed()), 'the child prints after the result');
    await until(() => !isAlive(Number(site.note('pid'))), 'the executor has exited');
    child.kill('SIGKILL');
    await ended;
    const before = printed();
    site.leave('go');
    expect((await site.orchestrate()).exit).toBe(0);
    expect(site.tally).toEqual(['01-01:1 1', '01-01:1 1']);
    expect(site.journal.flatMap(({ outcome }) => outcome ?? [])).toEqual(['cut-off', 'done']);
    expect(printed().startsWith(before)).toBe(true);
  });
});

test('the first SIGINT, even if it arrives twice at once, drains: running work finishes and counts, nothing new starts, and the next run continues', async () => {
  const site = new Site({ '01-01': planText('01-01', 3) }, { executor: DRAINED, git: true });
  const child = site.start(['orchestrate', '--yes', '--json', '--isolation', 'worktree']);
  const ended = endOf(child);
  await until(() => site.note('waits') !== '', 'the second task is running');
  child.kill('SIGINT');
  // npx passes on the Ctrl-C that the terminal has already sent.
  setTimeout(() => child.kill('SIGINT'), 5);
  let printed = '';
  child.stdout!.on('data', (text) => {
    printed += text;
  });
  await until(() => printed.includes('"stopping"'), 'it waits for the running task');
  site.leave('go');
  const { exit, stdout } = await ended;
  const { summary, of } = readEvents(stdout);
  expect({ exit, stopped: summary.stopped, done: summary.done }).toEqual({
    exit: 130,
    stopped: 'interrupted',
    done: 2,
  });
  expect(of('stopping')).toMatchObject([{ why: 'interrupted', ending: false, tasks: [{ id: '01-01:2' }] }]);
  expect(site.marks('01-01')).toEqual(['completed', 'completed', '-']);
  const next = await site.conduct('--isolation', 'worktree');
  expect(next.exit).toBe(0);
  expect(site.tally).toEqual(['01-01:1 1', '01-01:2 1', '01-01:3 1']);
  expect(standingOf(site)).toEqual(DONE);
});

test('the second SIGINT: exit 130, nothing keeps running or counts, and the next run continues', async () => {
  const site = new Site({ '01-01': planText('01-01', 3) }, { executor: WAITS, git: true });
  const child = site.start(['orchestrate', '--yes', '--json', '--isolation', 'worktree']);
  const ended = endOf(child);
  await until(() => site.note('pids').split('\n').length > 2, 'the second task is under way');
  child.kill('SIGINT');
  let printed = '';
  child.stdout!.on('data', (text) => {
    printed += text;
  });
  await until(() => printed.includes('"stopping"'), 'it waits for the running task');
  await sleep(100);
  child.kill('SIGINT');
  const { exit, stdout } = await ended;
  expect(exit).toBe(130);
  expect(
    readEvents(stdout)
      .of('stopping')
      .map(({ ending }) => ending),
  ).toEqual([false, true]);
  expect(readEvents(stdout).summary).toMatchObject({ stopped: 'interrupted', done: 1, complete: false });
  expect(lines(site.note('pids')).map(Number).filter(isAlive)).toEqual([]);
  expect(site.marks('01-01')).toEqual(['completed', '-', '-']);
  expect(site.leftovers()).toEqual({ worktrees: 0, branches: [], folders: [] });
  expect(site.has('.ultraplan/state/handed.jsonl')).toBe(false);
  site.leave('go');
  const next = await site.conduct('--isolation', 'worktree');
  expect(next.exit).toBe(0);
  expect(next.of('began')[0]!.resumed).toBe(false);
  expect(site.promptOf('01-01:2', 1)).not.toContain('Earlier attempts');
  expect(standingOf(site)).toEqual(DONE);
});

test.each(['SIGTERM', 'SIGKILL'] as const)(
  '%s while a crash is waited out: the next run tries again',
  async (signal) => {
    const site = new Site(
      { '01-01': planText('01-01', 3, ['parallel: true']) },
      {
        // One crashes, one says what cannot be taken, and the third holds the only place that is left.
        executor: `case $TEDDY_TASK_INDEX.$TEDDY_ATTEMPT in
  1.1) exit 1;;
  2.1) echo garbage;;
  *) [ -f "$SITE/go" ] || sleep 60; make; claim;;
esac`,
      },
    );
    const child = site.start(['orchestrate', '--yes', '--jobs', '2', '--isolation', 'none']);
    const ended = endOf(child);
    const journal = '.ultraplan/state/journal.jsonl';
    const failed = () => site.has(journal) && site.read(journal).split('"outcome":"failed"').length === 3;
    await until(failed, 'both have failed');
    child.kill(signal);
    await ended;
    site.leave('go');
    const { exit, summary } = await site.conduct();
    expect({ exit, open: summary.open, done: summary.done }).toEqual({ exit: 0, open: [], done: 3 });
    expect(site.tally).toContain('01-01:1 2');
    expect(site.tally).toContain('01-01:2 2');
  },
);
