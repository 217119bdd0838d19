import { dirname, join } from 'node:path';
import { shortenCounted } from '../../core/text.js';
import { errorCode } from '../../node/errors.js';
import { files } from '../../node/file-calls.js';
import { lookAtFile, MB, makeFolders, readBytes, realPath } from '../../node/files.js';
import { BaseRepository } from '../../node/git/base-repository.js';
import { copyRepository, findObjectStores, type RepositoryPlaces } from '../../node/git/copied-repository.js';
import { type OpenedWorkTree, openRepository, type WorkTree } from '../../node/git/work-tree.js';
import { homeFolders } from '../../node/user-folders.js';
import { searchFolder, withheldUnless } from './secrets.js';
import type { CopyResult, LentFolder } from './types.js';

/** Ignored files of this size and below are copied; larger ones are left out. */
const LARGEST_COPIED = 50 * MB;

const LONGEST_NOTE = 200;

/**
 * Copies the project as it is now, raw, into `folder`, an empty folder of teddy's own, real and absolute: what git does not ignore. Ignored
 * folders are named to be lent, ignored files copied, secrets neither unless `bring` (globs from the root) names them.
 * Nothing is written to the project's repository, and no program that it names is run. Never throws.
 */
export async function createCopy(
  root: string,
  folder: string,
  { bring = [] }: { bring?: readonly string[] } = {},
): Promise<CopyResult> {
  const home = homeFolders().find((path) =>
    `${realPath(path)}/`.startsWith(root === '/' ? root : `${root}/`),
  );
  if (home !== undefined)
    return failed(`${root} holds your home folder with your keys; change to the folder of one project`);
  try {
    return await make(root, folder, bring);
  } catch (error) {
    return { status: 'failed', reason: `The project cannot be copied to ${folder} (${errorCode(error)}).` };
  }
}

async function make(root: string, folder: string, bring: readonly string[]): Promise<CopyResult> {
  const copy = join(folder, 'copy');
  const opened = await openRepository(root);
  if (opened.status === 'failed') return failed(opened.reason);
  // Of a repository that begins above the root only the root is copied, as a folder of its own.
  const repository = opened.status === 'ok' && opened.prefix === '' ? opened : undefined;
  const notes: string[] = [];
  if (opened.status === 'ok' && repository === undefined)
    notes.push('The project is part of a larger git repository: in the copy, git does not see it.');
  const base = new BaseRepository(join(folder, 'base.git'), [root, copy]);
  const objectFormat = (await readObjectFormat(repository)) ?? 'sha1';
  const stores = repository ? findObjectStores(join(repository.commonFolder, 'objects')) : [];
  if (repository) notes.push(...nameOthers(root, repository, stores));
  const exclude = repository && readBytes(join(repository.commonFolder, 'info/exclude'), MB);
  base.create(objectFormat, stores, exclude?.status === 'bytes' ? exclude.bytes : new Uint8Array());
  const taken = await base.takeIn(root, repository && join(repository.tree.gitFolder, 'index'));
  if (taken.status !== 'ok') return failed(taken.reason);
  const ignored = await base.ignored(root);
  if (ignored.status !== 'ok') return failed(ignored.reason);
  const tree = await base.writeTree(root);
  if (tree.status !== 'ok') return failed(tree.reason);
  files.mkdir(copy, 0o700);
  const written = await base.checkOut(copy);
  if (written.status !== 'ok') return failed(written.reason);
  const entries = await base.entries(copy);
  if (entries.status !== 'ok') return failed(entries.reason);
  const lent: LentFolder[] = [];
  if (repository) {
    const index = join(base.gitFolder, 'index');
    const copied = await copyRepository(repository, copy, {
      index,
      entries: entries.entries,
    });
    if (copied.status !== 'ok') return failed(copied.reason);
    lent.push(...copied.borrowed.map(lendObjects));
  }
  const isSecret = withheldUnless(bring);
  const secrets = [...entries.entries.keys()].filter(isSecret);
  const exposed = repository ? await listUntracked(repository.tree, secrets) : secrets;
  if (exposed.length > 0)
    notes.push(
      `Visible to the agent: ${shortenCounted(exposed.join(', '), LONGEST_NOTE)} (may hold secrets, but git does not ignore it).`,
    );
  const { folders, withheld, tooLarge } = provideIgnored(
    root,
    copy,
    [...ignored.paths, ...taken.modules.map(asFolder)],
    bring,
  );
  if (tooLarge.length > 0)
    notes.push(
      `Not visible to the agent: ${tooLarge.join(', ')} (too many files to search for secrets; name it in confine.bring to allow it).`,
    );
  return {
    status: 'ok',
    copy: { root, folder, copy, base: tree.tree, lent: [...lent, ...folders], withheld, notes },
  };
}

