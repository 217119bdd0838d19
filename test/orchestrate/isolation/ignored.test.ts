import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAmongIgnored } from '../../../src/orchestrate/attempt/claim.js';
import { makeFolder } from '../../folder.js';
import { makeRepository, plainGit } from '../../repository.js';
import { changesOf, expectNoTrace, isolate, landWell, mergeWell, openPlace } from './repository.js';

const write = (root: string, path: string, text = 'new\n') => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
};
const has = (root: string, path: string) => existsSync(join(root, path));
const runSetup = async (command: string, cwd: string) => {
  execFileSync('/bin/sh', ['-c', command], { cwd, stdio: 'pipe' });
  return { status: 'ok' } as const;
};

describe('what git ignores', () => {
  test('by whatever rules, it is not there when the work is verified, and is told', async () => {
    const root = makeRepository({
      a: 'a\n',
      '.gitignore': 'dist/\n*.log\n',
      'sub/.gitignore': '!keep.log\n',
    });
    const place = await openPlace((await isolate(root)).isolation);
    write(place.root, '.gitignore', 'dist/\n*.log\n*.js\ngen/\n');
    write(place.root, 'feature.js');
    write(place.root, 'gen/deep/x');
    write(place.root, 'gen/own.log');
    write(place.root, 'dist/bundle.js');
    write(place.root, 'sub/.gitignore', '');
    write(place.root, 'sub/keep.log');
    write(place.root, 'self/.gitignore', '*\n');
    write(place.root, ':(glob) x.js');
    write(place.root, 'self/x');
    plainGit(place.root, 'init', '-q', 'gen/repository');
    plainGit(place.root, 'init', '-q', 'dist/repository');
    write(place.root, '.teddy/.gitignore', '*\n');
    write(place.root, 'b');
    const changes = await changesOf(place);
    const selves = ['self/.gitignore', 'self/x'];
    expect(changes.files).toEqual(['.gitignore', 'b', 'sub/.gitignore']);
    expect(changes.ignored).toEqual([
      '.teddy/.gitignore',
      ':(glob) x.js',
      'dist/',
      'feature.js',
      'gen/',
      ...selves,
      'sub/keep.log',
    ]);
    expect(changes.removed).toEqual(changes.ignored);
    await mergeWell(place);
    for (const path of changes.removed) expect(has(place.root, path), path).toBe(false);
    expect(has(place.root, 'b')).toBe(true);
    expect(readFileSync(join(place.root, '.gitignore'), 'utf8')).toContain('gen/');
    await landWell(place);
    await place.close();
    expectNoTrace(root);
  });

  test('by rules that the attempt wrote into the repository, or made git read, likewise', async () => {
    const root = makeRepository({ a: 'a\n' });
    writeFileSync(join(root, '.git/info/exclude'), '*.tmp\n');
    const { isolation } = await isolate(root);
    const [one, two] = [await openPlace(isolation, '1-1:1'), await openPlace(isolation, '1-1:2')];
    appendFileSync(join(root, '.git/info/exclude'), 'feature.js\n');
    write(one.root, 'feature.js');
    write(one.root, 'x.tmp');
    expect(await changesOf(one)).toMatchObject({
      files: [],
      ignored: ['feature.js', 'x.tmp'],
      removed: ['feature.js', 'x.tmp'],
    });
    expect(has(one.root, 'x.tmp')).toBe(false);
    const again = await isolation.reopen(one.record);
    expect((await changesOf(again!)).removed).toEqual(['feature.js', 'x.tmp']);
    writeFileSync(join(root, '.git/info/exclude'), '*.tmp\n');
    const rules = makeFolder({ rules: 'other.js\n' });
    plainGit(two.root, 'config', 'core.excludesFile', join(rules, 'rules'));
    write(two.root, 'other.js');
    expect((await changesOf(two)).removed).toEqual(['other.js']);
    await one.close();
    await two.close();
  });

  test('what package managers fetch may stay, whoever says that it is ignored', async () => {
    const root = makeRepository({ a: 'a\n' });
    const place = await openPlace((await isolate(root)).isolation);
    write(place.root, '.gitignore', 'node_modules/\n.env\n');
    write(place.root, 'node_modules/m/index.js');
    write(place.root, 'packages/p/node_modules/m');
    write(place.root, '.env');
    expect(await changesOf(place)).toMatchObject({
      ignored: ['.env', 'node_modules/', 'packages/p/node_modules/'],
      removed: ['.env'],
    });
    expect(has(place.root, 'node_modules/m/index.js')).toBe(true);
    await place.close();
  });

  test("of what the setup made, only what was written since is the attempt's", async () => {
    const root = makeRepository({ a: 'a\n', '.gitignore': 'dist/\ncache\n' });
    const setup = 'mkdir dist; echo 1 > dist/old; echo 1 > dist/other; echo 1 > cache; echo 1 > made';
    const { isolation } = await isolate(root, 'worktree', { setup, runSetup });
    const place = await openPlace(isolation);
    expect(await changesOf(place)).toMatchObject({ files: [], ignored: [], removed: [] });
    await place.close();
    const next = await openPlace(isolation);
    write(next.root, 'dist/other', 'changed\n');
    write(next.root, 'dist/deep/feature.js');
    write(next.root, '.gitignore', 'dist/\ncache\nmade\n');
    expect(await changesOf(next)).toMatchObject({
      files: ['.gitignore'],
      ignored: ['dist/deep/feature.js', 'dist/other'],
      removed: ['dist/deep/feature.js', 'dist/other'],
    });
    expect(has(next.root, 'dist/old')).toBe(true);
    expect(has(next.root, 'made')).toBe(true);
    await next.close();
  });

  test('below the top, paths are from the project, and outside of it nothing stays hidden', async () => {
    const top = makeRepository({ 'sub/a': 'a\n' });
    const place = await openPlace((await isolate(join(top, 'sub'))).isolation);
    write(place.root, '.gitignore', '*.js\n');
    write(place.root, 'feature.js');
    write(place.root, '../out/.gitignore', '*\n');
    write(place.root, '../out/x');
    expect((await changesOf(place)).removed).toEqual(['../out/.gitignore', '../out/x', 'feature.js']);
    expect(has(place.root, '../out/x')).toBe(false);
    await place.close();
  });

  test('no more than a thousand are told', async () => {
    const root = makeRepository({ '.gitignore': '*.o\n' });
    const place = await openPlace((await isolate(root)).isolation);
    for (let i = 0; i < 1001; i++) write(place.root, `${i}.o`);
    expect((await changesOf(place)).ignored).toHaveLength(1000);
    await place.close();
  });
});

test('a path is among the ignored by its own name or by its folder', () => {
  const ignored = ['dist/', 'feature.js'];
  expect(['dist/a/b', 'feature.js'].every((path) => isAmongIgnored(ignored, path))).toBe(true);
  expect(
    ['dist', 'distant/a', 'feature.jsx', 'a/feature.js'].some((path) => isAmongIgnored(ignored, path)),
  ).toBe(false);
});

test.each(['--skip-worktree', '--assume-unchanged'])(
  'files hidden from git by %s are work like any',
  async (flag) => {
    const root = makeRepository({ a: 'a\n', b: 'b\n' });
    const place = await openPlace((await isolate(root)).isolation);
    plainGit(place.root, 'update-index', flag, 'a', 'b');
    write(place.root, 'a', 'changed\n');
    expect((await changesOf(place)).files).toEqual(['a']);
    await landWell(place);
    await place.close();
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('changed\n');
  },
);
