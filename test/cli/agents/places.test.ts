import { chmodSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { textWidth } from '../../../src/faces/cli/terminal/line.js';
import { makeFolder } from '../../folder.js';
import { execTeddy } from '../execute/program.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { NOBODY, noOtherUser, TEDDY, teddy } from '../teddy.js';
import { namesIn, reportOf } from './project.js';

/** Root may write anything, so as root the command runs as somebody else. */
const isRoot = process.getuid?.() === 0;
const unreachable = isRoot ? noOtherUser : '';

describe.skipIf(unreachable)(`in a folder that cannot be written to${unreachable}`, () => {
  const MAP = { context_map: [['A line.', 'repo://a.txt:1']] };

  function run(words: string[], input = '') {
    const cwd = makeFolder({ 'a.txt': 'a\n', 'r.json': reportOf({ findings: MAP }) });
    chmodSync(cwd, 0o555);
    const state = makeFolder();
    chmodSync(state, 0o777);
    try {
      const options = { cwd, input, env: { XDG_STATE_HOME: state }, ...(isRoot ? { uid: NOBODY } : {}) };
      return { cwd, ...teddy(['agent', ...words], options) };
    } finally {
      chmodSync(cwd, 0o755);
    }
  }

  test('a report is judged', () => {
    const { cwd, exit, stdout, stderr } = run(['check', 'r.json']);
    expect(exit).toBe(0);
    expect(stdout).toContain('Route: accept\n');
    expect(stderr).toBe('');
    expect(namesIn(cwd, '.')).toEqual(['a.txt', 'r.json']);
  });

  test('so is one that comes on standard input', () => {
    const { exit, stdout, stderr } = run(['check', '-'], reportOf());
    expect(exit).toBe(0);
    expect(stdout).toContain('Route: accept\n');
    expect(stderr).toMatch(/^The answer was not saved\. .*\n$/);
  });

  test('a context map is shown', () => {
    const { exit, stdout, stderr } = run(['context-map', 'r.json']);
    expect(exit).toBe(0);
    expect(stdout).toContain('1 | a\n');
    expect(stderr).toBe('');
  });

  test('that a briefing cannot be kept is said, in words and by the exit code', () => {
    const { exit, stderr } = run(['brief', 'investigator', '--task-id', 't', '--goal', 'g']);
    expect(exit).toBe(2);
    expect(stderr).toMatch(/^teddy: .*\.teddy/);
    expect(stderr).not.toContain('bug in teddy');
  });

  test.each([['list'], ['stats'], ['schema', 'reviewer'], ['merge', 'r.json']])(
    '%s needs no place',
    (...words) => {
      expect(run(words).exit).toBe(0);
    },
  );
});

test('--root says where the project is, and the file is where one is oneself', async () => {
  const project = makeFolder({ 'src/a.txt': 'a\n', '.teddy/agents/notes.txt': '' });
  const report = reportOf({ findings: { context_map: [['A line.', 'repo://src/a.txt:1']] } });
  const cwd = makeFolder({ 'r.json': report });
  const { exit, stdout } = await execTeddy(['agent', 'check', 'r.json', '--root', project], { cwd });
  expect(exit).toBe(0);
  expect(stdout).toContain('References: 1 ok\n');
  expect(namesIn(cwd, '.')).toEqual(['r.json']);
});

describe.skipIf(noPython !== '')(`at a terminal${noPython}`, () => {
  function start(words: string[], cwd: string): TestTerminal {
    return new TestTerminal([process.execPath, TEDDY, 'agent', ...words], {
      cwd,
      columns: 60,
      rows: 60,
      env: { XDG_STATE_HOME: makeFolder() },
    });
  }

  test('a list keeps to the width, and is coloured', async () => {
    const terminal = start(['list', '--trust'], makeFolder({ '.teddy/agents/odd.md': 'No manual.\n' }));
    expect(await terminal.ended).toMatchObject({ exit: 1 });
    expect(terminal.rows().filter((row) => textWidth(row) > 60)).toEqual([]);
    expect(terminal.isColoured('broken')).toBe(true);
  });

  test('what stands between other words is read by default, and not where --json or --no-lenient asks for more', async () => {
    const cwd = makeFolder({ 'r.txt': `Here it is:\n${reportOf({ findings: { context_map: [] } })}` });
    const lenient = start(['check', 'r.txt'], cwd);
    expect(await lenient.ended).toMatchObject({ exit: 0 });
    expect(lenient.rows().join('\n')).toContain('report-wrapped');
    for (const strictly of ['--no-lenient', '--json']) {
      const strict = start(['check', 'r.txt', strictly], cwd);
      expect(await strict.ended).toMatchObject({ exit: 1 });
      expect(strict.rows().join('\n')).toContain('json-around');
    }
    expect(await execTeddy(['agent', 'check', 'r.txt'], { cwd })).toMatchObject({ exit: 1 });
  });

  test('a judgement is wrapped between words, coloured, and harmless; piped it is plain', async () => {
    const report = reportOf({ status: 'done', agent: 'x\u001b[31mred\u202e' });
    const cwd = makeFolder({ 'r.json': report });
    const terminal = start(['check', 'r.json'], cwd);
    expect(await terminal.ended).toMatchObject({ exit: 1 });
    expect(terminal.isColoured('broken')).toBe(true);
    expect(terminal.raw).not.toContain('\u202e');
    const piped = await execTeddy(['agent', 'check', 'r.json'], { cwd });
    const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '');
    expect(wordsOf(terminal.rows().join('\n'))).toEqual([
      ...wordsOf(piped.stdout),
      'Root:',
      realpathSync(cwd),
    ]);
    expect(piped.stdout).not.toContain('\u001b');
  });
});

test('a planner takes no place from a subagent of the same name, and the project is found from within', async () => {
  const project = makeFolder({
    '.teddy/agents/investigator.md': '---\nkind: planner\npurpose: Plans.\n---\n\nYou plan.\n',
    'deep/er/r.json': reportOf(),
  });
  const cwd = join(project, 'deep/er');
  const { stdout } = await execTeddy(['agent', 'list', '--trust'], { cwd });
  expect(stdout).toMatch(/^investigator +planner +project +Plans\.\ninvestigator +subagent +built in /m);
  expect(await execTeddy(['agent', 'check', 'r.json', '--trust'], { cwd })).toMatchObject({ exit: 0 });
});
