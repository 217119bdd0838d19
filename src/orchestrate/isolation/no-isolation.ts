import { compareSnapshots, type GitSnapshot, takeSnapshot } from '../../node/git/snapshot.js';
import { openWorkTree, type WorkTree } from '../../node/git/work-tree.js';
import type { Isolation, PlaceRecord, PlaceSubject, Worktree } from './types.js';

/** The project's work tree, where what an attempt changed can be told. */
export interface Watched {
  tree: WorkTree;
  /** From the top of the repository to the root. */
  prefix: string;
}

/** All attempts work in the project itself. */
export class NoIsolation implements Isolation {
  readonly kind = 'none';

  constructor(
    private readonly root: string,
    private readonly watched: Watched | { reason: string },
    private readonly isOwn: (path: string) => boolean,
  ) {}

  async recover(): Promise<string[]> {
    return [];
  }

  async open(about: PlaceSubject): Promise<{ status: 'open'; place: Worktree }> {
    const { watched } = this;
    const before = 'tree' in watched ? await takeSnapshot(watched.tree) : undefined;
    return { status: 'open', place: this.placeOf(about, before?.status === 'ok' ? before : undefined) };
  }

  async has(): Promise<boolean> {
    return false;
  }

  async reopen(record: PlaceRecord): Promise<Worktree> {
    return this.placeOf(record, undefined);
  }

  private placeOf({ taskId, taskName, attempt }: PlaceSubject, before: GitSnapshot | undefined): Worktree {
    const { root } = this;
    return {
      root,
      record: { taskId, taskName, attempt, root, base: null, branch: null },
      findReplaced: () => undefined,
      changes: () => this.compare(before),
      merge: async () => ({ status: 'merged', candidate: null }),
      compare: async () => ({ status: 'ok', changed: [], added: [] }),
      land: async () => ({ status: 'landed' }),
      close: async () => ({ patch: null }),
    };
  }

  private async compare(before: GitSnapshot | undefined): ReturnType<Worktree['changes']> {
    const { watched } = this;
    const unknown = (reason: string) => ({ status: 'unknown', reason }) as const;
    if ('reason' in watched) return unknown(watched.reason);
    if (before === undefined)
      return unknown('How the project stood before this attempt is not known any more.');
    const after = await takeSnapshot(watched.tree);
    const compared = after.status === 'ok' ? await compareSnapshots(watched.tree, before, after) : after;
    if (compared.status !== 'ok') return unknown(`git does not tell what was changed: ${compared.reason}.`);
    const inside = compared.files.filter((path) => path.startsWith(watched.prefix));
    const files = inside.map((path) => path.slice(watched.prefix.length)).filter((path) => !this.isOwn(path));
    // What lies in the project is there, ignored or not.
    return { status: 'told', files, leftOut: [], ignored: [], removed: [] };
  }
}

/** Several writers in one folder cannot be told apart. */
export async function watchProject(root: string, writers: number): Promise<Watched | { reason: string }> {
  if (writers > 1)
    return { reason: 'Several attempts work in one folder, so that nobody can tell who changed what.' };
  const opened = await openWorkTree(root);
  return opened.status === 'ok'
    ? opened
    : { reason: `git does not tell what was changed: ${opened.reason}.` };
}
