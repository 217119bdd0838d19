import { UserError } from '../../node/errors.js';
import { files } from '../../node/file-calls.js';
import { closing, type Folder, readAll, readText } from '../../node/folder.js';
import { randomId, sha256 } from '../../node/ids.js';
import { readRecords } from '../commit/journal.js';
import { tryAcquire } from '../lock.js';
import { makeFolder, openContent, openOwn } from '../store.js';
import {
  type Ownership,
  openQuestions,
  ownershipOf,
  type RootMark,
  RunFolder,
  readNotes,
  readSeal,
  SEAL_FILE,
  sealRecord,
  writeSeal,
} from './run-folder.js';
import type { SealedFiles } from './sealed-files.js';

/** How many runs are kept by default. */
export const RUNS_KEPT = 200;

/** The file that a run has once it is over. */
export const RUN_RECORD = 'run.json';

/** What agents have asked of the user, each under an id that its run may get. */
export const REQUESTS = 'requests';

const UNBORN = 'new-';
export const RUN_ID = /^\d{8}-\d{6}-[a-z0-9]{4}$/;
export const REQUEST_FILE = /^(\d{8}-\d{6}-[a-z0-9]{4})\.json$/;

/** What a run wrote down while it was under way. */
export interface RunNotes {
  /** The entries of `RunFolder.note`. */
  progress: unknown[];
  /** The notes of its commits, in order: each is there exactly when its commit is. */
  commits: unknown[];
}

/** What a run has from its first moment on. */
export interface RunStart {
  id: string;
  files: Readonly<Record<string, string>>;
  /** The first entry of `RunFolder.note`. */
  note: object;
}

/** `run.json`, and whose it is; `altered`: the run is this user's, and its record is not what the run wrote. */
export interface RecordRead {
  text: string;
  origin: 'own' | 'altered' | 'foreign';
}

/**
 * Begins a run: its folder with its number, what is known of it already, and a lock that tells a run that lives from one
 * that died. All of it is made under another name, so that no reader finds a run that is only half there. Undefined when
 * there is a run of that id. The caller holds the root lock: no other run gets the same number.
 */
export function createRun(store: Folder, here: RootMark, start: RunStart): RunFolder | undefined {
  const { id, files, note } = start;
  return withRuns(store, (runs) => {
    const number = nextNumber(runs);
    const unborn = `${UNBORN}${id}-${randomId(8)}`;
    runs.makeFolder(unborn, 0o700);
    const run = openRun(runs, unborn, id);
    try {
      for (const [name, text] of Object.entries(files)) run.write(name, text);
      run.note({ ...note, sealed: true });
      run.write(SEAL_FILE, writeSeal({ run: id, number, ...here, record: null }));
      runs.rename(unborn, runs, id);
      runs.sync();
      return run;
    } catch (error) {
      run.close();
      removeTree(runs, unborn);
      if (isTaken(error)) return undefined;
      throw error;
    }
  });
}

/** Takes a run whose process died; undefined when another process has it. */
export function takeRun(store: Folder, id: string): RunFolder | undefined {
  return withRuns(store, (runs) => {
    const folder = runs.openFolder(id);
    const lock = tryAcquire(folder, 'lock');
    if (lock) return new RunFolder(id, `${runs.path}/${id}`, folder, openOrMake(folder, 'journal'), lock);
    folder.close();
    return undefined;
  });
}

function openRun(runs: Folder, name: string, id: string): RunFolder {
  const folder = runs.openFolder(name);
  const lock = tryAcquire(folder, 'lock');
  if (!lock) throw new Error(`the lock of ${name} is held by another`);
  return new RunFolder(id, `${runs.path}/${id}`, folder, openOrMake(folder, 'journal'), lock);
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST');
}

/** Above every number that this user's teddy gave here, also where the project was elsewhere at the time. */
function nextNumber(runs: Folder): number {
  const given = idsIn(runs).map((id) => inFolder(runs, id, (folder) => readSeal(folder, id)?.number) ?? 0);
  return 1 + given.reduce((most, number) => Math.max(most, number), 0);
}

/** The ids of this user's runs here, in the order in which they were started. */
export function listRunIds(store: Folder, here: RootMark): string[] {
  return inRuns(store, (runs) => ownRuns(runs, here)) ?? [];
}

/** The ids of runs that another user recorded, or this user in another project. */
export function listForeignRuns(store: Folder, here: RootMark): string[] {
  return inRuns(store, (runs) => idsIn(runs).filter((id) => !isOwn(runs, id, here))) ?? [];
}

/** The names of all runs, foreign ones included, and those that plans of agents wait under: none can be used again. */
export function runNames(store: Folder): string[] {
  return [...(inRuns(store, (runs) => idsIn(runs)) ?? []), ...reservedNames(store)].sort();
}

