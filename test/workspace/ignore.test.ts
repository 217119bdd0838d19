import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { setFileSeam } from '../../src/platform/index.js';
import { Workspace } from '../../src/workspace/index.js';
import { makeFolder, readTree } from '../folder.js';

afterEach(() => setFileSeam(undefined));

const IGNORE = '.teddy/.gitignore';

function newIgnore(): string {
  const root = makeFolder();
  new Workspace(root).requireStore();
  return readFileSync(join(root, IGNORE), 'utf8');
}

test('git sees of .teddy what is the project’s, and nothing of what is the machine’s', () => {
  const mine = [
    'session',
    'sessions/auth/lock',
    'sessions/auth/01/answer.part',
    'runs/x/run.json',
    'turn.context',
    'lock',
  ];
  const ours = ['sessions/auth/session.context', 'sessions/auth/01/meta.yaml', 'sessions/session/01/plan.md'];
  const root = makeFolder(Object.fromEntries([...mine, ...ours].map((path) => [`.teddy/${path}`, ''])));
  new Workspace(root).requireStore();
  const git = (...words: string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' });
  git('init', '-q');
  expect(git('ls-files', '--others', '--exclude-standard').trimEnd().split('\n')).toEqual(
    ['.gitignore', ...ours].map((path) => `.teddy/${path}`).sort(),
  );
});

test.each([
  '/lock\n/tx/\n/runs/\n/turn.context\n',
  '/lock\n/tx/\n/runs/\n/incoming/\n/turn.context\n',
  '/lock\n/tx/\n/runs/\n/incoming/\n/incoming.lock\n/turn.context\n',
  '/lock\n/tx/\n/runs/\n/reports/\n/context-maps/\n/incoming/\n/incoming.lock\n/turn.context\n',
])('what an earlier version wrote is brought up to date: %j', (text) => {
  const root = makeFolder({ [IGNORE]: text });
  new Workspace(root).requireStore();
  expect(readTree(root)).toEqual({ [IGNORE]: newIgnore() });
});

test.each([
  '',
  '/lock\n',
  // As long as one of ours.
  '/lock\n/tx/\n/runs/\n/turn.contexT\n',
  '/lock\r\n/tx/\r\n/runs/\r\n/turn.context\r\n',
  '/lock\n/tx/\n/runs/\n/turn.context\n/mine\n',
])('what a person wrote stays: %j', (text) => {
  const root = makeFolder({ [IGNORE]: text });
  new Workspace(root).requireStore();
  expect(readTree(root)).toEqual({ [IGNORE]: text });
});

test('a link stays, and so does what it leads to', () => {
  const text = '/lock\n/tx/\n/runs/\n/turn.context\n';
  const root = makeFolder({ ignored: text });
  mkdirSync(join(root, '.teddy'));
  symlinkSync('../ignored', join(root, IGNORE));
  new Workspace(root).requireStore();
  expect(readFileSync(join(root, IGNORE), 'utf8')).toBe(text);
});

test('where it cannot be brought up to date, all else works', () => {
  const text = '/lock\n/tx/\n/runs/\n/turn.context\n';
  const root = makeFolder({ [IGNORE]: text });
  setFileSeam((call, perform) => {
    if (/\.gitignore-/.test(String(call.args[0]))) throw Object.assign(new Error(), { code: 'EROFS' });
    return perform(call.args);
  });
  new Workspace(root).requireStore();
  expect(readTree(root)).toEqual({ [IGNORE]: text });
});
