import type { Action } from '../../../src/core/plan/types.js';
import { create, edit, execute, type planOf, prune, read } from '../boundary/plan.js';

/** A plan, what it finds, and what each of its actions comes to, said without the code under test. */
export interface Model {
  files: Record<string, string>;
  actions: Action[];
  around: Parameters<typeof planOf>[1];
  /** What the action with that number makes of files. */
  writes: Record<number, Record<string, string>>;
  /** The numbers of actions that are committed together where nobody is asked. */
  transactions: number[][];
  /** Which command writes a line to which file, beside the root or in it. */
  commands: Record<number, { line: string; leaves?: string }>;
  /** What an action does to the next turn's context. */
  looks: Record<number, string>;
  context: { before: string[]; changes: string[] };
  memos: { before: string[]; after: string[] };
}

/**
 * Takes its line down first, then works for a moment. Should it find itself without the teddy that began it, it stays for
 * a minute, to be found.
 */
const command = (name: string) =>
  `echo "$$" >> ../outside/${name}
for n in 1 2 3 4 5 6; do sleep 0.01; kill -0 $PPID 2> /dev/null || exec sleep 60; done`;

const GUIDE = '# Guide\none\ntwo\nthree\nfour\n';

export const MIXED: Model = {
  files: {
    'src/a.txt': 'alpha\nbeta\ngamma\n',
    'docs/guide.md': GUIDE,
    'docs/other.md': 'other\n',
    'over.txt': 'old\n',
  },
  around: {
    title: 'A mixed plan',
    context: ['+ src/a.txt', '- old.md'],
    memos: ['+ A new fact.', '- An old fact.'],
  },
  actions: [
    create('src/new.txt', 'new\n'),
    edit('src/a.txt', ['alpha', 'ALPHA'], ['gamma', 'GAMMA']),
    edit('docs/guide.md', ['two\nthree', '2\n3']),
    create('deep/er/b.txt', 'b\nb\n'),
    execute(command('first')),
    edit('src/a.txt', ['beta', 'BETA\nmore']),
    read('docs/other.md'),
    create('over.txt', 'replaced\n', true),
    execute(`echo made > marker.txt\n${command('second')}`),
    prune('src/a.txt'),
    create('last.txt', 'first version\n'),
    edit('last.txt', ['first', 'second']),
  ],
  writes: {
    1: { 'src/new.txt': 'new\n' },
    2: { 'src/a.txt': 'ALPHA\nbeta\nGAMMA\n' },
    3: { 'docs/guide.md': '# Guide\none\n2\n3\nfour\n' },
    4: { 'deep/er/b.txt': 'b\nb\n' },
    6: { 'src/a.txt': 'ALPHA\nBETA\nmore\nGAMMA\n' },
    8: { 'over.txt': 'replaced\n' },
    11: { 'last.txt': 'first version\n' },
    12: { 'last.txt': 'second version\n' },
  },
  transactions: [
    [1, 2, 3, 4],
    [6, 8],
    [11, 12],
  ],
  commands: { 5: { line: 'first' }, 9: { line: 'second', leaves: 'marker.txt' } },
  looks: { 7: '+ docs/other.md', 10: '- src/a.txt' },
  context: { before: ['keep.md', 'old.md'], changes: ['+ src/a.txt', '- old.md'] },
  memos: { before: ['A kept fact.', 'An old fact.'], after: ['A kept fact.', 'A new fact.'] },
};

export const SMALL: Model = {
  files: { 'a.txt': 'alpha\nbeta\n' },
  around: { title: 'A small plan', context: ['+ a.txt'], memos: ['+ A new fact.'] },
  actions: [
    edit('a.txt', ['alpha', 'ALPHA']),
    execute(command('only')),
    create('new/b.txt', 'b\n'),
    read('a.txt'),
  ],
  writes: { 1: { 'a.txt': 'ALPHA\nbeta\n' }, 3: { 'new/b.txt': 'b\n' } },
  transactions: [[1], [3]],
  commands: { 2: { line: 'only' } },
  looks: { 4: '+ a.txt' },
  context: { before: ['keep.md'], changes: ['+ a.txt'] },
  memos: { before: ['A kept fact.'], after: ['A kept fact.', 'A new fact.'] },
};
