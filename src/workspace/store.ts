import { join } from 'node:path';
import {
  closing,
  errorCode,
  type FileStats,
  Folder,
  files,
  isAlreadyThere,
  lookAt,
  randomId,
  readText,
  Unusable,
  writeText,
} from '../platform/index.js';

/** What of `.teddy` is the machine's and not the project's. */
const IGNORED = [
  '/lock',
  '/tx/',
  '/runs/',
  '/reports/',
  '/context-maps/',
  '/incoming/',
  '/incoming.lock',
  '/turn.context',
  '/session',
  '/sessions/*/lock',
  '/sessions/*/*/answer.part',
  '/sessions/*/*/message.part',
]
  .map((line) => `${line}\n`)
  .join('');

/** What earlier versions wrote there. */
const IGNORED_BEFORE = [
  '/lock\n/tx/\n/runs/\n/turn.context\n',
  '/lock\n/tx/\n/runs/\n/incoming/\n/turn.context\n',
  '/lock\n/tx/\n/runs/\n/incoming/\n/incoming.lock\n/turn.context\n',
  '/lock\n/tx/\n/runs/\n/reports/\n/context-maps/\n/incoming/\n/incoming.lock\n/turn.context\n',
];

/**
 * The tool's own folder in a root: `.teddy`, with `tx` for changes under way. Made on first use, `tx` for
 * this user's eyes alone.
 */
export class Store {
  private constructor(
    readonly folder: Folder,
    readonly tx: Folder,
  ) {}

  /** Throws `Unusable` where there is no place for it. */
  static open(root: string): Store {
    try {
      return Store.make(root);
    } catch (error) {
      throw new Unusable(explain(root, error), { cause: error });
    }
  }

  private static make(root: string): Store {
    const base = Folder.open(root);
    try {
      makeFolder(base, '.teddy', 0o777);
      const folder = base.openFolder('.teddy');
      try {
        if (makeFolder(folder, 'tx', 0o700)) folder.sync();
        const ignore = folder.lstat('.gitignore');
        // Written last, it stands for all of this being on disk.
        if (ignore === undefined) {
          base.sync();
          writeIgnore(folder);
        } else renewIgnore(folder, ignore);
        return new Store(folder, folder.openFolder('tx'));
      } catch (error) {
        folder.close();
        throw error;
      }
    } finally {
      base.close();
    }
  }

  close(): void {
    this.tx.close();
    this.folder.close();
  }
}

function explain(root: string, error: unknown): string {
  const look = lookAt(join(root, '.teddy'));
  if (look === 'symlink') return '.teddy is a link, and it has to be a folder.';
  if (look !== 'missing' && look !== 'folder') return '.teddy is a file, and it has to be a folder.';
  const code = errorCode(error);
  if (look === 'folder') return `.teddy cannot be used (${code}).`;
  return `There is no place for .teddy in ${root}: it cannot be made there (${code}).`;
}

/** The tool's own folder where there is one; undefined where there is none. Changes nothing. */
export function findStore(root: string): Folder | undefined {
  let base: Folder | undefined;
  try {
    base = Folder.open(root);
    return base.openFolder('.teddy');
  } catch {
    return undefined;
  } finally {
    base?.close();
  }
}

/** Whether a commit is under way there, or was cut off. */
export function hasChangesUnderWay(store: Folder): boolean {
  if (!store.lstat('tx')?.isDirectory()) return false;
  const tx = store.openFolder('tx');
  try {
    return tx.list().length > 0;
  } finally {
    tx.close();
  }
}

/** True when it was not there before. */
export function makeFolder(parent: Folder, name: string, mode: number): boolean {
  if (parent.lstat(name) !== undefined) return false;
  try {
    parent.makeFolder(name, mode);
    return true;
  } catch (error) {
    if (isAlreadyThere(error)) return false;
    throw error;
  }
}

/** Only what nobody has changed. Without it all works as well, so a failure is none. */
function renewIgnore(folder: Folder, stats: FileStats): void {
  if (!stats.isFile() || IGNORED_BEFORE.every(({ length }) => length !== stats.size)) return;
  try {
    if (IGNORED_BEFORE.includes(readText(folder, '.gitignore'))) writeIgnore(folder);
  } catch {}
}

function writeIgnore(folder: Folder): void {
  const part = `.gitignore-${randomId(8)}`;
  closing(folder.create(part, 0o644), (file) => {
    writeText(file, IGNORED);
    files.sync(file);
  });
  folder.rename(part, folder, '.gitignore');
  folder.sync();
}
