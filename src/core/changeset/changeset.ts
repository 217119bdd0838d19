import { addToGroup } from '../groups.js';
import { hashBytes, isEqualBytes, textOfBytes } from './content.js';
import type { Entry, EntryTree } from './entry-tree.js';
import { applyHunks, diffHunks, type Hunk, hashChange } from './hunks.js';
import { isEqualEntry } from './merge.js';
import { findRenames } from './renames.js';

// The difference between a base and a folder, as files and hunks that are kept or dropped one by one, and the entries that
// the kept ones make of the base, exact to the byte. Links are entries of their own: they are never followed.

type Mode = 'file' | 'executable' | 'link';

export interface ChangedFile {
  path: string;
  /** The path in the base of a file that was renamed. */
  from?: string;
  change: 'created' | 'edited' | 'deleted' | 'renamed';
  /**
   * The decision on the file as a whole; without it, nothing of the file is kept. Absent if hunks and mode are decided
   * alone: an edited text. The one hunk of a created or deleted text has the same id.
   */
  whole?: string;
  /** What the entry was and is, if that differs or one of them is missing; `id` where it is decided separately. */
  mode?: { id?: string; before?: Mode; after?: Mode };
  /** Not shown as lines: not UTF-8, with a NUL in it, or too long. */
  binary: boolean;
  hunks: readonly Hunk[];
  /** The targets of a link. */
  link?: { before?: string; after?: string };
  /** The decisions that make way for this one: those on files at a folder's path, or below a file's. */
  needs?: readonly string[];
}

/** The new entry of each path; null for none. */
export type ChangedEntries = ReadonlyMap<string, Entry | null>;

/** In the order of their paths; a renamed file is at its new one. */
export function diffTrees(base: EntryTree, folder: EntryTree): ChangedFile[] {
  const files = listPaths(base, folder).flatMap(({ path, from }): ChangedFile[] => {
    const file = diffEntry(path, base.entry(from ?? path), folder.entry(path), from);
    return file === undefined ? [] : [file];
  });
  return addNeeds(distinguishIds(files));
}

type FileChange = Pick<ChangedFile, 'path' | 'from' | 'change'>;

/** The same files without their hunks, which take long to find in large texts. */
export function listChanges(base: EntryTree, folder: EntryTree): FileChange[] {
  return listPaths(base, folder).flatMap(({ path, from }): FileChange[] => {
    if (from !== undefined) return [{ path, from, change: 'renamed' }];
    const [before, after] = [base.entry(path), folder.entry(path)];
    if (isEqualEntry(before, after)) return [];
    return [{ path, change: before === undefined ? 'created' : after === undefined ? 'deleted' : 'edited' }];
  });
}

/** What may have changed, in the order of their paths. */
function listPaths(base: EntryTree, folder: EntryTree): { path: string; from: string | undefined }[] {
  const before = new Set(base.paths());
  const after = new Set(folder.paths());
  const deleted = [...before].filter((path) => !after.has(path)).sort();
  const created = [...after].filter((path) => !before.has(path)).sort();
  const renames = findRenames(base, deleted, folder, created);
  const moved = new Set(renames.values());
  const isSame = (path: string) =>
    before.has(path) && after.has(path) && haveEqualIdentity(base, folder, path);
  return [...new Set([...before, ...after])]
    .filter((path) => !moved.has(path) && !isSame(path))
    .sort()
    .map((path) => ({ path, from: renames.get(path) }));
}

/** Every decision on the file; if none is kept, it stays as it is. */
export function decisionIds({ whole, mode, hunks }: ChangedFile): Set<string> {
  const ids = [whole, mode?.id, ...hunks.map(({ id }) => id)];
  return new Set(ids.filter((id) => id !== undefined));
}

/** What the kept decisions make of the base. `folder` has the content of files that are kept as a whole. */
export function applyChangeset(
  base: EntryTree,
  folder: EntryTree,
  files: readonly ChangedFile[],
  kept: ReadonlySet<string>,
): ChangedEntries {
  const changes = new Map<string, Entry | null>();
  for (const file of dropUnmetNeeds(files, kept)) {
    if (file.change === 'deleted') changes.set(file.path, null);
    else if (file.change === 'renamed') {
      changes.set(file.from!, null);
      changes.set(file.path, applyToFile(fileEntry(base, file.from!), file, kept));
    } else if (file.whole !== undefined) changes.set(file.path, folder.entry(file.path)!);
    else changes.set(file.path, applyToFile(fileEntry(base, file.path), file, kept));
  }
  return changes;
}

type FileEntry = Extract<Entry, { kind: 'file' }>;

function fileEntry(tree: EntryTree, path: string): FileEntry {
  return tree.entry(path) as FileEntry;
}

function applyToFile(old: FileEntry, { hunks, mode }: ChangedFile, kept: ReadonlySet<string>): FileEntry {
  const bytes =
    hunks.length === 0
      ? old.bytes
      : new TextEncoder().encode(applyHunks(textOfBytes(old.bytes)!, hunks, kept));
  const isModeKept = mode?.id !== undefined && kept.has(mode.id);
  return { kind: 'file', bytes, executable: isModeKept ? mode.after === 'executable' : old.executable };
}

