import { join } from 'node:path';
import {
  checkOutBranch,
  describeContent,
  gatherWork,
  gitFolderOf,
  landCommit,
  mergeBranch,
  type Nursery,
  removeWorktree,
  type WorkTree,
} from '../../platform/index.js';
import type { Mutex } from '../mutex.js';
import { type Ignored, sortOutIgnored } from './ignored.js';
import { type DoneMark, markDone, readDone, readReady, readyTime } from './marks.js';
import type { PlaceName } from './names.js';
import { keepPatch } from './patches.js';
import type { Candidate, Landed, Merged, Place, PlaceRecord } from './types.js';

/** What the places of one project share. */
export interface Grounds {
  /** Of the project, absolute and real. */
  root: string;
  project: WorkTree;
  /** From the top of the repository to the root. */
  prefix: string;
  nursery: Nursery;
  /** What was checked out when the run began, as a branch's name; null where it was none. */
  branch: string | null;
  /** Whether nobody but the tool may change a path, which is from the root. */
  isOwn(path: string): boolean;
  /** Worktrees come and go one after the other. */
  moving: Mutex;
  /** And so does what is checked out in the project. */
  landing: Mutex;
  /** What git ignored by rules of no commit when all began. */
  rules: string;
}

type Gathered = ({ status: 'ok' } & DoneMark) | { status: 'failed'; reason: string };

export class WorktreePlace implements Place {
  readonly root: string;
  private readonly tree: WorkTree;
  private readonly base: string;
  private gathered: Promise<Gathered> | undefined;
  private closed: Promise<{ patch: string | null }> | undefined;
  /** The folder holds what the branch does, and nothing has worked there since. */
  private isFresh = false;
  private isLanded = false;

  constructor(
    private readonly grounds: Grounds,
    private readonly name: PlaceName,
    readonly record: PlaceRecord & { base: string },
  ) {
    const folder = join(grounds.nursery.folder, name.folder);
    this.root = record.root;
    this.base = record.base;
    this.tree = grounds.project.beside(folder, gitFolderOf(grounds.nursery, name.folder));
  }

  async changes(): ReturnType<Place['changes']> {
    const work = await this.gather();
    if (work.status !== 'ok') return { status: 'unknown', reason: work.reason };
    const leftOut = [...work.leftOut, ...work.repositories.map((path) => `${path}/`)];
    const tell = (paths: readonly string[]) => paths.map((path) => this.fromRoot(path)).sort();
    return {
      status: 'told',
      files: tell(work.files),
      leftOut: tell(leftOut),
      ignored: tell(work.ignored),
      removed: tell(work.removed),
    };
  }

  async merge(): Promise<Merged> {
    const work = await this.gather();
    if (work.status !== 'ok') return work;
    if (work.repositories.length > 0)
      return { status: 'failed', reason: this.describeRepositories(work.repositories) };
    const head = await this.grounds.project.head();
    if (head.status !== 'ok') return { status: 'failed', reason: this.tell(head.reason) };
    return head.commit === this.base ? this.takeAsIs(work.commit) : this.mergeOnto(head.commit);
  }

  async land(candidate: Candidate): Promise<Landed> {
    if (candidate === null)
      return { status: 'refused', reason: 'There is nothing to land: it was not merged.' };
    const { landing, project, branch } = this.grounds;
    const now = await project.branch();
    if (now !== branch) return { status: 'refused', reason: describeSwitch(branch, now) };
    const landed = await landing.run(() => landCommit(project, candidate));
    if (landed.status === 'landed') this.isLanded = true;
    return landed;
  }

  close(): Promise<{ patch: string | null }> {
    this.closed ??= this.end();
    return this.closed;
  }

  private async end(): Promise<{ patch: string | null }> {
    const patch = this.isLanded ? null : await this.keepWork();
    const { moving, nursery } = this.grounds;
    const { folder, branch } = this.name;
    await moving.run(() => removeWorktree(nursery, { name: folder, branch }));
    return { patch };
  }

  private async keepWork(): Promise<string | null> {
    const { project, root } = this.grounds;
    const gathered = await this.gather();
    // Where a program may not run by which git would take the files in, they are kept as they are.
    const work =
      gathered.status === 'ok' ? gathered : await this.commitWork(this.tree.with({ approved: null }));
    // What the executor committed itself is all there is then.
    const done = work.status === 'ok' ? work : await this.tree.head();
    if (done.status !== 'ok' || done.commit === this.base) return null;
    const head = await project.head();
    if (head.status === 'ok' && (await project.descends(head.commit, done.commit))) return null;
    const name = this.name.folder.slice(0, this.name.folder.lastIndexOf('-'));
    return keepPatch(root, project, { name, from: this.base, to: done.commit });
  }

