import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPlan } from '../../src/core/plan/read.js';
import { parseReport } from '../../src/core/report/parse.js';
import { parseTaskPlan } from '../../src/core/task-plan/parse.js';
import { judgeResult } from '../../src/core/task-result/judge.js';
import { readResult } from '../../src/core/task-result/read.js';
import { MemoryTree } from '../../src/core/tree.js';
import { makeFolder } from '../folder.js';
import { copyExamples } from './copy-examples.js';
import { ROOT, readExamples, readPage } from './page.js';
import { makeReadersFolder, replayConsole, runShell } from './shell.js';

const CARRY_OUT =
  'teddy execute examples/first-turn/plan.md --root examples/first-turn --yes --output report.md';

test('first-turn is carried out as it stands, and does what it says', () => {
  const folder = makeReadersFolder();
  const { plan, issues } = readPlan(readPage('examples/first-turn/plan.md'));
  expect(issues).toEqual([]);
  runShell(CARRY_OUT, folder);
  const report = parseReport(readFileSync(join(folder, 'report.md'), 'utf8'));
  if (report.status !== 'mirrored') throw new Error(JSON.stringify(report));
  expect(report.actions.map(({ type }) => type)).toEqual(plan!.actions.map(({ type }) => type));
  expect(report.actions.map(({ outcome }) => outcome.status)).toEqual([
    ...['success', 'success', 'success', 'success'],
    'not-run',
  ]);
  expect(report.actions[3]!.outcome).toMatchObject({ exitCode: 0, expectedOutcome: { met: true } });
});

test('git sees of it what the plan changes and nothing else, and after undo nothing at all', () => {
  const folder = makeReadersFolder();
  const git = 'git -c user.name=a -c user.email=a@example.com';
  runShell(`git init -q . && git add examples && ${git} commit -qm first`, folder);
  const status = () => runShell('git status --short -uall examples', folder);
  runShell(CARRY_OUT, folder);
  expect(status().split('\n').sort()).toEqual([
    '',
    ' M examples/first-turn/.teddy/memos.yaml',
    ' M examples/first-turn/src/count.js',
    '?? examples/first-turn/test/edge-cases.test.js',
  ]);
  runShell('teddy undo --root examples/first-turn', folder);
  expect(status()).toBe('');
});

test('where first-turn was carried out and not undone, readers still get it as git has it', () => {
  const clone = makeReadersFolder();
  runShell(`git init -q . && git add examples && ${CARRY_OUT}`, clone);
  const copy = makeFolder();
  copyExamples(clone, copy);
  for (const path of ['src/count.js', '.teddy/memos.yaml']) {
    const here = join('examples/first-turn', path);
    expect(readFileSync(join(clone, here), 'utf8')).not.toBe(readFileSync(join(copy, here), 'utf8'));
  }
  expect(readdirSync(join(copy, 'examples/first-turn/.teddy')).sort()).toEqual(['.gitignore', 'memos.yaml']);
  expect(readdirSync(join(copy, 'examples/first-turn/test'))).toEqual(['count.test.js']);
});

test('first-turn has a fault that its plan mends', () => {
  const project = join(makeReadersFolder(), 'examples/first-turn');
  const { plan } = readPlan(readPage('examples/first-turn/plan.md'));
  for (const action of plan!.actions)
    if (action.type === 'CREATE') writeFileSync(join(project, action.path), action.content);
  const { status, stdout } = spawnSync('node', ['--test', '--test-reporter=tap'], {
    cwd: project,
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  expect(status).toBe(1);
  expect(stdout).toContain('# fail 3');
});

test.each([
  ['examples/README.md', '.'],
  ['examples/first-turn/README.md', 'examples/first-turn'],
  ['examples/capture/README.md', 'examples/capture'],
  ['examples/agents/README.md', 'examples/agents'],
])('%s shows what is printed', (page, folder) => {
  const consoles = readExamples(page).filter(({ language }) => language === 'console');
  expect(consoles).not.toEqual([]);
  const place = join(makeReadersFolder(), folder);
  for (const { text } of consoles) expect(replayConsole(text, place)).toBe(text);
});

test('examples/README.md has a row for every example', () => {
  const folders = readdirSync(join(ROOT, 'examples'), { withFileTypes: true }).filter((each) =>
    each.isDirectory(),
  );
  const rows = [...readPage('examples/README.md').matchAll(/^\| \[(.+?)\]\(\1\) \|/gm)].map((row) => row[1]);
  expect(rows.sort()).toEqual(folders.map(({ name }) => name).sort());
});

test('stops would be whole but for its missing bracket', () => {
  const folder = makeReadersFolder();
  const project = join(folder, 'examples/first-turn');
  const mended = readPage('examples/stops/plan.md').replace("startsWith('--');", "startsWith('--'));");
  mkdirSync(join(folder, 'examples/mended'));
  writeFileSync(join(folder, 'examples/mended/plan.md'), mended);
  runShell('teddy execute examples/mended/plan.md --root examples/first-turn --yes', folder);
  expect(runShell('node src/main.js --words README.md', project)).toContain('README.md: 11 lines');
});

test('capture is a project whose first task is done and whose second is not', () => {
  const project = join(makeReadersFolder(), 'examples/capture');
  const check = (script: string) => spawnSync('node', [script], { cwd: project, encoding: 'utf8' });
  expect(check('test/slug.mjs')).toMatchObject({ status: 0, stdout: '3 checks passed\n' });
  expect(check('test/length.mjs')).toMatchObject({ status: 1 });
  expect(check('test/length.mjs').stderr).toContain('39 characters, at most 20 are allowed');
});

test.each([
  ['good', 'VALID'],
  ['failing', 'VALID'],
  ['untrue', 'VALID'],
  ['broken', 'INVALID'],
])('the result %s of capture is %s', (name, verdict) => {
  const plan = parseTaskPlan(readPage('examples/capture/01-01-PLAN.md'));
  const files = ['src/slug.mjs', 'test/slug.mjs', 'test/length.mjs'].map((path) => [path, ''] as const);
  const tree = new MemoryTree(Object.fromEntries(files));
  const result = readResult(readPage(`examples/capture/results/${name}.yaml`));
  expect(judgeResult(result, { plan, planName: 'PLAN.md', tree }).verdict).toBe(verdict);
  expect(plan.issues).toEqual([]);
});

test('agents is a project that works but for a country in small letters', () => {
  const project = join(makeReadersFolder(), 'examples/agents');
  const run = (...words: string[]) => spawnSync('node', words, { cwd: project, encoding: 'utf8' });
  expect(run('test/postage.mjs')).toMatchObject({ status: 0, stdout: '4 checks passed\n' });
  const small =
    "import { postage } from './src/postage.mjs'; console.log(postage('fr', 1), postage('FR', 1));";
  expect(run('--input-type=module', '-e', small).stdout).toBe('2599 1299\n');
});

test('the page of naive-fences is read to its end', () => {
  const { plan, issues } = readPlan(readPage('examples/naive-fences/plan.md'));
  const create = plan!.actions[0]!;
  expect(issues.map(({ code }) => code)).toEqual(['fence-repaired']);
  expect(create.type === 'CREATE' && create.content).toMatch(
    /^# Usage\n[\s\S]*it is called and exits with 2\.\n$/,
  );
});