/** The files of which something is kept; without the decisions that make way for a file, it is dropped as well. */
function dropUnmetNeeds(files: readonly ChangedFile[], kept: ReadonlySet<string>): ChangedFile[] {
  let left = files.filter((file) =>
    file.whole === undefined ? [...decisionIds(file)].some((id) => kept.has(id)) : kept.has(file.whole),
  );
  for (;;) {
    const wholes = new Set(left.map(({ whole }) => whole));
    const met = left.filter(({ needs = [] }) => needs.every((id) => wholes.has(id)));
    if (met.length === left.length) return met;
    left = met;
  }
}

/** Undefined if nothing has changed. */
function diffEntry(path: string, before?: Entry, after?: Entry, from?: string): ChangedFile | undefined {
  if (before?.kind === 'file' && after?.kind === 'file') return diffFile(path, before, after, from);
  if (before?.kind === 'link' && after?.kind === 'link' && before.target === after.target) return undefined;
  const [old, now] = [before, after].map((entry) => (entry?.kind === 'file' ? textOfBytes(entry.bytes) : ''));
  const isLink = before?.kind === 'link' || after?.kind === 'link';
  const isText = old !== undefined && now !== undefined && !isLink;
  const hunks = isText ? diffHunks(old, now, path) : [];
  return {
    path,
    change: before === undefined ? 'created' : after === undefined ? 'deleted' : 'edited',
    whole: hunks[0]?.id ?? hashChange([path, describeEntry(before), describeEntry(after)].join('\0')),
    mode: { ...(before && { before: modeOf(before) }), ...(after && { after: modeOf(after) }) },
    binary: !isText && !isLink,
    hunks,
    ...(isLink && {
      link: {
        ...(before?.kind === 'link' && { before: before.target }),
        ...(after?.kind === 'link' && { after: after.target }),
      },
    }),
  };
}

function diffFile(path: string, before: FileEntry, after: FileEntry, from?: string): ChangedFile | undefined {
  const isSame = isEqualBytes(before.bytes, after.bytes);
  const [old, now] = isSame ? [] : [textOfBytes(before.bytes), textOfBytes(after.bytes)];
  const isText = old !== undefined && now !== undefined;
  const isMode = before.executable !== after.executable;
  if (isSame && !isMode && from === undefined) return undefined;
  const isReplaced = !isSame && !isText;
  const modes = { before: modeOf(before), after: modeOf(after) };
  return {
    path,
    ...(from !== undefined && { from }),
    change: from === undefined ? 'edited' : 'renamed',
    ...(from !== undefined && { whole: hashChange([path, 'from', from].join('\0')) }),
    ...(isReplaced && { whole: hashChange([path, describeEntry(before), describeEntry(after)].join('\0')) }),
    ...(isMode && {
      mode: { ...(!isReplaced && { id: hashChange([path, 'mode', modes.after].join('\0')) }), ...modes },
    }),
    binary: isSame ? textOfBytes(before.bytes) === undefined : isReplaced,
    hunks: isText ? diffHunks(old, now, path) : [],
  };
}

/**
 * Hashes of 64 bits can be made to collide, and a kept change must never keep another one: the later gets a name of its own.
 */
function distinguishIds(files: readonly ChangedFile[]): ChangedFile[] {
  const used = new Set<string>();
  return files.map((file) => {
    const names = new Map<string, string>();
    for (const id of decisionIds(file)) {
      let name = id;
      for (let ordinal = 2; used.has(name); ordinal++) name = `${id}-${ordinal}`;
      used.add(name);
      names.set(id, name);
    }
    const { whole, mode, hunks } = file;
    return {
      ...file,
      ...(whole !== undefined && { whole: names.get(whole)! }),
      ...(mode && { mode: { ...mode, ...(mode.id !== undefined && { id: names.get(mode.id)! }) } }),
      hunks: hunks.map((hunk) => ({ ...hunk, id: names.get(hunk.id)! })),
    };
  });
}

/** A file where a folder was, or in a folder that was a file, can only be there if the other is gone. */
function addNeeds(files: readonly ChangedFile[]): ChangedFile[] {
  const gone = new Map<string, string>();
  for (const { change, path, from, whole } of files) {
    if (change === 'deleted' || change === 'renamed') gone.set(from ?? path, whole!);
  }
  if (gone.size === 0) return [...files];
  const below = new Map<string, string[]>();
  for (const [path, whole] of gone) {
    for (const folder of foldersOf(path)) addToGroup(below, folder, whole);
  }
  return files.map((file) => {
    if (file.change !== 'created' && file.change !== 'renamed') return file;
    const above = foldersOf(file.path).map((folder) => gone.get(folder));
    const needs = [...above.filter((id) => id !== undefined), ...(below.get(file.path) ?? [])];
    return needs.length === 0 ? file : { ...file, needs };
  });
}

function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
    folders.push(path.slice(0, slash));
  }
  return folders;
}

function haveEqualIdentity(base: EntryTree, folder: EntryTree, path: string): boolean {
  const identity = base.identity?.(path);
  return identity !== undefined && identity === folder.identity?.(path);
}

function modeOf(entry: Entry): Mode {
  return entry.kind === 'link' ? 'link' : entry.executable ? 'executable' : 'file';
}

function describeEntry(entry: Entry | undefined): string {
  if (entry === undefined) return 'none';
  return `${modeOf(entry)} ${entry.kind === 'link' ? entry.target : hashBytes(entry.bytes)}`;
}
