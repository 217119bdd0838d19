import { isProtected } from '../../core/path.js';
import { listGitFiles } from '../../node/git/listing.js';
import { UserTrees } from '../root.js';
import { walkFiles } from './walk-files.js';

const MOST_FILES = 200_000;

export interface ProjectFiles {
  /** Paths from the root, sorted. */
  files: string[];
  /** A whole sentence where they are not all of them, or not those that git would list. */
  note: string | null;
}

/**
 * The project's files: all that git lists, so none that it ignores. Without git or a repository the folders are walked
 * by the rules of their `.gitignore` files. Never a file of git's own or of teddy's,
 * those in the user's own folders included. Links are listed, never followed.
 */
export async function listProjectFiles(root: string, most = MOST_FILES): Promise<ProjectFiles> {
  const own = UserTrees.of(root).below;
  const isUsersOwn = (path: string) => own.some((tree) => path === tree || path.startsWith(`${tree}/`));
  const listed = await listGitFiles(root);
  // A project that the repository around it ignores has no file for git, and yet it has some.
  if (listed.status === 'ok' && listed.files.length > 0) {
    const files = listed.files.filter((path) => !isProtected(path) && !isUsersOwn(path));
    if (files.length <= most) return { files, note: null };
    return { files: files.slice(0, most), note: tooMany(most, `${files.length} files`) };
  }
  const { files, isWhole, hasMoreRules } = walkFiles(root, most, isUsersOwn);
  const notes: string[] = [];
  if (listed.status === 'failed')
    notes.push(`git does not tell which files there are (${listed.reason}): these were found without it.`);
  if (hasMoreRules)
    notes.push('A .gitignore has more rules than are read without git: some files of it may be listed.');
  if (!isWhole) notes.push(tooMany(most, 'more files'));
  return { files, note: notes.join(' ') || null };
}

function tooMany(most: number, all: string): string {
  return `There are ${all}: only the first ${most} are seen here.`;
}
