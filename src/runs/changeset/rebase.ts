import { join } from 'node:path';
import { type ChangedFile, diffTrees, listChanges } from '../../core/changeset/changeset.js';
import { textOfBytes } from '../../core/changeset/content.js';
import type { Entry, EntryTree } from '../../core/changeset/entry-tree.js';
import { isEqualEntry, mergeEntry } from '../../core/changeset/merge.js';
import { mergeText } from '../../node/git/merge-text.js';
import { randomId } from '../../node/ids.js';
import { type ProjectEntry, readProjectEntries } from '../../workspace/files/project-entries.js';

// An agent's changes as changes of the project as it is now: what both changed is merged, and what cannot be merged is the
// agent's version, marked as a conflict.

interface MergeConflict {
  /** A sentence. */
  reason: string;
  /** The text with git's markers; null where there is none. */
  marked: string | null;
}

/** A change that may not or cannot land. */
interface RefusedChange {
  path: string;
  change: ChangedFile['change'];
  /** Completes the sentence "<path> …". */
  reason: string;
}

export interface RebasedChangeset {
  /** Only what the agent changed: the project as it is, and as it would be. */
  project: EntryTree;
  target: EntryTree;
  files: ChangedFile[];
  conflicts: ReadonlyMap<string, MergeConflict>;
  refused: readonly RefusedChange[];
  /** The agent's changes that the project has already. */
  settled: readonly string[];
}

/** `folder` is for git's temporary files; it is teddy's own. */
export async function rebaseChangeset(
  root: string,
  { base, folder: copy }: { base: EntryTree; folder: EntryTree },
  folder: string,
): Promise<RebasedChangeset> {
  const changed = listChanges(base, copy);
  const gone = new Set(
    changed.flatMap(({ change, from, path }) => (change === 'deleted' ? [path] : (from ?? []))),
  );
  const paths = [
    ...new Set(changed.flatMap(({ path, from }) => (from === undefined ? [path] : [from, path]))),
  ];
  const found = readProjectEntries(root, paths, gone);
  const project = new Map<string, Entry>();
  for (const [path, look] of found) if (look.status === 'entry') project.set(path, look.entry);
  const target = new Map(project);
  const conflicts = new Map<string, MergeConflict>();
  const refused: RefusedChange[] = [];
  const settled: string[] = [];
  for (const file of changed) {
    const refusal = refuseFile(file, found, copy);
    if (refusal !== undefined) {
      refused.push({ path: file.path, change: file.change, reason: refusal });
      continue;
    }
    const { path, from = path } = file;
    const theirs = copy.entry(path);
    const merged = await mergeFile(file, { base: base.entry(from), theirs, project }, folder);
    if (merged.status === 'settled') {
      settled.push(path);
      continue;
    }
    const entry = merged.status === 'conflict' ? theirs : merged.entry;
    if (merged.status === 'conflict') conflicts.set(path, merged.conflict);
    if (from !== path) target.delete(from);
    if (entry === undefined) target.delete(path);
    else target.set(path, entry);
  }
  const trees = { project: treeOfEntries(project), target: treeOfEntries(target) };
  return { ...trees, files: diffTrees(trees.project, trees.target), conflicts, refused, settled };
}

function treeOfEntries(entries: ReadonlyMap<string, Entry>): EntryTree {
  return { paths: () => entries.keys(), entry: (path) => entries.get(path) };
}

function refuseFile(
  { path, from = path }: Pick<ChangedFile, 'path' | 'from'>,
  found: ReadonlyMap<string, ProjectEntry>,
  copy: EntryTree,
): string | undefined {
  for (const each of [path, from]) {
    const look = found.get(each)!;
    if (look.status === 'refused') return look.reason;
  }
  const entry = copy.entry(path);
  if (entry?.kind === 'link' && entry.target.includes('\ufffd')) return 'is a link whose target is not UTF-8';
  return undefined;
}

type MergedFile =
  | { status: 'settled' }
  | { status: 'entry'; entry: Entry | undefined }
  | { status: 'conflict'; conflict: MergeConflict };

async function mergeFile(
  { path, from }: Pick<ChangedFile, 'path' | 'from'>,
  {
    base,
    theirs,
    project,
  }: { base: Entry | undefined; theirs: Entry | undefined; project: Map<string, Entry> },
  folder: string,
): Promise<MergedFile> {
  const conflict = (reason: string, marked: string | null = null): MergedFile => ({
    status: 'conflict',
    conflict: { reason, marked },
  });
  const there = from === undefined ? undefined : project.get(path);
  if (there !== undefined && !isEqualEntry(there, theirs))
    return conflict(`The agent renamed ${from} to it, and the project has created it since.`);
  const ours = project.get(from ?? path);
  if (there !== undefined && ours === undefined) return { status: 'settled' };
  const merge = mergeEntry(base, theirs, ours);
  if (merge.kind === 'settled')
    // Content alone does not settle a rename.
    return from === undefined ? SETTLED : { status: 'entry', entry: ours };
  if (merge.kind === 'take') return { status: 'entry', entry: merge.entry };
  if (merge.kind === 'conflict') return conflict(merge.reason);
  const { executable, ...texts } = merge;
  const merged = await mergeText(texts, join(folder, `merge-${randomId(8)}`));
  if (merged.status === 'merged')
    return { status: 'entry', entry: { kind: 'file', bytes: merged.bytes, executable } };
  if (merged.status === 'failed') return conflict(`git cannot merge it: ${merged.reason}.`);
  return conflict(
    'The project and the agent have changed the same lines.',
    textOfBytes(merged.bytes) ?? null,
  );
}

const SETTLED: MergedFile = { status: 'settled' };
