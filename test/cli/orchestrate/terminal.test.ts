import { describe, expect, test } from 'vitest';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY } from '../teddy.js';
import { madeBy, planText, Site } from './site.js';

function open(site: Site, ...words: string[]): TestTerminal {
  const { PATH, ...env } = site.env;
  return new TestTerminal([process.execPath, TEDDY, 'orchestrate', ...words, '--trust'], {
    cwd: site.root,
    env: { ...env, PATH: PATH! },
    columns: 100,
    rows: 40,
  });
}

/** That there is a question about this task, with the keys below it. */
const asks = (id: string, key: string) => new RegExp(`── A question ─+\\s+${id} [^]*${key}`);

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
