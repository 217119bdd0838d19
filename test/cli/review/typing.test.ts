import { describe, expect, test } from 'vitest';
import { noPython } from '../pty/terminal.js';
import { buildFixture, COMMAND, FILE, question, READY, startReview } from './review.js';

describe.skipIf(noPython)(`typing ahead and pasting in a review${noPython}`, () => {
  buildFixture();

  test.each([
    ['marked by the terminal', '\u001b[200~one\r\ntwo\nthree\u001b[201~'],
    ['not marked', 'one\rtwo\rthree'],
  ])('a pasted reason of several lines, %s, is one reason', async (_, pasted) => {
    const { terminal, answers } = startReview({ steps: [{ ask: question(COMMAND) }] });
    await terminal.shows(READY);
    terminal.send('n');
    await terminal.shows('Why skip it?');
    terminal.send(pasted);
    await terminal.shows('three');
    terminal.send('\r');
    await terminal.ended;
    expect(answers()).toEqual([{ decision: 'skip', by: 'person', reason: 'one\ntwo\nthree' }]);
  });

  test('what was typed before the question is shown answers nothing', async () => {
    const { terminal, answers } = startReview({
      steps: [
        { pauseMs: 800 },
        { ask: question(COMMAND) },
        { pauseMs: 400 },
        { ask: question(FILE, { number: 2 }) },
      ],
    });
    terminal.send('yyyy\ry');
    await terminal.shows(READY);
    expect(answers()).toEqual([]);
    terminal.send('y');
    await terminal.until(() => answers().length === 1, 'the first answer');
    terminal.send('y');
    terminal.send('y');
    await terminal.shows(/2 of 3.*n skip/s);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(answers()).toHaveLength(1);
    terminal.send('n');
    await terminal.shows('Why skip it?');
    terminal.send('\r');
    await terminal.ended;
    expect(answers()).toHaveLength(2);
  });

  test.each([
    ['several keys at once', 'yy'],
    ['a paste', '\u001b[200~y\u001b[201~'],
    ['a pasted line', 'yes please\r'],
  ])('%s are no answer', async (_, typed) => {
    const { terminal, answers } = startReview({ steps: [{ ask: question(COMMAND) }] });
    await terminal.shows(READY);
    terminal.send(typed);
    await terminal.shows('Ignored: several keys at once');
    expect(answers()).toEqual([]);
    terminal.send('y');
    await terminal.ended;
    expect(answers()).toHaveLength(1);
  });
});
