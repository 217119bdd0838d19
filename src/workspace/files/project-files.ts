import { isProtected } from '../../core/path.js';
import { MB } from '../../node/files.js';
import { Folder, readText } from '../../node/folder.js';
import { UserTrees } from '../root.js';
import { type IgnoreRule, judgePath, parseIgnore } from './gitignore.js';

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
  const { listGitFiles } = await import('../../node/git/listing.js');
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
    notes.push(`git could not list the files (${listed.reason}); they were listed without it.`);
  if (hasMoreRules)
    notes.push('A .gitignore has too many rules to apply without git: some ignored files may be listed.');
  if (!isWhole) notes.push(tooMany(most, 'more files'));
  return { files, note: notes.join(' ') || null };
}

function tooMany(most: number, all: string): string {
  return `There are ${all}; only the first ${most} are listed.`;
}

const IGNORE_FILE = '.gitignore';
const LARGEST_IGNORE_FILE = MB;
/** Each is held against every file. */
const MOST_RULES = 500;
/** Each level holds a folder open. */
const DEEPEST = 100;

/** The rules of one folder's `.gitignore`, and how deep that folder is. */
interface Rules {
  depth: number;
  rules: readonly IgnoreRule[];
}

/**
 * The files below `root`, a real path, that no `.gitignore` on the way names and that are not hidden; at most so many. Links are listed as files
 * are, and never followed. Where the machine does not let us look there is nothing. Never throws.
 */
export function walkFiles(root: string, most: number, isHidden: (path: string) => boolean): Walk {
  const walk = new Walk(most, isHidden);
  walk.enter(() => Folder.open(root), [], []);
  walk.files.sort();
  return walk;
}

class Walk {
  readonly files: string[] = [];
  /** Those that are not UTF-8, as far as they can be written: they cannot be looked at. */
  readonly badNames: string[] = [];
  /** Folders that are not entered. */
  readonly tooDeep: string[] = [];
  /** Not so: there are more. */
  isWhole = true;
  /** Whether a `.gitignore` has more rules than are read. */
  hasMoreRules = false;

  constructor(
    private readonly most: number,
    private readonly isHidden: (path: string) => boolean,
  ) {}

  enter(open: () => Folder, path: readonly string[], above: readonly Rules[]): void {
    const folder = tryTo(open);
    if (!folder) return;
    try {
      this.go(folder, path, above);
    } finally {
      folder.close();
    }
  }

  private go(folder: Folder, path: readonly string[], above: readonly Rules[]): void {
    const names = list(folder);
    const own = names.includes(IGNORE_FILE) ? this.limit(readRules(folder)) : [];
    const rules = own.length > 0 ? [...above, { depth: path.length, rules: own }] : above;
    for (const name of names) {
      if (!this.isWhole) return;
      const here = [...path, name];
      const kind = isProtected(name) || this.isHidden(here.join('/')) ? 'none' : kindOf(folder, name);
      if (kind === 'none' && name.includes('\ufffd')) this.badNames.push(here.join('/'));
      if (kind === 'none' || isIgnored(rules, here, kind === 'folder')) continue;
      if (kind === 'file') this.add(here.join('/'));
      else if (here.length < DEEPEST) this.enter(() => folder.openFolder(name), here, rules);
      else this.tooDeep.push(here.join('/'));
    }
  }

  private limit(rules: readonly IgnoreRule[]): readonly IgnoreRule[] {
    if (rules.length > MOST_RULES) this.hasMoreRules = true;
    return rules.slice(0, MOST_RULES);
  }

  private add(path: string): void {
    if (this.files.length < this.most) this.files.push(path);
    else this.isWhole = false;
  }
}

function list(folder: Folder): string[] {
  return tryTo(() => folder.list().sort()) ?? [];
}

function kindOf(folder: Folder, name: string): 'file' | 'folder' | 'none' {
  const stats = tryTo(() => folder.lstat(name));
  if (stats?.isDirectory()) return 'folder';
  return stats?.isFile() || stats?.isSymbolicLink() ? 'file' : 'none';
}

function readRules(folder: Folder): IgnoreRule[] {
  const stats = tryTo(() => folder.lstat(IGNORE_FILE));
  if (!stats?.isFile() || stats.size > LARGEST_IGNORE_FILE) return [];
  return parseIgnore(tryTo(() => readText(folder, IGNORE_FILE)) ?? '');
}

/** The deepest folder whose rules speak of the path decides. */
function isIgnored(rules: readonly Rules[], path: readonly string[], isFolder: boolean): boolean {
  for (const { depth, rules: own } of rules.toReversed()) {
    const judged = judgePath(own, path.slice(depth), isFolder);
    if (judged !== undefined) return judged;
  }
  return false;
}

function tryTo<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
