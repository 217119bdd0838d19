import { describe, expect, test } from 'vitest';
import { noPython } from '../pty/terminal.js';
import { buildFixture, CHAT, question, startReview } from './review.js';

describe.skipIf(noPython)(`replying in a review${noPython}`, () => {
  buildFixture();

  test('a message is rendered; a reply of several lines is sent with Enter', async () => {
    const { terminal, answers, drafts } = startReview({ steps: [{ ask: question(CHAT) }] });
    await terminal.shows('y reply');
    expect(terminal.text()).toContain(
      '  │ Next\n  │\n  │ Shall I really change `README.md`?\n  │\n  │ • yes\n  │ • no\n',
    );
    terminal.send('y');
    await terminal.shows('Your reply');
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

  test('an empty reply asks whether to skip; Esc keeps what was typed', async () => {
    const { terminal, answers } = startReview({
      steps: [{ ask: question(CHAT) }, { ask: question(CHAT, { number: 2 }) }],
    });
    const prompt = (words: string) =>
      terminal.until(() => terminal.rows()[terminal.cursor.row]?.includes(words) === true, words);
    await terminal.shows('y reply');
    terminal.send('y');
    await terminal.shows('Your reply');
    terminal.send('No.');
    await terminal.shows('│ No.');
    terminal.send('\u001b');
    await terminal.shows('y reply');
    terminal.send('y');
    await terminal.shows('│ No.');
    terminal.send('\u0004');
    await terminal.shows(/2 of 3.*y reply/s);
    terminal.send('y');
    await terminal.shows('Your reply');
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
});
