import { describe, expect, test } from 'vitest';
import { noPython } from '../pty/terminal.js';
import { buildFixture, CHAT, COMMAND, question, startReview } from './review.js';

describe.skipIf(noPython)(`replying in a review${noPython}`, () => {
  buildFixture();

  test('a message is rendered; a reply of several lines is sent with Enter', async () => {
    const { terminal, answers, drafts } = startReview({ steps: [{ ask: question(CHAT) }] });
    await terminal.shows('Your reply');
    expect(terminal.text()).toContain(
      '  │ Next\n  │\n  │ Shall I really change `README.md`?\n  │\n  │ • yes\n  │ • no\n',
    );
    expect(terminal.text()).not.toContain('n skip');
    terminal.send('Yes, ');
    terminal.send('please.\n');
    terminal.send('e is a letter here.');
    await terminal.shows('e is a letter here.');
    terminal.send('\r');
    await terminal.ended;
    const reply = 'Yes, please.\ne is a letter here.';
    expect(answers()).toEqual([{ decision: 'approve', by: 'person', hash: 'h1', reply }]);
    expect(drafts('reply-1.md')).toBe(`${reply}\n`);
  });

  test('an empty reply asks whether to skip; Esc leads to the keys and keeps what was typed', async () => {
    const { terminal, answers } = startReview({
      steps: [{ ask: question(CHAT) }, { ask: question(CHAT, { number: 2 }) }],
    });
    const prompt = (words: string) =>
      terminal.until(() => terminal.rows()[terminal.cursor.row]?.includes(words) === true, words);
    await terminal.shows('Your reply');
    terminal.send('No.');
    await terminal.shows('│ No.');
    terminal.send('\u001b');
    await terminal.shows(/Enter reply {2}n skip .*q quit/);
    terminal.send('\r');
    await terminal.shows('│ No.');
    terminal.send('\u0004');
    await terminal.shows(/2 of 3.*Your reply/s);
    terminal.send('\u0004');
    await prompt('n write one');
    terminal.send('n');
    await terminal.shows('Your reply');
    terminal.send('\u0004');
    await prompt('n write one');
    terminal.send('y');
    await terminal.ended;
    expect(answers()).toEqual([
      { decision: 'approve', by: 'person', hash: 'h1', reply: 'No.' },
      { decision: 'skip', by: 'person', reason: null },
    ]);
  });

  test('what was typed before the message appeared is not part of the reply', async () => {
    const { terminal, answers } = startReview({
      steps: [{ ask: question(COMMAND) }, { pauseMs: 1000 }, { ask: question(CHAT, { number: 2 }) }],
    });
    await terminal.shows('n skip');
    terminal.send('y');
    await terminal.showsNoMore('n skip');
    terminal.send('yyy\r');
    await terminal.shows('Your reply');
    terminal.send('Fine.');
    await terminal.shows('│ Fine.');
    terminal.send('\r');
    await terminal.ended;
    expect(answers()[1]).toMatchObject({ decision: 'approve', reply: 'Fine.' });
  });

  test('a message that is higher than the screen is printed whole, and a reply can be typed', async () => {
    const message = `${Array.from({ length: 40 }, (_, at) => `- point ${at + 1}`).join('\n')}\n`;
    const { terminal, answers } = startReview({
      steps: [{ ask: question({ ...CHAT, message } as typeof CHAT) }],
    });
    await terminal.shows('Your reply');
    expect(terminal.history()).toMatch(/point 1\n.*point 40\n/s);
    terminal.send('All of them.');
    await terminal.shows('│ All of them.');
    terminal.send('\r');
    await terminal.ended;
    expect(answers()).toMatchObject([{ reply: 'All of them.' }]);
  });
});
