import { isProtected } from '../../core/path.js';
import { MB } from '../../node/files.js';
import { Folder, readText } from '../../node/folder.js';
import { type IgnoreRule, judgePath, parseIgnore } from './gitignore.js';

export interface Walked {
  /** Sorted. */
  files: string[];
  /** Not so: there are more. */
  isWhole: boolean;
  /** Whether a `.gitignore` has more rules than are read. */
  hasMoreRules: boolean;
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
export function walkFiles(root: string, most: number, isHidden: (path: string) => boolean): Walked {
  const walk = new Walk(most, isHidden);
  walk.enter(() => Folder.open(root), [], []);
  return { files: walk.files.sort(), isWhole: walk.isWhole, hasMoreRules: walk.hasMoreRules };
}

class Walk {
  readonly files: string[] = [];
  isWhole = true;
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
      if (kind === 'none' || isIgnored(rules, here, kind === 'folder')) continue;
      if (kind === 'file') this.add(here.join('/'));
      else if (here.length < DEEPEST) this.enter(() => folder.openFolder(name), here, rules);
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
