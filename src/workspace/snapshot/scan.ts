import { createHash, hash as hashOnce } from 'node:crypto';
import { isProtected, readRootPath } from '../../core/path.js';
import { EntryTable, fitsIndex, isSameStat, statBytes } from '../../node/entry-table.js';
import { errorCode } from '../../node/errors.js';
import { files } from '../../node/file-calls.js';
import { MB } from '../../node/files.js';
import { closing, type FileStats, type Folder } from '../../node/folder.js';
import { IGNORE_RULES, isListingCurrent, markListing, type SeenTime } from '../../node/git/listing-mark.js';
import { findRepository } from '../../node/git/repository.js';
import { listTouched, writeStatIndex } from '../../node/git/stat-index.js';
import { listTrackedState, readRefs } from '../../node/git/tracked-state.js';
import { linkHash } from '../commit/change.js';
import { LARGEST_FILE } from '../commit/entries.js';
import { walkFiles } from '../files/project-files.js';
import { Jail } from '../jail.js';
import type { Contents } from './contents.js';
import { FEW_FILES, type FilesState, type KeptState, StateEntries, type StateEntry } from './state.js';

export interface ScanOptions {
  root: string;
  contents: Contents;
  /** What is known already: files whose stat data are the same are not read again. */
  known: KeptState | undefined;
  /** What git says of the index of `known`, where it was asked already. */
  touched?: Promise<string[] | undefined> | undefined;
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
  const jail = new Jail(options.root);
  try {
    return await new Scan(options, jail).run();
  } finally {
    jail.close();
  }
}

interface CoveredFiles {
  paths: readonly string[];
  /** Of each path, the id of its content in git's index. */
  ids: readonly (string | undefined)[];
  badNames: readonly string[];
  uncovered: Map<string, string>;
  /** Whether git listed them. */
  isGits: boolean;
}

async function listCovered(root: string): Promise<CoveredFiles> {
  const uncovered = new Map<string, string>();
  const repository = findRepository(root);
  const listed = repository.status === 'ok' ? await listTrackedState(root) : repository;
  if (listed.status === 'ok' && listed.paths.length > 0) {
    const { paths, ids, badNames } = listed;
    for (const path of listed.repositories) uncovered.set(path, 'is a git repository of its own');
    for (const path of badNames) uncovered.set(path, BAD_NAME);
    return { paths, ids, badNames, uncovered, isGits: true };
  }
  const { files: paths, badNames, tooDeep, isWhole } = walkFiles(root, MOST_FILES, () => false);
  for (const path of badNames) uncovered.set(path, BAD_NAME);
  for (const path of tooDeep) uncovered.set(path, 'is too many folders deep');
  if (!isWhole) uncovered.set('.', `has more than ${MOST_FILES} files; the others are not covered`);
  return { paths, ids: [], badNames, uncovered, isGits: false };
}

const BAD_NAME = 'has a name that is not UTF-8';

class Scan {
  private readonly state: FilesState;
  private readonly isFolder = new Map<string, boolean>();
  private seenFolders: SeenTime[] = [];
  /** Files of which stat data do not prove that they are what is known of them. */
  private suspects: ReadonlySet<string> = new Set();
  private unread = 0;
  private readonly racyFrom: number;
  private readonly buffer = new Uint8Array(WHOLE + HEADER + 1);

  constructor(
    private readonly options: ScanOptions,
    private readonly jail: Jail,
  ) {
    const { root, known, contents } = options;
    this.racyFrom = contents.now() - RACY_MS;
    const repository = findRepository(root);
    this.state = {
      entries: known?.entries.fork() ?? StateEntries.of(new EntryTable()),
      folders: new Map(),
      others: new Set(),
      uncovered: new Map(),
      refs: repository.status === 'ok' ? readRefs(repository) : undefined,
      listing: undefined,
    };
  }

  async run(): Promise<FilesState> {
    const { root, known } = this.options;
    if (known) {
      const suspects = this.findSuspects(known);
      const isCurrent = known.listing !== undefined && isListingCurrent(root, known.listing);
      this.suspects = await suspects;
      const hasNewRules = [...this.suspects].some((path) => path.split('/').at(-1) === IGNORE_RULES);
      if (isCurrent && !hasNewRules) return this.revisit(known);
    }
    const covered = await listCovered(root);
    this.scanCovered(covered);
    this.findOthers(covered.badNames);
    if (covered.isGits && this.options.keeps && this.state.uncovered.size === 0)
      this.state.listing = await markListing(root, this.seenFolders, this.state.others, this.racyFrom);
    return this.state;
  }

