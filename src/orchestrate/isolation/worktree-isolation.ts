import { join } from 'node:path';
import { errorCode } from '../../node/errors.js';
import { lookAtFile, makeFolders } from '../../node/files.js';
import { readTreeChangeset } from '../../node/git/changed-entries.js';
import { FolderCheck, listIgnored, takeSnapshot } from '../../node/git/folder-state.js';
import {
  addWorktree,
  fillWorktree,
  identifyWorktree,
  listWorktrees,
  removeWorktree,
} from '../../node/git/worktrees.js';
import { makeOwnGit } from './own-git.js';
import { keepPatch } from './patches.js';
import { markReady, type PlaceName, PlaceNames, type ReadyMark, readReady } from './place-record.js';
import type { Candidate, Isolation, PlaceRecord, PlaceSubject, Worktree } from './types.js';
import { type Grounds, ownGitOf, treeOf, WorktreePlace } from './worktree-place.js';

export interface Setup {
  command: string;
  /** `reason` is whole sentences. */
  run(command: string, cwd: string): Promise<{ status: 'ok' } | { status: 'failed'; reason: string }>;
}

type Opened = Awaited<ReturnType<Isolation['open']>>;

/** Each attempt in a worktree and on a branch of its own. */
export class WorktreeIsolation implements Isolation {
  readonly kind = 'worktree';
  private readonly names: PlaceNames;

  constructor(
    private readonly grounds: Grounds,
    private readonly setup: Setup | null,
    /** Executors get a git folder of their own. */
    private readonly confined: boolean,
  ) {
    this.names = new PlaceNames(grounds.root);
  }

  async open(about: PlaceSubject): Promise<Opened> {
    const head = await this.grounds.project.commit();
    if (head.status !== 'ok') return this.fail(`git cannot read what is checked out: ${head.reason}.`);
    const name = this.names.make(about);
    const record = { ...about, root: this.rootOf(name), base: head.commit, branch: name.branch };
    const made = await this.make(name, record);
    if (typeof made !== 'string') return { status: 'open', place: made };
    await this.remove(name);
    return this.fail(made);
  }

  async has(candidate: Candidate): Promise<boolean> {
    const head = await this.grounds.project.commit();
    if (candidate === null || head.status !== 'ok') return false;
    return this.grounds.project.descends(head.commit, candidate.commit);
  }

  async reopen(record: PlaceRecord): Promise<Worktree | undefined> {
    const { branch } = record;
    const name = branch === null ? undefined : this.names.ofBranch(branch);
    const ready = name && this.findReady(name);
    return ready && new WorktreePlace(this.grounds, name, ready);
  }

  async changeset({ head, commit }: NonNullable<Candidate>): ReturnType<Isolation['changeset']> {
    const changes = await readTreeChangeset(this.grounds.project, head, commit);
    return changes.status === 'ok'
      ? changes
      : { status: 'failed', reason: `git cannot list the changes of ${commit}: ${changes.reason}.` };
  }

  async recover(keep: readonly PlaceRecord[]): Promise<string[]> {
    const kept = new Set(keep.map(({ branch }) => branch));
    const isOurs = (folder: string) => this.names.ofFolder(folder) !== undefined;
    const found = listWorktrees(this.grounds.worktrees, isOurs).map(
      (folder) => this.names.ofFolder(folder) ?? { folder, branch: null },
    );
    const notes: string[] = [];
    for (const name of found)
      if (name.branch === null || !kept.has(name.branch)) notes.push(await this.removeLeftover(name));
    for (const name of await this.listBranches())
      if (!kept.has(name.branch)) notes.push(await this.removeLeftover(name));
    return notes;
  }

