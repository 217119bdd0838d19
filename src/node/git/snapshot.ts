import { join } from 'node:path';
import { files } from '../file-calls.js';
import { lookAtFile, MB, readBytes } from '../files.js';
import { sha256 } from '../ids.js';
import { type GitRefusal, refuse } from './command.js';
import { compareTrees } from './entries.js';
import type { WorkTree } from './work-tree.js';

/** How a work tree stands: what is checked out, and what every file holds that differs from it. */
export interface GitSnapshot {
  /** Null before the first commit. */
  commit: string | null;
  /** By path from the top of the repository. */
  differing: ReadonlyMap<string, string>;
}

/** Only which commit of a submodule is checked out counts: looking into it would run what its own config names. */
const STATUS = [
  ...['status', '--porcelain=v2', '-z', '--branch', '--untracked-files=all', '--no-renames'],
  '--ignore-submodules=dirty',
];
/** How many words stand before the path, by the first letter of a line. */
const WORDS: Record<string, number> = { '1': 8, u: 10, '?': 1 };

/** Files that git ignores are not looked at. Never throws. */
export async function takeSnapshot(tree: WorkTree): Promise<({ status: 'ok' } & GitSnapshot) | GitRefusal> {
  const listed = await tree.list(STATUS);
  if (listed.status !== 'ok') return refuse(listed);
  let commit: string | null = null;
  const differing = new Map<string, string>();
  for (const item of listed.items) {
    const oid = /^# branch\.oid ([0-9a-f]+)$/.exec(item)?.[1];
    if (oid !== undefined) commit = oid;
    const count = WORDS[item[0] ?? ''];
    if (count === undefined) continue;
    const path = skipWords(item, count);
    differing.set(path, describeContent(join(tree.folder, path)));
  }
  return { status: 'ok', commit, differing };
}

/** Paths, sorted, at which something was done between two snapshots; what differed before and still does so is none. */
export async function compareSnapshots(
  tree: WorkTree,
  before: GitSnapshot,
  after: GitSnapshot,
): Promise<{ status: 'ok'; files: string[] } | GitRefusal> {
  const paths = new Set<string>();
  for (const [path, content] of before.differing) if (after.differing.get(path) !== content) paths.add(path);
  for (const path of after.differing.keys()) if (!before.differing.has(path)) paths.add(path);
  if (before.commit !== after.commit && before.commit !== null && after.commit !== null) {
    const committed = await compareTrees(tree, before.commit, after.commit);
    if (committed.status !== 'ok') return committed;
    for (const { path } of committed.changes) paths.add(path);
  }
  return { status: 'ok', files: [...paths].sort() };
}

function skipWords(item: string, count: number): string {
  let at = 0;
  for (let i = 0; i < count; i++) at = item.indexOf(' ', at) + 1;
  return item.slice(at);
}

/** The content of what can be read at once; of anything else, when and how it was last written. */
export function describeContent(path: string): string {
  try {
    const stats = files.lstat(path);
    if (stats === undefined) return 'missing';
    const read = lookAtFile(path) === 'file' ? readBytes(path, MB) : undefined;
    if (read?.status === 'bytes') return `${stats.mode} ${sha256(read.bytes)}`;
    if (stats.isSymbolicLink()) return `link ${files.readlink(path)}`;
    return `${stats.mode} ${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
  } catch {
    return 'unreadable';
  }
}

/** From the top of the repository. */
type IgnoredPaths = { status: 'ok'; paths: string[] } | GitRefusal;

const IGNORED_STATUS = ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--ignored=matching'];

/** What git ignores in a work tree, sorted. A folder that a rule names is one path, with a `/` at its end. Never throws. */
export async function listIgnored(tree: WorkTree): Promise<IgnoredPaths> {
  const listed = await tree.list([...IGNORED_STATUS, '--no-renames', '--ignore-submodules=all']);
  if (listed.status !== 'ok') return refuse(listed);
  const ignored = listed.items.filter((item) => item.startsWith('! '));
  return { status: 'ok', paths: ignored.map((item) => item.slice(2)).sort() };
}
