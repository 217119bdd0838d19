import { join } from 'node:path';
import type { MountedPlace, ProjectView } from '../../confine/types.js';
import { errorCode } from '../../node/errors.js';
import { lookAtFile } from '../../node/files.js';
import { borrowedObjects, duplicateGitFolder } from '../../node/git/copied-repository.js';
import type { WorkTree } from '../../node/git/work-tree.js';

// What confined programs have of a project and its repository: git works for executors, and none of it reaches the repository.

interface Repository {
  tree: WorkTree;
  commonFolder: string;
}

/** Makes the git folder of an executor. Returns the reason if it cannot. */
export async function makeOwnGit(repository: Repository, folder: string): Promise<string | undefined> {
  try {
    const made = await duplicateGitFolder(repository, folder);
    return made.status === 'ok' ? undefined : made.reason;
  } catch (error) {
    return `${JSON.stringify(folder)} cannot be created (${errorCode(error)})`;
  }
}

/** The git folder of an executor, in place of that of its work tree, and the objects that it needs. Those of submodules are read-only. */
export function showOwnGit({ tree, commonFolder }: Repository, folder: string): MountedPlace[] {
  const at = tree.gitFolder;
  const modules = readOnly(join(at, 'modules'));
  return [
    { from: folder, at, writable: true },
    ...(lookAtFile(modules.from) === 'folder' ? [modules] : []),
    ...borrowedObjects(commonFolder).map(({ path, from }) => ({ from, at: join(at, path), writable: false })),
  ];
}

/** The project itself, where programs can write; but what git and teddy keep there cannot be written. */
export function viewProject(root: string): ProjectView {
  const own = ['.git', '.ultraplan'].map((name) => readOnly(join(root, name)));
  return { root, project: 'writable', places: own };
}

export function readOnly(path: string): MountedPlace {
  return { from: path, at: path, writable: false };
}
