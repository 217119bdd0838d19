import { join } from 'node:path';
import { files } from '../file-calls.js';
import { lookAtFile, MB, readBytes, removeTree } from '../files.js';
import { closing, writeAll } from '../folder.js';
import { sha256 } from '../ids.js';
import type { GitRefusal } from './command.js';
import { compareTrees } from './entries.js';
import type { WorkTree } from './work-tree.js';

/** The differences between a folder and a commit. Paths are from the top of the repository, sorted. */
export interface FolderDifferences {
  /** Files of the commit that were changed or removed on disk. */
  changed: string[];
  /** A nested repository is one path that ends with `/`. */
  untracked: string[];
  /** A folder ignored by name is one path that ends with `/`. */
  ignored: string[];
}

/** Whatever the repository's settings, no file is skipped, and one with a forged time is read. */
const STRICT = [
  ...['core.trustctime=true', 'core.checkStat=default', 'core.ignoreStat=false', 'core.splitIndex=false'],
  ...['core.untrackedCache=false', 'core.sparseCheckout=false', 'index.sparse=false'],
].flatMap((setting) => ['-c', setting]);
const STATUS = ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--no-renames'];
const WITH_IGNORED = [...STATUS, '--ignored=matching', '--ignore-submodules=all'];
/** Only which commit of a submodule is checked out counts: looking into it would run what its own config names. */
const WITH_COMMIT = [...STATUS, '--branch', '--ignore-submodules=dirty'];
const LARGEST_INDEX = 1024 * 1024 * 1024;

/**
 * Compares a folder with a commit through an index of our own: a program that works in the folder can change the work
 * tree's index so that git takes a file for unchanged.
 */
export class FolderCheck {
  private index: Index | undefined;
  private commit: string | undefined;

  constructor(private readonly tree: WorkTree) {}

  /** Copies git's own record of the files it wrote. Call it before anyone works in the folder. */
  learn(): void {
    this.index = readIndex(join(this.tree.gitFolder, 'index'));
  }

  /** Never throws. */
  async compare(commit: string): Promise<({ status: 'ok' } & FolderDifferences) | GitRefusal> {
    return this.withCommit(commit, async (index) => {
      const listed = await this.tree.list([...STRICT, ...WITH_IGNORED], { index, mayRunPrograms: true });
      return listed.status === 'ok' ? { status: 'ok', ...readStatus(listed.items) } : listed;
    });
  }

  /** Restores files to their content in the commit, and removes others. Never throws. */
  async restore(
    commit: string,
    { changed, untracked }: Pick<FolderDifferences, 'changed' | 'untracked'>,
  ): Promise<{ status: 'ok' } | GitRefusal> {
    for (const path of untracked) {
      const reason = removeTree(join(this.tree.folder, path));
      if (reason !== undefined) return { status: 'failed', reason };
    }
    if (changed.length === 0) return { status: 'ok' };
    const input = changed.map((path) => `${path}\0`).join('');
    return this.withCommit(commit, async (index) => {
      const written = await this.tree.run([...STRICT, 'checkout-index', '-f', '-q', '-z', '--stdin'], {
        index,
        input,
        mayRunPrograms: true,
      });
      return written.status === 'ok' ? { status: 'ok' } : written;
    });
  }

  /** The index has the commit during `work`; otherwise it is stored where no other program can change it. */
  private async withCommit<T>(commit: string, work: (index: string) => Promise<T>): Promise<T | GitRefusal> {
    try {
      return await this.tree.withIndex(async (index) => {
        if (this.index) writeIndex(index, this.index);
        if (this.commit !== commit) {
          const words = this.index ? ['read-tree', '-i', '-m', commit] : ['read-tree', commit];
          const read = await this.tree.run([...STRICT, ...words], { index });
          if (read.status !== 'ok') return read;
          this.index = readIndex(index);
          this.commit = this.index && commit;
        }
        return work(index);
      });
    } catch (error) {
      return { status: 'failed', reason: `its index cannot be written (${String(error)})` };
    }
  }
}

/** An index and when it was written, in whole seconds. */
interface Index {
  bytes: Uint8Array;
  seconds: number;
}

function readIndex(path: string): Index | undefined {
  const read = readBytes(path, LARGEST_INDEX);
  const stats = read.status === 'bytes' ? files.lstat(path) : undefined;
  return read.status === 'bytes' && stats
    ? { bytes: read.bytes, seconds: Math.floor(stats.mtimeMs / 1000) }
    : undefined;
}

/** With its time: git checks again files that may have changed in the second of its writing. */
function writeIndex(path: string, { bytes, seconds }: Index): void {
  closing(files.open(path, 'wx', 0o600), (file) => {
    writeAll(file, bytes);
    files.setTimes(file, seconds);
  });
}

/** `1 .M N... 100644 100644 100644 id id path`, `? path` and `! path`; the second letter is about the folder. */
function readStatus(items: readonly string[]): FolderDifferences {
  const differences: FolderDifferences = { changed: [], untracked: [], ignored: [] };
  for (const item of items) {
    if (item.startsWith('? ')) differences.untracked.push(item.slice(2));
    else if (item.startsWith('! ')) differences.ignored.push(item.slice(2));
    else if (item.startsWith('1 ') && item[3] !== '.')
      differences.changed.push(item.split(' ').slice(8).join(' '));
  }
  for (const paths of Object.values(differences) as string[][]) paths.sort();
  return differences;
}

/** The state of a work tree: its commit, and the content of every file that differs from it. */
export interface GitSnapshot {
  /** Null before the first commit. */
  commit: string | null;
  /** By path from the top of the repository. */
  differing: ReadonlyMap<string, string>;
}

/** How many words precede the path, by the first letter of a line. */
const WORDS: Record<string, number> = { '1': 8, u: 10, '?': 1 };

/** Does not look at ignored files. Never throws. */
export async function takeSnapshot(tree: WorkTree): Promise<({ status: 'ok' } & GitSnapshot) | GitRefusal> {
  const listed = await tree.list(WITH_COMMIT);
  if (listed.status !== 'ok') return listed;
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

/** The paths that changed between two snapshots, sorted; a difference that is in both does not count. */
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

/** Identifies the content of a path: small files by hash, links by target, all others by size and times. */
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

/** The ignored paths of a work tree, sorted, in the form of `FolderDifferences`. Never throws. */
export async function listIgnored(tree: WorkTree): Promise<{ status: 'ok'; paths: string[] } | GitRefusal> {
  const listed = await tree.list(WITH_IGNORED);
  return listed.status === 'ok' ? { status: 'ok', paths: readStatus(listed.items).ignored } : listed;
}
