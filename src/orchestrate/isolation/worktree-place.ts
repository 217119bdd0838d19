import { join } from 'node:path';
import { dirname } from 'node:path/posix';
import type { ProjectView } from '../../confine/types.js';
import { compareTrees, findStrayModules } from '../../node/git/entries.js';
import type { FolderCheck } from '../../node/git/folder-state.js';
import { gatherWork } from '../../node/git/gather.js';
import { landCommit } from '../../node/git/land.js';
import { listPaths } from '../../node/git/listing.js';
import { checkOut, mergeBranch } from '../../node/git/merge.js';
import type { WorkTree } from '../../node/git/work-tree.js';
import { gitFolderOf, type WorktreeFolder } from '../../node/git/worktrees.js';
import type { Mutex } from '../concurrency.js';
import { readOnly, showOwnGit } from './own-git.js';
import { diffWorkTree, keepPatch } from './patches.js';
import { PlaceFolder } from './place-folder.js';
import {
  type DoneMark,
  landingMarkIn,
  markDone,
  type PlaceName,
  type ReadyMark,
  readDone,
} from './place-record.js';
import type { Candidate, Compared, Landed, Merged, Narrowed, PlaceRecord, Worktree } from './types.js';

/** What the worktrees of one project share. */
export interface Grounds {
  /** Of the project: absolute, without links. */
  root: string;
  project: WorkTree;
  /** From the top of the repository to the root. */
  prefix: string;
  worktrees: WorktreeFolder;
  /** The branch that was checked out at the start of the run; null if there was none. */
  branch: string | null;
  /** Whether only teddy may change a path, which is from the root. */
  isOwn(path: string): boolean;
  /** Worktrees are created and removed one at a time. */
  moving: Mutex;
  /** The project's checkout changes one step at a time. */
  landing: Mutex;
}

type Gathered = ({ status: 'ok' } & DoneMark) | { status: 'failed' | 'refused'; reason: string };

export class WorktreePlace implements Worktree {
  readonly root: string;
  readonly record: PlaceRecord;
  private readonly tree: WorkTree;
  private readonly folder: PlaceFolder;
  private readonly base: string;
  private gathered: Promise<Gathered> | undefined;
  private closed: Promise<{ patch: string | null }> | undefined;
  /** The folder is what was gathered, and nothing has run there since. */
  private isFresh = false;
  private isLanded = false;

  /** `check`: knows the files as they were before the attempt. */
  constructor(
    private readonly grounds: Grounds,
    private readonly name: PlaceName,
    ready: ReadyMark,
    check?: FolderCheck,
  ) {
    this.record = ready.record;
    this.root = ready.record.root;
    this.base = ready.record.base;
    this.tree = treeOf(grounds, name);
    this.folder = new PlaceFolder(grounds.worktrees, name, this.tree, ready, check);
  }

  view(who: Parameters<Worktree['view']>[0]): ProjectView {
    const { root, worktrees } = this.grounds;
    const { tree } = this;
    const own = { from: tree.folder, at: tree.folder, writable: true };
    const repository = { tree, commonFolder: worktrees.commonFolder };
    const git =
      who === 'executor' ? showOwnGit(repository, ownGitOf(tree)) : [readOnly(worktrees.commonFolder)];
    return { root, project: 'read-only', places: [own, ...git] };
  }

  findReplaced(): string | undefined {
    return this.folder.findReplaced();
  }

  async changes(): ReturnType<Worktree['changes']> {
    const work = await this.gather();
    if (work.status !== 'ok') return { status: 'unknown', reason: work.reason };
    const leftOut = [...work.leftOut, ...work.repositories.map((path) => `${path}/`)];
    const fromRoot = (paths: readonly string[]) => paths.map((path) => this.fromRoot(path)).sort();
    return {
      status: 'known',
      files: fromRoot(work.files),
      leftOut: fromRoot(leftOut),
      ignored: fromRoot(work.ignored),
      removed: fromRoot(work.removed),
    };
  }

