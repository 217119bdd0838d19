import { createHash } from 'node:crypto';
import { isProtected } from '../../core/path.js';
import type { ChangedPath, MovedRef, UnrestorableFile } from '../../core/report/record.js';
import { files } from '../../node/file-calls.js';
import { closing, type Folder, isAbsent, readAll, writeAll } from '../../node/folder.js';
import { compareRefs, type GitRefs } from '../../node/git/tracked-state.js';
import { isSealOf, sealOf } from '../../node/user-folders.js';
import { TOO_LARGE } from '../commit/entries.js';
import { type EmptiedFolder, foldersAbove } from '../commit/folders.js';
import { type FileState, type FolderChange, type JournalChange, UNKNOWN_HASH } from '../commit/journal.js';

/** A file or link as it was seen. All times in milliseconds, as the file system has them. */
export interface StateEntry {
  kind: 'file' | 'link';
  size: number;
  mtime: number;
  ctime: number;
  inode: number;
  mode: number;
  /** SHA-256 of the content; null where it was not read. */
  hash: string | null;
  /** Of a link. */
  target?: string | undefined;
  /** Where the content is: an id of git's, `kept` (among our own), or null for nowhere. */
  source: string | null;
  /** It may have been written again in the moment in which it was read: the same times prove nothing. */
  racy: boolean;
}

/** What a project holds at one moment, as far as undo covers it. */
export interface FilesState {
  /** By path from the root. */
  entries: Map<string, StateEntry>;
  /** Modes of the folders that hold them, and of empty ones. */
  folders: Map<string, number>;
  /** What else is in these folders, such as what git ignores and git's own folder: undo leaves it alone. */
  others: Set<string>;
  /** What undo would cover if it could: why not, completing the sentence "<path> …". */
  uncovered: Map<string, string>;
  refs: GitRefs | undefined;
}

// On disk: its first line is the seal of the hash of the rest, in which every field ends with NUL.

const VERSION = 'teddy state 1';
const LARGEST = 1024 * 1024 * 1024;
const PIECE = 64 * 1024;

/** Writes a state under a new name. */
export function writeFilesState(folder: Folder, name: string, state: FilesState): void {
  const hasher = createHash('sha256');
  closing(folder.create(name, 0o600), (file) => {
    const room = sealOf(VERSION).length + 1;
    let at = room;
    let piece: string[] = [];
    let length = 0;
    const flush = () => {
      const bytes = new TextEncoder().encode(piece.join(''));
      hasher.update(bytes);
      writeAll(file, bytes, at);
      at += bytes.length;
      piece = [];
      length = 0;
    };
    for (const field of fieldsOf(state)) {
      piece.push(field, '\0');
      length += field.length + 1;
      if (length > PIECE) flush();
    }
    flush();
    writeAll(file, new TextEncoder().encode(`${sealOf(`${VERSION} ${hasher.digest('hex')}`)}\n`), 0);
  });
}

