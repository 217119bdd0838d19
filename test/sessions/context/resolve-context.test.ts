import { describe, expect, test } from 'vitest';
import { matchesTarget, parseContext } from '../../../src/core/context/context-file.js';
import { MemoryTree } from '../../../src/core/tree.js';
import { resolveContext } from '../../../src/sessions/context/resolve-context.js';
import { SortedPaths } from '../../../src/workspace/files/sorted-paths.js';
import { Random } from '../../corpus/random.js';

const FILES = [
  'README.md',
  'docs-old/d.md',
  'docs/a.md',
  'docs/b.md',
  'docs/deep/c.md',
  'src/a.ts',
  'src/b.ts',
];
const TREE = new MemoryTree(
  Object.fromEntries([...FILES, 'dist/x.js', 'dist/y.js'].map((path) => [path, path])),
);

/** The sources by name; `turn: path` for each resource, in order. */
function resolve(turn: string, session = '', global = '', files: readonly string[] = FILES) {
  const sources = [
    { name: 'global.context', text: global },
    { name: 'session.context', text: session },
    { name: 'turn.context', text: turn },
  ];
  const { resources, leftOut } = resolveContext(sources, new SortedPaths(files), TREE);
  return {
    brought: resources.map(({ from, target }) => `${from.split('.')[0]}: ${target}`),
    left: leftOut.map(({ from, target, reason }) => `${from.split('.')[0]}: ${target} ${reason}`),
    resources,
  };
}

describe('an absolute path', () => {
  const tree = Object.assign(new MemoryTree({ 'src/a.ts': '', 'src/b.ts': '', 'lib/c.ts': '' }), {
    machine: {
      insideRoot: (path: string) => (path.startsWith('/home/me/p/') ? path.slice(11) : undefined),
      exists: () => false,
      home: '/home/me',
      places: [{ path: '/home/me', name: 'your home folder' }],
    },
  });
  test.each([
    ['/home/me/p/src/a.ts', ['src/a.ts'], []],
    ['/home/me/p/src/*.ts', ['src/a.ts', 'src/b.ts'], []],
    ['/lib/c.ts', ['lib/c.ts'], []],
    ['/lib/*.ts', ['lib/c.ts'], []],
    ['/home/me/x', [], ['is outside the project: it is in your home folder (/home/me)']],
    ['/home/me/*.ts', [], ['is outside the project: it is in your home folder (/home/me)']],
    ['C:\\new\\a.ts', [], ['is outside the project: it is on a Windows drive or share']],
  ])('%s', (line, brought, reasons) => {
    const files = new SortedPaths(['lib/c.ts', 'src/a.ts', 'src/b.ts']);
    const { resources, leftOut } = resolveContext([{ name: 'turn.context', text: line }], files, tree);
    expect(resources.map(({ target }) => target)).toEqual(brought);
    expect(leftOut.map(({ reason }) => reason)).toEqual(reasons);
  });

  test('of another place, where only the text is known', () => {
    expect(parseContext('/home/me/x\n/lib/a\n')).toMatchObject([
      { kind: 'unreadable' },
      { kind: 'path', path: 'lib/a' },
    ]);
  });
});

