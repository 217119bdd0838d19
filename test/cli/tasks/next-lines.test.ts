import { expect, test } from 'vitest';
import { nextLines } from '../../../src/faces/cli/commands/tasks/task-lines.js';

const plain = (_: string, text: string) => text;

test('what a task waiting for is said in words, and how a blocked one goes on', () => {
  const waiting = [
    { id: '01-01:1', name: 'A', on: [] },
    { id: '01-01:2', name: 'B', on: ['01-01:1', 'frontmatter'] },
    { id: '01-02:1', name: 'C', on: ['a unique id'] },
    { id: '01-03:1', name: 'D', on: ['constructor'] },
  ];
  expect(nextLines({ next: [], asking: [], waiting }, plain)).toEqual([
    'Next: nothing can start now.',
    'Waiting:',
    '  01-01:1  A (blocked; teddy task resolve 01-01:1 retry)',
    '  01-01:2  B (for 01-01:1, its frontmatter, which cannot be read)',
    '  01-02:1  C (for an id that no other task file has)',
    '  01-03:1  D (for constructor)',
  ]);
});

test('what a person is asked stands apart, with what to type', () => {
  const question = {
    askedAt: '2026-01-01T00:00:00Z',
    why: 'cannot-land' as const,
    message: 'a.txt is in its way.',
    answers: ['retry' as const, 'fix' as const, 'done' as const, 'skip' as const, 'abort' as const],
    failures: [],
  };
  const asking = [{ id: '01-01:1', name: 'A', question }];
  expect(nextLines({ next: [{ id: '01-02:1', name: 'B' }], asking, waiting: [] }, plain)).toEqual([
    'Next:',
    '  01-02:1  B',
    'Needs your answer:',
    '  01-01:1  A: its work cannot land',
    '    teddy task resolve 01-01:1 retry   (or "fix: …", done, skip, abort)',
  ]);
});
