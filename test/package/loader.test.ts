import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../folder.js';

const TEDDY = fileURLToPath(new URL('../../bin/teddy.cjs', import.meta.url));

function run(words: readonly string[], env: Record<string, string>, cwd = makeFolder()) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [TEDDY, ...words], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const version = (env: Record<string, string>) => run(['--version'], env);

const DONE = { status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: '' };
const onlyFile = (folder: string) => join(folder, readdirSync(folder)[0]!);

describe('compiled code', () => {
  test('is kept for this user alone, named by the program, Node and the command', () => {
    const cache = makeFolder();
    expect(version({ XDG_CACHE_HOME: cache })).toEqual(DONE);
    const [name, ...others] = readdirSync(join(cache, 'teddy'));
    expect(others).toEqual([]);
    const hash = readFileSync(join(TEDDY, '../../dist/hash'), 'utf8');
    expect(name).toBe(`${hash}-${process.version}-${process.arch}-help`);
    expect(statSync(join(cache, 'teddy')).mode & 0o777).toBe(0o700);
    expect(statSync(join(cache, 'teddy', name!)).mode & 0o777).toBe(0o600);
  });

  test('is complete after two runs, and then only read', () => {
    const cache = makeFolder();
    version({ XDG_CACHE_HOME: cache });
    const file = onlyFile(join(cache, 'teddy'));
    const first = statSync(file);
    expect(version({ XDG_CACHE_HOME: cache })).toEqual(DONE);
    const second = statSync(file);
    expect(second.size).toBeGreaterThan(first.size);
    expect(version({ XDG_CACHE_HOME: cache })).toEqual(DONE);
    expect(statSync(file).ino).toBe(second.ino);
  });

  test('of a script that V8 does not accept is made again', () => {
    const cache = makeFolder();
    for (const _ of [1, 2]) version({ XDG_CACHE_HOME: cache });
    const file = onlyFile(join(cache, 'teddy'));
    const bytes = readFileSync(file);
    const start = Math.ceil((bytes.indexOf(10) + 1) / 8) * 8;
    bytes.fill(0, start, start + 16);
    writeFileSync(file, bytes);
    expect(version({ XDG_CACHE_HOME: cache })).toEqual(DONE);
    expect(
      readFileSync(file)
        .subarray(start, start + 16)
        .every((byte) => byte === 0),
    ).toBe(false);
  });

  test('that is damaged is made anew', () => {
    const cache = makeFolder();
    version({ XDG_CACHE_HOME: cache });
    const file = onlyFile(join(cache, 'teddy'));
    writeFileSync(file, 'no code');
    expect(version({ XDG_CACHE_HOME: cache })).toEqual(DONE);
    expect(statSync(file).size).toBeGreaterThan(10_000);
  });

  test.each([
    ['the file', (file: string) => chmodSync(file, 0o620)],
    ['the folder', (file: string) => chmodSync(join(file, '..'), 0o770)],
  ])('is not read where others may write %s', (_, open) => {
    const cache = makeFolder();
    version({ XDG_CACHE_HOME: cache });
    const file = onlyFile(join(cache, 'teddy'));
    // V8 takes a cache by its length and a few bytes: one that is read and refused would be replaced.
    const good = readFileSync(file);
    open(file);
    const trace = spawnSync(process.execPath, ['-e', READ, file], { encoding: 'utf8' });
    expect(trace.stdout).toBe('undefined\n');
    expect(readFileSync(file).equals(good)).toBe(true);
  });

  test('is that of the program as it is written, whatever characters it has', () => {
    const folder = makeFolder({ 'part.cjs': "(function (exports) { exports.text = '“–а😀'; })" });
    const { openProgram } = createRequire(import.meta.url)('../../bin/loader.cjs');
    expect(openProgram(folder)('./part.cjs').text).toBe('“–а😀');
  });

  test('of a command that was not understood is not kept', () => {
    const cache = makeFolder();
    expect(run(['validate', '--nonsense'], { XDG_CACHE_HOME: cache }).status).toBe(2);
    expect(readdirSync(cache)).toEqual([]);
  });

  test('grows when a later run of the same kind needs more parts', () => {
    const cache = makeFolder();
    version({ XDG_CACHE_HOME: cache });
    const file = onlyFile(join(cache, 'teddy'));
    const before = statSync(file).size;
    expect(run(['--help'], { XDG_CACHE_HOME: cache }).status).toBe(0);
    expect(onlyFile(join(cache, 'teddy'))).toBe(file);
    expect(statSync(file).size).toBeGreaterThan(before);
  });

  test('is kept in the usual place where the environment names none', () => {
    const home = makeFolder();
    expect(version({ HOME: home })).toEqual(DONE);
    const usual = process.platform === 'darwin' ? 'Library/Caches' : '.cache';
    expect(existsSync(join(home, usual, 'teddy'))).toBe(true);
  });

  test('is kept nowhere without a home', () => {
    expect(version({})).toEqual(DONE);
    expect(version({ HOME: 'relative', XDG_CACHE_HOME: 'relative' })).toEqual(DONE);
  });
});

/** What the loader reads of a file. */
const READ = `const { readOwn } = require(${JSON.stringify(join(TEDDY, '../loader.cjs'))});
console.log(readOwn(process.argv[1])?.length);`;
