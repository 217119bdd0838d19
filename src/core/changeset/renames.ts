import { addToGroup } from '../groups.js';
import { compareText } from '../text.js';
import { hashBytes, isEqualBytes, textOfBytes } from './content.js';
import type { EntryTree } from './entry-tree.js';
import { linesWithEndings } from './hunks.js';

// Which created file is a deleted one at another path: first those with the same bytes, then texts that share at least
// half of their lines. The same trees give the same renames, and the work is limited.

/** New path to old path. `deleted` and `created` are sorted. Links and empty files are not renamed. */
export function findRenames(
  base: EntryTree,
  deleted: readonly string[],
  folder: EntryTree,
  created: readonly string[],
): Map<string, string> {
  const renames = new Map<string, string>();
  if (deleted.length === 0 || created.length === 0) return renames;
  findExact(base, deleted, folder, created, renames);
  const moved = new Set(renames.values());
  const left = deleted.filter((path) => !moved.has(path));
  const arrived = created.filter((path) => !renames.has(path));
  for (const [path, from] of findSimilar(readTexts(base, left), readTexts(folder, arrived)))
    renames.set(path, from);
  return renames;
}

function findExact(
  base: EntryTree,
  deleted: readonly string[],
  folder: EntryTree,
  created: readonly string[],
  renames: Map<string, string>,
): void {
  const byContent = new Map<string, string[]>();
  for (const path of deleted) {
    const bytes = contentOf(base, path);
    if (bytes === undefined) continue;
    addToGroup(byContent, hashBytes(bytes), path);
  }
  for (const path of created) {
    const bytes = contentOf(folder, path);
    const candidates = bytes && byContent.get(hashBytes(bytes));
    if (candidates === undefined || candidates.length === 0) continue;
    const from = candidates.find((old) => nameOf(old) === nameOf(path)) ?? candidates[0]!;
    if (!isEqualBytes(contentOf(base, from)!, bytes!)) continue;
    candidates.splice(candidates.indexOf(from), 1);
    renames.set(path, from);
  }
}

/** Beyond these, only files with the same bytes are found: files on each side, and the characters of one. */
const MOST_FILES = 400;
const LONGEST = 2 ** 20;

/** A line in more files than this (a brace, a licence) says nothing about which one was renamed. */
const MOST_FILES_WITH_LINE = 20;

interface Lines {
  path: string;
  size: number;
  /** How often each line is in the text. */
  counts: ReadonlyMap<string, number>;
}

function readTexts(tree: EntryTree, paths: readonly string[]): Lines[] {
  if (paths.length > MOST_FILES) return [];
  return paths.flatMap((path) => {
    const bytes = contentOf(tree, path);
    const text = bytes && bytes.length <= LONGEST ? textOfBytes(bytes) : undefined;
    if (text === undefined) return [];
    const counts = new Map<string, number>();
    for (const line of linesWithEndings(text)) counts.set(line, (counts.get(line) ?? 0) + 1);
    return [{ path, size: text.length, counts }];
  });
}

function findSimilar(deleted: readonly Lines[], created: readonly Lines[]): [path: string, from: string][] {
  const filesWithLine = new Map<string, Lines[]>();
  for (const file of deleted) {
    for (const line of file.counts.keys()) {
      const files = filesWithLine.get(line) ?? [];
      filesWithLine.set(line, files);
      files.push(file);
    }
  }
  const pairs = created.flatMap((now) => {
    const shared = new Map<Lines, number>();
    for (const [line, count] of now.counts) {
      const files = filesWithLine.get(line) ?? [];
      if (files.length > MOST_FILES_WITH_LINE) continue;
      for (const old of files) {
        const both = Math.min(count, old.counts.get(line)!) * line.length;
        shared.set(old, (shared.get(old) ?? 0) + both);
      }
    }
    return [...shared].map(([old, size]) => ({
      path: now.path,
      from: old.path,
      similarity: size / Math.max(now.size, old.size),
      isSameName: nameOf(now.path) === nameOf(old.path),
    }));
  });
  const best = pairs
    .filter(({ similarity }) => similarity >= 0.5)
    .sort(
      (a, b) =>
        b.similarity - a.similarity ||
        Number(b.isSameName) - Number(a.isSameName) ||
        compareText(a.path, b.path) ||
        compareText(a.from, b.from),
    );
  const renames = new Map<string, string>();
  const moved = new Set<string>();
  for (const { path, from } of best) {
    if (renames.has(path) || moved.has(from)) continue;
    renames.set(path, from);
    moved.add(from);
  }
  return [...renames];
}

function contentOf(tree: EntryTree, path: string): Uint8Array | undefined {
  const entry = tree.entry(path);
  return entry?.kind === 'file' && entry.bytes.length > 0 ? entry.bytes : undefined;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
