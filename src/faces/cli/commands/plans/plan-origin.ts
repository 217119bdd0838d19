import { relative } from 'node:path';
import { lookAtFile, realPath } from '../../../../node/files.js';

const SESSIONS = '.teddy/sessions';

/** A plan from the clipboard is a turn of the session last worked in; so is one that lies in a turn's own folder. */
export function isOfSession(root: string, file: string | undefined, session?: string | false): boolean {
  if (session === false) return false;
  if (session !== undefined) return true;
  if (file === undefined) return lookAtFile(`${root}/${SESSIONS}`) === 'folder';
  return pathInside(root, file)?.startsWith(`${SESSIONS}/`) === true;
}

/** The plan's path from the root; null where it came from elsewhere. */
export function pathInside(root: string, file: string | undefined): string | null {
  if (file === undefined || file === '-') return null;
  const real = realPath(file);
  const path = real === undefined ? '' : relative(root, real);
  return path === '' || path.startsWith('..') || path.startsWith('/') ? null : path;
}
