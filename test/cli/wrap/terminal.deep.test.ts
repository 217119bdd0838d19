// Programs at a real terminal behave under wrap as without it.

import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkConfinement } from '../../../src/confine/check.js';
import { makeFolder } from '../../folder.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY } from '../teddy.js';
import { quitReview } from './quit-review.js';

const checked = await checkConfinement({ root: process.cwd(), environment: process.env });
const because = noPython || (checked.available ? '' : ` (skipped: ${checked.cause})`);

/** For the title of what is skipped. */
function without(program: string): string {
  return spawnSync(program, ['--version']).status === 0 ? '' : ` (skipped: there is no ${program})`;
}

interface Shell {
  root: string;
  terminal: TestTerminal;
}

/** A shell with job control in a project, at its prompt. */
async function openShell(files: Record<string, string> = { 'a.txt': 'one\ntwo\nthree\n' }): Promise<Shell> {
  const root = realpathSync(makeFolder(files));
  execFileSync('git', ['init', '-q'], { cwd: root });
  const home = makeFolder({ prompt: "PS1='READY> '\nunset HISTFILE\n" });
  const env = { HOME: home, XDG_STATE_HOME: join(home, 'state') };
  const terminal = new TestTerminal(['bash', '--rcfile', join(home, 'prompt'), '-i'], { cwd: root, env });
  await terminal.shows('READY>');
  return { root, terminal };
}

/** Starts a program with and without wrap. */
const WAYS = [
  { way: 'without wrap', wrap: '' },
  { way: 'confined', wrap: `node ${TEDDY} wrap -- ` },
  { way: 'unconfined', wrap: `node ${TEDDY} wrap --unconfined -- ` },
];

/** Waits until the command has ended, and gives its exit code. */
async function exitCode({ terminal }: Shell): Promise<number> {
  await terminal.until(() => /\nREADY>$/.test(terminal.history().trimEnd()), 'a prompt');
  terminal.send('echo "code=$?"\r');
  await terminal.until(() => /code=\d/.test(terminal.history()), 'a code');
  return Number(/code=(\d+)/.exec(terminal.history())![1]);
}

