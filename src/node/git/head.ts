import { join } from 'node:path';
import { lookAtFile } from '../files.js';
import { readFirstLine } from './repository.js';

/** What a work tree has checked out. */
export interface Head {
  commit: string;
  /** Null where it is not a branch. */
  branch: string | null;
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const BRANCH = /^ref: refs\/heads\/((?!.*\.\.).+)$/;

/**
 * Reads HEAD without starting git. Undefined where only git can tell: the branch is packed, has no commit yet, or is
 * kept in another format than one file for each branch.
 */
export function readHead(gitFolder: string, commonFolder: string): Head | undefined {
  const path = join(gitFolder, 'HEAD');
  const line = lookAtFile(path) === 'file' ? readFirstLine(path) : undefined;
  if (line === undefined) return undefined;
  if (COMMIT.test(line)) return { commit: line, branch: null };
  const branch = BRANCH.exec(line)?.[1];
  const commit = branch && readFirstLine(join(commonFolder, 'refs/heads', branch));
  return branch && commit && COMMIT.test(commit) ? { commit, branch } : undefined;
}
