import { join } from 'node:path';
import type { MountedPlace } from '../../confine/types.js';
import { files } from '../../node/file-calls.js';
import { lookAtFile, realPath, removeTree } from '../../node/files.js';
import { compareSnapshots, type GitSnapshot, takeSnapshot } from '../../node/git/folder-state.js';
import { listBadNames, listGitChanges, listPaths } from '../../node/git/listing.js';
import { findUnfinished } from '../../node/git/repository.js';
import { openRepository, openWorkTree, readGitVersion, type WorkTree } from '../../node/git/work-tree.js';
import { randomId } from '../../node/ids.js';
import { Mutex } from '../concurrency.js';
import { makeOwnGit, showOwnGit, viewProject } from './own-git.js';
import { diffWorkTree, prepareFolder } from './patches.js';
import type { Isolation, PlaceRecord, PlaceSubject, Worktree } from './types.js';
import { type Setup, WorktreeIsolation } from './worktree-isolation.js';
import type { Grounds } from './worktree-place.js';

export interface IsolationOptions {
  workspace: { readonly root: string };
  /** The command that prepares a new worktree; null: none. */
  setup: string | null;
  runSetup: Setup['run'];
  /** Executors are confined: they get a git folder of their own. */
  confined?: boolean;
  /** Work lands only once the user has seen it. */
  reviewed?: boolean;
  /** The number of attempts at once. */
  writers: number;
  /** Lines of the repository's own git config that name programs which may run; none unless said. */
  programs?: readonly string[];
  /** Files that only teddy changes, from the root: task files and STATE.md. */
  ownFiles: readonly string[];
}

export type OpenedIsolation =
  /** `notes`: whole sentences about what to know before the start. */
  | { status: 'ok'; isolation: Isolation; notes: string[] }
  /** `reason` is whole sentences. */
  | { status: 'refused'; reason: string };

/** `reason` is whole sentences. */
export type CanIsolate = { status: 'yes' } | { status: 'no'; reason: string };

/** The oldest git that works here. */
const OLDEST_GIT = [2, 26] as const;
const OWN_FOLDERS = ['.git', '.teddy', '.ultraplan'];
const NAMED = 5;

/** Never throws. */
export async function openIsolation(
  kind: 'worktree' | 'none',
  options: IsolationOptions,
): Promise<OpenedIsolation> {
  const root = realPath(options.workspace.root) ?? options.workspace.root;
  const isOwn = ownership(options.ownFiles);
  if (kind === 'none') {
    const watched = await watchProject(root, options.writers);
    const notes = 'tree' in watched ? await noteBadNames(watched.tree) : [];
    const gits = options.confined ? prepareFolder(root, 'git') : undefined;
    if (gits?.status === 'refused') return gits;
    // What a killed orchestrator left.
    for (const name of gits ? files.list(gits.path) : []) removeTree(join(gits!.path, name));
    return { status: 'ok', isolation: new NoIsolation(root, watched, isOwn, gits?.path), notes };
  }
  const found = await findWorkTree(root);
  if (found.status !== 'ok') return { status: 'refused', reason: found.reason };
  const folder = prepareFolder(root, 'worktrees');
  if (folder.status !== 'ok') return folder;
  const { prefix, commonFolder } = found;
  const tree = found.tree.with({ approved: new Set(options.programs) });
  const worktrees = { tree, commonFolder, folder: folder.path };
  const branch = await tree.branch();
  const grounds: Grounds = {
    root,
    project: tree,
    prefix,
    worktrees,
    branch,
    isOwn,
    moving: new Mutex(),
    landing: new Mutex(),
  };
  const { confined = false } = options;
  const setup = options.setup === null ? null : { command: options.setup, run: options.runSetup };
  const notes = await collectNotes(grounds, options);
  return { status: 'ok', isolation: new WorktreeIsolation(grounds, setup, confined), notes };
}

/** Whether attempts at tasks of the project in `root` can be made in worktrees. Never throws. */
export async function canIsolate(root: string): Promise<CanIsolate> {
  const found = await findWorkTree(realPath(root) ?? root);
  return found.status === 'ok' ? { status: 'yes' } : { status: 'no', reason: found.reason };
}

