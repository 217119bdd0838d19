import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { OrchestrateEvent } from '../../../src/orchestrate/events.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import {
  at,
  buildFixture,
  finished,
  overviewOf,
  questionOf,
  scripted,
  startBoard,
  summaryOf,
  taskName,
} from './scripted.js';

const event = (event: OrchestrateEvent) => ({ event });
const began = event({ at: at(0), type: 'began', run: 'r', overview: overviewOf(), resumed: false });
const started = event({
  at: at(1),
  type: 'started',
  task: taskName('03-01:1'),
  attempt: 1,
  executor: 'claude',
});
const output = (line: string) => event({ at: at(2), type: 'output', task: taskName('03-01:1'), line });
const done = event(finished('03-01:1', 46));
const ended = event({ at: at(50), type: 'ended', summary: summaryOf() });
const until = (name: string) => ({ until: name });

buildFixture();

function isCursorShown({ raw }: TestTerminal): boolean {
  return raw.lastIndexOf('\u001b[?25h') > raw.lastIndexOf('\u001b[?25l');
}

describe.skipIf(noPython)(`the board at a terminal${noPython}`, () => {
  test('is drawn in place, ends scroll above it, and nothing of it is left', async () => {
    const { terminal, signal } = startBoard({
      steps: [
        began,
        started,
        output('first\u001b[2J\u202e'),
        until('a'),
        output('second'),
        until('b'),
        done,
        until('c'),
        ended,
      ],
    });
    await terminal.shows('▸ 03-01:1  Task 1: Make it');
    await terminal.shows('│ first<U+001B>[2J<U+202E>');
    expect(terminal.text()).toContain('0 of 2 done  1m 00s\nPhase 03, wave 1\n');
    expect(terminal.text()).toContain('59s\n');
    expect(terminal.raw).toContain('\u001b[?25l');

    const before = terminal.raw.length;
    signal('a');
    await terminal.shows('│ second');
    expect(terminal.text()).not.toContain('first');
    // No more than the row that changed.
    expect(terminal.raw.slice(before)).not.toContain('Make it');
    expect(terminal.raw.slice(before)).not.toContain('[J');

    signal('b');
    await terminal.shows('10:00:46  03-01:1  done in 45s (not verified)\n1 of 2 done');
    signal('c');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(terminal.text()).toMatch(
      /2 │ npm test\n10:00:46 {2}03-01:1 {2}done in 45s \(not verified\)\nFinished: 2 tasks done\.\n/,
    );
    expect(terminal.text()).not.toContain('1 of 2 done');
    expect(isCursorShown(terminal)).toBe(true);
  });

  test('fits again after the size has changed, and keeps what was printed', async () => {
    const notes = Array.from({ length: 40 }, (_, index) =>
      event({ at: at(3), type: 'note', message: `Note ${index + 1}.` }),
    );
    const { terminal, signal } = startBoard({
      steps: [
        began,
        started,
        output('a long line of output, that is longer than forty columns'),
        ...notes,
        until('a'),
      ],
    });
    await terminal.shows('│ a long line of output, that is longer than forty columns');
    terminal.resize(40, 12);
    await terminal.shows('│ a long line of output, that is lon…');
    await terminal.shows('Note 40.');
    expect(terminal.rows().filter((row) => row.includes('of 2 done'))).toHaveLength(1);
    terminal.resize(100, 30);
    await terminal.shows('│ a long line of output, that is longer than forty columns');
    expect(terminal.text()).toMatch(/Note 39\.\n.*Note 40\.\n0 of 2 done/);
    signal('a');
    await terminal.ended;
    expect(terminal.text()).toMatch(/Note 40\.$/);
  });

  test('so does what is asked, also while it is viewed', async () => {
    const { terminal } = startBoard(
      {
        steps: [began, started, { ask: [questionOf('03-01:1', { detail: 'word '.repeat(60) })] }],
      },
      { columns: 200, rows: 24 },
    );
    const tasks = () => terminal.rows().filter((row) => row.startsWith('▸ 03-01:1'));
    await terminal.shows('── Your answer is needed ──');
    await terminal.shows('Esc later');
    terminal.resize(60, 18);
    await terminal.until(
      () => terminal.rows().some((row) => /^── Your answer is needed ─+$/.test(row) && row.length === 59),
      'it fits',
    );
    await terminal.shows('Esc later');
    expect(tasks()).toHaveLength(1);
    terminal.send('v');
    await terminal.shows('space, b: page');
    terminal.resize(100, 20);
    await terminal.until(() => terminal.rows().some((row) => row.length > 60), 'the page fits');
    terminal.send('q');
    await terminal.until(
      () => terminal.rows().some((row) => /^── Your answer is needed ─+$/.test(row) && row.length === 99),
      'it fits again',
    );
    await terminal.shows('Esc later');
    expect(tasks()).toHaveLength(1);
    terminal.send('\u0003');
    await terminal.ended;
    expect(tasks()).toEqual([]);
  });

  test('Ctrl-C interrupts the run, and leaves the terminal as it was', async () => {
    const { words, folder } = scripted({ steps: [began, started, until('never')] });
    const terminal = new TestTerminal(['/bin/sh', '-c', `${words.join(' ')}; echo "exit $?"; stty -a`], {
      cwd: folder,
    });
    await terminal.shows('▸ 03-01:1');
    terminal.send('x\u0003');
    await terminal.ended;
    const text = terminal.text();
    expect(text).toContain('exit 130\n');
    expect(text).not.toContain('▸ 03-01:1');
    expect(text).toMatch(/ icanon /);
    expect(text).toMatch(/ echo /);
    expect(isCursorShown(terminal)).toBe(true);
  });

  test('so does a signal that ends it', async () => {
    const { terminal } = startBoard({ steps: [began, started, until('never')] });
    await terminal.shows('▸ 03-01:1');
    terminal.signal('TERM');
    expect(await terminal.ended).toEqual({ exit: null, signal: 15 });
    expect(terminal.text()).not.toContain('▸ 03-01:1');
    expect(isCursorShown(terminal)).toBe(true);
  });

  test('on a terminal that cannot draw in place there are lines, and nobody is asked', async () => {
    const { terminal, answers } = startBoard(
      { steps: [began, started, { ask: [questionOf('03-01:1')] }, done, ended] },
      { env: { TERM: 'dumb' } },
    );
    await terminal.ended;
    expect(terminal.text()).toContain('10:00:01  03-01:1  started (attempt 1, claude)');
    expect(terminal.raw).not.toContain('\u001b');
    expect(answers()).toEqual(['03-01:1 null']);
  });
});

