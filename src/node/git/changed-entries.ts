import { applyChangeset, type ChangedFile, diffTrees } from '../../core/changeset/changeset.js';
import { isEqualBytes } from '../../core/changeset/content.js';
import type { Entry, EntryTree } from '../../core/changeset/entry-tree.js';
import type { GitRefusal } from './command.js';
import { compareTrees, type EntryChange, type GitEntry, isFile, setEntries } from './entries.js';
import type { WorkTree } from './work-tree.js';

const LINK = '120000';
const EXECUTABLE = '100755';

/** The differences between two trees of a repository, as a changeset. */
export interface TreeChangeset {
  status: 'ok';
  files: ChangedFile[];
  /** Only the differences. The bytes of a binary file are its id. */
  base: EntryTree;
  target: EntryTree;
  /** Makes a tree with only these changes. */
  keep(kept: ReadonlySet<string>): Promise<{ status: 'ok'; tree: string } | GitRefusal>;
}

/** Omits submodules and excluded paths. Never throws. */
export async function readTreeChangeset(
  tree: WorkTree,
  from: string,
  to: string,
  isLeftOut: (path: string) => boolean = () => false,
): Promise<TreeChangeset | GitRefusal> {
  const compared = await compareTrees(tree, from, to);
  if (compared.status !== 'ok') return compared;
  const isShown = ({ path, before, after }: EntryChange) =>
    !isLeftOut(path) && [before, after].every((entry) => entry === null || isFile(entry));
  const changes = compared.changes.filter(isShown);
  const base = await readSide(tree, changes, 'before');
  const target = await readSide(tree, changes, 'after');
  const files = diffTrees(base, target);
  const keep: TreeChangeset['keep'] = async (kept) => {
    const entries = applyChangeset(base, target, files, kept);
    const sides = changes.filter(({ path }) => entries.has(path));
    const wanted: EntryChange[] = [];
    for (const change of sides) {
      const after = await writeEntry(tree, entries.get(change.path)!, target.entry(change.path), change);
      if (after !== null && 'reason' in after) return after;
      wanted.push({ ...change, after });
    }
    return tree.withIndex(async (index) => {
      const read = await tree.run(['read-tree', from], { index });
      const set = read.status === 'ok' ? await setEntries(tree, wanted, 'after', index) : read;
      const written = set.status === 'ok' ? await tree.run(['write-tree'], { index }) : set;
      return written.status === 'ok' ? { status: 'ok', tree: written.stdout.trim() } : written;
    });
  };
  return { status: 'ok', files, base, target, keep };
}

async function readSide(
  tree: WorkTree,
  changes: readonly EntryChange[],
  side: 'before' | 'after',
): Promise<EntryTree> {
  const entries = new Map<string, Entry>();
  for (const change of changes) {
    const entry = change[side];
    if (entry !== null) entries.set(change.path, await readEntry(tree, entry));
  }
  return { paths: () => entries.keys(), entry: (path) => entries.get(path) };
}

/** A binary file is identified by its id, and decided as a whole. */
async function readEntry(tree: WorkTree, { mode, id }: GitEntry): Promise<Entry> {
  const read = await tree.run(['cat-file', 'blob', id]);
  const text = read.status === 'ok' && !read.stdout.includes('\ufffd') ? read.stdout : `\0${id}`;
  if (mode === LINK) return { kind: 'link', target: text };
  return { kind: 'file', bytes: new TextEncoder().encode(text), executable: mode === EXECUTABLE };
}

async function writeEntry(
  tree: WorkTree,
  entry: Entry | null,
  target: Entry | undefined,
  { after }: EntryChange,
): Promise<GitEntry | GitRefusal | null> {
  if (entry === null) return null;
  if (entry.kind === 'link') return after;
  const mode = entry.executable ? EXECUTABLE : '100644';
  if (after !== null && target?.kind === 'file' && isEqualBytes(entry.bytes, target.bytes))
    return { mode, id: after.id };
  const input = new TextDecoder('utf-8', { ignoreBOM: true }).decode(entry.bytes);
  const written = await tree.run(['hash-object', '-w', '--stdin'], { input });
  return written.status === 'ok' ? { mode, id: written.stdout.trim() } : written;
}

/** The current tree of a folder, without ignored files; the work tree's own index does not change. */
export async function writeFolderTree(
  tree: WorkTree,
  base: string,
): Promise<{ status: 'ok'; tree: string } | GitRefusal> {
  return tree.withIndex(async (index) => {
    const read = await tree.run(['read-tree', base], { index });
    const added = read.status === 'ok' ? await tree.run(['add', '-A', '--', '.'], { index }) : read;
    const written = added.status === 'ok' ? await tree.run(['write-tree'], { index }) : added;
    return written.status === 'ok' ? { status: 'ok', tree: written.stdout.trim() } : written;
  });
}
