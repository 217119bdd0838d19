import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openWorkTree, readHead } from '../../src/node/git/work-tree.js';
import { makeFolder } from '../folder.js';

function git(cwd: string, ...words: string[]): string {
  const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.org'];
  return execFileSync('git', [...identity, ...words], { cwd, encoding: 'utf8' }).trim();
}

function makeRepository(): string {
  const root = makeFolder({ a: 'a\n' });
  git(root, 'init', '-q', '-b', 'main');
  git(root, 'add', '-A');
  git(root, 'commit', '-q', '-m', 'first');
  return root;
}

/** What teddy says of HEAD, and what git says. */
async function compareHeads(root: string) {
  const opened = await openWorkTree(root);
  if (opened.status !== 'ok') throw new Error(opened.reason);
  const commit = await opened.tree.commit();
  const branch = git(root, 'branch', '--show-current');
  return {
    ours: { commit: commit.status === 'ok' && commit.commit, branch: await opened.tree.branch() },
    gits: { commit: git(root, 'rev-parse', 'HEAD'), branch: branch === '' ? null : branch },
    isReadByUs: readHead(opened.tree.gitFolder, opened.commonFolder) !== undefined,
  };
}

const SHAPES: [name: string, isReadByUs: boolean, change: (root: string) => void][] = [
  ['a branch', true, () => {}],
  ['a branch with slashes', true, (root) => git(root, 'checkout', '-q', '-b', 'feature/a-b')],
  ['no branch', true, (root) => git(root, 'checkout', '-q', '--detach')],
  ['a packed branch', false, (root) => git(root, 'pack-refs', '--all')],
  [
    'a HEAD that is a link',
    false,
    (root) => {
      rmSync(join(root, '.git/HEAD'));
      symlinkSync('refs/heads/main', join(root, '.git/HEAD'));
    },
  ],
  [
    'a branch that leads to another',
    false,
    (root) => {
      renameSync(join(root, '.git/refs/heads/main'), join(root, '.git/refs/heads/other'));
      writeFileSync(join(root, '.git/refs/heads/main'), 'ref: refs/heads/other\n');
    },
  ],
];

test.each(SHAPES)('HEAD is what git says: %s', async (_, isReadByUs, change) => {
  const root = makeRepository();
  change(root);
  const found = await compareHeads(root);
  expect(found.ours).toEqual(found.gits);
  expect(found.isReadByUs).toBe(isReadByUs);
});

test('HEAD of a worktree is its own', async () => {
  const root = makeRepository();
  git(root, 'worktree', 'add', '-q', '-b', 'second', 'tree');
  git(join(root, 'tree'), 'commit', '-q', '--allow-empty', '-m', 'second');
  const found = await compareHeads(join(root, 'tree'));
  expect(found.ours).toEqual(found.gits);
  expect(found.ours.branch).toBe('second');
});

test.each([
  '',
  '\n',
  'ref: refs/heads/../../config\n',
  'ref: refs/heads/\n',
  'garbage\n',
  'ref: refs/heads/gone\n',
])('only git can tell what %j means', (text) => {
  const root = makeRepository();
  writeFileSync(join(root, '.git/HEAD'), text);
  expect(readHead(join(root, '.git'), join(root, '.git'))).toBeUndefined();
});
