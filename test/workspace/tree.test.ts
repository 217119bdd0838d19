import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Tree } from '../../src/core/tree.js';
import { realPath } from '../../src/node/files.js';
import { openTree } from '../../src/workspace/tree.js';
import { makeFolder } from '../folder.js';

const OUT = { status: 'refused', reason: 'leads out of the root through a symlink' };

let tree: Tree;
let root: string;

beforeEach(() => {
  const folder = realPath(
    makeFolder({
      'secret.txt': 'secret',
      'root-twin/secret.txt': 'secret',
      'root/a.txt': '\ufeffone\r\ntwo',
      'root/sub/b.txt': 'b',
      'root/binary': 'a\0b',
      'root/latin': Uint8Array.from([0x63, 0xe9]),
      'root/huge': Buffer.alloc(10 * 1024 * 1024 + 1, 'a'),
    }),
  )!;
  root = join(folder, 'root');
  const links = {
    'link.txt': 'a.txt',
    'link-sub': 'sub',
    'out.txt': '../secret.txt',
    'out-absolute.txt': join(folder, 'secret.txt'),
    'out-folder': '..',
    'out-twin': '../root-twin',
    'sub/out-deep': '../../root-twin',
    'by-detour.txt': '../root/a.txt',
    dangling: 'nowhere',
    circle: 'circle',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
  execFileSync('mkfifo', [join(root, 'pipe')]);
  tree = openTree(root);
});

test.each([
  ['a.txt', 'file'],
  ['sub', 'folder'],
  ['', 'folder'],
  ['./sub//b.txt', 'file'],
  ['link.txt', 'file'],
  ['link-sub', 'folder'],
  ['link-sub/b.txt', 'file'],
  ['by-detour.txt', 'file'],
  ['pipe', 'other'],
  ['out.txt', 'other'],
  ['out-folder', 'other'],
  ['out-folder/secret.txt', 'other'],
  ['out-folder/not-there-at-all', 'other'],
  ['dangling', 'other'],
  ['circle', 'other'],
  ['../secret.txt', 'other'],
  ['nowhere', undefined],
  ['a.txt/b', undefined],
  ['a\0b', undefined],
])('stat %j: %s', (path, kind) => {
  expect(tree.stat(path)?.kind).toBe(kind);
});

test.each([
  ['a.txt', { status: 'text', text: '\ufeffone\r\ntwo' }],
  ['link-sub/b.txt', { status: 'text', text: 'b' }],
  ['by-detour.txt', { status: 'text', text: '\ufeffone\r\ntwo' }],
  ['nowhere', { status: 'missing' }],
  ['nowhere/at/all', { status: 'missing' }],
  ['a.txt/b', { status: 'missing' }],
  ['a\0b', { status: 'missing' }],
  ['sub', { status: 'refused', reason: 'is a folder' }],
  ['binary', { status: 'refused', reason: 'is binary, not text (it holds NUL bytes)' }],
  ['latin', { status: 'refused', reason: 'is not UTF-8 text' }],
  ['huge', { status: 'refused', reason: 'is larger than 10 MB' }],
  ['pipe', { status: 'refused', reason: 'is not a regular file' }],
  ['dangling', { status: 'refused', reason: 'is a symlink that leads nowhere' }],
  ['circle', { status: 'refused', reason: 'leads through symlinks in a circle' }],
  ['../secret.txt', { status: 'refused', reason: 'leads out of the project root' }],
  ['sub/../../secret.txt', { status: 'refused', reason: 'leads out of the project root' }],
  ['out.txt', OUT],
  ['out-absolute.txt', OUT],
  ['out-folder', OUT],
  ['out-folder/secret.txt', OUT],
  ['out-folder/root/a.txt', OUT],
  ['out-twin/secret.txt', OUT],
  ['sub/out-deep/secret.txt', OUT],
  ['link-sub/out-deep/secret.txt', OUT],
])('text of %j', (path, expected) => {
  expect(tree.text(path)).toEqual(expected);
});
