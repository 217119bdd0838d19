import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type Action, applyEdit, findEdit, readPlan } from '../../src/index.js';
import { readExamples, readPage } from './page.js';
import { makeReadersFolder, replayConsole } from './shell.js';

test('first-turn can be carried out as it stands, and does what it says', () => {
  const project = join(makeReadersFolder(), 'examples/first-turn');
  const { plan, issues } = readPlan(readPage('examples/first-turn/plan.md'));
  expect(issues).toEqual([]);
  expect(plan!.actions.map(({ type }) => type)).toEqual([
    'READ',
    'CREATE',
    'EDIT',
    'EXECUTE',
    'CHAT_WITH_USER',
  ]);
  for (const action of plan!.actions) carryOut(action, project);
});

test('first-turn has a fault that its plan mends', () => {
  const project = join(makeReadersFolder(), 'examples/first-turn');
  const { plan } = readPlan(readPage('examples/first-turn/plan.md'));
  for (const action of plan!.actions) if (action.type === 'CREATE') carryOut(action, project);
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
])('%s shows what is printed', (page, folder) => {
  const consoles = readExamples(page).filter(({ language }) => language === 'console');
  expect(consoles).not.toEqual([]);
  for (const { text } of consoles) {
    expect(replayConsole(text, join(makeReadersFolder(), folder))).toBe(text);
  }
});

test('the page of naive-fences is read to its end', () => {
  const { plan, issues } = readPlan(readPage('examples/naive-fences/plan.md'));
  const create = plan!.actions[0]!;
  expect(issues.map(({ code }) => code)).toEqual(['fence-repaired']);
  expect(create.type === 'CREATE' && create.content).toMatch(
    /^# Usage\n[\s\S]*it is called and exits with 2\.\n$/,
  );
});

/** A stand-in for the run that is to come: just enough to see that the example holds together. */
function carryOut(action: Action, project: string): void {
  if (action.type === 'CREATE') {
    const path = join(project, action.path);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, action.content, { flag: 'wx' });
  } else if (action.type === 'EDIT') {
    const path = join(project, action.path);
    for (const { find, replace } of action.edits) {
      const text = readFileSync(path, 'utf8');
      const match = findEdit(text, find, replace);
      if (match.status !== 'found') throw new Error(`${find} is ${match.status}.`);
      const edited = applyEdit(text, match, find, replace);
      if (edited.status !== 'applied') throw new Error(edited.reason);
      writeFileSync(path, edited.text);
    }
  } else if (action.type === 'EXECUTE') {
    const { status, stdout } = spawnSync('sh', ['-c', action.command], {
      cwd: project,
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    });
    expect(status, stdout).toBe(0);
    const promised = [...action.expectedOutcome!.matchAll(/`([^`]+)`/g)].map((span) => span[1]!);
    expect(promised.filter((text) => !stdout.includes(text))).toEqual([]);
  }
}