type FoundWorkTree =
  | Extract<Awaited<ReturnType<typeof openWorkTree>>, { status: 'ok' }>
  | { status: 'no'; reason: string };

async function findWorkTree(root: string): Promise<FoundWorkTree> {
  const no = (reason: string) => ({ status: 'no', reason }) as const;
  const version = await readGitVersion(root);
  if (!version) return no('Worktrees need git, which is not installed or cannot run here.');
  if (version[0] < OLDEST_GIT[0] || (version[0] === OLDEST_GIT[0] && version[1] < OLDEST_GIT[1]))
    return no(`Worktrees need git ${OLDEST_GIT.join('.')}; this is git ${version.join('.')}. Update it.`);
  const opened = await openWorkTree(root);
  if (opened.status === 'no-repository')
    return no('Worktrees need a git repository. Run "git init" and commit the files.');
  if (opened.status !== 'ok') return no(`git cannot be used in the project: ${opened.reason}.`);
  const { tree } = opened;
  if ((await tree.commit()).status !== 'ok')
    return no('Nothing is committed yet, so worktrees would be empty. Commit the files first.');
  const unfinished = findUnfinished(tree);
  if (unfinished !== undefined) return no(unfinished);
  if ((await tree.run(['rev-parse', '--verify', '-q', 'refs/heads/teddy'])).status === 'ok')
    return no('A branch is named "teddy", so git cannot create branches named "teddy/…". Rename it.');
  const bad = await listBadNames(tree);
  if (bad.status !== 'ok') return no(`git cannot list the files: ${bad.reason}.`);
  if (bad.names.length > 0) return no(`${describeBadNames(bad.names)} Rename, commit, and try again.`);
  return opened;
}

async function noteBadNames(tree: WorkTree): Promise<string[]> {
  const bad = await listBadNames(tree, { untracked: true });
  if (bad.status !== 'ok' || bad.names.length === 0) return [];
  return [
    `${describeBadNames(bad.names)} If such a file differs from the last commit, teddy cannot see what an attempt changed. Rename it.`,
  ];
}

