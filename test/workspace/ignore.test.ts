import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { setFileSeam } from '../../src/node/file-calls.js';
import type { RunFolder } from '../../src/workspace/runs/run-folder.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder, readTree } from '../folder.js';

afterEach(() => setFileSeam(undefined));

const IGNORE = '.teddy/.gitignore';

const bytes = (text: string) => new TextEncoder().encode(text);

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
    ours.map((path) => `.teddy/${path}`).sort(),
  );
});

test.each(['', '/lock\n', '!runs/\n!tx/\n!*\n'])('what a project has there stays: %j', (text) => {
  const root = makeFolder({ [IGNORE]: text });
  new Workspace(root).requireStore();
  expect(readTree(root)).toEqual({ [IGNORE]: text, '.teddy/tx/.gitignore': '*\n' });
});

test('a link stays, and so does what it leads to', () => {
  const root = makeFolder({ ignored: '/lock\n' });
  mkdirSync(join(root, '.teddy'));
  symlinkSync('../ignored', join(root, IGNORE));
  new Workspace(root).requireStore();
  expect(readFileSync(join(root, IGNORE), 'utf8')).toBe('/lock\n');
});

describe('every folder that holds content keeps git out, whatever a clone brought', () => {
  const FOLDERS = ['tx', 'runs', 'incoming', 'reports', 'context-maps'];
  const RUN = '20260102-030405-k3x9';

  async function begin(workspace: Workspace, files: Record<string, string> = {}): Promise<RunFolder> {
    const begun = await workspace.beginRun(() => ({ id: RUN, files, note: {} }));
    if (begun.status !== 'begun') throw new Error(JSON.stringify(begun));
    return begun.folder;
  }

  /** Puts content into each of them, by every way that leads there. */
  async function fill(root: string): Promise<void> {
    const workspace = new Workspace(root);
    const run = await begin(workspace, { 'plan.md': 'secret' });
    run.makeFolder('output');
    writeFileSync(join(run.path, 'output/x.txt'), 'secret');
    workspace.incoming.keep(bytes('secret')).release();
    const paths = ['.teddy/reports/t/answer-1.txt', '.teddy/context-maps/x.json'];
    const changes = paths.map((path) => ({ path, before: null, after: bytes('secret') }));
    expect(await workspace.update(() => ({ changes, value: null }))).toMatchObject({ status: 'committed' });
    const change = { path: 'a.txt', before: null, after: bytes('a') };
    expect(await workspace.commit([change], { run: RUN })).toMatchObject({ status: 'committed' });
    writeFileSync(join(root, '.teddy/tx/left'), 'secret');
    run.close();
  }

  /** What git would add, `.teddy` alone. */
  function seenByGit(root: string): string[] {
    const git = (...words: string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' });
    git('init', '-q');
    git('add', '-A', '.teddy');
    return git('ls-files', '.teddy').split('\n').filter(Boolean);
  }

  function every(text: string): Record<string, string> {
    return Object.fromEntries(FOLDERS.map((name) => [`.teddy/${name}/.gitignore`, text]));
  }

  test.each<[string, Record<string, string>]>([
    ['nothing', {}],
    ['an empty .teddy/.gitignore', { [IGNORE]: '' }],
    ['one that names all of it', { [IGNORE]: FOLDERS.map((name) => `!/${name}/\n!/${name}/**\n`).join('') }],
    ['files of their own', { [IGNORE]: '', ...every('!*\n') }],
    ['files of the same length', { [IGNORE]: '', ...every('!\n') }],
    ['files that name each of them', { [IGNORE]: '', ...every('*\n!*.txt\n!*/\n') }],
    ['a file for one run', { [IGNORE]: '!*\n', '.teddy/runs/.gitignore': `!${RUN}\n` }],
  ])('%s', async (_, files) => {
    const root = makeFolder(files);
    await fill(root);
    expect(seenByGit(root).filter((path) => path !== IGNORE && path !== '.teddy/lock')).toEqual([]);
    for (const path of Object.keys(every(''))) expect(readFileSync(join(root, path), 'utf8')).toBe('*\n');
  });

  test('a link in its place, which git does not follow, makes way for a file', async () => {
    const root = makeFolder({ [IGNORE]: '', all: '*\n' });
    for (const name of FOLDERS) {
      mkdirSync(join(root, '.teddy', name));
      symlinkSync('../../all', join(root, '.teddy', name, '.gitignore'));
    }
    await fill(root);
    for (const name of FOLDERS)
      expect(lstatSync(join(root, '.teddy', name, '.gitignore')).isFile()).toBe(true);
    expect(readFileSync(join(root, 'all'), 'utf8')).toBe('*\n');
  });

  test('one that becomes another later is made right again', async () => {
    const root = makeFolder();
    await fill(root);
    writeFileSync(join(root, '.teddy/tx/.gitignore'), '!\n');
    new Workspace(root).requireStore();
    expect(readFileSync(join(root, '.teddy/tx/.gitignore'), 'utf8')).toBe('*\n');
  });

  test('where it cannot be written, nothing else is', async () => {
    const root = makeFolder({ '.teddy/runs/.gitignore/x': '' });
    const begun = await new Workspace(root).beginRun(() => ({ id: RUN, files: {}, note: {} }));
    expect(begun).toEqual({ status: 'stopped', reason: '.teddy/runs cannot be used (EISDIR).' });
    expect(readdirSync(join(root, '.teddy/runs')).filter((name) => !name.startsWith('.'))).toEqual([]);
  });

  test('where it is right, a commit does no more than to read it', async () => {
    const root = makeFolder();
    const workspace = new Workspace(root);
    const commit = (path: string) => workspace.commit([{ path, before: null, after: bytes('a') }]);
    await commit('a');
    const calls: string[] = [];
    setFileSeam((call, perform) => {
      if (/gitignore/.test(String(call.args[0]))) calls.push(call.name);
      return perform(call.args);
    });
    await commit('b');
    await commit('c');
    // That of .teddy, and that of tx.
    expect(calls).toEqual(['lstat', 'open', 'lstat', 'lstat', 'open', 'lstat']);
  });

  test('no run, and nothing unfinished, is found where there is no more than that', async () => {
    const root = makeFolder();
    const workspace = new Workspace(root);
    await workspace.commit([{ path: 'a', before: null, after: bytes('a') }]);
    (await begin(workspace)).close();
    workspace.incoming.keep(bytes('x')).discard();
    rmSync(join(root, '.teddy/runs', RUN), { recursive: true });
    expect(workspace.runs()).toEqual([]);
    expect(workspace.isUnfinished()).toBe(false);
    expect(workspace.incoming.left()).toEqual([]);
    expect(workspace.incoming.offered()).toEqual([]);
  });
});
