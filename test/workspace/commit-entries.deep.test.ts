// Entries of changesets on a real disk: whatever a tree becomes, the commit makes exactly that, and undo the tree it was.

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/core/changeset/entry-tree.js';
import { entryMark, type TreeChange } from '../../src/workspace/commit/change.js';
import { Workspace } from '../../src/workspace/workspace.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'teddy-entries-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const file = (text: string, executable = false): Entry => ({
  kind: 'file',
  bytes: Buffer.from(text),
  executable,
});
const link = (target: string): Entry => ({ kind: 'link', target });

type EntryMap = Map<string, Entry>;

const entries = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom('', 'one\n', 'two\n'), fc.boolean()).map(([t, x]) => file(t, x)),
  },
  { weight: 1, arbitrary: fc.constantFrom('a', '../a', 'a/b', '/etc/passwd', 'nowhere').map(link) },
);
const paths = fc.constantFrom('a', 'a/b', 'a/b/c', 'a/d', 'e', 'e/f', 'g', 'h/i/j/k', 'h/i', 'link');

/** No path is below another entry. */
const trees = fc.array(fc.tuple(paths, entries), { maxLength: 7 }).map((all): EntryMap => {
  const tree: EntryMap = new Map();
  for (const [path, entry] of all)
    if (![...tree.keys()].some((each) => each.startsWith(`${path}/`) || path.startsWith(`${each}/`)))
      tree.set(path, entry);
  return tree;
});

function writeTree(tree: EntryMap, folderMode: number): void {
  for (const [path, entry] of tree) {
    const full = join(root, path);
    mkdirSync(dirname(full), { recursive: true });
    if (entry.kind === 'link') symlinkSync(entry.target, full);
    else {
      writeFileSync(full, entry.bytes);
      chmodSync(full, entry.executable ? 0o750 : 0o640);
    }
  }
  for (const name of readdirSync(root))
    if (lstatSync(join(root, name)).isDirectory()) chmodSync(join(root, name), folderMode);
}

/** Everything below the root but `.teddy`, with exact modes. */
function snapshot(folder = root, prefix = ''): Record<string, string> {
  const seen: Record<string, string> = {};
  for (const name of readdirSync(folder).sort()) {
    if (prefix === '' && name === '.teddy') continue;
    const full = join(folder, name);
    const stats = lstatSync(full);
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isSymbolicLink()) seen[prefix + name] = `-> ${readlinkSync(full)}`;
    else if (stats.isDirectory())
      Object.assign(seen, { [`${prefix}${name}/`]: mode }, snapshot(full, `${prefix}${name}/`));
    else seen[prefix + name] = `${mode} ${readFileSync(full, 'utf8')}`;
  }
  return seen;
}

/** As entries of a tree: folders as far as something is in them. */
function readTree(): Record<string, string> {
  const lines: Record<string, string> = {};
  for (const [path, line] of Object.entries(snapshot()))
    if (!path.endsWith('/'))
      lines[path] = line.startsWith('-> ')
        ? line
        : line.replace(/^\d+/, (mode) => (Number.parseInt(mode, 8) & 0o100 ? 'x' : '-'));
  return lines;
}

function describeTree(tree: EntryMap): Record<string, string> {
  const lines = [...tree].map(([path, entry]): [string, string] => [
    path,
    entry.kind === 'link'
      ? `-> ${entry.target}`
      : `${entry.executable ? 'x' : '-'} ${Buffer.from(entry.bytes)}`,
  ]);
  return Object.fromEntries(lines);
}

function changesBetween(before: EntryMap, after: EntryMap): TreeChange[] {
  return [...new Set([...after.keys(), ...before.keys()])].flatMap((path): TreeChange[] => {
    const [old, now] = [before.get(path), after.get(path)];
    if (old && now && entryMark(old) === entryMark(now)) return [];
    return [{ path, before: old ? entryMark(old) : null, entry: now ?? null, clears: true }];
  });
}

const begin = async (workspace: Workspace, id: string) => {
  const begun = await workspace.beginRun(() => ({ id, files: {}, note: { kind: 'begun' } }));
  if (begun.status === 'begun') begun.folder.close();
};

