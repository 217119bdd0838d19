import { createHash } from 'node:crypto';
import { isProtected } from '../../core/path.js';
import type { ChangedPath, MovedRef, UnrestorableFile } from '../../core/report/record.js';
import { EntryTable, isSameStat, type TableEntry } from '../../node/entry-table.js';
import { files } from '../../node/file-calls.js';
import { closing, type Folder, isAbsent, readAll, writeAll } from '../../node/folder.js';
import type { ListingMark } from '../../node/git/listing-mark.js';
import { makeStatIndex } from '../../node/git/stat-index.js';
import { compareRefs, type GitRefs } from '../../node/git/tracked-state.js';
import { isSealOf, sealOf } from '../../node/user-folders.js';
import { linkHash } from '../commit/change.js';
import { TOO_LARGE } from '../commit/entries.js';
import { type EmptiedFolder, foldersAbove } from '../commit/folders.js';
import { type FileState, type FolderChange, type JournalChange, UNKNOWN_HASH } from '../commit/journal.js';

/** A file or link as it was seen. The hash of a link is that of its target. */
export type StateEntry = TableEntry;

function withLinkHash(entry: TableEntry): StateEntry {
  return entry.target === undefined ? entry : { ...entry, hash: linkHash(entry.target) };
}

/** A table, and what is other than in it: states that follow each other share the table. */
export class StateEntries {
  private constructor(
    readonly table: EntryTable,
    private readonly changes: Map<string, StateEntry | undefined>,
  ) {}

  static of(table: EntryTable): StateEntries {
    return new StateEntries(table, new Map());
  }

  /** The same entries, to be changed apart. */
  fork(): StateEntries {
    return new StateEntries(this.table, new Map(this.changes));
  }

  get isTable(): boolean {
    return this.changes.size === 0;
  }

  has(path: string): boolean {
    if (this.changes.has(path)) return this.changes.get(path) !== undefined;
    return this.table.placeOf(path) !== undefined;
  }

  get(path: string): StateEntry | undefined {
    if (this.changes.has(path)) return this.changes.get(path);
    const place = this.table.placeOf(path);
    return place === undefined ? undefined : withLinkHash(this.table.at(place));
  }

  set(path: string, entry: StateEntry): void {
    this.changes.set(path, entry);
  }

  delete(path: string): void {
    if (this.has(path)) this.changes.set(path, undefined);
  }

  *[Symbol.iterator](): Generator<[string, StateEntry]> {
    yield* this.where(() => true);
    for (const [path, entry] of this.changes) if (entry) yield [path, entry];
  }

  /** Files whose content is nowhere. */
  *lost(): Generator<[string, StateEntry]> {
    yield* this.where((i) => this.table.isLostAt(i));
    for (const [path, entry] of this.changes)
      if (entry?.kind === 'file' && entry.source === null) yield [path, entry];
  }

  private *where(isMeant: (i: number) => boolean): Generator<[string, StateEntry]> {
    for (let i = 0; i < this.table.size; i++) {
      if (!isMeant(i)) continue;
      const path = this.table.pathAt(i);
      if (!this.changes.has(path)) yield [path, withLinkHash(this.table.at(i))];
    }
  }

  /** Where these and others may differ, sorted. */
  differingFrom(others: StateEntries): string[] {
    const paths = new Set([...this.changes.keys(), ...others.changes.keys()]);
    if (this.table !== others.table)
      for (const each of [this.table, others.table])
        for (let i = 0; i < each.size; i++) paths.add(each.pathAt(i));
    return [...paths].sort();
  }

  /** All of it as one table. */
  flatten(): StateEntries {
    if (this.isTable) return this;
    const table = EntryTable.withRoomFor(this.table.size + this.changes.size);
    for (const [path, entry] of this) table.append(path, entry);
    return StateEntries.of(table);
  }
}

/** What a project holds at one moment, as far as undo covers it. */
export interface FilesState {
  /** By path from the root. */
  entries: StateEntries;
  /** Modes of the folders that hold them, and of empty ones. */
  folders: Map<string, number>;
  /** What else is in these folders, such as what git ignores and git's own folder: undo leaves it alone. */
  others: Set<string>;
  /** What undo would cover if it could: why not, completing the sentence "<path> …". */
  uncovered: Map<string, string>;
  refs: GitRefs | undefined;
  /** By which it is seen that the same paths are covered; undefined where that has to be asked anew. */
  listing: ListingMark | undefined;
}

/** A state as it is kept: its entries are a table. */
export interface KeptState extends FilesState {
  /** For git, with the files whose stat data can be believed; undefined where there are few, or it is not at hand. */
  index: Uint8Array | undefined;
}

