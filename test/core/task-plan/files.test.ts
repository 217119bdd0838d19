import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTaskPlan } from '../../../src/core/task-plan/parse.js';

const files = (text: string) =>
  parseTaskPlan(`<task>\n<files>${text}</files>\n</task>\n`).tasks[0]!.files.map(({ path, note }) =>
    note === null ? path : `${path} | ${note}`,
  );

test.each<[string, string[]]>([
  ['a.ts', ['a.ts']],
  ['a.ts, b.ts,c.ts', ['a.ts', 'b.ts', 'c.ts']],
  ['a.ts; b.ts', ['a.ts', 'b.ts']],
  ['\n  a.ts\n\n  b.ts\n', ['a.ts', 'b.ts']],
  ['\n  - a.ts\n  * b.ts\n  + c.ts\n  1. d.ts\n  2) e.ts\n', ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts']],
  ['a.ts, a.ts', ['a.ts']],
  ['a.ts (new, small), b.ts', ['a.ts | new, small', 'b.ts']],
  ['a.ts (new (really))', ['a.ts | new (really)']],
  ['a.ts — the importer', ['a.ts | the importer']],
  ['a.ts - the importer', ['a.ts | the importer']],
  ['a.ts: the importer', ['a.ts | the importer']],
  ['a.ts # the importer', ['a.ts | the importer']],
  ['a.ts (new', ['a.ts | new']],
  ['a.ts(new)', ['a.ts | new']],
  ['`a.ts`', ['a.ts']],
  ['`a.ts` (new), `b.ts`.', ['a.ts | new', 'b.ts']],
  ['`a.ts` `b.ts` and `c.ts`', ['a.ts', 'b.ts', 'c.ts']],
  ['"my file.ts", \'b.ts\'', ['my file.ts', 'b.ts']],
  ['**a.ts**', ['a.ts']],
  ['**/a.ts, **/*.md', ['**/a.ts', '**/*.md']],
  ['a.ts b.ts', ['a.ts', 'b.ts']],
  ['a.ts and src/', ['a.ts', 'src/']],
  ['a.ts.', ['a.ts']],
  ['., ..', ['.', '..']],
  ['src/.', ['src/.']],
  ['.env.example, .gitignore', ['.env.example', '.gitignore']],
  ['__main__.py, _a_.md', ['__main__.py', '_a_.md']],
  ['Makefile, LICENSE', ['Makefile', 'LICENSE']],
  ['app/(auth)/page.tsx, app/(auth)', ['app/(auth)/page.tsx', 'app/(auth)']],
  ['app/[id]/[...rest]/page.tsx', ['app/[id]/[...rest]/page.tsx']],
  ['src/{a,b}.ts', ['src/{a,b}.ts']],
  ['docs/My Notes.md', ['docs/My Notes.md']],
  ['src/a.ts the importer', ['src/a.ts | the importer']],
  ['a&amp;b.ts, c&lt;d&gt;.ts', ['a&b.ts', 'c<d>.ts']],
  ['', []],
  ['none', []],
  ['None (only looks)', []],
  ['N/A', []],
  ['-', []],
  ['(nothing, a person looks)', []],
  ['every file that is touched', []],
  ['various', []],
  ['No new files, tests only', []],
  ['the settings, their tests, docs', []],
  ['src/a.ts, the tests that use it, docs', ['src/a.ts']],
  ['\n  src/a.ts\n  "All files under src/core/ that import a.ts"\n', ['src/a.ts']],
  ['`every file that imports it`, b.ts', ['b.ts']],
  ['_src/a.ts_, *b.ts*, ***c.ts***, **`d.ts`**', ['src/a.ts', 'b.ts', 'c.ts', 'd.ts']],
  ['\u201csrc/a.ts\u201d', ['src/a.ts']],
  ['*.ts, */a.ts', ['*.ts', '*/a.ts']],
  ['none.ts, nothing/a.ts', ['none.ts', 'nothing/a.ts']],
])('files %j', (text, expected) => {
  expect(files(text)).toEqual(expected);
});

test('with CRLF they are the same', () => {
  expect(files('\r\n  - a.ts (new)\r\n  - b.ts\r\n')).toEqual(['a.ts | new', 'b.ts']);
});

test('a list on one line is read as one on many is', () => {
  const part = fc.constantFrom(
    'a.ts',
    'src/b-c.ts',
    '.env',
    'n/a',
    'N/a',
    './x',
    '..',
    '@d/e',
    'none',
    ',',
    ', ',
    ' ',
    '-',
    '.',
    '/',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const text = parts.join('');
      // An entry that only remarks on something adds none.
      expect(files(text), text).toEqual(files(`${text}\n(no more)`));
    }),
    { numRuns: 1000 },
  );
});
