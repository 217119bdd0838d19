import { join } from 'node:path';
import { files } from '../../node/file-calls.js';
import { removeTree } from '../../node/remove-tree.js';
import type { ReadyMark } from './marks.js';

/** How a place stood before anybody worked there. */
export type Beginning = Pick<ReadyMark, 'setup' | 'ignored' | 'since'>;

export interface Ignored {
  status: 'ok';
  /** Made or changed since the beginning, sorted; a folder has a `/` at its end. */
  ignored: string[];
  /** Of these, what is gone by now. */
  removed: string[];
}

const MOST_TOLD = 1000;
const MOST_LOOKED_AT = 100_000;

/** What package managers fetch and tools keep for themselves, rather than what anybody wrote. */
const SPARED = [
  ...['node_modules', '.yarn', '.pnpm-store', '.venv', 'venv', '.tox', '.bundle', '.gradle', 'target'],
  ...['__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache', '.cache', '.turbo'],
];

/**
 * What git ignores never lands. So what the work made or changed of it is taken away, or something would be verified
 * that the project will not have. What the setup left stays. `paths` are all that git ignores.
 */
export function removeIgnored(
  folder: string,
  paths: readonly string[],
  beginning: Beginning,
): Ignored | { status: 'failed'; reason: string } {
  const made = findMade(folder, paths, beginning);
  const removed = made.filter((path) => !isSpared(path));
  for (const path of removed) {
    const reason = removeTree(join(folder, path));
    if (reason !== undefined) return { status: 'failed', reason: reason.replace(/\.$/, '') };
  }
  return { status: 'ok', ignored: made.slice(0, MOST_TOLD), removed: removed.slice(0, MOST_TOLD) };
}

function isSpared(path: string): boolean {
  return path.split('/').some((part) => SPARED.includes(part));
}

/** Of paths that git ignores now: whole where the setup left nothing there, and else what was written since. */
function findMade(folder: string, paths: readonly string[], { setup, ignored, since }: Beginning): string[] {
  const left = [...ignored, ...Object.keys(setup)];
  const made: string[] = [];
  let looks = MOST_LOOKED_AT;
  const look = (path: string) => {
    if (isSpared(path) || looks-- <= 0) return;
    const stats = files.lstat(join(folder, path));
    if (stats?.isDirectory())
      for (const name of files.list(join(folder, path)).sort()) look(`${withSlash(path)}${name}`);
    // A file with several names is touched whenever one of them comes or goes.
    else if (stats && (stats.nlink > 1 ? stats.mtimeMs : stats.ctimeMs) >= since) made.push(path);
  };
  for (const path of paths) {
    const isOld = left.some((old) => old === path || isBelow(path, old) || isBelow(old, path));
    if (!isOld) made.push(path);
    else unlessGone(() => look(path));
  }
  return made;
}

/** Whether `path` is one of what `changes` calls ignored, or lies in a folder that is. */
export function isAmongIgnored(ignored: readonly string[], path: string): boolean {
  return ignored.some((each) => each === path || isBelow(path, each));
}

function isBelow(path: string, folder: string): boolean {
  return folder.endsWith('/') && path.startsWith(folder);
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}

/** What cannot be looked at is nobody's. */
function unlessGone(work: () => void): void {
  try {
    work();
  } catch {}
}
