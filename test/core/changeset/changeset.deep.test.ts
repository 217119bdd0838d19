import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  applyChangeset,
  type ChangedFile,
  decisionIds,
  diffTrees,
  listChanges,
} from '../../../src/core/changeset/changeset.js';
import { applyTo, entryTree, listEntries } from './memory-entries.js';
import { type Entries, expectedSubset, trees } from './random-trees.js';

function apply(
  base: Entries,
  folder: Entries,
  files: readonly ChangedFile[],
  kept: ReadonlySet<string>,
): Entries {
  return applyTo(base, applyChangeset(entryTree(base), entryTree(folder), files, kept));
}

const RUNS = { numRuns: process.env.TEDDY_SOAK ? 100_000 : 5_000 };

test('all decisions make the folder, none the base; ids are distinct and the same each time', () => {
  fc.assert(
    fc.property(trees, ({ base, folder }) => {
      const files = diffTrees(entryTree(base), entryTree(folder));
      expect(listChanges(entryTree(base), entryTree(folder))).toEqual(
        files.map(({ path, from, change }) => ({ path, ...(from !== undefined && { from }), change })),
      );
      const ids = files.flatMap((one) => [...decisionIds(one)]);
      expect(new Set(ids).size).toBe(ids.length);
      expect(files.every((one) => decisionIds(one).size > 0)).toBe(true);
      expect(listEntries(apply(base, folder, files, new Set(ids)))).toEqual(listEntries(folder));
      expect(listEntries(apply(base, folder, files, new Set()))).toEqual(listEntries(base));
      expect(diffTrees(entryTree(new Map([...base].reverse())), entryTree(folder))).toEqual(files);
    }),
    RUNS,
  );
});

test('any subset can be there, and has exactly the lines that it keeps', () => {
  fc.assert(
    fc.property(trees, fc.infiniteStream(fc.boolean()), ({ base, folder }, coins) => {
      const files = diffTrees(entryTree(base), entryTree(folder));
      const ids = files.flatMap((one) => [...decisionIds(one)]);
      const kept = new Set(ids.filter(() => coins.next().value));
      const result = apply(base, folder, files, kept);
      expect(listEntries(result)).toEqual(listEntries(expectedSubset(base, folder, files, kept)));
    }),
    RUNS,
  );
});