describe('what lines bring', () => {
  test('the turn’s own first, then the session’s, then what stands for all; by lines, then by paths', () => {
    const { brought, left } = resolve('src/b.ts\nsrc/a.ts\n', 'docs\nREADME.md\n', '**/d.md\n');
    expect(brought).toEqual([
      'turn: src/b.ts',
      'turn: src/a.ts',
      'session: docs/a.md',
      'session: docs/b.md',
      'session: docs/deep/c.md',
      'session: README.md',
      'global: docs-old/d.md',
    ]);
    expect(left).toEqual([]);
  });

  test('a resource that several lines bring is there once, for the last of them', () => {
    expect(resolve('docs/b.md\n', 'docs\n', 'docs/b.md\ndocs/a.md\n').brought).toEqual([
      'turn: docs/b.md',
      'session: docs/a.md',
      'session: docs/deep/c.md',
    ]);
  });

  test('the last line decides, also against an outer file and by a folder', () => {
    expect(resolve('!docs\n', 'docs\n').brought).toEqual([]);
    expect(resolve('!docs\ndocs/deep\n', 'docs\n').brought).toEqual(['turn: docs/deep/c.md']);
    expect(resolve('docs/deep\n!docs\n').brought).toEqual([]);
    expect(resolve('', '!docs/a.md\n', 'docs\n').brought).toEqual([
      'global: docs/b.md',
      'global: docs/deep/c.md',
    ]);
    expect(resolve('docs\n!**/c.md\n!docs/a.md # why\n').brought).toEqual(['turn: docs/b.md']);
  });

  test('a path that is named outright is brought although it is not listed; folders and globs bring only listed ones', () => {
    expect(resolve('dist/x.js\n').brought).toEqual(['turn: dist/x.js']);
    expect(resolve('dist/x.js\n!dist\n').brought).toEqual([]);
    expect(resolve('!dist\n', 'dist/x.js\n').brought).toEqual([]);
    expect(resolve('dist/x.js\n', '!dist\n').brought).toEqual(['turn: dist/x.js']);
    expect(resolve('dist\n**/*.js\n')).toMatchObject({
      brought: [],
      left: [
        'turn: dist is a folder without a file that git lists; name what it holds one by one',
        'turn: **/*.js matches no file',
      ],
    });
  });

  test('the root, by every name, is all that is listed', () => {
    for (const root of ['.', '/', './', '**', '**/*']) {
      expect(resolve(root).resources.map(({ target }) => target)).toEqual(FILES);
    }
  });

  test('URLs are resources too', () => {
    const url = 'https://example.org/a?b#c';
    expect(resolve(`${url}\n`).resources).toEqual([{ kind: 'url', target: url, from: 'turn.context' }]);
    expect(resolve(`!${url}\n`, `${url} # why\n`)).toMatchObject({ brought: [], left: [] });
    expect(resolve('!**\n', `${url}\n`).brought).toEqual([`session: ${url}`]);
  });
});

describe('lines that bring nothing', () => {
  test('each is named with its reason, once, in the order of what is brought', () => {
    const { left } = resolve('nowhere.md\n../x\n', 'gone/*.md\n', 'nowhere.md\nsrc/*.{ts}\n');
    expect(left).toEqual([
      'turn: nowhere.md does not exist',
      'turn: ../x leads out of the project root',
      'session: gone/*.md matches no file',
      'global: src/*.{ts} contains "{"; only * and ** are special, and "\\{" is the character',
    ]);
  });

  test('what is taken out later is not missed', () => {
    expect(resolve('!nowhere.md\n!gone/**\n', 'nowhere.md\ngone/a\ngone/**\n').left).toEqual([]);
  });

  test('a line that takes nothing out is fine, one that cannot be read is not', () => {
    expect(resolve('!nowhere\n!*.{ts}\n').left).toEqual([
      'turn: !*.{ts} contains "{"; only * and ** are special, and "\\{" is the character',
    ]);
  });

  test('there is an end to lines and to globs', () => {
    const many = Array.from({ length: 10_002 }, (_, i) => `# c\nfile-${i}`).join('\n');
    const left = resolve(many).left;
    expect(left).toHaveLength(10_001);
    expect(left.at(-1)).toBe(
      'turn: turn.context from line 20002 on is not read: it has more than 10000 lines',
    );
    const globs = Array.from({ length: 502 }, (_, i) => `*${i}`).join('\n');
    expect(resolve(globs).left.filter((line) => line.includes('more than 500 globs'))).toHaveLength(2);
  });
});

test('what the sorted list says quickly is what each line says of each file', () => {
  const random = new Random('resolve-context');
  const names = ['a', 'b', 'a-b', 'a.b', 'ab', 'A'];
  const parts = [...names, '*', '**', '**', 'a*', '*b'];
  const path = (from: readonly string[]) =>
    Array.from({ length: 1 + random.below(3) }, () => random.pick(from)).join('/');
  for (let round = 0; round < 400; round++) {
    const files = [
      ...new Set(
        Array.from({ length: 15 }, () => `${path(names)}/${random.pick(['a.x', 'b.x', 'ab.x', 'a.y'])}`),
      ),
    ].sort();
    const text = Array.from(
      { length: 1 + random.below(5) },
      () => `${random.chance(0.4) ? '!' : ''}${path(parts)}${random.pick(['', '', '/*.x', '/', '/**'])}`,
    ).join('\n');
    const lines = parseContext(text);
    const expected = files.filter((file) => {
      const last = lines.findLast((line) => matchesTarget(line, file));
      return last !== undefined && !last.out;
    });
    const { resources } = resolve(text, '', '', files);
    expect(resources.map(({ target }) => target).sort(), text).toEqual(expected);
  }
});
