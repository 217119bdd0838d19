import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  applyContext,
  bringsPath,
  editContext,
  isBrought,
  parseContext,
  writeLine,
} from '../../../src/core/context/context-file.js';
import { openTree } from '../../../src/workspace/tree.js';
import { makeFolder } from '../../folder.js';

describe('a line', () => {
  test.each<[string, unknown]>([
    ['src/a.ts', { kind: 'path', path: 'src/a.ts', out: false }],
    ['/src//./a.ts', { kind: 'path', path: 'src/a.ts' }],
    ['src/', { kind: 'path', path: 'src' }],
    ['.', { kind: 'path', path: '.' }],
    ['  src/a.ts \t', { kind: 'path', path: 'src/a.ts' }],
    ['app/[id]/page{x}?.tsx', { kind: 'path', path: 'app/[id]/page{x}?.tsx' }],
    ['__main__.py', { kind: 'path', path: '__main__.py' }],
    ['sp ace.md', { kind: 'path', path: 'sp ace.md' }],
    ['C#/a.cs', { kind: 'path', path: 'C#/a.cs' }],
    ['a.ts # why', { kind: 'path', path: 'a.ts', text: 'a.ts' }],
    ['a.ts\t# why # not', { kind: 'path', path: 'a.ts' }],
    ['a \\# b # c', { kind: 'path', path: 'a # b' }],
    ['\\#a', { kind: 'path', path: '#a', out: false }],
    ['\\!a', { kind: 'path', path: '!a', out: false }],
    ['!a', { kind: 'path', path: 'a', out: true }],
    ['! a # why', { kind: 'path', path: 'a', out: true }],
    ['!\\!a', { kind: 'path', path: '!a', out: true }],
    ['a\\*b', { kind: 'path', path: 'a*b' }],
    ['docs/**/*.md', { kind: 'glob' }],
    ['docs/*/', { kind: 'glob', components: [['docs'], ['', ''], '**', ['', '']] }],
    ['!**/*.snap', { kind: 'glob', out: true }],
    ['https://example.org/a#b', { kind: 'url', url: 'https://example.org/a#b' }],
    ['!HTTP://example.org/*', { kind: 'url', url: 'HTTP://example.org/*', out: true }],
    ['../a', { kind: 'unreadable', reason: 'leads out of the project root' }],
    ['~/a', { kind: 'unreadable', reason: 'leads to a home folder' }],
    ['C:\\a', { kind: 'unreadable' }],
    ['ftp://example.org', { kind: 'unreadable', reason: 'looks like a URL or a drive' }],
    ['src/*.{ts,tsx}', { kind: 'unreadable', reason: expect.stringMatching(/only \* and \*\* are special/) }],
    ['a**/b', { kind: 'unreadable', reason: expect.stringMatching(/alone between slashes/) }],
    ['!', { kind: 'unreadable', reason: 'is empty', out: true }],
    ['a\u0007b', { kind: 'unreadable' }],
  ])('%j', (written, expected) => {
    expect(parseContext(written)).toMatchObject([expected as object]);
  });

  test('blank lines and comments say nothing; a byte order mark and CRLF are no part of a line', () => {
    expect(parseContext('\ufeffa\r\n\r\n  # b\r\n#c\r\n\td # e\r\n')).toMatchObject([
      { line: 1, path: 'a', text: 'a' },
      { line: 5, path: 'd', text: 'd' },
    ]);
  });

  test('any text can be read', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)), maxLength: 30 }),
        fc.string({ unit: fc.constantFrom(...'a/*\\#! \n.') }),
        (one, other) => {
          parseContext(one);
          parseContext(other);
        },
      ),
    );
  });
});

/** Names with all that means something in a line. */
const NAME = fc
  .string({ unit: fc.constantFrom(...'ab.#!*?[]{}~ \u00a0ü'), minLength: 1, maxLength: 6 })
  .filter((name) => name !== '.' && name !== '..');
const PATH = fc
  .array(NAME, { minLength: 1, maxLength: 3 })
  .map((names) => names.join('/'))
  .filter((path) => !/^~(\/|$)/.test(path));

