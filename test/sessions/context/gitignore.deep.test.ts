import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
