import type { Folder } from '../../node/folder.js';
import { sha256 } from '../../node/ids.js';
import { isSealOf, sealOf } from '../../node/user-folders.js';
import type { Change } from '../commit/change.js';
import type { RootMark } from './run-folder.js';
import { listRunIds, ownershipOfRun, readRunFile } from './runs.js';

/** The file that a run has once it was undone. The run's record never changes, so this is a file of its own. */
const UNDONE = 'undone.json';

/** A run that was undone, except for the files in `left`, which something else had changed. */
export interface Undone {
  left: string[];
  /** The undos of a project are numbered in their order; 0 for those of older versions, which cannot be redone. */
  number: number;
}

/** The change that marks a run as undone. The caller holds the root lock. */
export function markUndone(store: Folder, run: string, left: readonly string[], here: RootMark): Change {
  const old = readRunFile(store, run, UNDONE);
  const number = 1 + lastUndo(store, here).number;
  const mark = { left, number, seal: sealOf(bodyOf(run, left, number)) };
  return {
    path: `.teddy/runs/${run}/${UNDONE}`,
    before: old === undefined ? null : sha256(old),
    after: new TextEncoder().encode(`${JSON.stringify(mark)}\n`),
    mode: 0o600,
  };
}

/** The run that was undone last; undefined, with number 0, if none was. */
export function lastUndo(store: Folder, here: RootMark): { run: string | undefined; number: number } {
  let last: { run: string | undefined; number: number } = { run: undefined, number: 0 };
  for (const run of listRunIds(store, here)) {
    const number = readUndone(store, run, here)?.number ?? 0;
    if (number > last.number) last = { run, number };
  }
  return last;
}

/** Undefined unless this user's teddy wrote it. Runs of older versions had marks without a seal. */
export function readUndone(store: Folder, run: string, here: RootMark): Undone | undefined {
  const text = readRunFile(store, run, UNDONE);
  if (text === undefined) return undefined;
  const whose = ownershipOfRun(store, run, here).status;
  // Older versions wrote only that it was undone.
  const mark = text.startsWith('{') ? tryParse(text) : {};
  const left = Array.isArray(mark?.left) ? mark.left.filter((path) => typeof path === 'string') : [];
  const number = typeof mark?.number === 'number' ? mark.number : 0;
  const isSealed = whose === 'own' && isSealOf(bodyOf(run, left, number), mark?.seal);
  return whose === 'unnumbered' || isSealed ? { left, number } : undefined;
}

function bodyOf(run: string, left: readonly string[], number: number): string {
  return `undone ${JSON.stringify(number === 0 ? { run, left } : { run, left, number })}`;
}

function tryParse(text: string): { left?: unknown; number?: unknown; seal?: unknown } | undefined {
  try {
    return JSON.parse(text) as { left?: unknown; number?: unknown; seal?: unknown };
  } catch {
    return undefined;
  }
}
