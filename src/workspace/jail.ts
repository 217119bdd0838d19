import { join, relative, resolve } from 'node:path';
import { isProtected, readRootPath } from '../core/path.js';
import { UserError } from '../node/errors.js';
import { requireOwn } from '../node/files.js';
import { type FileStats, Folder, readText } from '../node/folder.js';
import { UserTrees } from './root.js';

/** Where a path leads: a name in a folder that is open, no symlink left on the way. */
export interface ResolvedPath {
  folder: Folder;
  name: string;
  /** Relative to the root, every link resolved. */
  path: string;
  /** What is there; undefined for nothing. A symlink only where links are not followed. */
  stats: FileStats | undefined;
  /** Folders between `folder` and `name` that are not there yet, from the outside in. */
  missing: string[];
  /** The path itself is a symlink, and not only a folder on the way. */
  linked: boolean;
}

export type Located =
  | { status: 'inside'; place: ResolvedPath }
  /** `reason` completes the sentence "<path> …". */
  | { status: 'refused'; code: RefusalCode; reason: string };

/**
 * `invalid`: no file can have that path; `blocked`: a file is where a folder is needed; `failed`: the machine did not
 * let us look.
 */
type RefusalCode = 'invalid' | 'outside' | 'protected' | 'blocked' | 'unusable' | 'failed';

export interface LocateOptions {
  /** teddy itself may write to the protected trees; a plan may not. */
  origin?: 'plan' | 'tool';
  /** Reading is allowed in protected trees, the journals and the user's own teddy folders aside. */
  purpose?: 'read' | 'write';
  /** For entries of a changeset: no link is followed, and these paths count as gone. */
  unfollowed?: { gone: ReadonlySet<string> } | undefined;
}

const MOST_LINKS = 40;

/** A folder of the user's own, which nothing in a project leads into: for a jail it is not there. */
class OffLimits extends Error {
  readonly code = 'ENOENT';
}

/**
 * The only way from a written path to a place on disk. Component by component, each folder
 * opened through the one before it; links are resolved by hand and only as far as they stay inside the
 * root. The folders that it opened can be used until `close`.
 */
export class Jail {
  readonly userTrees: UserTrees;
  private readonly opened = new Map<string, Folder>();
  private guarded: ReadonlySet<string> | undefined;

  constructor(readonly root: string) {
    const base = Folder.open(root);
    this.opened.set('', base);
    this.userTrees = UserTrees.of(root);
    if (this.userTrees.surroundRoot) this.close();
  }

  close(): void {
    for (const folder of this.opened.values()) folder.close();
    this.opened.clear();
  }

  get openCount(): number {
    return this.opened.size;
  }

  /** The open folder at a path that holds no links; undefined where there is none. */
  folder(path: string): Folder | undefined {
    try {
      return this.folderAt(path === '' ? [] : path.split('/'));
    } catch {
      return undefined;
    }
  }

  /** A folder that was removed, and what was opened in it, is looked for again. */
  forget(path: string): void {
    for (const [key, folder] of this.opened) {
      if (key !== path && !key.startsWith(`${path}/`)) continue;
      folder.close();
      this.opened.delete(key);
    }
  }

  /** The same where it was opened before; undefined says nothing. */
  openedFolder(path: string): Folder | undefined {
    return this.opened.get(path);
  }

