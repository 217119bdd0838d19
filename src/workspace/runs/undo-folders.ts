import type { Change, TreeChange } from '../commit/change.js';
import { findEmptied } from '../commit/folders.js';
import type { FolderChange, JournalRecord } from '../commit/journal.js';
import type { Jail } from '../jail.js';
import type { LeftFile, RestoredFiles } from './restored-files.js';

/** A folder's way through a run. `made`: by a commit, with a mode that is not recorded. */
interface FolderTrace {
  path: string;
  before: number | null;
  after: number | 'made' | null;
}

/** What became of each folder that the run made, removed or gave another mode, the outermost first. */
export function traceFolders(records: readonly JournalRecord[]): FolderTrace[] {
  const traces = new Map<string, FolderTrace>();
  const follow = ({ path, before, after }: FolderTrace) =>
    traces.set(path, { path, before: (traces.get(path) ?? { before }).before, after });
  for (const { changes, emptied = [], folders = [] } of records) {
    for (const { path, mode } of emptied) follow({ path, before: mode, after: null });
    for (const path of changes.flatMap((change) => change.folders))
      follow({ path, before: null, after: 'made' });
    for (const change of folders) follow(change);
  }
  return [...traces.values()].sort((a, b) => depthOf(a) - depthOf(b));
}

function depthOf({ path }: { path: string }): number {
  return path.split('/').length;
}

/** The folders that were there before and are still as the run left them: gone, or with another mode. */
export function foldersToKeep(
  jail: Jail,
  traces: readonly FolderTrace[],
  removed: ReadonlySet<string>,
): { kept: FolderChange[]; blocked: LeftFile[] } {
  const kept: FolderChange[] = [];
  const blocked: LeftFile[] = [];
  for (const { path, before, after } of traces) {
    const now = modeOf(jail, path);
    const isLeft = after === 'made' ? now !== null : now === after;
    if (before === null || now === before || !isLeft) continue;
    const reason = now === null ? obstacle(jail, path, removed) : undefined;
    if (reason === undefined) kept.push({ path, before, after: now });
    else blocked.push(leftFolder(path, reason));
  }
  return { kept, blocked };
}

/** Those of `folders` with nothing in them once `changes` are made. */
export function foldersToRemove(
  jail: Jail,
  folders: readonly string[],
  changes: readonly (Change | TreeChange)[],
): string[] {
  const pathsOf = (isMeant: (change: Change | TreeChange) => boolean) =>
    changes.filter(isMeant).map(({ path }) => path);
  const written = pathsOf((change) => !isDeletion(change));
  try {
    const emptied = findEmptied(jail, new Set(pathsOf(isDeletion)), written, folders);
    return emptied.map(({ path }) => path).filter((path) => folders.includes(path));
  } catch {
    // Where a folder cannot be read, none of them is removed.
    return [];
  }
}

export function isDeletion(change: Change | TreeChange): boolean {
  return 'entry' in change ? change.entry === null : 'after' in change && change.after === null;
}

/** Why the folder cannot be made again: something else is there, and stays. */
function obstacle(jail: Jail, path: string, removed: ReadonlySet<string>): string | undefined {
  const located = jail.locate(path, { origin: 'tool', unfollowed: { gone: removed } });
  if (located.status === 'refused') return located.reason;
  return located.place.stats === undefined || removed.has(path) ? undefined : 'is no longer a folder';
}

function leftFolder(path: string, reason: string): LeftFile {
  return { path: `${path}/`, reason, oldText: null, lost: true };
}

/** The system may refuse to change a folder after the commit, which does not depend on it. */
export function withoutUnmade<T extends RestoredFiles>(
  jail: Jail,
  kept: readonly FolderChange[],
  described: T,
): T {
  const unmade = kept.filter(({ path, before }) => {
    jail.forget(path);
    return modeOf(jail, path) !== before;
  });
  if (unmade.length === 0) return described;
  const left = unmade.map(({ path }) => leftFolder(path, 'could not be restored'));
  const isLeft = (path: string) => left.some((each) => each.path === path);
  return {
    ...described,
    restored: described.restored.filter((path) => !isLeft(path)),
    refused: [...described.refused, ...left],
  };
}

/** Null for no folder. */
function modeOf(jail: Jail, path: string): number | null {
  const stats = jail.folder(path)?.stat();
  return stats === undefined ? null : stats.mode & 0o7777;
}
