import { describe, expect, test } from 'vitest';
import { judgePath, parseIgnore } from '../../../src/workspace/files/gitignore.js';

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
