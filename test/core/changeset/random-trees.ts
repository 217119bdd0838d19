import fc from 'fast-check';
import type { ChangedFile } from '../../../src/core/changeset/changeset.js';
import type { Entry } from '../../../src/core/changeset/entry-tree.js';
import { file, link } from './memory-entries.js';

// A base and what an agent made of it, at random; and what a choice among the changes must be, by its definition.

export type Entries = Map<string, Entry>;

// Few names and few lines, so that files are edited, moved, replaced by links and by folders all the time.
const line = fc.constantFrom('a\n', 'b\n', 'c\n', 'd\r\n', '\n', '}\n', '\ufeffe\n', 'é😀\n');
const text = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom('', 'end'))
  .map(([lines, end]) => lines.join('') + end);
const bytes = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 8 }) },
);
const entry: fc.Arbitrary<Entry> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(bytes, fc.boolean()).map(([content, executable]) => file(content, executable)),
  },
  { weight: 1, arbitrary: fc.constantFrom('a', '..', '/etc').map(link) },
);
const path = fc
  .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join('/'));

const edit = fc.oneof(
  fc.record({ do: fc.constant('write' as const), path, entry }),
  fc.record({ do: fc.constant('delete' as const), at: fc.nat() }),
  fc.record({ do: fc.constant('move' as const), at: fc.nat(), path }),
  fc.record({ do: fc.constant('chmod' as const), at: fc.nat() }),
  fc.record({ do: fc.constant('line' as const), at: fc.nat(), line, where: fc.nat() }),
);

/** As `rm -rf` and a write would: what is in the way is gone. */
function write(tree: Entries, at: string, value: Entry): void {
  for (const other of tree.keys())
    if (other.startsWith(`${at}/`) || at.startsWith(`${other}/`)) tree.delete(other);
  tree.set(at, value);
}

function change(
  tree: Entries,
  edits: readonly (typeof edit extends fc.Arbitrary<infer T> ? T : never)[],
): Entries {
  const result = new Map(tree);
  for (const one of edits) {
    if (one.do === 'write') {
      write(result, one.path, one.entry);
      continue;
    }
    const from = [...result.keys()][one.at % Math.max(1, result.size)];
    const old = from === undefined ? undefined : result.get(from);
    if (from === undefined || old === undefined) continue;
    if (one.do === 'delete') result.delete(from);
    else if (one.do === 'move') {
      result.delete(from);
      write(result, one.path, old);
    } else if (old.kind === 'file') {
      if (one.do === 'chmod') result.set(from, { ...old, executable: !old.executable });
      else {
        const lines = Buffer.from(old.bytes)
          .toString('latin1')
          .split(/(?<=\n)/);
        lines.splice(one.where % (lines.length + 1), one.where % 2, Buffer.from(one.line).toString('latin1'));
        result.set(from, { ...old, bytes: new Uint8Array(Buffer.from(lines.join(''), 'latin1')) });
      }
    }
  }
  return result;
}

export const trees = fc
  .record({
    start: fc.array(fc.tuple(path, entry), { maxLength: 6 }),
    edits: fc.array(edit, { maxLength: 8 }),
  })
  .map(({ start, edits }) => {
    const base: Entries = new Map();
    for (const [at, value] of start) write(base, at, value);
    return { base, folder: change(base, edits) };
  });

/** What the kept decisions make of the base: each file on its own, each line by its number. */
export function expectedSubset(
  base: Entries,
  folder: Entries,
  files: readonly ChangedFile[],
  kept: ReadonlySet<string>,
): Entries {
  const dropped = new Set<string>();
  const isKept = (one: ChangedFile) =>
    one.whole === undefined || (kept.has(one.whole) && !dropped.has(one.whole));
  for (let before = -1; before !== dropped.size; ) {
    before = dropped.size;
    for (const one of files)
      if (one.needs?.some((id) => !kept.has(id) || dropped.has(id))) dropped.add(one.whole!);
  }
  const result = new Map(base);
  for (const one of files)
    if (isKept(one) && (one.change === 'deleted' || one.from)) result.delete(one.from ?? one.path);
  for (const one of files) {
    if (!isKept(one) || one.change === 'deleted') continue;
    const now = folder.get(one.path)!;
    const old = base.get(one.from ?? one.path);
    const isPart = one.change === 'renamed' || one.whole === undefined;
    if (!isPart || old?.kind !== 'file' || now.kind !== 'file') {
      result.set(one.path, now);
      continue;
    }
    const lines = Buffer.from(old.bytes)
      .toString('latin1')
      .split(/(?<=\n)/);
    for (const hunk of [...one.hunks].reverse().filter(({ id }) => kept.has(id))) {
      const added = hunk.lines
        .filter((row) => row.startsWith('+'))
        .map((row) => Buffer.from(row.slice(1)).toString('latin1'));
      lines.splice(hunk.before.start, hunk.before.count, ...added);
    }
    const executable = one.mode?.id !== undefined && kept.has(one.mode.id) ? now.executable : old.executable;
    result.set(one.path, file(new Uint8Array(Buffer.from(lines.join(''), 'latin1')), executable));
  }
  return result;
}
