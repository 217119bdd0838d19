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

function git(...words: string[]): Buffer {
  return execFileSync('git', ['--git-dir', repository!, ...words], { maxBuffer: 2 ** 30 });
}

/** The two sides of each path that a commit changes. */
function readCommit(commit: string): { base: Map<string, Entry>; folder: Map<string, Entry> } {
  const sides = { base: new Map<string, Entry>(), folder: new Map<string, Entry>() };
  const raw = git('diff-tree', '-r', '-z', '--no-renames', '--no-abbrev', `${commit}^`, commit);
  const words = raw.toString('utf8').split('\0');
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [oldMode, newMode, oldId, newId] = words[at]!.slice(1).split(' ') as [
      string,
      string,
      string,
      string,
    ];
    const path = words[at + 1]!;
    for (const [side, mode, id] of [
      [sides.base, oldMode, oldId],
      [sides.folder, newMode, newId],
    ] as const) {
      // Neither nothing nor a submodule.
      if (mode === '000000' || mode === '160000') continue;
      const bytes = git('cat-file', 'blob', id);
      side.set(path, mode === '120000' ? link(bytes.toString('utf8')) : file(bytes, mode === '100755'));
    }
  }
  return sides;
}

test.skipIf(because !== '')(`every commit is exact: all of it, none of it, a part of it${because}`, () => {
  const list = git('rev-list', '--no-merges', '--min-parents=1', `--max-count=${COMMITS}`, 'HEAD');
  const commits = list.toString().trim().split('\n');
  const random = seeded(1);
  const seen = { files: 0, renames: 0, modes: 0, decisions: 0 };
  for (const commit of commits) {
    const { base, folder } = readCommit(commit);
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
