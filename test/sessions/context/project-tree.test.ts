import { expect, test } from 'vitest';
import { drawTree as drawSorted } from '../../../src/sessions/context/assemble-input.js';
import { SortedPaths } from '../../../src/workspace/files/sorted-paths.js';

const drawTree = (files: string[], most: number) => drawSorted(new SortedPaths(files), most);

const FILES = [
  'README.md',
  'a-b/x',
  'a.ts',
  'a/b/c/deep.ts',
  'a/b/one.ts',
  'a/last.ts',
  'z/`````',
  'z/two\nlines',
];

const ALL = `README.md
a-b/
  x
a.ts
a/
  b/
    c/
      deep.ts
    one.ts
  last.ts
z/
  \`\`\`\`\`
  two\\u000alines
`;

test('every file, folders once', () => {
  expect(drawTree(FILES, ALL.length)).toEqual({ text: ALL, shown: 'all' });
  expect(drawTree([], 0)).toEqual({ text: '', shown: 'all' });
});

test.each<[number, string]>([
  [ALL.length - 1, 'a-b/ (1)\na/ (3)\n  b/ (2)\n    c/ (1)\nz/ (2)\nREADME.md\na.ts\n'],
  [50, 'a-b/ (1)\na/ (3)\n  b/ (2)\n    c/ (1)\nz/ (2)\n'],
  [40, 'a-b/ (1)\na/ (3)\n  b/ (2)\nz/ (2)\n'],
  [24, 'a-b/ (1)\na/ (3)\nz/ (2)\n'],
  [22, ''],
])('in %d characters: folders with the number of files in them, as deep as they fit', (most, text) => {
  expect(drawTree(FILES, most)).toEqual({ text, shown: 'folders' });
});
