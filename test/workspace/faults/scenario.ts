import { hash as hashOnce } from 'node:crypto';
import type { Change, TreeChange } from '../../../src/workspace/commit/change.js';

export type Entry =
  | { kind: 'file'; bytes: Buffer; mode: number }
  | { kind: 'folder'; mode: number }
  | { kind: 'link'; target: string };

/** What stands in a root, by path; folders come before what is in them. */
export type Entries = Record<string, Entry>;

/** Path → one line on what stands there. `.teddy` is left out. */
export type Snapshot = Record<string, string>;

export interface Scenario {
  name: string;
  entries: Entries;
  changes: (Change | TreeChange)[];
  /** With a journal. */
  run?: string;
  /** `.teddy` is not there yet. */
  cold?: boolean;
}

const umask = process.umask();
const NEW_FILE = 0o666 & ~umask;
const NEW_FOLDER = 0o777 & ~umask;

const hashes = new WeakMap<Uint8Array, string>();

/** Of bytes that nobody changes in place. */
export function hash(bytes: Uint8Array): string {
  let known = hashes.get(bytes);
  if (known === undefined) {
    known = hashOnce('sha256', bytes);
    hashes.set(bytes, known);
  }
  return known;
}

const OWNER = `${process.getuid!()}:${process.getgid!()}`;

export function describe(entry: Entry, owner = OWNER): string {
  if (entry.kind === 'link') return `link to ${entry.target}`;
  const mode = entry.mode.toString(8);
  if (entry.kind === 'folder') return `folder ${mode} ${owner}`;
  return `file ${mode} ${owner} ${entry.bytes.length} bytes ${hash(entry.bytes).slice(0, 16)}`;
}

