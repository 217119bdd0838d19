import { expect, test } from 'vitest';
import { RISKS, risksOfFile, risksOfPath } from '../../src/review/risks.js';

const kindsOf = (path: string, files: string[] | null = null) =>
  risksOfPath(path, files).map(({ kind }) => kind);

test('tests and scripts are known by their paths', () => {
  expect(kindsOf('test/upload.ts')).toEqual(['tests']);
  expect(kindsOf('src/upload.spec.tsx')).toEqual(['tests']);
  expect(kindsOf('package.json')).toEqual(['scripts']);
  expect(kindsOf('tests/run.sh')).toEqual(['tests', 'scripts']);
  expect(kindsOf('src/contest.ts')).toEqual([]);
  expect(kindsOf('src/latest/upload.ts')).toEqual([]);
});

test('files by which tools run commands count as scripts', () => {
  for (const path of [
    '.husky/pre-commit',
    '.vscode/tasks.json',
    '.claude/settings.json',
    'app/.envrc',
    '.mcp.json',
    '.gitmodules',
    'mise.toml',
    '.nvim.lua',
  ])
    expect(kindsOf(path), path).toEqual(['scripts']);
  for (const path of ['src/claude/settings.json', '.envrc.md', 'vscode/x', '.npmrc/x'])
    expect(kindsOf(path), path).toEqual([]);
});

const PLAIN = { path: 'sub/link', isDeleted: false, conflict: null, added: [], removed: [] };
const LOOK = { target: null, becomesExecutable: false, hasSecret: false };
const NO_TASK = { verify: null, taskFiles: null };

test.each([
  ['/etc', true],
  ['../..', true],
  ['../../other', true],
  ['here/../../other', true],
  ['../here/../other', true],
  ['..', false],
  ['../other', false],
  ['./other/deep', false],
])('whether a link to %s leads out: %s', (target, isOut) => {
  const risks = risksOfFile({ ...PLAIN, ...LOOK, target }, NO_TASK);
  expect(risks.map(({ kind }) => kind)).toEqual(isOut ? ['link-out'] : []);
});

test('a deleted test is one risk', () => {
  const risks = risksOfFile({ ...PLAIN, ...LOOK, path: 'test/a.test.ts', isDeleted: true }, NO_TASK);
  expect(risks).toEqual([{ kind: 'deletes', message: 'deletes a test' }]);
});

test('a file that the task does not name is outside the task', () => {
  const files = ['src/store.ts', './docs/', 'lib/**/*.ts'];
  expect(kindsOf('src/store.ts', files)).toEqual([]);
  expect(kindsOf('docs/setup.md', files)).toEqual([]);
  expect(kindsOf('lib/deep/one.ts', files)).toEqual([]);
  expect(kindsOf('src/store.ts.bak', files)).toEqual(['outside-task']);
  expect(kindsOf('src/other.ts', files)).toEqual(['outside-task']);
  expect(kindsOf('documents/a.md', files)).toEqual(['outside-task']);
  expect(kindsOf('.github/workflows/ci.yml', files)).toEqual(['outside-task', 'scripts']);
  expect(kindsOf('anything.ts', ['*.ts'])).toEqual([]);
});

test('without a task, or with one that names no files, nothing is outside', () => {
  expect(kindsOf('src/other.ts', null)).toEqual([]);
});

test('grave risks come first', () => {
  const graves = Object.values(RISKS).map(({ isGrave }) => isGrave);
  expect(graves.lastIndexOf(true)).toBeLessThan(graves.indexOf(false));
});