  private async findSuspects(known: KeptState): Promise<Set<string>> {
    const { keeps } = this.options;
    const { table } = known.entries;
    const suspects = new Set((await this.listTouched(known)) ?? this.lookAtAll(table));
    for (let i = 0; i < table.size; i++) {
      const isAtHand = !keeps || this.isAtHand(table, i);
      if (table.isRacyAt(i) || !isAtHand) suspects.add(table.pathAt(i));
    }
    return suspects;
  }

  private async listTouched({ entries, index }: KeptState): Promise<string[] | undefined> {
    const { root, contents, touched } = this.options;
    if (index === undefined || entries.table.size < FEW_FILES) return undefined;
    if (touched) return touched;
    return contents.inTemporary((folder) => listTouched(root, folder, (path) => writeStatIndex(path, index)));
  }

  /** The same, without git. */
  private lookAtAll(table: EntryTable): string[] {
    const touched: string[] = [];
    for (let i = 0; i < table.size; i++) {
      const path = table.pathAt(i);
      const stats = this.enterFolder(parentOf(path)) ? this.lstat(path) : undefined;
      if (!stats || !isSameStat(statBytes(stats), table.statAt(i))) touched.push(path);
    }
    this.forgetFolders();
    return touched;
  }

  private forgetFolders(): void {
    this.isFolder.clear();
    this.seenFolders = [];
    this.state.folders.clear();
    this.state.uncovered.clear();
  }

  /** Whether its content can be had. What git's index names is compared with it later. */
  private isAtHand(table: EntryTable, i: number): boolean {
    const { contents } = this.options;
    if (table.isLostAt(i)) return table.at(i).size > contents.limits.maxFile;
    return !table.isKeptAt(i) || contents.has(table.at(i).hash!);
  }

  /** The same paths are covered as before. */
  private revisit(known: KeptState): FilesState {
    const { folders, others, listing } = known;
    for (const path of this.suspects) {
      const source = known.entries.get(path)?.source;
      const id = source === null || source === 'kept' ? undefined : source;
      this.reportProgress(this.unread, this.suspects.size);
      this.put(path, this.look(path, id));
    }
    return { ...this.state, folders, others, listing };
  }

  private scanCovered({ paths, ids, uncovered }: CoveredFiles): void {
    const { known, keeps } = this.options;
    this.forgetFolders();
    for (const [path, reason] of uncovered) this.state.uncovered.set(path, reason);
    if (!known) this.state.entries = StateEntries.of(EntryTable.withRoomFor(paths.length));
    const table = known?.entries.table;
    const isListed = new Uint8Array(table?.size ?? 0);
    for (const [i, path] of paths.entries()) {
      this.reportProgress(i, paths.length);
      const place = table?.placeOf(path);
      if (place !== undefined) isListed[place] = 1;
      this.visit(path, place, ids[i]);
    }
    for (let i = 0; i < isListed.length; i++) {
      if (isListed[i]) continue;
      const path = table!.pathAt(i);
      // What a command made git ignore has not gone.
      if (keeps) this.put(path, undefined);
      else this.visit(path, i, undefined);
    }
  }

  private reportProgress(done: number, of: number): void {
    if (this.unread > 0 && done % REPORT_EVERY === 0) this.options.onProgress?.(done, of);
  }

  /** `place`: where it is known; `id`: what git's index has of it. */
  private visit(path: string, place: number | undefined, id: string | undefined): void {
    const isCovered = this.enterFolder(parentOf(path)) && !isProtected(path);
    if (!isCovered) {
      this.put(path, undefined);
      return;
    }
    if (place !== undefined && !this.suspects.has(path)) {
      const { source } = this.state.entries.table.at(place);
      if (!this.options.keeps || source === null || source === 'kept' || source === id) return;
    }
    this.put(path, this.look(path, id));
  }

  private put(path: string, entry: StateEntry | undefined): void {
    const { entries } = this.state;
    if (!entry) entries.delete(path);
    else if (this.options.known) entries.set(path, entry);
    else entries.table.append(path, entry);
  }

  /** Whether it is a folder, and not a link to one. */
  private enterFolder(path: string): boolean {
    const known = this.isFolder.get(path);
    if (known !== undefined) return known;
    let isFolder = false;
    if (path === '' || (this.enterFolder(parentOf(path)) && !isProtected(path))) {
      const stats = this.lstat(path);
      isFolder = stats?.isDirectory() === true && !this.jail.userTrees.includes(stats);
      if (isFolder) this.addFolder(path, stats!);
    }
    this.isFolder.set(path, isFolder);
    return isFolder;
  }

  private addFolder(path: string, { mode, ctimeMs, ino }: FileStats): void {
    this.seenFolders.push([path, ctimeMs, ino]);
    if (path !== '') this.state.folders.set(path, mode & 0o7777);
  }

  private lstat(path: string): FileStats | undefined {
    try {
      return files.lstat(this.fullPath(path));
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return undefined;
      this.state.uncovered.set(path, unreadable(error));
      return undefined;
    }
  }

