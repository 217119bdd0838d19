import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { EXAMPLE_PLAN } from '../../src/core/plan/guide.js';
import { readPlan } from '../../src/core/plan/read.js';
import { writePlan } from '../../src/core/plan/write.js';
import { openTree } from '../../src/workspace/tree.js';

const folders: string[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A real root in a temporary folder, with a symlink to it beside it. */
function makeProject(): { root: string; link: string; beside: string } {
  const beside = realpathSync(mkdtempSync(join(tmpdir(), 'teddy-machine-')));
  folders.push(beside);
  const root = join(beside, 'proj');
  mkdirSync(join(root, 'src'), { recursive: true });
  writeFileSync(join(root, 'src', 'a.py'), 'a\n');
  symlinkSync(root, join(beside, 'link'));
  symlinkSync(join(root, 'src'), join(beside, 'source'));
  return { root, link: join(beside, 'link'), beside };
}

test('an absolute path is inside the root by its real name and by any symlink', () => {
  const { root, link, beside } = makeProject();
  const machine = openTree(root).machine!;
  expect(machine.insideRoot(root)).toBe('.');
  expect(machine.insideRoot(`${root}/src/a.py`)).toBe('src/a.py');
  expect(machine.insideRoot(`${link}/src/a.py`)).toBe('src/a.py');
  expect(machine.insideRoot(`${link}/new/b.py`)).toBe('new/b.py');
  expect(machine.insideRoot(`${beside}/source/b.py`)).toBe('src/b.py');
  expect(machine.insideRoot(`${beside}/proj2/a.py`)).toBeUndefined();
  expect(machine.insideRoot(beside)).toBeUndefined();
  expect(machine.insideRoot('/src/a.py')).toBeUndefined();
});

test('in the root of the machine, every path begins at the root', () => {
  expect(openTree('/').machine!.insideRoot('/etc/hosts')).toBeUndefined();
});

test('home and temporary folders are places in every spelling, and never the whole machine', () => {
  const { root, link, beside } = makeProject();
  vi.stubEnv('HOME', link);
  vi.stubEnv('TMPDIR', beside);
  const paths = openTree(root).machine!.places.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining([link, root, beside]));
  vi.stubEnv('HOME', '/');
  expect(openTree(root).machine!.places.map(({ path }) => path)).not.toContain('');
});

test('a written plan is read back the same in any root', () => {
  const { root } = makeProject();
  const names = [
    `${root.slice(1)}/a.py`,
    'home/me/a.py',
    'usr/lib/a (b).py',
    '*star*',
    '_a.py_',
    '"a"',
    'my_file',
  ];
  const plan = {
    ...EXAMPLE_PLAN,
    activeContext: names.map((path) => ({ op: '+' as const, path, comment: null, line: 1 })),
    actions: names.map((target) => ({
      type: 'READ' as const,
      line: 1,
      metadata: {},
      resource: { kind: 'file' as const, target },
      description: 'See it.',
      lines: null,
    })),
  };
  const read = readPlan(writePlan(plan), openTree(root));
  expect(read.issues.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(read.plan!.activeContext.map(({ path }) => path)).toEqual(names);
  expect(read.plan!.actions.map((action) => action.type === 'READ' && action.resource.target)).toEqual(names);
});
