import { homedir } from 'node:os';
import { join } from 'node:path';
import { files } from '../file-calls.js';
import { findRepository } from './repository.js';
import { listIgnoredFolders, listIgnoreSources } from './tracked-state.js';

/** A folder or file, when it last changed, and its inode; zeros where there is none. */
export type SeenTime = [path: string, ctime: number, inode: number];

/**
 * All on which it depends which paths git tracks or would take in: as long as it is the same, they are. What is only
 * written into a file with rules is seen with the other files.
 */
export interface ListingMark {
  /** Which repository, and where git finds the user's settings. */
  place: string;
  /** Every folder that git looks into, from the root. */
  folders: SeenTime[];
  /** The index, and files with settings and rules. Absolute. */
  files: SeenTime[];
}

export const IGNORE_RULES = '.gitignore';
const MOST_FOLDERS = 200_000;
const SETTINGS = ['HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'];

/** Whether the same paths are covered as when the mark was made. */
export function isListingCurrent(root: string, mark: ListingMark): boolean {
  if (mark.place !== describePlace(root)) return false;
  const start = root.endsWith('/') ? root : `${root}/`;
  return (
    mark.files.every((each) => isSeenAgain(each[0], each)) &&
    mark.folders.every((each) => isSeenAgain(each[0] === '' ? root : start + each[0], each))
  );
}

function isSeenAgain(path: string, [, ctime, inode]: SeenTime): boolean {
  try {
    const stats = files.lstat(path);
    return (stats?.ctimeMs ?? 0) === ctime && (stats?.ino ?? 0) === inode;
  } catch {
    return false;
  }
}

/** Undefined outside of a repository. */
function describePlace(root: string): string | undefined {
  const found = findRepository(root);
  if (found.status !== 'ok') return undefined;
  return JSON.stringify([found, SETTINGS.map((name) => process.env[name] ?? null)]);
}

/**
 * Undefined where nothing proves that the same paths are still covered. `folders` hold what is covered, `others` is what
 * else is in them; what changed at `racyFrom` or later may have changed since it was listed.
 */
export async function markListing(
  root: string,
  folders: readonly SeenTime[],
  others: Iterable<string>,
  racyFrom: number,
): Promise<ListingMark | undefined> {
  const isSettled = ([, ctime]: SeenTime) => ctime < racyFrom;
  if (!folders.every(isSettled)) return undefined;
  const place = describePlace(root);
  const sources = await listIgnoreSources(root);
  const hidden = await listUnlisted(root, others);
  if (place === undefined || sources === undefined || hidden === undefined) return undefined;
  const mark: ListingMark = {
    place,
    folders: [...folders, ...hidden.folders],
    files: [...sources, ...usersSettings(), ...hidden.rules].map(seeTime),
  };
  const isWhole = mark.folders.length <= MOST_FOLDERS;
  return isWhole && [...mark.folders, ...mark.files].every(isSettled) ? mark : undefined;
}

function seeTime(path: string): SeenTime {
  const stats = files.lstat(path);
  return [path, stats?.ctimeMs ?? 0, stats?.ino ?? 0];
}

/** Where git looks for them, whether or not they are there. */
function usersSettings(): string[] {
  const home = process.env.HOME ?? homedir();
  const own = join(process.env.XDG_CONFIG_HOME || join(home, '.config'), 'git');
  const named = ['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM'].map((name) => process.env[name] ?? '');
  const paths = [join(home, '.gitconfig'), join(own, 'config'), join(own, 'ignore'), '/etc/gitconfig'];
  return [...paths, ...named].filter((path) => path !== '');
}

interface UnlistedFolders {
  folders: SeenTime[];
  /** Files with rules that are ignored themselves. Absolute. */
  rules: string[];
}

/** Folders of which git ignores all that is in them, but not the folder: something new in them would be covered. */
async function listUnlisted(root: string, others: Iterable<string>): Promise<UnlistedFolders | undefined> {
  const found: UnlistedFolders = { folders: [], rules: [] };
  for (let paths = [...others]; paths.length > 0; ) {
    const rules = paths.filter((path) => path === IGNORE_RULES || path.endsWith(`/${IGNORE_RULES}`));
    found.rules.push(...rules.map((path) => join(root, path)));
    const candidates = paths.filter((path) => !isOwnFolder(path) && isFolder(join(root, path)));
    const ignored = await listIgnoredFolders(root, candidates);
    if (ignored === undefined || found.folders.length > MOST_FOLDERS) return undefined;
    const entered = candidates.filter((path) => !ignored.has(path));
    for (const path of entered) found.folders.push([path, ...seeTimeOf(join(root, path))]);
    paths = entered.flatMap((path) => files.list(join(root, path)).map((name) => `${path}/${name}`));
  }
  return found;
}

function seeTimeOf(path: string): [number, number] {
  const [, ctime, inode] = seeTime(path);
  return [ctime, inode];
}

function isFolder(path: string): boolean {
  return files.lstat(path)?.isDirectory() === true;
}

function isOwnFolder(path: string): boolean {
  return ['.git', '.teddy'].includes(path.slice(path.lastIndexOf('/') + 1).toLowerCase());
}
