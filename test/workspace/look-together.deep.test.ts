import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { setFileSeam } from '../../src/node/file-calls.js';
import { realPath } from '../../src/node/files.js';
import { lookTogether, openTree } from '../../src/workspace/tree.js';
import { Random } from '../corpus/random.js';
import { makeFolder } from '../folder.js';

function makeRoot(): string {
  const folder = realPath(
    makeFolder({
      'secret.txt': 'secret',
      'root/a.txt': '\ufeffone\r\ntwo',
      'root/sub/b.txt': 'b',
      'root/sub/deep/c.txt': 'c',
      'root/sub/back\\slash': 'no path',
      'root/binary': 'a\0b',
      'root/latin': Uint8Array.from([0x63, 0xe9]),
      'root/huge': Buffer.alloc(10 * 1024 * 1024 + 1, 'a'),
      'root/.teddy/memos.yaml': '- a\n',
      'root/.teddy/runs/1/plan.md': '# Plan\n',
      'root/.teddy/runs/1/journal/0001.json': 'journal',
      'root/.teddy/tx/1.log': 'log',
    }),
  )!;
  const root = join(folder, 'root');
  const links = {
    'link.txt': 'a.txt',
    'link-sub': 'sub',
    'out.txt': '../secret.txt',
    'out-folder': '..',
    'sub/up': '..',
    'sub/out.txt': '../../secret.txt',
    'to-journal': '.teddy/runs/1/journal',
    dangling: 'nowhere',
    circle: 'circle',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
  execFileSync('mkfifo', [join(root, 'sub/pipe')]);
  return root;
}

const NAMES = [
  ...['a.txt', 'sub', 'b.txt', 'deep', 'c.txt', 'binary', 'latin', 'huge', 'link.txt', 'link-sub', 'out.txt'],
  ...[
    'out-folder',
    'up',
    'to-journal',
    'dangling',
    'circle',
    'pipe',
    'nowhere',
    '.',
    '..',
    '',
    'back\\slash',
  ],
  ...[
    '.teddy',
    '.TEDDY',
    'runs',
    '1',
    'journal',
    'tx',
    '1.log',
    '0001.json',
    'plan.md',
    'memos.yaml',
    'a\0b',
  ],
];

test('whatever was looked at before, each look says what a look of its own would', () => {
  const root = makeRoot();
  const random = new Random('look-together');
  const written = [
    ...['.teddy/runs/1/plan.md', '.teddy/runs/1/journal/0001.json', '.Teddy/runs/1/journal/0001.json'],
    ...[
      'to-journal/0001.json',
      '.teddy/tx/1.log',
      'sub/deep/c.txt',
      'sub/out.txt',
      'sub/pipe',
      'sub/up/a.txt',
    ],
    ...Array.from({ length: 600 }, () =>
      Array.from({ length: 1 + random.below(4) }, () => random.pick(NAMES)).join('/'),
    ),
  ];
  const alone = openTree(root);
  lookTogether(root, (tree) => {
    for (const path of [...written, ...written]) {
      expect(tree.text(path), path).toEqual(alone.text(path));
      expect(tree.stat(path), path).toEqual(alone.stat(path));
      expect(tree.real!(path), path).toBe(alone.real!(path));
    }
  });
});

test('of a file that is larger than asked for only its size is told', () => {
  const root = makeRoot();
  lookTogether(root, (tree) => {
    expect(tree.textUpTo('sub/b.txt', 1)).toEqual({ status: 'text', text: 'b' });
    expect(tree.textUpTo('sub/b.txt', 0)).toEqual({ status: 'larger', bytes: 1 });
    expect(tree.textUpTo('huge', 1000)).toEqual({ status: 'larger', bytes: 10 * 1024 * 1024 + 1 });
    expect(tree.textUpTo('out.txt', 1000)).toMatchObject({ status: 'refused' });
    expect(tree.textUpTo('nowhere', 1000)).toEqual({ status: 'missing' });
  });
});

test('more folders than a process may hold open are no trouble, and in the end none is open', () => {
  const root = realPath(makeFolder())!;
  const paths = Array.from({ length: 500 }, (_, i) => `folder-${i}/file`);
  for (const path of paths) {
    mkdirSync(join(root, path, '..'));
    writeFileSync(join(root, path), path);
  }
  let open = 0;
  let most = 0;
  setFileSeam(({ name, args }, perform) => {
    if (name === 'open') most = Math.max(most, ++open);
    if (name === 'close') open--;
    return perform(args);
  });
  onTestFinished(() => setFileSeam(undefined));
  const texts = lookTogether(root, (tree) => paths.map((path) => tree.text(path)));
  expect(texts).toEqual(paths.map((text) => ({ status: 'text', text })));
  expect(most).toBeLessThan(250);
  expect(open).toBe(0);
});

test('a root that is not there: each look is refused', () => {
  lookTogether('/nowhere/at/all', (tree) => {
    expect(tree.text('a')).toMatchObject({ status: 'refused', reason: expect.stringMatching(/ENOENT/) });
  });
});