describe('writing', () => {
  test('a path is read back as itself, brought or taken out', () => {
    fc.assert(
      fc.property(PATH, (path) => {
        expect(parseContext(writeLine(path)!)).toMatchObject([{ kind: 'path', path, out: false }]);
        expect(parseContext(`!${writeLine(path)}`)).toMatchObject([{ kind: 'path', path, out: true }]);
      }),
    );
  });

  test('what no line can name is not written, so that no path can bring another', () => {
    expect(writeLine('a\nb')).toBeUndefined();
    expect(applyContext('a\n', [{ op: '+', path: 'x\n.env' }], [])).toBe('a\n');
  });

  test('what was added is brought, and what was taken out is not, whatever stands there', () => {
    const lines = fc.array(
      fc.oneof(
        PATH.map((path) => writeLine(path)!),
        PATH.map((path) => `!${writeLine(path)}`),
        fc.constantFrom('**', '!**', 'a', '!a', '# c', '', '.', '*/b', '!*'),
      ),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(lines, lines, PATH, (above, own, path) => {
        const texts = [`${above.join('\n')}\n`];
        const all = (text: string) => [...texts, text].flatMap((text) => parseContext(text));
        const added = applyContext(`${own.join('\n')}\n`, [{ op: '+', path }], texts);
        expect(isBrought(all(added), path)).toBe(true);
        const without = applyContext(added, [{ op: '-', path }], texts);
        expect(isBrought(all(without), path)).toBe(false);
        expect(applyContext(without, [{ op: '-', path }], texts)).toBe(without);
        expect(applyContext(added, [{ op: '+', path }], texts)).toBe(added);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the next turn', () => {
  const apply = (text: string, changes: string[], ...above: string[]) =>
    applyContext(
      text,
      changes.map((change) => ({ op: change[0] as '+' | '-', path: change.slice(1) })),
      above,
    );

  test.each<[string, string[], string[], string]>([
    ['', ['+a'], [], 'a\n'],
    ['a\n', ['+a'], [], 'a\n'],
    ['a # why\n', ['+a'], [], 'a # why\n'],
    ['a # why\nb\n', ['-a'], [], 'b\n'],
    ['src/*.ts\n', ['-src'], [], 'src/*.ts\n!src\n'],
    ['', ['-src'], ['**/*.ts\n'], '!src\n'],
    ['docs/*.md\n', ['-src'], ['src\n!src\n'], 'docs/*.md\n'],
    ['*/deep/*.ts\n', ['-src/deep'], [], '*/deep/*.ts\n!src/deep\n'],
    ['*/deep/*.ts\n', ['-src/flat'], [], '*/deep/*.ts\n'],
    ['a\n', ['-a'], ['a\n'], '!a\n'],
    ['', ['-src/a.ts'], ['src\n'], '!src/a.ts\n'],
    ['', ['-src/a.ts'], ['# none\n', '**/*.ts\n'], '!src/a.ts\n'],
    ['', ['-src/a.ts'], ['src\n', '!src\n'], ''],
    ['!a\n', ['-a'], ['a\n'], '!a\n'],
    ['!a\n', ['+a'], ['a\n'], 'a\n'],
    ['src\n', ['-src/a.ts'], [], 'src\n!src/a.ts\n'],
    ['src/a.ts\nsrc/b.ts\n', ['-src'], [], 'src/a.ts\nsrc/b.ts\n!src\n'],
    ['a\n!**\n', ['+a'], [], '!**\na\n'],
    ['', ['+https://example.org/#x', '+b'], [], 'https://example.org/#x\nb\n'],
    ['https://example.org\n', ['-https://example.org'], ['https://example.org\n'], '!https://example.org\n'],
    ['a\n', ['-https://example.org'], [], 'a\n'],
    ['', ['+src/'], [], 'src\n'],
    ['\ufeffa\r\n# c\r\n', ['+b'], [], '\ufeffa\r\n# c\r\nb\n'],
    ['\ufeffa\r\n# c\r\n', ['-a'], [], '# c\r\n'],
    ['a', ['+b'], [], 'a\nb\n'],
  ])('%j %j below %j: %j', (text, changes, above, expected) => {
    expect(apply(text, changes, ...above)).toBe(expected);
  });

  test('a file that is not there is not made to say nothing', () => {
    expect(editContext(null, [{ op: '-', path: 'a' }], () => false)).toMatchObject({ text: null });
    expect(editContext('', [{ op: '-', path: 'a' }], () => true)).toMatchObject({ text: '!a\n' });
  });

  test('a resource is brought by its name, a folder above it or a glob', () => {
    expect(bringsPath('src\n', 'src/a.ts')).toBe(true);
    expect(bringsPath('srcs\n', 'src/a.ts')).toBe(false);
    expect(bringsPath('*/*.ts # all\n', 'src/a.ts')).toBe(true);
    expect(bringsPath('src\n!src/a.ts\n', 'src/a.ts')).toBe(false);
    expect(bringsPath('# src\n', 'src')).toBe(false);
  });

  test('a line that names a file by its whole path is the file, in the project that holds it', () => {
    const root = makeFolder({ 'src/a.ts': '' });
    const tree = openTree(root);
    const text = `${root}/src/a.ts\nb\n`;
    expect(bringsPath(text, 'src/a.ts', tree)).toBe(true);
    expect(applyContext(text, [{ op: '-', path: 'src/a.ts' }], [], tree)).toBe('b\n');
    expect(applyContext('', [{ op: '-', path: 'src/a.ts' }], [text], tree)).toBe('!src/a.ts\n');
    expect(applyContext(text, [{ op: '+', path: 'src/a.ts' }], [], tree)).toBe(text);
  });
});
