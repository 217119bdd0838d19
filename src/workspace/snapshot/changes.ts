import type { ChangedPath, MovedRef, UnrestorableFile } from '../../core/report/record.js';
import { compareRefs } from '../../node/git/tracked-state.js';
import type { EmptiedFolder } from '../commit/entries.js';
import type { FolderChange, JournalChange } from '../commit/journal.js';
import type { FilesState, StateEntry } from './state.js';

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
  const unknown = (path: string) => firstAbove(path, (each) => after.uncovered.has(each));
  for (const [path, old] of before.entries) {
    const now = after.entries.get(path);
    if (now === old || (now && isEqual(old, now))) continue;
    const hidden = now === undefined ? unknown(path) : undefined;
    if (hidden !== undefined) {
      found.unrestorable.push({
        path,
        reason: `cannot be compared: ${hidden} ${after.uncovered.get(hidden)}`,
      });
      continue;
    }
    found.before.set(path, old);
    found.changed.push({ path, change: now ? 'edited' : 'deleted' });
    found.journal.push(journalChange(path, old, now));
  }
  for (const [path, now] of after.entries) {
    if (before.entries.has(path)) continue;
    const ignored = firstAbove(path, (each) => before.others.has(each) || before.uncovered.has(each));
    if (ignored !== undefined) {
      found.unrestorable.push({ path, reason: 'was not covered before the command, because git ignored it' });
      continue;
    }
    found.changed.push({ path, change: 'created' });
    const made = foldersOf(path).filter((each) => !before.folders.has(each));
    found.journal.push({ ...journalChange(path, undefined, now), folders: made });
  }
  for (const [path, mode] of before.folders) if (!after.folders.has(path)) found.emptied.push({ path, mode });
  found.changed.sort(byPath);
  return found;
}

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : 1;
}

function isEqual(old: StateEntry, now: StateEntry): boolean {
  if (old.kind !== now.kind || (old.kind === 'file' && old.mode !== now.mode)) return false;
  // What was not read is the same only if its times are.
  return old.hash !== null ? old.hash === now.hash : old.ctime === now.ctime && old.inode === now.inode;
}

function journalChange(
  path: string,
  old: StateEntry | undefined,
  now: StateEntry | undefined,
): JournalChange {
  return { path, before: stateOf(old), after: stateOf(now), image: null, folders: [], unfollowed: true };
}

function stateOf(entry: StateEntry | undefined): JournalChange['before'] {
  if (entry === undefined) return null;
  const { kind, hash, mode, target } = entry;
  return kind === 'link' ? { hash: hash!, mode: 0o777, target: target! } : { hash: hash ?? 'unknown', mode };
}

/** Modes that changed, and empty folders that came or went. */
function compareFolders(before: FilesState, after: FilesState): FolderChange[] {
  const changes: FolderChange[] = [];
  const isUnknown = (path: string) => firstAbove(path, (each) => after.uncovered.has(each)) !== undefined;
  for (const [path, mode] of before.folders) {
    const now = after.folders.get(path) ?? null;
    if (now !== mode && !isUnknown(path)) changes.push({ path, before: mode, after: now });
  }
  for (const [path, mode] of after.folders) {
    const wasThere = firstAbove(path, (each) => before.others.has(each)) !== undefined;
    if (!before.folders.has(path) && !wasThere) changes.push({ path, before: null, after: mode });
  }
  return changes;
}

/** The path itself, or the first folder above it, for which this holds. */
function firstAbove(path: string, holds: (path: string) => boolean): string | undefined {
  return holds(path) ? path : foldersOf(path).find(holds);
}

/** The folders above a path, from the outside in. */
function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at));
  return folders;
}
