import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { MovedRef } from '../../core/report/record.js';
import { files } from '../file-calls.js';
import { readBytes } from '../files.js';
import type { GitFailure } from './command.js';
import { SUBMODULE } from './entries.js';
import { type FoundRepository, readFirstLine } from './repository.js';
import { openRepository } from './work-tree.js';

/** The files under a root that git tracks or would add, and their ids in the index. */
export interface TrackedState {
  status: 'ok';
  /** From the root, each once; none whose name is not UTF-8. Some may be missing on disk. */
  paths: string[];
  /** Of each path, the id of its content in the index. */
  ids: (string | undefined)[];
  /** Submodules and repositories within the repository: git does not look into them. */
  repositories: string[];
  /** Names that are not UTF-8, as far as they can be written. */
  badNames: string[];
}

/** `H 100644 1f0c… 0⇥path`, or `? path`. */
const LISTED = ['ls-files', '-z', '-t', '--stage', '--cached', '--others', '--exclude-standard'];

/** One call of git, which runs no program. Never throws. */
export async function listTrackedState(root: string): Promise<TrackedState | GitFailure> {
  const opened = await openRepository(root);
  if (opened.status !== 'ok') return opened;
  const listed = await opened.tree.run(LISTED, { prefix: opened.prefix });
  if (listed.status !== 'ok') return listed;
  const state: TrackedState = { status: 'ok', paths: [], ids: [], repositories: [], badNames: [] };
  for (const item of itemsOf(listed.stdout)) {
    const isTracked = item[0] !== '?';
    const path = isTracked ? item.slice(item.indexOf('\t') + 1) : item.slice(2);
    if (path.includes('\ufffd')) state.badNames.push(path);
    else if (path.endsWith('/')) state.repositories.push(path.slice(0, -1));
    else if (isTracked && item.startsWith(SUBMODULE, 2)) state.repositories.push(path);
    // An unmerged file has a line for each side.
    else if (state.paths.at(-1) !== path) {
      state.paths.push(path);
      state.ids.push(isTracked ? item.slice(9, item.indexOf(' ', 9)) : undefined);
    }
  }
  return state;
}

/** Files that decide what git lists: the index, settings and rules; undefined where git does not tell. Absolute. */
export async function listIgnoreSources(root: string): Promise<string[] | undefined> {
  const opened = await openRepository(root);
  if (opened.status !== 'ok') return undefined;
  const { tree, prefix, commonFolder } = opened;
  const listed = await tree.list(['config', '--list', '--includes', '--show-origin', '-z']);
  if (listed.status !== 'ok') return undefined;
  const found = new Set([join(tree.gitFolder, 'index'), join(tree.gitFolder, 'HEAD')]);
  for (const name of ['config', 'info/exclude', 'info/sparse-checkout']) found.add(join(commonFolder, name));
  found.add(join(tree.gitFolder, 'config.worktree'));
  // The origin of a setting, then the setting.
  for (const [i, item] of listed.items.entries()) {
    const path = (i % 2 === 0 ? ORIGIN : EXCLUDES).exec(item)?.[1];
    if (path !== undefined) found.add(path.startsWith('~/') ? join(homedir(), path.slice(2)) : path);
  }
  const above = prefix.split('/').slice(0, -1);
  for (const i of above.keys()) found.add(join(tree.folder, ...above.slice(0, i), '.gitignore'));
  return [...found].every((path) => isAbsolute(path)) ? [...found] : undefined;
}

const ORIGIN = /^file:(.+)$/s;
const EXCLUDES = /^core\.excludesfile\n(.+)$/s;

/** Those of these folders, from the root, that git ignores as a whole; undefined where it does not tell. */
export async function listIgnoredFolders(
  root: string,
  folders: readonly string[],
): Promise<Set<string> | undefined> {
  if (folders.length === 0) return new Set();
  // git would take it for a pattern.
  if (folders.some((path) => path.startsWith(':'))) return undefined;
  const opened = await openRepository(root);
  if (opened.status !== 'ok') return undefined;
  const input = folders.map((path) => `${path}\0`).join('');
  const listed = await opened.tree.list(['check-ignore', '-z', '--stdin'], { prefix: opened.prefix, input });
  if (listed.status === 'ok') return new Set(listed.items);
  return listed.code === 1 ? new Set() : undefined;
}