function reservedNames(store: Folder): string[] {
  if (!store.lstat(REQUESTS)?.isDirectory()) return [];
  const requests = store.openFolder(REQUESTS);
  try {
    return requests.list().flatMap((name) => REQUEST_FILE.exec(name)?.[1] ?? []);
  } finally {
    requests.close();
  }
}

/** This user's runs that have no record and no process that will write one. */
export function listDeadRuns(store: Folder, here: RootMark): string[] {
  const isDeadAndOwn = (runs: Folder, id: string) => isDead(runs, id) && isOwn(runs, id, here);
  return inRuns(store, (runs) => idsIn(runs).filter((id) => isDeadAndOwn(runs, id))) ?? [];
}

/** This user's runs that have no record yet and a process that will write one, by id. */
export function listLiveRuns(store: Folder, here: RootMark): string[] {
  return inRuns(store, (runs) => idsIn(runs).filter((id) => isOwn(runs, id, here) && isLive(runs, id))) ?? [];
}

/** The questions of a run of this user; undefined where there are none and `make` is not set. */
export function inQuestions<T>(
  store: Folder,
  id: string,
  here: RootMark,
  work: (questions: SealedFiles) => T,
  make: boolean,
): T | undefined {
  return inRun(store, id, (folder) => {
    if (ownershipOf(folder, id, here).status === 'foreign') return undefined;
    const questions = openQuestions(folder, id, make);
    try {
      return questions && work(questions);
    } finally {
      questions?.close();
    }
  });
}

function ownRuns(runs: Folder, here: RootMark): string[] {
  const numbered = idsIn(runs).flatMap((id) => {
    const whose = whoseRun(runs, id, here);
    return whose.status === 'foreign' ? [] : [{ id, number: whose.status === 'own' ? whose.number : 0 }];
  });
  return numbered.sort((a, b) => a.number - b.number || (a.id < b.id ? -1 : 1)).map(({ id }) => id);
}

function isOwn(runs: Folder, id: string, here: RootMark): boolean {
  return whoseRun(runs, id, here).status !== 'foreign';
}

function whoseRun(runs: Folder, id: string, here: RootMark): Ownership {
  return inFolder(runs, id, (folder) => ownershipOf(folder, id, here)) ?? { status: 'foreign' };
}

export function ownershipOfRun(store: Folder, id: string, here: RootMark): Ownership {
  return inRuns(store, (runs) => whoseRun(runs, id, here)) ?? { status: 'foreign' };
}

/** What the seal of a run was, and what it is with the hash of this record; undefined for a run that has none. */
export function sealedRecord(
  store: Folder,
  id: string,
  record: string,
): { before: string; after: Uint8Array } | undefined {
  return inRun(store, id, (folder) => {
    const sealed = sealRecord(folder, id, record);
    if (sealed === undefined) return undefined;
    return { before: sha256(readText(folder, SEAL_FILE)), after: new TextEncoder().encode(sealed) };
  });
}

/** Undefined where the run is not over, or not there. */
export function readRunRecord(store: Folder, id: string, here: RootMark): RecordRead | undefined {
  return inRun(store, id, (folder) => {
    const text = readText(folder, RUN_RECORD);
    const whose = ownershipOf(folder, id, here);
    if (whose.status === 'foreign') return { text, origin: 'foreign' };
    const isAltered = whose.status === 'own' && whose.record !== sha256(text);
    return { text, origin: isAltered ? 'altered' : 'own' };
  });
}

/** Undefined where there is no such file, or no such run. */
export function readRunFile(store: Folder, id: string, name: string): string | undefined {
  return inRun(store, id, (folder) => readText(folder, name));
}

/** What a file of a run holds from `offset` on, up to `most` bytes; undefined where there is no such file. */
export function readRunFileFrom(
  store: Folder,
  id: string,
  name: string,
  { offset, most }: { offset: number; most: number },
): Uint8Array | undefined {
  return inRun(store, id, (folder) =>
    closing(folder.openToRead(name), (file) => {
      const bytes = new Uint8Array(Math.min(most, Math.max(0, files.stat(file).size - offset)));
      const count = bytes.length === 0 ? 0 : files.read(file, bytes, 0, bytes.length, offset);
      return bytes.subarray(0, count);
    }),
  );
}

/** By path in the run's folder: the record itself first, then its journal. */
export function hashRunFiles(store: Folder, id: string): Record<string, string> | undefined {
  return inRun(store, id, (folder) => {
    const journal = folder.lstat('journal') === undefined ? undefined : folder.openFolder('journal');
    try {
      return Object.fromEntries([
        ...hashesIn(folder, ['plan.md', 'changes.diff', 'report.md', 'run.json', SEAL_FILE]),
        ...hashesIn(journal, journal?.list().sort() ?? [], 'journal/'),
      ]);
    } finally {
      journal?.close();
    }
  });
}