  private fullPath(path: string): string {
    const { root } = this.options;
    return path === '' ? root : `${root === '/' ? '' : root}/${path}`;
  }

  /** Undefined for what is not covered, or not there. */
  private look(path: string, id: string | undefined): StateEntry | undefined {
    const stats = this.lstat(path);
    if (stats === undefined) return undefined;
    this.unread++;
    const { uncovered } = this.state;
    const refusal = refusePath(path);
    try {
      if (refusal !== undefined) uncovered.set(path, refusal);
      else if (stats.isSymbolicLink()) return this.seeLink(path, stats);
      else if (stats.isFile()) return this.seeFile(path, stats, id);
      else if (!stats.isDirectory()) uncovered.set(path, SPECIAL);
    } catch (error) {
      // What became something else, or went, while it was looked at.
      if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL'].includes(errorCode(error)))
        uncovered.set(path, unreadable(error));
    }
    return undefined;
  }

  private seeLink(path: string, stats: FileStats): StateEntry | undefined {
    const target = this.folderOf(path)?.readlink(nameOf(path));
    if (target === undefined) return undefined;
    if (!target.includes('\ufffd'))
      return { ...entryOf('link', stats, this.racyFrom), hash: linkHash(target), target };
    this.state.uncovered.set(path, 'leads to a name that is not UTF-8');
    return undefined;
  }

  private folderOf(path: string): Folder | undefined {
    const above = parentOf(path);
    return this.jail.openedFolder(above) ?? this.jail.requireFolder(above);
  }

  private seeFile(path: string, stats: FileStats, id: string | undefined): StateEntry | undefined {
    const { contents, keeps } = this.options;
    // Of what is too large only a change has to be seen.
    if (stats.size > (keeps ? contents.limits.maxFile : LARGEST_FILE))
      return entryOf('file', stats, this.racyFrom);
    const folder = this.folderOf(path);
    return folder && closing(folder.openToRead(nameOf(path)), (file) => this.read(file, id));
  }

  /** Reads a file, and sees to its content where that is wanted. What is written meanwhile has a time that is racy. */
  private read(file: number, id: string | undefined): StateEntry | undefined {
    const { contents, keeps } = this.options;
    const stats = files.stat(file);
    if (!stats.isFile()) return undefined;
    const entry = entryOf('file', stats, this.racyFrom);
    const read = stats.size < WHOLE ? this.readWhole(file, id) : this.readLarge(file, stats.size, id);
    entry.hash = read.hash;
    if (read.isGits) entry.source = id!;
    else if (keeps && stats.size <= contents.limits.maxFile) this.keep(entry, file, read);
    return entry;
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
  private findOthers(listedNames: readonly string[]): void {
    const { entries, folders, others, uncovered } = this.state;
    const badNames = new Map<string, string[]>();
    for (const path of listedNames) {
      const folder = parentOf(path.slice(0, path.indexOf('\ufffd')));
      if (!this.enterFolder(folder)) uncovered.delete(path);
      else if (!badNames.get(folder)?.push(path)) badNames.set(folder, [path]);
    }
    this.enterFolder('');
    for (const folder of ['', ...folders.keys()]) {
      const prefix = folder === '' ? '' : `${folder}/`;
      const names = this.list(folder);
      for (const path of badNames.get(folder) ?? [])
        if (!names.includes(path.slice(prefix.length).split('/', 1)[0]!)) uncovered.delete(path);
      for (const name of names) {
        const path = prefix + name;
        if (entries.has(path) || folders.has(path) || uncovered.has(path)) continue;
        const empty = new Map<string, FileStats>();
        if (isProtected(name) || !this.findEmpty(path, empty)) others.add(path);
        else for (const [each, stats] of empty) this.addFolder(each, stats);
      }
    }
  }

  /** Whether it is a folder with nothing in it but such folders, which go into `found`. */
  private findEmpty(path: string, found: Map<string, FileStats>): boolean {
    const stats = this.lstat(path);
    if (stats && !stats.isDirectory() && !stats.isFile() && !stats.isSymbolicLink())
      this.state.uncovered.set(path, SPECIAL);
    if (!stats?.isDirectory() || this.jail.userTrees.includes(stats)) return false;
    found.set(path, stats);
    const names = this.list(path);
    return !this.state.uncovered.has(path) && names.every((name) => this.findEmpty(`${path}/${name}`, found));
  }

  private list(path: string): string[] {
    try {
      return files.list(this.fullPath(path));
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error)))
        this.state.uncovered.set(path, unreadable(error));
      return [];
    }
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
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
    stat: statBytes(stats),
    mode: stats.mode & 0o7777,
    hash: null,
    source: null,
    racy: stats.ctimeMs >= racyFrom || !fitsIndex(stats),
  };
}
