import { join } from 'node:path';
import { splitWords } from '../../core/text.js';
import { files } from '../file-calls.js';
import { readBytes } from '../files.js';
import { type GitFailure, type GitResult, git } from './command.js';
import { readFlagged, SUBMODULE } from './entries.js';

// A repository of teddy's own that stores a folder as raw bytes. Nobody else can write to it, so git can run with it
// on files that untrusted programs have changed: their hooks, filters and settings have no effect.

const TIMEOUT_MS = 20 * 60_000;
const LARGEST_INDEX = 1024 * 1024 * 1024;

/** Before all others: no file is converted, whatever attributes it brings. */
const RAW = '* -text -crlf -eol -filter -ident -working-tree-encoding -diff -merge\n';

const SETTINGS = splitWords(`
  core.bare=false core.autocrlf=false core.eol=lf core.compression=0 core.looseCompression=0
  core.filemode=true core.symlinks=true core.ignorecase=false core.precomposeunicode=false
  core.splitIndex=false core.untrackedCache=false core.sparseCheckout=false index.sparse=false
  core.trustctime=true core.checkStat=default core.ignoreStat=false core.safecrlf=false
  core.attributesFile=/dev/null core.fscache=false gc.auto=0 maintenance.auto=false
  advice.addEmbeddedRepo=false add.ignoreErrors=false core.protectNTFS=false
`);

/** A file that git has: `100644`, `100755` or `120000`, and the id of its content. */
export interface BaseEntry {
  mode: string;
  id: string;
}

/** What git found below a folder. A name that is not UTF-8 has U+FFFD in it. */
export interface FolderFindings {
  /** Files of the base that hold something else now, or are gone. */
  changed: string[];
  /** Not ignored by the folder's own rules. A repository within it is one path with a `/` at its end. */
  untracked: string[];
}

export type Listed<T> = ({ status: 'ok' } & T) | GitFailure;

/** No method throws, but for a full disk. */
export class BaseRepository {
  constructor(
    /** `base.git`. Absolute, in a folder of teddy's own. */
    readonly gitFolder: string,
    /** The project and its copy: no program is taken from there. */
    private readonly outside: readonly string[],
  ) {}

  /** An empty one that borrows the objects of another. */
  create(objectFormat: string, alternates: readonly string[], exclude: Uint8Array): void {
    for (const path of ['', 'objects', 'objects/info', 'refs', 'refs/heads', 'info'])
      files.mkdir(join(this.gitFolder, path), 0o700);
    const format = objectFormat === 'sha1' ? '0' : `1\n[extensions]\n\tobjectformat = ${objectFormat}`;
    this.write('config', `[core]\n\tbare = false\n\trepositoryformatversion = ${format}\n`);
    this.write('HEAD', 'ref: refs/heads/none\n');
    this.write('info/attributes', RAW);
    this.write('info/exclude', exclude);
    this.write('objects/info/alternates', alternates.map((path) => `${path}\n`).join(''));
  }

  /** Takes in every file of a folder that is not ignored. `index`: what is known of it already. */
  async takeIn(folder: string, index: string | undefined): Promise<Listed<{ modules: string[] }>> {
    if (index !== undefined) {
      const prepared = await this.takeIndex(folder, index);
      if (prepared.status !== 'ok') return prepared;
    }
    const added = await this.run(folder, ['add', '-A', '--', '.']);
    if (added.status !== 'ok') return added;
    // The project's index has files as its filters and line endings left them: they are hashed again.
    const raw = index === undefined ? added : await this.run(folder, ['add', '--renormalize', '--', '.']);
    if (raw.status !== 'ok') return raw;
    const modules = await this.run(folder, ['ls-files', '-s', '-z']);
    if (modules.status !== 'ok') return modules;
    const paths = modules.stdout.split('\0').filter((item) => item.startsWith(SUBMODULE));
    const names = paths.map((item) => item.slice(item.indexOf('\t') + 1));
    const gone = await this.remove(folder, names);
    return gone.status === 'ok' ? { status: 'ok', modules: names } : gone;
  }

  /** All of its files, including ignored ones and those marked with skip-worktree or assume-unchanged. */
  private async takeIndex(folder: string, index: string): Promise<GitResult> {
    const read = readBytes(index, LARGEST_INDEX);
    if (read.status !== 'bytes') return { status: 'ok', stdout: '' };
    this.write('index', read.bytes);
    for (const name of files.list(join(index, '..')).filter((each) => each.startsWith('sharedindex.'))) {
      const shared = readBytes(join(index, '..', name), LARGEST_INDEX);
      if (shared.status === 'bytes') this.write(name, shared.bytes);
    }
    const listed = await this.run(folder, ['ls-files', '-z', '-v', '--stage']);
    if (listed.status !== 'ok') return listed;
    const flagged = readFlagged(listed.stdout.split('\0'));
    if (flagged.length > 0) {
      const input = flagged.map((path) => `${path}\0`).join('');
      for (const flag of ['--no-assume-unchanged', '--no-skip-worktree']) {
        const cleared = await this.run(folder, ['update-index', flag, '-z', '--stdin'], input);
        if (cleared.status !== 'ok') return cleared;
      }
    }
    return listed;
  }

