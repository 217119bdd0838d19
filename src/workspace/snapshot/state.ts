import { createHash } from 'node:crypto';
import { EntryTable } from '../../node/entry-table.js';
import { files } from '../../node/file-calls.js';
import { closing, type Folder, isAbsent, readAll, writeAll } from '../../node/folder.js';
import type { ListingMark } from '../../node/git/listing-mark.js';
import type { GitRefs } from '../../node/git/tracked-state.js';
import { isSealOf, sealOf } from '../../node/user-folders.js';
import { StateEntries } from './entries.js';

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
  /** For git, with the files whose stat data can be believed; undefined where it is not at hand. */
  index: Uint8Array | undefined;
}

// On disk: a line with the seal of the hash of the rest; a line of JSON; the records; the names.

const VERSION = 'teddy state 2';
const LARGEST = 1024 * 1024 * 1024;
const NEWLINE = 10;

interface Header {
  lengths: [records: number, names: number];
  /** Hash of the index, which is in another file. */
  index: string;
  folders: [string, number][];
  others: string[];
  uncovered: [string, string][];
  refs: [string, string][] | null;
  listing: ListingMark | null;
}

/** Writes a state under a new name, and gives it as it would be read again. */
export function writeFilesState(folder: Folder, name: string, state: FilesState): KeptState {
  const entries = state.entries.flatten();
  const index = entries.table.toIndex();
  const { records, names } = entries.table.bytes;
  const header: Header = {
    lengths: [records.length, names.length],
    index: hashOf(index),
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