function describeBadNames(names: readonly string[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  const [what, verb] = names.length === 1 ? ['The name of a file', 'is'] : ['The names of files', 'are'];
  return `${what} in the repository ${verb} not UTF-8: ${names.slice(0, NAMED).join(', ')}${more}.`;
}

function ownership(ownFiles: readonly string[]): (path: string) => boolean {
  const own = new Set(ownFiles);
  return (path) => own.has(path) || OWN_FOLDERS.includes((path.split('/', 1)[0] ?? '').toLowerCase());
}

async function collectNotes(
  { root, project, branch, isOwn }: Grounds,
  { setup, reviewed = false }: IsolationOptions,
): Promise<string[]> {
  const onto = branch === null ? 'the commit that is checked out' : `the branch ${JSON.stringify(branch)}`;
  const notes: string[] = [`Finished work lands on ${onto}${reviewed ? ' once you have reviewed it' : ''}.`];
  const listed = await listGitChanges(root);
  const unseen =
    listed.status === 'ok' ? listed.changes.map(({ path }) => path).filter((path) => !isOwn(path)) : [];
  if (unseen.length > 0) {
    notes.push(
      `Executors see only committed files, not your uncommitted changes in ${listPaths(unseen)}. ` +
        'Work that touches those files cannot land until you commit them.',
    );
  }
  if (setup === null && lookAtFile(join(project.folder, '.gitmodules')) === 'file')
    notes.push(
      'The repository has submodules, which are empty in worktrees. If tasks need them, set orchestrate.setup to ' +
        '"git submodule update --init".',
    );
  return notes;
}

/** The project's work tree, in which changes of an attempt can be found. */
interface Watched {
  tree: WorkTree;
  /** From the top of the repository to the root. */
  prefix: string;
}

const NOT_APART = 'Without worktrees, the changes of an attempt are in the project already.';

interface OwnGit {
  folder: string;
  places: readonly MountedPlace[];
}

/** All attempts work in the project itself. */
class NoIsolation implements Isolation {
  readonly kind = 'none';

  constructor(
    private readonly root: string,
    private readonly watched: Watched | { reason: string },
    private readonly isOwn: (path: string) => boolean,
    /** Where executors get git folders of their own. */
    private readonly gits: string | undefined,
  ) {}

  async recover(): Promise<string[]> {
    return [];
  }

  async open(about: PlaceSubject): ReturnType<Isolation['open']> {
    const { watched } = this;
    const before = 'tree' in watched ? await takeSnapshot(watched.tree) : undefined;
    const git = await this.makeGit();
    if (git.status === 'failed') return git;
    const snapshot = before?.status === 'ok' ? before : undefined;
    return { status: 'open', place: this.placeOf(about, snapshot, git.view) };
  }

  /** Of a repository above the root, executors see nothing. */
  private async makeGit(): Promise<{ status: 'ok'; view?: OwnGit } | { status: 'failed'; reason: string }> {
    const opened = this.gits === undefined ? undefined : await openRepository(this.root);
    if (opened?.status !== 'ok' || opened.prefix !== '') return { status: 'ok' };
    const folder = join(this.gits!, randomId(8));
    const refused = await makeOwnGit(opened, folder);
    if (refused !== undefined)
      return { status: 'failed', reason: `git cannot be prepared for an executor: ${refused}.` };
    return { status: 'ok', view: { folder, places: showOwnGit(opened, folder) } };
  }

  async changeset(): ReturnType<Isolation['changeset']> {
    return { status: 'failed', reason: NOT_APART };
  }

  async has(): Promise<boolean> {
    return false;
  }

  async reopen(record: PlaceRecord): Promise<Worktree> {
    return this.placeOf(record, undefined);
  }

  private placeOf(
    { taskId, taskName, attempt }: PlaceSubject,
    before: GitSnapshot | undefined,
    git?: OwnGit,
  ): Worktree {
    const { root } = this;
    const view = viewProject(root);
    const forExecutor = { ...view, places: [...view.places!, ...(git?.places ?? [])] };
    return {
      root,
      record: { taskId, taskName, attempt, root, base: null, branch: null },
      view: (who) => (who === 'executor' ? forExecutor : view),
      findReplaced: () => undefined,
      changes: () => this.compare(before),
      diff: () => this.diff(),
      merge: async () => ({ status: 'merged', candidate: null }),
      narrow: async () => ({ status: 'failed', reason: NOT_APART }),
      compare: async () => ({ status: 'ok', changed: [], added: [] }),
      land: async () => ({ status: 'landed' }),
      close: async () => {
        if (git) removeTree(git.folder);
        return { patch: null };
      },
    };
  }

  /** Compared with the last commit: what was there before the attempt is shown too. */
  private async diff(): Promise<string> {
    const { watched } = this;
    if ('reason' in watched) return `${watched.reason}\n`;
    return diffWorkTree(
      watched.tree,
      'HEAD',
      (path) => !path.startsWith(watched.prefix) || this.isOwn(path.slice(watched.prefix.length)),
    );
  }

  private async compare(before: GitSnapshot | undefined): ReturnType<Worktree['changes']> {
    const { watched } = this;
    const unknown = (reason: string) => ({ status: 'unknown', reason }) as const;
    if ('reason' in watched) return unknown(watched.reason);
    if (before === undefined) return unknown('The state of the project before this attempt is unknown.');
    const after = await takeSnapshot(watched.tree);
    const compared = after.status === 'ok' ? await compareSnapshots(watched.tree, before, after) : after;
    if (compared.status !== 'ok') return unknown(`git cannot list the changes: ${compared.reason}.`);
    const inside = compared.files.filter((path) => path.startsWith(watched.prefix));
    const files = inside.map((path) => path.slice(watched.prefix.length)).filter((path) => !this.isOwn(path));
    // In the project itself, ignored files count too.
    return { status: 'known', files, leftOut: [], ignored: [], removed: [] };
  }
}

/** The changes of several attempts in one folder cannot be separated. */
async function watchProject(root: string, writers: number): Promise<Watched | { reason: string }> {
  if (writers > 1)
    return { reason: 'Several attempts work in one folder, so their changes cannot be separated.' };
  const opened = await openWorkTree(root);
  return opened.status === 'ok' ? opened : { reason: `git cannot list the changes: ${opened.reason}.` };
}