function failed(reason: string): CopyResult {
  return { status: 'failed', reason: `The project cannot be copied: ${reason}.` };
}

/** git in the copy would look for what these borrow in turn at paths that are not there. */
function lendObjects(borrowed: { path: string; from: string }): LentFolder {
  const isBorrowing = lookAtFile(join(borrowed.from, 'info/alternates')) !== 'missing';
  return { ...borrowed, caches: [], hidden: isBorrowing ? ['info'] : [] };
}

/** Files in the project can name any repository of the user for its own, and an agent reads whatever git reads in it. */
function nameOthers(
  root: string,
  { tree, commonFolder }: RepositoryPlaces,
  stores: readonly string[],
): string[] {
  const isElsewhere = tree.gitFolder === commonFolder && commonFolder !== join(root, '.git');
  return [
    ...(isElsewhere ? [`The agent can read the project's repository, ${commonFolder}.`] : []),
    ...stores
      .filter((store) => !store.startsWith(`${commonFolder}/`))
      .map((store) => `The agent can read ${store}, which the project's repository borrows.`),
  ];
}

async function listUntracked(tree: WorkTree, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  const listed = await tree.list(['ls-files', '-z', '--', ...paths.map((path) => `:(literal)${path}`)]);
  const tracked = new Set(listed.status === 'ok' ? listed.items : []);
  return paths.filter((path) => !tracked.has(path));
}

async function readObjectFormat(
  repository: Extract<OpenedWorkTree, { status: 'ok' }> | undefined,
): Promise<string | undefined> {
  const found = await repository?.tree.run(['rev-parse', '--show-object-format']);
  return found?.status === 'ok' ? found.stdout.trim() : undefined;
}

function asFolder(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}

/** Copies ignored files, and makes the folders at which ignored folders are mounted. */
function provideIgnored(
  root: string,
  copy: string,
  ignored: readonly string[],
  bring: readonly string[],
): { folders: LentFolder[]; withheld: string[]; tooLarge: string[] } {
  const folders: LentFolder[] = [];
  const withheld: string[] = [];
  const tooLarge: string[] = [];
  const isWithheld = withheldUnless(bring);
  for (const listed of ignored) {
    const path = listed.replace(/\/$/, '');
    if (path === '.teddy' || path.startsWith('.teddy/') || path.includes('\ufffd')) continue;
    const from = join(root, path);
    const kind = lookAtFile(from);
    if (isWithheld(path)) withheld.push(path);
    else if (kind === 'folder') {
      const found = searchFolder(root, path, bring);
      if (found === undefined) {
        tooLarge.push(path);
        continue;
      }
      withheld.push(...found.hidden.map((each) => `${path}/${each}`));
      makeFolders(join(copy, path));
      folders.push({ path, from, ...found });
    } else if (kind === 'file' && (files.lstat(from)?.size ?? 0) <= LARGEST_COPIED) {
      makeFolders(dirname(join(copy, path)));
      files.copy(from, join(copy, path));
    } else if (kind === 'symlink') {
      makeFolders(dirname(join(copy, path)));
      files.symlink(files.readlink(from), join(copy, path));
    }
  }
  return { folders, withheld, tooLarge };
}
