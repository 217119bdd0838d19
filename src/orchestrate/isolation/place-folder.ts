import { join } from 'node:path';
import { files } from '../../node/file-calls.js';
import { removeTree } from '../../node/files.js';
import { describeContent, FolderCheck } from '../../node/git/folder-state.js';
import { listPaths } from '../../node/git/listing.js';
import type { WorkTree } from '../../node/git/work-tree.js';
import { isSameWorktree, type Nursery, removeWorktree } from '../../node/git/worktrees.js';
import type { PlaceName, ReadyMark } from './place-record.js';

/** Paths are from the top of the repository. */
export type FolderState =
  | { status: 'ok'; changed: string[]; untracked: string[]; ignored: string[] }
  | { status: 'failed'; reason: string };

const TRIES = 2;

/**
 * The folder of a worktree, which executors, verifications and whatever they leave running can change. What is verified
 * there has to be what lands, so it is held against the commit, and whether it is still the same folder at all.
 */
export class PlaceFolder {
  private readonly check: FolderCheck;
  /** What may differ from a commit: what the setup left, and what git itself does not write as it reads it. */
  private readonly known: Map<string, string>;

  constructor(
    private readonly nursery: Nursery,
    private readonly name: PlaceName,
    readonly tree: WorkTree,
    readonly ready: ReadyMark,
    check?: FolderCheck,
  ) {
    this.check = check ?? new FolderCheck(tree);
    this.known = new Map(Object.entries(ready.setup));
  }

  /** A sentence, where it is no longer the folder that was made: then nothing in it is looked at, taken or removed. */
  findReplaced(): string | undefined {
    if (isSameWorktree(this.nursery, this.name.folder, this.ready.identity)) return undefined;
    return `${JSON.stringify(this.tree.folder)} is no longer the worktree that teddy created for this attempt, so its changes were not used.`;
  }

  /** Whether a path holds what the setup left there. */
  isLeft(path: string): boolean {
    return this.known.get(path) === describeContent(join(this.tree.folder, path));
  }

  async compare(commit: string): Promise<FolderState> {
    const found = await this.check.compare(commit);
    if (found.status !== 'ok') return { status: 'failed', reason: found.reason };
    const isStrange = (path: string) => !this.isLeft(path);
    const [changed, untracked] = [found.changed.filter(isStrange), found.untracked.filter(isStrange)];
    return { status: 'ok', changed, untracked, ignored: found.ignored };
  }

  /** Makes the folder what the commit has. `spared` stay: repositories that were made there. */
  async restore(commit: string, spared: readonly string[] = []): Promise<FolderState> {
    for (let tries = 0; ; tries++) {
      const found = await this.compare(commit);
      if (found.status !== 'ok') return found;
      const { changed } = found;
      const untracked = found.untracked.filter((path) => !spared.includes(path.replace(/\/$/, '')));
      const strange = [...changed, ...untracked];
      if (strange.length === 0) return found;
      if (tries === TRIES) {
        const named = listPaths(strange);
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

  /** Gives the reason where something stays. */
  remove(): Promise<string | undefined> {
    const { folder, branch } = this.name;
    return removeWorktree(this.nursery, { name: folder, branch, folder: this.ready.identity.folder });
  }
}

/** How a place stood before anybody worked there. */
type Beginning = Pick<ReadyMark, 'setup' | 'ignored' | 'since'>;

interface Ignored {
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
function removeIgnored(
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