/** A state that this user's teddy wrote; undefined for any other, and where there is none. */
export function readFilesState(folder: Folder, name: string): FilesState | undefined {
  try {
    if (!folder.lstat(name)?.isFile()) return undefined;
    const bytes = closing(folder.openToRead(name), (file) => readAll(file, files.stat(file).size, LARGEST));
    const end = bytes?.indexOf(10) ?? -1;
    if (bytes === undefined || end === -1) return undefined;
    const body = bytes.subarray(end + 1);
    const hash = createHash('sha256').update(body).digest('hex');
    const seal = new TextDecoder().decode(bytes.subarray(0, end));
    if (!isSealOf(`${VERSION} ${hash}`, seal)) return undefined;
    return parse(body);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

function* fieldsOf({ entries, folders, others, uncovered, refs }: FilesState): Generator<string> {
  for (const [path, each] of entries) {
    const { kind, size, mtime, ctime, inode, mode, hash, target, source, racy } = each;
    yield `${kind} ${size} ${mtime} ${ctime} ${inode} ${mode} ${hash ?? '-'} ${source ?? '-'} ${racy ? 1 : 0}`;
    yield path;
    if (kind === 'link') yield target!;
  }
  for (const [path, mode] of folders) yield* [`folder ${mode}`, path];
  for (const path of others) yield* ['other', path];
  for (const [path, reason] of uncovered) yield* ['uncovered', path, reason];
  if (refs) for (const [name, value] of refs) yield* ['ref', name, value];
}

function parse(body: Uint8Array): FilesState {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const state: FilesState = {
    entries: new Map(),
    folders: new Map(),
    others: new Set(),
    uncovered: new Map(),
    refs: undefined,
  };
  let refs: Map<string, string> | undefined;
  let at = 0;
  const next = () => {
    const end = body.indexOf(0, at);
    const field = decoder.decode(body.subarray(at, end));
    at = end + 1;
    return field;
  };
  while (at < body.length) {
    const words = next().split(' ');
    const path = next();
    switch (words[0]) {
      case 'folder':
        state.folders.set(path, Number(words[1]));
        break;
      case 'other':
        state.others.add(path);
        break;
      case 'uncovered':
        state.uncovered.set(path, next());
        break;
      case 'ref':
        refs ??= new Map();
        refs.set(path, next());
        break;
      default:
        state.entries.set(path, parseEntry(words, words[0] === 'link' ? next() : undefined));
    }
  }
  return { ...state, refs };
}

function parseEntry(words: readonly string[], target: string | undefined): StateEntry {
  const [kind, size, mtime, ctime, inode, mode, hash, source, racy] = words as [
    StateEntry['kind'],
    ...string[],
  ];
  return {
    kind,
    size: Number(size),
    mtime: Number(mtime),
    ctime: Number(ctime),
    inode: Number(inode),
    mode: Number(mode),
    hash: hash === '-' ? null : hash!,
    target,
    source: source === '-' ? null : source!,
    racy: racy === '1',
  };
}

/** What differs between two states. */
export interface StateChanges {
  changed: ChangedPath[];
  /** For the journal, the images still to be made: those of the entries whose content is in `hashes`. */
  journal: JournalChange[];
  /** What was there before, by path. */
  before: Map<string, StateEntry>;
  emptied: EmptiedFolder[];
  folders: FolderChange[];
  unrestorable: UnrestorableFile[];
  moved: MovedRef[];
}

/** What a command made of a project, from its states before and after. */
export function compareStates(before: FilesState, after: FilesState): StateChanges {
  const found: StateChanges = {
    changed: [],
    journal: [],
    before: new Map(),
    emptied: [],
    folders: compareFolders(before, after),
    unrestorable: [],
    moved: before.refs && after.refs ? compareRefs(before.refs, after.refs) : [],
  };
  for (const [path, old] of before.entries) {
    const now = after.entries.get(path);
    if (now === old || (now && isEqual(old, now))) continue;
    const hidden = now === undefined ? outermostUncovered(after, path) : undefined;
    if (hidden !== undefined) {
      const reason = `cannot be compared: ${hidden === path ? 'it' : hidden} ${after.uncovered.get(hidden)}`;
      found.unrestorable.push({ path, reason });
      // What it was is kept, whatever it is now.
      if (hidden !== path) continue;
    }
    found.before.set(path, old);
    found.changed.push({ path, change: now || hidden !== undefined ? 'edited' : 'deleted' });
    found.journal.push(journalChange(path, stateOf(old), hidden === undefined ? stateOf(now) : UNKNOWN));
  }
  for (const [path, now] of after.entries) {
    if (now.kind === 'file' && now.hash === null && now !== before.entries.get(path))
      found.unrestorable.push({ path, reason: TOO_LARGE });
    if (before.entries.has(path)) continue;
    const hidden = firstAbove(path, (each) => before.others.has(each) || before.uncovered.has(each));
    if (hidden !== undefined) {
      found.unrestorable.push({ path, reason: explainHidden(path, hidden, before.uncovered.get(hidden)) });
      continue;
    }
    found.changed.push({ path, change: 'created' });
    const made = foldersAbove(path)
      .toReversed()
      .filter((each) => !before.folders.has(each));
    found.journal.push({ ...journalChange(path, null, stateOf(now)), folders: made });
  }
  found.unrestorable.push(...compareUncovered(before, after), ...compareOthers(before, after, found));
  for (const [path, mode] of before.folders)
    if (!after.folders.has(path) && outermostUncovered(after, path) === undefined)
      found.emptied.push({ path, mode });
  found.changed.sort(byPath);
  return found;
}

function explainHidden(path: string, hidden: string, reason: string | undefined): string {
  if (reason === undefined) return 'was not covered before the command, because git ignored it';
  return `was not covered before the command: ${hidden === path ? 'it' : hidden} ${reason}`;
}

/** What came or went that undo does not cover, such as pipes and repositories. */
function compareUncovered(before: FilesState, after: FilesState): UnrestorableFile[] {
  const isIgnored = (path: string) => firstAbove(path, (each) => before.others.has(each)) !== undefined;
  const isCovered = (path: string) => after.entries.has(path) || after.folders.has(path);
  const isOutermost = (path: string) => outermostUncovered(after, path) === path;
  const added = [...after.uncovered].filter(
    ([path]) =>
      isOutermost(path) && !before.uncovered.has(path) && !before.entries.has(path) && !isIgnored(path),
  );
  const gone = [...before.uncovered].filter(
    ([path]) => outermostUncovered(after, path) === undefined && !isCovered(path) && !after.others.has(path),
  );
  return [
    ...added.map(([path, reason]) => ({ path, reason })),
    ...gone.map(([path, reason]) => ({ path, reason: `is gone, and was not covered: it ${reason}` })),
  ];
}

/** Folders of git's or teddy's own that came or went, and what a command made git ignore while it made it. */
function compareOthers(before: FilesState, after: FilesState, { changed }: StateChanges): UnrestorableFile[] {
  const isHidden = (path: string) => firstAbove(path, (each) => before.others.has(each)) !== undefined;
  const hasNewRules = changed.some(({ path }) => path.split('/').at(-1) === '.gitignore');
  const added = [...after.others].filter(
    (path) => !isHidden(path) && !before.entries.has(path) && (hasNewRules || isProtected(path)),
  );
  const gone = [...before.others].filter((path) => isProtected(path) && !after.others.has(path));
  return [
    ...added.map((path) => ({
      path,
      reason: isProtected(path) ? 'is new, and undo leaves it' : NEWLY_IGNORED,
    })),
    ...gone.map((path) => ({ path, reason: 'is gone, and undo does not restore it' })),
  ];
}

const NEWLY_IGNORED = 'is new, and git ignores it since the command';

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : 1;
}

function isEqual(old: StateEntry, now: StateEntry): boolean {
  if (old.kind !== now.kind || (old.kind === 'file' && old.mode !== now.mode)) return false;
  // What was not read is the same only if its times are.
  return old.hash !== null ? old.hash === now.hash : old.ctime === now.ctime && old.inode === now.inode;
}

function journalChange(path: string, before: FileState | null, after: FileState | null): JournalChange {
  return { path, before, after, image: null, folders: [], unfollowed: true };
}

/** Of what was not read, or cannot be. */
const UNKNOWN: FileState = { hash: UNKNOWN_HASH, mode: 0 };

function stateOf(entry: StateEntry | undefined): FileState | null {
  if (entry === undefined) return null;
  const { kind, hash, mode, target } = entry;
  return kind === 'link'
    ? { hash: hash!, mode: 0o777, target: target! }
    : { hash: hash ?? UNKNOWN_HASH, mode };
}

/** Modes that changed, and empty folders that came or went. */
function compareFolders(before: FilesState, after: FilesState): FolderChange[] {
  const changes: FolderChange[] = [];
  for (const [path, mode] of before.folders) {
    const now = after.folders.get(path) ?? null;
    if (now !== mode && outermostUncovered(after, path) === undefined)
      changes.push({ path, before: mode, after: now });
  }
  for (const [path, mode] of after.folders) {
    if (before.folders.has(path)) continue;
    const wasThere = firstAbove(path, (each) => before.others.has(each)) !== undefined;
    if (!wasThere) changes.push({ path, before: null, after: mode });
  }
  return changes;
}

/** What hides whether a path has changed: a folder above it, or itself. */
function outermostUncovered({ uncovered }: FilesState, path: string): string | undefined {
  return (
    foldersAbove(path).findLast((each) => uncovered.has(each)) ?? (uncovered.has(path) ? path : undefined)
  );
}

/** The path itself, or the outermost folder above it for which this holds. */
function firstAbove(path: string, holds: (path: string) => boolean): string | undefined {
  return holds(path) ? path : foldersAbove(path).findLast(holds);
}
