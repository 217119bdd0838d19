import { join } from 'node:path';
import { splitWords } from '../../core/text.js';
import { files } from '../file-calls.js';
import { readBytes } from '../files.js';
import { writeNewFile } from '../folder.js';
import { type GitFailure, type GitResult, git } from './command.js';
import { readFlagged, SUBMODULE } from './entries.js';

// A repository of teddy's own that stores a folder as raw bytes. No one else can write to it, so git
// is safe on files that untrusted programs changed: their hooks, filters and settings have no effect.

const TIMEOUT_MS = 20 * 60_000;
const LARGEST_INDEX = 1024 * 1024 * 1024;

/** Takes precedence: no file is converted, whatever its attributes. */
const RAW = '* -text -crlf -eol -filter -ident -working-tree-encoding -diff -merge\n';

const SETTINGS = splitWords(`
  core.bare=false core.autocrlf=false core.eol=lf core.compression=0 core.looseCompression=0
  core.filemode=true core.symlinks=true core.ignorecase=false core.precomposeunicode=false
  core.splitIndex=false core.untrackedCache=false core.sparseCheckout=false index.sparse=false
  core.trustctime=true core.checkStat=default core.ignoreStat=false core.safecrlf=false
  core.attributesFile=/dev/null core.fscache=false gc.auto=0 maintenance.auto=false
  advice.addEmbeddedRepo=false add.ignoreErrors=false core.protectNTFS=false
`);

/** A file in git: `100644`, `100755` or `120000`, and the id of its content. */
export interface BaseEntry {
  mode: string;
  id: string;
}

/** The state of a folder. Names that are not UTF-8 contain U+FFFD. */
export interface FolderFindings {
  /** Files of the base that were changed or removed. */
  changed: string[];
  /** Not ignored by the folder's rules. A nested repository is one path that ends with `/`. */
  untracked: string[];
}

export type Listed<T> = ({ status: 'ok' } & T) | GitFailure;

/** Methods throw only if the disk is full. */
export class BaseRepository {
  constructor(
    /** `base.git`. Absolute, in a folder of teddy's own. */
    readonly gitFolder: string,
    /** The project and its copy: programs in them are never run. */
    private readonly outside: readonly string[],
  ) {}

  /** Creates an empty one that borrows the objects of another. */
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

  /** Adds every file of a folder that is not ignored. `index`: an index of it to start from. */
  async takeIn(folder: string, index: string | undefined): Promise<Listed<{ modules: string[] }>> {
    if (index !== undefined) {
      const prepared = await this.takeIndex(folder, index);
      if (prepared.status !== 'ok') return prepared;
    }
    const added = await this.run(folder, ['add', '-A', '--', '.']);
    if (added.status !== 'ok') return added;
    // The project's index has hashes after its filters and line endings, so files are hashed again.
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

  /** Writes every file into an empty folder, and records their times, so that unchanged ones need not be read again. */
  checkOut(folder: string): Promise<GitResult> {
    return this.run(folder, ['checkout-index', '-a', '-u', '-f', '-q']);
  }

  /** Writes some files, as they were, below another folder, which ends with a `/`. */
  async writeBefore(folder: string, paths: readonly string[], prefix: string): Promise<GitResult> {
    if (paths.length === 0) return { status: 'ok', stdout: '' };
    const input = paths.map((path) => `${path}\0`).join('');
    return this.run(folder, ['checkout-index', '-f', '-q', '-z', '--stdin', `--prefix=${prefix}`], input);
  }

  /** Writes contents by their ids into an empty folder, each under its name, except those that the repository lacks. */
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

  /** The ignored paths; a folder that is ignored as a whole ends with `/`. */
  async ignored(folder: string): Promise<Listed<{ paths: string[] }>> {
    const words = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
    const listed = await this.run(folder, words);
    return listed.status === 'ok' ? { status: 'ok', paths: namesIn(listed.stdout) } : listed;
  }

  private run(folder: string, args: readonly string[], input?: string): Promise<GitResult> {
    const env = { GIT_DIR: this.gitFolder, GIT_WORK_TREE: folder };
    return git(args, {
      cwd: folder,
      outside: this.outside,
      env,
      config: SETTINGS,
      input,
      timeoutMs: TIMEOUT_MS,
    });
  }

  private write(name: string, content: Uint8Array | string): void {
    writeNewFile(join(this.gitFolder, name), content);
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
