import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decodeText, lookAtFile, readBytes, realPath, replaceFile } from '../../src/node/files.js';
import { makeFolder } from '../folder.js';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('readBytes', () => {
  test('gives the bytes of a file', () => {
    const folder = makeFolder({ a: 'text' });
    expect(readBytes(join(folder, 'a'), 4)).toEqual({ status: 'bytes', bytes: Buffer.from('text') });
  });

  test('reads a file that does not know its size', () => {
    const read = readBytes('/proc/self/status', 1_000_000);
    if (process.platform === 'linux') expect(read.status === 'bytes' && read.bytes.length > 0).toBe(true);
  });

  test.each([
    ['missing', 'nowhere', { status: 'missing' }],
    ['through a file', 'a/b', { status: 'missing' }],
    ['a folder', '.', { status: 'refused', reason: 'is a folder' }],
    ['over the limit', 'a', { status: 'refused', reason: `is larger than ${3 / 1024 / 1024} MB` }],
    ['a pipe', 'pipe', { status: 'refused', reason: 'is not a regular file' }],
    ['a circle', 'circle', { status: 'refused', reason: 'cannot be read (its symlinks lead in a circle)' }],
    ['a NUL', 'a\0b', { status: 'refused', reason: 'cannot be read (its name is not a valid path)' }],
    ['a long name', 'a'.repeat(5000), { status: 'refused', reason: 'cannot be read (its name is too long)' }],
  ])('%s is said, not thrown', (_, name, expected) => {
    const folder = makeFolder({ a: 'text' });
    symlinkSync('circle', join(folder, 'circle'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(readBytes(`${folder}/${name}`, 3)).toEqual(expected);
  });
});

describe('replaceFile', () => {
  test('keeps the mode and leaves nothing behind', () => {
    const folder = makeFolder({ a: 'old' });
    chmodSync(join(folder, 'a'), 0o751);
    expect(replaceFile(join(folder, 'a'), bytes('new'))).toEqual({ status: 'replaced' });
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('new');
    expect(statSync(join(folder, 'a')).mode & 0o7777).toBe(0o751);
    expect(readdirSync(folder)).toEqual(['a']);
  });

  test('writes through a symlink, which stays', () => {
    const folder = makeFolder({ 'real/a': 'old' });
    symlinkSync('real/a', join(folder, 'link'));
    expect(replaceFile(join(folder, 'link'), bytes('new'))).toEqual({ status: 'replaced' });
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, 'real/a'), 'utf8')).toBe('new');
  });

  test('puts a new file in place: who holds the old one keeps it whole', () => {
    const folder = makeFolder({ a: 'old' });
    linkSync(join(folder, 'a'), join(folder, 'other'));
    replaceFile(join(folder, 'a'), bytes('new'));
    expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('old');
  });

  test('a very long name still has room for its temporary one', () => {
    const name = 'a'.repeat(255);
    const folder = makeFolder({ [name]: 'old' });
    expect(replaceFile(join(folder, name), bytes('new'))).toEqual({ status: 'replaced' });
  });

  test('only replaces: what is not there, or is no file, is refused', () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'folder'));
    expect(replaceFile(join(folder, 'a'), bytes('new'))).toEqual({
      status: 'refused',
      reason: 'cannot be written (it is no longer there)',
    });
    expect(replaceFile(join(folder, 'folder'), bytes('new'))).toEqual({
      status: 'refused',
      reason: 'is a folder',
    });
    expect(readdirSync(folder)).toEqual(['folder']);
  });
});

describe('lookAt and realPath', () => {
  test('a symlink is seen as one, and resolved', () => {
    const folder = realPath(makeFolder({ a: '' }))!;
    symlinkSync('a', join(folder, 'link'));
    symlinkSync('nowhere', join(folder, 'dangling'));
    expect(
      ['a', 'link', 'dangling', 'nowhere', '', 'a\0'].map((name) => lookAtFile(`${folder}/${name}`)),
    ).toEqual(['file', 'symlink', 'symlink', 'missing', 'folder', 'missing']);
    expect(realPath(join(folder, 'link'))).toBe(join(folder, 'a'));
    expect(realPath(join(folder, 'dangling'))).toBeUndefined();
  });
});

describe('decodeText', () => {
  test('keeps a byte order mark', () => {
    expect(decodeText(bytes('\ufeffa'))).toEqual({ status: 'text', text: '\ufeffa' });
  });

  test.each([
    ['Latin-1', [0x63, 0x61, 0x66, 0xe9], 'is not UTF-8 text'],
    ['an overlong slash', [0xc0, 0xaf], 'is not UTF-8 text'],
    ['a surrogate', [0xed, 0xa0, 0x80], 'is not UTF-8 text'],
    ['a sequence cut short', [0x61, 0xf0, 0x9f], 'is not UTF-8 text'],
    ['NUL', [0x61, 0], 'is binary, not text (it holds NUL bytes)'],
    ['UTF-16', [0xff, 0xfe, 0x61, 0], 'is UTF-16, not UTF-8 text'],
  ])('%s is refused', (_, numbers, reason) => {
    expect(decodeText(Uint8Array.from(numbers))).toEqual({ status: 'refused', reason });
  });
});
