import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ACP_PRESETS, BUILT_IN_EXECUTORS, EXECUTOR_PRESETS } from '../../src/config/types.js';
import { CLIENT_DEFINITIONS } from '../../src/core/agent-report/clients/clients.js';
import { parseTaskPlan } from '../../src/core/task-plan/parse.js';
import { MARK_VARIABLE } from '../../src/node/process/process-table.js';
import { STATE, STATE_FOLDER } from '../../src/orchestrate/state-files.js';
import { type Example, ROOT, readPage, readSources } from './page.js';
import { makeReadersFolder, runShell, walkPage } from './shell.js';

// The text after the opening fence of an example says how it is tested:
//
//   console                run, line by line, in a copy of examples/orchestrate
//   LANGUAGE file: PATH    saved there, for the commands that follow
const PAGE = 'docs/tasks.md';
const FORMAT = 'docs/formats/orchestration.md';

test('the commands print what the page shows, from its first line to its last', () => {
  const { others } = walkInWeather(PAGE);
  // The drawing of the whole.
  expect(others.map(({ language }) => language)).toEqual(['']);
});

test('the page about events and files shows what is printed', () => {
  expect(walkInWeather(FORMAT).others).toEqual([]);
});

test('the README of the example shows what is printed', () => {
  expect(walkInWeather('examples/orchestrate/README.md').others).toEqual([]);
});

test('the example is a project in which nothing is done yet, and whose plans have no fault', () => {
  const { project } = copyWeather();
  const check = (script: string) => spawnSync('node', [script], { cwd: project, encoding: 'utf8' });
  for (const script of ['test/convert.mjs', 'test/format.mjs']) expect(check(script).status).toBe(1);
  for (const plan of ['01-01', '01-02', '01-03'])
    expect(parseTaskPlan(readPage(`examples/orchestrate/${plan}-PLAN.md`)).issues).toEqual([]);
});

test('every executor that comes with teddy is in the table', () => {
  expect(codesIn(PAGE, 'name')).toEqual(BUILT_IN_EXECUTORS);
});

test('presets are shown as they are started', () => {
  for (const preset of EXECUTOR_PRESETS) {
    const words = [preset, ...CLIENT_DEFINITIONS[preset].executor.args];
    expect(readPage(PAGE)).toContain(`| \`${preset}\` | \`${words.join(' ')}\` |`);
  }
  for (const [preset, command] of Object.entries(ACP_PRESETS))
    expect(readPage(PAGE)).toContain(`| \`${preset}\` | \`${command}\``);
});

test('every event and every reason is in its table', () => {
  const source = readFileSync(join(ROOT, 'src/orchestrate/events.ts'), 'utf8');
  const types = [...source.matchAll(/\{\s*type: '([\w-]+)'/g)].map((type) => type[1]);
  expect(codesIn(FORMAT, 'type').sort()).toEqual(types.sort());
  expect(codesIn(FORMAT, '`why`').sort()).toEqual(wordsOf(source, 'export type FailureKind =').sort());
  const questions = wordsOf(source, '  why:\n');
  for (const why of questions) expect(readPage(FORMAT)).toContain(`\`${why}\``);
  expect(types.length + questions.length).toBeGreaterThan(15);
});

test('every file of the state is in the table', () => {
  const others = ['handed.jsonl', 'fix-03-01-2.md'];
  const files = [...Object.values(STATE).map((path) => path.slice(STATE_FOLDER.length + 1)), ...others];
  const named = codesIn(FORMAT, 'file').map((name) => name.replace(/\/$/, ''));
  expect(named.sort()).toEqual(files.sort());
});

test('executors are told what the page says that they are', () => {
  const source = readFileSync(join(ROOT, 'src/orchestrate/executors/program.ts'), 'utf8');
  const variables = [...source.matchAll(/^ {4}(PWD|TEDDY_\w+): /gm)].map((name) => name[1]);
  const named = codesIn(FORMAT, 'it gets').filter((name) => /^[A-Z_]+$/.test(name));
  expect(named.sort()).toEqual([...variables, MARK_VARIABLE].sort());
});

test('the codes on the page are those of the program', () => {
  const codes = [...readPage(PAGE).matchAll(/`([a-z]+-[a-z]+)`/g)].map((match) => match[1]!);
  const source = readSources();
  expect(codes.length).toBeGreaterThan(2);
  expect(codes.filter((code) => !source.includes(`'${code}'`))).toEqual([]);
});

function copyWeather(): { project: string } {
  const folder = makeReadersFolder();
  expect(runShell('cp -R examples/orchestrate weather', folder)).toBe('');
  return { project: join(folder, 'weather') };
}

function walkInWeather(page: string): { project: string; others: Example[] } {
  const { project } = copyWeather();
  const others = walkPage(page, project).filter(
    ({ text }) => !text.startsWith('cp -R examples/orchestrate '),
  );
  return { project, others };
}

/** The code in the first column of the table that starts with `head`. */
function codesIn(page: string, head: string): string[] {
  const text = readPage(page);
  const at = text.indexOf(`\n| ${head} |`);
  const [table = ''] = text.slice(at + 1).split('\n\n', 1);
  return [...table.matchAll(/^\| `([^`]+)` \|/gm)]
    .map((row) => row[1]!)
    .filter((code) => `\`${code}\`` !== head);
}

/** The words of a union of strings that starts after `mark`. */
function wordsOf(source: string, mark: string): string[] {
  const [union = ''] = source.slice(source.indexOf(mark) + mark.length).split(';', 1);
  return [...union.matchAll(/'([\w-]+)'/g)].map((word) => word[1]!);
}