function hashesIn(folder: Folder | undefined, names: readonly string[], under = ''): [string, string][] {
  return names.flatMap((name): [string, string][] => {
    if (!folder?.lstat(name)?.isFile()) return [];
    const bytes = closing(folder.openToRead(name), (file) =>
      readAll(file, files.stat(file).size, Number.POSITIVE_INFINITY),
    );
    return [[`${under}${name}`, sha256(bytes!)]];
  });
}

export function readRunNotes(store: Folder, id: string): RunNotes {
  const notes = inRun(store, id, (folder) => {
    const journal = folder.openFolder('journal');
    try {
      const commits = readRecords(journal).flatMap(({ note }) => (note === undefined ? [] : [note]));
      return { progress: readNotes(journal), commits };
    } finally {
      journal.close();
    }
  });
  return notes ?? { progress: [], commits: [] };
}

/**
 * Removes this user's oldest runs beyond `keep`; the last one always stays, for `undo`, and so does every run that lives.
 * The caller holds the root lock and has recovered. Gives the ids removed.
 */
export function pruneRunFolders(store: Folder, keep: number, here: RootMark): string[] {
  return (
    inRuns(store, (runs) => {
      const most = Math.max(1, keep);
      const ids = idsIn(runs).length > most ? ownRuns(runs, here) : [];
      const old = ids.slice(0, Math.max(0, ids.length - most));
      const removed = old.filter((id) => !isAlive(runs, id));
      for (const id of [...removed, ...unbornIn(runs)]) removeTree(runs, id);
      if (removed.length > 0) runs.sync();
      return removed;
    }) ?? []
  );
}

/** What processes left that died while they began a run: they hold the root lock until it has its name. */
function unbornIn(runs: Folder): string[] {
  return runs
    .list()
    .filter((name) => name.startsWith(UNBORN) && isFolder(runs, name) && !isAlive(runs, name));
}

function withRuns<T>(store: Folder, work: (runs: Folder) => T): T {
  const runs = openContent(store, 'runs');
  try {
    return work(runs);
  } finally {
    runs.close();
  }
}

function inRuns<T>(store: Folder, work: (runs: Folder) => T): T | undefined {
  if (!store.lstat('runs')?.isDirectory()) return undefined;
  const runs = openOwn(store, 'runs');
  try {
    return work(runs);
  } finally {
    runs.close();
  }
}

function inRun<T>(store: Folder, id: string, work: (folder: Folder) => T): T | undefined {
  return inRuns(store, (runs) => {
    if (!isFolder(runs, id)) return undefined;
    return inFolder(runs, id, work);
  });
}

function inFolder<T>(runs: Folder, id: string, work: (folder: Folder) => T): T | undefined {
  let folder: Folder | undefined;
  try {
    folder = runs.openFolder(id);
    return work(folder);
  } catch (error) {
    // Nothing there, or nothing that teddy made: a repository may bring anything.
    if (error instanceof UserError) throw error;
    return undefined;
  } finally {
    folder?.close();
  }
}

function idsIn(runs: Folder): string[] {
  return runs
    .list()
    .filter((name) => RUN_ID.test(name) && isFolder(runs, name))
    .sort();
}

function isFolder(runs: Folder, name: string): boolean {
  return runs.lstat(name)?.isDirectory() === true;
}

function openOrMake(parent: Folder, name: string): Folder {
  if (makeFolder(parent, name, 0o700)) parent.sync();
  return parent.openFolder(name);
}

function isDead(runs: Folder, id: string): boolean {
  try {
    // In this order: a run that ends between the two looks has its record by then.
    return !isAlive(runs, id) && !hasRecord(runs, id);
  } catch {
    // Removed by another program since it was listed, or not made by teddy at all.
    return false;
  }
}

function isLive(runs: Folder, id: string): boolean {
  try {
    return !hasRecord(runs, id) && isAlive(runs, id);
  } catch {
    return false;
  }
}

function hasRecord(runs: Folder, id: string): boolean {
  const folder = runs.openFolder(id);
  try {
    return folder.lstat(RUN_RECORD) !== undefined;
  } finally {
    folder.close();
  }
}

function isAlive(runs: Folder, id: string): boolean {
  const folder = runs.openFolder(id);
  try {
    if (!folder.lstat('lock')?.isFile()) return false;
    const lock = tryAcquire(folder, 'lock');
    lock?.release();
    return lock === undefined;
  } finally {
    folder.close();
  }
}

/** A folder with everything in it; a link is removed, and not what it leads to. */
function removeTree(parent: Folder, name: string): void {
  const folder = parent.openFolder(name);
  try {
    for (const each of folder.list()) {
      if (folder.lstat(each)?.isDirectory()) removeTree(folder, each);
      else folder.unlink(each);
    }
  } finally {
    folder.close();
  }
  parent.removeFolder(name);
}
