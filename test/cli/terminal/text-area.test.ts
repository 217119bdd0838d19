import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../folder.js';
import { bundleFixture } from '../pty/bundle-fixture.js';
import { noPython, TestTerminal } from '../pty/terminal.js';

const fixture = bundleFixture(import.meta.url);

function open(...words: string[]): TestTerminal {
  return new TestTerminal([process.execPath, fixture.path, ...words], { cwd: makeFolder() });
}

interface Result {
  typed: { status: string; text: string }[];
  last: string;
}

async function resultOf(terminal: TestTerminal): Promise<Result> {
  expect(await terminal.ended).toEqual({ exit: 0, signal: null });
  return JSON.parse(
    terminal
      .history()
      .replace(/\n(?!\{)/g, '')
      .slice(terminal.history().indexOf('\n{')),
  ) as Result;
}

describe.skipIf(noPython)(`the text input${noPython}`, () => {
  const cases: [name: string, keys: string[], text: string][] = [
    ['Enter sends', ['one', '\r'], 'one'],
    ['Ctrl-D sends', ['one', '\u0004'], 'one'],
    ['Ctrl-J begins a new line', ['one', '\n', 'two', '\r'], 'one\ntwo'],
    ['Alt-Enter begins a new line', ['one', '\u001b\r', 'two', '\r'], 'one\ntwo'],
    ['Shift-Enter begins a new line where it is reported', ['one', '\u001b[13;2u', 'two', '\r'], 'one\ntwo'],
    ['a line with only a dot is a line', ['one', '\n', '.', '\r'], 'one\n.'],
    ['a paste keeps its lines and does not send', ['\u001b[200~one\r\ntwo\n\u001b[201~', '\r'], 'one\ntwo\n'],
    ['neither does one that is not marked', ['one\r\rtwo\r', '\r'], 'one\n\ntwo\n'],
    [
      'Up and Down move between lines',
      ['abc', '\n', 'd', '\u001b[A', 'X', '\u001b[B', 'Y', '\r'],
      'aXbc\ndY',
    ],
    ...[196, 197, 198, 199, 200].map((before): [string, string[], string] => [
      `Backspace deletes one character of a paste, behind ${before} others too`,
      [`\u001b[200~${'a'.repeat(before)}👨‍👩‍👧🇩🇪\u001b[201~`, '\u007f', '\u007f', '\r'],
      'a'.repeat(before),
    ]),
    ['Ctrl-K deletes to the end of the line', ['abc', '\u0001', '\u001b[C', '\u000b', '\r'], 'a'],
  ];

  test('its keys', async () => {
    const terminal = open();
    await terminal.shows('Enter: send  Ctrl-J: new line  Esc: back');
    for (const key of cases.flatMap(([, keys]) => keys)) {
      const { length } = terminal.raw;
      terminal.send(key);
      await terminal.until(() => terminal.raw.length > length, `what ${JSON.stringify(key)} does`);
    }
    terminal.send('left');
    await terminal.shows('left');
    terminal.send('\u001b');
    const { typed } = await resultOf(terminal);
    expect(typed.at(-1)).toEqual({ status: 'back', text: 'left' });
    const named = typed.slice(0, -1).map(({ status, text }, at) => [cases[at]?.[0], status, text]);
    expect(named).toEqual(cases.map(([name, , text]) => [name, 'done', text]));
  });

  test('Up brings back what was sent before, Down what was being typed', async () => {
    const terminal = open();
    const type = async (keys: string, shown: string) => {
      terminal.send(keys);
      await terminal.until(() => terminal.rows()[terminal.cursor.row]?.endsWith(shown) === true, shown);
    };
    await terminal.shows('Enter: send');
    await type('first', '│ first');
    await type('\r', '│');
    await type('second', '│ second');
    await type('\r', '│');
    await type('half', '│ half');
    await type('\u001b[A', '│ second');
    await type('\u001b[A', '│ first');
    await type('\u001b[A', '│ first');
    await type('\u001b[B', '│ second');
    await type('\u001b[B', '│ half');
    await type('\u001b[A', '│ second');
    await type('!', '│ second!');
    terminal.send('\u0003');
    const { typed, last } = await resultOf(terminal);
    expect(typed.at(-1)).toEqual({ status: 'interrupted', text: 'second!' });
    expect(last).toBe('second!');
  });
});

describe('the progress line', () => {
  test.skipIf(noPython)(`says what, how far and how long, and leaves nothing${noPython}`, async () => {
    const terminal = open('progress');
    await terminal.until(() => terminal.raw.includes('files'), 'the first line');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(terminal.raw).toMatch(/Reading files.*3 of 1,200 files/);
    expect(terminal.raw).toMatch(/Writing big\.bin.*4\.2 of 10\.0 MB.*1s/);
    expect(terminal.text()).toBe('A note.\nDone.');
  });

  test('is not shown where standard error is no terminal', () => {
    const { stdout, stderr } = spawnSync(process.execPath, [fixture.path, 'progress'], { encoding: 'utf8' });
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: 'A note.\nDone.\n' });
  });
});
