import { join } from 'node:path';
import type { ChangedPath, Facts, UnrestorableFile } from '../../core/report/record.js';
import { STAT_BYTES } from '../../node/entry-table.js';
import { describeSystemError } from '../../node/errors.js';
import { files } from '../../node/file-calls.js';
import { lookAtFile, MB, readBytes } from '../../node/files.js';
import { Folder } from '../../node/folder.js';
import { writeGitContents } from '../../node/git/read-contents.js';
import { listTouched, writeStatIndex } from '../../node/git/stat-index.js';
import { randomId } from '../../node/ids.js';
import { type Journal, openRunJournal } from '../commit/journal.js';
import { describeError } from '../jail.js';
import { Store } from '../store.js';
import { CONTENTS, type ContentLimits, Contents } from './contents.js';
import { scanProject } from './scan.js';
import {
  compareStates,
  FEW_FILES,
  type FilesState,
  type KeptState,
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
  isAlone(): boolean;
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
const LAST_INDEX = 'index';
const LARGEST_INDEX = 1024 * MB;
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
async function see(place: RecordingPlace, contents: Contents): Promise<KeptState> {
  const { root, onProgress } = place;
  const asked = askGit(root, contents);
  try {
    const known = readFilesState(contents.states, LAST, asked?.index);
    const scan = (seen: KeptState | undefined, touched?: Promise<string[] | undefined>) =>
      scanProject({ root, contents, known: seen, touched, keeps: true, onProgress });
    let state = await scan(known, asked?.touched);
    const isShort = hasMissing(state, contents.limits);
    if ((isShort || contents.hasGrown) && place.isAlone()) {
      pruneAllBut(contents, state);
      if (isShort) state = await scan(saveLast(contents, state));
    }
    return known && isSameState(known, state) ? known : saveLast(contents, state);
  } finally {
    await asked?.touched;
  }
}

/** Lets git look at the files while the state is read that says what they were. */
function askGit(
  root: string,
  contents: Contents,
): { index: Uint8Array | undefined; touched: Promise<string[] | undefined> } | undefined {
  const { states } = contents;
  const stats = states.lstat(LAST_INDEX);
  if (!stats?.isFile() || stats.size < FEW_FILES * STAT_BYTES) return undefined;
  let linked: string | undefined;
  const touched = contents.inTemporary((folder) =>
    listTouched(root, folder, (path) => {
      files.link(join(states.path, LAST_INDEX), path);
      linked = path;
    }),
  );
  const read = linked === undefined ? undefined : readBytes(linked, LARGEST_INDEX);
  return { touched, index: read?.status === 'bytes' ? read.bytes : undefined };
}

function hasMissing({ entries }: FilesState, { maxFile }: ContentLimits): boolean {
  for (const [, { size }] of entries.lost()) if (size <= maxFile) return true;
  return false;
}

function pruneAllBut(contents: Contents, state: FilesState | undefined): void {
  const needed = new Set<string | null>();
  for (const [, { hash, source }] of state?.entries ?? []) if (source === 'kept') needed.add(hash);
  contents.prune((hash) => needed.has(hash));
}

/** Removes what neither a run needs nor the state that was seen last. The caller knows that no run lives. */
export function pruneContents(store: Folder): void {
  if (store.lstat(CONTENTS) === undefined) return;
  const contents = new Contents(store, { maxFile: 0, maxTotal: 0 });
  try {
    pruneAllBut(contents, readFilesState(contents.states, LAST));
  } finally {
    contents.close();
  }
}

function saveLast(contents: Contents, state: FilesState): KeptState {
  const { states } = contents;
  const [name, indexName] = [`${LAST}-${randomId(8)}`, `${LAST}-${randomId(8)}`];
  const kept = writeFilesState(states, name, state);
  if (kept.index) {
    writeStatIndex(join(states.path, indexName), kept.index);
    states.rename(indexName, states, LAST_INDEX);
  }
  states.rename(name, states, LAST);
  return kept;
}

/** `state` was made from what is known. */
function isSameState(known: KeptState, state: FilesState): boolean {
  const isSameMap = (a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>) =>
    a === b || (a.size === b.size && [...b].every(([key, value]) => a.get(key) === value));
  const isSameSet = (a: ReadonlySet<string>, b: ReadonlySet<string>) =>
    a === b || (a.size === b.size && [...b].every((path) => a.has(path)));
  return (
    state.entries.table === known.entries.table &&
    state.entries.isTable &&
    isSameMap(known.folders, state.folders) &&
    isSameMap(known.uncovered, state.uncovered) &&
    isSameMap(known.refs ?? new Map(), state.refs ?? new Map()) &&
    isSameSet(known.others, state.others) &&
    (state.listing === undefined || state.listing === known.listing)
  );
}

function listUnrestorable({ entries, uncovered }: FilesState, limits: ContentLimits): UnrestorableFile[] {
  const lost = [...entries.lost()].map(([path, entry]) => ({ path, reason: explain(entry, limits) }));
  return [...[...uncovered].map(([path, reason]) => ({ path, reason })), ...lost];
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
  before: KeptState,
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
