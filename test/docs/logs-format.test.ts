import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readResultLog } from '../../src/tasks/logs/read-log.js';
import { readExamples, readPage } from './page.js';
import { makeReadersFolder, runShell, walkPage } from './shell.js';

// The text after the opening fence of an example says how it is tested:
//
//   console                run, line by line, in the folder of examples/capture
//   LANGUAGE file: PATH    saved there, for the commands that follow
//   yaml log               a log
const PAGE = 'docs/formats/logs.md';
const page = readPage(PAGE);

test('the commands do what is shown, and every path and key that they make is on the page', () => {
  const project = join(makeReadersFolder(), 'examples/capture');
  const others = walkPage(PAGE, project);
  expect(others.map(({ language, note }) => `${language} ${note}`)).toEqual(['yaml log']);

  runShell('teddy result submit results/untrue.yaml --plan 01-01 --verify || true', project);
  runShell('teddy task start 01-01:2', project);
  const logs = join(project, '.ultraplan/logs');
  const files = filesIn(logs);
  const paths = files.map(shownPath).filter((path) => !path.endsWith('.old'));
  expect(new Set(paths).size).toBeGreaterThan(7);
  expect(paths.filter((path) => !page.includes(`\`${path}\``))).toEqual([]);

  const records = /^\d+$|^[0-9a-f]{32}$|^\d\d-\d\d$/;
  const keys = [...new Set(files.flatMap((file) => keysIn(join(logs, file))))];
  expect(keys.length).toBeGreaterThan(60);
  expect(keys.filter((key) => !records.test(key) && !page.includes(`\`${key}\``))).toEqual([]);
});

test('the log of a claim that does not hold reads as one', () => {
  const { text } = readExamples(PAGE).find(({ note }) => note === 'log')!;
  expect(readResultLog(text)).toMatchObject({
    status: 'log',
    facts: { status: 'failure', claimed: 'success', verificationMs: 112 },
  });
});

test('every code of logs verify is on the page, and no other', () => {
  const source = readPage('src/tasks/logs/verify-logs.ts');
  const union = /type LogProblemCode =([\s\S]+?);\n/.exec(source)![1]!;
  const codes = [...union.matchAll(/'([a-z-]+)'/g)].map((match) => match[1]);
  const table = /\| code \| means \|\n[^\n]+\n((?:\|[^\n]*\n)+)/.exec(page)![1]!;
  expect([...table.matchAll(/^\| `([a-z-]+)`/gm)].map((row) => row[1])).toEqual(codes);
});

/** Paths from the folder. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

/** As the table of paths has it. */
function shownPath(path: string): string {
  return path
    .replace(/\d{4}-\d\d-\d\d/g, 'DAY')
    .replace(/01-01-task-\d\d-[a-z]+/, 'PLAN-task-NN-STATUS')
    .replace(/01-01-[0-9a-f]{8}/, 'PLAN-HASH')
    .replace('plan-01-01', 'plan-PLAN')
    .replace(/sessions\/[\w-]+/, 'sessions/ID')
    .replace(/^archive\/DAY\/.*/, 'archive/DAY/');
}

function keysIn(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  if (file.endsWith('.jsonl'))
    return text
      .trim()
      .split('\n')
      .flatMap((line) => keysOf(JSON.parse(line)));
  if (file.endsWith('.json')) return keysOf(JSON.parse(text));
  if (!file.endsWith('.yaml')) return [];
  const { result: _, ...header } = parse(text) as Record<string, unknown>;
  return keysOf(header);
}

function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(keysOf);
  return Object.entries(value).flatMap(([key, inside]) => [key, ...keysOf(inside)]);
}