  private gather(): Promise<Gathered> {
    this.gathered ??= this.gatherOnce();
    return this.gathered;
  }

  private async gatherOnce(): Promise<Gathered> {
    const before = readDone(this.tree.gitFolder);
    if (before) return { status: 'ok', ...before };
    const work = await this.commitWork(this.tree);
    if (work.status !== 'ok') return { status: 'failed', reason: this.tell(work.reason) };
    const { commit, taken, putBack, repositories } = work;
    const files = taken.map(({ path }) => path);
    const hidden = await this.sortOutIgnored(files);
    if (hidden.status !== 'ok') return { status: 'failed', reason: this.tell(hidden.reason) };
    const { ignored, removed } = hidden;
    const done = { commit, files, leftOut: putBack, repositories, ignored, removed };
    markDone(this.tree.gitFolder, done);
    this.isFresh = true;
    return { status: 'ok', ...done };
  }

  private commitWork(tree: WorkTree): ReturnType<typeof gatherWork> {
    const setup = new Map(Object.entries(readReady(tree.gitFolder)?.setup ?? {}));
    const { taskId, taskName, attempt } = this.record;
    return gatherWork(tree, {
      base: this.base,
      branch: `refs/heads/${this.name.branch}`,
      message: `${inOneLine(`${taskId} ${taskName}`)}\n\nTask: ${inOneLine(taskId)}\nAttempt: ${attempt}\n`,
      sort: (path) => {
        if (this.isForeign(path)) return 'put-back';
        return setup.get(path) === describeContent(join(tree.folder, path)) ? 'leave' : 'take';
      },
    });
  }

  private sortOutIgnored(
    changed: readonly string[],
  ): Promise<Ignored | { status: 'failed'; reason: string }> {
    const { nursery, rules, isOwn, prefix } = this.grounds;
    const { gitFolder } = this.tree;
    const { setup = {}, ignored = [], rules: own = rules } = readReady(gitFolder) ?? {};
    const beginning = { setup, ignored, rules: own, base: this.base, since: readyTime(gitFolder) };
    return sortOutIgnored(this.tree, beginning, {
      ...{ commonFolder: nursery.commonFolder, changed },
      isOwn: (path) => path.startsWith(prefix) && isOwn(path.slice(prefix.length)),
    });
  }

  private async takeAsIs(commit: string): Promise<Merged> {
    const reason = this.isFresh ? undefined : await checkOutBranch(this.tree, this.name.branch);
    if (reason !== undefined) return { status: 'failed', reason: this.tell(reason) };
    this.isFresh = false;
    return { status: 'merged', candidate: { commit, head: this.base } };
  }

  private async mergeOnto(head: string): Promise<Merged> {
    if (!(await this.grounds.project.descends(head, this.base))) {
      const reason =
        `The project is at ${head.slice(0, 10)} by now, which does not follow ${this.base.slice(0, 10)}, where this attempt began: ` +
        'somebody has switched branches or rewritten them. The task has to be tried again from there.';
      return { status: 'failed', reason };
    }
    const { taskId, taskName } = this.record;
    const message = `Merge ${inOneLine(`${taskId} ${taskName}`)}`;
    this.isFresh = false;
    const merged = await mergeBranch(this.tree, { onto: head, branch: this.name.branch, message });
    if (merged.status === 'failed')
      return { status: 'failed', reason: `git cannot merge it: ${merged.reason}.` };
    if (merged.status === 'merged') return { status: 'merged', candidate: { commit: merged.commit, head } };
    return { ...merged, files: merged.files.map((path) => this.fromRoot(path)) };
  }

  /** Outside the project, or the tool's own. */
  private isForeign(path: string): boolean {
    const { prefix, isOwn } = this.grounds;
    return !path.startsWith(prefix) || isOwn(path.slice(prefix.length));
  }

  private fromRoot(path: string): string {
    const { prefix } = this.grounds;
    if (path.startsWith(prefix)) return path.slice(prefix.length);
    return `${'../'.repeat(prefix.split('/').length - 1)}${path}`;
  }

  private tell(reason: string): string {
    return `git cannot tell what was done in ${JSON.stringify(this.root)}: ${reason}.`;
  }

  private describeRepositories(paths: readonly string[]): string {
    const named = paths.map((path) => JSON.stringify(this.fromRoot(path))).join(', ');
    return (
      `The attempt made a git repository in ${named}, whose files cannot become the project's. ` +
      'Do not run "git init" or "git clone" within the project, or remove the .git folder that it leaves.'
    );
  }
}

function inOneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

function describeSwitch(before: string | null, now: string | null): string {
  const name = (branch: string | null) => (branch === null ? 'no branch' : JSON.stringify(branch));
  return `The project has ${name(now)} checked out, and had ${name(before)} when this run began. Switch back, and try again.`;
}
