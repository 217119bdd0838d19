import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { noPython } from '../pty/terminal.js';
import { buildFixture, CHAT, COMMAND, FILE, plan, question, READY, startReview } from './review.js';

describe.skipIf(noPython)(`the keys of a review${noPython}`, () => {
  buildFixture();

  test('y approves what was shown, and nothing is left that keeps the program', async () => {
    const { terminal, answers } = startReview({ steps: [{ ask: question(COMMAND) }] });
    await terminal.shows(READY);
    terminal.send('y');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(answers()).toEqual([{ decision: 'approve', by: 'person', hash: 'h1' }]);
  });

  test('n asks for a reason: several lines, backspace, letters beyond ASCII', async () => {
    const { terminal, answers, drafts } = startReview({ steps: [{ ask: question(COMMAND) }] });
    await terminal.shows(READY);
    terminal.send('n');
    await terminal.shows('Why skip it?');
    terminal.send('Zuerst die Prüfung 日本x');
    terminal.send('\u007f');
    terminal.send('\n');
    terminal.send('dann die Tests');
    await terminal.shows('dann die Tests');
    terminal.send('\r');
    await terminal.ended;
    const reason = 'Zuerst die Prüfung 日本\ndann die Tests';
    expect(answers()).toEqual([{ decision: 'skip', by: 'person', reason }]);
    expect(drafts('reason-1.md')).toBe(`${reason}\n`);
  });

  test('a reason may be left out, and edited with the cursor', async () => {
    const { terminal, answers } = startReview({
      steps: [{ ask: question(COMMAND) }, { ask: question(FILE, { number: 2 }) }],
    });
    await terminal.shows(READY);
    terminal.send('n');
    await terminal.shows('Why skip it?');
    terminal.send('\r');
    await terminal.shows(/2 of 3.*n skip/s);
    terminal.send('n');
    await terminal.shows('Why skip it?');
    for (const keys of [
      'two three',
      '\u001b[H',
      'one ',
      '\u001b[F',
      ' four five',
      '\u0017',
      '\u0015',
      '6',
      '\u001b[D',
      '5',
      '\u001b[3~',
      '5',
    ])
      terminal.send(keys);
    await terminal.shows('│ 55');
    terminal.send('\r');
    await terminal.ended;
    expect(answers().map((answer) => 'reason' in answer && answer.reason)).toEqual([null, '55']);
  });

  test('Esc leads from the reason back to the question, and what was typed is not lost', async () => {
    const { terminal, answers } = startReview({ steps: [{ ask: question(COMMAND) }] });
    await terminal.shows(READY);
    terminal.send('n');
    await terminal.shows('Why skip it?');
    terminal.send('because');
    await terminal.shows('because');
    terminal.send('\u001b');
    await terminal.shows(READY);
    await terminal.showsNoMore('because');
    terminal.send('n');
    await terminal.shows('│ because');
    terminal.send('\r');
    await terminal.ended;
    expect(answers()).toEqual([{ decision: 'skip', by: 'person', reason: 'because' }]);
  });

  test.each([
    ['another letter', 'x', 'x is not one of the keys: y, n, e'],
    ['a capital', 'Y', 'Y is not one of the keys'],
    ['an arrow', '\u001b[A', 'That is not one of the keys'],
    ['Enter', '\r', 'That is not one of the keys'],
    ['Ctrl-D', '\u0004', 'Ctrl-D does nothing here'],
    ['a letter of another alphabet', 'у', 'у is not one of the keys'],
  ])('%s gets a hint and answers nothing', async (_, typed, hint) => {
    const { terminal, answers } = startReview({ steps: [{ ask: question(COMMAND) }] });
    await terminal.shows(READY);
    terminal.send(typed);
    await terminal.shows(hint);
    expect(terminal.text()).toMatch(READY);
    expect(answers()).toEqual([]);
    terminal.send('y');
    await terminal.ended;
  });

  test('? explains the keys, r shows the rationale', async () => {
    const { terminal } = startReview(
      {
        overview: { plan: plan([COMMAND]), issues: [], previews: [] },
        steps: [{ ask: question(COMMAND) }],
      },
      { rows: 40 },
    );
    await terminal.shows(READY);
    terminal.send('?');
    await terminal.shows('Approve: it runs at once');
    terminal.send('q');
    await terminal.shows(READY);
    terminal.send('r');
    await terminal.shows('Nobody says hello.');
    terminal.send('q');
    await terminal.shows(READY);
    terminal.send('y');
    await terminal.ended;
  });

  test('q quits, with a reason; nothing is asked any more', async () => {
    const { terminal, answers } = startReview({
      steps: [{ ask: question(COMMAND) }, { ask: question(FILE, { number: 2 }) }],
    });
    await terminal.shows(READY);
    terminal.send('q');
    await terminal.shows('Why quit?');
    terminal.send('wrong branch\r');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    const quit = { decision: 'quit', reason: 'wrong branch' };
    expect(answers()).toEqual([quit, quit]);
  });

  test.each(['at the question', 'in a reason', 'in the pager'])('Ctrl-C %s quits', async (where) => {
    const { terminal, answers } = startReview({ steps: [{ ask: question(COMMAND) }] });
    await terminal.shows(READY);
    if (where === 'in a reason') {
      terminal.send('n');
      await terminal.shows('Why skip it?');
      terminal.send('half a rea');
      await terminal.shows('half a rea');
    }
    if (where === 'in the pager') {
      terminal.send('v');
      await terminal.shows('q: back');
    }
    terminal.send('\u0003');
    expect(await terminal.ended).toEqual({ exit: 130, signal: null });
    expect(answers()).toEqual([{ decision: 'quit', reason: null }]);
  });

  test('a lists the rest and asks once more; messages are still asked', async () => {
    const actions = [COMMAND, { ...FILE, overwrite: true }, CHAT];
    const overview = { plan: plan(actions), issues: [], previews: [] };
    const ask = actions.map((action, at) => ({
      ask: question(action, { number: at + 1, hash: `h${at + 1}` }),
    }));
    const { terminal, answers } = startReview({ overview, steps: ask }, { rows: 50 });
    await terminal.shows(READY);
    terminal.send('a');
    await terminal.shows('approve all 3');
    expect(terminal.text()).toContain('1 EXECUTE npm ci (1 more line)');
    expect(terminal.text()).toContain('2 CREATE src/hello.ts ⚠ Overwrite: the agent asks to replace');
    expect(terminal.text()).toMatch(/3 CHAT_WITH_USER .*\(you will still be asked\)/);
    expect(terminal.text()).toContain('The run stops when one of them fails.');
    terminal.send('n');
    await terminal.shows(READY);
    terminal.send('a');
    await terminal.shows('approve all 3');
    terminal.send('y');
    await terminal.shows('Your reply');
    expect(answers()).toEqual([
      { decision: 'approve', by: 'rest', hash: 'h1' },
      { decision: 'settled', answer: { decision: 'approve', by: 'rest', hash: 'h2' } },
    ]);
    terminal.send('\u001b');
    await terminal.shows('Enter reply');
    terminal.send('n');
    await terminal.shows('Why skip it?');
    terminal.send('\r');
    await terminal.ended;
  });

  test('an action that is not the one listed is asked about, rest or no rest', async () => {
    const overview = { plan: plan([COMMAND, FILE]), issues: [], previews: [] };
    const other = { ...FILE, content: 'something else\n' };
    const { terminal, answers } = startReview(
      { overview, steps: [{ ask: question(COMMAND) }, { ask: question(other, { number: 2, hash: 'h2' }) }] },
      { rows: 50 },
    );
    await terminal.shows(READY);
    terminal.send('a');
    await terminal.shows('approve all 2');
    terminal.send('y');
    await terminal.shows('something else');
    await terminal.shows(READY);
    expect(answers()).toHaveLength(1);
    terminal.send('y');
    await terminal.ended;
    expect(answers()[1]).toEqual({ decision: 'approve', by: 'person', hash: 'h2' });
  });

  test('changes of state are decided too', async () => {
    const memos = {
      kind: 'state' as const,
      section: 'Memos' as const,
      changes: '[+] One. # why\n[-] Two.\n',
      hash: 'm',
    };
    const { terminal, answers } = startReview({ steps: [{ ask: memos }] });
    await terminal.shows(READY);
    expect(terminal.text()).toContain('│ [+] One. # why');
    expect(terminal.text()).toContain('│ [-] Two.');
    expect(terminal.text()).not.toContain('e edit');
    terminal.send('y');
    await terminal.ended;
    expect(answers()).toEqual([{ decision: 'approve', by: 'person', hash: 'm' }]);
  });

  test('standard input may be a pipe', async () => {
    const { terminal, answers } = startReview(
      { steps: [{ ask: question(COMMAND) }] },
      { shell: (program) => `echo plan | ${program} > out; cat out` },
    );
    await terminal.shows(READY);
    terminal.send('y');
    await terminal.ended;
    expect(answers()).toHaveLength(1);
  });

  test('without a controlling terminal there is no review', async () => {
    const { terminal, folder } = startReview(
      { steps: [{ ask: question(COMMAND) }] },
      {
        shell: (program) =>
          `python3 -c 'import os, sys; os.setsid() if os.fork() == 0 else sys.exit(os.wait()[1] >> 8); os.execvp(sys.argv[1], sys.argv[1:])' ${program}`,
      },
    );
    await terminal.ended;
    expect(existsSync(join(folder, 'no-terminal'))).toBe(true);
  });
});
