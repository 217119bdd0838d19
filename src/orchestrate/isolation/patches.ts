import { join } from 'node:path';
import { writeChanges } from '../../core/changeset/changes-text.js';
import { errorCode } from '../../node/errors.js';
import { files } from '../../node/file-calls.js';
import { lookAtFile, MB, removeTree } from '../../node/files.js';
import { closing, Folder, isAlreadyThere } from '../../node/folder.js';
import { readTreeChangeset, writeFolderTree } from '../../node/git/changed-entries.js';
import type { WorkTree } from '../../node/git/work-tree.js';
import { hideFromGit } from '../../workspace/store.js';

const LARGEST = 20 * MB;
const KEPT = 100;
const ENDING = '.patch';

/** For `git apply`, whatever the user's settings. */
const PATCH_DIFF = [
  ...[
    'diff',
    '--binary',
    '--full-index',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
    '--submodule=short',
  ],
  ...['--ignore-submodules=none', '--src-prefix=a/', '--dst-prefix=b/', '--no-relative', '-M'],
];

/**
 * Saves the difference between two commits as a patch under a new name, and removes the oldest patches. Returns its path
 * from the project's root; null if there is nothing to save, or it is too large or cannot be written.
 */
export async function keepPatch(
  root: string,
  tree: WorkTree,
  { name, from, to }: { name: string; from: string; to: string },
): Promise<string | null> {
  if (from === to) return null;
  const folder = prepareFolder(root, 'patches');
  if (folder.status !== 'ok') return null;
  const temporary = join(folder.path, `.${name}.new`);
  try {
    hidePatches(folder.path);
    removeTree(temporary);
    // git keeps the mode of an existing file.
    closing(files.open(temporary, 'wx', 0o600), () => {});
    const made = await tree.run([...PATCH_DIFF, `--output=${temporary}`, from, to, '--']);
    const size = files.lstat(temporary)?.size ?? 0;
    if (made.status !== 'ok' || size === 0 || size > LARGEST) return null;
    const kept = findName(folder.path, name);
    files.rename(temporary, join(folder.path, kept));
    dropOldest(folder.path);
    return `.ultraplan/state/patches/${kept}`;
  } catch {
    return null;
  } finally {
    removeTree(temporary);
  }
}

/** They contain real content, including secrets, so only this user may read them; older ones too. */
function hidePatches(folder: string): void {
  hide(folder, 0o700);
  for (const name of files.list(folder)) if (name.endsWith(ENDING)) hide(join(folder, name), 0o600);
}

/** A file of another user cannot be hidden; that does not prevent saving. */
function hide(path: string, mode: number): void {
  const look = lookAtFile(path);
  if (look !== 'file' && look !== 'folder') return;
  try {
    if (((files.lstat(path)?.mode ?? 0) & 0o077) === 0) return;
    closing(files.open(path, 'r'), (file) => files.chmod(file, mode));
  } catch {}
}

/** `03-01-2-1.patch`, or `03-01-2-1-2.patch` if that exists: an interrupted attempt is repeated. */
function findName(folder: string, name: string): string {
  for (let count = 1; ; count++) {
    const file = count === 1 ? `${name}${ENDING}` : `${name}-${count}${ENDING}`;
    if (lookAtFile(join(folder, file)) === 'missing') return file;
  }
}

function dropOldest(folder: string): void {
  const patches = files
    .list(folder)
    .filter((name) => name.endsWith(ENDING))
    .map((name) => ({ path: join(folder, name), time: files.lstat(join(folder, name))?.mtimeMs ?? 0 }))
    .sort((a, b) => b.time - a.time);
  for (const { path } of patches.slice(KEPT)) removeTree(path);
}

const STATE = ['.ultraplan', 'state'];

export type StateFolder = { status: 'ok'; path: string } | { status: 'refused'; reason: string };

/** A folder under `.ultraplan/state`, created if missing. A link in its path is refused. */
export function prepareFolder(root: string, name: string): StateFolder {
  let path = root;
  try {
    for (const part of [...STATE, name]) {
      path = join(path, part);
      if (lookAtFile(path) === 'missing') makeFolder(path);
      const look = lookAtFile(path);
      if (look !== 'folder')
        return {
          status: 'refused',
          reason: `${JSON.stringify(path)} is in the way: it must be a folder.`,
        };
    }
    const state = Folder.open(files.realpath(join(root, ...STATE)));
    try {
      hideFromGit(state);
    } finally {
      state.close();
    }
    return { status: 'ok', path };
  } catch (error) {
    return { status: 'refused', reason: `${JSON.stringify(path)} cannot be created (${errorCode(error)}).` };
  }
}

/** Another process may create it at the same time. */
function makeFolder(path: string): void {
  try {
    files.mkdir(path);
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
  }
}

/** The files of a work tree compared with a commit, to read. Without `isOwn` files. Never throws. */
export async function diffWorkTree(
  tree: WorkTree,
  base: string,
  isOwn: (path: string) => boolean,
): Promise<string> {
  const now = await writeFolderTree(tree, base);
  const changes = now.status === 'ok' ? await readTreeChangeset(tree, base, now.tree, isOwn) : now;
  return changes.status === 'ok'
    ? writeChanges(changes.files)
    : `git cannot show the changes: ${changes.reason}.\n`;
}