  /** As `folder`, but where the machine does not let us look it throws. */
  requireFolder(path: string): Folder | undefined {
    try {
      return this.folderAt(path === '' ? [] : path.split('/'));
    } catch (error) {
      if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(describeError(error))) return undefined;
      throw error;
    }
  }

  /** Throws `UserError` only where a folder of the tool's own is not this user's alone. */
  locate(written: string, options: LocateOptions = {}): Located {
    const { origin = 'plan', purpose = 'write', unfollowed } = options;
    const read = readRootPath(written);
    if (read.status !== 'ok') return refuse(read.status, read.reason);
    if (read.path === '.') return refuse('unusable', 'is the root itself');
    try {
      const walk = new Walk(this, unfollowed?.gone);
      const located = walk.follow(read.path);
      if (located.status === 'refused') return located;
      if (origin === 'tool') return refuseStrayed(read.path, located);
      const closed = purpose === 'write' ? this.isGuarded(walk) : isClosedToPlans(located.place.path);
      return closed ? refuse('protected', 'is in a protected folder') : located;
    } catch (error) {
      if (error instanceof OffLimits) return refuse('protected', 'is in a protected folder');
      if (error instanceof UserError) throw error;
      return refuse('failed', `cannot be reached (${describeError(error)})`);
    }
  }

  /**
   * What `locate` finds for reading, where no link is on the way: then there is less to look at. Undefined says nothing.
   * Throws where the machine does not let us look.
   */
  locatePlain(written: string): ResolvedPath | undefined {
    const read = readRootPath(written);
    if (read.status !== 'ok' || read.path !== written || written === '.' || isClosedToPlans(written))
      return undefined;
    const slash = written.lastIndexOf('/');
    const name = written.slice(slash + 1);
    const above = written.slice(0, Math.max(slash, 0));
    const folder = this.opened.get(above) ?? this.folder(above);
    const stats = folder?.lstat(name);
    if (!folder || !stats || stats.isSymbolicLink() || this.userTrees.includes(stats)) return undefined;
    return { folder, name, path: written, stats, missing: [], linked: false };
  }

  folderAt(path: readonly string[]): Folder {
    const key = path.join('/');
    const known = this.opened.get(key);
    if (known) return known;
    if (path.length === 0) throw new OffLimits();
    const folder = this.folderAt(path.slice(0, -1)).enterFolder(path.at(-1)!);
    try {
      if (this.userTrees.includes(folder.seen)) throw new OffLimits();
      if (path[0] === '.teddy') requireOwn(folder.path, folder.seen);
    } catch (error) {
      folder.close();
      throw error;
    }
    this.opened.set(key, folder);
    return folder;
  }

  /** By every name on the way, and by identity: a tree may be known under other names, or by a link. */
  private isGuarded({ names, folders }: Walk): boolean {
    if (names.some(isProtected)) return true;
    this.guarded ??= this.guardedFolders();
    return folders.some((folder) => this.guarded!.has(folder.identity));
  }

  /** The protected trees as they really are: behind a link, or where a `.git` file points to. */
  private guardedFolders(): ReadonlySet<string> {
    const identities = new Set<string>();
    const guard = (path: string) => {
      const located = new Walk(this).follow(path);
      if (located.status === 'refused') return;
      const { folder, name, stats } = located.place;
      if (stats?.isDirectory()) identities.add(`${stats.dev}:${stats.ino}`);
      else if (stats?.isFile() && path === '.git') guardTarget(readText(folder, name));
    };
    const guardTarget = (text: string) => {
      const target = /^gitdir: (.+)$/m.exec(text.slice(0, 4096))?.[1];
      const inside = target && relative(this.root, resolve(this.root, target));
      if (inside && !inside.startsWith('..')) guard(inside);
    };
    for (const path of ['.git', '.teddy', '.ultraplan']) guard(path);
    return identities;
  }
}

/** One path, followed to its end. */
class Walk {
  /** Every name met, those in links included, and every folder passed through. */
  readonly names: string[] = [];
  readonly folders: Folder[] = [];
  private path: string[] = [];
  private todo: string[] = [];
  private links = 0;
  private linked = false;

  constructor(
    private readonly jail: Jail,
    /** Undefined: links are followed. */
    private readonly gone?: ReadonlySet<string>,
  ) {}

  follow(path: string): Located {
    this.queue(path.split('/'));
    while (this.todo.length > 0) {
      const end = this.step(this.todo.shift()!);
      if (end) return end;
    }
    return refuse('unusable', this.path.length === 0 ? 'is the root itself' : 'is a folder');
  }

