import { join } from 'node:path';
import { files } from '../../node/file-calls.js';
import { lookAtFile } from '../../node/files.js';
import { BaseRepository } from '../../node/git/base-repository.js';
import type { ProjectCopy } from './types.js';

/**
 * What was written to folders that were lent, and files and folders that git ignores and that the project does not have,
 * from the root: none of it is part of a changeset. Changes of single ignored files are not found. Never throws.
 */
export async function findIgnoredWrites({ root, folder, copy, lent }: ProjectCopy): Promise<string[]> {
  const written = lent.filter((_, at) => hasContent(join(folder, 'lent', String(at), 'upper')));
  const base = new BaseRepository(join(folder, 'base.git'), [root, copy]);
  const ignored = await base.ignored(copy);
  const isLent = (path: string) =>
    lent.some((each) => path === each.path || path.startsWith(`${each.path}/`));
  const made = (ignored.status === 'ok' ? ignored.paths : [])
    .map((path) => path.replace(/\/$/, ''))
    .filter((path) => !isLent(path) && lookAtFile(join(root, path)) === 'missing');
  return [...written.map(({ path }) => path), ...made].sort();
}

function hasContent(folder: string): boolean {
  try {
    return files.list(folder).length > 0;
  } catch {
    return false;
  }
}
