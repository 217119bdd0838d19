import { describe, expect, test } from 'vitest';
import {
  applyChangeset,
  type ChangedFile,
  decisionIds,
  diffTrees,
} from '../../../src/core/changeset/changeset.js';
import type { Entry } from '../../../src/core/changeset/entry-tree.js';
import { hashChange } from '../../../src/core/changeset/hunks.js';
import { applyTo, entryTree, file, link, listEntries } from './memory-entries.js';

type Entries = Record<string, Entry>;

function diff(before: Entries, after: Entries): ChangedFile[] {
  return diffTrees(entryTree(new Map(Object.entries(before))), entryTree(new Map(Object.entries(after))));
}

function apply(before: Entries, after: Entries, keep: (file: ChangedFile, id: string) => boolean): string[] {
  const base = new Map(Object.entries(before));
  const folder = entryTree(new Map(Object.entries(after)));
  const files = diffTrees(entryTree(base), folder);
  const kept = files.flatMap((file) => [...decisionIds(file)].filter((id) => keep(file, id)));
  return listEntries(applyTo(base, applyChangeset(entryTree(base), folder, files, new Set(kept))));
}

const list = (entries: Entries) => listEntries(new Map(Object.entries(entries)));
const rows = (from: number, to: number, change: Record<number, string> = {}) =>
  Array.from(
    { length: to - from + 1 },
    (_, at) => `${change[from + at] ?? `row number ${from + at}`}\n`,
  ).join('');

describe('the changes between two trees', () => {
  test('created, edited, deleted and renamed, in the order of their paths', () => {
    const before = { a: file('a\n'), b: file('b\n'), 'old/c': file('c\n'), same: file('same\n') };
    const after = { a: file('A\n'), 'new/c': file('c\n'), d: file('d\n'), same: file('same\n') };
    expect(
      diff(before, after).map(({ path, from, change, binary, hunks }) => [
        path,
        from,
        change,
        binary,
        hunks.length,
      ]),
    ).toEqual([
      ['a', undefined, 'edited', false, 1],
      ['b', undefined, 'deleted', false, 1],
      ['d', undefined, 'created', false, 1],
      ['new/c', 'old/c', 'renamed', false, 0],
    ]);
  });

  test('entries with the same identity are not read', () => {
    const unread = { paths: () => ['a'], entry: () => expect.unreachable(), identity: () => 'same' };
    expect(diffTrees(unread, unread)).toEqual([]);
  });

  test.each([
    ['not UTF-8', new Uint8Array([0xff, 0x0a]), true],
    ['with a NUL', new Uint8Array([65, 0, 10]), true],
    ['longer than 16 MiB', new Uint8Array(16 * 2 ** 20 + 1).fill(65), true],
    ['with a byte order mark', new Uint8Array([0xef, 0xbb, 0xbf, 65, 10]), false],
  ])('a file %s: binary or text', (_, bytes, binary) => {
    const [changed] = diff({}, { a: file(bytes) });
    expect(changed).toMatchObject({ binary, hunks: binary ? [] : [{}] });
    expect(apply({ a: file('x\n') }, { a: file(bytes) }, () => true)).toEqual(list({ a: file(bytes) }));
  });

  test('an edited text has decisions on its hunks and its mode, and none on the whole', () => {
    const before = { a: file(rows(1, 9)) };
    const after = { a: file(rows(1, 9, { 2: 'two', 8: 'eight' }), true) };
    const [changed] = diff(before, after);
    expect(changed).toMatchObject({ mode: { before: 'file', after: 'executable' }, hunks: [{}, {}] });
    expect(changed).not.toHaveProperty('whole');
    expect(decisionIds(changed!)).toHaveLength(3);
    expect(apply(before, after, ({ mode }, id) => id === mode?.id)).toEqual(
      list({ a: file(rows(1, 9), true) }),
    );
    expect(apply(before, after, ({ hunks }, id) => id === hunks[1]!.id)).toEqual(
      list({ a: file(rows(1, 9, { 8: 'eight' })) }),
    );
  });

  test('a binary file is decided as a whole, with its mode; a mode alone is a decision of its own', () => {
    const before = { a: file(new Uint8Array([0, 1])), b: file(new Uint8Array([0])) };
    const after = { a: file(new Uint8Array([0, 2]), true), b: file(new Uint8Array([0]), true) };
    const [a, b] = diff(before, after);
    expect([...decisionIds(a!)]).toEqual([a!.whole]);
    expect([...decisionIds(b!)]).toEqual([b!.mode!.id]);
    expect(apply(before, after, ({ path }) => path === 'b')).toEqual(list({ ...before, b: after.b }));
  });

  test('a created or deleted text has one decision: that on its hunk', () => {
    const [created, deleted] = diff({ b: file('b\n') }, { a: file('one\ntwo\n', true) });
    expect([...decisionIds(created!)]).toEqual([created!.hunks[0]!.id]);
    expect([...decisionIds(deleted!)]).toEqual([deleted!.hunks[0]!.id]);
    expect(diff({}, { a: file('') })[0]).toMatchObject({
      change: 'created',
      hunks: [],
      whole: expect.any(String),
    });
  });

  test('links are compared by their targets, and a link in place of a file is one decision', () => {
    const before = { a: file('a\n'), b: link('x'), c: link('x') };
    const after = { a: link('/etc/passwd'), b: link('y'), c: link('x'), d: link('nowhere') };
    expect(
      diff(before, after).map(({ path, change, mode, link, binary }) => ({
        path,
        change,
        mode,
        link,
        binary,
      })),
    ).toEqual([
      {
        path: 'a',
        change: 'edited',
        mode: { before: 'file', after: 'link' },
        link: { after: '/etc/passwd' },
        binary: false,
      },
      {
        path: 'b',
        change: 'edited',
        mode: { before: 'link', after: 'link' },
        link: { before: 'x', after: 'y' },
        binary: false,
      },
      { path: 'd', change: 'created', mode: { after: 'link' }, link: { after: 'nowhere' }, binary: false },
    ]);
    expect(apply(before, after, () => true)).toEqual(list(after));
    expect(apply(before, after, ({ path }) => path === 'b')).toEqual(list({ ...before, b: link('y') }));
  });
});

