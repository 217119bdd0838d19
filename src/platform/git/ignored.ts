import { join, resolve } from 'node:path';
import { files } from '../file-calls.js';
import { MB, readBytes, writeFile } from '../files.js';
import { removeTree } from '../remove-tree.js';
import { type GitRefusal, refuse } from './refusal.js';
import type { WorkTree } from './work-tree.js';

/** From the top of the repository. */
export type IgnoredPaths = { status: 'ok'; paths: string[] } | GitRefusal;

const STATUS = ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--ignored=matching'];
const IGNORED = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard'];
const RULES = '.gitignore';
const LARGEST_RULES = MB;

/** What git ignores in a work tree, sorted. A folder that a rule names is one path, with a `/` at its end. Never throws. */
export async function listIgnored(tree: WorkTree): Promise<IgnoredPaths> {
  const listed = await tree.list([...STATUS, '--no-renames', '--ignore-submodules=all']);
  if (listed.status !== 'ok') return refuse(listed);
  const ignored = listed.items.filter((item) => item.startsWith('! '));
  return { status: 'ok', paths: ignored.map((item) => item.slice(2)).sort() };
}

/** The rules that are in no commit: the user's, and then the repository's own, which go before those. Never throws. */
export async function readOwnRules(tree: WorkTree, commonFolder: string): Promise<string> {
  const set = await tree.run(['config', '--type=path', '--get', 'core.excludesFile']);
  const { XDG_CONFIG_HOME, HOME } = process.env;
  const usual = join(XDG_CONFIG_HOME || join(HOME ?? '', '.config'), 'git', 'ignore');
  const users = set.status === 'ok' ? resolve(tree.folder, set.stdout.trimEnd()) : usual;
  return `${readRules(users)}\n${readRules(join(commonFolder, 'info', 'exclude'))}`;
}

function readRules(path: string): string {
  const read = readBytes(path, LARGEST_RULES);
  return read.status === 'bytes' ? Buffer.from(read.bytes).toString('utf8') : '';
}

export function isRuleFile(path: string): boolean {
  return path === RULES || path.endsWith(`/${RULES}`);
}

/**
 * Files that git ignores, and that it would not by the rules of the commit `base` and by `own`, those of no commit. A
 * repository within the repository is one path, with a `/` at its end. Never throws.
 */
export async function findNewlyIgnored(
  tree: WorkTree,
  { base, own }: { base: string; own: string },
): Promise<IgnoredPaths> {
  const listed = await tree.list(IGNORED);
  if (listed.status !== 'ok') return refuse(listed);
  const before = await askOldRules(tree, { base, own, paths: listed.items });
  if (before.status !== 'ok') return before;
  const old = new Set(before.paths);
  return { status: 'ok', paths: listed.items.filter((path) => !old.has(askable(path))) };
}

/** git reads rules from disk only, so they are laid out where nothing else is. */
async function askOldRules(
  tree: WorkTree,
  { base, own, paths }: { base: string; own: string; paths: readonly string[] },
): Promise<IgnoredPaths> {
  const folder = join(tree.gitFolder, 'teddy-rules');
  const bench = tree.apart(folder);
  try {
    removeTree(folder);
    files.mkdir(folder);
    const index = join(folder, 'index');
    const read = await tree.run(['read-tree', base], { index });
    if (read.status !== 'ok') return refuse(read);
    const rules = await tree.list(['ls-files', '-z', '--', `:(glob)**/${RULES}`], { index });
    if (rules.status !== 'ok') return refuse(rules);
    const input = rules.items.map((path) => `${path}\0`).join('');
    const words = ['checkout-index', '-f', '-q', '-z', '--stdin', `--prefix=${folder}/`];
    const written = await tree.run(words, { index, input });
    if (written.status !== 'ok') return refuse(written);
    const made = await bench.run(['init', '-q', '--template=']);
    if (made.status !== 'ok') return refuse(made);
    files.mkdir(join(bench.gitFolder, 'info'));
    writeFile(join(bench.gitFolder, 'info', 'exclude'), new TextEncoder().encode(own));
    return await ask(bench, paths);
  } catch (error) {
    return { status: 'failed', reason: `its rules cannot be laid out (${String(error)})` };
  } finally {
    removeTree(folder);
  }
}

async function ask(bench: WorkTree, paths: readonly string[]): Promise<IgnoredPaths> {
  const words = ['-c', 'core.excludesFile=/dev/null', 'check-ignore', '--no-index'];
  const input = paths.map((path) => `${askable(path)}\0`).join('');
  const asked = await bench.list([...words, '-z', '--stdin'], { input });
  if (asked.status === 'ok') return { status: 'ok', paths: asked.items };
  // So it says that none is ignored.
  return asked.status === 'failed' && asked.code === 1 ? { status: 'ok', paths: [] } : refuse(asked);
}

/** A folder that is not there is known for one by what is in it, and no name is taken for a pattern. */
function askable(path: string): string {
  return path.endsWith('/') ? `./${path}.git` : `./${path}`;
}
