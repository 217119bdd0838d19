import {
  chmodSync,
  existsSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listGitChanges } from '../../src/node/git/listing.js';
import { makeFolder } from '../folder.js';
import { commitAll, makeRepository, plainGit } from '../repository.js';

/** `+created`, `~modified`, `-deleted` */
async function listed(root: string, base?: string): Promise<string[]> {
  const result = await listGitChanges(root, base);
  if (result.status !== 'ok') throw new Error(result.reason);
  return result.changes.map(
    ({ path, change }) => `${{ created: '+', modified: '~', deleted: '-' }[change]}${path}`,
  );
}

const write = (root: string, path: string, text = 'new\n') => writeFileSync(join(root, path), text);

describe('what differs from HEAD', () => {
  test('nothing, also after a touch', async () => {
    const root = makeRepository({ a: 'a\n' });
    utimesSync(join(root, 'a'), 1, 1);
    plainGit(root, 'config', 'diff.autoRefreshIndex', 'false');
    expect(await listed(root)).toEqual([]);
  });

  test('created, modified and deleted, in the index or not', async () => {
    const root = makeRepository({ kept: 'k\n', changed: 'c\n', staged: 's\n', gone: 'g\n', removed: 'r\n' });
    write(root, 'changed');
    write(root, 'staged');
    plainGit(root, 'add', 'staged');
    rmSync(join(root, 'gone'));
    plainGit(root, 'rm', '-q', 'removed');
    write(root, 'added');
    plainGit(root, 'add', 'added');
    mkdirSync(join(root, 'deep/er'), { recursive: true });
    write(root, 'deep/er/new');
    expect(await listed(root)).toEqual([
      '+added',
      '~changed',
      '+deep/er/new',
      '-gone',
      '-removed',
      '~staged',
    ]);
  });

  test('a file that moved is one deleted and one created, whatever the settings say', async () => {
    const root = makeRepository({ old: 'a long enough text\nto be known again\n' });
    plainGit(root, 'config', 'diff.renames', 'copies');
    renameSync(join(root, 'old'), join(root, 'new'));
    plainGit(root, 'add', '-A');
    expect(await listed(root)).toEqual(['+new', '-old']);
  });

  test('what git ignores is not there', async () => {
    const root = makeRepository({ '.gitignore': 'dist/\n*.log\n', a: 'a\n' });
    mkdirSync(join(root, 'dist'));
    write(root, 'dist/a.js');
    write(root, 'x.log');
    write(root, 'b');
    expect(await listed(root)).toEqual(['+b']);
  });

  test('a mode, a link in the place of a file, a file out of the index alone', async () => {
    const root = makeRepository({ script: 's\n', file: 'f\n', kept: 'k\n' });
    chmodSync(join(root, 'script'), 0o755);
    rmSync(join(root, 'file'));
    symlinkSync('kept', join(root, 'file'));
    plainGit(root, 'rm', '-q', '--cached', 'kept');
    expect(await listed(root)).toEqual(['~file', '~kept', '~script']);
  });

  test('names that others would quote', async () => {
    const root = makeRepository({ a: 'a\n' });
    const names = ['-x', 'sp ace', 'tab\there', 'line\nbreak', '"quoted"', 'ü→😀', 'a:b'];
    for (const name of names) write(root, name);
    expect(await listed(root)).toEqual(names.map((name) => `+${name}`).sort());
  });

  test('an unmerged file', async () => {
    const root = makeRepository({ a: 'one\n' });
    plainGit(root, 'checkout', '-q', '-b', 'other');
    write(root, 'a', 'two\n');
    commitAll(root);
    plainGit(root, 'checkout', '-q', 'main');
    write(root, 'a', 'three\n');
    commitAll(root);
    expect(() => plainGit(root, 'merge', 'other')).toThrow();
    expect(await listed(root)).toEqual(['~a']);
  });
});