  private queue(components: readonly string[]): void {
    const real = components.filter((name) => name !== '' && name !== '.');
    this.names.push(...real);
    this.todo.unshift(...real);
  }

  private step(name: string): Located | undefined {
    if (name === '..') return this.goUp();
    const folder = this.jail.folderAt(this.path);
    this.folders.push(folder);
    const found = folder.lstat(name);
    const stats = this.isGone(name, found) ? undefined : found;
    this.keepOut(folder, [name, ...this.todo], stats);
    if (stats?.isSymbolicLink() && this.gone === undefined) return this.followLink(folder.readlink(name));
    if (this.todo.length === 0 || stats === undefined) return this.arrive(folder, name, stats);
    const here = [...this.path, name];
    if (!stats.isDirectory()) return refuse('blocked', `cannot be there: ${here.join('/')} is not a folder`);
    this.path = here;
    return undefined;
  }

  /** A file or link that will be removed is not in the way; once a folder has its place, that is what counts. */
  private isGone(name: string, found: FileStats | undefined): boolean {
    if (this.gone === undefined || this.todo.length === 0 || found?.isDirectory()) return false;
    return this.gone.has([...this.path, name].join('/'));
  }

  private keepOut(folder: Folder, names: readonly string[], stats: FileStats | undefined): void {
    const trees = this.jail.userTrees;
    if ((stats && trees.includes(stats)) || trees.wouldInclude(folder, names)) throw new OffLimits();
  }

  private arrive(folder: Folder, first: string, stats: FileStats | undefined): Located {
    const rest = [first, ...this.todo];
    if (rest.includes('..')) return refuse('unusable', 'leads through a folder that does not exist');
    const name = rest.pop()!;
    const path = [...this.path, ...rest, name].join('/');
    return { status: 'inside', place: { folder, name, path, stats, missing: rest, linked: this.linked } };
  }

  private goUp(): Located | undefined {
    if (this.path.length === 0) return outside();
    this.path = this.path.slice(0, -1);
    return undefined;
  }

  private followLink(target: string): Located | undefined {
    if (++this.links > MOST_LINKS) return refuse('unusable', 'leads through symlinks in a circle');
    if (this.todo.length === 0) this.linked = true;
    if (target.startsWith('/')) return this.enter(target);
    // A link may lead out of the root and back into it, but nothing behind it may: the root has a real path.
    if (climbsOut(target, this.path.length)) return this.enter(join(this.jail.root, ...this.path, target));
    this.queue(target.split('/'));
    return undefined;
  }

  private enter(absolute: string): Located | undefined {
    const { root } = this.jail;
    if (absolute !== root && !absolute.startsWith(`${root}/`)) {
      return outside();
    }
    this.path = [];
    this.queue(absolute.slice(root.length).split('/'));
    return undefined;
  }
}

/** The tool writes into protected trees by their own names only: a link there, or to there, was not made by it. */
function refuseStrayed(written: string, located: Extract<Located, { status: 'inside' }>): Located {
  const { path } = located.place;
  if (path === written || !(isProtected(path) || isProtected(written))) return located;
  return refuse(
    'protected',
    `leads through a link to ${path}, and no link may lead into or out of a protected folder`,
  );
}

function refuse(code: RefusalCode, reason: string): Located {
  return { status: 'refused', code, reason };
}

function outside(): Located {
  return refuse('outside', 'leads out of the root through a symlink');
}

/** Whether a link in a folder so deep goes up past the root, at whatever point. */
function climbsOut(target: string, depth: number): boolean {
  let level = depth;
  for (const name of target.split('/')) {
    if (name === '..') level--;
    else if (name !== '' && name !== '.') level++;
    if (level < 0) return true;
  }
  return false;
}

function isClosedToPlans(path: string): boolean {
  return /^\.teddy\/(?:tx|changes|contents|runs\/[^/]+\/journal)(?:\/|$)/i.test(path);
}

export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}
