import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseReport } from '../../../src/core/report/parse.js';
import { listContent, makeFolder } from '../../folder.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY } from '../teddy.js';
import { asked, chat, create, execute, planOf, start } from './at-terminal.js';

function reportIn(cwd: string) {
  const runs = join(cwd, '.teddy/runs');
  const [run] = listContent(runs);
  const parsed = parseReport(readFileSync(join(runs, run!, 'report.md'), 'utf8'));
  if (parsed.status !== 'mirrored') throw new Error(`This is no mirrored report: ${JSON.stringify(parsed)}`);
  return parsed;
}

describe.skipIf(noPython)(`teddy execute at a terminal${noPython}`, () => {
  test('each action is seen, decided on and told', async () => {
    const editor = makeFolder({ 'upper.sh': '#!/bin/sh\nsed -i s/second/SECOND/ "$1"\n' });
    chmodSync(join(editor, 'upper.sh'), 0o755);
    const plan = planOf(
      create('one.txt', 'first\n'),
      create('two.txt', 'second\n'),
      execute('cat one.txt two.txt\n'),
      chat('Is that **right**?'),
      create('three.txt', 'third\n'),
    );
    const { cwd, terminal } = start(plan, { env: { VISUAL: join(editor, 'upper.sh') } });

    await asked(terminal, 1);
    expect(terminal.text()).toContain('first');
    expect(existsSync(join(cwd, 'one.txt'))).toBe(false);
    terminal.send('y');
    await asked(terminal, 2);
    expect(readFileSync(join(cwd, 'one.txt'), 'utf8')).toBe('first\n');
    terminal.send('e');
    await terminal.shows('(as you edited it)');
    await asked(terminal, 2);
    expect(terminal.text()).toContain('SECOND');
    terminal.send('y');
    await asked(terminal, 3);
    terminal.send('y');
    await terminal.shows(/4 of 5.*Is that right\?.*Your reply/s);
    terminal.send('Yes.\rQuite.');
    await terminal.shows('Quite.');
    terminal.send('\u0004');
    await asked(terminal, 5);
    terminal.send('n');
    await terminal.shows('Why skip it?');
    terminal.send('Two are enough.\r');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });

    expect(readFileSync(join(cwd, 'two.txt'), 'utf8')).toBe('SECOND\n');
    expect(existsSync(join(cwd, 'three.txt'))).toBe(false);
    const { overall, actions } = reportIn(cwd);
    expect(overall).toBe('Partial');
    expect(actions.map(({ decision }) => decision.status)).toEqual([
      'approved',
      'approved',
      'approved',
      'approved',
      'skipped',
    ]);
    expect(actions[1]!.outcome).toMatchObject({ ranAs: expect.stringContaining('SECOND') });
    expect(actions[2]!.outcome).toMatchObject({ output: { text: 'first\nSECOND\n' }, exitCode: 0 });
    expect(actions[3]!.outcome).toMatchObject({ reply: 'Yes.\nQuite.' });
    expect(actions[4]!.decision).toMatchObject({ reason: 'Two are enough.' });
    expect(terminal.history()).toContain('Partial: 4 of 5 actions succeeded, 1 skipped.');
  });

  test('Ctrl-C ends the command, and the review continues', async () => {
    const { cwd, terminal } = start(
      planOf(execute('echo begun; sleep 60\n'), create('after.txt', 'after\n')),
    );
    await asked(terminal, 1);
    terminal.send('y');
    await terminal.shows(/│ begun$/m);
    terminal.send('\u0003');
    await terminal.shows('r run it again');
    terminal.send('c');
    await asked(terminal, 2);
    terminal.send('y');
    expect(await terminal.ended).toEqual({ exit: 1, signal: null });
    expect(readFileSync(join(cwd, 'after.txt'), 'utf8')).toBe('after\n');
    const { actions } = reportIn(cwd);
    expect(actions[0]!.outcome).toMatchObject({ status: 'failure', ended: 'by Ctrl-C' });
    expect(actions[1]!.outcome).toMatchObject({ status: 'success' });
  });

  test.each([
    ['q', 0],
    ['\u0003', 130],
  ])('%j leaves the rest, and there is a report', async (key, exit) => {
    const { cwd, terminal } = start(planOf(create('one.txt', '1\n'), create('two.txt', '2\n')));
    await asked(terminal, 1);
    terminal.send('y');
    await asked(terminal, 2);
    terminal.send(key);
    if (key === 'q') {
      await terminal.shows('Why quit?');
      terminal.send('Enough.\r');
    }
    expect(await terminal.ended).toEqual({ exit, signal: null });
    const { actions } = reportIn(cwd);
    expect(actions.map(({ outcome }) => outcome.status)).toEqual(['success', 'not-run']);
    if (key === 'q') expect(actions[1]!.decision).toMatchObject({ reason: 'Enough.' });
  });

  test('a plan that was quit is continued with the command that the summary shows', async () => {
    const env = { XDG_STATE_HOME: makeFolder() };
    const { cwd, terminal } = start(planOf(create('one.txt', '1\n'), create('two.txt', '2\n')), { env });
    await asked(terminal, 1);
    terminal.send('y');
    await asked(terminal, 2);
    terminal.send('q');
    await terminal.shows('Why quit?');
    terminal.send('\r');
    await terminal.ended;
    const [, words] = /^Continue: teddy (.*) runs the rest of this plan$/m.exec(terminal.history())!;
    const rest = new TestTerminal([process.execPath, TEDDY, ...words!.split(' '), '--no-copy'], {
      cwd,
      columns: 100,
      rows: 40,
      env,
    });
    await asked(rest, 2);
    rest.send('y');
    expect(await rest.ended).toEqual({ exit: 0, signal: null });
    expect(rest.history()).toContain('Completed: 2 of 2 actions succeeded.');
    expect(readFileSync(join(cwd, 'two.txt'), 'utf8')).toBe('2\n');
  });

  test('what was typed ahead approves nothing', async () => {
    const { cwd, terminal } = start(planOf(create('one.txt', '1\n')));
    terminal.send('yyyy');
    await asked(terminal, 1);
    expect(existsSync(join(cwd, 'one.txt'))).toBe(false);
    terminal.send('n');
    await terminal.shows('Why skip it?');
    terminal.send('\r');
    await terminal.ended;
    expect(existsSync(join(cwd, 'one.txt'))).toBe(false);
  });

  test('a plan from standard input is asked about at the terminal all the same', async () => {
    const shell = ['/bin/sh', '-c', `cat plan.md | "${process.execPath}" "${TEDDY}" execute - > report.md`];
    const { cwd, terminal } = start(planOf(create('one.txt', '1\n')), { shell });
    await asked(terminal, 1);
    terminal.send('y');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(readFileSync(join(cwd, 'one.txt'), 'utf8')).toBe('1\n');
    expect(parseReport(readFileSync(join(cwd, 'report.md'), 'utf8'))).toMatchObject({ overall: 'Completed' });
  });

  test('config and policy are shown, and used once they are trusted', async () => {
    const files = { '.teddy/policy.yaml': 'rules:\n  - {allow: CREATE, path: "docs/**"}\n' };
    const plan = planOf(create('docs/a.md', 'a\n'), create('b.md', 'b\n'));
    const { cwd, terminal } = start(plan, { files });
    await terminal.shows('Do you trust .teddy/policy.yaml?');
    await terminal.shows('allow: CREATE');
    await terminal.shows('stop here');
    terminal.send('y');
    await asked(terminal, 2);
    expect(readFileSync(join(cwd, 'docs/a.md'), 'utf8')).toBe('a\n');
    terminal.send('y');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
  });

  test.each(['SIGTERM', 'SIGHUP'])(
    '%s at a question: the report is written, and the end is told',
    async (signal) => {
      const { cwd, terminal } = start(planOf(create('one.txt', '1\n'), create('two.txt', '2\n')));
      await asked(terminal, 1);
      terminal.send('y');
      await asked(terminal, 2);
      terminal.signal(signal.slice('SIG'.length));
      expect(await terminal.ended).toEqual({ exit: 130, signal: null });
      const { actions, interrupted } = reportIn(cwd);
      expect(actions.map(({ outcome }) => outcome.status)).toEqual(['success', 'not-run']);
      expect(interrupted).toContain(signal);
    },
  );

  test('a large commit shows how far it is, and nothing of that is left', async () => {
    const actions = Array.from({ length: 1500 }, (_, at) => create(`many/${at}.txt`, `${at}\n`));
    const { cwd, terminal } = start(planOf(...actions));
    await terminal.shows('Enter start review');
    terminal.send('\r');
    await asked(terminal, 1);
    terminal.send('a');
    await terminal.shows('approve all 1500');
    terminal.send('y');
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    expect(existsSync(join(cwd, 'many/1499.txt'))).toBe(true);
    expect(terminal.raw).toMatch(/(?:Preparing the new|Writing) files.{1,20} [\d,]+ of 1,\d+ files/);
    expect(terminal.history()).not.toMatch(/of 1,\d+ files/);
  });

  test('a yes to the rest that was taken back with the reply approves nothing', async () => {
    const { cwd, terminal } = start(planOf(chat('Well?'), create('one.txt', '1\n')));
    await terminal.shows('Your reply');
    terminal.send('\u001b');
    await asked(terminal, 1);
    terminal.send('a');
    await terminal.shows('Approve the rest: 2');
    await terminal.shows('approve all');
    terminal.send('y');
    await terminal.shows('Your reply');
    terminal.send('\u001b');
    await asked(terminal, 1);
    terminal.send('n');
    await terminal.shows('Why skip it?');
    terminal.send('\r');
    await asked(terminal, 2);
    expect(existsSync(join(cwd, 'one.txt'))).toBe(false);
    terminal.send('n');
    await terminal.shows('Why skip it?');
    terminal.send('\r');
    await terminal.ended;
    expect(existsSync(join(cwd, 'one.txt'))).toBe(false);
  });
});
