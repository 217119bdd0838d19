import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { judgePath, parseIgnore } from '../../../src/workspace/files/gitignore.js';
import { Random } from '../../corpus/random.js';
import { makeFolder } from '../../folder.js';

/** Whether a file is ignored, or a folder around it. */
function isIgnored(text: string, path: string): boolean {
  const rules = parseIgnore(text);
  const names = path.split('/');
  const folders = names.slice(1).map((_, i) => names.slice(0, i + 1));
  return folders.some((each) => judgePath(rules, each, true)) || judgePath(rules, names, false) === true;
}

describe('a rule', () => {
  test.each<[string, string[], string[]]>([
    ['a', ['a', 'x/a', 'a/x'], ['b', 'ab']],
    ['/a', ['a', 'a/x'], ['x/a']],
    ['a/', ['a/x', 'x/a/y'], ['a', 'x/a']],
    ['a/b', ['a/b', 'a/b/c'], ['x/a/b', 'b']],
    ['*.log', ['x.log', 'a/x.log', '.log'], ['x.logs']],
    ['a/*', ['a/x', 'a/x/y'], ['a', 'x/a/y']],
    ['**/a', ['a', 'x/y/a'], ['b']],
    ['a/**', ['a/x', 'a/x/y'], ['a']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['ab', 'x/a/b']],
    ['a?c', ['abc', 'x/a-c'], ['ac', 'a/c']],
    ['[a-c]x', ['ax', 'cx'], ['dx', '-x']],
    ['[!a]x', ['bx'], ['ax', '/x']],
    ['[]-]x', [']x', '-x'], ['ax']],
    ['[[:digit:]]', ['1'], ['a', ':']],
    ['\\#a', ['#a'], ['a', '\\#a']],
    ['\\!a', ['!a'], ['a']],
    ['a\\ ', ['a '], ['a']],
    ['a  ', ['a'], ['a  ']],
    ['# a', [], ['# a', 'a']],
    ['[a', [], ['a', '[a']],
    ['a\\', [], ['a', 'a\\']],
    ['*\n!keep', ['a'], ['keep']],
    ['a\n!a/b', ['a/b'], []],
    ['a/*\n!a/b', ['a/c'], ['a/b']],
    ['!a\na', ['a'], []],
    ['\ufeffa\r\nb', ['a', 'b'], ['\ufeffa', 'a\r']],
    ['/', [], ['a']],
    ['!', [], ['a', '!']],
  ])('%j ignores %j, not %j', (text, ignored, kept) => {
    expect(ignored.filter((path) => !isIgnored(text, path))).toEqual([]);
    expect(kept.filter((path) => isIgnored(text, path))).toEqual([]);
  });

  test('many stars take no longer than few', () => {
    const rule = `${'*a'.repeat(2000)}b`;
    expect(isIgnored(rule, 'a'.repeat(2000))).toBe(false);
    expect(isIgnored(`${'**/a/'.repeat(200)}b`, `${'a/'.repeat(500)}c`)).toBe(false);
  });
});

const PIECES = [
  ...[
    'a',
    'b',
    'ab',
    '*',
    '?',
    '/',
    '/',
    '/',
    '/**/',
    '**/',
    '/**',
    '[ab]',
    '[!a]',
    '[^b-c]',
    '[a-b]',
    '[b-a]',
  ],
  ...[
    '\\*',
    '\\a',
    '-',
    '.',
    '[[:alpha:]]',
    '[[:no:]]',
    '[]a]',
    '[a',
    '\\',
    ' ',
    '!',
    '#',
    '[a-]',
    '[\\]]',
    '[/]',
  ],
];
const NAMES = ['a', 'b', 'c', 'ab', 'ba', 'aab', '-', '.a', 'a.b', '*', '[', 'a ', ']', '!', '#', '!a', '\\'];

test('git says the same of random rules and paths', () => {
  const random = new Random('gitignore');
  const root = makeFolder();
  execFileSync('git', ['init', '-q'], { cwd: root });
  const some = (pieces: readonly string[], most: number) =>
    Array.from({ length: 1 + random.below(most) }, () => random.pick(pieces));
  let ignored = 0;
  for (let round = 0; round < 150; round++) {
    const rules = Array.from({ length: 1 + random.below(3) }, (_, i) => {
      const rule = some(PIECES, 5).join('');
      return i > 0 && random.chance(0.5) ? `!${rule}` : rule;
    });
    // Behind plain text git takes two stars for a whole name, against its own documentation.
    if (rules.some((rule) => /[^/*]\*\*|\*{3}/.test(rule))) continue;
    const text = `${rules.join('\n')}\n`;
    writeFileSync(join(root, '.gitignore'), text);
    const paths = Array.from({ length: 80 }, () => some(NAMES, 4).join('/'));
    const { stdout } = spawnSync('git', ['check-ignore', '-z', '--stdin', '--no-index'], {
      cwd: root,
      input: `${paths.join('\0')}\0`,
      encoding: 'utf8',
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    });
    const known = new Set(stdout.split('\0'));
    for (const path of paths) {
      expect(isIgnored(text, path), `${JSON.stringify(rules)} ${JSON.stringify(path)}`).toBe(known.has(path));
    }
    ignored += known.size - 1;
  }
  expect(ignored).toBeGreaterThan(300);
});
