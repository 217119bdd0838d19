import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { files } from '../file-calls.js';
import { lookAtFile, MB, makeFolders, readBytes, realPath } from '../files.js';
import { writeNewFile } from '../folder.js';
import { type BaseEntry, readStages } from './base-repository.js';
import { type GitFailure, git } from './command.js';
import { pathOf, readModules, TRACKED } from './entries.js';
import { openRepository, type WorkTree } from './work-tree.js';

// A git folder for a copy of a work tree: same HEAD, refs and index, borrowed objects. Settings that name programs or
// passwords, and hooks, are not copied.

const SAFE =
  /^(?:user\.(?:name|email)|core\.(?:filemode|ignorecase|symlinks|autocrlf|eol)|remote\..+\.(?:url|fetch)|branch\..+\.(?:remote|merge)|submodule\..+\.(?:url|active)|init\.defaultbranch)$/s;
const BORROWED = 'borrowed';

export interface CopiedRepository {
  /** Folders of objects, and where in the copy they must be mounted. */
  borrowed: { path: string; from: string }[];
}

export interface RepositoryPlaces {
  tree: WorkTree;
  commonFolder: string;
}

/**
 * Creates `.git` in `copy`, which must be unchanged. `index` is the base's, which has the times of the files; differences
 * in the project's own index are applied to it.
 */
export async function copyRepository(
  places: RepositoryPlaces,
  copy: string,
  base: { index: string; entries: ReadonlyMap<string, BaseEntry> },
): Promise<({ status: 'ok' } & CopiedRepository) | GitFailure> {
  const { tree } = places;
  const folder = join(copy, '.git');
  const made = await makeGitFolder(places, { folder, index: base.index });
  if (made.status !== 'ok') return made;
  const own = readStages(made.tracked.map((item) => item.slice(2)).join('\0'));
  const absent = made.tracked.filter((item) => item.startsWith('S ')).map((item) => `${pathOf(item)}\0`);
  for (const [words, input] of [
    [['--index-info'], listDifferences(own, base.entries)],
    [['--skip-worktree', '--stdin'], absent.join('')],
  ] as const) {
    if (input === '') continue;
    const env = { GIT_DIR: folder, GIT_WORK_TREE: copy };
    const options = { cwd: copy, outside: [copy, tree.folder], env, input };
    const updated = await git(['update-index', '-z', ...words], options);
    if (updated.status !== 'ok') return updated;
  }
  const modules = await copyModules(places, made.tracked, { root: tree.folder, copy });
  return modules.status === 'ok'
    ? { status: 'ok', borrowed: [...made.borrowed, ...modules.borrowed] }
    : modules;
}

/** The git folders of submodules that are within the project's own, and of theirs. Their files are lent. */
async function copyModules(
  { tree }: RepositoryPlaces,
  tracked: readonly string[],
  { root, copy }: { root: string; copy: string },
): Promise<({ status: 'ok' } & CopiedRepository) | GitFailure> {
  const borrowed: CopiedRepository['borrowed'] = [];
  for (const { path } of readModules(tracked)) {
    const opened = await openRepository(join(tree.folder, path));
    if (opened.status !== 'ok' || opened.prefix !== '') continue;
    const { gitFolder } = opened.tree;
    const place = relative(root, gitFolder);
    if (!place.startsWith('.git/')) continue;
    const folder = join(copy, place);
    makeFolders(dirname(folder));
    const made = await makeGitFolder(opened, { folder, index: join(gitFolder, 'index'), isModule: true });
    if (made.status !== 'ok') return made;
    const inner = await copyModules(opened, made.tracked, { root, copy });
    if (inner.status !== 'ok') return inner;
    borrowed.push(...made.borrowed.map((each) => ({ ...each, path: join(place, '..', each.path) })));
    borrowed.push(...inner.borrowed);
  }
  return { status: 'ok', borrowed };
}

/**
 * Makes `folder`, to be mounted in place of a work tree's own git folder, which is as it was then: whatever git does with
 * it stays in it.
 */
export async function duplicateGitFolder(
  places: RepositoryPlaces,
  folder: string,
): Promise<{ status: 'ok' } | GitFailure> {
  return makeGitFolder(places, { folder, index: join(places.tree.gitFolder, 'index') });
}

