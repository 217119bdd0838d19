import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { noPython } from '../pty/terminal.js';
import {
  buildFixture,
  COMMAND,
  LONG_FILE,
  programOf,
  question,
  READY,
  startReview,
  writeTools,
} from './review.js';

const MODES = (program: string) => `stty -a > before; ${program}; echo "code $?" > code; stty -a > after`;

describe.skipIf(noPython)(`the terminal after a review${noPython}`, () => {
  buildFixture();

  function read(folder: string, name: string): string {
    return readFileSync(join(folder, name), 'utf8');
  }

  function expectRestored(folder: string, raw: string): void {
    expect(read(folder, 'after')).toBe(read(folder, 'before'));
    expect(raw.lastIndexOf('\u001b[?2004l')).toBeGreaterThan(raw.lastIndexOf('\u001b[?2004h'));
    expect(raw.lastIndexOf('\u001b[?1049l')).toBeGreaterThanOrEqual(raw.lastIndexOf('\u001b[?1049h'));
  }

  test.each([
    ['an answer', ['y'], 'code 0\n'],
    ['a skip', ['n', 'no\r'], 'code 0\n'],
    ['Ctrl-C', ['\u0003'], 'code 130\n'],
    ['Ctrl-C in the pager', ['v', '\u0003'], 'code 130\n'],
    ['an editor that is not there', ['e', '\u0003'], 'code 130\n'],
  ])('is as it was after %s', async (_, keys, code) => {
    const { terminal, folder } = startReview(
      { steps: [{ ask: question(LONG_FILE) }] },
      { shell: MODES, env: { EDITOR: 'no-such-editor' } },
    );
    for (const [at, key] of keys.entries()) {
      if (at === 0) await terminal.shows(READY);
      else await terminal.shows(/Why skip|q: back|was not found[\s\S]*q quit/);
      terminal.send(key);
    }
    await terminal.ended;
    expect(read(folder, 'code')).toBe(code);
    expectRestored(folder, terminal.raw);
  });

  test.each([
    ['SIGTERM', 'at the question', 'code 143\n'],
    ['SIGTERM', 'in the pager', 'code 143\n'],
    ['SIGHUP', 'at the question', 'code 129\n'],
  ] as const)('is as it was after %s %s', async (signal, where, code) => {
    const { terminal, folder, answers } = startReview(
      { steps: [{ ask: question(LONG_FILE) }] },
      { shell: MODES },
    );
    await terminal.shows(READY);
    if (where === 'in the pager') {
      terminal.send('v');
      await terminal.shows('q: back');
    }
    process.kill(Number(read(folder, 'pid')), signal);
    await terminal.ended;
    expect(read(folder, 'code')).toBe(code);
    expect(answers()).toEqual([]);
    expectRestored(folder, terminal.raw);
  });

  test('SIGINT from elsewhere is the same as Ctrl-C', async () => {
    const { terminal, folder } = startReview({ steps: [{ ask: question(COMMAND) }] }, { shell: MODES });
    await terminal.shows(READY);
    process.kill(Number(read(folder, 'pid')), 'SIGINT');
    await terminal.ended;
    expect(read(folder, 'code')).toBe('code 130\n');
    expectRestored(folder, terminal.raw);
  });

  test.each(['at the question', 'in the pager', 'in a reason'])(
    'Ctrl-Z %s gives it back to the shell, and fg goes on',
    async (where) => {
      const { terminal, answers, folder } = startReview(
        { steps: [{ ask: question(LONG_FILE) }] },
        { shell: () => 'exec bash --norc --noprofile -i', env: { HISTFILE: '' } },
      );
      const program = programOf(folder);
      await terminal.shows(/[$#]/);
      terminal.send(`stty -a > before; ${program}\r`);
      await terminal.shows(READY);
      if (where === 'in the pager') {
        terminal.send('v');
        await terminal.shows('q: back');
      }
      if (where === 'in a reason') {
        terminal.send('n');
        await terminal.shows('Why skip it?');
        terminal.send('so far');
        await terminal.shows('so far');
      }
      terminal.send('\u001a');
      await terminal.shows('Stopped');
      terminal.send('stty -a > after; echo sum $((40 + 2))\r');
      await terminal.shows('sum 42');
      expect(read(folder, 'after')).toBe(read(folder, 'before'));
      terminal.send('fg\r');
      if (where === 'in the pager') {
        await terminal.until(() => /of 10004/.test(terminal.rows().at(-1) ?? ''), 'the pager');
        terminal.send('q');
      }
      if (where === 'in a reason') {
        await terminal.until(() => /so far/.test(terminal.rows()[terminal.cursor.row] ?? ''), 'the reason');
        terminal.send('\r');
      } else {
        await terminal.until(() => /n skip/.test(terminal.rows().slice(-4).join('')), 'the question');
        terminal.send('y');
      }
      await terminal.until(() => answers().length === 1, 'the answer');
      terminal.send('stty -a > after; exit\r');
      await terminal.ended;
      expect(read(folder, 'after')).toBe(read(folder, 'before'));
    },
  );

  test('stopped and continued from elsewhere, it goes on', async () => {
    const { terminal, folder, answers } = startReview(
      { steps: [{ ask: question(COMMAND) }] },
      { shell: MODES },
    );
    await terminal.shows(READY);
    const pid = Number(read(folder, 'pid'));
    process.kill(pid, 'SIGSTOP');
    process.kill(pid, 'SIGCONT');
    await terminal.until(() => terminal.raw.split('1 of 3').length === 3, 'the question again');
    await terminal.shows(READY);
    terminal.send('y');
    await terminal.ended;
    expect(answers()).toHaveLength(1);
    expectRestored(folder, terminal.raw);
  });

  test('where nothing can stop it, Ctrl-Z does no harm', async () => {
    const { terminal, answers } = startReview({ steps: [{ ask: question(COMMAND) }] });
    await terminal.shows(READY);
    terminal.send('\u001a');
    await new Promise((resolve) => setTimeout(resolve, 300));
    await terminal.shows(READY);
    terminal.send('y');
    await terminal.ended;
    expect(answers()).toHaveLength(1);
  });

  test('is as it was after an editor that left it raw', async () => {
    const PATH = writeTools({ ed1: `stty raw -echo; sed -i s/npm/pnpm/ "$1"` });
    const { terminal, folder } = startReview(
      { steps: [{ ask: question(COMMAND) }] },
      { shell: MODES, env: { EDITOR: 'ed1', PATH }, rows: 40 },
    );
    await terminal.shows(READY);
    terminal.send('e');
    await terminal.shows(/pnpm[\s\S]*n skip/);
    terminal.send('y');
    await terminal.ended;
    expectRestored(folder, terminal.raw);
  });

  test('a terminal that goes away ends the review, not with a yes', async () => {
    const { terminal, answers, folder } = startReview(
      { steps: [{ ask: question(COMMAND) }] },
      { shell: (program) => `trap '' HUP; ${program}` },
    );
    await terminal.shows(READY);
    const pid = Number(read(folder, 'pid'));
    terminal.close();
    for (let tries = 0; isRunning(pid) && tries < 50; tries++)
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isRunning(pid)).toBe(false);
    for (const answer of answers()) expect(answer).toMatchObject({ decision: 'quit' });
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
