// A large project at rest: git looks at its files, and its folders are not listed again. Whatever changes is seen anyway.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { setFileSeam } from '../../../src/node/file-calls.js';
import { look, makeProject, runCommandIn, undoWhole } from './project.js';

const FILES = `
mkdir -p src/deep many logs empty/inner ignored
seq 1200 | split -l 1 -a 3 - many/f
printf 'one\\n' > src/a.txt; printf 'two\\n' > src/deep/b.txt; ln -s src/a.txt link
printf 'ignored/\\n*.log\\n' > .gitignore
printf 'x' > ignored/x; printf 'l' > logs/a.log
printf '*.tmp\\n' > .git/info/exclude; printf 't' > logs/t.tmp
`;
/** Times of files that are younger prove nothing. */
const RACY_MS = 2100;

function settle(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RACY_MS);
}

interface Case {
  name: string;
  /** What happens before the command that is undone. */
  before?: string;
  command: string;
  /** Paths that the command changes, as its outcome has them. */
  changed: string[];
  /** What undo leaves. */
  left?: string[];
}

const CASES: Case[] = [
  { name: 'nothing', command: ':', changed: [] },
  {
    name: 'a file is edited in its place, with the size and time that it had',
    command:
      'touch -r src/a.txt ignored/t; printf six > src/six; cat src/a.txt > /dev/null; printf "six\\n" 1<> src/a.txt; touch -r ignored/t src/a.txt; rm src/six',
    changed: ['src/a.txt'],
  },
  { name: 'an edit and nothing else', command: 'printf "six\\n" 1<> src/a.txt', changed: ['src/a.txt'] },
  { name: 'the mode of a file', command: 'chmod 600 many/faaa', changed: ['many/faaa'] },
  { name: 'the mode of a folder', command: 'chmod 700 src/deep', changed: [] },
  {
    name: 'a folder becomes a link to a copy of it',
    command: 'cp -a src/deep ignored/real; rm -r src/deep; ln -s ../ignored/real src/deep',
    changed: ['src/deep', 'src/deep/b.txt'],
  },
  {
    name: 'a file in a folder that had ignored files only',
    command: 'printf n > logs/n',
    changed: [],
    left: ['logs/n'],
  },
  { name: 'deleted', command: 'rm many/faab link', changed: ['link', 'many/faab'] },
  { name: 'an empty folder goes', command: 'rmdir empty/inner', changed: [] },
  { name: 'many', command: 'rm -r many', changed: [] },
  {
    name: 'rules changed in their place',
    before: 'printf "ignored/\\n*.lox\\n" 1<> .gitignore',
    command: 'printf m >> logs/a.log',
    changed: ['logs/a.log'],
  },
  {
    name: 'rules of the repository changed',
    before: ': > .git/info/exclude',
    command: 'printf m >> logs/t.tmp',
    changed: ['logs/t.tmp'],
  },
  {
    name: 'an ignored file is tracked now',
    before: 'git add -f logs/a.log',
    command: 'printf m >> logs/a.log',
    changed: ['logs/a.log'],
  },
];

test('whatever changes in a project at rest is seen and restored', async () => {
  const ran = new Map(CASES.map((each) => [each, makeProject(FILES)]));
  settle();
  for (const root of ran.values()) await runCommandIn(root, ':');
  settle();
  for (const [{ name, before, command, changed, left = [] }, root] of ran) {
    await runCommandIn(root, ':');
    if (before !== undefined) execFileSync('/bin/sh', ['-c', before], { cwd: root });
    const was = look(root, (path) => isIgnored(path) || left.includes(path));
    const { run, workspace, changes } = await runCommandIn(root, command);
    const named = changes.changed.map(({ path }) => path);
    if (name === 'many') expect(named).toHaveLength(1200);
    else expect([name, named]).toEqual([name, changed]);
    expect([name, ...(changes.unrestorable ?? []).map(({ path }) => path)]).toEqual([name, ...left]);
    await undoWhole(workspace, run);
    const now = look(root, (path) => isIgnored(path) || left.includes(path));
    expect([name, now]).toEqual([name, was]);
  }
});

test('a command that changes nothing: no folder is listed and no file is read', async () => {
  const root = makeProject(FILES);
  await runCommandIn(root, ':');
  settle();
  await runCommandIn(root, ':');
  const calls: string[] = [];
  setFileSeam(({ name, args }, perform) => {
    const path = String(args[0]);
    if (['list', 'open'].includes(name) && path.startsWith(`${root}/`) && !path.includes('/.'))
      calls.push(path);
    return perform(args);
  });
  try {
    await runCommandIn(root, ':');
  } finally {
    setFileSeam(undefined);
  }
  expect(calls).toEqual([]);
  expect(existsSync(join(root, '.teddy/contents/index'))).toBe(true);
  expect(readFileSync(join(root, 'src/a.txt'), 'utf8')).toBe('one\n');
});

function isIgnored(path: string): boolean {
  return path === 'ignored';
}