// On disk: a line with the seal of the hash of the rest; a line of JSON; the records; the names.

/** So many files are looked at here before a program that does it faster has started. */
export const FEW_FILES = 1000;
const VERSION = 'teddy state 2';
const LARGEST = 1024 * 1024 * 1024;
const NEWLINE = 10;

interface Header {
  lengths: [records: number, names: number];
  /** Hash of the index, which is in another file; null where there is none. */
  index: string | null;
  folders: [string, number][];
  others: string[];
  uncovered: [string, string][];
  refs: [string, string][] | null;
  listing: ListingMark | null;
}

/** Writes a state under a new name, and gives it as it would be read again. */
export function writeFilesState(folder: Folder, name: string, state: FilesState): KeptState {
  const entries = state.entries.flatten();
  const index = entries.table.size < FEW_FILES ? undefined : makeStatIndex(entries.table);
  const { records, names } = entries.table.bytes;
  const header: Header = {
    lengths: [records.length, names.length],
    index: index ? hashOf(index) : null,
    folders: [...state.folders],
    others: [...state.others],
    uncovered: [...state.uncovered],
    refs: state.refs ? [...state.refs] : null,
    listing: state.listing ?? null,
  };
  const parts = [encode(`${JSON.stringify(header)}\n`), records, names];
  const seal = encode(`${sealOf(`${VERSION} ${hashOf(...parts)}`)}\n`);
  closing(folder.create(name, 0o600), (file) => {
    for (const part of [seal, ...parts]) writeAll(file, part);
  });
  return { ...state, entries, index };
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

function hashOf(...parts: readonly Uint8Array[]): string {
  const hasher = createHash('sha256');
  for (const part of parts) hasher.update(part);
  return hasher.digest('hex');
}

/** A state that this user's teddy wrote; undefined for any other, and where there is none. `index` may be that of it. */
export function readFilesState(folder: Folder, name: string, index?: Uint8Array): KeptState | undefined {
  try {
    if (!folder.lstat(name)?.isFile()) return undefined;
    const bytes = closing(folder.openToRead(name), (file) => readAll(file, files.stat(file).size, LARGEST));
    const start = (bytes?.indexOf(NEWLINE) ?? -1) + 1;
    if (bytes === undefined || start === 0) return undefined;
    const body = bytes.subarray(start);
    if (!isSealOf(`${VERSION} ${hashOf(body)}`, decode(bytes.subarray(0, start - 1)))) return undefined;
    return parse(body, index);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

function parse(body: Uint8Array, index: Uint8Array | undefined): KeptState {
  const start = body.indexOf(NEWLINE) + 1;
  const {
    lengths,
    index: hash,
    folders,
    others,
    uncovered,
    refs,
    listing,
  } = JSON.parse(decode(body.subarray(0, start))) as Header;
  const names = start + lengths[0];
  const table = new EntryTable(body.subarray(start, names), body.subarray(names), ...lengths);
  return {
    entries: StateEntries.of(table),
    folders: new Map(folders),
    others: new Set(others),
    uncovered: new Map(uncovered),
    refs: refs ? new Map(refs) : undefined,
    listing: listing ?? undefined,
    index: index && hashOf(index) === hash ? index : undefined,
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
  const created: [string, StateEntry][] = [];
  for (const path of before.entries.differingFrom(after.entries)) {
    const old = before.entries.get(path);
    const now = after.entries.get(path);
    if (old && now && isEqual(old, now)) continue;
    if (now?.kind === 'file' && now.hash === null) found.unrestorable.push({ path, reason: TOO_LARGE });
    if (old) noteOld(found, path, old, now, after);
    else if (now) created.push([path, now]);
  }
  for (const [path, now] of created) {
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

/** What became of a file that was there before. */
function noteOld(
  found: StateChanges,
  path: string,
  old: StateEntry,
  now: StateEntry | undefined,
  after: FilesState,
): void {
  const hidden = now === undefined ? outermostUncovered(after, path) : undefined;
  if (hidden !== undefined) {
    const reason = `cannot be compared: ${hidden === path ? 'it' : hidden} ${after.uncovered.get(hidden)}`;
    found.unrestorable.push({ path, reason });
    // What it was is kept, whatever it is now.
    if (hidden !== path) return;
  }
  found.before.set(path, old);
  found.changed.push({ path, change: now || hidden !== undefined ? 'edited' : 'deleted' });
  found.journal.push(journalChange(path, stateOf(old), hidden === undefined ? stateOf(now) : UNKNOWN));
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
  return old.hash !== null ? old.hash === now.hash : isSameStat(old.stat, now.stat);
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