describe('what it is compared with', () => {
  test('a commit, a branch, a tag: commits since are seen', async () => {
    const root = makeRepository({ a: 'a\n' });
    const first = plainGit(root, 'rev-parse', 'HEAD').trim();
    plainGit(root, 'tag', 'v1');
    write(root, 'b');
    commitAll(root);
    write(root, 'c');
    expect(await listed(root)).toEqual(['+c']);
    for (const base of [first, 'v1', 'HEAD~1']) expect(await listed(root, base)).toEqual(['+b', '+c']);
    expect(await listGitChanges(root, 'v1')).toMatchObject({ base: first });
  });

  test('without any commit everything is created, and stays so to whoever remembers', async () => {
    const root = realpathSync(makeFolder({ a: 'a\n', b: 'b\n' }));
    plainGit(root, 'init', '-q');
    plainGit(root, 'add', 'a');
    const result = await listGitChanges(root);
    expect(result).toMatchObject({
      changes: [
        { path: 'a', change: 'created' },
        { path: 'b', change: 'created' },
      ],
    });
    commitAll(root);
    expect(await listed(root)).toEqual([]);
    expect(await listed(root, result.status === 'ok' ? result.base : '')).toEqual(['+a', '+b']);
  });

  test('what names no commit is refused, and is never an option', async () => {
    const root = makeRepository({ a: 'a\n' });
    for (const base of ['nowhere', '', '--output=stolen', 'HEAD:a', 'HEAD..HEAD', '-h']) {
      expect(await listGitChanges(root, base)).toEqual({
        status: 'failed',
        reason: `${JSON.stringify(base)} is not a commit of this repository`,
      });
    }
    expect(existsSync(join(root, 'stolen'))).toBe(false);
  });
});

describe('where it looks', () => {
  test('a folder within the repository sees itself alone', async () => {
    const root = makeRepository({ 'app/a': 'a\n', 'app/gone': 'g\n', other: 'o\n' });
    write(root, 'app/a');
    write(root, 'app/b');
    rmSync(join(root, 'app/gone'));
    write(root, 'other');
    write(root, 'another');
    expect(await listed(join(root, 'app'))).toEqual(['~a', '+b', '-gone']);
  });

  test('a submodule and a repository that just lies there are folders', async () => {
    const library = makeRepository({ 'lib.c': 'c\n' });
    const root = makeRepository({ a: 'a\n' });
    plainGit(root, 'submodule', 'add', '-q', library, 'sub');
    commitAll(root);
    expect(await listed(root)).toEqual([]);
    write(root, 'sub/lib.c');
    mkdirSync(join(root, 'nested'));
    plainGit(join(root, 'nested'), 'init', '-q');
    write(root, 'nested/x');
    commitAll(join(root, 'nested'));
    expect(await listed(root)).toEqual(['+nested/', '~sub/']);
  });

  test.each(['.', 'sub'])('no monitor that a repository names is run: %s', async (where) => {
    const library = makeRepository({ 'lib.c': 'c\n' });
    const root = makeRepository({ a: 'a\n' });
    plainGit(root, 'submodule', 'add', '-q', library, 'sub');
    commitAll(root);
    const folder = makeFolder();
    const [ran, monitor] = [join(folder, 'ran'), join(folder, 'monitor')];
    writeFileSync(monitor, `#!/bin/sh\ntouch '${ran}'\n`);
    chmodSync(monitor, 0o755);
    plainGit(join(root, where), 'config', 'core.fsmonitor', monitor);
    plainGit(root, 'config', 'diff.external', monitor);
    write(root, 'a');
    write(root, 'sub/lib.c');
    expect(await listed(root)).toEqual(['~a', '~sub/']);
    expect(existsSync(ran)).toBe(false);
    // Whoever does not mind runs it.
    plainGit(root, 'status');
    expect(existsSync(ran)).toBe(true);
  });

  test('no repository, none with files, none at all', async () => {
    const folder = realpathSync(makeFolder());
    expect(await listGitChanges(folder)).toEqual({
      status: 'no-repository',
      reason: 'this is not a git repository',
    });
    plainGit(folder, 'init', '-q', '--bare');
    // A folder that looks like a bare repository is not taken for one.
    expect(await listGitChanges(folder)).toEqual({
      status: 'no-repository',
      reason: 'this is not a git repository',
    });
    expect(await listGitChanges('/no/such')).toMatchObject({
      status: 'failed',
      reason: 'there is no folder /no/such',
    });
  });
});
