import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, readExamples, readPage } from './page.js';
import { makeReadersFolder, replayConsole } from './shell.js';

const examples = readExamples('README.md');
const installers = examples.filter(({ language }) => language === 'sh').map(({ text }) => text.trim());

test('the tour goes as it is shown, from its first line to its last', () => {
  const folder = makeReadersFolder();
  for (const { language, note, text, line } of examples) {
    if (language === 'js') writeFileSync(join(folder, note), text);
    else if (language === 'console') expect(replayConsole(text, folder), `line ${line}`).toBe(text);
    else expect(language, `line ${line} shows what no test runs`).toBe('sh');
  }
});

test('the first command runs the main job, once the install is done', () => {
  const [job] = installers.map((command) => command.replace(/^npm ci && /, ''));
  const { status, stdout } = spawnSync('sh', ['-c', job!], { cwd: ROOT, encoding: 'utf8' });
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: 'examples/first-turn/plan.md: 5 actions, ready\n',
  });
});

test('the second command is what the project is tested with', () => {
  expect(installers).toEqual([expect.stringMatching(/^npm ci && npx teddy /), 'npm ci && npm test']);
  expect(readPage('.ci/run')).toContain("'npm test' npm test");
});

test('it says in a few lines what teddy is', () => {
  const [, first] = readPage('README.md').split(/\n\n/);
  expect(first!.split('\n').length).toBeLessThanOrEqual(5);
});
