import { resolve } from 'node:path';
import { type GitRefusal, refuse } from './changes.js';
import { type GitAbsent, type GitFailed, type GitResult, git, gitList } from './command.js';

type WorkTreeOptions = {
  input?: string;
  /** Another index than the work tree's own. */
  index?: string;
};

/** For files that are written or hashed: large ones, and filters such as those that fetch what they write. */
const TIMEOUT_MS = 20 * 60_000;

/** Whatever a user has set for their own hands: nothing is signed, put aside, resolved from memory or tidied up. */
const SETTINGS = [
  ...['commit.gpgSign=false', 'merge.verifySignatures=false', 'merge.autoStash=false', 'merge.log=false'],
  ...['merge.conflictStyle=merge', 'rerere.enabled=false', 'submodule.recurse=false', 'core.safecrlf=false'],
  ...['gc.auto=0', 'maintenance.auto=false', 'i18n.commitEncoding=UTF-8'],
];

/** Who commits where the user has not said who they are. */
const STAND_IN = ['user.name=teddy', 'user.email=teddy@localhost'];

/**
 * A folder that git has checked out, held by its git folder: whatever becomes of the `.git` in it, every command is
 * about this one. No method throws.
 */
export class WorkTree {
  constructor(
    /** Absolute and real. */
    readonly folder: string,
    /** Absolute: where HEAD and the index are. */
    readonly gitFolder: string,
    private readonly identity: readonly string[],
  ) {}

  run(args: readonly string[], options: WorkTreeOptions = {}): Promise<GitResult> {
    return git(args, this.optionsFor(options));
  }

  list(
    args: readonly string[],
    options: WorkTreeOptions = {},
  ): Promise<{ status: 'ok'; items: string[] } | GitFailed | GitAbsent> {
    return gitList(args, this.optionsFor(options));
  }

  /** The commit that is checked out, and its tree. */
  async head(): Promise<{ status: 'ok'; commit: string; tree: string } | GitRefusal> {
    const found = await this.run(['rev-parse', 'HEAD^{commit}', 'HEAD^{tree}']);
    if (found.status !== 'ok') return refuse(found);
    const [commit = '', tree = ''] = found.stdout.split('\n');
    return { status: 'ok', commit, tree };
  }

  /** The name of the branch that is checked out; null where none is. */
  async branch(): Promise<string | null> {
    const found = await this.run(['symbolic-ref', '-q', '--short', 'HEAD']);
    return found.status === 'ok' ? found.stdout.trim() : null;
  }

  /** Whether `commit` has `ancestor` in its history; where git cannot say, it has not. */
  async descends(commit: string, ancestor: string): Promise<boolean> {
    if (commit === ancestor) return true;
    return (await this.run(['merge-base', '--is-ancestor', ancestor, commit])).status === 'ok';
  }

  /** The work tree of the same repository that has `gitFolder` for its own. */
  beside(folder: string, gitFolder: string): WorkTree {
    return new WorkTree(folder, gitFolder, this.identity);
  }

  private optionsFor({ input, index }: WorkTreeOptions) {
    const env = {
      GIT_DIR: this.gitFolder,
      GIT_WORK_TREE: this.folder,
      ...(index !== undefined && { GIT_INDEX_FILE: index }),
    };
    const config = [...SETTINGS, ...this.identity];
    return { cwd: this.folder, env, config, timeoutMs: TIMEOUT_MS, ...(input !== undefined && { input }) };
  }
}

export type OpenedWorkTree =
  | {
      status: 'ok';
      tree: WorkTree;
      /** From the top of the repository to the folder that was asked for: empty, or with a `/` at its end. */
      prefix: string;
      /** Absolute: what all work trees of the repository share. */
      commonFolder: string;
    }
  | GitRefusal;

const QUESTIONS = ['--is-inside-work-tree', '--show-toplevel', '--show-prefix', '--absolute-git-dir'];

/** The work tree that `folder` lies in. Never throws. */
export async function openWorkTree(folder: string): Promise<OpenedWorkTree> {
  const [found, identity] = await Promise.all([
    git(['rev-parse', ...QUESTIONS, '--git-common-dir'], { cwd: folder }),
    git(['var', 'GIT_COMMITTER_IDENT'], { cwd: folder, config: ['user.useConfigOnly=true'] }),
  ]);
  if (found.status !== 'ok') {
    const outside = found.status === 'failed' && /must be run in a work tree/.test(found.stderr);
    return outside ? { status: 'no-repository', reason: 'there is no work tree here' } : refuse(found);
  }
  const [inside, top = '', prefix = '', own = '', common = '', ...rest] = found.stdout.split('\n');
  if (inside !== 'true') return { status: 'no-repository', reason: 'there is no work tree here' };
  if (rest.length !== 1)
    return { status: 'failed', reason: 'there is a line break in the path of the repository' };
  const tree = new WorkTree(top, own, identity.status === 'ok' ? [] : STAND_IN);
  return { status: 'ok', tree, prefix, commonFolder: resolve(folder, common) };
}

/** `[2, 39]`; undefined where git is not installed or says something else. */
export async function readGitVersion(cwd: string): Promise<[number, number] | undefined> {
  const answer = await git(['version'], { cwd });
  const version = answer.status === 'ok' ? /^git version (\d+)\.(\d+)/.exec(answer.stdout) : null;
  return version ? [Number(version[1]), Number(version[2])] : undefined;
}