  /** Returns the reason if it cannot be made. */
  private async make(
    name: PlaceName,
    record: PlaceRecord & { base: string },
  ): Promise<WorktreePlace | string> {
    const { grounds, setup } = this;
    const { commonFolder } = grounds.worktrees;
    const asked = { name: name.folder, branch: name.branch, commit: record.base };
    const refused = await grounds.moving.run(() => addWorktree(grounds.worktrees, asked));
    if (refused !== undefined) return `git cannot create a worktree: ${refused}.`;
    const tree = treeOf(grounds, name);
    const unfilled = await fillWorktree(tree);
    if (unfilled !== undefined) return `git cannot write the files of a worktree: ${unfilled}.`;
    const check = new FolderCheck(tree);
    check.learn();
    const identity = identifyWorktree(grounds.worktrees, name.folder);
    if (!identity) return `${JSON.stringify(tree.folder)} was created, but is not a worktree.`;
    try {
      // A project folder with nothing committed does not exist in a worktree.
      makeFolders(record.root);
    } catch (error) {
      return `${JSON.stringify(record.root)} cannot be created (${errorCode(error)}).`;
    }
    const done = setup ? await setup.run(setup.command, record.root) : undefined;
    if (done?.status === 'failed') return `A worktree could not be set up. ${done.reason}`;
    const left = setup ? await takeSnapshot(tree) : undefined;
    const differing = left?.status === 'ok' ? Object.fromEntries(left.differing) : {};
    const listed = setup ? await listIgnored(tree) : undefined;
    const ignored = listed?.status === 'ok' ? listed.paths : [];
    const ungiven = this.confined ? await makeOwnGit({ tree, commonFolder }, ownGitOf(tree)) : undefined;
    if (ungiven !== undefined) return `git cannot be prepared for an executor: ${ungiven}.`;
    const ready = markReady(tree.gitFolder, { record, identity, setup: differing, ignored });
    return new WorktreePlace(grounds, name, ready, check);
  }

  /** Removes a worktree that no attempt uses, and says so. */
  private async removeLeftover(name: PlaceName | { folder: string; branch: null }): Promise<string> {
    const ready = readReady(treeOf(this.grounds, { ...name, branch: '' }).gitFolder);
    const patch = name.branch === null ? null : await this.keepWork(name, ready);
    const reason = await this.remove(name, ready?.identity.folder);
    const what = `the worktree of an interrupted attempt, ${JSON.stringify(name.folder)}`;
    if (reason !== undefined) return `Cannot remove ${what}: ${reason}`;
    return `Removed ${what}${patch === null ? '' : `; its work is saved in ${patch}`}.`;
  }

  private async keepWork(name: PlaceName, ready: ReadyMark | undefined): Promise<string | null> {
    if (ready && this.isThere(name))
      return (await new WorktreePlace(this.grounds, name, ready).close()).patch;
    const { project, root } = this.grounds;
    const tip = await project.run(['rev-parse', '--verify', '-q', `refs/heads/${name.branch}`]);
    const base = await project.run(['merge-base', 'HEAD', `refs/heads/${name.branch}`]);
    if (tip.status !== 'ok' || base.status !== 'ok') return null;
    const patch = name.folder.slice(0, name.folder.lastIndexOf('-'));
    return keepPatch(root, project, { name: patch, from: base.stdout.trim(), to: tip.stdout.trim() });
  }

  private async listBranches(): Promise<PlaceName[]> {
    const listed = await this.grounds.project.run([
      'for-each-ref',
      '--format=%(refname:lstrip=2)',
      'refs/heads/teddy/',
    ]);
    const names = listed.status === 'ok' ? listed.stdout.split('\n') : [];
    return names.map((branch) => this.names.ofBranch(branch)).filter((name) => name !== undefined);
  }

  /** `made`: the folder that was created for it, if known. */
  private remove(
    { folder, branch }: { folder: string; branch: string | null },
    made?: string,
  ): Promise<string | undefined> {
    const { moving, worktrees } = this.grounds;
    return moving.run(() => removeWorktree(worktrees, { name: folder, branch, folder: made }));
  }

  private findReady(name: PlaceName): ReadyMark | undefined {
    return this.isThere(name) ? readReady(treeOf(this.grounds, name).gitFolder) : undefined;
  }

  private isThere(name: PlaceName): boolean {
    return lookAtFile(treeOf(this.grounds, name).folder) === 'folder';
  }

  private rootOf({ folder }: PlaceName): string {
    return join(this.grounds.worktrees.folder, folder, this.grounds.prefix);
  }

  private fail(reason: string): Opened {
    return { status: 'failed', reason };
  }
}