  async merge(): Promise<Merged> {
    const work = await this.gather();
    const replaced = this.findReplaced();
    if (replaced !== undefined) return { status: 'refused', reason: replaced };
    if (work.status !== 'ok') return { status: work.status, reason: work.reason };
    if (work.repositories.length > 0)
      return { status: 'failed', reason: this.describeRepositories(work.repositories) };
    const head = await this.grounds.project.commit();
    if (head.status !== 'ok') return { status: 'failed', reason: this.describeFailure(head.reason) };
    return head.commit === this.base ? this.takeAsIs(work.commit) : this.mergeOnto(head.commit, work.commit);
  }

  async diff(): Promise<string> {
    const replaced = this.findReplaced();
    if (replaced !== undefined) return `${replaced}\n`;
    return diffWorkTree(this.tree, this.base, (path) => this.isForeign(path));
  }

  async narrow({ head }: NonNullable<Candidate>, tree: string): Promise<Narrowed> {
    const left = await compareTrees(this.tree, head, tree);
    if (left.status !== 'ok') return { status: 'failed', reason: left.reason };
    const made = await this.tree.run(['commit-tree', tree, '-p', head], { input: this.message });
    if (made.status !== 'ok') return { status: 'failed', reason: made.reason };
    const commit = made.stdout.trim();
    this.isFresh = false;
    const reason = await checkOut(this.tree, commit);
    if (reason !== undefined) return { status: 'failed', reason };
    const restored = await this.folder.restore(commit);
    if (restored.status !== 'ok') return { status: 'failed', reason: restored.reason };
    const files = left.changes.map(({ path }) => this.fromRoot(path)).sort();
    return { status: 'ok', candidate: { commit, head }, files };
  }

  async compare(candidate: Candidate): Promise<Compared> {
    const replaced = this.findReplaced();
    if (replaced !== undefined) return { status: 'refused', reason: replaced };
    const found = await this.folder.compare(candidate?.commit ?? this.base);
    if (found.status !== 'ok') return { status: 'refused', reason: this.describeFailure(found.reason) };
    const fromRoot = (paths: readonly string[]) => paths.map((path) => this.fromRoot(path));
    return { status: 'ok', changed: fromRoot(found.changed), added: fromRoot(found.untracked) };
  }

  async land(candidate: Candidate): Promise<Landed> {
    if (candidate === null)
      return { status: 'refused', reason: 'There is nothing to land: it was not merged.' };
    const { landing, project, branch } = this.grounds;
    const now = await project.branch();
    if (now !== branch) return { status: 'refused', reason: describeSwitch(branch, now) };
    const landed = await landing.run(() => landCommit(project, candidate, landingMarkIn(project.gitFolder)));
    if (landed.status === 'landed') this.isLanded = true;
    return landed;
  }

  close(): Promise<{ patch: string | null }> {
    this.closed ??= this.end();
    return this.closed;
  }

  private async end(): Promise<{ patch: string | null }> {
    const isOurs = !this.isLanded && this.findReplaced() === undefined;
    const patch = isOurs ? await this.keepWork() : null;
    await this.grounds.moving.run(() => this.folder.remove());
    return { patch };
  }

  private async keepWork(): Promise<string | null> {
    const { project, root } = this.grounds;
    const gathered = await this.gather();
    // If git may not run the filter of these files, they are kept unfiltered.
    const work =
      gathered.status === 'ok' ? gathered : await this.commitWork(this.tree.with({ approved: null }));
    // Otherwise only what the executor committed itself can be kept.
    const done = work.status === 'ok' ? work : await this.tree.commit();
    if (done.status !== 'ok' || done.commit === this.base) return null;
    const head = await project.commit();
    if (head.status === 'ok' && (await project.descends(head.commit, done.commit))) return null;
    const name = this.name.folder.slice(0, this.name.folder.lastIndexOf('-'));
    return keepPatch(root, project, { name, from: this.base, to: done.commit });
  }

  private gather(): Promise<Gathered> {
    this.gathered ??= this.gatherOnce();
    return this.gathered;
  }