describe.skipIf(because !== '').each(WAYS)(`at a terminal, $way${because}`, ({ wrap }) => {
  test('a file that teddy has open by inheritance is closed in the program', async () => {
    const shell = await openShell();
    const secret = join(makeFolder({ secret: 'the-inherited-text\n' }), 'secret');
    shell.terminal.send(`exec 9<${secret}\r${wrap}cat /proc/self/fd/9\r`);
    await exitCode(shell);
    expect(shell.terminal.history().includes('the-inherited-text')).toBe(wrap === '');
    shell.terminal.send(`${wrap}cat /proc/self/fd/9 2>&1 | tee out.txt; echo piped=$?\r`);
    await shell.terminal.shows('piped=0');
    expect(readFileSync(join(shell.root, 'out.txt'), 'utf8').includes('the-inherited-text')).toBe(
      wrap === '',
    );
  });

  test('exit codes and signals', async () => {
    const shell = await openShell();
    shell.terminal.send(`${wrap}sh -c 'exit 37'\r`);
    expect(await exitCode(shell)).toBe(37);
    const killed = await openShell();
    killed.terminal.send(`${wrap}sh -c 'kill -SEGV $$'\r`);
    expect(await exitCode(killed)).toBe(139);
  });

  test('Ctrl-C ends a program that does not handle it, and is handled by one that does', async () => {
    const shell = await openShell();
    shell.terminal.send(`${wrap}sh -c 'echo be''gun; exec sleep 1000'\r`);
    await shell.terminal.shows('begun');
    shell.terminal.send('\x03');
    expect(await exitCode(shell)).toBe(130);
    const handling = await openShell();
    handling.terminal.send(
      `${wrap}sh -c 'trap "echo hand''led; exit 5" INT; echo be''gun; while :; do sleep 0.1; done'\r`,
    );
    await handling.terminal.shows('begun');
    handling.terminal.send('\x03');
    await handling.terminal.shows('handled');
    expect(await exitCode(handling)).toBe(5);
  });

  test('Ctrl-Z stops it, and fg lets it go on', async () => {
    const shell = await openShell();
    shell.terminal.send(`${wrap}sh -c 'echo be''gun; read line; echo "got $line"; exit 6'\r`);
    await shell.terminal.shows('begun');
    shell.terminal.send('\x1a');
    await shell.terminal.shows('Stopped');
    shell.terminal.send('echo "at the" prompt\r');
    await shell.terminal.shows('at the prompt');
    shell.terminal.send('fg\r');
    // Until the shell names the job, it is in its line editor, and an Enter ends no line for the job.
    await shell.terminal.until(() => /\bfg\n\S/.test(shell.terminal.history()), 'the job after fg');
    shell.terminal.send('words\r');
    await shell.terminal.shows('got words');
    expect(await exitCode(shell)).toBe(6);
  });

  test('knows the size of the window, and when it changes', async () => {
    const shell = await openShell();
    const { terminal } = shell;
    terminal.send(`${wrap}sh -c 'trap "stty size" WINCH; stty size; while :; do sleep 0.1; done'\r`);
    await terminal.shows(/^24 80$/m);
    terminal.resize(100, 30);
    await terminal.shows(/^30 100$/m);
    terminal.send('\x03');
    await exitCode(shell);
  });

  test('10 MB of output arrive', async () => {
    const shell = await openShell();
    // Lines with numbers: what is missing or out of order is seen.
    shell.terminal.send(`${wrap}seq 1000000 2310000; echo en''ded\r`);
    await shell.terminal.until(() => shell.terminal.raw.includes('ended\r\n'), 'the end');
    const numbers = shell.terminal.raw.match(/^\d{7}(?=\r\n)/gm)!;
    expect(numbers).toHaveLength(1_310_001);
    expect(numbers.every((number, at) => Number(number) === 1_000_000 + at)).toBe(true);
  });

  test('escape sequences pass in both directions, and newlines are not changed', async () => {
    const { terminal } = await openShell();
    // A program that asks where the cursor is, as many do.
    terminal.send(
      `${wrap}sh -c 'stty raw -echo; printf "\\033[H\\033[2Jab\\ncd\\033[6n"; head -c 6 | od -c; stty sane'\r`,
    );
    await terminal.until(() => terminal.raw.includes('\x1b[6n'), 'a query');
    terminal.send('\x1b[2;5R');
    await terminal.shows('033   [   2   ;   5   R');
    expect(terminal.rows().slice(0, 2)).toEqual(['ab', expect.stringMatching(/^ {2}cd/)]);
    await terminal.until(() => /READY>$/.test(terminal.history().trimEnd()), 'a prompt');
  });

  test.skipIf(without('vim'))(`vim: edit, suspend, resize, write${without('vim')}`, async () => {
    const shell = await openShell();
    const { terminal, root } = shell;
    terminal.send(`${wrap}vim -u NONE -N a.txt\r`);
    await terminal.shows(/^one\ntwo\nthree\n~/);
    terminal.send('ofour\x1b');
    await terminal.shows(/^one\nfour\ntwo/);
    terminal.send('\x1a');
    await terminal.shows('Stopped');
    terminal.send('fg\r');
    await terminal.shows(/^one\nfour\ntwo/);
    terminal.resize(60, 12);
    await terminal.until(() => /^one\nfour\ntwo\nthree\n(~\n){7}/.test(terminal.text()), 'a smaller vim');
    terminal.send(':wq\r');
    if (wrap !== '') await quitReview(terminal);
    expect(await exitCode(shell)).toBe(0);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe(
      wrap === '' ? 'one\nfour\ntwo\nthree\n' : 'one\ntwo\nthree\n',
    );
    if (wrap !== '') expect(terminal.history()).toMatch(/1 EDIT a\.txt {2}\+1 -0[\s\S]*Nothing landed/);
  });

  test.skipIf(without('less'))(`less: page, search, quit${without('less')}`, async () => {
    const lines = Array.from({ length: 500 }, (_, at) => `line ${at + 1}\n`).join('');
    const shell = await openShell({ 'long.txt': lines });
    shell.terminal.send(`${wrap}less long.txt\r`);
    await shell.terminal.shows(/^line 1\nline 2\n/);
    shell.terminal.send(' ');
    await shell.terminal.shows(/^line 24\n/);
    shell.terminal.send('/line 400\r');
    await shell.terminal.shows(/^line 400\n/);
    shell.terminal.send('q');
    expect(await exitCode(shell)).toBe(0);
  });
});

describe.skipIf(because !== '')(`what a program leaves at the terminal${because}`, () => {
  /** Other letters, unseen, in two rows that wrap and insert, inverse, on another screen, with mouse and other keys. */
  const MESS =
    '\\033[?1049h\\033(0\\033[8m\\033[5;6r\\033[?6h\\033[?7l\\033[4h\\033[?5h\\033[?1003h\\033[?1h\\033=';

  test.each([
    { what: 'a command without an end', end: '\\033]0;never ', isColoured: false },
    { what: 'a text for the terminal without an end', end: '\\033Pnever ', isColoured: false },
    { what: 'another background', end: '\\033]11;#aa0000\\007', isColoured: true },
    { what: 'another red', end: '\\033]4;1;#000000\\007', isColoured: true },
  ])('does not change how the review looks: $what', async ({ end, isColoured }) => {
    const shell = await openShell();
    const { terminal } = shell;
    terminal.send(`node ${TEDDY} wrap -- sh -c 'echo four >> a.txt; printf "${MESS}${end}"'\r`);
    await terminal.shows(/1 EDIT a\.txt {2}\+1 -0[\s\S]*y keep/);
    await quitReview(terminal);
    expect(await exitCode(shell)).toBe(0);
    expect(terminal.raw.includes('\x1b]111\x07')).toBe(isColoured);
    expect(terminal.raw.lastIndexOf(';1003;')).toBeGreaterThan(terminal.raw.lastIndexOf('?1003h'));
  });
});
