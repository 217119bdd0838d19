import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { takeSnapshot } from '../../src/node/git/folder-state.js';
import { listGitChanges, listGitFiles } from '../../src/node/git/listing.js';
import { openWorkTree } from '../../src/node/git/work-tree.js';
import { makeFolder } from '../folder.js';
import { commitAll, makeRepository, plainGit } from '../repository.js';

/** A program that leaves a trace, and passes on what it is given. */
function makeTrap(): { program: string; hasRun(): boolean } {
  const folder = realpathSync(makeFolder());
  const [program, trace] = [join(folder, 'trap'), join(folder, 'ran')];
  writeFileSync(program, `#!/bin/sh\necho "$@" >> '${trace}'\ncat\n`);
  chmodSync(program, 0o755);
  return { program, hasRun: () => existsSync(trace) };
}

let touched = 0;

/** What is looked at again, since it is not what it was when git last looked. */
function touch(path: string): void {
  utimesSync(path, ++touched, touched);
}

/** Every way in which a project is only looked at. */
async function lookAround(root: string): Promise<void> {
  await listGitFiles(root);
  await listGitChanges(root);
  await listGitChanges(root, 'HEAD', { hidden: true });
  const opened = await openWorkTree(root);
  if (opened.status === 'ok') await takeSnapshot(opened.tree);
}

const before = { ...process.env };
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});

describe('programs that a repository names do not run when it is looked at', () => {
  const FILTERS: [string, (root: string, program: string) => void][] = [
    ['a clean filter', (root, program) => plainGit(root, 'config', 'filter.x.clean', program)],
    [
      'a filter that works on many files',
      (root, program) => plainGit(root, 'config', 'filter.x.process', program),
    ],
    [
      'a filter that must not fail',
      (root, program) => {
        plainGit(root, 'config', 'filter.x.clean', program);
        plainGit(root, 'config', 'filter.x.required', 'true');
      },
    ],
    [
      'a filter in a file that the config includes',
      (root, program) => {
        writeFileSync(join(root, 'more'), `[filter "x"]\n\tclean = ${program}\n`);
        plainGit(root, 'config', 'include.path', '../more');
      },
    ],
    [
      'a filter that is included on this branch only',
      (root, program) => {
        writeFileSync(join(root, 'more'), `[filter "x"]\n\tclean = ${program}\n`);
        plainGit(root, 'config', 'includeIf.onbranch:main.path', '../more');
      },
    ],
    [
      'a filter of the work tree alone',
      (root, program) => {
        plainGit(root, 'config', 'extensions.worktreeConfig', 'true');
        plainGit(root, 'config', '--worktree', 'filter.x.clean', program);
      },
    ],
  ];

  test.each(FILTERS)('%s', async (_, name) => {
    const root = makeRepository({ a: 'a\n', '.gitattributes': '* filter=x\n' });
    const trap = makeTrap();
    await lookAround(root);
    name(root, trap.program);
    touch(join(root, 'a'));
    await lookAround(root);
    expect(await listGitFiles(root)).toMatchObject({ status: 'ok' });
    expect(trap.hasRun()).toBe(false);
    // Whoever does not mind runs it.
    touch(join(root, 'a'));
    try {
      plainGit(root, 'status');
    } catch {}
    expect(trap.hasRun()).toBe(true);
  });

  test("a name of the user's own filter is not taken over", async () => {
    const root = makeRepository({ a: 'a\n', '.gitattributes': '* filter=lfs\n' });
    const [users, other] = [makeTrap(), makeTrap()];
    process.env.GIT_CONFIG_GLOBAL = join(
      makeFolder({ config: `[filter "lfs"]\n\tclean = ${users.program}\n` }),
      'config',
    );
    plainGit(root, 'config', 'filter.lfs.clean', other.program);
    touch(join(root, 'a'));
    await lookAround(root);
    expect([users.hasRun(), other.hasRun()]).toEqual([true, false]);
  });

  test("what the user's own filter would run by the repository's config", async () => {
    const root = makeRepository({ a: 'a\n', '.gitattributes': '* filter=lfs\n' });
    const users = makeTrap();
    process.env.GIT_CONFIG_GLOBAL = join(
      makeFolder({ config: `[filter "lfs"]\n\tclean = ${users.program}\n` }),
      'config',
    );
    plainGit(root, 'config', 'lfs.extension.x.clean', 'whatever');
    touch(join(root, 'a'));
    await lookAround(root);
    expect(users.hasRun()).toBe(false);
  });

  test('a driver whose name cannot be said on a command line', async () => {
    const root = makeRepository({ a: 'a\n', '.gitattributes': '* filter=x\n' });
    const trap = makeTrap();
    writeFileSync(
      join(root, '.git/config'),
      `[core]\n\tbare = false\n[filter "a=b"]\n\tclean = ${trap.program}\n`,
    );
    expect(await listGitFiles(root)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('"a=b"'),
    });
    expect(trap.hasRun()).toBe(false);
  });

  test.each(['core.fsmonitor', 'filter.x.clean', 'filter.x.process'])('in a submodule: %s', async (key) => {
    const library = makeRepository({ 'lib.c': 'c\n' });
    const root = makeRepository();
    plainGit(root, 'submodule', 'add', '-q', library, 'sub');
    commitAll(root);
    const trap = makeTrap();
    // The words of the repository itself count for less than ours.
    plainGit(root, 'config', 'submodule.sub.ignore', 'none');
    plainGit(root, 'config', 'diff.ignoreSubmodules', 'none');
    plainGit(join(root, 'sub'), 'config', key, trap.program);
    writeFileSync(join(root, '.git/modules/sub/info/attributes'), '* filter=x\n');
    touch(join(root, 'sub/lib.c'));
    await lookAround(root);
    expect(trap.hasRun()).toBe(false);
    writeFileSync(join(root, 'sub/new'), '');
    expect(await listGitChanges(root)).toMatchObject({ changes: [{ path: 'sub/', change: 'modified' }] });
    touch(join(root, 'sub/lib.c'));
    try {
      plainGit(root, 'status');
    } catch {}
    expect(trap.hasRun()).toBe(true);
  });

  test('what a partial clone lacks is not fetched', async () => {
    const origin = makeRepository({ a: 'a\n' });
    for (const key of ['allowFilter', 'allowAnySHA1InWant'])
      plainGit(origin, 'config', `uploadpack.${key}`, 'true');
    const root = join(realpathSync(makeFolder()), 'clone');
    plainGit('/', 'clone', '-q', '--no-checkout', '--filter=blob:none', `file://${origin}`, root);
    plainGit(root, 'read-tree', 'HEAD');
    const trap = makeTrap();
    plainGit(root, 'config', 'remote.origin.uploadpack', trap.program);
    plainGit(root, 'config', 'protocol.file.allow', 'always');
    const opened = await openWorkTree(root);
    if (opened.status !== 'ok') throw new Error(opened.reason);
    expect(await opened.tree.run(['cat-file', '-p', 'HEAD:a'])).toMatchObject({ status: 'failed' });
    await lookAround(root);
    expect(trap.hasRun()).toBe(false);
  });
});

