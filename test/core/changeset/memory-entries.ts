import type { ChangedEntries } from '../../../src/core/changeset/changeset.js';
import type { Entry, EntryTree } from '../../../src/core/changeset/entry-tree.js';

/** Entries in memory, by path. */
export function entryTree(entries: ReadonlyMap<string, Entry>): EntryTree {
  return { paths: () => entries.keys(), entry: (path) => entries.get(path) };
}

export function file(content: string | Uint8Array, executable = false): Entry {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return { kind: 'file', bytes, executable };
}

export function link(target: string): Entry {
  return { kind: 'link', target };
}

/** The base with the changes in it; throws if a file would be where a folder is. */
export function applyTo(base: ReadonlyMap<string, Entry>, changes: ChangedEntries): Map<string, Entry> {
  const result = new Map(base);
  for (const [path, entry] of changes) if (entry === null) result.delete(path);
  for (const [path, entry] of changes) if (entry !== null) result.set(path, entry);
  for (const path of result.keys()) {
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
      if (result.has(path.slice(0, slash))) throw new Error(`${path} is below a file`);
    }
  }
  return result;
}

/** What can be compared and read in a failure. */
export function listEntries(entries: ReadonlyMap<string, Entry>): string[] {
  return [...entries]
    .map(([path, entry]) =>
      entry.kind === 'link'
        ? `${path} -> ${entry.target}`
        : `${path} ${entry.executable ? 'x' : '-'} ${Buffer.from(entry.bytes).toString('latin1')}`,
    )
    .sort();
}
