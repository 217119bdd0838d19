import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY } from '../teddy.js';
import { CLAUDE, madeBy, planText, Site } from './site.js';

function open(site: Site, ...words: string[]): TestTerminal {
  return openAsking(site, '--yes', ...words);
}

function openAsking(site: Site, ...words: string[]): TestTerminal {
  const { PATH, ...env } = site.env;
  return new TestTerminal([process.execPath, TEDDY, 'orchestrate', ...words, '--trust'], {
    cwd: site.root,
    env: { ...env, PATH: PATH! },
    columns: 100,
    rows: 40,
  });
}

/** That there is a question about this task, with the keys below it. */
const asks = (id: string, key: string) => new RegExp(`── Your answer is needed ─+\\s+${id} [^]*${key}`);

describe.skipIf(noPython)(`before it starts${noPython}`, () => {
  test('a checkpoint is not called a task of the executor', async () => {
    const checkpoint = { type: 'checkpoint:human-verify', verify: null };
    const terminal = openAsking(new Site({ '01-01': planText('01-01', [checkpoint]) }));
    await terminal.shows(/Continue with 1 checkpoint\?.*y continue.*n cancel/s);
    terminal.send('n');
    expect(await terminal.ended).toMatchObject({ exit: 2 });
  });

  const START =
    /These 2 verify commands will run without asking again:.*Start 2 tasks with the executor worker\?.*y start/s;

  test('it shows the executor and the verify commands, and starts with y', async () => {
    const site = new Site({ '01-01': planText('01-01', 2) });
    const terminal = openAsking(site);
    await terminal.shows(START);
    expect(site.tally).toEqual([]);
    terminal.send('y');
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    expect(terminal.text().match(/These 2 verify commands/g)).toHaveLength(1);
    expect(terminal.text()).not.toContain('y start');
    expect(site.marks('01-01')).toEqual(['completed', 'completed']);

    const again = openAsking(site);
    expect(await again.ended).toMatchObject({ exit: 0 });
    expect(again.text()).toContain('Finished: 2 tasks done, 2 of them before this run.');
    expect(again.text()).not.toContain('Start 0 tasks');
  });

  test.each([
    ['n', 2],
    ['\u0003', 130],
  ])('%j starts nothing', async (key, exit) => {
    const site = new Site({ '01-01': planText('01-01', 2) });
    const terminal = openAsking(site);
    await terminal.shows(START);
    terminal.send(key);
    expect(await terminal.ended).toMatchObject({ exit });
    expect(site.tally).toEqual([]);
    expect(site.has('.ultraplan/state/journal.jsonl')).toBe(false);
  });

  test('without a terminal it needs --yes', async () => {
    const site = new Site({ '01-01': planText('01-01', 2) });
    const { exit, stderr } = await site.run(['orchestrate']);
    expect(exit).toBe(2);
    expect(stderr).toContain(
      'Approval needed to start, but there is no terminal. Check what would run with --dry-run, then use --yes.',
    );
    expect(site.tally).toEqual([]);
  });
});

test.skipIf(noPython)(
  `the first Ctrl-C waits for running tasks, the second ends them${noPython}`,
  async () => {
    const site = new Site(
      { '01-01': planText('01-01', 2) },
      { executor: 'echo x > "$SITE/waits"; sleep 60' },
    );
    const terminal = open(site);
    await terminal.until(() => site.note('waits') !== '', 'the first task is running');
    terminal.send('\u0003');
    await terminal.shows('Stopping: waiting for 1 running task. Press Ctrl-C again to end it.');
    await terminal.shows(/0 of 2 done {2}stopping/);
    await sleep(100);
    terminal.send('\u0003');
    expect(await terminal.ended).toMatchObject({ exit: 130 });
    expect(terminal.text()).toContain('Ending 1 running task. It does not count as failed.');
    site.behave('make; claim');
    expect((await site.orchestrate()).exit).toBe(0);
  },
);