function* itemsOf(stdout: string): Generator<string> {
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf('\0', at);
    yield stdout.slice(at, end === -1 ? undefined : end);
    if (end === -1) return;
    at = end + 1;
  }
}

/** The values of HEAD, the branches and the stash: an id, or `ref: refs/heads/main`. */
export type GitRefs = ReadonlyMap<string, string>;

const LARGEST_PACKED = 256 * 1024 * 1024;
const STASH = 'refs/stash';
const BRANCHES = 'refs/heads';
const MOST_REFS = 20_000;

/** Read without git. Undefined if its refs are not stored as files. */
export function readRefs({ gitFolder, commonFolder }: FoundRepository): GitRefs | undefined {
  try {
    const head = readFirstLine(join(gitFolder, 'HEAD'));
    if (head === undefined || head === 'ref: refs/heads/.invalid') return undefined;
    const refs = new Map([['HEAD', head]]);
    for (const [id, name] of readPacked(commonFolder)) refs.set(name, id);
    for (const name of listLoose(commonFolder, BRANCHES)) addLoose(refs, commonFolder, name);
    if (files.lstat(join(commonFolder, STASH))) addLoose(refs, commonFolder, STASH);
    return refs;
  } catch {
    return undefined;
  }
}

function addLoose(refs: Map<string, string>, folder: string, name: string): void {
  const value = readFirstLine(join(folder, name));
  if (value !== undefined && value !== '') refs.set(name, value);
}

function readPacked(folder: string): [string, string][] {
  const read = readBytes(join(folder, 'packed-refs'), LARGEST_PACKED);
  if (read.status !== 'bytes') return [];
  const lines = Buffer.from(read.bytes).toString('utf8').split('\n');
  return lines.flatMap((line): [string, string][] => {
    const [id, name] = line.split(' ', 2);
    const isMeant = name === STASH || name?.startsWith(`${BRANCHES}/`);
    return isMeant && /^[0-9a-f]{40,64}$/.test(id!) ? [[id!, name!]] : [];
  });
}

function listLoose(folder: string, start: string): string[] {
  const found: string[] = [];
  const todo = [start];
  for (let at = todo.pop(); at !== undefined && found.length < MOST_REFS; at = todo.pop()) {
    for (const name of listIfThere(join(folder, at))) {
      const path = `${at}/${name}`;
      if (files.lstat(join(folder, path))?.isDirectory()) todo.push(path);
      else if (!name.endsWith('.lock')) found.push(path);
    }
  }
  return found;
}

function listIfThere(path: string): string[] {
  return files.lstat(path)?.isDirectory() ? files.list(path) : [];
}

/** Each with the command that moves it back. */
export function compareRefs(before: GitRefs, after: GitRefs): MovedRef[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((ref): MovedRef[] => {
    const [from, to] = [before.get(ref) ?? null, after.get(ref) ?? null];
    if (from === to) return [];
    return [
      { name: shortName(ref), from: readable(from), to: readable(to), revert: revertOf(ref, from, to) },
    ];
  });
}

function revertOf(ref: string, from: string | null, to: string | null): string {
  if (ref === 'HEAD') {
    if (from?.startsWith('ref: ')) return `git symbolic-ref HEAD ${quote(from.slice(5))}`;
    return from === null ? 'git update-ref -d --no-deref HEAD' : `git update-ref --no-deref HEAD ${from}`;
  }
  if (ref === STASH && from === null) return 'git stash drop';
  if (ref === STASH && from !== null) return `git stash store ${from}`;
  if (from === null) return `git update-ref -d ${quote(ref)} ${to}`;
  return `git update-ref ${quote(ref)} ${from}`;
}

/** Quotes a text as one shell word. */
function quote(ref: string): string {
  return /^[\w./-]+$/.test(ref) ? ref : `'${ref.replaceAll("'", `'\\''`)}'`;
}

function shortName(ref: string): string {
  return ref === STASH ? 'stash' : ref.replace(`${BRANCHES}/`, '');
}

function readable(value: string | null): string | null {
  return value?.startsWith('ref: ') ? value.slice('ref: '.length).replace(`${BRANCHES}/`, '') : value;
}
