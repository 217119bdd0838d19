import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listGitFiles } from '../../src/node/git/listing.js';
import { makeFolder } from '../folder.js';
import { makeRepository, plainGit } from '../repository.js';

async function listed(root: string): Promise<string[]> {
  const result = await listGitFiles(root);
  if (result.status !== 'ok') throw new Error(result.reason);
  return result.files;
}

const write = (root: string, path: string, text = 'new\n') => writeFileSync(join(root, path), text);

test('what git knows and what it would take in, sorted; what it ignores not', async () => {
  const root = makeRepository({ '.gitignore': '*.log\ndist/\n', 'src/b.ts': 'b\n', 'a.txt': 'a\n' });
  mkdirSync(join(root, 'dist'));
  for (const path of ['x.log', 'dist/x.js', 'src/a.ts', 'B']) write(root, path);
  expect(await listed(root)).toEqual(['.gitignore', 'B', 'a.txt', 'src/a.ts', 'src/b.ts']);
});

test('what is ignored and tracked all the same is there', async () => {
  const root = makeRepository({ 'a.log': 'a\n' });
  write(root, '.gitignore', '*.log\n');
  expect(await listed(root)).toEqual(['.gitignore', 'a.log']);
});

test('a file that is gone is not there, nor one in whose place a folder stands', async () => {
  const root = makeRepository({ gone: 'g\n', staged: 's\n', changed: 'c\n', kept: 'k\n' });
  rmSync(join(root, 'gone'));
  plainGit(root, 'rm', '-q', 'staged');
  rmSync(join(root, 'changed'));
  mkdirSync(join(root, 'changed'));
  write(root, 'changed/inner');
  expect(await listed(root)).toEqual(['changed/inner', 'kept']);
});

test('a folder that is gone, or in whose place a link stands, takes its files along', async () => {
  const root = makeRepository({ 'gone/deep/a': 'a\n', 'linked/deep/b': 'b\n', 'real/deep/b': 'b\n' });
  rmSync(join(root, 'gone'), { recursive: true });
  rmSync(join(root, 'linked'), { recursive: true });
  symlinkSync('real', join(root, 'linked'));
  expect(await listed(root)).toEqual(['linked', 'real/deep/b']);
});

test('from a folder within the repository, paths begin there', async () => {
  const root = makeRepository({ 'one/a': 'a\n', 'one/two/b': 'b\n', 'one/gone': 'g\n', other: 'o\n' });
  rmSync(join(root, 'one/gone'));
  write(root, 'one/new');
  expect(await listed(join(root, 'one'))).toEqual(['a', 'new', 'two/b']);
});

test('an unmerged file is one', async () => {
  const root = makeRepository({ a: 'one\n' });
  plainGit(root, 'checkout', '-q', '-b', 'other');
  write(root, 'a', 'two\n');
  plainGit(root, 'commit', '-q', '-a', '-m', 'second');
  plainGit(root, 'checkout', '-q', 'main');
  write(root, 'a', 'three\n');
  plainGit(root, 'commit', '-q', '-a', '-m', 'third');
  expect(() => plainGit(root, 'merge', 'other')).toThrow();
  expect(await listed(root)).toEqual(['a']);
});

test('a link is one name; a submodule, too; a repository that nobody added is none', async () => {
  const inner = makeRepository({ i: 'i\n' });
  const root = makeRepository({ 'sub/a': 'a\n' });
  symlinkSync('sub', join(root, 'link'));
  plainGit(root, 'submodule', 'add', '-q', inner, 'module');
  plainGit(root, 'clone', '-q', inner, 'clone');
  expect(await listed(root)).toEqual(['.gitmodules', 'link', 'module', 'sub/a']);
});

test('what a sparse checkout leaves out is not there; what git was told not to look at is, if it is', async () => {
  const root = makeRepository({ 'in/a': 'a\n', 'out/b': 'b\n', 'out/deep/c': 'c\n', own: 'o\n' });
  plainGit(root, 'sparse-checkout', 'set', 'in');
  plainGit(root, 'update-index', '--skip-worktree', 'own');
  plainGit(root, 'update-index', '--assume-unchanged', 'in/a');
  expect(await listed(root)).toEqual(['in/a', 'own']);
});

test('names that others would quote', async () => {
  const root = makeRepository({});
  const names = ['-x', 'sp ace', 'tab\there', 'line\nbreak', '"quoted"', 'ü→😀', 'S s'];
  for (const name of names) write(root, name);
  expect(await listed(root)).toEqual([...names].sort());
});

test('no repository', async () => {
  expect(await listGitFiles(makeFolder({ a: 'a\n' }))).toMatchObject({ status: 'no-repository' });
});

test('no folder, a broken repository: refused, never thrown', async () => {
  const root = makeRepository({ a: 'a\n' });
  writeFileSync(join(root, '.git/index'), 'no index');
  expect(await listGitFiles(root)).toMatchObject({
    status: 'failed',
    reason: expect.stringMatching(/index/),
  });
  expect(await listGitFiles(join(root, 'nowhere'))).toMatchObject({ status: 'failed' });
});
