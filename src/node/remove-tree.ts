import { join } from 'node:path';
import { errorCode } from './error-code.js';
import { files, O_DIRECTORY, O_NOFOLLOW, O_RDONLY } from './file-calls.js';
import { closing } from './folder.js';

/**
 * Takes away a path and whatever is below it, no link followed, folders that may not be written to included. What another
 * disk holds, mounted below it, stays. Gives the reason where something stays.
 */
export function removeTree(path: string): string | undefined {
  try {
    remove(path, files.lstat(path)?.dev);
    return undefined;
  } catch (error) {
    return `${JSON.stringify(path)} cannot be removed (${errorCode(error)}).`;
  }
}

function remove(path: string, device: number | undefined): void {
  const stats = files.lstat(path);
  if (stats === undefined) return;
  if (stats.dev !== device) throw Object.assign(new Error('another disk'), { code: 'EXDEV' });
  if (!stats.isDirectory()) {
    files.unlink(path);
    return;
  }
  if ((stats.mode & 0o700) !== 0o700) makeOpen(path, stats.mode);
  for (const name of files.list(path)) remove(join(path, name), device);
  files.rmdir(path);
}

/** A folder that may not even be read cannot be opened to be changed: then listing it says so. */
function makeOpen(path: string, mode: number): void {
  try {
    closing(files.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), (folder) =>
      files.chmod(folder, mode | 0o700),
    );
  } catch {}
}
