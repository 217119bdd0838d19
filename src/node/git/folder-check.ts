import { join } from 'node:path';
import { files } from '../file-calls.js';
import { readBytes } from '../files.js';
import { closing, writeAll } from '../folder.js';
import { randomId } from '../ids.js';
import { removeTree } from '../remove-tree.js';
import { type GitRefusal, refuse } from './command.js';
import type { WorkTree } from './work-tree.js';

/** Where a folder is not what a commit has. Paths are from the top of the repository, sorted. */
export interface FolderDifferences {
  /** Files of the commit that hold something else on disk, or are missing there. */
  changed: string[];
  /** A repository within the repository is one path, with a `/` at its end. */
  untracked: string[];
  /** A folder that a rule names is one path, with a `/` at its end. */
  ignored: string[];
}

/** Whatever the repository's settings say, no file is passed over, and one that was only made to look old is read. */
const STRICT = [
  ...['core.trustctime=true', 'core.checkStat=default', 'core.ignoreStat=false', 'core.splitIndex=false'],
  ...['core.untrackedCache=false', 'core.sparseCheckout=false', 'index.sparse=false'],
].flatMap((setting) => ['-c', setting]);
const STATUS = [
  ...['status', '--porcelain=v2', '-z', '--untracked-files=all', '--ignored=matching', '--no-renames'],
  '--ignore-submodules=all',
];
const LARGEST_INDEX = 1024 * 1024 * 1024;

/**
 * Compares a folder with a commit by an index of our own. The work tree's index is in the reach of whoever works there,
 * who can make git believe that a file is what it was.
 */
export class FolderCheck {
  private index: Index | undefined;
  private commit: string | undefined;

  constructor(private readonly tree: WorkTree) {}

  /** Takes over what git noted when it wrote the files. To be called before anybody works there. */
  learn(): void {
    this.index = readIndex(join(this.tree.gitFolder, 'index'));
  }

  /** Never throws. */
  async compare(commit: string): Promise<({ status: 'ok' } & FolderDifferences) | GitRefusal> {
    return this.withIndex(commit, async (index) => {
      const listed = await this.tree.list([...STRICT, ...STATUS], { index, mayRunPrograms: true });
      return listed.status === 'ok' ? { status: 'ok', ...readStatus(listed.items) } : refuse(listed);
    });
  }

  /** Writes files as the commit has them, over whatever is there, and takes others away. Never throws. */
  async restore(
    commit: string,
    { changed, untracked }: Pick<FolderDifferences, 'changed' | 'untracked'>,
  ): Promise<{ status: 'ok' } | GitRefusal> {
    for (const path of untracked) {
      const reason = removeTree(join(this.tree.folder, path));
      if (reason !== undefined) return { status: 'failed', reason };
    }
    if (changed.length === 0) return { status: 'ok' };
    const input = changed.map((path) => `${path}\0`).join('');
    return this.withIndex(commit, async (index) => {
      const written = await this.tree.run([...STRICT, 'checkout-index', '-f', '-q', '-z', '--stdin'], {
        ...{ index, input },
        mayRunPrograms: true,
      });
      return written.status === 'ok' ? { status: 'ok' } : refuse(written);
    });
  }

  /** The index holds the commit as long as `work` takes; in between it is kept where nobody else can change it. */
  private async withIndex<T>(commit: string, work: (index: string) => Promise<T>): Promise<T | GitRefusal> {
    const index = join(this.tree.gitFolder, `teddy-index-${randomId(8)}`);
    try {
      if (this.index) writeIndex(index, this.index);
      if (this.commit !== commit) {
        const words = this.index ? ['read-tree', '-i', '-m', commit] : ['read-tree', commit];
        const read = await this.tree.run([...STRICT, ...words], { index });
        if (read.status !== 'ok') return refuse(read);
        this.index = readIndex(index);
        this.commit = this.index && commit;
      }
      return await work(index);
    } catch (error) {
      return { status: 'failed', reason: `its index cannot be written (${String(error)})` };
    } finally {
      removeTree(index);
      removeTree(`${index}.lock`);
    }
  }
}

/** An index and when it was written, in whole seconds. */
interface Index {
  bytes: Uint8Array;
  seconds: number;
}

function readIndex(path: string): Index | undefined {
  const read = readBytes(path, LARGEST_INDEX);
  const stats = read.status === 'bytes' ? files.lstat(path) : undefined;
  return read.status === 'bytes' && stats
    ? { bytes: read.bytes, seconds: Math.floor(stats.mtimeMs / 1000) }
    : undefined;
}

/** With its time: git tells by that which files may have been changed within the second in which it was written. */
function writeIndex(path: string, { bytes, seconds }: Index): void {
  closing(files.open(path, 'wx', 0o600), (file) => {
    writeAll(file, bytes);
    files.setTimes(file, seconds);
  });
}

/** `1 .M N... 100644 100644 100644 id id path`, `? path` and `! path`; the second letter is about the folder. */
function readStatus(items: readonly string[]): FolderDifferences {
  const differences: FolderDifferences = { changed: [], untracked: [], ignored: [] };
  for (const item of items) {
    if (item.startsWith('? ')) differences.untracked.push(item.slice(2));
    else if (item.startsWith('! ')) differences.ignored.push(item.slice(2));
    else if (item.startsWith('1 ') && item[3] !== '.')
      differences.changed.push(item.split(' ').slice(8).join(' '));
  }
  for (const paths of Object.values(differences) as string[][]) paths.sort();
  return differences;
}
