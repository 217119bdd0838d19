import type { ChangedEntries } from '../../core/changeset/changeset.js';
import type { EntryTree } from '../../core/changeset/entry-tree.js';
import { entryMark, type TreeChange } from '../../workspace/commit/change.js';

/** What a commit does to make these entries of the project, which must still have its own at their paths. */
export function treeChanges(entries: ChangedEntries, project: EntryTree): TreeChange[] {
  return [...entries].map(([path, entry]) => {
    const old = project.entry(path);
    const before = old === undefined ? null : entryMark(old);
    return { path, before, entry, ...(entry === null && { clears: true }) };
  });
}
