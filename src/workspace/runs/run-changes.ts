import { MB } from '../../node/files.js';
import type { Folder } from '../../node/folder.js';
import { sha256 } from '../../node/ids.js';
import { readNamed } from '../commit/entries.js';
import { type FileState, type JournalRecord, readRunJournal } from '../commit/journal.js';
import type { Jail } from '../jail.js';
import { View } from '../view.js';
import { traceFiles, type UndoTrace } from './undo.js';

/** What a run made of one file. */
export interface RunChange {
  path: string;
  /** As it was before the run, null for no file; undefined where the journal's copy is damaged, or there is none. */
  before: Uint8Array | null | undefined;
  /** Why there is no copy, completing the sentence "<path> …". */
  lost: string | undefined;
  /** As the run left it, null for no file; undefined where nothing holds that content any more. */
  after: Uint8Array | null | undefined;
  /** Hashes and modes of the two. */
  states: { before: FileState | null; after: FileState | null };
  /** Something else changed it between two commits of the run, so that not all of the difference is the run's. */
  mixed: boolean;
  /** The last commit that changed it: what it found there, and what was noted of it. */
  last: { before: Uint8Array | null | undefined; note: unknown };
}

type Find = (path: string, hash: string) => Uint8Array | undefined;

/** No plan writes a file as large as this. */
const LARGEST = 64 * MB;

/**
 * What a run changed, in the order in which it did; undefined without a journal that this user's teddy wrote. A journal
 * holds no new contents, only their hashes: they are looked for in the files as they are, and among what the runs `later`
 * overwrote.
 */
export function readRunChanges(jail: Jail, run: string, later: readonly string[]): RunChange[] | undefined {
  const journal = openJournal(jail, `${run}/journal`);
  if (!journal) return undefined;
  const view = new View(jail);
  // What an undo overwrote is in a journal of its own.
  const overwritten = lookThrough(jail, [`${run}/journal/undo`, ...later.map((id) => `${id}/journal`)]);
  const find: Find = (path, hash) => findNow(view, path, hash) ?? overwritten(path, hash);
  return [...traceFiles(journal.records)].map(([path, trace]) => toChange(journal.folder, path, trace, find));
}

interface OpenJournal {
  folder: Folder;
  records: JournalRecord[];
}

function openJournal(jail: Jail, path: string): OpenJournal | undefined {
  const folder = jail.folder(`.teddy/runs/${path}`);
  try {
    const records = folder && readRunJournal(folder);
    return records && { folder, records };
  } catch {
    // Removed meanwhile, or nothing that teddy made.
    return undefined;
  }
}

function toChange(journal: Folder, path: string, trace: UndoTrace, find: Find): RunChange {
  const { before, after, image, broken, lost, last, note } = trace;
  return {
    path,
    before: readImage(journal, image, before),
    lost,
    after: after && (linkTarget(after) ?? find(path, after.hash)),
    states: { before, after },
    mixed: broken,
    last: { before: readImage(journal, last.image, last.before), note },
  };
}

/** A link's target is in the journal itself. */
function linkTarget({ target }: FileState): Uint8Array | undefined {
  return target === undefined ? undefined : new TextEncoder().encode(target);
}

function findNow(view: View, path: string, hash: string): Uint8Array | undefined {
  try {
    const read = view.read(path, LARGEST);
    return read.status === 'bytes' && sha256(read.bytes) === hash ? read.bytes : undefined;
  } catch {
    // What cannot be looked at may still be known from elsewhere.
    return undefined;
  }
}

/** Finds contents that journals keep. Each journal is read once, and none before it is needed. */
function lookThrough(jail: Jail, paths: readonly string[]): Find {
  const opened = new Map<string, OpenJournal | undefined>();
  return (path, hash) => {
    for (const each of paths) {
      if (!opened.has(each)) opened.set(each, openJournal(jail, each));
      const journal = opened.get(each);
      const change = journal?.records
        .flatMap(({ changes }) => changes)
        .find((change) => change.path === path && change.before?.hash === hash);
      const bytes = change && readImage(journal!.folder, change.image, change.before);
      if (bytes) return bytes;
    }
    return undefined;
  };
}

function readImage(
  journal: Folder,
  name: string | null,
  state: FileState | null,
): Uint8Array | null | undefined {
  if (state?.target !== undefined) return linkTarget(state);
  if (state === null) return null;
  if (name === null) return undefined;
  try {
    const bytes = readNamed(journal, name);
    return sha256(bytes) === state.hash ? bytes : undefined;
  } catch {
    return undefined;
  }
}