describe('elsewhere', () => {
  const run = (json: boolean) => {
    const { words, folder } = scripted({ json, steps: [began, started, output('x'), done, ended] });
    return spawnSync(words[0]!, words.slice(1), {
      cwd: folder,
      encoding: 'utf8',
      env: { TZ: 'UTC', LANG: 'C.UTF-8', TERM: 'xterm' },
    });
  };

  test('lines on standard error, the end on standard output', () => {
    const { stdout, stderr } = run(false);
    expect(stderr.split('\n')).toEqual([
      'Root: /srv/shop',
      'Starting (preview with --dry-run):',
      'Phase 03, wave 1',
      '  .planning/03-01-PLAN.md  2 tasks',
      '    03-01:1  Task 1: Make it  ready',
      '    03-01:2  Task 2: Make it  waiting for 03-01:1',
      'Executor claude, up to 2 tasks at once, each attempt in its own git worktree.',
      'This verify command will run without asking again:',
      '  03-01:1, 03-01:2 │ npm test',
      '10:00:01  03-01:1  started (attempt 1, claude)',
      '10:00:46  03-01:1  done in 45s (not verified)',
      '',
    ]);
    expect(stdout).toMatch(/^Finished: 2 tasks done\.\n/);
  });

  test('as JSON each event is one line, and nothing is said beside it', () => {
    const { stdout, stderr } = run(true);
    expect(stderr).toBe('');
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as OrchestrateEvent).type),
    ).toEqual(['began', 'started', 'output', 'finished', 'ended']);
  });
});