  private async gatherOnce(): Promise<Gathered> {
    const replaced = this.findReplaced();
    if (replaced !== undefined) return { status: 'refused', reason: replaced };
    const before = readDone(this.tree.gitFolder);
    if (before) return { status: 'ok', ...before };
    const failed = (reason: string) => ({ status: 'failed', reason: this.describeFailure(reason) }) as const;
    const work = await this.commitWork(this.tree);
    if (work.status !== 'ok') return failed(work.reason);
    const { commit, putBack: leftOut, repositories } = work;
    const checked = await this.checkCandidate({ head: this.base, commit });
    if (checked.status !== 'ok') return checked;
    const restored = await this.folder.restore(commit, repositories);
    if (restored.status !== 'ok') return failed(restored.reason);
    const hidden = this.folder.removeIgnored(restored.ignored);
    if (hidden.status !== 'ok') return failed(hidden.reason);
    const { ignored, removed } = hidden;
    const done = { commit, files: checked.files, leftOut, repositories, ignored, removed };
    markDone(this.tree.gitFolder, done);
    this.isFresh = true;
    return { status: 'ok', ...done };
  }

  private get message(): string {
    const { taskId, taskName, attempt } = this.record;
    return `${inOneLine(`${taskId} ${taskName}`)}\n\nTask: ${inOneLine(taskId)}\nAttempt: ${attempt}\n`;
  }

  private commitWork(tree: WorkTree): ReturnType<typeof gatherWork> {
    return gatherWork(tree, {
      base: this.base,
      branch: `refs/heads/${this.name.branch}`,
      message: this.message,
      sort: (path) => {
        if (this.isForeign(path)) return 'put-back';
        return this.folder.isFromSetup(path) ? 'leave' : 'take';
      },
    });
  }

  private async takeAsIs(commit: string): Promise<Merged> {
    const reason = this.isFresh ? undefined : await checkOut(this.tree, commit);
    if (reason !== undefined) return { status: 'failed', reason: this.describeFailure(reason) };
    const restored = this.isFresh ? undefined : await this.folder.restore(commit);
    if (restored?.status === 'failed')
      return { status: 'failed', reason: this.describeFailure(restored.reason) };
    this.isFresh = false;
    return { status: 'merged', candidate: { commit, head: this.base } };
  }

  private async mergeOnto(head: string, work: string): Promise<Merged> {
    if (!(await this.grounds.project.descends(head, this.base))) {
      const reason =
        `The project is now at ${head.slice(0, 10)}, which does not follow ${this.base.slice(0, 10)}, where this attempt started: ` +
        'the branch was switched or rewritten. The task must be tried again from there.';
      return { status: 'failed', reason };
    }
    const { taskId, taskName } = this.record;
    const message = `Merge ${inOneLine(`${taskId} ${taskName}`)}`;
    this.isFresh = false;
    const merged = await mergeBranch(this.tree, { onto: head, commit: work, message });
    if (merged.status === 'failed')
      return { status: 'failed', reason: `git cannot merge it: ${merged.reason}.` };
    if (merged.status === 'conflict')
      return { ...merged, files: merged.files.map((path) => this.fromRoot(path)) };
    const candidate = { commit: merged.commit, head };
    const checked = await this.checkCandidate(candidate);
    if (checked.status !== 'ok') return checked;
    const restored = await this.folder.restore(candidate.commit);
    if (restored.status !== 'ok') return { status: 'failed', reason: this.describeFailure(restored.reason) };
    return { status: 'merged', candidate };
  }

  private async checkCandidate(candidate: NonNullable<Candidate>) {
    const { prefix } = this.grounds;
    const isForeign = (path: string) => this.isForeign(path);
    const checked = await checkCandidate(this.tree, candidate, { prefix, isForeign });
    return checked.status === 'failed'
      ? { ...checked, reason: this.describeFailure(checked.reason) }
      : checked;
  }

  /** Outside the project, or teddy's own. */
  private isForeign(path: string): boolean {
    const { prefix, isOwn } = this.grounds;
    return !path.startsWith(prefix) || isOwn(path.slice(prefix.length));
  }