  private async remove(folder: string, paths: readonly string[]): Promise<GitResult> {
    if (paths.length === 0) return { status: 'ok', stdout: '' };
    const input = paths.map((path) => `${path}\0`).join('');
    return this.run(folder, ['update-index', '--force-remove', '-z', '--stdin'], input);
  }

  async writeTree(folder: string): Promise<Listed<{ tree: string }>> {
    const written = await this.run(folder, ['write-tree']);
    return written.status === 'ok' ? { status: 'ok', tree: written.stdout.trim() } : written;
  }

  /** Writes every file into an empty folder, and remembers when, so that unchanged ones need not be read again. */
  checkOut(folder: string): Promise<GitResult> {
    return this.run(folder, ['checkout-index', '-a', '-u', '-f', '-q']);
  }

  /** Writes some files, as they were, below another folder, which ends with a `/`. */
  async writeBefore(folder: string, paths: readonly string[], prefix: string): Promise<GitResult> {
    if (paths.length === 0) return { status: 'ok', stdout: '' };
    const input = paths.map((path) => `${path}\0`).join('');
    return this.run(folder, ['checkout-index', '-f', '-q', '-z', '--stdin', `--prefix=${prefix}`], input);
  }

  /** Writes contents by their ids into an empty folder, each under its name; what the repository lacks is left out. */
  async writeContents(folder: string, contents: readonly { id: string; name: string }[]): Promise<void> {
    const input = contents.map(({ id, name }) => `100644 ${id}\t${name}\0`).join('');
    await this.run(folder, ['update-index', '-z', '--index-info'], input);
    await this.run(folder, ['checkout-index', '-a', '-f', '-q']);
  }

  /** By path. */
  async entries(folder: string): Promise<Listed<{ entries: Map<string, BaseEntry> }>> {
    const listed = await this.run(folder, ['ls-files', '-s', '-z']);
    if (listed.status !== 'ok') return listed;
    return { status: 'ok', entries: readStages(listed.stdout) };
  }

  async compare(folder: string): Promise<Listed<FolderFindings>> {
    const words = splitWords('diff-files -z --name-only --no-renames --ignore-submodules=all --no-ext-diff');
    const changed = await this.run(folder, words);
    if (changed.status !== 'ok') return changed;
    const untracked = await this.run(folder, ['ls-files', '-z', '--others', '--exclude-standard']);
    if (untracked.status !== 'ok') return untracked;
    return { status: 'ok', changed: namesIn(changed.stdout), untracked: namesIn(untracked.stdout) };
  }

  /** What is ignored: a folder of which everything is has a `/` at its end. */
  async ignored(folder: string): Promise<Listed<{ paths: string[] }>> {
    const words = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
    const listed = await this.run(folder, words);
    return listed.status === 'ok' ? { status: 'ok', paths: namesIn(listed.stdout) } : listed;
  }

  private run(folder: string, args: readonly string[], input?: string): Promise<GitResult> {
    const env = { GIT_DIR: this.gitFolder, GIT_WORK_TREE: folder };
    return git(args, {
      ...{ cwd: folder, outside: this.outside, env, config: SETTINGS, input, timeoutMs: TIMEOUT_MS },
    });
  }

  private write(name: string, content: Uint8Array | string): void {
    writeNewFile(join(this.gitFolder, name), content);
  }
}

/** A file that must not be there yet. */
export function writeNewFile(path: string, content: Uint8Array | string): void {
  const file = files.open(path, 'wx', 0o600);
  try {
    const bytes = Buffer.from(content);
    for (let at = 0; at < bytes.length; ) at += files.write(file, bytes, at, bytes.length - at, null);
  } finally {
    files.close(file);
  }
}

function namesIn(stdout: string): string[] {
  return stdout.split('\0').filter((name) => name !== '');
}

/** `100644 1f0c… 0⇥path`, each an item. */
export function readStages(stdout: string): Map<string, BaseEntry> {
  const entries = new Map<string, BaseEntry>();
  for (const item of namesIn(stdout)) {
    const [mode = '', id = ''] = item.split(' ', 2);
    entries.set(item.slice(item.indexOf('\t') + 1), { mode, id });
  }
  return entries;
}
