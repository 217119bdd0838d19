import { createHash, hash as hashOnce } from 'node:crypto';
import { join } from 'node:path';
import { isProtected, readRootPath } from '../../core/path.js';
import { errorCode } from '../../node/errors.js';
import { files } from '../../node/file-calls.js';
import { MB } from '../../node/files.js';
import { closing, type FileStats } from '../../node/folder.js';
import { findRepository } from '../../node/git/repository.js';
import { type GitRefs, listTrackedState, readRefs } from '../../node/git/tracked-state.js';
import { linkHash } from '../commit/change.js';
import { LARGEST_FILE } from '../commit/entries.js';
import { walkFiles } from '../files/project-files.js';
import { Jail } from '../jail.js';
import type { Contents } from './contents.js';
import type { FilesState, StateEntry } from './state.js';

export interface ScanOptions {
  root: string;
  contents: Contents;
  /** What is known already: files whose times are the same are not read again. */
  known: FilesState | undefined;
  /** Whether every content has to be at hand afterwards, in git or among ours. */
  keeps: boolean;
  onProgress?: ((done: number, of: number) => void) | undefined;
}

/** Times this close to the beginning of a scan do not tell apart what was written before and after it. */
const RACY_MS = 2000;
/** Larger files are read in pieces. */
const WHOLE = MB;
/** Before a content, for git's header of it. */
const HEADER = 32;
const MOST_FILES = 500_000;
const REPORT_EVERY = 200;

/**
 * Looks at every file that undo covers: what git tracks or would take in; without git, all that no `.gitignore` names.
 * Never anything of git's or teddy's own. No link is followed, and nothing but regular files is opened.
 */
export async function scanProject(options: ScanOptions): Promise<FilesState> {
  const { root } = options;
  const listed = await listCovered(root);
  // What a command made git ignore has not gone.
  if (!options.keeps && options.known) addKnown(listed, options.known);
  const jail = new Jail(root);
  try {
    return new Scan(options, jail, listed).run();
  } finally {
    jail.close();
  }
}

interface CoveredFiles {
  paths: string[];
  badNames: readonly string[];
  ids: ReadonlyMap<string, string>;
  uncovered: Map<string, string>;
  refs: GitRefs | undefined;
}

async function listCovered(root: string): Promise<CoveredFiles> {
  const uncovered = new Map<string, string>();
  const repository = findRepository(root);
  const listed = repository.status === 'ok' ? await listTrackedState(root) : repository;
  const refs = repository.status === 'ok' ? readRefs(repository) : undefined;
  if (listed.status === 'ok' && listed.paths.length > 0) {
    for (const path of listed.repositories) uncovered.set(path, 'is a git repository of its own');
    for (const path of listed.badNames) uncovered.set(path, BAD_NAME);
    return { paths: listed.paths, badNames: listed.badNames, ids: listed.ids, uncovered, refs };
  }
  const { files: paths, badNames, tooDeep, isWhole } = walkFiles(root, MOST_FILES, () => false);
  for (const path of badNames) uncovered.set(path, BAD_NAME);
  for (const path of tooDeep) uncovered.set(path, 'is too many folders deep');
  if (!isWhole) uncovered.set('.', `has more than ${MOST_FILES} files; the others are not covered`);
  return { paths, badNames, ids: new Map(), uncovered, refs };
}

function addKnown({ paths }: CoveredFiles, { entries }: FilesState): void {
  const listed = new Set(paths);
  for (const path of entries.keys()) if (!listed.has(path)) paths.push(path);
}

const BAD_NAME = 'has a name that is not UTF-8';

class Scan {
  private readonly state: FilesState;
  private readonly isFolder = new Map<string, boolean>([['', true]]);
  private readonly racyFrom: number;
  private readonly buffer = new Uint8Array(WHOLE + HEADER + 1);

  constructor(
    private readonly options: ScanOptions,
    private readonly jail: Jail,
    private readonly covered: CoveredFiles,
  ) {
    this.racyFrom = options.contents.now() - RACY_MS;
    const { uncovered, refs } = covered;
    this.state = { entries: new Map(), folders: new Map(), others: new Set(), uncovered, refs };
  }

  run(): FilesState {
    const { root, known, onProgress } = this.options;
    const start = root.endsWith('/') ? root : `${root}/`;
    const { paths } = this.covered;
    let unread = 0;
    for (const [i, path] of paths.entries()) {
      if (onProgress && unread > 0 && i % REPORT_EVERY === 0) onProgress(i, paths.length);
      const slash = path.lastIndexOf('/');
      if (!this.enterFolder(slash === -1 ? '' : path.slice(0, slash))) continue;
      if (isProtected(path)) continue;
      const stats = this.lstat(start + path, path);
      if (stats === undefined) continue;
      const old = known?.entries.get(path);
      if (old && !old.racy && isSame(old, stats) && this.isAtHand(path, old))
        this.state.entries.set(path, old);
      else {
        unread++;
        this.look(path, stats);
      }
    }
    this.findOthers();
    return this.state;
  }

