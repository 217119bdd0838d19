import { files } from '../../node/file-calls.js';
import { closing, type Folder, isAbsent, readText, writeText } from '../../node/folder.js';
import { sha256 } from '../../node/ids.js';
import { isSealOf, sealOf } from '../../node/user-folders.js';
import type { Lock } from '../lock.js';
import { makeFolder } from '../store.js';
import { SealedFiles } from './sealed-files.js';

const PART = '-part';

/**
 * The folder of a run that is under way: `.teddy/runs/<id>`. Whoever has it holds the run's lock. Its methods throw
 * what the machine throws; what they have written when they return is on disk.
 */
export class RunFolder {
  constructor(
    readonly id: string,
    /** Absolute. */
    readonly path: string,
    private readonly folder: Folder,
    private readonly journal: Folder,
    private readonly lock: Lock,
  ) {}

  /** Relative to the root. */
  get shown(): string {
    return `.teddy/runs/${this.id}`;
  }

  /** A file of the run, whole or not there. */
  write(name: string, text: string): void {
    const part = `${name}${PART}`;
    this.clearParts();
    closing(this.folder.create(part, 0o600), (file) => {
      writeText(file, text);
      files.sync(file);
    });
    this.folder.rename(part, this.folder, name);
    this.folder.sync();
  }

  /** The record of the run, which says that it is over. Its hash is sealed before it is there. */
  writeRecord(name: string, text: string): void {
    const seal = sealRecord(this.folder, this.id, text);
    if (seal !== undefined) this.write(SEAL_FILE, seal);
    this.write(name, text);
  }

  /** Removes what a process that died in the middle of `write` left of it. */
  clearParts(): void {
    for (const name of this.folder.list()) if (name.endsWith(PART)) this.folder.unlink(name);
  }

  /** A folder of the run, made when missing: its absolute path, and the one from the root. */
  makeFolder(name: string): { path: string; shown: string } {
    makeFolder(this.folder, name, 0o700);
    return { path: `${this.path}/${name}`, shown: `${this.shown}/${name}` };
  }

  /** Where what a person types is kept as it is typed: in the journal, since it may hold anything. */
  makeDrafts(): string {
    makeFolder(this.journal, 'drafts', 0o700);
    return `${this.path}/journal/drafts`;
  }

  /** The questions of the run, and their answers. The caller closes it. */
  openQuestions(): SealedFiles {
    makeFolder(this.journal, QUESTIONS, 0o700);
    return new SealedFiles(this.id, this.journal.openFolder(QUESTIONS));
  }

  /** Adds to what other processes follow while the run lives; not synced. */
  appendLive(text: string): void {
    closing(this.folder.openToAppend(LIVE_OUTPUT, 0o600), (file) => writeText(file, text));
  }

  removeLive(): void {
    this.folder.unlink(LIVE_OUTPUT);
  }

  /** Adds an entry to what is known of the run so far. */
  note(entry: unknown): void {
    appendNote(this.journal, entry);
  }

  /** Ends the run's life: its lock is free, and who finds it without a record takes it for dead. */
  close(): void {
    this.journal.close();
    this.folder.close();
    this.lock.release();
  }
}

const PROGRESS = 'progress.jsonl';
const QUESTIONS = 'questions';

/** What the commands of a run print while it lives. */
export const LIVE_OUTPUT = 'live.jsonl';

/** The questions of a run; undefined where it has none and `make` is not set. The caller closes it. */
export function openQuestions(folder: Folder, run: string, make: boolean): SealedFiles | undefined {
  const journal = folder.openFolder('journal');
  try {
    if (make) makeFolder(journal, QUESTIONS, 0o700);
    else if (!journal.lstat(QUESTIONS)?.isDirectory()) return undefined;
    return new SealedFiles(run, journal.openFolder(QUESTIONS));
  } finally {
    journal.close();
  }
}

/** Adds an entry to what is known of a run; it is on disk when this returns. */
function appendNote(journal: Folder, entry: unknown): void {
  const body = JSON.stringify(entry);
  closing(journal.openToAppend(PROGRESS, 0o600), (file) => {
    writeText(file, `${sealOf(body)} ${body}\n`);
    files.sync(file);
  });
}

/** The entries of a run, in order; those that this user's teddy did not write, or not wholly, are none. */
export function readNotes(journal: Folder): unknown[] {
  try {
    return readText(journal, PROGRESS)
      .split('\n')
      .flatMap((line) => {
        const seal = line.slice(0, line.indexOf(' '));
        const body = line.slice(seal.length + 1);
        return isSealOf(body, seal) ? [JSON.parse(body) as unknown] : [];
      });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** The file in a run's folder that makes the run this user's own. */
export const SEAL_FILE = 'seal';

/** A project: its path, and its folder's identity, which stays where the project is moved. */
export interface RootMark {
  root: string;
  folder: string;
}

/** What is sealed of a run. It names the run and its project, so that it is worth nothing in another one. */
export interface RunSeal extends RootMark {
  run: string;
  /** The runs of a project are numbered in the order in which they were started, whatever the clock says. */
  number: number;
  /** Hash of `run.json`; null until there is one. */
  record: string | null;
}

/** Whose a run is. One of an older version has a sealed journal and no number: it comes before all others. */
export type Ownership =
  | { status: 'own'; number: number; record: string | null }
  | { status: 'unnumbered' }
  | { status: 'foreign' };

export function writeSeal(seal: RunSeal): string {
  const body = JSON.stringify(seal);
  return `${sealOf(`run ${body}`)}\n${body}\n`;
}

/** The seal of the run in `folder`; undefined where this user's teddy did not make it for this run. */
export function readSeal(folder: Folder, run: string): RunSeal | undefined {
  const [seal, body] = readIfThere(folder)?.split('\n') ?? [];
  if (body === undefined || !isSealOf(`run ${body}`, seal)) return undefined;
  const read = JSON.parse(body) as RunSeal;
  return read.run === run ? read : undefined;
}

export function ownershipOf(folder: Folder, run: string, here: RootMark): Ownership {
  if (folder.lstat(SEAL_FILE) === undefined) {
    return isUnnumbered(folder, run, here) ? { status: 'unnumbered' } : { status: 'foreign' };
  }
  const seal = readSeal(folder, run);
  const isHere = seal && (seal.root === here.root || seal.folder === here.folder);
  return isHere ? { status: 'own', number: seal.number, record: seal.record } : { status: 'foreign' };
}

/** The seal with the hash of a record; undefined for a run that has none. */
export function sealRecord(folder: Folder, run: string, record: string): string | undefined {
  const seal = readSeal(folder, run);
  return seal && writeSeal({ ...seal, record: sha256(record) });
}

/** A note that says `sealed` is of a run that had a seal: without it that run is no older one. */
interface FirstNote {
  kind?: unknown;
  sealed?: true;
  run?: { id?: unknown; environment?: { cwd?: unknown } };
}

function isUnnumbered(folder: Folder, run: string, here: RootMark): boolean {
  if (!folder.lstat('journal')?.isDirectory()) return false;
  const journal = folder.openFolder('journal');
  try {
    const [first] = readNotes(journal) as FirstNote[];
    return first?.sealed !== true && first?.run?.id === run && first.run.environment?.cwd === here.root;
  } finally {
    journal.close();
  }
}

function readIfThere(folder: Folder): string | undefined {
  try {
    return folder.lstat(SEAL_FILE)?.isFile() ? readText(folder, SEAL_FILE) : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
