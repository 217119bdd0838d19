import type { GitItems, GitRefusal, GitResult } from './command.js';
import type { WorkTree } from './work-tree.js';

/** The content at a path in git: a file, an executable, a link, or a commit of another repository. */
export interface GitEntry {
  mode: string;
  id: string;
}

/** A path that differs between two trees; null if it is missing in one. From the top of the repository. */
export interface EntryChange {
  path: string;
  before: GitEntry | null;
  after: GitEntry | null;
}

export type EntryChanges = { status: 'ok'; changes: EntryChange[] } | GitRefusal;

export const SUBMODULE = '160000';

const RAW = ['-z', '--raw', '--no-renames', '--no-abbrev', '--ignore-submodules=none', '--no-ext-diff'];

/** Sorted by path as git does. A file that was moved is one deleted and one created. */
export async function compareTrees(tree: WorkTree, from: string, to: string): Promise<EntryChanges> {
  return readChanges(await tree.list(['diff-tree', '-r', ...RAW, from, to, '--']));
}

/** From a commit to the index. */
export async function compareIndex(tree: WorkTree, from: string): Promise<EntryChanges> {
  return readChanges(await tree.list(['diff-index', '--cached', ...RAW, from, '--']));
}

function readChanges(listed: GitItems): EntryChanges {
  return listed.status === 'ok' ? { status: 'ok', changes: [...readRaw(listed.items)] } : listed;
}

/** `:100644 100755 1f0c… 9a3b… M` and then the path, each an item. */
export function* readRaw(items: readonly string[]): Generator<EntryChange & { letter: string }> {
  for (let at = 0; at + 1 < items.length; at += 2) {
    const [before = '', after = '', old = '', id = '', letter = ''] = items[at]!.slice(1).split(' ');
    yield { path: items[at + 1]!, before: entryOf(before, old), after: entryOf(after, id), letter };
  }
}

function entryOf(mode: string, id: string): GitEntry | null {
  return mode === '000000' ? null : { mode, id };
}

export function isSameEntry(a: GitEntry | null, b: GitEntry | null): boolean {
  return a === null || b === null ? a === b : a.mode === b.mode && a.id === b.id;
}

/** Makes the index hold what one side of the changes has. */
export async function setEntries(
  tree: WorkTree,
  changes: readonly EntryChange[],
  side: 'before' | 'after',
  index?: string,
): Promise<GitResult> {
  if (changes.length === 0) return { status: 'ok', stdout: '' };
  // Removals come first, so that a file can replace a folder.
  const gone = changes.filter((change) => change[side] === null);
  const here = changes.filter((change) => change[side] !== null);
  const lines = [...gone, ...here].map(({ path, before, after }) => {
    const entry = side === 'before' ? before : after;
    const known = (entry ?? before ?? after)!;
    return entry ? `${entry.mode} ${entry.id}\t${path}\0` : `0 ${known.id.replace(/./g, '0')}\t${path}\0`;
  });
  const input = lines.join('');
  return tree.run(['update-index', '-z', '--index-info'], { input, index });
}

/** Writes files as the index has them, over existing ones. Submodules are left out. */
export async function writeEntries(
  tree: WorkTree,
  changes: readonly EntryChange[],
  side: 'before' | 'after',
): Promise<GitResult> {
  const input = changes.filter((change) => isFile(change[side])).map(({ path }) => `${path}\0`);
  if (input.length === 0) return { status: 'ok', stdout: '' };
  const words = ['checkout-index', '-f', '-u', '-q', '-z', '--stdin'];
  return tree.run(words, { input: input.join(''), mayRunPrograms: true });
}

/** Or a link: anything that is a single path on disk. */
export function isFile(entry: GitEntry | null): boolean {
  return entry !== null && entry.mode !== SUBMODULE;
}

/** Submodules that the changes add without an entry in `.gitmodules`, which is never on purpose. */
export function findStrayModules(changes: readonly EntryChange[]): EntryChange[] {
  const isNamed = changes.some(({ path, after }) => path.endsWith('.gitmodules') && after !== null);
  return isNamed
    ? []
    : changes.filter(({ before, after }) => after?.mode === SUBMODULE && before?.mode !== SUBMODULE);
}

/** A submodule's commit at a path. */
export interface GitModule {
  path: string;
  id: string;
}

/** Lists `H 100644 1f0c… 0⇥path`: git's state of each file in the index. */
export const TRACKED = ['ls-files', '-z', '-v', '--stage'];

/** Lower-case letters are files assumed to be unchanged; `S` are those left out of the work tree. */
export function readFlagged(items: readonly string[]): string[] {
  return items.filter((item) => /^[a-zS] /.test(item)).map(pathOf);
}

export function readModules(items: readonly string[]): GitModule[] {
  const modules = items.filter((item) => item.startsWith(`${SUBMODULE} `, 2));
  return modules.map((item) => ({ path: pathOf(item), id: item.split(' ', 3)[2]! }));
}

/** The path in such a line. */
export function pathOf(item: string): string {
  return item.slice(item.indexOf('\t') + 1);
}
