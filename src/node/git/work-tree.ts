import { join, resolve } from 'node:path';
import { files } from '../file-calls.js';
import { lookAtFile, realPath, refuseForeign, removeTree } from '../files.js';
import { randomId } from '../ids.js';
import {
  type GitFailure,
  type GitItems,
  type GitOptions,
  type GitRefusal,
  type GitResult,
  git,
  gitFailure,
  gitList,
} from './command.js';
import { type OwnConfig, readOwnConfig } from './own-config.js';
import { type FoundRepository, findRepository, readFirstLine } from './repository.js';

type WorkTreeOptions = {
  input?: string;
  /** Another index than the work tree's own. */
  index?: string | undefined;
  /** The folder that paths are relative to, from the top of the repository; ends with `/`. */
  prefix?: string;
  /**
   * The files are written, or taken in as git takes them in: filters and merge drivers that the repository's config
   * names run, if they are among those that were approved. Without it none of them runs.
   */
  mayRunPrograms?: boolean;
};

/** For files that are written or hashed: large ones, and filters such as those that fetch what they write. */
const TIMEOUT_MS = 20 * 60_000;

/** Overrides the user's settings: no signing, stashing, recorded resolutions or housekeeping. */
const SETTINGS = [
  ...['commit.gpgSign=false', 'merge.verifySignatures=false', 'merge.autoStash=false', 'merge.log=false'],
  ...['merge.conflictStyle=merge', 'rerere.enabled=false', 'core.safecrlf=false'],
  ...['gc.auto=0', 'maintenance.auto=false', 'i18n.commitEncoding=UTF-8'],
];

/** The committer if the user has not configured one. */
const STAND_IN = ['user.name=teddy', 'user.email=teddy@localhost'];

/** Shared by the work trees of one repository. */
interface Shared {
  /** Absolute. */
  commonFolder: string;
  /** Programs in it are never run. */
  outside: readonly string[];
  identity: readonly string[];
  /** Lines of the config that name programs, which may run. Null: none runs, and no call fails for it. */
  approved: ReadonlySet<string> | null;
  timeoutMs?: number;
}

/**
 * A checked-out folder with its git folder: even if its `.git` changes, every command uses this one. No method
 * throws.
 */
export class WorkTree {
  constructor(
    /** Absolute and real. */
    readonly folder: string,
    /** Absolute: where HEAD and the index are. */
    readonly gitFolder: string,
    private readonly shared: Shared,
  ) {}

  async run(args: readonly string[], options: WorkTreeOptions = {}): Promise<GitResult> {
    const ready = await this.prepare(options);
    return ready.status === 'ok' ? git(args, ready.options) : ready;
  }

  async list(args: readonly string[], options: WorkTreeOptions = {}): Promise<GitItems> {
    const ready = await this.prepare(options);
    return ready.status === 'ok' ? gitList(args, ready.options) : ready;
  }

  /** The repository's own config. Reading it runs nothing. */
  readConfig(): Promise<OwnConfig | GitRefusal> {
    const { commonFolder } = this.shared;
    return readOwnConfig({ gitFolder: this.gitFolder, commonFolder }, this.optionsFor({}));
  }

  /** The same work tree with other settings: the committer, and config lines with programs that may run. */
  with(changes: Partial<Pick<Shared, 'identity' | 'approved' | 'timeoutMs'>>): WorkTree {
    return new WorkTree(this.folder, this.gitFolder, { ...this.shared, ...changes });
  }

  /** The commit that is checked out, and its tree. */
  async head(): Promise<{ status: 'ok'; commit: string; tree: string } | GitRefusal> {
    const found = await this.run(['rev-parse', 'HEAD^{commit}', 'HEAD^{tree}']);
    if (found.status !== 'ok') return found;
    const [commit = '', tree = ''] = found.stdout.split('\n');
    return { status: 'ok', commit, tree };
  }

  /** The commit that is checked out. */
  async commit(): Promise<{ status: 'ok'; commit: string } | GitRefusal> {
    const known = readHead(this.gitFolder, this.shared.commonFolder);
    return known ? { status: 'ok', commit: known.commit } : this.head();
  }

