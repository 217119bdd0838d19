import { files } from '../../node/file-calls.js';
import { closing, type Folder, readText, writeAll } from '../../node/folder.js';
import { sha256 } from '../../node/ids.js';
import { isSealOf, sealOf } from '../../node/user-folders.js';
import type { Jail, ResolvedPath } from '../jail.js';
import { makeFolder, openContent } from '../store.js';
import { type Change, linkHash } from './change.js';
import { type CommitLogEntry, readPlace, type Step } from './entries.js';
import type { EmptiedFolder } from './folders.js';

/** What a commit did to one file, as `undo` needs it. */
export interface JournalChange {
  path: string;
  /** Hash and mode before and after; null for no file. */
  before: FileState | null;
  after: FileState | null;
  /** Name of the file in the journal that holds the content from before; null where there was none. */
  image: string | null;
  /** Folders that were made for it, relative to the root, from the outside in. */
  folders: string[];
  /** The entry itself, no link followed. */
  unfollowed?: true;
  /** Why the content from before is not kept, completing the sentence "<path> …". */
  lost?: string;
}

/** A folder that a command made, removed or gave another mode; null for no folder. */
export interface FolderChange {
  path: string;
  before: number | null;
  after: number | null;
}

/** Instead of the hash of a file that was not read. */
export const UNKNOWN_HASH = 'unknown';

export interface FileState {
  hash: string;
  mode: number;
  /** Of a link. */
  target?: string;
}

export interface JournalRecord {
  id: string;
  /** Commits of a run, counted from 1. */
  number: number;
  changes: JournalChange[];
  /** Folders that it left empty and removed. */
  emptied?: EmptiedFolder[];
  /** Of a command. */
  folders?: FolderChange[];
  /** The caller's own data, to be read back later. */
  note?: unknown;
}

/** All records of a run; undefined if one was not written by this user's teddy, because then none can be believed. */
export function readRunJournal(journal: Folder): JournalRecord[] | undefined {
  const records = readRecords(journal);
  return records.length < recordNames(journal).length ? undefined : records;
}

/** Records that this user's teddy wrote; others, such as those of a cloned repository, do not count. */
export function readRecords(journal: Folder): JournalRecord[] {
  const records = recordNames(journal).flatMap((name) => readRecord(readText(journal, name)) ?? []);
  return records.sort((a, b) => a.number - b.number);
}

function recordNames(journal: Folder): string[] {
  return journal.list().filter((name) => name.endsWith('.json'));
}

function readRecord(text: string): JournalRecord | undefined {
  const [seal, body] = text.split('\n');
  return body !== undefined && isSealOf(body, seal) ? (JSON.parse(body) as JournalRecord) : undefined;
}

/**
 * Keeps the contents that a run's commits overwrite. The contents are on disk before the commit point, and the
 * record of the commit is one of its own changes: it is there exactly when the commit is.
 */
export class Journal {
  private number: number;
  /** Folders that its next record changes besides its files. */
  folders: FolderChange[] = [];

  constructor(
    /** Relative to the root. */
    readonly path: string,
    readonly folder: Folder,
  ) {
    this.number = folder.list().filter((name) => name.endsWith('.json')).length;
  }

  /** Copies what the steps will overwrite, and gives the record as one more change, with its place. */
  keep(
    id: string,
    steps: readonly Step[],
    emptied: readonly EmptiedFolder[],
    jail: Jail,
    note: unknown,
    onKept: (count: number) => void,
  ): [Change, ResolvedPath] {
    this.number++;
    const changes = steps.map((step, i) => {
      onKept(i);
      return this.keepStep(`${id}-${i}`, step);
    });
    if (changes.some((change) => change.image !== null)) this.folder.sync();
    const record: JournalRecord = {
      id,
      number: this.number,
      changes,
      ...(emptied.length > 0 && { emptied: [...emptied] }),
      ...(this.folders.length > 0 && { folders: this.folders }),
      note,
    };
    const path = `${this.path}/${id}.json`;
    const located = jail.locate(path, { origin: 'tool' });
    if (located.status === 'refused') throw new Error(`${path} ${located.reason}`);
    return [{ path, before: null, after: this.seal(record), mode: 0o600 }, located.place];
  }

  /** How many records it has. */
  get count(): number {
    return this.number;
  }

  /** Adds changes that no commit made. They are on disk when this returns. */
  add(record: Omit<JournalRecord, 'number'>): void {
    this.number++;
    const { id } = record;
    const part = `${id}-part`;
    closing(this.folder.create(part, 0o600), (file) => {
      writeAll(file, this.seal({ ...record, number: this.number }));
      files.sync(file);
    });
    this.folder.rename(part, this.folder, `${id}.json`);
    this.folder.sync();
  }

  close(): void {
    this.folder.close();
  }

  private seal(record: JournalRecord): Uint8Array {
    const body = JSON.stringify(record);
    return new TextEncoder().encode(`${sealOf(body)}\n${body}\n`);
  }

  private keepStep(name: string, { entry, place, bytes }: Step): JournalChange {
    if (place.stats?.isSymbolicLink()) {
      const target = place.folder.readlink(place.name);
      return { ...this.describe(entry), before: linkState(target), after: stateAfter(entry, null, bytes) };
    }
    const old = readPlace(place);
    if (old !== null) {
      closing(this.folder.create(name, 0o600), (file) => {
        writeAll(file, old);
        files.sync(file);
      });
    }
    return {
      ...this.describe(entry),
      before: old === null ? null : { hash: sha256(old), mode: place.stats!.mode & 0o7777 },
      after: stateAfter(entry, old, bytes),
      image: old === null ? null : name,
    };
  }

  private describe({ path, folders, unfollowed }: CommitLogEntry) {
    return { path, image: null, folders, ...(unfollowed && { unfollowed }) };
  }
}

/** `runs/<run>/journal`, or a folder in it; only this user can read it. */
export function openRunJournal(store: Folder, run: string, ...inner: string[]): Journal {
  const passed = [openContent(store, 'runs')];
  try {
    for (const name of [run, 'journal', ...inner]) {
      const parent = passed.at(-1)!;
      if (makeFolder(parent, name, 0o700)) parent.sync();
      passed.push(parent.openFolder(name));
    }
    const journal = new Journal(['.teddy/runs', run, 'journal', ...inner].join('/'), passed.at(-1)!);
    passed.pop();
    return journal;
  } finally {
    for (const folder of passed) folder.close();
  }
}

function stateAfter(
  entry: CommitLogEntry,
  old: Uint8Array | null,
  bytes: Uint8Array | null,
): FileState | null {
  if (entry.target !== undefined) return linkState(entry.target);
  if (bytes === null) return null;
  if (entry.kind === 'write') return { hash: entry.after!, mode: entry.mode };
  return { hash: sha256(joined(old ?? new Uint8Array(), bytes)), mode: entry.mode };
}

function linkState(target: string): FileState {
  return { hash: linkHash(target), mode: 0o777, target };
}

function joined(start: Uint8Array, end: Uint8Array): Uint8Array {
  const whole = new Uint8Array(start.length + end.length);
  whole.set(start);
  whole.set(end, start.length);
  return whole;
}
