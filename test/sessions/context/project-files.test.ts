import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { realPath } from '../../../src/node/files.js';
import { listProjectFiles } from '../../../src/workspace/files/project-files.js';
import { Random } from '../../corpus/random.js';
import { makeFolder } from '../../folder.js';

const HIDDEN = {
  '.teddy/config.yaml': '',
  '.TEDDY/x': '',
  'sub/.ultraplan/x': '',
  'sub/.git./x': '',
  '.ｇｉｔ/x': '',
};

function make(files: Record<string, string>, repository = false): string {
  const root = realPath(makeFolder(files))!;
  if (repository) execFileSync('git', ['init', '-q'], { cwd: root });
  return root;
}

test.each([true, false])('never a file of git’s own or of teddy’s (a repository: %s)', async (repository) => {
  const root = make({ ...HIDDEN, 'a.ts': '', 'sub/.gitkeep': '', 'teddy/x': '' }, repository);
  expect(await listProjectFiles(root)).toEqual({ files: ['a.ts', 'sub/.gitkeep', 'teddy/x'], note: null });
});

test.each([true, false])('links are listed and never followed (a repository: %s)', async (repository) => {
  const outside = makeFolder({ 'secret.txt': 'secret' });
  const root = make({ 'in/a': '' }, repository);
  symlinkSync(outside, join(root, 'out'));
  symlinkSync('..', join(root, 'in/up'));
  execFileSync('mkfifo', [join(root, 'pipe')]);
  expect((await listProjectFiles(root)).files).toEqual(['in/a', 'in/up', 'out']);
});

test.each([true, false])('there is an end to files, and a note (a repository: %s)', async (repository) => {
  const root = make(
    Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`${i % 3}/${i}`, ''])),
    repository,
  );
  const { files, note } = await listProjectFiles(root, 10);
  expect(files).toHaveLength(10);
  expect(note).toBe(
    repository
      ? 'There are 12 files; only the first 10 are listed.'
      : 'There are more files; only the first 10 are listed.',
  );
  expect(await listProjectFiles(root, 12)).toMatchObject({ note: null });
});

test('without a repository the folders are walked by the rules of their .gitignore files', async () => {
  const root = make({
    '.gitignore': 'dist/\n*.log\n!keep.log\n',
    'a.ts': '',
    'x.log': '',
    'keep.log': '',
    'dist/a.js': '',
    'sub/dist/b.js': '',
    'sub/.gitignore': '/own\n!y.log\nkeep.log\n',
    'sub/own': '',
    'sub/deep/own': '',
    'sub/y.log': '',
    'sub/keep.log': '',
  });
  expect(await listProjectFiles(root)).toEqual({
    files: ['.gitignore', 'a.ts', 'keep.log', 'sub/.gitignore', 'sub/deep/own', 'sub/y.log'],
    note: null,
  });
});

test('the walk finds what git lists', async () => {
  const random = new Random('walk');
  const names = ['a', 'b', 'c.log', 'd', 'build'];
  const rules = ['*.log', '!c.log', 'build/', '/a', 'b/*', '!b/a', '**/d', 'a/**/b', '!*/'];
  for (let round = 0; round < 6; round++) {
    const files: Record<string, string> = {};
    for (let i = 0; i < 25; i++) {
      const folders = Array.from({ length: random.below(4) }, () => `${random.pick(names)}-`);
      const some = folders.map((name) => (random.chance(0.6) ? name.slice(0, -1) : name));
      files[[...some, `${random.pick(names)}.${random.below(3)}`].join('/')] = '';
      if (random.chance(0.3))
        files[[...some, '.gitignore'].join('/')] = `${random.pick(rules)}\n${random.pick(rules)}\n`;
      if (random.chance(0.3)) files[[...some, 'x.log'].join('/')] = '';
    }
    const plain = await listProjectFiles(make(files));
    const byGit = await listProjectFiles(make(files, true));
    expect(plain.files).toEqual(byGit.files);
    expect(plain.files.length).toBeGreaterThan(0);
  }
});

test('a project that the repository around it ignores has its files', async () => {
  const outer = make(
    { '.gitignore': 'tmp/\n', 'tmp/own/.gitignore': 'x\n', 'tmp/own/a': '', 'tmp/own/x': '' },
    true,
  );
  expect((await listProjectFiles(join(outer, 'tmp/own'))).files).toEqual(['.gitignore', 'a']);
});

test('where git fails, and be it over a name, the files are found without it, and that is said', async () => {
  const root = make({ '.gitignore': 'x\n', a: '', x: '' }, true);
  writeFileSync(Buffer.concat([Buffer.from(`${root}/bad-`), Buffer.from([0xff])]), '');
  expect(await listProjectFiles(root)).toEqual({
    files: ['.gitignore', 'a'],
    note: 'git could not list the files (A name in the repository is not UTF-8); they were listed without it.',
  });
});

test('what the machine does not let us look at is not there', async () => {
  const root = make({ a: '', 'closed/b': '' });
  chmodSync(join(root, 'closed'), 0);
  try {
    const { files } = await listProjectFiles(root);
    expect(files).toEqual(process.getuid?.() === 0 ? ['a', 'closed/b'] : ['a']);
  } finally {
    chmodSync(join(root, 'closed'), 0o700);
  }
  expect(await listProjectFiles(join(root, 'nowhere'))).toMatchObject({ files: [] });
});

test('a .gitignore that is no file, or far too large, has no rules', async () => {
  const root = make({ a: '', 'sub/a': '', 'sub/.gitignore': `a\n${'#'.repeat(1024 * 1024)}\n` });
  mkdirSync(join(root, '.gitignore'));
  expect((await listProjectFiles(root)).files).toEqual(['a', 'sub/.gitignore', 'sub/a']);
});