describe('renames', () => {
  const before = { 'src/a.ts': file(rows(1, 30)) };
  const after = { 'lib/a.ts': file(rows(1, 30, { 5: 'five', 20: 'twenty' }), true) };

  test('similar text: hunks and mode are decided in it', () => {
    const [renamed] = diff(before, after);
    expect(renamed).toMatchObject({ path: 'lib/a.ts', from: 'src/a.ts', change: 'renamed', hunks: [{}, {}] });
    expect(apply(before, after, ({ whole, hunks }, id) => id === whole || id === hunks[0]!.id)).toEqual(
      list({ 'lib/a.ts': file(rows(1, 30, { 5: 'five' })) }),
    );
  });

  test('dropping the rename drops what is in it', () => {
    expect(apply(before, after, ({ whole }, id) => id !== whole)).toEqual(list(before));
  });

  test('less than half in common: a deletion and a new file', () => {
    const changes = diff(before, { 'lib/a.ts': file(rows(1, 12) + rows(101, 120)) });
    expect(changes.map(({ change }) => change)).toEqual(['created', 'deleted']);
  });

  test('of equal files, the one with the same name; each is renamed once', () => {
    const one = file(rows(1, 5));
    const changes = diff({ 'x/b': one, 'y/a': one }, { 'z/a': one, 'z/b': one, 'z/c': one });
    expect(changes.map(({ path, from }) => [path, from])).toEqual([
      ['z/a', 'y/a'],
      ['z/b', 'x/b'],
      ['z/c', undefined],
    ]);
  });

  test('empty files and links are not renamed', () => {
    const changes = diff({ a: file(''), b: link('x') }, { c: file(''), d: link('x') });
    expect(changes.map(({ change }) => change)).toEqual(['deleted', 'deleted', 'created', 'created']);
  });

  test('thousands of moved files are found by their bytes alone', () => {
    const many = (folder: string, more: string) =>
      Object.fromEntries(
        Array.from({ length: 2000 }, (_, at) => [
          `${folder}/${at}`,
          file(`${rows(at, at + 9)}${at % 2 ? more : ''}`),
        ]),
      );
    const changes = diff(many('a', ''), many('b', 'more\n'));
    expect(changes.filter(({ change }) => change === 'renamed')).toHaveLength(1000);
  });
});

describe('a subset that cannot be there', () => {
  test('a file in a folder that was a file needs its deletion', () => {
    const before = { a: file('a\n') };
    const after = { 'a/b': file('other\n'), 'a/c': link('x') };
    expect(apply(before, after, ({ path }) => path === 'a/b')).toEqual(list(before));
    expect(apply(before, after, ({ path }) => path !== 'a/c')).toEqual(list({ 'a/b': after['a/b'] }));
  });

  test('a file at the path of a folder needs the deletion of all that was in it', () => {
    const before = { 'a/b': file('b\n'), 'a/c': file(rows(1, 9)) };
    const after = { a: file('a\n'), c: file(rows(1, 9)) };
    expect(apply(before, after, ({ path }) => path !== 'c')).toEqual(list({ 'a/c': before['a/c'] }));
    expect(apply(before, after, () => true)).toEqual(list(after));
  });

  test('two that need each other: both or none', () => {
    const before = { p: file(rows(1, 9)), q: file(rows(11, 19)) };
    const after = { 'q/p': before.p, 'p/q': before.q };
    expect(apply(before, after, () => true)).toEqual(list(after));
    expect(apply(before, after, ({ path }) => path === 'q/p')).toEqual(list(before));
  });
});

test('a kept change never keeps another one whose id is the same', () => {
  // The id of a created text is the hash of its path and lines; a path is free text, so this one can be aimed at.
  const before = { 'a\0-x\n': file('y\n') };
  const after = { 'a\0-x\n': file('z\n') };
  const other = { before: { a: file('x\ny\n') }, after: { a: file('z\n') } };
  expect(hashChange(['a\0-x\n', '-y\n', '+z\n'].join('\0'))).toBe(
    hashChange(['a', '-x\n', '-y\n', '+z\n'].join('\0')),
  );
  const files = diff({ ...before, ...other.before }, { ...after, ...other.after });
  const ids = files.flatMap((changed) => [...decisionIds(changed)]);
  expect(new Set(ids).size).toBe(2);
});
