import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listContent, makeFolder } from '../../folder.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY } from '../teddy.js';
import { createAction, executeAction, planOf } from './program.js';

function start(words: string[], actions: string[], env: Record<string, string> = {}) {
  const cwd = makeFolder({ 'plan.md': planOf('Many things', ...actions), '.git/HEAD': '' });
  const home = makeFolder();
  const options = { cwd, rows: 60, env: { HOME: home, PATH: '/usr/bin:/bin', ...env } };
  const run = (more: string[] = words) =>
    new TestTerminal([process.execPath, TEDDY, 'execute', 'plan.md', ...more], options);
  return { cwd, run };
}

/** What comes after the lines of the actions. */
function summaryOf(terminal: TestTerminal): string[] {
  const text = terminal.history().trimEnd();
  return text.slice(text.lastIndexOf('\n\n') + 2).split('\n');
}

describe.skipIf(noPython)(`the end of a run at a terminal${noPython}`, () => {
  test('a summary, failures first, and no report', async () => {
    const actions = [createAction('a.txt'), executeAction('exit 3'), createAction('b.txt')];
    const { cwd, run } = start(['--yes'], actions);
    const terminal = run();
    expect(await terminal.ended).toEqual({ exit: 1, signal: null });
    const [id] = listContent(join(cwd, '.teddy/runs'));
    expect(summaryOf(terminal)).toEqual([
      'Partial: 1 of 3 actions succeeded, 1 failed, 1 skipped.',
      '  ✘ 2 EXECUTE A command: The command failed with exit code 3.',
      '  – 3 CREATE b.txt: Not run: action 2 (EXECUTE) failed.',
      `Report:   .teddy/runs/${id}/report.md`,
      'Copied the report to the clipboard through the terminal (OSC 52).',
      'Undo:     teddy undo reverts the file changes of this run',
      `Continue: teddy execute --continue ${id!.slice(-4)} runs the rest of this plan`,
      `Root: ${cwd}`,
    ]);
    expect(terminal.history()).not.toContain('# Execution Report');
    const copied = /\u001b\]52;c;([^\u0007]*)\u0007/.exec(terminal.raw)![1]!;
    const report = readFileSync(join(cwd, '.teddy/runs', id!, 'report.md'), 'utf8');
    expect(Buffer.from(copied, 'base64').toString('utf8')).toBe(report);
  });

  test('a long name is cut, and the reason is not', async () => {
    const action = executeAction('exit 3').replace('A command', `Run ${'every test and '.repeat(9)}more`);
    const terminal = start(['--yes'], [action]).run();
    await terminal.ended;
    expect(summaryOf(terminal)[1]).toMatch(
      /^ {2}✘ 1 EXECUTE Run every [a-z ]+…: The command failed with exit code 3\.$/,
    );
  });

  test('a long one says how much it leaves out, and has at most 15 lines', async () => {
    const many = Array.from({ length: 30 }, (_, at) => executeAction(`exit ${at + 1}`));
    const terminal = start(['--yes', '--keep-going'], many).run();
    await terminal.ended;
    const lines = summaryOf(terminal);
    expect(lines.length).toBeLessThanOrEqual(15);
    expect(lines).toContain('  … and 22 more, in the report');
  });

  test('a refused plan names its errors', async () => {
    const terminal = start(['--yes'], ['### `CREATE`\n- **Description:** No path.\n````\nx\n````\n']).run();
    expect(await terminal.ended).toEqual({ exit: 1, signal: null });
    const [first, second] = summaryOf(terminal);
    expect(first).toBe('Refused: 1 error; nothing was run.');
    expect(second).toMatch(/^ {2}line 16: .*File Path/);
  });

  test('what quitting skips is one line, and is not listed twice', async () => {
    const { cwd, run } = start(
      [],
      ['a', 'b', 'c', 'd'].map((name) => createAction(`${name}.txt`)),
    );
    const terminal = run();
    await terminal.shows(/1 of 4.*n skip/s);
    terminal.send('y');
    await terminal.shows(/2 of 4.*n skip/s);
    terminal.send('q');
    await terminal.shows('Why quit?');
    terminal.send('Lunch.');
    await terminal.shows('│ Lunch.');
    terminal.send('\r');
    await terminal.ended;
    const [id] = listContent(join(cwd, '.teddy/runs'));
    expect(summaryOf(terminal).slice(0, 3)).toEqual([
      'Partial: 1 of 4 actions succeeded, 3 skipped.',
      '  – 2 to 4: skipped: Lunch.',
      `Report:   .teddy/runs/${id}/report.md`,
    ]);
    expect(terminal.history().match(/skipped: Lunch\./g)).toHaveLength(1);
  });

  test('a run in which everything was skipped lists nothing', async () => {
    const { run } = start([], [createAction('a.txt'), createAction('b.txt')]);
    const terminal = run();
    await terminal.shows(/1 of 2.*n skip/s);
    terminal.send('\u0003');
    expect(await terminal.ended).toMatchObject({ exit: 130 });
    expect(summaryOf(terminal)[0]).toBe('Skipped: nothing was run.');
    expect(terminal.history()).not.toContain('b.txt: skipped');
  });

  test('a review of many actions prints nothing but teddy', async () => {
    const many = Array.from({ length: 14 }, (_, at) => createAction(`${at}.txt`));
    const terminal = start([], many).run();
    for (const at of many.keys()) {
      await terminal.shows(`${at + 1} of 14`);
      await terminal.shows('n skip');
      terminal.send('y');
    }
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(terminal.history()).not.toMatch(/\(node:|Warning/);
  });

  test('--print prints the report as well', async () => {
    const terminal = start(['--yes', '--print'], [createAction('a.txt')]).run();
    await terminal.ended;
    expect(terminal.history()).toContain('# Execution Report: Many things');
  });

  test('that there is no clipboard is said once', async () => {
    const { run } = start(['--yes'], [createAction('a.txt', 'text\n', '- **Overwrite:** true\n')], {
      TERM: 'dumb',
    });
    const first = run();
    await first.ended;
    expect(first.history()).toMatch(
      /Not copied: the clipboard cannot be written .*This\s+is\s+said\s+only\s+once\./s,
    );
    const second = run();
    await second.ended;
    expect(second.history()).toContain('Completed: 1 of 1 action succeeded.');
    expect(second.history()).not.toContain('opied');
  });
});
