import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { noPython } from '../pty/terminal.js';
import { at, buildFixture, finished, overviewOf, questionOf, startBoard, taskName } from './scripted.js';

const BEGAN = {
  event: { at: at(0), type: 'began' as const, run: 'r', overview: overviewOf(), resumed: false },
};
const STARTED = {
  event: {
    at: at(1),
    type: 'started' as const,
    task: taskName('03-01:2'),
    attempt: 1,
    executor: 'claude',
  },
};
/** The prompt is there: a key counts from now on. */
const READY = 'Esc later';

describe.skipIf(noPython)(`a person is asked below the board${noPython}`, () => {
  buildFixture();

  const ask = (...questions: ReturnType<typeof questionOf>[]) =>
    startBoard({ steps: [BEGAN, STARTED, { ask: questions }] });

  test('each key is an answer, one question after another', async () => {
    const { terminal, answers } = ask(
      questionOf('03-01:1', { blocks: ['03-01:2'] }),
      questionOf('03-01:3'),
      questionOf('03-01:4'),
    );
    await terminal.shows(READY);
    const text = terminal.text();
    expect(text.indexOf('▸ 03-01:2')).toBeLessThan(text.indexOf('It failed with all of its 3 attempts.'));
    expect(text).toContain('03-01:2 depends on it and cannot start if you skip it.');
    expect(text).toContain('  │ 1 failed');
    expect(text).toMatch(/r retry .*s skip.*a abort.*f say how to fix it/);
    expect(text).toContain('(2 more after this)');
    terminal.send('r');
    await terminal.shows(/03-01:3 {2}Task 3.*Esc later/s);
    terminal.send('s');
    await terminal.shows(/03-01:4 {2}Task 4.*Esc later/s);
    terminal.send('a');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(answers()).toEqual(['03-01:1 "retry"', '03-01:3 "skip"', '03-01:4 "abort"']);
    expect(terminal.text()).not.toContain('It failed');
  });

  test('only what makes sense is offered, with where to look', async () => {
    const { terminal, answers } = ask(
      questionOf('03-01:1', {
        answers: ['done', 'skip'],
        outputs: ['.ultraplan/state/output/03-01-1.1.txt', '.ultraplan/state/output/03-01-1.2.txt'],
      }),
    );
    await terminal.shows(READY);
    expect(terminal.text()).not.toContain('retry');
    expect(terminal.text()).toContain('All output: .ultraplan/state/output/03-01-1.*.txt');
    terminal.send('r');
    await terminal.shows('r is not one of the keys: d, s, Esc, v.');
    // What is named there is in the row of keys.
    expect(terminal.text()).toMatch(/d I did it myself.*Esc later.*v view all/);
    terminal.send('d');
    await terminal.ended;
    expect(answers()).toEqual(['03-01:1 "done"']);
  });

  test('a fix is typed; left with Esc it is there again, and what is sent is also on disk', async () => {
    const { terminal, answers, folder } = ask(questionOf('03-01:1'));
    await terminal.shows(READY);
    terminal.send('f');
    await terminal.shows('How to fix 03-01:1');
    terminal.send('use the 2nd');
    await terminal.shows('│ use the 2nd');
    terminal.send('\u001b');
    await terminal.shows(READY);
    terminal.send('f');
    await terminal.shows('│ use the 2nd');
    terminal.send(' port\r');
    await terminal.ended;
    expect(answers()).toEqual(['03-01:1 "fix: use the 2nd port"']);
    expect(readFileSync(join(folder, 'fix-03-01-1.md'), 'utf8')).toBe('use the 2nd port\n');
  });

  test('Esc leaves one for later and says what to type', async () => {
    const { terminal, answers } = ask(questionOf('03-01:1'), questionOf('03-01:2'));
    await terminal.shows(READY);
    terminal.send('\u001b');
    await terminal.shows('10:01:00  03-01:1  postponed. To answer: Tab while tasks run,');
    expect(terminal.text().replace(/\s+/g, ' ')).toContain('or teddy task resolve 03-01:1 retry');
    await terminal.shows(/Your answer is needed ─.*03-01:2 {2}Task 2.*Esc later/s);
    terminal.send('r');
    await terminal.ended;
    expect(answers()).toEqual(['03-01:1 null', '03-01:2 "retry"']);
  });

  test('Tab goes through what was left for later, which is not called a question meanwhile', async () => {
    const steps = [
      BEGAN,
      STARTED,
      ...['03-01:1', '03-01:2'].map((id) => ({
        event: { at: at(2), type: 'asked' as const, question: questionOf(id) },
      })),
      { ask: [questionOf('03-01:1'), questionOf('03-01:2')], recalls: true },
    ];
    const { terminal, answers } = startBoard({ steps });
    await terminal.shows(/Your answer is needed \(1 more after this\).*03-01:1 {2}Task 1.*Esc later/s);
    terminal.send('\u001b');
    await terminal.shows(/Your answer is needed ─.*03-01:2 {2}Task 2.*Esc later/s);
    terminal.send('\u001b');
    await terminal.until(
      () => terminal.text().match(/^\? 03-01:\d .* postponed: Tab/gm)?.length === 2,
      'that both are left for later',
    );
    terminal.send('\t');
    await terminal.shows(/Your answer is needed \(1 more after this\).*03-01:1 {2}Task 1.*Esc later/s);
    expect(terminal.text()).not.toContain('postponed: Tab');
    terminal.send('\u001b');
    await terminal.shows(/Your answer is needed ─.*03-01:2 {2}Task 2.*Esc later/s);
    terminal.send('s');
    await terminal.until(() => answers().length === 4, 'that the second is answered');
    terminal.send('n');
    await terminal.shows(/Your answer is needed ─.*03-01:1 {2}Task 1.*Esc later/s);
    terminal.send('r');
    await terminal.ended;
    expect(answers()).toEqual([
      '03-01:1 null',
      '03-01:2 null',
      '03-01:1 null',
      '03-01:2 "skip"',
      '03-01:1 "retry"',
    ]);
  });

  test('that another question has come is said at once', async () => {
    const { terminal, signal } = startBoard({
      steps: [BEGAN, STARTED, { ask: [questionOf('03-01:1')], next: questionOf('03-01:3') }],
    });
    await terminal.shows(/Your answer is needed ─.*Esc later/s);
    signal('next');
    await terminal.shows(/Your answer is needed \(1 more after this\) ─.*03-01:1 {2}Task 1/s);
    terminal.send('r');
    await terminal.shows(/Your answer is needed ─.*03-01:3 {2}Task 3.*Esc later/s);
    terminal.send('r');
    await terminal.ended;
  });

  test('answered elsewhere it goes away, and what was typed is kept', async () => {
    const { terminal, answers, signal, folder } = startBoard({
      steps: [BEGAN, { ask: [questionOf('03-01:1'), questionOf('03-01:2')], withdraws: '03-01:1' }],
    });
    await terminal.shows(READY);
    terminal.send('f');
    await terminal.shows('How to fix 03-01:1');
    terminal.send('half a sent');
    await terminal.shows('│ half a sent');
    signal('withdraw');
    await terminal.shows(/Your answer is needed ─.*03-01:2 {2}Task 2.*Esc later/s);
    expect(terminal.text().replace(/\n/g, ' ')).toContain('Your text for 03-01:1 is saved in');
    expect(readFileSync(join(folder, 'fix-03-01-1.md'), 'utf8')).toBe('half a sent\n');
    terminal.send('s');
    await terminal.ended;
    expect(answers()).toEqual(['03-01:1 null', '03-01:2 "skip"']);
  });

  test('what is long can be paged through, and says how much is unseen if retry approves it', async () => {
    const detail = Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`).join('');
    const { terminal, answers } = ask(questionOf('03-01:1', { detail, why: 'verify-changed' }));
    await terminal.shows(READY);
    expect(terminal.text()).toMatch(/… \d+ more lines; v shows all/);
    expect(terminal.text()).toMatch(/r retry \(\d+ lines unseen\)/);
    expect(terminal.rows()[0]).not.toBe('');
    // However long it is, what runs is to be seen.
    expect(terminal.text()).toContain('▸ 03-01:2');
    terminal.send('v');
    await terminal.shows('q: back');
    terminal.send('G');
    await terminal.shows('│ line 100');
    terminal.send('q');
    await terminal.shows(READY);
    expect(terminal.text()).toContain('0 of 2 done');
    terminal.send('r');
    await terminal.ended;
    expect(answers()).toEqual(['03-01:1 "retry"']);
  });

  test('the board lives on while somebody thinks', async () => {
    const { terminal, answers, signal } = startBoard({
      steps: [BEGAN, STARTED, { ask: [questionOf('03-01:1')], meanwhile: [finished('03-01:2', 46)] }],
    });
    await terminal.shows(READY);
    signal('meanwhile');
    await terminal.shows('10:00:46  03-01:2  done in 45s');
    await terminal.shows('1 of 2 done');
    expect(terminal.text()).toContain('It failed with all of its 3 attempts.');
    terminal.send('r');
    await terminal.ended;
    expect(answers()).toEqual(['03-01:1 "retry"']);
  });

  test('Ctrl-C ends the whole run: nothing that is asked is answered by it', async () => {
    const { terminal, answers } = ask(questionOf('03-01:1'), questionOf('03-01:2'));
    await terminal.shows(READY);
    terminal.send('\u0003');
    expect(await terminal.ended).toEqual({ exit: 130, signal: null });
    expect(answers()).toEqual(['03-01:1 null', '03-01:2 null']);
  });
});