export function snapshotOf(entries: Entries): Snapshot {
  return Object.fromEntries(
    Object.entries(entries)
      .map(([path, entry]): [string, string] => [path, describe(entry)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

const sides = new WeakMap<Scenario, { before: Snapshot; after: Snapshot }>();

/** What the tree is and what the changes come to, said without the code under test. */
export function sidesOf(scenario: Scenario): { before: Snapshot; after: Snapshot } {
  let known = sides.get(scenario);
  if (!known) {
    const { entries, changes } = scenario;
    known = { before: snapshotOf(entries), after: snapshotOf(applied(entries, changes)) };
    sides.set(scenario, known);
  }
  return known;
}

export function applied(start: Entries, changes: readonly (Change | TreeChange)[]): Entries {
  const entries = { ...start };
  // Whatever the order in which they are given, removals make way for the rest.
  for (const change of changes) if ('entry' in change && change.entry === null) removeEntry(entries, change);
  for (const change of changes) {
    if ('entry' in change) {
      if (change.entry !== null) putEntry(entries, start, change, change.entry);
      continue;
    }
    const path = resolve(start, change.path);
    const old = entries[path];
    const was = old?.kind === 'file' ? old : { bytes: Buffer.alloc(0), mode: NEW_FILE };
    if (!('append' in change) && change.after === null) {
      delete entries[path];
      continue;
    }
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
      entries[path.slice(0, at)] ??= { kind: 'folder', mode: NEW_FOLDER };
    const bytes =
      'append' in change
        ? Buffer.concat([was.bytes, change.append])
        : Buffer.from(change.after as Uint8Array);
    const mode = ('append' in change ? undefined : change.mode) ?? was.mode;
    entries[path] = { kind: 'file', bytes, mode };
  }
  return entries;
}

function removeEntry(entries: Entries, { path, clears }: TreeChange): void {
  delete entries[path];
  const folders = path.split('/').map((_, i, names) => names.slice(0, i).join('/'));
  for (const folder of folders.slice(1).reverse())
    if (clears && !Object.keys(entries).some((each) => each.startsWith(`${folder}/`))) delete entries[folder];
}

function putEntry(
  entries: Entries,
  start: Entries,
  { path }: TreeChange,
  entry: NonNullable<TreeChange['entry']>,
): void {
  for (const each of Object.keys(entries)) if (each.startsWith(`${path}/`)) delete entries[each];
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
    entries[path.slice(0, at)] ??= { kind: 'folder', mode: NEW_FOLDER };
  const old = start[path];
  const mode = old?.kind === 'file' ? old.mode : NEW_FILE;
  const executable = mode | ((mode & 0o444) >> 2);
  if (entry.kind === 'link') entries[path] = entry;
  else {
    const changed = entry.executable ? executable : mode & ~0o111;
    entries[path] = { kind: 'file', bytes: Buffer.from(entry.bytes), mode: changed };
  }
}

/** The path with links replaced: enough for links in the root that lead to a name in the root. */
function resolve(entries: Entries, path: string): string {
  const [first, ...rest] = path.split('/');
  const entry = entries[first!];
  return entry?.kind === 'link' ? [entry.target, ...rest].join('/') : path;
}

const file = (content: string | Buffer, mode = 0o644): Entry => ({
  kind: 'file',
  bytes: Buffer.from(content),
  mode,
});
const folder = (mode = 0o755): Entry => ({ kind: 'folder', mode });
const link = (target: string): Entry => ({ kind: 'link', target });
const text = (content: string) => Buffer.from(content);
const was = (content: string | Buffer) => hash(Buffer.from(content));

/** Bytes that no other place of the file repeats. */
function filler(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let i = 0; i < length; i++) bytes[i] = 1 + ((i * 31 + (i >> 8) * 7 + (i >> 16) + seed) % 255);
  return bytes;
}

const ENTRIES: Entries = {
  'edited.txt': file('one\ntwo\n'),
  'program.sh': file('#!/bin/sh\necho 1\n', 0o755),
  'read-only.txt': file('do not\n', 0o444),
  'removed.txt': file('gone soon\n'),
  'log.txt': file('line 1\n', 0o600),
  'quiet.txt': file('nothing is added\n'),
  'long.log': file('line 1\n'),
  'flip.sh': file('#!/bin/sh\n'),
  'emptied.txt': file('full\n'),
  docs: folder(),
  'docs/guide.md': file('# Guide\n'),
  'docs/other.md': file('stays\n'),
  lonely: folder(0o700),
  'lonely/last.txt': file('the last one\n'),
  'by-link': link('docs'),
  'link.md': link('docs/other.md'),
  empty: folder(),
};

/** Every kind of change at once. `large` is the length of the largest file. */
function everything(large: number): Scenario {
  const big = filler(large, 1);
  return {
    name: 'everything',
    entries: { ...ENTRIES, 'large.bin': file(big) },
    changes: [
      { path: 'edited.txt', before: was('one\ntwo\n'), after: text('one\n2\n') },
      { path: 'program.sh', before: was('#!/bin/sh\necho 1\n'), after: text('#!/bin/sh\necho 2\n') },
      { path: 'read-only.txt', before: was('do not\n'), after: text('done\n') },
      { path: 'removed.txt', before: was('gone soon\n'), after: null },
      { path: 'log.txt', append: text('line 2\n'), offset: 7 },
      { path: 'quiet.txt', append: text(''), offset: 17 },
      // More than a log holds itself.
      { path: 'long.log', append: filler(20_000, 4), offset: 7 },
      { path: 'flip.sh', before: was('#!/bin/sh\n'), after: text('#!/bin/sh\n'), mode: 0o755 },
      { path: 'emptied.txt', before: was('full\n'), after: text('') },
      { path: 'by-link/guide.md', before: was('# Guide\n'), after: text('# The guide\n') },
      { path: 'by-link/new.md', before: null, after: text('new\n') },
      { path: 'link.md', before: was('stays\n'), after: text('changed through a link\n') },
      { path: 'lonely/last.txt', before: was('the last one\n'), after: null },
      { path: 'created.txt', before: null, after: text('created\n') },
      { path: 'created-empty.txt', before: null, after: text('') },
      { path: 'new/a.txt', before: null, after: text('a\n') },
      { path: 'new/deep/er/b.txt', before: null, after: text('b\n'), mode: 0o755 },
      { path: 'new/deep/log.txt', append: text('first line\n'), offset: 0 },
      { path: 'nothing.log', append: text(''), offset: 0 },
      { path: 'large.bin', before: was(big), after: filler(large + 1, 2) },
    ],
  };
}

const SMALL: Scenario[] = [
  {
    name: 'edit one',
    entries: { 'a.txt': file('a\n') },
    changes: [{ path: 'a.txt', before: was('a\n'), after: text('b\n') }],
  },
  {
    name: 'create in new folders',
    entries: { 'a.txt': file('a\n') },
    changes: [
      { path: 'x/y/one.txt', before: null, after: text('1\n') },
      { path: 'x/y/two.txt', before: null, after: text('2\n') },
    ],
  },
  {
    name: 'remove one, edit one',
    entries: { 'a.txt': file('a\n'), d: folder(), 'd/b.txt': file('b\n') },
    changes: [
      { path: 'd/b.txt', before: was('b\n'), after: null },
      { path: 'a.txt', before: was('a\n'), after: text('A\n') },
    ],
  },
  {
    name: 'append to two',
    entries: { 'a.log': file('a\n'), 'b.log': file('') },
    changes: [
      { path: 'a.log', append: filler(1500, 3), offset: 2 },
      { path: 'b.log', append: text('bb\n'), offset: 0 },
      { path: 'n/c.log', append: text('ccc\n'), offset: 0 },
    ],
  },
  {
    name: 'chmod one, edit one',
    entries: { 'a.sh': file('a\n'), 'b.txt': file('b\n') },
    changes: [
      { path: 'a.sh', before: was('a\n'), after: text('a\n'), mode: 0o755 },
      { path: 'b.txt', before: was('b\n'), after: text('B\n') },
    ],
  },
  {
    name: 'swap two',
    entries: { 'a.txt': file('a\n'), 'b.txt': file('b\n') },
    changes: [
      { path: 'a.txt', before: was('a\n'), after: text('b\n') },
      { path: 'b.txt', before: was('b\n'), after: text('a\n') },
    ],
  },
  {
    name: 'append much',
    entries: { 'a.log': file('a\n'), 'b.log': file('') },
    changes: [
      { path: 'a.log', append: filler(20_000, 3), offset: 2 },
      { path: 'b.log', append: filler(20_000, 5), offset: 0 },
    ],
  },
];

const entry = (content: string, executable = false) => ({
  kind: 'file' as const,
  bytes: text(content),
  executable,
});
const fileMark = (content: string, executable = false) =>
  `${executable ? 'executable' : 'file'}:${was(content)}`;
const linkMark = (target: string) => `link:${was(target)}`;

/** What only a changeset does. */
const ENTRY_SCENARIOS: Scenario[] = [
  {
    name: 'links made, led elsewhere, removed',
    entries: { 'a.txt': file('a\n'), one: link('a.txt'), two: link('/nowhere') },
    changes: [
      { path: 'one', before: linkMark('a.txt'), entry: link('b.txt') as never },
      { path: 'two', before: linkMark('/nowhere'), entry: null },
      { path: 'new/three', before: null, entry: link('../a.txt') as never },
    ],
  },
  {
    name: 'a link becomes a file, a file becomes a link, a file becomes a program',
    entries: { one: link('b'), b: file('b\n'), 'c.sh': file('c\n', 0o640) },
    changes: [
      { path: 'one', before: linkMark('b'), entry: entry('one\n') },
      { path: 'b', before: fileMark('b\n'), entry: link('one') as never },
      { path: 'c.sh', before: fileMark('c\n'), entry: entry('c\n', true) },
    ],
  },
  {
    name: 'a file becomes a folder, a link becomes a folder',
    entries: { docs: folder(), 'docs/a': file('a\n'), x: file('x\n'), by: link('docs') },
    changes: [
      { path: 'x/y/z', before: null, entry: entry('z\n') },
      { path: 'by/a', before: null, entry: entry('new\n') },
      { path: 'x', before: fileMark('x\n'), entry: null },
      { path: 'by', before: linkMark('docs'), entry: null },
    ],
  },
  {
    name: 'a folder becomes a file, another is left empty',
    entries: {
      d: folder(0o750),
      'd/a': file('a\n'),
      'd/e': folder(0o700),
      'd/e/b': file('b\n', 0o600),
      last: folder(0o700),
      'last/one': file('1\n'),
      kept: folder(),
      'kept/one': file('1\n'),
    },
    changes: [
      { path: 'd', before: null, entry: entry('d\n') },
      { path: 'd/a', before: fileMark('a\n'), entry: null },
      { path: 'd/e/b', before: fileMark('b\n'), entry: null },
      { path: 'last/one', before: fileMark('1\n'), entry: null, clears: true },
      { path: 'kept/one', before: fileMark('1\n'), entry: null },
    ],
  },
  {
    name: 'renamed into a folder, with an edit elsewhere',
    entries: { 'a.txt': file('a\n', 0o755), 'b.txt': file('b\n') },
    changes: [
      { path: 'a.txt', before: fileMark('a\n', true), entry: null, clears: true },
      { path: 'lib/a.txt', before: null, entry: entry('a\n', true) },
      { path: 'b.txt', before: fileMark('b\n'), entry: entry('B\n') },
    ],
  },
];

const withRun = (scenario: Scenario): Scenario => ({
  ...scenario,
  name: `${scenario.name}, with a journal`,
  run: '2026-01-02_run',
});
const onFirstUse = (scenario: Scenario): Scenario => ({
  ...scenario,
  name: `${scenario.name}, on first use`,
  cold: true,
});

export function largeScenarios(large: number): Scenario[] {
  const all = everything(large);
  return [all, withRun(all), onFirstUse(withRun(all))];
}

export const smallScenarios: Scenario[] = [
  ...SMALL,
  withRun(SMALL[2]!),
  withRun(SMALL[3]!),
  onFirstUse(SMALL[0]!),
  onFirstUse(withRun(SMALL[0]!)),
];

export const entryScenarios: Scenario[] = ENTRY_SCENARIOS.flatMap((each) => [each, withRun(each)]);
