import {
  chmodSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { git, gitList } from '../../src/node/git/command.js';
import { findRepository, mainWorktree } from '../../src/node/git/repository.js';
import { makeFolder } from '../folder.js';
import { makeRepository, plainGit } from '../repository.js';

const set: string[] = [];
function setEnvironment(name: string, value: string): void {
  set.push(name);
  process.env[name] = value;
}
afterEach(() => {
  for (const name of set.splice(0)) delete process.env[name];
});

describe('git', () => {
  test('answers', async () => {
    const root = makeRepository();
    expect(await git(['rev-parse', '--show-toplevel'], { cwd: root })).toEqual({
      status: 'ok',
      stdout: `${root}\n`,
    });
  });

  test('a failure has its code and words', async () => {
    expect(await git(['log'], { cwd: makeFolder() })).toEqual({
      status: 'no-repository',
      code: 128,
      reason: 'this is not a git repository',
    });
  });

  test('its reason is the error, not a warning before it', async () => {
    const script = 'alias.fall=!echo "warning: a detail" >&2; echo "error: the cause." >&2; exit 3';
    expect(await git(['-c', script, 'fall'], { cwd: makeFolder() })).toEqual({
      status: 'failed',
      code: 3,
      reason: 'the cause',
    });
  });

  test('absent', async () => {
    expect(await git(['--version'], { cwd: '/', env: { PATH: makeFolder() } })).toEqual({
      status: 'failed',
      reason: 'git is not installed',
    });
  });

  test('a missing folder is a failure, not an absent git', async () => {
    expect(await git(['--version'], { cwd: '/no/such' })).toEqual({
      status: 'failed',
      reason: 'There is no folder /no/such',
    });
  });

  test('too slow', async () => {
    const cwd = makeFolder();
    const sleep = ['-c', 'alias.doze=!sleep 100', 'doze'];
    expect(await git(sleep, { cwd, timeoutMs: 100 })).toMatchObject({
      reason: expect.stringContaining('0.1 s'),
    });
  });

  test('takes input, and variables that are said', async () => {
    const root = makeRepository();
    const cwd = root;
    expect(await git(['hash-object', '--stdin'], { cwd, input: 'a\n' })).toMatchObject({
      stdout: plainGit(root, 'rev-parse', 'HEAD:a'),
    });
    const index = { GIT_INDEX_FILE: join(root, 'other-index') };
    expect(await git(['ls-files'], { cwd, env: index })).toEqual({ status: 'ok', stdout: '' });
  });

  test.each([
    ['GIT_DIR', '/no/such'],
    ['GIT_WORK_TREE', '/no/such'],
    ['GIT_INDEX_FILE', '/no/such'],
    ['GIT_OBJECT_DIRECTORY', '/no/such'],
    ['GIT_COMMON_DIR', '/no/such'],
    ['GIT_NAMESPACE', 'other'],
    ['GIT_CONFIG_COUNT', 'not a number'],
    ['GIT_CONFIG_PARAMETERS', 'broken'],
    ['GIT_EXTERNAL_DIFF', '/no/such'],
    ['GIT_LITERAL_PATHSPECS', 'broken'],
  ])('does not inherit %s', async (name, value) => {
    const root = makeRepository();
    writeFileSync(join(root, 'a'), 'b\n');
    setEnvironment(name, value);
    expect(await git(['diff'], { cwd: root })).toMatchObject({
      status: 'ok',
      stdout: expect.stringContaining('+b'),
    });
    expect(await git(['ls-files'], { cwd: root })).toEqual({ status: 'ok', stdout: 'a\n' });
  });

  test('inherits who the user is', async () => {
    setEnvironment('GIT_AUTHOR_NAME', 'Somebody');
    setEnvironment('GIT_AUTHOR_EMAIL', 's@example.org');
    const { stdout } = (await git(['var', 'GIT_AUTHOR_IDENT'], { cwd: makeFolder() })) as { stdout: string };
    expect(stdout).toMatch(/^Somebody <s@example.org>/);
  });

  test('runs no hook, monitor or pager that the repository names', async () => {
    const root = makeRepository();
    const trap = join(root, '.git', 'trap');
    writeFileSync(trap, '#!/bin/sh\ntouch "$(dirname "$0")/sprung"\n');
    chmodSync(trap, 0o755);
    for (const hook of ['pre-commit', 'post-checkout', 'reference-transaction', 'post-index-change']) {
      mkdirSync(join(root, '.git/hooks'), { recursive: true });
      symlinkSync('../trap', join(root, '.git/hooks', hook));
    }
    plainGit(root, 'config', 'core.fsmonitor', trap);
    plainGit(root, 'config', 'core.pager', trap);
    writeFileSync(join(root, 'a'), 'b\n');
    const env = {
      GIT_AUTHOR_NAME: 'T',
      GIT_AUTHOR_EMAIL: 't@t',
      GIT_COMMITTER_NAME: 'T',
      GIT_COMMITTER_EMAIL: 't@t',
    };
    for (const words of [
      ['status'],
      ['commit', '-qam', 'second'],
      ['checkout', '-qb', 'other'],
      ['-p', 'log'],
    ]) {
      expect(await git(words, { cwd: root, env })).toMatchObject({ status: 'ok' });
    }
    expect(() => readFileSync(join(root, '.git/sprung'))).toThrow('ENOENT');
  });

  test('asks nobody', async () => {
    const cwd = makeFolder();
    const result = await git(['credential', 'fill'], { cwd, input: 'protocol=https\nhost=example.org\n\n' });
    expect(result).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('terminal prompts disabled'),
    });
  });
});

