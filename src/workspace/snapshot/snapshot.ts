import { join } from 'node:path';
import type { ChangedPath, Facts, UnrestorableFile } from '../../core/report/record.js';
import { describeSystemError } from '../../node/errors.js';
import { lookAtFile, MB } from '../../node/files.js';
import { Folder } from '../../node/folder.js';
import { writeGitContents } from '../../node/git/read-contents.js';
import { randomId } from '../../node/ids.js';
import { type Journal, openRunJournal } from '../commit/journal.js';
import { describeError } from '../jail.js';
import { Store } from '../store.js';
import { CONTENTS, type ContentLimits, Contents } from './contents.js';
import { scanProject } from './scan.js';
import {
  compareStates,
  type FilesState,
  readFilesState,
  type StateChanges,
  type StateEntry,
  writeFilesState,
} from './state.js';

/** Where the state of a project is recorded, and for whom. */
export interface RecordingPlace {
  root: string;
  /** The run whose journal keeps what a command overwrites. */
  run: string;
  limits: ContentLimits;
  /** Whether no other run in this project lives, or waits to be recovered. */
  isAlone: boolean;
  onProgress?: ((done: number, of: number) => void) | undefined;
}

/** What a command did to the files that undo covers, as its outcome has it. */
export interface CommandChanges extends Pick<Facts, 'unrestorable' | 'moved'> {
  changed: ChangedPath[];
}

export type RecordedState =
  | {
      status: 'recorded';
      /** Files that cannot be restored if the command changes them. */
      unrestorable: UnrestorableFile[];
      /** To be called once, when the command has ended. With `note`, the journal keeps what changed. Never throws. */
      compare(note: (changes: CommandChanges) => unknown): Promise<ComparedState>;
    }
  | { status: 'failed'; reason: string };

export type ComparedState =
  | { status: 'compared'; changes: CommandChanges }
  /** The command may have changed files, and nothing is known of it. */
  | { status: 'failed'; reason: string };

/** In `.teddy/contents`: the state that was seen last. */
const LAST = 'state';
/** In a run's journal: the state before a command, with the number of records that the journal had then. */
const BEFORE = /^before-(\d+)$/;

/**
 * Records the state of a project's files before a command, so that it can be compared and restored. Files that have not
 * changed since the last time are not read. Never throws.
 */
export async function recordState(place: RecordingPlace): Promise<RecordedState> {
  try {
    const state = await inStores(place, async ({ contents, journal }) => {
      const seen = await see(place, contents);
      forgetBefore(journal.folder);
      const name = `before-${journal.count}`;
      try {
        contents.states.link(LAST, journal.folder, name);
      } catch {
        writeFilesState(journal.folder, name, seen);
      }
      return seen;
    });
    return {
      status: 'recorded',
      unrestorable: listUnrestorable(state, place.limits),
      compare: (note) => compare(place, state, note),
    };
  } catch (error) {
    return { status: 'failed', reason: reasonOf(error) };
  }
}

/** The same for a run whose process died: undefined where no command was under way that is not recorded. Never throws. */
export async function compareInterrupted(
  place: RecordingPlace,
  note: (changes: CommandChanges) => unknown,
): Promise<ComparedState | undefined> {
  try {
    const state = await inStores(place, async ({ journal }) => {
      const name = journal.folder.list().find((each) => BEFORE.test(each));
      if (name === undefined) return undefined;
      if (Number(BEFORE.exec(name)![1]) === journal.count) return readFilesState(journal.folder, name);
      // Its process died between the record and this.
      forgetBefore(journal.folder);
      return undefined;
    });
    return state && (await compare(place, state, note));
  } catch (error) {
    return { status: 'failed', reason: reasonOf(error) };
  }
}

/** What undo could not restore if a command changed it. Never throws. */
export async function findUnrestorable(place: RecordingPlace): Promise<UnrestorableFile[]> {
  try {
    const state = await inStores(place, ({ contents }) => see(place, contents));
    return listUnrestorable(state, place.limits);
  } catch (error) {
    return [{ path: 'anything', reason: `the project cannot be recorded: ${reasonOf(error)}` }];
  }
}

function reasonOf(error: unknown): string {
  return describeSystemError(describeError(error));
}

function forgetBefore(journal: Folder): void {
  for (const name of journal.list()) if (BEFORE.test(name)) journal.unlink(name);
}

async function inStores<T>(
  { root, run, limits }: RecordingPlace,
  work: (stores: { contents: Contents; journal: Journal }) => Promise<T>,
): Promise<T> {
  const store = Store.open(root);
  let contents: Contents | undefined;
  let journal: Journal | undefined;
  try {
    contents = new Contents(store.folder, limits);
    journal = openRunJournal(store.folder, run);
    return await work({ contents, journal });
  } finally {
    journal?.close();
    contents?.close();
    store.close();
  }
}

/** Scans the project, with every content at hand that there is room for. */
async function see({ root, isAlone, onProgress }: RecordingPlace, contents: Contents): Promise<FilesState> {
  const known = readFilesState(contents.states, LAST);
  const scan = (seen: FilesState | undefined) =>
    scanProject({ root, contents, known: seen, keeps: true, onProgress });
  let state = await scan(known);
  const isShort = [...state.entries.values()].some((entry) => isMissing(entry, contents.limits));
  if (isAlone && (isShort || contents.hasGrown)) {
    pruneAllBut(contents, state);
    if (isShort) state = await scan(state);
  }
  if (known === undefined || !isSameState(known, state)) saveLast(contents, state);
  return state;
}