  private fromRoot(path: string): string {
    const { prefix } = this.grounds;
    if (path.startsWith(prefix)) return path.slice(prefix.length);
    return `${'../'.repeat(prefix.split('/').length - 1)}${path}`;
  }

  private describeFailure(reason: string): string {
    return `git cannot list the changes in ${JSON.stringify(this.root)}: ${reason}.`;
  }

  private describeRepositories(paths: readonly string[]): string {
    const named = paths.map((path) => JSON.stringify(this.fromRoot(path))).join(', ');
    return (
      `The attempt created a git repository in ${named}, whose files cannot land. ` +
      'Do not run "git init" or "git clone" inside the project, or remove the resulting .git folder.'
    );
  }
}

/** The work tree of a place, with its own git folder. */
export function treeOf({ project, worktrees }: Grounds, { folder }: PlaceName): WorkTree {
  return project.beside(join(worktrees.folder, folder), gitFolderOf(worktrees, folder));
}

/** Where the git folder that its executor has is kept; with the worktree, it is removed. */
export function ownGitOf({ gitFolder }: WorkTree): string {
  return join(gitFolder, 'teddy-git');
}

function inOneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

function describeSwitch(before: string | null, now: string | null): string {
  const name = (branch: string | null) => (branch === null ? 'no branch' : JSON.stringify(branch));
  return `The project now has ${name(now)} checked out; when this run started it had ${name(before)}. Switch back, then try again.`;
}

const LINK = '120000';

/** The rules for every path that a candidate changes. Paths are from the top of the repository. */
interface CandidateRules {
  /** From the top of the repository to the root. */
  prefix: string;
  /** Outside the project, or teddy's own. */
  isForeign(path: string): boolean;
}

type CheckedCandidate =
  | { status: 'ok'; files: string[] }
  /** It must not land. Whole sentences. */
  | { status: 'refused'; reason: string }
  /** It completes "git cannot list the changes: …". */
  | { status: 'failed'; reason: string };

/** What a candidate would change in the project, by the commit itself: the executor can reach the index and the branch. */
async function checkCandidate(
  tree: WorkTree,
  { head, commit }: NonNullable<Candidate>,
  { prefix, isForeign }: CandidateRules,
): Promise<CheckedCandidate> {
  const compared = await compareTrees(tree, head, commit);
  if (compared.status !== 'ok') return { status: 'failed', reason: compared.reason };
  const { changes } = compared;
  const refuse = (paths: readonly string[], why: string) =>
    ({ status: 'refused', reason: `The work changes ${listPaths(paths)}, ${why}` }) as const;
  const foreign = changes.map(({ path }) => path).filter(isForeign);
  if (foreign.length > 0) return refuse(foreign, 'which tasks must not change. None of its changes land.');
  const modules = findStrayModules(changes).map(({ path }) => path);
  if (modules.length > 0)
    return refuse(modules, 'a submodule, whose files are not verified. None of its changes land.');
  const leading: string[] = [];
  for (const { path, after } of changes)
    if (after?.mode === LINK && (await leadsOut(tree, path, after.id, prefix))) leading.push(path);
  if (leading.length > 0)
    return refuse(leading, 'a link that leads out of the project. None of its changes land.');
  return { status: 'ok', files: changes.map(({ path }) => path) };
}

/** By its text alone. `..` after a name counts as leading out, because that name may be a link. */
async function leadsOut(tree: WorkTree, path: string, id: string, prefix: string): Promise<boolean> {
  const read = await tree.run(['cat-file', 'blob', id]);
  if (read.status !== 'ok' || read.stdout.startsWith('/')) return true;
  const parts = read.stdout.split('/').filter((part) => part !== '' && part !== '.');
  const up = parts.findIndex((part) => part !== '..');
  const steps = up === -1 ? parts.length : up;
  if (parts.slice(steps).includes('..')) return true;
  const folder = dirname(path.slice(prefix.length));
  return steps > (folder === '.' ? 0 : folder.split('/').length);
}
