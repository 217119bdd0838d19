import { tmpdir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { errorCode, UserError } from './errors.js';
import { files } from './file-calls.js';
import { realPath } from './files.js';
import { closing, Folder, isAbsent, isAlreadyThere, readText, writeText } from './folder.js';
import { randomId } from './ids.js';
import { refuseShown, requireOwn } from './ownership.js';

/** Folders of everybody or of everything: what is below one of them is not a part of it. Real paths. */
export function sharedFolders(): ReadonlySet<string> {
  const named = [...homeFolders(), ...temporaryFolders(), '/'];
  return new Set(named.map(realPath).filter((path) => path !== undefined));
}

/**
 * Where teddy keeps, or would keep, this user's state, config and cache. The usual places count beside those that the
 * environment names: another shell of the same user may know nothing of that environment.
 */
export function userTeddyFolders(): readonly string[] {
  const { HOME, XDG_STATE_HOME, XDG_CONFIG_HOME, XDG_CACHE_HOME } = process.env;
  const named = [XDG_STATE_HOME, XDG_CONFIG_HOME, XDG_CACHE_HOME].map((path) => path ?? '');
  const key = [HOME, ...named].join('\0');
  if (listed?.key !== key) listed = { key, folders: listFolders(named) };
  return listed.folders;
}

/** The same list for as long as the environment is the same: it is asked for at every look at a file. */
let listed: { key: string; folders: readonly string[] } | undefined;

function listFolders(named: readonly string[]): string[] {
  const usual = homeFolders().flatMap((home) =>
    ['.local/state', '.config', '.cache'].map((path) => join(home, path)),
  );
  const all = [...named, ...usual].filter((path) => isAbsolute(path));
  return [...new Set(all.map((path) => join(path, 'teddy')))];
}

/** As the environment says, and as the system knows it. */
export function homeFolders(): string[] {
  const homes = [process.env.HOME ?? '', systemHome()];
  return [...new Set(homes.filter((path) => isAbsolute(path)))];
}

export function temporaryFolders(): string[] {
  return [tmpdir(), '/tmp', '/var/tmp'];
}

/** Empty where the system does not know this user. */
function systemHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    return '';
  }
}

/** `$XDG_STATE_HOME/teddy`, else `~/.local/state/teddy`. A relative one would lie in the project. */
export function stateFolder(): string {
  const { XDG_STATE_HOME: named, HOME: home } = process.env;
  if (named && isAbsolute(named)) return join(named, 'teddy');
  if (home && isAbsolute(home)) return join(home, '.local', 'state', 'teddy');
  throw new UserError(
    'Neither HOME nor XDG_STATE_HOME is set: there is no place for what teddy keeps for you.',
  );
}

/** A file that teddy keeps for this user, outside every project; undefined where there is none. */
export function readUserState(folder: string, name: string): string | undefined {
  const path = join(stateFolder(), folder);
  return orUnusable(path, () => {
    if (files.statAt(path) === undefined) return undefined;
    return inOpenFolder(path, (opened) => {
      try {
        return readText(opened, name);
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    });
  });
}

/** Puts such a file in place, whole and for this user's eyes alone. */
export function writeUserState(folder: string, name: string, text: string): void {
  const path = join(stateFolder(), folder);
  orUnusable(path, () =>
    inUserFolder(path, (opened) => {
      const part = `${name}-${randomId(8)}`;
      writeNew(opened, part, text);
      opened.rename(part, opened, name);
      opened.sync();
    }),
  );
}

/** Does the work in a folder that is made, for this user alone, where it is missing. */
export function inUserFolder<T>(path: string, work: (folder: Folder) => T): T {
  makeFolders(path);
  return inOpenFolder(path, work);
}

/** Throws `UserError` where the folder, or the one of all that teddy keeps for this user, is not this user's alone. */
function inOpenFolder<T>(path: string, work: (folder: Folder) => T): T {
  const state = stateFolder();
  if (path !== state) inOpenFolder(state, () => {});
  const folder = Folder.open(files.realpath(path));
  try {
    requireOwn(path, folder.stat());
    return work(folder);
  } finally {
    folder.close();
  }
}

export function writeNew(folder: Folder, name: string, text: string): void {
  closing(folder.create(name, 0o600), (file) => {
    writeText(file, text);
    files.sync(file);
  });
}

/** What goes wrong at `path` is the environment's fault, and is said so. */
export function orUnusable<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(
      `${path} cannot be used (${errorCode(error)}); XDG_STATE_HOME may name another folder for it.`,
    );
  }
}

function makeFolders(path: string): void {
  if (files.statAt(path) !== undefined) return;
  const parent = join(path, '..');
  makeFolders(parent);
  try {
    files.mkdir(path, 0o700);
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
  }
  const folder = Folder.open(files.realpath(parent));
  try {
    folder.sync();
  } finally {
    folder.close();
  }
}

let key: string | undefined;

/**
 * A secret of this user, kept outside every project and made on first use. What is sealed with it, nobody
 * else wrote: no repository that was cloned and no archive that was unpacked.
 */
export function userKey(): string {
  key ??= readKey(stateFolder());
  return key;
}

function readKey(path: string): string {
  const text = orUnusable(path, () =>
    inUserFolder(path, (folder) => {
      if (folder.lstat('key') === undefined) makeKey(folder);
      // Who else can read it can write what counts as this user's, too.
      const stats = folder.lstat('key');
      const refusal = stats && refuseShown(join(path, 'key'), stats);
      if (refusal !== undefined) throw new UserError(refusal);
      return readText(folder, 'key').trim();
    }),
  );
  if (text.length >= 32) return text;
  throw new UserError(`${join(path, 'key')} is damaged; remove it, and a new one is made.`);
}

/** Under another name first: whoever finds the key finds all of it. */
function makeKey(folder: Folder): void {
  const part = `key-${randomId(8)}`;
  writeNew(folder, part, `${randomId(48)}\n`);
  try {
    folder.link(part, folder, 'key');
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
  }
  folder.unlink(part);
  folder.sync();
}
