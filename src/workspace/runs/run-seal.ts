import { type Folder, isAbsent, readText } from '../../node/folder.js';
import { sha256 } from '../../node/ids.js';
import { sealOf } from '../commit/log.js';
import { readNotes } from './run-notes.js';

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
  if (body === undefined || seal !== sealOf(`run ${body}`)) return undefined;
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
