import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { parseReport } from '../../src/core/report/parse.js';
import { readExamples, readPage } from './page.js';
import { makeReadersFolder, walkPage } from './shell.js';

const installers = readExamples('README.md')
  .filter(({ language }) => language === 'sh')
  .map(({ text }) => text.trim());

test('the tour goes as it is shown, from its first line to its last', () => {
  const others = walkPage('README.md', makeReadersFolder());
  expect(others.filter(({ language }) => language !== 'sh').map(({ line }) => line)).toEqual([]);
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

test('it says in a few lines what teddy is', () => {
  const [, first] = readPage('README.md').split(/\n\n/);
  expect(first!.split('\n').length).toBeLessThanOrEqual(5);
});