function pruneAllBut(contents: Contents, { entries }: Pick<FilesState, 'entries'>): void {
  const needed = new Set([...entries.values()].map(({ hash }) => hash));
  contents.prune((hash) => needed.has(hash));
}

/** Removes what neither a run needs nor the state that was seen last. The caller knows that no run lives. */
export function pruneContents(store: Folder): void {
  if (store.lstat(CONTENTS) === undefined) return;
  const contents = new Contents(store, { maxFile: 0, maxTotal: 0 });
  try {
    pruneAllBut(contents, readFilesState(contents.states, LAST) ?? { entries: new Map() });
  } finally {
    contents.close();
  }
}

function saveLast(contents: Contents, state: FilesState): void {
  const name = `${LAST}-${randomId(8)}`;
  writeFilesState(contents.states, name, state);
  contents.states.rename(name, contents.states, LAST);
}

function isMissing({ kind, size, source }: StateEntry, { maxFile }: ContentLimits): boolean {
  return kind === 'file' && source === null && size <= maxFile;
}

/** Entries that have not changed are the same objects. */
function isSameState(one: FilesState, other: FilesState): boolean {
  const isSameMap = (a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>) =>
    a.size === b.size && [...b].every(([key, value]) => a.get(key) === value);
  return (
    isSameMap(one.entries, other.entries) &&
    isSameMap(one.folders, other.folders) &&
    isSameMap(one.uncovered, other.uncovered) &&
    isSameMap(one.refs ?? new Map(), other.refs ?? new Map()) &&
    one.others.size === other.others.size &&
    [...other.others].every((path) => one.others.has(path))
  );
}

function listUnrestorable({ entries, uncovered }: FilesState, limits: ContentLimits): UnrestorableFile[] {
  const found: UnrestorableFile[] = [...uncovered].map(([path, reason]) => ({ path, reason }));
  for (const [path, entry] of entries)
    if (entry.kind === 'file' && entry.source === null) found.push({ path, reason: explain(entry, limits) });
  return found;
}

function explain({ size, source }: StateEntry, { maxFile, maxTotal }: ContentLimits): string {
  if (size > maxFile) return `is larger than ${describeSize(maxFile)}`;
  if (source === null) return `does not fit into the ${describeSize(maxTotal)} that teddy keeps`;
  return source === 'kept' ? 'is no longer in .teddy/contents' : 'is no longer in git';
}

function describeSize(bytes: number): string {
  return bytes % (1024 * MB) === 0 ? `${bytes / 1024 / MB} GB` : `${Math.round((bytes / MB) * 10) / 10} MB`;
}

async function compare(
  place: RecordingPlace,
  before: FilesState,
  note: (changes: CommandChanges) => unknown,
): Promise<ComparedState> {
  try {
    if (lookAtFile(join(place.root, '.teddy/runs', place.run, 'journal')) !== 'folder')
      return { status: 'failed', reason: `it deleted .teddy/runs/${place.run}` };
    return await inStores(place, async ({ contents, journal }) => {
      const { root, onProgress } = place;
      const after = await scanProject({ root, contents, known: before, keeps: false, onProgress });
      const found = compareStates(before, after);
      const { emptied, folders } = found;
      const isNothing = found.journal.length + folders.length === 0;
      if (!isNothing) {
        const id = `${Date.now().toString(36)}-${randomId(8)}`;
        await keepImages(place, contents, journal.folder, id, found);
        journal.add({ id, changes: found.journal, emptied, folders, note: note(changesOf(found)) });
        saveLast(contents, after);
      }
      forgetBefore(journal.folder);
      return { status: 'compared', changes: changesOf(found) };
    });
  } catch (error) {
    return { status: 'failed', reason: reasonOf(error) };
  }
}

function changesOf({ changed, unrestorable, moved }: StateChanges): CommandChanges {
  return {
    changed,
    ...(unrestorable.length > 0 && { unrestorable }),
    ...(moved.length > 0 && { moved }),
  };
}

/** Gives the journal a copy of every content that the command changed or deleted. */
async function keepImages(
  { root, limits }: RecordingPlace,
  contents: Contents,
  journal: Folder,
  id: string,
  { journal: changes, before, unrestorable }: StateChanges,
): Promise<void> {
  const inGit = [...before.values()].filter(
    ({ hash, source }) => hash !== null && source !== null && source !== 'kept' && !contents.has(hash),
  );
  if (inGit.length > 0) {
    await contents.inTemporary(async (folder) => {
      const wanted = inGit.map((entry) => ({ id: entry.source!, name: entry.hash! }));
      const written = Folder.open(await writeGitContents(root, folder, wanted));
      try {
        contents.takeIn(written);
      } finally {
        written.close();
      }
    });
  }
  for (const [i, change] of changes.entries()) {
    const old = before.get(change.path);
    if (old?.kind !== 'file') continue;
    const name = `${id}-${i}`;
    if (old.hash !== null && contents.linkTo(old.hash, journal, name)) change.image = name;
    else {
      change.lost = explain(old, limits);
      unrestorable.push({ path: change.path, reason: change.lost });
    }
  }
}
