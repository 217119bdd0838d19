import { isProtected } from '../../core/path.js';
import type { ChangedPath, MovedRef, UnrestorableFile } from '../../core/report/record.js';
import { isSameStat } from '../../node/git/stat-index.js';
import { compareRefs } from '../../node/git/tracked-state.js';
import { TOO_LARGE } from '../commit/entries.js';
import { type EmptiedFolder, foldersAbove } from '../commit/folders.js';
import { type FileState, type FolderChange, type JournalChange, UNKNOWN_HASH } from '../commit/journal.js';
import type { StateEntry } from './entries.js';
import type { FilesState } from './state.js';

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