describe('gitList', () => {
  test('names with spaces, newlines and other letters stay whole', async () => {
    const names = ['a b', 'line\nbreak', 'quote"', 'tab\t', 'äöü'];
    const root = makeRepository(Object.fromEntries(names.map((name) => [name, 'x'])));
    expect(await gitList(['ls-files', '-z'], { cwd: root })).toEqual({ status: 'ok', items: names });
  });

  test('nothing is an empty list', async () => {
    expect(await gitList(['ls-files', '-z'], { cwd: makeRepository({}) })).toEqual({
      status: 'ok',
      items: [],
    });
  });

  test.runIf(process.platform === 'linux')('a name that is not UTF-8 is not taken for another', async () => {
    const root = makeRepository();
    writeFileSync(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]), '');
    expect(await gitList(['ls-files', '-z', '-o'], { cwd: root })).toEqual({
      status: 'failed',
      reason: 'A name in the repository is not UTF-8',
    });
  });

  test('a failure is passed on', async () => {
    expect(await gitList(['ls-files', '-z'], { cwd: makeFolder() })).toMatchObject({
      status: 'no-repository',
      code: 128,
    });
  });
});

/** Where it is checked out; undefined where there is none. */
function topOf(folder: string): string | undefined {
  const found = findRepository(folder);
  return found.status === 'ok' ? found.top : undefined;
}

describe('where the repository is', () => {
  test('it is looked for upward, as a folder or a file', () => {
    const root = makeRepository({ 'deep/er/a': '' });
    plainGit(root, 'worktree', 'add', '-q', 'tree');
    expect(topOf(join(root, 'deep/er'))).toBe(root);
    expect(topOf(root)).toBe(root);
    expect(topOf(join(root, 'tree/deep'))).toBe(join(root, 'tree'));
    expect(topOf(makeFolder())).toBeUndefined();
    expect(topOf('/no/such/folder')).toBeUndefined();
  });

  test('a worktree leads to its main root, as git says it does', () => {
    const root = makeRepository();
    const outside = realpathSync(makeFolder());
    plainGit(root, 'worktree', 'add', '-q', join(outside, 'tree'));
    plainGit(join(outside, 'tree'), 'worktree', 'add', '-q', join(root, 'inner'));
    for (const folder of [root, join(outside, 'tree'), join(root, 'inner')]) {
      expect(mainWorktree(folder)).toBe(root);
      expect(topOf(folder)).toBe(folder);
      expect(plainGit(folder, 'worktree', 'list', '--porcelain').split('\n')[0]).toBe(`worktree ${root}`);
    }
    // Moved behind git's back, its repository no longer knows it.
    renameSync(join(outside, 'tree'), join(outside, 'moved'));
    expect(mainWorktree(join(outside, 'moved'))).toBe(join(outside, 'moved'));
  });

  test('a submodule is its own main root, and its worktrees are theirs', () => {
    const library = makeRepository();
    const root = makeRepository();
    const tree = join(realpathSync(makeFolder()), 'tree');
    plainGit(root, 'submodule', '--quiet', 'add', library, 'sub');
    plainGit(join(root, 'sub'), 'worktree', 'add', '-q', tree);
    expect(mainWorktree(join(root, 'sub'))).toBe(join(root, 'sub'));
    expect(mainWorktree(tree)).toBe(tree);
    expect(topOf(tree)).toBe(tree);
  });

  test('a git folder that says it is a worktree of a repository that does not know it is none', () => {
    const [root, other] = [makeRepository(), makeRepository()];
    writeFileSync(join(root, '.git/commondir'), join(other, '.git'));
    writeFileSync(join(root, '.git/gitdir'), '.');
    expect(findRepository(root)).toEqual({
      status: 'failed',
      reason: `"${root}/.git" names the repository "${other}/.git", which does not know it`,
    });
  });

  test('a separate git folder', () => {
    const folder = realpathSync(makeFolder());
    plainGit(folder, 'init', '-q', '--separate-git-dir', join(folder, 'data'), join(folder, 'work'));
    expect(mainWorktree(join(folder, 'work'))).toBe(join(folder, 'work'));
  });

  test('a bare repository has no main root', () => {
    const folder = realpathSync(makeFolder());
    plainGit(folder, 'clone', '-q', '--bare', makeRepository(), 'bare.git');
    plainGit(join(folder, 'bare.git'), 'worktree', 'add', '-q', '../tree');
    expect(mainWorktree(join(folder, 'tree'))).toBe(join(folder, 'tree'));
    expect(topOf(join(folder, 'tree'))).toBe(join(folder, 'tree'));
  });

  test.each([
    ['no .git', {}],
    ['a file that is no pointer', { '.git': 'hello\n' }],
    ['an empty file', { '.git': '' }],
    ['a pointer to nothing', { '.git': 'gitdir: /no/such\n' }],
    ['an empty folder', { '.git/x': '' }],
  ])('%s is no repository', (_, files) => {
    expect(topOf(makeFolder(files))).toBeUndefined();
  });

  test('a pointer in a circle ends', () => {
    const root = makeFolder();
    symlinkSync('.git', join(root, '.git'));
    expect([topOf(root), mainWorktree(root)]).toEqual([undefined, root]);
  });
});