describe('which repository is meant', () => {
  /** HEAD, objects, refs and a config, as a clone can bring them. */
  function embedBare(root: string, folder: string, config: string): void {
    plainGit(root, 'init', '-q', '--bare', folder);
    writeFileSync(join(root, folder, 'config'), config);
    mkdirSync(join(root, folder, '.teddy'));
  }

  test('a folder that looks like a bare repository is a folder', async () => {
    const root = makeRepository();
    const trap = makeTrap();
    embedBare(
      root,
      'bare',
      `[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = ${trap.program}\n[filter "x"]\n\tclean = ${trap.program}\n`,
    );
    writeFileSync(join(root, 'bare/.gitattributes'), '* filter=x\n');
    commitAll(root);
    await lookAround(join(root, 'bare'));
    expect(await listGitChanges(join(root, 'bare'))).toMatchObject({
      status: 'ok',
      base: plainGit(root, 'rev-parse', 'HEAD').trim(),
    });
    expect(await listGitFiles(join(root, 'bare'))).toMatchObject({
      files: expect.arrayContaining(['HEAD', 'config']),
    });
    expect(trap.hasRun()).toBe(false);
  });

  test('and nothing where no repository is around it', async () => {
    const folder = realpathSync(makeFolder());
    embedBare(folder, 'bare', '[core]\n\tbare = false\n\tworktree = /etc\n');
    expect(await listGitFiles(join(folder, 'bare'))).toMatchObject({ status: 'no-repository' });
  });

  test('a work tree that the config puts elsewhere is not this folder', async () => {
    const root = makeRepository();
    plainGit(root, 'config', 'core.worktree', '/etc');
    expect(await listGitFiles(root)).toMatchObject({ status: 'no-repository' });
    expect(await openWorkTree(root)).toMatchObject({ status: 'no-repository' });
    plainGit('/', '--git-dir', join(root, '.git'), 'config', 'core.worktree', '..');
    expect(await listGitFiles(root)).toMatchObject({ status: 'ok', files: ['a'] });
  });

  test.each(['file', 'link'])('a .git that leads into the files that are checked out: %s', async (kind) => {
    const root = makeRepository();
    renameSync(join(root, '.git'), join(root, 'data'));
    if (kind === 'file') writeFileSync(join(root, '.git'), 'gitdir: data\n');
    else symlinkSync('data', join(root, '.git'));
    expect(await listGitFiles(root)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('part of the files that are checked out'),
    });
  });

  test.each(['file', 'link'])("a .git that leads to another folder's repository: %s", async (kind) => {
    const other = makeRepository();
    const root = realpathSync(makeFolder({ a: 'x' }));
    if (kind === 'file') writeFileSync(join(root, '.git'), `gitdir: ${join(other, '.git')}\n`);
    else symlinkSync(join(other, '.git'), join(root, '.git'));
    expect(await openWorkTree(root)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('the repository of another folder'),
    });
  });

  test('a copy of a worktree is not that worktree', async () => {
    const main = makeRepository();
    const folder = realpathSync(makeFolder());
    plainGit(main, 'worktree', 'add', '-q', join(folder, 'tree'));
    expect(await listGitFiles(join(folder, 'tree'))).toMatchObject({ status: 'ok' });
    cpSync(join(folder, 'tree'), join(folder, 'copy'), { recursive: true });
    expect(await listGitFiles(join(folder, 'copy'))).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('git worktree repair'),
    });
  });

  test('the home folder is not the repository of what lies in it', async () => {
    const home = makeRepository({ a: 'a\n', 'project/b': 'b\n' });
    process.env.HOME = home;
    expect(await listGitFiles(join(home, 'project'))).toMatchObject({ status: 'no-repository' });
    expect(await listGitFiles(home)).toMatchObject({ status: 'ok' });
  });

  test('a caller that is a git hook does not decide it', async () => {
    const [root, other] = [makeRepository(), makeRepository({ other: '' })];
    Object.assign(process.env, {
      GIT_DIR: join(other, '.git'),
      GIT_WORK_TREE: other,
      GIT_INDEX_FILE: join(other, '.git/index'),
      GIT_PREFIX: 'x/',
    });
    expect(await listGitFiles(root)).toMatchObject({ status: 'ok', files: ['a'] });
  });
});

