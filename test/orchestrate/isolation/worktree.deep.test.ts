import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canIsolate, openIsolation } from '../../../src/orchestrate/isolation/open-isolation.js';
import { makeFolder } from '../../folder.js';
import { commitAll, makeRepository, plainGit } from '../../repository.js';
import {
  changesOf,
  expectNoTrace,
  headOf,
  isolate,
  landWell,
  mergeWell,
  openPlace,
  statusOf,
} from './repository.js';

const write = (root: string, path: string, text: string | Uint8Array = 'new\n') => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
};
const read = (root: string, path: string) => readFileSync(join(root, path), 'utf8');

describe('whether there can be worktrees', () => {
  test('in a repository with a commit, at its top or below it', async () => {
    const root = makeRepository({ a: 'a\n', 'sub/b': 'b\n' });
    expect(await canIsolate(root)).toEqual({ status: 'yes' });
    expect(await canIsolate(join(root, 'sub'))).toEqual({ status: 'yes' });
  });

  test('not without a repository, a commit or an end to what was begun', async () => {
    const plain = makeFolder({ a: 'a\n' });
    expect(await canIsolate(plain)).toMatchObject({
      status: 'no',
      reason: expect.stringContaining('Worktrees need a git repository.'),
    });
    plainGit(plain, 'init', '-q');
    expect(await canIsolate(plain)).toMatchObject({
      status: 'no',
      reason: expect.stringContaining('Nothing is committed'),
    });
    const root = makeRepository();
    plainGit(root, 'checkout', '-q', '-b', 'other');
    write(root, 'a', 'one\n');
    commitAll(root);
    plainGit(root, 'checkout', '-q', 'main');
    write(root, 'a', 'two\n');
    commitAll(root);
    expect(() => plainGit(root, 'merge', 'other')).toThrow();
    expect(await canIsolate(root)).toMatchObject({
      status: 'no',
      reason: expect.stringContaining('A merge is in progress'),
    });
    plainGit(root, 'merge', '--abort');
    plainGit(root, 'branch', 'teddy');
    expect(await canIsolate(root)).toMatchObject({
      status: 'no',
      reason: expect.stringContaining('A branch is named "teddy"'),
    });
    plainGit(root, 'branch', '-D', 'teddy');
    expect(await canIsolate(join(root, '.git'))).toMatchObject({ status: 'no' });
  });

  test('not where the state folder is a link to elsewhere', async () => {
    const root = makeRepository();
    const elsewhere = makeFolder();
    symlinkSync(elsewhere, join(root, '.ultraplan'));
    const opened = await openIsolation('worktree', {
      ...{
        workspace: { root },
        setup: null,
        runSetup: async () => ({ status: 'ok' }),
        writers: 1,
        ownFiles: [],
      },
    });
    expect(opened).toMatchObject({ status: 'refused', reason: expect.stringContaining('.ultraplan') });
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test('what is not committed, and submodules, are told', async () => {
    const root = makeRepository({ a: 'a\n', '03-01-PLAN.md': 'p\n' });
    for (const name of ['1', '2', '3', '4', '5', '6']) write(root, name);
    write(root, '03-01-PLAN.md');
    const { notes } = await isolate(root, 'worktree', { ownFiles: ['03-01-PLAN.md'] });
    expect(notes).toHaveLength(2);
    expect(notes[0]).toContain('lands on the branch');
    expect(notes[1]).toContain('"1", "2", "3", "4", "5" and 1 more');
    write(root, '.gitmodules', '[submodule "x"]\n\tpath = x\n\turl = ./x\n');
    expect((await isolate(root)).notes[2]).toContain('submodules');
  });
});

describe('an attempt from its beginning to its end', () => {
  test('its changes become one commit that says whose they are, and the project has them', async () => {
    const root = makeRepository({ a: 'a\n', gone: 'g\n', '.gitignore': 'dist/\n' });
    const base = headOf(root);
    const { isolation } = await isolate(root);
    const place = await openPlace(isolation);
    expect(place.root.startsWith(join(root, '.ultraplan/state/worktrees/03-01-2-1-'))).toBe(true);
    expect(place.record).toMatchObject({ base, taskId: '03-01:2', attempt: 1, root: place.root });
    expect(place.record.branch).toMatch(/^teddy\/03-01-2\/1-[0-9a-z]{8}$/);
    expect(statusOf(root)).toBe('');
    write(place.root, 'a', 'changed\n');
    write(place.root, 'dir/new');
    write(place.root, 'dist/ignored');
    rmSync(join(place.root, 'gone'));
    expect(await changesOf(place)).toEqual({
      status: 'known',
      files: ['a', 'dir/new', 'gone'],
      leftOut: [],
      ignored: ['dist/'],
      removed: ['dist/'],
    });
    await landWell(place);
    expect(await place.close()).toEqual({ patch: null });
    expect(read(root, 'a')).toBe('changed\n');
    expect(existsSync(join(root, 'gone')) || existsSync(join(root, 'dist'))).toBe(false);
    expect(statusOf(root)).toBe('');
    expect(plainGit(root, 'log', '--format=%P%n%B', '-1')).toBe(
      `${base}\n03-01:2 Name of 03-01:2\n\nTask: 03-01:2\nAttempt: 1\n\n`,
    );
    expect(plainGit(root, 'symbolic-ref', 'HEAD').trim()).toBe('refs/heads/main');
    expectNoTrace(root);
  });

  test('nothing done lands as nothing, and leaves no patch', async () => {
    const root = makeRepository();
    const base = headOf(root);
    const place = await openPlace((await isolate(root)).isolation);
    expect(await changesOf(place)).toMatchObject({ files: [] });
    await landWell(place);
    expect(headOf(root)).toBe(base);
    expect(await place.close()).toEqual({ patch: null });
    expect(await place.close()).toEqual({ patch: null });
    expectNoTrace(root);
  });

  test('what is not landed stays as a patch that git applies, bytes and modes and links and names', async () => {
    const root = makeRepository({
      a: 'a\n',
      bin: new Uint8Array([0, 1, 2, 255]),
      'to move': 'long enough\nto be known\nagain\n',
    });
    const place = await openPlace((await isolate(root)).isolation);
    makeMany(place.root);
    const { files } = await changesOf(place);
    const tree = plainGit(place.root, 'write-tree');
    const { patch } = await place.close();
    expect(patch).toBe('.ultraplan/state/patches/03-01-2-1.patch');
    expectNoTrace(root);
    plainGit(root, 'apply', '--index', '--whitespace=nowarn', join(root, patch!));
    expect(plainGit(root, 'write-tree')).toBe(tree);
    expect(files).toEqual(MANY);
  });

  test('every kind of change lands: renames, binaries, modes, links, odd names', async () => {
    const root = makeRepository({
      a: 'a\n',
      bin: new Uint8Array([0, 1, 2, 255]),
      'to move': 'long enough\nto be known\nagain\n',
    });
    const place = await openPlace((await isolate(root)).isolation);
    makeMany(place.root);
    expect((await changesOf(place)).files).toEqual(MANY);
    await landWell(place);
    await place.close();
    expect(statusOf(root)).toBe('');
    expect(new Uint8Array(readFileSync(join(root, 'bin')))).toEqual(new Uint8Array([0, 9, 254]));
    expect(lstatSync(join(root, 'a')).mode & 0o111).not.toBe(0);
    expect(readlinkSync(join(root, 'link'))).toBe('bin');
    expect(existsSync(join(root, 'line\nbreak'))).toBe(true);
  });

  const MANY = ['a', 'bin', 'line\nbreak', 'link', 'moved ü→😀', 'sp ace/"q"', 'to move'];
  function makeMany(folder: string): void {
    write(folder, 'bin', new Uint8Array([0, 9, 254]));
    chmodSync(join(folder, 'a'), 0o755);
    symlinkSync('bin', join(folder, 'link'));
    renameSync(join(folder, 'to move'), join(folder, 'moved ü→😀'));
    write(folder, 'sp ace/"q"');
    write(folder, 'line\nbreak');
  }

  test('whoever committed or switched branches: what stands in the folder counts', async () => {
    const root = makeRepository({ a: 'a\n', b: 'b\n' });
    const { isolation } = await isolate(root);
    const committed = await openPlace(isolation, '1-1:1');
    write(committed.root, 'own');
    plainGit(committed.root, 'add', '-A');
    plainGit(committed.root, 'commit', '-qm', 'by the executor');
    write(committed.root, 'rest');
    expect((await changesOf(committed)).files).toEqual(['own', 'rest']);
    await landWell(committed);
    expect(plainGit(root, 'log', '--format=%s', '-2')).toBe('1-1:1 Name of 1-1:1\nby the executor\n');

    const switched = await openPlace(isolation, '1-1:2');
    plainGit(switched.root, 'checkout', '-q', '--orphan', 'strange');
    write(switched.root, 'more');
    commitAll(switched.root);
    write(switched.root, 'last');
    expect((await changesOf(switched)).files).toEqual(['last', 'more']);
    await landWell(switched);
    await Promise.all([committed.close(), switched.close()]);
    plainGit(root, 'branch', '-D', 'strange');
    expect(statusOf(root)).toBe('');
    expectNoTrace(root);
  });

  test("what is the tool's own is put back, committed or not, and named", async () => {
    const root = makeRepository({
      a: 'a\n',
      '03-01-PLAN.md': 'plan\n',
      '.teddy/config.yaml': 'c\n',
      'STATE.md': 's\n',
    });
    const { isolation } = await isolate(root, 'worktree', { ownFiles: ['03-01-PLAN.md', 'STATE.md'] });
    const place = await openPlace(isolation);
    write(place.root, '03-01-PLAN.md', 'ticked\n');
    commitAll(place.root);
    write(place.root, '.teddy/config.yaml', 'execute: {}\n');
    write(place.root, '.Teddy/policy.yaml');
    write(place.root, '.ultraplan/logs/x');
    rmSync(join(place.root, 'STATE.md'));
    write(place.root, 'a', 'work\n');
    const leftOut = [
      '.Teddy/policy.yaml',
      '.teddy/config.yaml',
      '.ultraplan/logs/x',
      '03-01-PLAN.md',
      'STATE.md',
    ];
    expect(await changesOf(place)).toEqual({
      status: 'known',
      files: ['a'],
      leftOut,
      ignored: [],
      removed: [],
    });
    expect(read(place.root, '03-01-PLAN.md')).toBe('plan\n');
    expect(read(place.root, 'STATE.md')).toBe('s\n');
    expect(existsSync(join(place.root, '.ultraplan/logs/x'))).toBe(false);
    // Meanwhile the tool itself has changed them in the project, uncommitted.
    write(root, '03-01-PLAN.md', 'the tool was here\n');
    await landWell(place);
    await place.close();
    expect(read(root, '03-01-PLAN.md')).toBe('the tool was here\n');
    expect(statusOf(root)).toBe(' M 03-01-PLAN.md\n');
    expect(read(root, 'a')).toBe('work\n');
  });

  test('a repository made within the project is not taken for its files', async () => {
    const root = makeRepository();
    const { isolation } = await isolate(root);
    const place = await openPlace(isolation);
    for (const name of ['unborn', 'with commit']) {
      write(place.root, `${name}/file`);
      plainGit(join(place.root, name), 'init', '-q');
    }
    commitAll(join(place.root, 'with commit'));
    write(place.root, 'b');
    expect(await changesOf(place)).toEqual({
      status: 'known',
      files: ['b'],
      leftOut: ['unborn/', 'with commit/'],
      ignored: [],
      removed: [],
    });
    expect(await place.merge()).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('"unborn", "with commit"'),
    });
    await place.close();
    expectNoTrace(root);
  });
});

