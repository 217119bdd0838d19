import { expect, test } from 'vitest';
import { parseTaskPlan } from '../../../src/core/task-plan/parse.js';
import { coverOf } from '../../../src/core/task-result/rules.js';
import { type Machine, MemoryTree, type Tree } from '../../../src/core/tree.js';
import { readWritten } from '../../../src/orchestrate/graph/build-graph.js';

const ROOT = '/home/me/proj';
const MACHINE: Machine = {
  insideRoot: (path) => (path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length + 1) : undefined),
  exists: (path) => path === '/usr' || path === '/usr/lib',
  home: '/home/me',
  places: [{ path: '/home/me', name: 'your home folder' }],
};
const memory = new MemoryTree({ 'src/a.py': '', 'lib/b.py': '' });
const TREE: Tree = { stat: (path) => memory.stat(path), text: (path) => memory.text(path), machine: MACHINE };

const filesOf = (text: string) => parseTaskPlan(`<task><files>${text}</files></task>`).tasks[0]!.files;

test.each([
  ['/home/me/proj/src/a.py', 'src/a.py'],
  ['**/home/me/proj/src/a.py** (new)', 'src/a.py'],
  ['/lib/b.py', 'lib/b.py'],
  ['src\\a.py', 'src/a.py'],
  ['/home/me/other/a.py', undefined],
  ['~/a.py', undefined],
  ['/usr/lib/x.py', undefined],
  ['C:\\proj\\a.py', undefined],
])('<files> %s means %s, as in a plan', (text, expected) => {
  const [file] = filesOf(text);
  expect(readWritten(file!.path, TREE)).toBe(expected);
  const covers = coverOf([file!], TREE);
  if (expected === undefined) expect(covers).toBeUndefined();
  else {
    expect(covers!(expected)).toBe(true);
    expect(covers!('home/me/proj/src/a.py')).toBe(false);
  }
});

test('without a project, what is clearly elsewhere is left out by its text', () => {
  expect(readWritten('/home/me/proj/src/a.py')).toBeUndefined();
  expect(readWritten('/src/a.py')).toBe('src/a.py');
});