describe('whose repository it is', () => {
  const isRoot = process.geteuid?.() === 0;
  const STRANGER = 12345;

  test.runIf(isRoot).each(['.', '.git', '.git/config'])("another user's %s", async (path) => {
    const root = makeRepository();
    chownSync(join(root, path), STRANGER, STRANGER);
    expect(await listGitChanges(root)).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(
        /belongs to another user.* run: git config --global --add safe.directory \S+$/,
      ),
    });
    const config = `[safe]\n\tdirectory = ${root}\n`;
    process.env.GIT_CONFIG_GLOBAL = join(makeFolder({ config }), 'config');
    expect(await listGitChanges(root)).toMatchObject({ status: 'ok' });
    process.env.GIT_CONFIG_GLOBAL = join(makeFolder({ config: `${config}\tdirectory =\n` }), 'config');
    expect(await listGitChanges(root)).toMatchObject({ status: 'failed' });
  });

  test.runIf(isRoot)('what a worktree shares', async () => {
    const main = makeRepository();
    const tree = join(realpathSync(makeFolder()), 'tree');
    plainGit(main, 'worktree', 'add', '-q', tree);
    chownSync(join(main, '.git'), STRANGER, STRANGER);
    expect(await listGitFiles(tree)).toMatchObject({ status: 'failed' });
  });

  test('one that everybody can write to', async () => {
    const root = makeRepository();
    chmodSync(join(root, '.git'), 0o777);
    expect(await listGitChanges(root)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('other users can write to it'),
    });
  });
});

describe('which git runs', () => {
  test.each(['bin', '.', ''])('none from inside the project: %j on PATH', async (entry) => {
    const root = makeRepository();
    const trap = makeTrap();
    mkdirSync(join(root, 'bin'));
    for (const folder of ['bin', '.']) cpSync(trap.program, join(root, folder, 'git'));
    const folder = process.cwd();
    process.chdir(root);
    try {
      process.env.PATH = [entry === 'bin' ? join(root, 'bin') : entry, before.PATH].join(delimiter);
      expect(await listGitFiles(root)).toMatchObject({ status: 'ok' });
      expect(trap.hasRun()).toBe(false);
      process.env.PATH = join(root, 'bin');
      expect(await listGitFiles(root)).toEqual({
        status: 'failed',
        reason: expect.stringMatching(/bin\/git" is inside the project and is not used/),
      });
    } finally {
      process.chdir(folder);
      rmSync(join(root, 'git'));
    }
  });
});
