// Commits of a real repository: TEDDY_HISTORY is its git directory, TEDDY_COMMITS how many commits (default: 2,000).

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { applyChangeset, decisionIds, diffTrees } from '../../../src/core/changeset/changeset.js';
import type { Entry } from '../../../src/core/changeset/entry-tree.js';
import { seeded } from '../../workspace/faults/random.js';
import { applyTo, entryTree, file, link, listEntries } from './memory-entries.js';
import { expectedSubset } from './random-trees.js';

const repository = process.env.TEDDY_HISTORY;
const because = repository === undefined ? ' (skipped: TEDDY_HISTORY names no repository)' : '';
const COMMITS = Number(process.env.TEDDY_COMMITS ?? 2_000);

/** Blobs are read for so many commits at once: a process for each takes far longer than the comparison. */
const AT_ONCE = 50;

interface Sides {
  base: Map<string, Entry>;
  folder: Map<string, Entry>;
}

interface ChangedPath {
  path: string;
  side: keyof Sides;
  mode: string;
  blob: string;
}

function git(words: string[], input = ''): Buffer {
  return execFileSync('git', ['--git-dir', repository!, ...words], { input, maxBuffer: 2 ** 30 });
}

/** The two sides of each path that a commit changes. */
function readCommits(commits: readonly string[]): Sides[] {
  const changed = commits.map(listChanged);
  const blobs = readBlobs([...new Set(changed.flat().map(({ blob }) => blob))]);
  return changed.map((paths) => {
    const sides: Sides = { base: new Map(), folder: new Map() };
    for (const { path, side, mode, blob } of paths) {
      const bytes = blobs.get(blob)!;
      const entry = mode === '120000' ? link(bytes.toString('utf8')) : file(bytes, mode === '100755');
      sides[side].set(path, entry);
    }
    return sides;
  });
}

function listChanged(commit: string): ChangedPath[] {
  const raw = git(['diff-tree', '-r', '-z', '--no-renames', '--no-abbrev', `${commit}^`, commit]);
  const words = raw.toString('utf8').split('\0');
  const changed: ChangedPath[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [oldMode, newMode, oldBlob, newBlob] = words[at]!.slice(1).split(' ');
    const path = words[at + 1]!;
    changed.push({ path, side: 'base', mode: oldMode!, blob: oldBlob! });
    changed.push({ path, side: 'folder', mode: newMode!, blob: newBlob! });
  }
  // Neither nothing nor a submodule.
  return changed.filter(({ mode }) => mode !== '000000' && mode !== '160000');
}

function readBlobs(ids: readonly string[]): Map<string, Buffer> {
  const blobs = new Map<string, Buffer>();
  const all = git(['cat-file', '--batch'], ids.map((id) => `${id}\n`).join(''));
  for (let at = 0; at < all.length; ) {
    const end = all.indexOf('\n', at);
    const [id, type, size] = all.toString('latin1', at, end).split(' ');
    if (type !== 'blob') throw new Error(`${id} is ${type}`);
    at = end + 1 + Number(size);
    blobs.set(id!, all.subarray(end + 1, at));
    at++;
  }
  return blobs;
}

test.skipIf(because !== '')(`every commit is exact: all of it, none of it, a part of it${because}`, () => {
  const list = git(['rev-list', '--no-merges', '--min-parents=1', `--max-count=${COMMITS}`, 'HEAD']);
  const commits = list.toString().trim().split('\n');
  const random = seeded(1);
  let read: Sides[] = [];
  const seen = { files: 0, renames: 0, modes: 0, decisions: 0 };
  for (const [at, commit] of commits.entries()) {
    if (at % AT_ONCE === 0) read = readCommits(commits.slice(at, at + AT_ONCE));
    const { base, folder } = read[at % AT_ONCE]!;
    const files = diffTrees(entryTree(base), entryTree(folder));
    const ids = files.flatMap((each) => [...decisionIds(each)]);
    const apply = (kept: ReadonlySet<string>) =>
      listEntries(applyTo(base, applyChangeset(entryTree(base), entryTree(folder), files, kept)));
    expect(apply(new Set(ids)), commit).toEqual(listEntries(folder));
    expect(apply(new Set()), commit).toEqual(listEntries(base));
    const some = new Set(ids.filter(() => random() < 0.5));
    expect(apply(some), commit).toEqual(listEntries(expectedSubset(base, folder, files, some)));
    seen.files += files.length;
    seen.renames += files.filter(({ from }) => from !== undefined).length;
    seen.modes += files.filter(({ mode }) => mode?.before && mode.after).length;
    seen.decisions += ids.length;
  }
  console.log(`${commits.length} commits, ${JSON.stringify(seen)}`);
  expect(seen.files).toBeGreaterThan(0);
});
