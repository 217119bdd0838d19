import type { Folder } from '../../node/folder.js';
import { sha256 } from '../../node/ids.js';
import type { Change } from '../commit/change.js';
import { sealOf } from '../commit/log.js';
import type { RootMark } from './run-folder.js';
import { ownershipOfRun, readRunFile } from './runs.js';

/** The file that a run has once it was undone. */
const UNDONE = 'undone.json';

/** A run that was undone, but for some files, which something else had changed by then. */
export interface Undone {
  left: string[];
}

/**
 * `undone.json` in the run's folder: a record is never changed, so this stands beside it. It says which files were left
 * as they were.
 */
export function markUndone(store: Folder, run: string, left: readonly string[]): Change {
  const old = readRunFile(store, run, UNDONE);
  return {
    path: `.teddy/runs/${run}/${UNDONE}`,
    before: old === undefined ? null : sha256(old),
    after: new TextEncoder().encode(`${JSON.stringify({ left, seal: sealUndone(run, left) })}\n`),
    mode: 0o600,
  };
}

/** Undefined where this user's teddy did not write it; of runs of older versions it was not sealed. */
export function readUndone(store: Folder, run: string, here: RootMark): Undone | undefined {
  const text = readRunFile(store, run, UNDONE);
  if (text === undefined) return undefined;
  const whose = ownershipOfRun(store, run, here).status;
  // Earlier versions wrote no more than that it was.
  const mark = text.startsWith('{') ? tryParse(text) : {};
  const left = Array.isArray(mark?.left) ? mark.left.filter((path) => typeof path === 'string') : [];
  if (whose === 'unnumbered' || (whose === 'own' && mark?.seal === sealUndone(run, left))) return { left };
  return undefined;
}

function sealUndone(run: string, left: readonly string[]): string {
  return sealOf(`undone ${JSON.stringify({ run, left })}`);
}

function tryParse(text: string): { left?: unknown; seal?: unknown } | undefined {
  try {
    return JSON.parse(text) as { left?: unknown; seal?: unknown };
  } catch {
    return undefined;
  }
}