describe('entries', () => {
  test('any tree becomes any other; undo, redo and undo again are exact', async () => {
    await fc.assert(
      fc.asyncProperty(trees, trees, fc.constantFrom(0o755, 0o700), async (before, after, folderMode) => {
        rmSync(root, { recursive: true, force: true });
        mkdirSync(root);
        writeTree(before, folderMode);
        const first = snapshot();
        const workspace = new Workspace(root);
        await begin(workspace, 'r');
        const changes = changesBetween(before, after);
        const result = await workspace.commit(changes, { run: 'r' });
        expect(result).toMatchObject({ status: 'committed' });
        expect(readTree()).toEqual(describeTree(after));
        const folders = Object.keys(snapshot()).filter((path) => path.endsWith('/'));
        expect(folders.filter((path) => ![...after.keys()].some((each) => each.startsWith(path)))).toEqual(
          [],
        );
        const landed = snapshot();
        expect(await workspace.undo('r')).toMatchObject({ status: 'undone', refused: [] });
        expect(snapshot()).toEqual(first);
        expect(await workspace.redo('r')).toMatchObject({ status: 'redone' });
        expect(readTree()).toEqual(describeTree(after));
        expect(Object.keys(snapshot())).toEqual(Object.keys(landed));
        expect(await workspace.undo('r')).toMatchObject({ status: 'undone', refused: [] });
        expect(snapshot()).toEqual(first);
      }),
      { numRuns: 120 },
    );
  });

  test('what changed meanwhile is a conflict, and nothing is written', async () => {
    writeTree(
      new Map([
        ['a', file('a\n')],
        ['l', link('a')],
        ['d/x', file('x\n')],
      ]),
      0o755,
    );
    const workspace = new Workspace(root);
    const before = snapshot();
    const commit = (...changes: TreeChange[]) => workspace.commit(changes);
    expect(await commit({ path: 'a', before: entryMark(file('a\n', true)), entry: null })).toMatchObject({
      status: 'conflict',
    });
    expect(await commit({ path: 'l', before: entryMark(link('b')), entry: null })).toMatchObject({
      status: 'conflict',
    });
    expect(await commit({ path: 'l', before: entryMark(file('a\n')), entry: null })).toMatchObject({
      status: 'conflict',
    });
    expect(await commit({ path: 'd', before: null, entry: file('d\n') })).toMatchObject({
      status: 'refused',
      reason: 'is a folder',
    });
    expect(await commit({ path: 'a/b', before: null, entry: file('b\n') })).toMatchObject({
      status: 'refused',
    });
    expect(await commit({ path: 'l/b', before: null, entry: file('b\n') })).toMatchObject({
      status: 'refused',
    });
    expect(snapshot()).toEqual(before);
  });

  test('a folder with a file that git ignores is not replaced', async () => {
    writeTree(
      new Map([
        ['d/x', file('x\n')],
        ['d/ignored', file('mine\n')],
      ]),
      0o755,
    );
    const workspace = new Workspace(root);
    const before = snapshot();
    const result = await workspace.commit([
      { path: 'd/x', before: entryMark(file('x\n')), entry: null, clears: true },
      { path: 'd', before: null, entry: link('/') },
    ]);
    expect(result).toMatchObject({ status: 'refused', path: 'd' });
    expect(snapshot()).toEqual(before);
  });

  test.each([
    '.git/hooks/post-commit',
    '.GIT/config',
    'sub/.git/config',
    '.teddy/config.yaml',
    '.ultraplan/x',
  ])('%s is protected', async (path) => {
    const result = await new Workspace(root).commit([{ path, before: null, entry: file('x\n', true) }]);
    expect(result).toMatchObject({ status: 'refused' });
    expect(snapshot()).toEqual({});
  });

  test('undo leaves a file alone whose mode, target or kind changed after the run', async () => {
    writeTree(
      new Map([
        ['a', file('a\n')],
        ['b', file('b\n')],
        ['l', link('a')],
      ]),
      0o755,
    );
    const workspace = new Workspace(root);
    await begin(workspace, 'r');
    await workspace.commit(
      [
        { path: 'a', before: entryMark(file('a\n')), entry: file('A\n') },
        { path: 'b', before: entryMark(file('b\n')), entry: link('a') },
        { path: 'l', before: entryMark(link('a')), entry: link('b') },
      ],
      { run: 'r' },
    );
    chmodSync(join(root, 'a'), 0o755);
    rmSync(join(root, 'b'));
    writeFileSync(join(root, 'b'), 'a');
    const result = await workspace.undo('r');
    expect(result).toMatchObject({
      status: 'undone',
      restored: ['l'],
      refused: [
        { path: 'a', reason: 'has had another mode since (0755, not 0640)' },
        { path: 'b', reason: 'was changed after the run' },
      ],
    });
    expect(readTree()).toEqual({ a: 'x A\n', b: '- a', l: '-> a' });
  });
});
