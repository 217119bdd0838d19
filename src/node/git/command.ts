import { realPath } from '../files.js';
import { findProgram, pathOutside } from '../find-program.js';
import { runProcess } from '../process/run.js';
import type { ProcessResult } from '../process/types.js';

export type GitOptions = {
  cwd: string;
  /** Folders whose programs are never run, as real paths. Default: `cwd`. */
  outside?: readonly string[];
  /** Programs named by the config may run, with the environment for network access. */
  mayRunPrograms?: boolean;
  /** Added to git's environment, such as another GIT_INDEX_FILE. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Settings over the repository's and the user's: `name=value`. */
  config?: readonly string[];
  input?: string | undefined;
  timeoutMs?: number | undefined;
};

/** git failed. `reason` completes the sentence "git does not tell: …". */
export type GitRefusal = { status: 'no-repository' | 'failed'; reason: string };
/** `code` is missing if git did not exit by itself. */
export type GitFailure = GitRefusal & { code?: number };
export type GitResult = { status: 'ok'; stdout: string } | GitFailure;
export type GitItems = { status: 'ok'; items: string[] } | GitFailure;

const TIMEOUT_MS = 60_000;
const LARGEST_OUTPUT = 64 * 1024 * 1024;

/** Never runs a hook or a monitor, and never takes a folder for a repository by its looks. */
const SETTINGS = [
  ...['core.quotepath=off', 'core.fsmonitor=false', 'core.hooksPath=/dev/null'],
  ...['safe.bareRepository=explicit', 'submodule.recurse=false'],
];
const WORDS = ['--no-pager', ...SETTINGS.flatMap((setting) => ['-c', setting])];

/** No prompts, no fetches, no optional locks, no replaced objects; messages in English. */
const FIXED_ENV = {
  // Objects that a partial clone lacks stay missing. Older versions of git know only the second of these.
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_ASKPASS: '',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_PAGER: 'cat',
  GIT_EDITOR: ':',
  SSH_ASKPASS_REQUIRE: 'never',
  LC_ALL: 'C',
};

/** Identifies the user and their settings; never selects a repository. */
const INHERITED =
  /^GIT_(?:(?:AUTHOR|COMMITTER)_\w+|CONFIG_(?:NOSYSTEM|GLOBAL|SYSTEM)|CEILING_DIRECTORIES|EXEC_PATH)$/;
/** For filters that fetch their contents. */
const INHERITED_BY_PROGRAMS = /^GIT_SS[HL]\w*$/;

/** Runs git. Never throws. Output that is not UTF-8 has U+FFFD in it. */
export async function git(args: readonly string[], options: GitOptions): Promise<GitResult> {
  const result = await runGit(args, options);
  return result.status === 'ok' ? { status: 'ok', stdout: result.stdout } : result;
}

/** The same for output that is a list of names, each ended by NUL (`-z`). A name that is not UTF-8 fails. */
export async function gitList(args: readonly string[], options: GitOptions): Promise<GitItems> {
  const result = await runGit(args, options);
  if (result.status !== 'ok') return result;
  const items = result.stdout.split('\0');
  if (items.at(-1) === '') items.pop();
  return result.valid ? { status: 'ok', items } : gitFailure('A name in the repository is not UTF-8');
}

type GitRun = { status: 'ok'; stdout: string; valid: boolean } | GitFailure;

async function runGit(args: readonly string[], options: GitOptions): Promise<GitRun> {
  const { cwd, config = [], input, timeoutMs = TIMEOUT_MS } = options;
  const env = environmentFor(options);
  const outside = options.outside ?? [realPath(cwd) ?? cwd];
  const program = findProgram('git', env.PATH ?? '', outside);
  if (program.status !== 'found') return gitFailure(describeAbsent(program.unused));
  const settings = config.flatMap((setting) => ['-c', setting]);
  const result = await runProcess({
    command: { file: program.file, args: [...WORDS, ...settings, ...args] },
    cwd,
    // git searches it for the programs of the user's config, too.
    env: { ...env, PATH: pathOutside(env.PATH ?? '', outside) },
    timeoutMs,
    capture: { bytes: LARGEST_OUTPUT },
    // git's housekeeping may continue in the background, which is harmless.
    background: 'leave',
    input,
  });
  return judge(result, args, timeoutMs);
}

function environmentFor({ env, mayRunPrograms }: GitOptions): Record<string, string | undefined> {
  const isInherited = (name: string) =>
    !name.startsWith('GIT_') ||
    INHERITED.test(name) ||
    (mayRunPrograms === true && INHERITED_BY_PROGRAMS.test(name));
  const inherited = Object.entries(process.env).filter(([name]) => isInherited(name));
  return { ...Object.fromEntries(inherited), ...FIXED_ENV, ...env };
}

function judge(result: ProcessResult, args: readonly string[], timeoutMs: number): GitRun {
  const { stdout, stderr } = result;
  const name = `git ${args[0] ?? ''}`;
  switch (result.status) {
    case 'exited':
      if (result.code !== 0) return readFailure(stderr.head + stderr.tail, result.code);
      if (stdout.truncated) return gitFailure(`${name} printed more than ${LARGEST_OUTPUT / 1024 / 1024} MB`);
      return { status: 'ok', stdout: stdout.head, valid: stdout.valid };
    case 'not-started':
      return gitFailure(
        result.code === 'command-missing' ? describeAbsent() : result.reason.replace(/\.$/, ''),
      );
    case 'signalled':
      return gitFailure(`${name} was ended by ${result.signal}`);
    case 'timed-out':
      return gitFailure(`${name} took longer than ${timeoutMs / 1000} s`);
    case 'aborted':
      return gitFailure(`${name} was aborted`);
  }
}

export function gitFailure(reason: string): GitFailure {
  return { status: 'failed', reason };
}

function readFailure(stderr: string, code: number): GitFailure {
  if (/not a git repository/i.test(stderr))
    return { status: 'no-repository', reason: 'this is not a git repository', code };
  const lines = stderr.trim().split('\n');
  const line = lines.find((each) => /^(?:fatal|error): /.test(each)) ?? lines[0]!;
  const reason = line.replace(/^(?:fatal|error): /, '').replace(/\.$/, '') || 'git failed';
  return { status: 'failed', reason, code };
}

/** `unused`: a git in an excluded folder. */
function describeAbsent(unused?: string): string {
  return unused === undefined
    ? 'git is not installed'
    : `${JSON.stringify(unused)} is inside the project and is not used, and there is no other git on PATH`;
}