describe('when others land first', () => {
  test('both are in, by a merge that names the task', async () => {
    const root = makeRepository({ a: '1\n2\n3\n4\n5\n6\n7\n8\n', b: 'b\n' });
    const { isolation } = await isolate(root);
    const [first, second] = [await openPlace(isolation, '1-1:1'), await openPlace(isolation, '1-1:2')];
    write(first.root, 'a', 'one\n2\n3\n4\n5\n6\n7\n8\n');
    write(second.root, 'a', '1\n2\n3\n4\n5\n6\n7\neight\n');
    const stale = await mergeWell(second);
    await landWell(first);
    const head = headOf(root);
    expect(await second.land(stale)).toEqual({ status: 'moved' });
    const candidate = await mergeWell(second);
    expect(candidate?.head).toBe(head);
    expect(read(second.root, 'a')).toBe('one\n2\n3\n4\n5\n6\n7\neight\n');
    expect(await second.land(candidate)).toEqual({ status: 'landed' });
    expect(plainGit(root, 'log', '-1', '--format=%s|%P').split('|')[0]).toBe('Merge 1-1:2 Name of 1-1:2');
    expect(plainGit(root, 'rev-parse', 'HEAD^1').trim()).toBe(head);
    await Promise.all([first.close(), second.close()]);
    expect(readdirSync(join(root, '.ultraplan/state'))).not.toContain('patches');
    expect(statusOf(root)).toBe('');
    expectNoTrace(root);
  });

  test("conflicts are told with both sides, and the folder is the attempt's again", async () => {
    const root = makeRepository({ a: '1\n2\n3\n', kept: 'k\n', bin: new Uint8Array([0]) });
    const { isolation } = await isolate(root);
    const place = await openPlace(isolation);
    write(place.root, 'a', '1\nmine\n3\n');
    write(place.root, 'kept', 'changed\n');
    write(place.root, 'bin', new Uint8Array([0, 1]));
    write(place.root, 'd/inside', 'i\n');
    write(root, 'a', '1\ntheirs\n3\n');
    write(root, 'bin', new Uint8Array([0, 2]));
    write(root, 'd', 'a file\n');
    rmSync(join(root, 'kept'));
    commitAll(root);
    const merged = await place.merge();
    if (merged.status !== 'conflict') throw new Error(JSON.stringify(merged));
    expect(merged.files).toEqual(expect.arrayContaining(['a', 'bin', 'kept']));
    expect(merged.text).toMatch(/<<<<<<< HEAD\ntheirs\n=======\nmine\n>>>>>>> /);
    expect(merged.text).toContain('"kept": The project deleted or moved it, and the attempt changed it.');
    expect(read(place.root, 'a')).toBe('1\nmine\n3\n');
    expect(statusOf(place.root)).toBe('');
    expect(read(place.root, 'd/inside')).toBe('i\n');
    expect((await place.close()).patch).toBe('.ultraplan/state/patches/03-01-2-1.patch');
    expectNoTrace(root);
  });

  test('a conflict of any size is cut, and says so', async () => {
    const lines = (word: string) => Array.from({ length: 3000 }, (_, i) => `${word} ${i}\n`).join('');
    const root = makeRepository({ a: lines('base') });
    const place = await openPlace((await isolate(root)).isolation);
    write(place.root, 'a', lines('mine'));
    write(root, 'a', lines('theirs'));
    commitAll(root);
    const merged = await place.merge();
    if (merged.status !== 'conflict') throw new Error(JSON.stringify(merged));
    expect(merged.text.length).toBeLessThanOrEqual(20_000);
    expect(merged.text).toMatch(/\[\d+ more characters of conflicts left out\.\]$/);
  });

  test('on a branch that was rewritten, what was taken from it does not come back', async () => {
    const root = makeRepository();
    write(root, 'secret');
    commitAll(root);
    const place = await openPlace((await isolate(root)).isolation);
    write(place.root, 'b');
    plainGit(root, 'reset', '-q', '--hard', 'HEAD~1');
    expect(await place.merge()).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('the branch was switched or rewritten'),
    });
  });

  test('eight at once: every one lands, one after the other', async () => {
    const root = makeRepository(
      Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${i}`, `${i}\n`])),
    );
    const { isolation } = await isolate(root);
    const land = async (i: number) => {
      const place = await openPlace(isolation, `1-1:${i}`);
      write(place.root, `f${i}`, 'changed\n');
      write(place.root, `new ${i}`);
      let landed = await place.land(await mergeWell(place));
      for (; landed.status === 'moved'; ) landed = await place.land(await mergeWell(place));
      expect(landed).toEqual({ status: 'landed' });
      await place.close();
    };
    await Promise.all(Array.from({ length: 8 }, (_, i) => land(i)));
    for (let i = 0; i < 8; i++) expect(read(root, `f${i}`) + read(root, `new ${i}`)).toBe('changed\nnew\n');
    expect(statusOf(root)).toBe('');
    expectNoTrace(root);
  });
});

describe('what a person has in the project', () => {
  test('changes elsewhere stay; changes in the way are named and not written over', async () => {
    const root = makeRepository({ a: 'a\n', b: 'b\n', c: 'c\n', '.gitignore': '.env\n' });
    const { isolation } = await isolate(root);
    const place = await openPlace(isolation);
    write(place.root, 'a', 'work\n');
    write(place.root, 'new');
    write(place.root, '.env', 'made by the attempt\n');
    plainGit(place.root, 'add', '-f', '.env');
    write(root, 'b', 'a person\n');
    const candidate = await mergeWell(place);
    const head = headOf(root);

    write(root, 'a', 'a person\n');
    write(root, 'new', 'a person\n');
    write(root, '.env', 'a person\n');
    const refused = await place.land(candidate);
    expect(refused).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/^"\.env", "a", "new" are changed/),
    });
    for (const path of ['a', 'new', '.env']) expect(read(root, path)).toBe('a person\n');
    expect(headOf(root)).toBe(head);

    rmSync(join(root, 'new'));
    plainGit(root, 'add', 'a');
    write(root, 'a', 'a\n');
    const staged = await place.land(candidate);
    expect(staged).toMatchObject({ status: 'refused', reason: expect.stringMatching(/^"\.env", "a" are/) });
    plainGit(root, 'reset', '-q', 'a');
    const ignored = await place.land(candidate);
    expect(ignored).toMatchObject({ status: 'refused', reason: expect.stringMatching(/^"\.env" is/) });
    expect(read(root, '.env')).toBe('a person\n');
    rmSync(join(root, '.env'));
    expect(await place.land(candidate)).toEqual({ status: 'landed' });
    expect(await place.land(candidate)).toEqual({ status: 'landed' });
    expect(read(root, 'a') + read(root, 'b')).toBe('work\na person\n');
    await place.close();
  });

  test('a file that was emptied is a change, too', async () => {
    const root = makeRepository();
    const place = await openPlace((await isolate(root)).isolation);
    write(place.root, 'a', 'work\n');
    const candidate = await mergeWell(place);
    write(root, 'a', '');
    expect(await place.land(candidate)).toMatchObject({ status: 'refused' });
    expect(read(root, 'a')).toBe('');
  });

  test('a folder in the place of a new file keeps what is in it', async () => {
    const root = makeRepository();
    const place = await openPlace((await isolate(root)).isolation);
    write(place.root, 'spot', 'work\n');
    const candidate = await mergeWell(place);
    write(root, 'spot/own', 'a person\n');
    expect(await place.land(candidate)).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('"spot/own"'),
    });
    expect(read(root, 'spot/own')).toBe('a person\n');
  });

  test('without a branch HEAD itself moves; hooks, signing and settings have no say', async () => {
    const root = makeRepository();
    for (const hook of [
      'pre-commit',
      'post-checkout',
      'post-merge',
      'reference-transaction',
      'pre-merge-commit',
    ]) {
      write(root, `.git/hooks/${hook}`, '#!/bin/sh\ntouch "$HOME/ran" 2>/dev/null; exit 1\n');
      chmodSync(join(root, `.git/hooks/${hook}`), 0o755);
    }
    const config = {
      'commit.gpgSign': 'true',
      'merge.ff': 'false',
      'merge.verifySignatures': 'true',
      'core.safecrlf': 'true',
    };
    for (const [name, value] of Object.entries(config)) plainGit(root, 'config', name, value);
    plainGit(root, '-c', 'core.hooksPath=/dev/null', 'checkout', '-q', '--detach');
    const branch = plainGit(root, 'rev-parse', 'main');
    const place = await openPlace((await isolate(root)).isolation);
    write(place.root, 'b', 'mixed\r\nends\n');
    const candidate = await mergeWell(place);
    expect(await place.land(candidate)).toEqual({ status: 'landed' });
    expect(headOf(root)).toBe(candidate?.commit);
    expect(plainGit(root, 'rev-parse', 'main')).toBe(branch);
    await place.close();
  });

  test('a project below the top works in its own folder, and nothing outside is taken', async () => {
    const top = makeRepository({ 'sub/a': 'a\n', outside: 'o\n' });
    const root = join(top, 'sub');
    const place = await openPlace((await isolate(root)).isolation);
    expect(read(place.root, 'a')).toBe('a\n');
    write(place.root, 'a', 'work\n');
    write(place.root, '../outside', 'work\n');
    write(place.root, '.teddy/x');
    expect(await changesOf(place)).toEqual({
      status: 'known',
      files: ['a'],
      leftOut: ['../outside', '.teddy/x'],
      ignored: [],
      removed: [],
    });
    await landWell(place);
    await place.close();
    expect(read(top, 'outside') + read(root, 'a')).toBe('o\nwork\n');
    expect(statusOf(top)).toBe('');
    const untracked = join(top, 'later');
    mkdirSync(untracked);
    const other = await openPlace((await isolate(untracked)).isolation);
    write(other.root, 'b');
    await landWell(other);
    await other.close();
    expect(read(untracked, 'b')).toBe('new\n');
  });

  test("filters are git's: CRLF in the folder, LF in the repository, and clean both", async () => {
    const root = makeRepository({ '.gitattributes': '*.txt text eol=crlf\n', 'a.txt': 'one\r\ntwo\r\n' });
    const place = await openPlace((await isolate(root)).isolation);
    expect(read(place.root, 'a.txt')).toBe('one\r\ntwo\r\n');
    write(place.root, 'a.txt', 'one\r\n2\r\n');
    write(place.root, 'b.txt', 'x\n');
    await landWell(place);
    await place.close();
    expect(read(root, 'a.txt') + read(root, 'b.txt')).toBe('one\r\n2\r\nx\r\n');
    expect(plainGit(root, 'show', 'HEAD:a.txt')).toBe('one\n2\n');
    expect(statusOf(root)).toBe('');
  });

  test('a submodule stays as it is', async () => {
    const inner = makeRepository({ i: 'i\n' });
    const root = makeRepository();
    plainGit(root, 'submodule', '--quiet', 'add', inner, 'module');
    commitAll(root);
    const place = await openPlace((await isolate(root)).isolation);
    write(place.root, 'b');
    expect(await changesOf(place)).toMatchObject({ files: ['b'], leftOut: [] });
    await landWell(place);
    await place.close();
    expect(read(root, 'module/i')).toBe('i\n');
    expect(statusOf(root)).toBe('');
    expectNoTrace(root);
  });

  test('a project that is a worktree itself lands on its own branch', async () => {
    const main = makeRepository();
    const root = join(main, 'linked');
    plainGit(main, 'worktree', 'add', '-q', '-b', 'side', root);
    const place = await openPlace((await isolate(root)).isolation);
    write(place.root, 'b');
    await landWell(place);
    await place.close();
    expect(read(root, 'b')).toBe('new\n');
    expect(plainGit(main, 'rev-parse', 'side').trim()).toBe(headOf(root));
    expect(headOf(main)).not.toBe(headOf(root));
    expect(statusOf(root)).toBe('');
    expect(plainGit(main, 'for-each-ref', 'refs/heads/teddy')).toBe('');
  });

  test('who has not said who they are commits as teddy', async () => {
    const root = makeRepository();
    const before = { ...process.env };
    try {
      Object.assign(process.env, {
        HOME: makeFolder(),
        GIT_CONFIG_NOSYSTEM: '1',
        XDG_CONFIG_HOME: makeFolder(),
      });
      for (const name of [
        'EMAIL',
        'GIT_AUTHOR_NAME',
        'GIT_AUTHOR_EMAIL',
        'GIT_COMMITTER_NAME',
        'GIT_COMMITTER_EMAIL',
      ])
        delete process.env[name];
      for (const [who, task] of [
        ['teddy <teddy@localhost>', '1-1:1'],
        ['Me <me@example.org>', '1-1:2'],
      ] as const) {
        const place = await openPlace((await isolate(root)).isolation, task);
        write(place.root, 'b', task);
        await landWell(place);
        expect(plainGit(root, 'log', '-1', '--format=%an <%ae>').trim()).toBe(who);
        await place.close();
        plainGit(root, 'config', 'user.name', 'Me');
        plainGit(root, 'config', 'user.email', 'me@example.org');
      }
    } finally {
      process.env = before;
    }
  });
});

describe('the setup of a worktree', () => {
  const runSetup = async (command: string, cwd: string) => {
    try {
      execFileSync('/bin/sh', ['-c', command], { cwd, stdio: 'pipe' });
      return { status: 'ok' } as const;
    } catch {
      return { status: 'failed', reason: `"${command}" failed.` } as const;
    }
  };

  test("what it makes is there to work with, and is nobody's work until it is changed", async () => {
    const root = makeRepository({ lock: 'l\n' });
    const setup = 'echo made > made; echo other > other; echo touched > lock';
    const { isolation } = await isolate(root, 'worktree', { setup, runSetup });
    const place = await openPlace(isolation);
    expect(read(place.root, 'made')).toBe('made\n');
    write(place.root, 'other', 'worked on\n');
    write(place.root, 'b');
    expect(await changesOf(place)).toEqual({
      status: 'known',
      files: ['b', 'other'],
      leftOut: [],
      ignored: [],
      removed: [],
    });
    expect(read(place.root, 'made')).toBe('made\n');
    await landWell(place);
    await place.close();
    expect(read(root, 'lock')).toBe('l\n');
  });

  test('where it fails nothing is left', async () => {
    const root = makeRepository();
    const { isolation } = await isolate(root, 'worktree', { setup: 'exit 3', runSetup });
    const opened = await isolation.open({ taskId: '1-1:1', taskName: 'x', attempt: 1 });
    expect(opened).toEqual({ status: 'failed', reason: 'A worktree could not be set up. "exit 3" failed.' });
    expectNoTrace(root);
  });
});

test('names of tasks that no branch or folder could have', async () => {
  const root = makeRepository();
  const { isolation } = await isolate(root);
  for (const task of ['../../x..lock:1', 'ü ~^:?*[\\:2', '-:3', `${'long'.repeat(100)}:4`]) {
    const place = await openPlace(isolation, task);
    write(place.root, 'b', task);
    expect((await changesOf(place)).files).toEqual(['b']);
    expect(realpathSync(place.root).startsWith(join(root, '.ultraplan/state/worktrees/'))).toBe(true);
    const again = await isolation.reopen(place.record);
    expect(again?.root).toBe(place.root);
    expect((await place.close()).patch).not.toBeNull();
  }
  expectNoTrace(root);
});