  /** The name of the checked-out branch; null if HEAD is detached. */
  async branch(): Promise<string | null> {
    const known = readHead(this.gitFolder, this.shared.commonFolder);
    if (known) return known.branch;
    const found = await this.run(['symbolic-ref', '-q', '--short', 'HEAD']);
    return found.status === 'ok' ? found.stdout.trim() : null;
  }

  /** Whether `commit` has `ancestor` in its history; false if git cannot say. */
  async descends(commit: string, ancestor: string): Promise<boolean> {
    if (commit === ancestor) return true;
    return (await this.run(['merge-base', '--is-ancestor', ancestor, commit])).status === 'ok';
  }

  /** Gives `work` the path of a temporary index. */
  async withIndex<T>(work: (index: string) => Promise<T>): Promise<T> {
    const index = join(this.gitFolder, `teddy-index-${randomId(8)}`);
    try {
      return await work(index);
    } finally {
      removeTree(index);
      removeTree(`${index}.lock`);
    }
  }

  /** The work tree of the same repository that has `gitFolder` for its own. */
  beside(folder: string, gitFolder: string): WorkTree {
    return new WorkTree(folder, gitFolder, this.shared);
  }

  private async prepare(
    options: WorkTreeOptions,
  ): Promise<{ status: 'ok'; options: GitOptions } | GitFailure> {
    const plain = this.optionsFor(options);
    const own = await this.readConfig();
    if (own.status !== 'ok') return own;
    const { approved } = this.shared;
    const mayRun = options.mayRunPrograms === true && approved !== null;
    const strange = mayRun ? own.programs.find((line) => !approved.has(line)) : undefined;
    if (strange !== undefined) return gitFailure(describeStrange(strange));
    const settings = [...own.always, ...(mayRun ? [] : own.quiet)];
    return { status: 'ok', options: { ...plain, config: [...plain.config, ...settings] } };
  }

  private optionsFor({ input, index, prefix = '', mayRunPrograms = false }: WorkTreeOptions) {
    const { commonFolder, outside, identity, timeoutMs } = this.shared;
    const env = {
      GIT_DIR: this.gitFolder,
      GIT_WORK_TREE: this.folder,
      ...(commonFolder !== this.gitFolder && { GIT_COMMON_DIR: commonFolder }),
      ...(index !== undefined && { GIT_INDEX_FILE: index }),
    };
    const config = [...SETTINGS, ...identity];
    return { cwd: join(this.folder, prefix), env, config, outside, mayRunPrograms, timeoutMs, input };
  }
}

function describeStrange(line: string): string {
  return `The git config of the repository names a program that you have not approved, ${line}. Run teddy trust, then try again`;
}

export type OpenedWorkTree =
  | {
      status: 'ok';
      tree: WorkTree;
      /** From the top of the repository to the requested folder: empty, or ends with `/`. */
      prefix: string;
      /** Absolute: what all work trees of the repository share. */
      commonFolder: string;
    }
  | GitRefusal;

const NO_WORK_TREE: GitRefusal = { status: 'no-repository', reason: 'there is no working tree here' };

/**
 * The work tree that contains `folder`, for reading. git does not check the owner of a repository that is named
 * explicitly, so this does. Never throws.
 */
export async function openRepository(folder: string): Promise<OpenedWorkTree> {
  const found = findRepository(folder);
  if (found.status !== 'ok') return found;
  const { top, prefix, gitFolder, commonFolder } = found;
  const foreign = await refuseOwners(found);
  if (foreign !== undefined) return { status: 'failed', reason: foreign };
  const tree = new WorkTree(top, gitFolder, {
    commonFolder,
    identity: [],
    approved: new Set<string>(),
    outside: [top, ownerOf(commonFolder)],
  });
  const own = await tree.readConfig();
  if (own.status !== 'ok') return own;
  const isLinked = gitFolder !== commonFolder;
  if (own.isBare && !isLinked) return NO_WORK_TREE;
  if (own.worktree !== undefined && !isLinked && realPath(resolve(gitFolder, own.worktree)) !== top)
    return NO_WORK_TREE;
  return { status: 'ok', tree, prefix, commonFolder };
}

