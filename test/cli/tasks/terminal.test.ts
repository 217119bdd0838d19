import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { textWidth } from '../../../src/faces/cli/terminal/line.js';
import { makeFolder } from '../../folder.js';
import { execTeddy } from '../execute/program.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY } from '../teddy.js';
import { claimOf, makeProject } from './project.js';

const LONG = 'Task 2: A name with so many words in it that it does not fit on one line of a small terminal';

describe.skipIf(noPython !== '')(`at a terminal${noPython}`, () => {
  function start(words: string[], cwd: string, env: Record<string, string> = {}): TestTerminal {
    return new TestTerminal([process.execPath, TEDDY, ...words], {
      cwd,
      columns: 60,
      rows: 40,
      env: { XDG_STATE_HOME: makeFolder(), ...env },
    });
  }

  const longProject = () =>
    makeProject('true', {
      '.planning/01-02-PLAN.md': `<tasks>
<task><name>Task 1: 日本語の名前</name></task>
<task><name>${LONG}</name></task>
</tasks>
`,
    });

  test('a list keeps to the width, wraps names and is coloured', async () => {
    const terminal = start(['task', 'list'], longProject());
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    const rows = terminal.rows();
    expect(rows.filter((row) => textWidth(row) > 60)).toEqual([]);
    expect(
      rows
        .join(' ')
        .replace(/ {2,}/g, ' ')
        .replace(/ waiting for 01-02:1/, ''),
    ).toContain(LONG);
    expect(terminal.isColoured('01-01:1')).toBe(true);
    expect(terminal.text()).not.toContain('…');
  });

  describe('teddy task resolve ID done shows the command and asks', () => {
    const HOSTILE = 'touch ran.txt #\u202e\u2800';

    async function decide(key: string) {
      const cwd = makeProject(HOSTILE);
      const terminal = start(['task', 'resolve', '01-01:1', 'done'], cwd);
      await terminal.shows('run it');
      const asked = terminal.text();
      const ranUnasked = existsSync(join(cwd, 'ran.txt'));
      terminal.send(key);
      const { exit } = await terminal.ended;
      return { asked, ranUnasked, exit, ran: existsSync(join(cwd, 'ran.txt')), after: terminal.text() };
    }

    test('as it is, and runs it after y', async () => {
      const { asked, ranUnasked, exit, ran } = await decide('y');
      expect(asked).toContain('Run the verify command of 01-01:1?');
      expect(asked).toContain('touch ran.txt #<U+202E><U+2800>');
      expect({ ranUnasked, exit, ran }).toEqual({ ranUnasked: false, exit: 0, ran: true });
    });

    test('and does nothing after n', async () => {
      const { exit, ran, after } = await decide('n');
      expect({ exit, ran }).toEqual({ exit: 2, ran: false });
      expect(after.replace(/\s+/g, '')).toContain('wasnotrun,andnothingwaschanged.');
    });

    test('nor after Ctrl-C', async () => {
      expect(await decide('\u0003')).toMatchObject({ exit: 130, ran: false });
    });
  });

  test.each([{ NO_COLOR: '1' }, { TERM: 'dumb' }])('no colours with %o', async (env) => {
    const terminal = start(['task', 'list'], longProject(), env);
    await terminal.ended;
    expect(terminal.raw).not.toContain('\u001b[3');
  });

  test('a verdict is wrapped between words, and left as it is where it is piped', async () => {
    const words = ['result', 'check', 'r.yaml', '--plan', '01-01'];
    const cwd = makeProject('true', {
      'r.yaml': claimOf({ command: 'true' }).replace(
        'Task 1: Make it',
        'Task 9: None of those that are there',
      ),
    });
    const terminal = start(words, cwd);
    expect(await terminal.ended).toMatchObject({ exit: 1 });
    const piped = await execTeddy(words, { cwd });
    const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '');
    expect(wordsOf(terminal.rows().join('\n'))).toEqual([
      ...wordsOf(piped.stdout),
      'Root:',
      realpathSync(cwd),
    ]);
    expect(piped.stdout.split('\n').some((line) => textWidth(line) > 60)).toBe(true);
  });

  test('a verdict and charts are coloured there, and plain where they are piped', async () => {
    const cwd = makeProject('true', { 'r.yaml': claimOf({ command: 'true' }) });
    const terminal = start(['result', 'submit', 'r.yaml', '--plan', '01-01'], cwd);
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    expect(terminal.isColoured('VALID')).toBe(true);

    const charts = start(['metrics'], cwd);
    await charts.ended;
    expect(charts.isColoured('█')).toBe(true);
    const piped = await execTeddy(['metrics'], { cwd });
    expect(piped.stdout).toContain('█');
    expect(piped.stdout).not.toContain('\u001b');
  });
});
