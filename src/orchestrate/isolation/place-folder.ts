import { join } from 'node:path';
import { files } from '../../node/file-calls.js';
import { removeTree } from '../../node/files.js';
import { describeContent, FolderCheck } from '../../node/git/folder-state.js';
import { listPaths } from '../../node/git/listing.js';
import type { WorkTree } from '../../node/git/work-tree.js';
import { isSameWorktree, removeWorktree, type WorktreeFolder } from '../../node/git/worktrees.js';
import type { PlaceName, ReadyMark } from './place-record.js';

/** Paths are from the top of the repository. */
export type FolderState =
  | { status: 'ok'; changed: string[]; untracked: string[]; ignored: string[] }
  | { status: 'failed'; reason: string };

const TRIES = 2;

/**
 * The folder of a worktree. Executors, verifications and processes that they leave running can change or replace it, and
 * what is verified there must be what lands: so it is compared with the commit.
 */
export class PlaceFolder {
  private readonly check: FolderCheck;
  /** What may differ from a commit: what the setup left, and what git writes differently than it reads. */
  private readonly known: Map<string, string>;

  constructor(
    private readonly worktrees: WorktreeFolder,
    private readonly name: PlaceName,
    readonly tree: WorkTree,
    readonly ready: ReadyMark,
    check?: FolderCheck,
  ) {
    this.check = check ?? new FolderCheck(tree);
    this.known = new Map(Object.entries(ready.setup));
  }

  /** A sentence if it is no longer the folder that was created: then nothing in it is read, used or removed. */
  findReplaced(): string | undefined {
    if (isSameWorktree(this.worktrees, this.name.folder, this.ready.identity)) return undefined;
    return `${JSON.stringify(this.tree.folder)} is no longer the worktree that teddy created for this attempt, so its changes were not used.`;
  }

  /** Whether a path is as the setup left it. */
  isFromSetup(path: string): boolean {
    return this.known.get(path) === describeContent(join(this.tree.folder, path));
  }

  async compare(commit: string): Promise<FolderState> {
    const found = await this.check.compare(commit);
    if (found.status !== 'ok') return { status: 'failed', reason: found.reason };
    const isUnexpected = (path: string) => !this.isFromSetup(path);
    const [changed, untracked] = [found.changed.filter(isUnexpected), found.untracked.filter(isUnexpected)];
    return { status: 'ok', changed, untracked, ignored: found.ignored };
  }

  /** Restores the folder to the commit. `spared` stay: repositories that were created there. */
  async restore(commit: string, spared: readonly string[] = []): Promise<FolderState> {
    for (let tries = 0; ; tries++) {
      const found = await this.compare(commit);
      if (found.status !== 'ok') return found;
      const { changed } = found;
      const untracked = found.untracked.filter((path) => !spared.includes(path.replace(/\/$/, '')));
      const unexpected = [...changed, ...untracked];
      if (unexpected.length === 0) return found;
      if (tries === TRIES) {
        const named = listPaths(unexpected);
        return {
          status: 'failed',
          reason: `${named}: another process keeps changing the files under verification`,
        };
      }
      const restored = await this.check.restore(commit, { changed, untracked });
      if (restored.status !== 'ok') return { status: 'failed', reason: restored.reason };
      for (const path of changed) this.known.set(path, describeContent(join(this.tree.folder, path)));
    }
  }

  removeIgnored(paths: readonly string[]): Ignored | { status: 'failed'; reason: string } {
    return removeIgnored(this.tree.folder, paths, this.ready);
  }

  /** Returns the reason if something remains. */
  remove(): Promise<string | undefined> {
    const { folder, branch } = this.name;
    return removeWorktree(this.worktrees, { name: folder, branch, folder: this.ready.identity.folder });
  }
}

/** A worktree before the attempt. */
type Before = Pick<ReadyMark, 'setup' | 'ignored' | 'since'>;

interface Ignored {
  status: 'ok';
  /** Created or changed by the attempt, sorted; folders end in `/`. */
  ignored: string[];
  /** Those that were removed. */
  removed: string[];
}

const MOST_LISTED = 1000;
const MOST_LOOKED_AT = 100_000;

/** Packages and caches, which are not work. */
const SPARED = [
  ...['node_modules', '.yarn', '.pnpm-store', '.venv', 'venv', '.tox', '.bundle', '.gradle', 'target'],
  ...['__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache', '.cache', '.turbo'],
];

/**
 * Ignored files never land, so those that the attempt created or changed are removed before the verification. What the
 * setup left stays. `paths`: everything that git ignores.
 */
function removeIgnored(
  folder: string,
  paths: readonly string[],
  before: Before,
): Ignored | { status: 'failed'; reason: string } {
  const made = findMade(folder, paths, before);
  const removed = made.filter((path) => !isSpared(path));
  for (const path of removed) {
    const reason = removeTree(join(folder, path));
    if (reason !== undefined) return { status: 'failed', reason: reason.replace(/\.$/, '') };
  }
  return { status: 'ok', ignored: made.slice(0, MOST_LISTED), removed: removed.slice(0, MOST_LISTED) };
}

function isSpared(path: string): boolean {
  return path.split('/').some((part) => SPARED.includes(part));
}

/** Of the ignored paths: a whole path if the setup left nothing there, otherwise the files written since. */
function findMade(folder: string, paths: readonly string[], { setup, ignored, since }: Before): string[] {
  const left = [...ignored, ...Object.keys(setup)];
  const made: string[] = [];
  let looks = MOST_LOOKED_AT;
  const look = (path: string) => {
    if (isSpared(path) || looks-- <= 0) return;
    const stats = files.lstat(join(folder, path));
    if (stats?.isDirectory())
      for (const name of files.list(join(folder, path)).sort()) look(`${withSlash(path)}${name}`);
    // The ctime of a file with several names changes whenever one of them is added or removed.
    else if (stats && (stats.nlink > 1 ? stats.mtimeMs : stats.ctimeMs) >= since) made.push(path);
  };
  for (const path of paths) {
    const isOld = left.some((old) => old === path || isBelow(path, old) || isBelow(old, path));
    if (!isOld) made.push(path);
    else unlessGone(() => look(path));
  }
  return made;
}

function isBelow(path: string, folder: string): boolean {
  return folder.endsWith('/') && path.startsWith(folder);
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}

/** What cannot be read is left alone. */
function unlessGone(work: () => void): void {
  try {
    work();
  } catch {}
}