test.skipIf(noPython)(
  `o and d show the output and the changes of the selected task while it runs${noPython}`,
  async () => {
    const site = new Site(
      { '01-01': planText('01-01', 2, ['parallel: true']) },
      {
        git: true,
        executor:
          'echo "start of $TEDDY_TASK_ID"; make; while [ ! -f "$SITE/go" ]; do sleep 0.1; done; echo "end of $TEDDY_TASK_ID"; touch "$SITE/said-$TEDDY_TASK_ID"; while [ ! -f "$SITE/end" ]; do sleep 0.1; done; claim',
      },
    );
    const terminal = open(site, '--jobs', '2', '--isolation', 'worktree');
    await terminal.shows(/start of 01-01:1.*start of 01-01:2.*o output/s);
    terminal.send('j');
    await terminal.shows('▸>01-01:1');
    terminal.send('\u001b[B');
    await terminal.shows('▸>01-01:2');
    terminal.send('o');
    await terminal.shows(/Output of 01-01:2\n.*│ start of 01-01:2/s);
    expect(terminal.text()).not.toContain('end of');
    site.leave('go');
    await terminal.shows('│ end of 01-01:2');
    terminal.send('q');
    await terminal.shows('▸>01-01:2');
    terminal.send('d');
    await terminal.shows(/Changes of 01-01:2\n.*CREATE made-01-01-2\.txt\n.*\+01-01:2/s);
    expect(terminal.text()).not.toContain('made-01-01-1.txt');
    terminal.send('q');
    site.leave('end');
    expect(await terminal.ended).toMatchObject({ exit: 0 });
  },
);

test.skipIf(noPython)(
  `a question shows the changes of its attempt, and its output with o${noPython}`,
  async () => {
    const site = new Site(
      { '01-01': planText('01-01', 1) },
      { git: true, executor: 'make; echo said this; echo Killed >&2; exit 9' },
    );
    const terminal = open(site, '--jobs', '2', '--isolation', 'worktree', '--max-attempts', '1');
    await terminal.shows(
      /It exited with 9 without a result\. Its last error output:\s+Killed.*\+01-01:1.*o output/s,
    );
    await terminal.press('o', /Output of 01-01:1\n.*│ said this/s);
    terminal.send('q');
    await terminal.shows(asks('01-01:1', 'c changes'));
    await terminal.press('c', /Changes of 01-01:1\n.*\+\+\+ b\/made-01-01-1\.txt/s);
    terminal.send('q');
    await terminal.shows(asks('01-01:1', 's skip'));
    await terminal.press('s', /skipped/);
    expect(await terminal.ended).toMatchObject({ exit: 1 });
  },
);

describe.skipIf(noPython)(`a budget that is used up${noPython}`, () => {
  const USED = /The budget of \$0\.500 is used up \(\$0\.800 spent\)\..*c continue with a higher budget/s;

  function openWithBudget(): { site: Site; terminal: TestTerminal } {
    const site = new Site({ '01-01': planText('01-01', 4) });
    site.program('claude', CLAUDE);
    return { site, terminal: open(site, '--executor', 'claude', '--budget', '0.5') };
  }

  test('asks, and continues with a higher one', async () => {
    const { site, terminal } = openWithBudget();
    await terminal.shows(USED);
    expect(site.tally).toHaveLength(2);
    terminal.send('c');
    await terminal.shows('New budget in US dollars, more than 0.800');
    terminal.send('0.5\r');
    await terminal.shows('Enter an amount above $0.800, such as 2.');
    terminal.send('c');
    await terminal.shows('│ 0.5');
    terminal.send('\u007f\u007f\u007f5\r');
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    expect(site.tally).toHaveLength(4);
  });

  test('stops, and the next start continues', async () => {
    const { site, terminal } = openWithBudget();
    await terminal.shows(USED);
    terminal.send('s');
    expect(await terminal.ended).toMatchObject({ exit: 1 });
    expect(terminal.text()).toContain('The budget is used up.');
    expect((await site.orchestrate('--executor', 'claude')).exit).toBe(0);
    expect(site.tally).toHaveLength(4);
  });
});

