import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rewriteAction } from '../../../src/core/plan/rewrite.js';
import { simulateCreate, simulateEdit } from '../../../src/core/plan/simulate.js';
import type { EditAction } from '../../../src/core/plan/types.js';
import type { Tree } from '../../../src/core/tree.js';

const EDIT: EditAction = {
  type: 'EDIT',
  line: 7,
  metadata: {},
  path: 'a.txt',
  description: null,
  edits: [{ find: 'x', replace: 'y', line: 8 }],
};

function treeWith(text: string): Tree {
  return {
    stat: (path) => (path === 'a.txt' ? { kind: 'file' } : undefined),
    text: (path) => (path === 'a.txt' ? { status: 'text', text } : { status: 'missing' }),
    real: (path) => path,
  };
}

function rewrite(before: string, after: string) {
  const tree = treeWith(before);
  const action = rewriteAction(EDIT, { path: 'a.txt', before }, after, tree);
  const result = action.type === 'EDIT' ? simulateEdit(action, tree) : simulateCreate(action, tree);
  return { action, result };
}

test('each change is a pair of its own, with as much around it as FIND needs', () => {
  const { action } = rewrite('a\nb\nc\nd\nb\ne\n', 'a\nB\nc\nd\nb\nE\n');
  expect(action).toMatchObject({
    type: 'EDIT',
    edits: [
      { find: 'e', replace: 'E' },
      { find: 'a\nb\nc', replace: 'a\nB\nc' },
    ],
  });
});

test('lines that come or go take a line beside them', () => {
  expect(rewrite('0\na\nb\nc\n', '0\na\nc\n').action).toMatchObject({
    edits: [{ find: 'a\nb\nc', replace: 'a\nc' }],
  });
  expect(rewrite('a\nb\nc\nd\n', 'a\nb\nx\nc\nd\n').action).toMatchObject({
    edits: [{ find: 'b\nc', replace: 'b\nx\nc' }],
  });
});

test('a file that is another as a whole is a CREATE', () => {
  expect(rewrite('a\n', 'b\n').action).toMatchObject({ type: 'CREATE', overwrite: true, content: 'b\n' });
});

test('whatever was edited, the action makes exactly that of the file', () => {
  const line = fc.constantFrom('a', 'b', '', '  c', 'd ');
  const ending = fc.constantFrom('\n', '\r\n');
  const text = fc
    .tuple(fc.array(line, { maxLength: 12 }), ending, fc.boolean())
    .map(([lines, end, final]) => lines.join(end) + (final ? end : ''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before !== after);
      expect(rewrite(before, after).result).toMatchObject({ status: 'written', after });
    }),
    { numRuns: 500 },
  );
});
