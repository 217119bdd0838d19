import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BUILT_IN_PLANNERS } from '../../src/agents/built-in.js';
import { checkPlan } from '../../src/core/plan/check.js';
import { readPlan } from '../../src/core/plan/read.js';
import { MemoryTree } from '../../src/core/tree.js';
import { walkInCalendar } from './calendar.js';
import { readPage } from './page.js';
import { makeReadersFolder } from './shell.js';

// What is behind the opening fence of an example says how it is tested:
//
//   console                run, line by line, in a copy of the project of examples/session
//   LANGUAGE file: PATH    saved there, for the commands that follow
const PAGE = 'docs/sessions.md';

test('the guide goes as it is shown, from its first line to its last', () => {
  expect(walkInCalendar(PAGE).others).toEqual([]);
});

test('the README of the example shows what is printed', () => {
  const { project, others } = walkInCalendar('examples/session/README.md');
  expect(others).toEqual([]);
  const turns = readdirSync(join(project, '.teddy/sessions/leap')).filter((name) => /^\d+$/.test(name));
  expect(turns).toEqual(['01', '02', '03', '04', '05', '06', '07']);
});

test('the example is a project that works but for a century', () => {
  const project = join(makeReadersFolder(), 'examples/session/calendar');
  const run = (...words: string[]) => spawnSync('node', words, { cwd: project, encoding: 'utf8' });
  expect(run('test/days.mjs')).toMatchObject({ status: 0, stdout: '3 checks passed\n' });
  const century =
    "import { daysIn } from './src/days.mjs'; console.log(daysIn(1900, 2), daysIn(2000, 2), daysIn(2023, 12));";
  expect(run('--input-type=module', '-e', century).stdout).toBe('29 29 31\n');
});

test.each([
  ['01-look', ''],
  ['02-hand-over', ''],
  ['03-from-memory', 'find-missing'],
  ['04-mended', 'chatter-dropped'],
  ['05-cut-off', 'section-missing answer-cut-off rationale-incomplete'],
  ['06-conclude', ''],
  ['07-tell', ''],
  ['by-chat', 'chatter-dropped plan-unwrapped chatter-dropped'],
])('the answer %s is what the README calls it', (name, codes) => {
  const { plan, issues } = readPlan(readPage(`examples/session/answers/${name}.md`));
  const files = ['README.md', 'src/days.mjs', 'test/days.mjs'].map((path) => [
    path,
    readPage(`examples/session/calendar/${path}`),
  ]);
  const found = checkPlan(plan!, new MemoryTree(Object.fromEntries(files)));
  expect([...issues, ...found].map(({ code }) => code).join(' ')).toBe(codes);
});

test('every planner that comes with teddy is in the table', () => {
  const [, table] = /\| planner \| .*\n.*\n((?:\|.*\n)+)/.exec(readPage(PAGE))!;
  const named = [...table!.matchAll(/^\| `(\w+)` \|/gm)].map((row) => row[1]!);
  expect(named.sort()).toEqual([...BUILT_IN_PLANNERS.keys()].sort());
});