  /** Whether it is a folder, and not a link to one. */
  private enterFolder(path: string): boolean {
    const known = this.isFolder.get(path);
    if (known !== undefined) return known;
    let isFolder = false;
    if (this.enterFolder(parentOf(path)) && !isProtected(path)) {
      const stats = this.lstat(join(this.options.root, path), path);
      isFolder = stats?.isDirectory() === true && !this.jail.userTrees.includes(stats);
      if (isFolder) this.state.folders.set(path, stats!.mode & 0o7777);
    }
    this.isFolder.set(path, isFolder);
    return isFolder;
  }

  private lstat(full: string, path: string): FileStats | undefined {
    try {
      return files.lstat(full);
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return undefined;
      this.state.uncovered.set(path, unreadable(error));
      return undefined;
    }
  }

  /** Whether its content can be had. What git's index names stays in git. */
  private isAtHand(path: string, { hash, source, size }: StateEntry): boolean {
    const { keeps, contents } = this.options;
    if (!keeps || size > contents.limits.maxFile) return true;
    if (hash === null || source === null) return false;
    return source === 'kept' ? contents.has(hash) : this.covered.ids.get(path) === source;
  }

  private look(path: string, stats: FileStats): void {
    const { uncovered, entries } = this.state;
    const refusal = refusePath(path);
    try {
      if (refusal !== undefined) uncovered.set(path, refusal);
      else if (stats.isSymbolicLink()) this.addLink(path, stats);
      else if (stats.isFile()) this.addFile(path, stats);
      else if (!stats.isDirectory()) uncovered.set(path, SPECIAL);
    } catch (error) {
      // What became something else, or went, while it was looked at.
      if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL'].includes(errorCode(error)))
        uncovered.set(path, unreadable(error));
      entries.delete(path);
    }
  }

  private addLink(path: string, stats: FileStats): void {
    const folder = this.jail.requireFolder(parentOf(path));
    if (!folder) return;
    const target = folder.readlink(path.slice(path.lastIndexOf('/') + 1));
    if (target.includes('\ufffd')) this.state.uncovered.set(path, 'leads to a name that is not UTF-8');
    else
      this.state.entries.set(path, {
        ...entryOf('link', stats, this.racyFrom),
        hash: linkHash(target),
        target,
      });
  }

  private addFile(path: string, stats: FileStats): void {
    const { contents, keeps } = this.options;
    const entry = entryOf('file', stats, this.racyFrom);
    this.state.entries.set(path, entry);
    // Of what is too large only a change has to be seen.
    if (stats.size > (keeps ? contents.limits.maxFile : LARGEST_FILE)) return;
    this.read(path, entry);
  }

  /** Reads a file, and sees to its content where that is wanted. */
  private read(path: string, entry: StateEntry): void {
    const { contents, keeps } = this.options;
    const folder = this.jail.requireFolder(parentOf(path));
    if (!folder) return void this.state.entries.delete(path);
    const id = this.covered.ids.get(path);
    closing(folder.openToRead(path.slice(path.lastIndexOf('/') + 1)), (file) => {
      const opened = files.stat(file);
      if (!opened.isFile()) return void this.state.entries.delete(path);
      Object.assign(entry, entryOf('file', opened, this.racyFrom));
      const read = opened.size < WHOLE ? this.readWhole(file, id) : this.readLarge(file, opened.size, id);
      entry.hash = read.hash;
      if (!isSame(entry, files.stat(file))) entry.racy = true;
      if (read.isGits) entry.source = id!;
      else if (keeps && opened.size <= contents.limits.maxFile) this.keep(entry, file, read);
    });
  }

  private keep(entry: StateEntry, file: number, { hash, bytes }: ContentRead): void {
    const { contents } = this.options;
    if (contents.has(hash)) entry.source = 'kept';
    else if (contents.hasRoom(entry.size)) {
      if (bytes) contents.add(hash, bytes);
      else if (!contents.addFrom(hash, file)) {
        entry.racy = true;
        return;
      }
      entry.source = 'kept';
    }
  }

  private readWhole(file: number, id: string | undefined): ContentRead {
    const count = files.read(file, this.buffer, HEADER, this.buffer.length - HEADER, 0);
    // It grew while it was read.
    if (count > WHOLE) return this.readLarge(file, count, id);
    const length = HEADER + count;
    const bytes = this.buffer.subarray(HEADER, length);
    return {
      hash: hashOnce('sha256', bytes, 'hex'),
      bytes,
      isGits: id !== undefined && this.hashAsGit(length, id) === id,
    };
  }

