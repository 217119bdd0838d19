import { join } from 'node:path';
import { errorCode, UserError } from '../node/errors.js';
import { files } from '../node/file-calls.js';
import { lookAtFile, requireOwn } from '../node/files.js';
import { closing, Folder, isAbsent, isAlreadyThere, readText, writeText } from '../node/folder.js';
import { randomId } from '../node/ids.js';

/**
 * What of `.teddy` is the machine's and not the project's, unless the project says otherwise in a file of its own. The
 * file ignores itself: where teddy was only used, `git status` stays as it was.
 */
const IGNORED = [
  '/.gitignore',
  '/lock',
  '/tx/',
  '/runs/',
  '/changes/',
  '/contents/',
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

const IGNORE_FILE = '.gitignore';
const IGNORE_ALL = '*\n';

/** Of the tool's own folders: whatever the umask, no other user can write there. */
export const OWN_MODE = 0o755;

/**
 * The tool's own folder in a root: `.teddy`, with `tx` for changes under way. Made on first use, `tx` for
 * this user's eyes alone.
 */
export class Store {
  private constructor(
    readonly folder: Folder,
    readonly tx: Folder,
  ) {}

  /** Throws `UserError` where there is no place for it. */
  static open(root: string): Store {
    try {
      return Store.make(root);
    } catch (error) {
      if (error instanceof UserError) throw error;
      throw new UserError(explain(root, error), { cause: error });
    }
  }

  private static make(root: string): Store {
    const base = Folder.open(root);
    try {
      makeFolder(base, '.teddy', OWN_MODE);
      const folder = openOwn(base, '.teddy');
      let tx: Folder | undefined;
      try {
        tx = openContent(folder, 'tx');
        // Written last: once it is there, all of this is on disk.
        if (folder.lstat(IGNORE_FILE) === undefined) {
          base.sync();
          writeIgnore(folder);
        }
        return new Store(folder, tx);
      } catch (error) {
        tx?.close();
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
  const look = lookAtFile(join(root, '.teddy'));
  if (look === 'symlink') return '.teddy is a link, but must be a folder.';
  if (look !== 'missing' && look !== 'folder') return '.teddy is a file, but must be a folder.';
  const code = errorCode(error);
  if (look === 'folder') return `.teddy cannot be used (${code}).`;
  return `The folder .teddy cannot be created in ${root} (${code}).`;
}

/**
 * The tool's own folder where there is one; undefined where there is none. Changes nothing. Throws `UserError` where it is
 * not this user's alone.
 */
function findStore(root: string): Folder | undefined {
  let base: Folder | undefined;
  try {
    base = Folder.open(root);
    return openOwn(base, '.teddy');
  } catch (error) {
    if (error instanceof UserError) throw error;
    return undefined;
  } finally {
    base?.close();
  }
}

/** Works in the tool's own folder; undefined where there is none. */
export function inStore<T>(root: string, work: (folder: Folder) => T): T | undefined {
  const folder = findStore(root);
  try {
    return folder && work(folder);
  } finally {
    folder?.close();
  }
}

/** Whether a commit is under way there, or was interrupted. */
export function hasChangesUnderWay(store: Folder): boolean {
  if (!store.lstat('tx')?.isDirectory()) return false;
  const tx = openOwn(store, 'tx');
  try {
    return tx.list().some((name) => !isIgnoreFile(name));
  } finally {
    tx.close();
  }
}

/** Opens a folder of the tool's own. Throws `UserError` where it is not this user's alone. */
export function openOwn(parent: Folder, name: string): Folder {
  const folder = parent.openFolder(name);
  try {
    requireOwn(folder.path, folder.stat());
    return folder;
  } catch (error) {
    folder.close();
    throw error;
  }
}

/**
 * Opens a folder of the tool's own that holds content, made where it is missing, and keeps git from looking into it: by
 * a file in the folder itself, which goes before any other that a repository brings.
 */
export function openContent(parent: Folder, name: string, mode = 0o700): Folder {
  if (makeFolder(parent, name, mode)) parent.sync();
  const folder = openOwn(parent, name);
  try {
    hideFromGit(folder);
    return folder;
  } catch (error) {
    folder.close();
    throw error;
  }
}

/**
 * Puts the file there that says so, in place of whatever is there, a link included. One that a process left half-written
 * is rewritten by the next; another process that does the same at this moment does no harm.
 */
export function hideFromGit(folder: Folder): void {
  if (ignoresAll(folder)) return;
  try {
    if (folder.lstat(IGNORE_FILE) !== undefined) folder.unlink(IGNORE_FILE);
    writeNew(folder, IGNORE_FILE, IGNORE_ALL);
  } catch (error) {
    if (!isAlreadyThere(error) && !isAbsent(error)) throw error;
  }
  folder.sync();
}

/** Folders of content that no code opens by itself: changes lead into them. */
const WRITTEN_TO = ['reports', 'context-maps'];

export function prepareContent({ folder }: Store, changes: readonly { path: string }[]): void {
  for (const name of WRITTEN_TO)
    if (changes.some(({ path }) => path.startsWith(`.teddy/${name}/`))) openContent(folder, name).close();
}

/** The file that keeps git out. */
export function isIgnoreFile(name: string): boolean {
  return name === IGNORE_FILE;
}

function ignoresAll(folder: Folder): boolean {
  const stats = folder.lstat(IGNORE_FILE);
  if (!stats?.isFile() || stats.size !== IGNORE_ALL.length) return false;
  return readText(folder, IGNORE_FILE) === IGNORE_ALL;
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

function writeIgnore(folder: Folder): void {
  const part = `${IGNORE_FILE}-${randomId(8)}`;
  writeNew(folder, part, IGNORED);
  folder.rename(part, folder, IGNORE_FILE);
  folder.sync();
}

function writeNew(folder: Folder, name: string, text: string): void {
  closing(folder.create(name, 0o644), (file) => {
    writeText(file, text);
    files.sync(file);
  });
}
