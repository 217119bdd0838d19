import { join } from 'node:path';
import { lookAtFile } from '../files.js';
import type { WorkTree } from './work-tree.js';

const OPERATIONS: Record<string, string> = {
  MERGE_HEAD: 'A merge',
  CHERRY_PICK_HEAD: 'A cherry-pick',
  REVERT_HEAD: 'A revert',
  'rebase-merge': 'A rebase',
  'rebase-apply': 'A rebase',
  BISECT_LOG: 'A bisection',
};

/** A sentence on what a person has begun in a work tree and not ended. */
export function findUnfinished({ folder, gitFolder }: WorkTree): string | undefined {
  const found = Object.keys(OPERATIONS).find((name) => lookAtFile(join(gitFolder, name)) !== 'missing');
  if (found === undefined) return undefined;
  return `${OPERATIONS[found]} is under way in ${JSON.stringify(folder)}. Finish it or abort it, and try again.`;
}
