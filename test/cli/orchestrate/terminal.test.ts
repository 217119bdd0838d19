import { describe, expect, test } from 'vitest';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY } from '../teddy.js';
import { madeBy, planText, Site } from './site.js';

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
    terminal.send('\u0003');
    expect(await terminal.ended).toMatchObject({ exit: 130 });
    expect(terminal.text()).toContain('Ending 1 running task. It does not count as failed.');
    site.behave('make; claim');
    expect((await site.orchestrate()).exit).toBe(0);
  },
);

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
