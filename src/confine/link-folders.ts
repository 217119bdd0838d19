import { join } from 'node:path';
import { files } from '../node/file-calls.js';
import { lookAtFile } from '../node/files.js';
import type { ProjectCopy } from '../workspace/copy/types.js';

// Without confinement nothing can be mounted: the folders that a copy borrows are links to those of the project.

/** Whether any of the project's own is linked; those of the repository's objects are not counted. */
export function linkFolders({ copy, lent }: Pick<ProjectCopy, 'copy' | 'lent'>): boolean {
  const linked = lent.filter(({ path, from }) => {
    const at = join(copy, path);
    if (lookAtFile(at) !== 'folder' || files.list(at).length > 0) return false;
    files.rmdir(at);
    files.symlink(from, at);
    return true;
  });
  return linked.some(({ path }) => !path.startsWith('.git/'));
}

/** Folders again, so that something can be mounted there: a confined program would look for a link's target in its copy. */
export function unlinkFolders({ copy, lent }: Pick<ProjectCopy, 'copy' | 'lent'>): void {
  for (const { path, from } of lent) {
    const at = join(copy, path);
    if (lookAtFile(at) !== 'symlink' || files.readlink(at) !== from) continue;
    files.unlink(at);
    files.mkdir(at, 0o755);
  }
}
