import { join } from 'node:path';
import { files } from '../file-calls.js';
import { realPath } from '../files.js';
import { refuseForeign } from '../ownership.js';
import { gitList } from './command.js';
import type { FoundRepository } from './repository.js';

/** No repository is there, so that only what the user has set counts. */
const NOWHERE = '/dev/null/none';

/**
 * Why a repository is not used: somebody else owns it or can write to it, and could have it run programs of theirs. As
 * git has it, folders that the user's own config calls safe (`safe.directory`) are used anyway.
 */
export async function refuseOwners(found: FoundRepository): Promise<string | undefined> {
  const reason = findForeign(found);
  if (reason === undefined || (await isCalledSafe(found.top))) return undefined;
  return reason;
}

function findForeign({ top, gitFolder, commonFolder }: FoundRepository): string | undefined {
  const configs = [join(commonFolder, 'config'), join(gitFolder, 'config.worktree')];
  for (const path of new Set([top, join(top, '.git'), gitFolder, commonFolder, ...configs])) {
    try {
      const stats = files.statAt(path);
      const reason = stats && refuseForeign(path, stats);
      if (reason !== undefined) return reason;
    } catch (error) {
      return `${path} cannot be looked at (${String(error)})`;
    }
  }
  return undefined;
}

async function isCalledSafe(top: string): Promise<boolean> {
  const words = ['config', '-z', '--type=path', '--get-all', 'safe.directory'];
  const listed = await gitList(words, { cwd: '/', outside: [top], env: { GIT_DIR: NOWHERE } });
  if (listed.status !== 'ok') return false;
  // An empty one takes back those before it.
  const named = listed.items.slice(listed.items.lastIndexOf('') + 1);
  return named.some((path) => {
    if (path === '*') return true;
    if (path.endsWith('/*')) return top.startsWith(`${realPath(path.slice(0, -2))}/`);
    return realPath(path) === top;
  });
}