  /** The content is in the buffer, with room for git's header before it. */
  private hashAsGit(end: number, id: string): string {
    const header = `blob ${end - HEADER}\0`;
    const start = HEADER - header.length;
    new TextEncoder().encodeInto(header, this.buffer.subarray(start, HEADER));
    return hashOnce(algorithmOf(id), this.buffer.subarray(start, end), 'hex');
  }

  private readLarge(file: number, size: number, id: string | undefined): ContentRead {
    const hasher = createHash('sha256');
    const git = id === undefined ? undefined : createHash(algorithmOf(id)).update(`blob ${size}\0`);
    for (let at = 0; ; ) {
      const count = files.read(file, this.buffer, 0, this.buffer.length, at);
      if (count === 0) break;
      hasher.update(this.buffer.subarray(0, count));
      git?.update(this.buffer.subarray(0, count));
      at += count;
    }
    return {
      hash: hasher.digest('hex'),
      bytes: undefined,
      isGits: git?.digest('hex') === id && id !== undefined,
    };
  }

  /**
   * What is in the folders besides what is covered; an empty folder is covered itself. Git also lists what is gone: a name
   * that cannot be looked at is looked for here.
   */
  private findOthers(): void {
    const { root } = this.options;
    const { entries, folders, others, uncovered } = this.state;
    const badNames = new Map<string, string[]>();
    for (const path of this.covered.badNames) {
      const folder = parentOf(path.slice(0, path.indexOf('\ufffd')));
      if (!this.enterFolder(folder)) uncovered.delete(path);
      else if (!badNames.get(folder)?.push(path)) badNames.set(folder, [path]);
    }
    for (const folder of ['', ...folders.keys()]) {
      const prefix = folder === '' ? '' : `${folder}/`;
      const names = this.list(join(root, folder), folder);
      for (const path of badNames.get(folder) ?? [])
        if (!names.includes(path.slice(prefix.length).split('/', 1)[0]!)) uncovered.delete(path);
      for (const name of names) {
        const path = prefix + name;
        if (entries.has(path) || folders.has(path) || uncovered.has(path)) continue;
        const empty = new Map<string, number>();
        if (isProtected(name) || !this.findEmpty(path, empty)) others.add(path);
        else for (const [each, mode] of empty) folders.set(each, mode);
      }
    }
  }

  /** Whether it is a folder with nothing in it but such folders; their modes go into `found`. */
  private findEmpty(path: string, found: Map<string, number>): boolean {
    const full = join(this.options.root, path);
    const stats = this.lstat(full, path);
    if (stats && !stats.isDirectory() && !stats.isFile() && !stats.isSymbolicLink())
      this.state.uncovered.set(path, SPECIAL);
    if (!stats?.isDirectory() || this.jail.userTrees.includes(stats)) return false;
    found.set(path, stats.mode & 0o7777);
    const names = this.list(full, path);
    return !this.state.uncovered.has(path) && names.every((name) => this.findEmpty(`${path}/${name}`, found));
  }

  private list(full: string, path: string): string[] {
    try {
      return files.list(full);
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error)))
        this.state.uncovered.set(path, unreadable(error));
      return [];
    }
  }
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

interface ContentRead {
  hash: string;
  /** Good until the next file is read; undefined for a large one. */
  bytes: Uint8Array | undefined;
  /** Whether git holds it, byte for byte. */
  isGits: boolean;
}

const SPECIAL = 'is a socket, a pipe or a device';

function unreadable(error: unknown): string {
  return `cannot be read (${errorCode(error)})`;
}

function algorithmOf(id: string): string {
  return id.length === 64 ? 'sha256' : 'sha1';
}

/** Why nothing could be put there again. */
function refusePath(path: string): string | undefined {
  const read = readRootPath(path);
  if (read.status !== 'ok') return read.reason;
  return read.path === path ? undefined : 'has a path that is written in another way';
}

function entryOf(kind: StateEntry['kind'], stats: FileStats, racyFrom: number): StateEntry {
  return {
    kind,
    size: stats.size,
    mtime: stats.mtimeMs,
    ctime: stats.ctimeMs,
    inode: stats.ino,
    mode: stats.mode & 0o7777,
    hash: null,
    source: null,
    racy: stats.ctimeMs >= racyFrom,
  };
}

/** Whether nothing happened to the file since, as far as its times say. */
function isSame(entry: StateEntry, stats: FileStats): boolean {
  return (
    entry.ctime === stats.ctimeMs &&
    entry.mtime === stats.mtimeMs &&
    entry.size === stats.size &&
    entry.inode === stats.ino &&
    entry.mode === (stats.mode & 0o7777) &&
    (entry.kind === 'file') === stats.isFile()
  );
}