/**
 * The project that owns a git folder, which may be a part of its `.git`: its programs are not for its worktrees,
 * either.
 */
function ownerOf(gitFolder: string): string {
  return /^(.+?)\/\.git(?:\/|$)/s.exec(gitFolder)?.[1] ?? gitFolder;
}

/** The same, to work in. */
export async function openWorkTree(folder: string): Promise<OpenedWorkTree> {
  const opened = await openRepository(folder);
  if (opened.status !== 'ok') return opened;
  const tree = opened.tree.with({ timeoutMs: TIMEOUT_MS });
  const known = await tree.run(['-c', 'user.useConfigOnly=true', 'var', 'GIT_COMMITTER_IDENT']);
  return { ...opened, tree: known.status === 'ok' ? tree : tree.with({ identity: STAND_IN }) };
}

/** `[2, 39]`; undefined if git is not installed or prints something else. */
export async function readGitVersion(cwd: string): Promise<[number, number] | undefined> {
  const answer = await git(['version'], { cwd });
  const version = answer.status === 'ok' ? /^git version (\d+)\.(\d+)/.exec(answer.stdout) : null;
  return version ? [Number(version[1]), Number(version[2])] : undefined;
}

/** There is no repository in it, so only the user's settings count. */
const NOWHERE = '/dev/null/none';

/**
 * Why a repository is not used: another user owns it or can write to it, and could make it run programs. As in git,
 * folders in the user's own `safe.directory` are used anyway.
 */
async function refuseOwners(found: FoundRepository): Promise<string | undefined> {
  const reason = findForeign(found);
  if (reason === undefined || (await isCalledSafe(found.top))) return undefined;
  return reason;
}

function findForeign({ top, gitFolder, commonFolder }: FoundRepository): string | undefined {
  const configs = [join(commonFolder, 'config'), join(gitFolder, 'config.worktree')];
  for (const path of new Set([top, join(top, '.git'), gitFolder, commonFolder, ...configs])) {
    try {
      const stats = files.statAt(path);
      const reason = stats && refuseForeign(path, stats, top);
      if (reason !== undefined) return reason;
    } catch (error) {
      return `${path} cannot be inspected (${String(error)})`;
    }
  }
  return undefined;
}

async function isCalledSafe(top: string): Promise<boolean> {
  const words = ['config', '-z', '--type=path', '--get-all', 'safe.directory'];
  const listed = await gitList(words, { cwd: '/', outside: [top], env: { GIT_DIR: NOWHERE } });
  if (listed.status !== 'ok') return false;
  // An empty one cancels those before it.
  const named = listed.items.slice(listed.items.lastIndexOf('') + 1);
  return named.some((path) => {
    if (path === '*') return true;
    if (path.endsWith('/*')) return top.startsWith(`${realPath(path.slice(0, -2))}/`);
    return realPath(path) === top;
  });
}

/** What a work tree has checked out. */
interface Head {
  commit: string;
  /** Null where it is not a branch. */
  branch: string | null;
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const BRANCH = /^ref: refs\/heads\/((?!.*\.\.).+)$/;

/**
 * Reads HEAD without starting git. Undefined if only git can: the branch is packed, has no commit yet, or is not
 * stored as a file.
 */
export function readHead(gitFolder: string, commonFolder: string): Head | undefined {
  const path = join(gitFolder, 'HEAD');
  const line = lookAtFile(path) === 'file' ? readFirstLine(path) : undefined;
  if (line === undefined) return undefined;
  if (COMMIT.test(line)) return { commit: line, branch: null };
  const branch = BRANCH.exec(line)?.[1];
  const commit = branch && readFirstLine(join(commonFolder, 'refs/heads', branch));
  return branch && commit && COMMIT.test(commit) ? { commit, branch } : undefined;
}