describe.skipIf(noPython)(`a person at the terminal${noPython}`, () => {
  test('answers what is asked, and it goes on to the end', async () => {
    const site = new Site(
      { '01-01': planText('01-01', 2) },
      { executor: '[ $TEDDY_ATTEMPT -gt 1 ] && { make; claim; } || fail "no brush"' },
    );
    const terminal = open(site, '--max-attempts', '1');
    for (const id of ['01-01:1', '01-01:2']) {
      await terminal.shows(asks(id, 'r retry'));
      terminal.send('r');
    }
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    expect(site.marks('01-01')).toEqual(['completed', 'completed']);
  });

  test('a word that something is done, and is not, is asked about again', async () => {
    const site = new Site({
      '01-01': planText('01-01', [{ type: 'checkpoint:human-action', verify: 'test -s by-hand.txt' }]),
    });
    const terminal = open(site);
    await terminal.shows(asks('01-01:1', 'd done'));
    terminal.send('d');
    await terminal.until(() => site.marks('01-01')[0] === 'failed', 'that its verification failed');
    site.write('by-hand.txt', 'x\n');
    // What is asked is on the screen again, and can be answered again.
    await terminal.shows(asks('01-01:1', 'd done'));
    terminal.send('d');
    await terminal.until(() => site.marks('01-01')[0] === 'completed', 'that it is done');
    expect(await terminal.ended).toMatchObject({ exit: 0 });
  });

  test('a checkpoint sends its task back with feedback, and is asked again', async () => {
    const site = new Site(
      {
        '01-01': planText('01-01', [{}, { type: 'checkpoint:human-verify', verify: null }]),
      },
      { git: true },
    );
    const terminal = open(site, '--jobs', '2', '--isolation', 'worktree');
    await terminal.shows(asks('01-01:2', 'b send back'));
    terminal.send('b');
    await terminal.shows('What must change (01-01:2)');
    terminal.send('make it blue\r');
    await terminal.until(() => site.tally.length === 2, 'that it is tried again');
    await terminal.shows(/1 of 2 done.*Your answer is needed.*01-01:2 .*d done/s);
    expect(site.tally).toEqual(['01-01:1 1', '01-01:1 2']);
    expect(site.promptOf('01-01:1', 2)).toMatch(/^# Instruction from the user\n[^#]*make it blue/);
    terminal.send('d');
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    expect(terminal.text()).toContain('Finished: 2 tasks done.');
    expect(site.marks('01-01')).toEqual(['completed', 'completed']);
  });

  test('a checkpoint of two tasks does not offer to send one back; a script is told how', async () => {
    const checkpoint = { type: 'checkpoint:human-verify', verify: null, dependsOn: '1, 2' };
    const site = new Site({ '01-01': planText('01-01', [{}, {}, checkpoint]) });
    const terminal = open(site);
    await terminal.shows(asks('01-01:3', 'd done'));
    expect(terminal.text()).not.toContain('b send back');
    const refused = await site.resolve('01-01:3', 'back: make it blue');
    expect(refused.stderr).toContain(
      '01-01:3 was not changed: it depends on 01-01:1, 01-01:2. Send the one that must change back: teddy task resolve 01-01:1 "back: …"',
    );
    expect(refused.exit).toBe(2);
    terminal.send('\u001b');
    expect(await terminal.ended).toMatchObject({ exit: 1 });
    expect(terminal.text()).toContain('teddy task resolve 01-01:3 done   (or skip, abort)');
  });

  test('the text of a checkpoint is wrapped between words', async () => {
    const action = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ');
    const checkpoint = { type: 'checkpoint:human-verify', verify: null, action };
    const terminal = open(new Site({ '01-01': planText('01-01', [checkpoint]) }));
    await terminal.shows(asks('01-01:1', 'd done'));
    const shown = terminal.text().match(/\bword\d+/g) ?? [];
    expect(shown.length).toBeGreaterThan(20);
    const rows = terminal.rows().filter((row) => /word\d/.test(row));
    expect(rows.length).toBeGreaterThan(2);
    for (const row of rows) expect(row).toMatch(/^\W*(?:<action>)?word\d+(?: word\d+)*\W*(?:\/action>)?$/);
    terminal.send('d');
    expect(await terminal.ended).toMatchObject({ exit: 0 });
  });

  test('answered from elsewhere, the question goes away', async () => {
    const site = new Site({ '01-01': planText('01-01', 1) }, { executor: 'blocked "no paint"' });
    const terminal = open(site);
    await terminal.shows('no paint');
    site.behave('make; claim');
    expect((await site.resolve('01-01:1', 'retry')).exit).toBe(0);
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    expect(site.has(madeBy('01-01:1'))).toBe(true);
  });
});

test.skipIf(noPython)('with --landing review, y on the board lands the attempt that was shown', async () => {
  const site = new Site({ '01-01': planText('01-01', 1) }, { git: true });
  const terminal = open(site, '--landing', 'review');
  await terminal.shows(asks('01-01:1', 'y land it'));
  expect(terminal.text()).not.toMatch(/change [0-9a-f]{16}|Changes of the last attempt/);
  terminal.send('y');
  expect(await terminal.ended).toMatchObject({ exit: 0 });
  expect(site.tally).toEqual(['01-01:1 1']);
  expect(site.marks('01-01')).toEqual(['completed']);
  expect(terminal.history().match(/01-01:1 {2}answered: land/g)).toHaveLength(1);
});
