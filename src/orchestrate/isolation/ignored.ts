import { join } from 'node:path';
import {
  describeContent,
  files,
  findNewlyIgnored,
  isRuleFile,
  listIgnored,
  readOwnRules,
  removeTree,
  type WorkTree,
} from '../../platform/index.js';
import type { ReadyMark } from './marks.js';

/** How a place stood before anybody worked there. */
export interface Beginning extends Pick<ReadyMark, 'setup' | 'ignored' | 'rules'> {
  base: string;
  /** When the setup had ended, as the disk counts. */
  since: number;
}

export interface Ignored {
  status: 'ok';
  /** Made or changed since the beginning, sorted; a folder has a `/` at its end. */
  ignored: string[];
  /** Of these, files that are gone by now: only rules that were made since would hide them. */
  removed: string[];
}

const MOST_TOLD = 1000;
const MOST_LOOKED_AT = 100_000;

/**
 * What package managers fetch, rather than what anybody wrote: who begins a project names such a folder in the same
 * attempt that fills it.
 */
const FETCHED = ['node_modules', '.yarn', '.pnpm-store', '.venv', 'venv', '.tox', '.bundle', '.gradle'];

/**
 * What git ignores never lands. What it ignored from the beginning may stay, as build products; what is ignored only by
 * rules that the work itself brought is taken away, so that nothing is verified that the project would not have.
 */
export async function sortOutIgnored(
  tree: WorkTree,
  beginning: Beginning,
  about: { commonFolder: string; changed: readonly string[]; isOwn(path: string): boolean },
): Promise<Ignored | { status: 'failed'; reason: string }> {
  const listed = await listIgnored(tree);
  if (listed.status !== 'ok') return { status: 'failed', reason: listed.reason };
  const paths = listed.paths.filter((path) => !about.isOwn(path));
  if (paths.length === 0) return { status: 'ok', ignored: [], removed: [] };
  const ignored = findMade(tree.folder, paths, beginning);
  const isAsBefore =
    ![...about.changed, ...paths].some(isRuleFile) &&
    (await readOwnRules(tree, about.commonFolder)) === beginning.rules;
  if (isAsBefore) return { status: 'ok', ignored, removed: [] };

  const found = await findNewlyIgnored(tree, { base: beginning.base, own: beginning.rules });
  if (found.status !== 'ok') return { status: 'failed', reason: found.reason };
  const isLeft = (path: string) =>
    beginning.setup[path] !== undefined && beginning.setup[path] === describeContent(join(tree.folder, path));
  const removed = found.paths.filter((path) => !about.isOwn(path) && !isFetched(path) && !isLeft(path));
  for (const path of removed) {
    const reason = removeTree(join(tree.folder, path));
    if (reason !== undefined) return { status: 'failed', reason: reason.replace(/\.$/, '') };
  }
  return { status: 'ok', ignored, removed: removed.slice(0, MOST_TOLD) };
}

function isFetched(path: string): boolean {
  return path.split('/').some((part) => FETCHED.includes(part));
}

/** Of paths that git ignores now: whole where the setup left nothing there, and else what was written since. */
function findMade(folder: string, paths: readonly string[], { setup, ignored, since }: Beginning): string[] {
  const left = [...ignored, ...Object.keys(setup)];
  const made: string[] = [];
  let looks = MOST_LOOKED_AT;
  const look = (path: string) => {
    if (made.length >= MOST_TOLD || looks-- <= 0) return;
    const stats = files.lstat(join(folder, path));
    if (stats?.isDirectory())
      for (const name of files.list(join(folder, path)).sort()) look(`${withSlash(path)}${name}`);
    // A file with several names is touched whenever one of them comes or goes.
    else if (stats && (stats.nlink > 1 ? stats.mtimeMs : stats.ctimeMs) >= since) made.push(path);
  };
  for (const path of paths) {
    if (made.length >= MOST_TOLD) break;
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
