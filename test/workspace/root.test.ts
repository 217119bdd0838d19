import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { realPath, Unusable } from '../../src/platform/index.js';
import { findRoot } from '../../src/workspace/index.js';
import { makeFolder } from '../folder.js';

function makeHouse(files: Record<string, string>) {
  const house = realPath(makeFolder({ 'a/b/c/file': '', ...files }))!;
  return { house, c: join(house, 'a/b/c') };
}

test('the folder that was named, relative to the current one', () => {
  const { house, c } = makeHouse({ 'a/b/c/.teddy/memos.yaml': '' });
  expect(findRoot(c, '../..')).toBe(join(house, 'a'));
});

test('the nearest with .teddy, even behind one with .git', () => {
  const { house, c } = makeHouse({ 'a/.teddy/memos.yaml': '', 'a/b/.git/HEAD': '' });
  expect(findRoot(c)).toBe(join(house, 'a'));
});

test('a file called .teddy is not one', () => {
  const { house, c } = makeHouse({ 'a/b/.teddy': '', 'a/.git/HEAD': '' });
  expect(findRoot(c)).toBe(join(house, 'a'));
});

test('else the nearest with .git, which is a file in a worktree', () => {
  const { house, c } = makeHouse({ 'a/.git/HEAD': '', 'a/b/.git': 'gitdir: elsewhere\n' });
  expect(findRoot(c)).toBe(join(house, 'a/b'));
});

test('else the current folder', () => {
  const { c } = makeHouse({});
  expect(findRoot(c)).toBe(c);
});

test('the root is a real path, whatever link led there', () => {
  const { house, c } = makeHouse({});
  mkdirSync(join(house, 'links'));
  symlinkSync(c, join(house, 'links/c'));
  expect(findRoot(house, 'links/c')).toBe(c);
});

test('a named root must be a folder that is there', () => {
  const { c } = makeHouse({});
  expect(() => findRoot(c, 'nowhere')).toThrow(new Unusable('--root nowhere does not exist.'));
  expect(() => findRoot(c, 'file')).toThrow(new Unusable('--root file is not a folder.'));
});
