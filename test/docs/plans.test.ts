import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chooseLook } from '../../src/faces/cli/output.js';
import { helpLines } from '../../src/faces/cli/review/panels.js';
import { noPython, TestTerminal } from '../cli/pty/terminal.js';
import { TEDDY } from '../cli/teddy.js';
import { readExamples, readPage } from './page.js';
import { makeReadersFolder, walkPage } from './shell.js';

// What is behind the opening fence of an example says how it is tested:
//
//   console          run, line by line
//   … file: PATH     saved, for the commands that follow
//   text screen      shown by the real program in a terminal of 80 columns, the reader's folder as /srv/first-turn
const PAGE = 'docs/plans.md';

test('the page goes as it is shown', () => {
  const others = walkPage(PAGE, makeReadersFolder());
  expect(others.filter(({ note }) => note !== 'screen').map(({ line }) => line)).toEqual([]);
});

test('the page has every key that the help lists', () => {
  const help = helpLines(chooseLook({ color: false }), 80).flatMap(({ lead }) => lead[0]?.text.trim() ?? []);
  const keys = help.filter((key) => /^(?:[a-zA-Z]|Ctrl-.)$/.test(key));
  const rows = [...readPage(PAGE).matchAll(/^\| `(\S+)` \| [A-Z]/gm)].map((row) => row[1]!);
  expect(keys.length).toBeGreaterThan(8);
  expect(rows).toEqual([...keys, '?']);
});

describe.skipIf(noPython)(`the screens of docs/plans.md${noPython}`, () => {
  const screens = readExamples(PAGE).filter(({ note }) => note === 'screen');

  test('are what a reader sees', async () => {
    const seen = `${await reviewFirstTurn()}\n${await review('../wrong-find/plan.md', ['1 of 1'], 'n')}`;
    expect(screens.length).toBeGreaterThan(0);
    for (const { text, line } of screens) expect(seen, `line ${line}`).toContain(text);
  });
});

async function reviewFirstTurn(): Promise<string> {
  const list = await review('plan.md', ['Memos'], 'a');
  const questions = await review('plan.md', ['Memos', '1 of 5', '2 of 5', '3 of 5', '4 of 5'], 'n');
  return `${list}\n${questions}`;
}

/** Approves question after question; the last gets another key, and then Ctrl-C. Gives all that was on the screen. */
async function review(plan: string, questions: readonly string[], last: string): Promise<string> {
  const cwd = realpathSync(join(makeReadersFolder(), 'examples/first-turn'));
  const words = [process.execPath, TEDDY, 'execute', plan];
  const terminal = new TestTerminal(words, { columns: 80, rows: 100, cwd });
  for (const [at, question] of questions.entries()) {
    await terminal.shows(new RegExp(`── ${question} [^]*y\\sapprove`));
    terminal.send(at === questions.length - 1 ? last : 'y');
  }
  await terminal.shows(last === 'a' ? /approve\sall/ : 'Why skip it?');
  const seen = terminal.history().replaceAll(cwd, '/srv/first-turn');
  terminal.send('\u0003');
  await terminal.ended;
  return seen;
}
