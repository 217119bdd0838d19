import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { parseReport } from '../../src/core/report/parse.js';
import { readExamples, readPage } from './page.js';
import { makeReadersFolder, walkPage } from './shell.js';

const installers = readExamples('README.md')
  .filter(({ language, text }) => language === 'sh' && text.startsWith('npm ci'))
  .map(({ text }) => text.trim());

test('the tour goes as it is shown, from its first line to its last', () => {
  const others = walkPage('README.md', makeReadersFolder());
  // Not run: the install from npm, and a coding agent that is not part of this project.
  expect(others.filter(({ language }) => !['sh', ''].includes(language)).map(({ line }) => line)).toEqual([]);
});

test('the first command does the main job, once the install is done', () => {
  const folder = makeReadersFolder();
  const job = installers[0]!.replace(/^npm ci && /, '');
  const { status, stdout } = spawnSync('sh', ['-c', job], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, TMPDIR: tmpdir(), HOME: folder },
  });
  expect(status).toBe(0);
  expect(parseReport(stdout)).toMatchObject({ status: 'mirrored', overall: 'Partial' });
});

test('the second command is what the project is tested with', () => {
  expect(installers).toEqual([expect.stringMatching(/^npm ci && npx teddy execute /), 'npm ci && npm test']);
  expect(readPage('.ci/run')).toContain("'npm test' npm test");
});

test('it has at most 150 lines, and says in a few what teddy is', () => {
  const page = readPage('README.md');
  expect(page.split('\n').length).toBeLessThanOrEqual(151);
  expect(page.split(/\n\n/)[1]!.split('\n').length).toBeLessThanOrEqual(5);
});
