import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { setFileSeam } from '../../src/node/file-calls.js';
import { sha256 } from '../../src/node/ids.js';
import type { Change } from '../../src/workspace/commit/change.js';
import type { View } from '../../src/workspace/view.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder, readTree } from '../folder.js';

afterEach(() => setFileSeam(undefined));

const encode = (text: string) => new TextEncoder().encode(text);

function textAt(view: View, path: string): string {
  const read = view.read(path, 1000);
  return read.status === 'bytes' ? new TextDecoder().decode(read.bytes) : '';
}

function change(view: View, path: string, text: string): Change {
  const old = textAt(view, path);
  return { path, before: old === '' ? null : sha256(old), after: encode(text) };
}

test('nobody who takes the lock comes between the look and the change', async () => {
  const root = makeFolder();
  await Promise.all(
    Array.from({ length: 40 }, () =>
      new Workspace(root).update((view) => ({
        changes: [change(view, 'count', String(Number(textAt(view, 'count')) + 1))],
        value: undefined,
      })),
    ),
  );
  expect(readFileSync(join(root, 'count'), 'utf8')).toBe('40');
});

test('a program that does not take the lock is found out', async () => {
  const root = makeFolder({ a: 'old', b: 'old' });
  const result = await new Workspace(root).update((view) => {
    const changes = [change(view, 'a', 'new'), change(view, 'b', 'new')];
    writeFileSync(join(root, 'b'), 'theirs');
    return { changes, value: undefined };
  });
  expect(result).toEqual({
    status: 'conflict',
    conflicts: [{ path: 'b', reason: 'was changed by another program' }],
  });
  expect(readTree(root)).toMatchObject({ a: 'old', b: 'theirs' });
});

test('a file that was overwritten right behind the commit is named', async () => {
  const root = makeFolder({ a: 'old' });
  setFileSeam((call, perform) => {
    const result = perform(call.args);
    if (call.name === 'unlink' && String(call.args[0]).endsWith('.new'))
      writeFileSync(join(root, 'a'), 'theirs');
    return result;
  });
  const result = await new Workspace(root).update((view) => ({
    changes: [change(view, 'a', 'new'), change(view, 'c', 'new')],
    value: 7,
  }));
  expect(result).toEqual({ status: 'committed', value: 7, lost: ['a'] });
});

test('what is thrown on the way changes nothing and is the reason', async () => {
  const root = makeFolder({ a: 'old' });
  const result = await new Workspace(root).update(() => {
    throw new Error('no such plan');
  });
  expect(result).toEqual({ status: 'failed', reason: 'no such plan' });
});

test('a view reads whole files, ends of files and folders, and nothing outside', () => {
  const root = makeFolder({ 'a/b.txt': 'one two three', 'a/c/d': '' });
  const outside = makeFolder({ secret: 'x' });
  symlinkSync(outside, join(root, 'a/out'));
  new Workspace(root).view((view) => {
    expect(textAt(view, 'a/b.txt')).toBe('one two three');
    expect(view.read('a/b.txt', 5)).toEqual({ status: 'refused', reason: 'is larger than 5 bytes' });
    expect(view.readEnd('a/b.txt', 5)).toEqual({ status: 'bytes', bytes: encode('three'), size: 13 });
    expect(view.readEnd('a/b.txt', 50)).toEqual({
      status: 'bytes',
      bytes: encode('one two three'),
      size: 13,
    });
    expect(view.read('a/none', 5)).toEqual({ status: 'missing' });
    expect(view.read('a/b.txt/x', 5)).toEqual({ status: 'missing' });
    expect(view.read('a/c', 5)).toEqual({ status: 'refused', reason: 'is a folder' });
    expect(view.read('a/out/secret', 5)).toMatchObject({ status: 'refused' });
    expect(view.look('a/out/secret')).toBe('missing');
    expect(view.look('a/c')).toBe('folder');
    expect(view.list('a')).toEqual(['b.txt', 'c', 'out']);
    expect(view.list('a/out')).toEqual([]);
    expect(view.list('nowhere')).toEqual([]);
    expect([view.isFolder('a', 'c'), view.isFolder('a', 'out'), view.isFolder('a', 'x')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

test('folders move whole, and never over something that is there', async () => {
  const root = makeFolder({ 'logs/one/a': '1', 'logs/two/b': '2', 'old/two/c': '3' });
  const result = await new Workspace(root).moveFolders(() => [
    { from: 'logs/one', to: 'old/deep/one' },
    { from: 'logs/two', to: 'old/two' },
    { from: 'logs/none', to: 'old/none' },
  ]);
  expect(result).toEqual({ status: 'moved', moved: [{ from: 'logs/one', to: 'old/deep/one' }] });
  expect(readTree(root)).toMatchObject({ 'old/deep/one/a': '1', 'logs/two/b': '2', 'old/two/c': '3' });
});

test('a text that came in is on disk, for this user alone, until the commit that takes it', async () => {
  const root = makeFolder();
  const workspace = new Workspace(root);
  const held = workspace.incoming.keep(encode('status: success\n'));
  expect(readFileSync(join(root, held.path), 'utf8')).toBe('status: success\n');
  expect(statSync(join(root, held.path)).mode & 0o777).toBe(0o600);
  expect(statSync(join(root, '.teddy/incoming')).mode & 0o777).toBe(0o700);
  expect(workspace.incoming.left()).toEqual([]);
  await workspace.update(() => ({ changes: [held.removal!], value: undefined }));
  held.release();
  expect(workspace.incoming.left()).toEqual([]);
  expect(readTree(root)).not.toHaveProperty([held.path]);
});

test('a text that nobody holds any more was left by a process that died', () => {
  const root = makeFolder();
  const workspace = new Workspace(root);
  mkdirSync(join(root, '.teddy/incoming'), { recursive: true });
  const held = workspace.incoming.keep(encode('x'));
  held.release();
  expect(workspace.incoming.left()).toEqual([held.path]);
});
