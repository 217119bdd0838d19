import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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

const write = (root: string, path: string, text = 'new\n') => writeFileSync(join(root, path), text);
const patchesOf = (root: string) => readdirSync(join(root, '.ultraplan/state/patches')).sort();
const adminOf = (place: { root: string }) => plainGit(place.root, 'rev-parse', '--absolute-git-dir').trim();

describe('after an orchestrator that was killed', () => {
  test('what is kept goes on where it was, the rest is cleaned away and its work is kept', async () => {
    const root = makeRepository();
    const before = (await isolate(root)).isolation;
    const kept = await openPlace(before, '1-1:1');
    const left = await openPlace(before, '1-1:2');
    const idle = await openPlace(before, '1-1:3');
    write(kept.root, 'a', 'kept\n');
    write(left.root, 'b', 'left\n');
    write(join(adminOf(kept)), 'index.lock', '');
    plainGit(root, 'worktree', 'lock', idle.root);

    const { isolation } = await isolate(root);
    const told = await isolation.recover([kept.record]);
    expect(told).toHaveLength(2);
    expect(told[0]).toContain('its work is saved in .ultraplan/state/patches/1-1-2-1.patch');
    expect(told[1]).toMatch(/^Removed the worktree of an interrupted attempt, "1-1-3-1-.*"\.$/);
    expect(readFileSync(join(root, '.ultraplan/state/patches/1-1-2-1.patch'), 'utf8')).toContain('+left');
    expect(await isolation.reopen(left.record)).toBeUndefined();
    const again = await isolation.reopen(kept.record);
    expect((await changesOf(again!)).files).toEqual(['a']);
    await landWell(again!);
    await again!.close();
    expect(patchesOf(root)).toEqual(['1-1-2-1.patch']);
    expect(await isolation.recover([])).toEqual([]);
    expectNoTrace(root);
  });

  test('an attempt that was gathered, merged or landed already is taken up from there', async () => {
    const root = makeRepository({ a: 'a\n', '1-PLAN.md': 'p\n' });
    const options = { ownFiles: ['1-PLAN.md'] };
    const before = (await isolate(root, 'worktree', options)).isolation;
    const place = await openPlace(before);
    write(place.root, 'b');
    write(place.root, '1-PLAN.md');
    const changes = await changesOf(place);
    write(root, 'c');
    commitAll(root);
    const candidate = await mergeWell(place);
    write(place.root, 'verify-was-here');
    // Killed in the middle of another merge, too.
    plainGit(place.root, 'checkout', '-q', '-f', '--detach', candidate!.head);
    plainGit(place.root, 'merge', '-q', '--no-commit', '--no-ff', place.record.branch!);

    const { isolation } = await isolate(root, 'worktree', options);
    expect(await isolation.recover([place.record])).toEqual([]);
    const again = (await isolation.reopen(place.record))!;
    expect(await changesOf(again)).toEqual(changes);
    expect(changes).toEqual({
      status: 'known',
      files: ['b'],
      leftOut: ['1-PLAN.md'],
      ignored: [],
      removed: [],
    });
    expect(await again.land(candidate)).toEqual({ status: 'landed' });
    const third = (await (await isolate(root, 'worktree', options)).isolation.reopen(place.record))!;
    expect(await third.land(candidate)).toEqual({ status: 'landed' });
    expect(await third.close()).toEqual({ patch: null });
    expect(readFileSync(join(root, 'b'), 'utf8')).toBe('new\n');
    expect(existsSync(join(root, 'verify-was-here'))).toBe(false);
    expect(statusOf(root)).toBe('');
    expectNoTrace(root);
  });

  test('what is made or gone by half is cleaned away; what others have is not', async () => {
    const root = makeRepository();
    const { isolation } = await isolate(root);
    const places = [];
    for (const task of ['1', '2', '3', '4', '5']) places.push(await openPlace(isolation, `1-1:${task}`));
    const [noFolder, noRegistration, onlyBranch, noMark, noGitdir] = places as [
      (typeof places)[0],
      ...typeof places,
    ];
    write(noFolder.root, 'b');
    plainGit(noFolder.root, 'add', '-A');
    plainGit(noFolder.root, 'commit', '-qm', 'committed by the executor');
    rmSync(noFolder.root, { recursive: true });
    rmSync(adminOf(noRegistration!), { recursive: true });
    plainGit(root, 'worktree', 'remove', '--force', onlyBranch!.root);
    rmSync(join(adminOf(noMark!), 'teddy-ready.json'));
    rmSync(join(noMark!.root, 'a'));
    rmSync(join(adminOf(noGitdir!), 'gitdir'));
    mkdirSync(join(root, '.ultraplan/state/worktrees/stray'));
    const own = join(root, '.ultraplan/mine');
    plainGit(root, 'worktree', 'add', '-q', '-b', 'teddy/1-1-1/1-mine', own);
    plainGit(root, 'branch', 'teddy/mine');

    const told = await (await isolate(root)).isolation.recover([]);
    expect(told).toHaveLength(6);
    expect(told.filter((sentence) => sentence.includes('cannot'))).toEqual([]);
    expect(patchesOf(root)).toEqual(['1-1-1-1.patch']);
    expect(existsSync(join(own, 'a'))).toBe(true);
    expect(plainGit(root, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/teddy')).toBe(
      'teddy/1-1-1/1-mine\nteddy/mine\n',
    );
    plainGit(root, 'worktree', 'remove', own);
    plainGit(root, 'branch', '-D', 'teddy/mine', 'teddy/1-1-1/1-mine');
    expectNoTrace(root);
  });

  test('two projects of one repository leave each other alone', async () => {
    const top = makeRepository({ 'one/a': 'a\n', 'two/a': 'a\n' });
    const one = (await isolate(join(top, 'one'))).isolation;
    const two = (await isolate(join(top, 'two'))).isolation;
    const place = await openPlace(one);
    write(place.root, 'b');
    expect(await two.recover([])).toEqual([]);
    await landWell(place);
    await place.close();
    expect(plainGit(top, 'for-each-ref', 'refs/heads/teddy')).toBe('');
  });
});

const modeOf = (path: string) => statSync(path).mode & 0o777;

test('a patch has a name of its own; of many the newest are kept, and none is too large', async () => {
  const root = makeRepository();
  const { isolation } = await isolate(root);
  const folder = join(root, '.ultraplan/state/patches');
  for (const name of ['03-01-2-1.patch', '03-01-2-1-2.patch']) {
    const place = await openPlace(isolation);
    write(place.root, 'b', name);
    expect((await place.close()).patch).toBe(`.ultraplan/state/patches/${name}`);
  }
  expect(modeOf(folder)).toBe(0o700);
  expect(modeOf(join(folder, '03-01-2-1.patch'))).toBe(0o600);
  for (let i = 0; i < 100; i++) write(folder, `old-${i}.patch`);
  chmodSync(folder, 0o755);
  execFileSync('touch', ['-d', '2001-01-01', ...readdirSync(folder).map((name) => join(folder, name))]);
  const place = await openPlace(isolation, '1-1:9');
  write(place.root, 'b');
  const { patch } = await place.close();
  expect(readdirSync(folder)).toHaveLength(100);
  expect(existsSync(join(root, patch!))).toBe(true);
  expect(new Set([folder, ...readdirSync(folder).map((name) => join(folder, name))].map(modeOf))).toEqual(
    new Set([0o700, 0o600]),
  );
  const large = await openPlace(isolation, '1-1:10');
  writeFileSync(join(large.root, 'b'), Buffer.alloc(21 * 1024 * 1024, 'abcdefg\n'));
  expect(await large.close()).toEqual({ patch: null });
  expect(readdirSync(folder)).toHaveLength(100);
  expectNoTrace(root);
});

describe('without isolation', () => {
  test('what one attempt changed is told; what differed before is not', async () => {
    const root = makeRepository({
      a: 'a\n',
      b: 'b\n',
      c: 'c\n',
      d: 'd\n',
      '1-PLAN.md': 'p\n',
      '.gitignore': 'dist\n',
    });
    write(root, 'a', 'a person\n');
    write(root, 'b', 'a person\n');
    write(root, 'un tracked');
    const { isolation } = await isolate(root, 'none', { ownFiles: ['1-PLAN.md'] });
    const place = await openPlace(isolation);
    expect(place).toMatchObject({ root, record: { root, base: null, branch: null } });
    write(root, 'b', 'work\n');
    write(root, '1-PLAN.md');
    write(root, 'dist');
    write(root, 'new\nname');
    plainGit(root, 'rm', '-q', 'd');
    write(root, 'c', 'committed\n');
    plainGit(root, 'commit', '-qm', 'by the executor', 'c');
    expect(await changesOf(place)).toEqual({
      status: 'known',
      files: ['b', 'c', 'd', 'new\nname'],
      leftOut: [],
      ignored: [],
      removed: [],
    });
    const merged = await place.merge();
    expect(merged).toEqual({ status: 'merged', candidate: null });
    expect(await place.land(null)).toEqual({ status: 'landed' });
    expect(await place.close()).toEqual({ patch: null });
    const again = await isolation.reopen(place.record);
    expect(await again?.changes()).toMatchObject({ status: 'unknown' });
    expect(headOf(root)).not.toBe('');
  });

  test('nor where several write at once, or git is not there; a project below the top has its own', async () => {
    const top = makeRepository({ 'sub/a': 'a\n', b: 'b\n' });
    const several = await openPlace((await isolate(top, 'none', { writers: 2 })).isolation);
    expect(await several.changes()).toMatchObject({
      status: 'unknown',
      reason: expect.stringContaining('Several'),
    });
    const below = await openPlace((await isolate(join(top, 'sub'), 'none')).isolation);
    write(top, 'sub/a');
    write(top, 'b');
    expect((await changesOf(below)).files).toEqual(['a']);
    rmSync(join(top, '.git'), { recursive: true });
    const plain = await openPlace((await isolate(top, 'none')).isolation);
    expect(await plain.changes()).toMatchObject({
      status: 'unknown',
      reason: expect.stringContaining('not a git repository'),
    });
  });
});