/** `tracked`: what the index of the project lists. */
async function makeGitFolder(
  { tree, commonFolder }: RepositoryPlaces,
  { folder, index, isModule = false }: { folder: string; index: string; isModule?: boolean },
): Promise<({ status: 'ok'; tracked: string[] } & CopiedRepository) | GitFailure> {
  const refs = await tree.run(['for-each-ref', '--format=%(objectname) %(refname)']);
  if (refs.status !== 'ok') return refs;
  const config = await tree.run(['config', '--list', '-z']);
  if (config.status !== 'ok') return config;
  const tracked = await tree.list(TRACKED);
  if (tracked.status !== 'ok') return tracked;
  const stores = borrowedObjects(commonFolder);
  const folders = ['', 'objects', 'objects/info', 'refs', 'refs/heads', 'info', BORROWED];
  for (const path of [...folders, ...stores.map(({ path }) => path)]) files.mkdir(join(folder, path), 0o755);
  const write = (name: string, content: Uint8Array | string) => writeNewFile(join(folder, name), content);
  // A link in a cloned repository may lead to a file that an agent must not see.
  const copyIn = (from: string, name: string) => {
    const read = lookAtFile(from) === 'file' ? readBytes(from, 64 * MB) : undefined;
    if (read?.status === 'bytes') write(name, read.bytes);
  };
  copyIn(join(tree.gitFolder, 'HEAD'), 'HEAD');
  copyIn(join(commonFolder, 'shallow'), 'shallow');
  copyIn(join(commonFolder, 'info/exclude'), 'info/exclude');
  copyIn(index, 'index');
  // The base of a split index.
  for (const name of files.list(dirname(index)).filter((each) => each.startsWith('sharedindex.')))
    copyIn(join(dirname(index), name), name);
  write('packed-refs', refs.stdout);
  const worktree = isModule ? relative(tree.gitFolder, tree.folder) : undefined;
  write('config', writeConfig(config.stdout, worktree));
  write('objects/info/alternates', stores.map(({ path }) => `../${path}\n`).join(''));
  const name = basename(folder);
  const borrowed = stores.map(({ path, from }) => ({ path: `${name}/${path}`, from }));
  return { status: 'ok', tracked: tracked.items, borrowed };
}

/** The folders of objects of a repository, and where they must be mounted in a git folder that was made from it. */
export function borrowedObjects(commonFolder: string): CopiedRepository['borrowed'] {
  const stores = findObjectStores(join(commonFolder, 'objects'));
  return stores.map((from, at) => ({ path: `${BORROWED}/${at}`, from }));
}

/** As `update-index --index-info` reads them. Names that are not UTF-8 cannot be written here. */
function listDifferences(own: ReadonlyMap<string, BaseEntry>, base: ReadonlyMap<string, BaseEntry>): string {
  const lines: string[] = [];
  for (const [path, { id }] of base)
    if (!own.has(path) && !path.includes('\ufffd')) lines.push(`0 ${id.replace(/./g, '0')}\t${path}\0`);
  for (const [path, { mode, id }] of own) {
    const known = base.get(path);
    if ((known?.mode !== mode || known.id !== id) && !path.includes('\ufffd'))
      lines.push(`${mode} ${id}\t${path}\0`);
  }
  return lines.join('');
}

/** The folder of objects and those it borrows from. Anything that is not really such a folder is hidden from agents. */
export function findObjectStores(objects: string): string[] {
  const stores = new Set(realStore(objects));
  for (const store of stores) {
    const read = readBytes(join(store, 'info/alternates'), MB);
    const lines = read.status === 'bytes' ? Buffer.from(read.bytes).toString('utf8').split('\n') : [];
    for (const line of lines) {
      const path = isAbsolute(line) ? line : resolve(store, line);
      if (line !== '' && !line.startsWith('#')) for (const each of realStore(path)) stores.add(each);
    }
  }
  return [...stores];
}

function realStore(path: string): string[] {
  const real = realPath(path);
  return real !== undefined && basename(real) === 'objects' && lookAtFile(real) === 'folder' ? [real] : [];
}

function writeConfig(listed: string, worktree: string | undefined): string {
  const objectFormat = /(?:^|\0)extensions\.objectformat\n([^\0]*)/.exec(listed)?.[1] ?? 'sha1';
  const lines = ['[core]', '\tbare = false', '\tlogallrefupdates = true', '[gc]', '\tauto = 0'];
  if (objectFormat === 'sha1') lines.push('[core]', '\trepositoryformatversion = 0');
  else
    lines.push('[core]', '\trepositoryformatversion = 1', '[extensions]', `\tobjectformat = ${objectFormat}`);
  if (worktree !== undefined) lines.push('[core]', `\tworktree = ${quote(worktree)}`);
  for (const item of listed.split('\0')) {
    const [name = '', ...rest] = item.split('\n');
    if (!SAFE.test(name) || rest.length === 0) continue;
    const value = withoutPassword(rest.join('\n'));
    const [section, key] = [name.slice(0, name.indexOf('.')), name.slice(name.lastIndexOf('.') + 1)];
    const sub = name.slice(section.length + 1, -key.length - 1);
    lines.push(sub === '' ? `[${section}]` : `[${section} ${quote(sub)}]`, `\t${key} = ${quote(value)}`);
  }
  return `${lines.join('\n')}\n`;
}

function withoutPassword(url: string): string {
  return url.replace(/^([a-z][\w+.-]*:\/\/)[^/@]*@/i, '$1');
}

function quote(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`;
}
