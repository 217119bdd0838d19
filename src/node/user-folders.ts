import { tmpdir, userInfo } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { errorCode, UserError } from './errors.js';
import { files } from './file-calls.js';
import { decodeText, realPath, refuseShown, requireOwn } from './files.js';
import { closing, Folder, isAbsent, isAlreadyThere, readAll, readText, writeAll } from './folder.js';
import { randomId, sign } from './ids.js';

/** Folders shared by unrelated things: what is below them does not belong to them. Real paths. */
export function sharedFolders(): ReadonlySet<string> {
  const named = [...homeFolders(), ...temporaryFolders(), '/'];
  return new Set(named.map(realPath).filter((path) => path !== undefined));
}

/**
 * The folders of this user's state, config and cache, whether they exist or not. The usual places count beside those in
 * the environment, since another shell of the user may have a different environment.
 */
export function userTeddyFolders(): readonly string[] {
  const { HOME, XDG_STATE_HOME, XDG_CONFIG_HOME, XDG_CACHE_HOME } = process.env;
  const named = [XDG_STATE_HOME, XDG_CONFIG_HOME, XDG_CACHE_HOME].map((path) => path ?? '');
  const key = [HOME, ...named].join('\0');
  if (listed?.key !== key) listed = { key, folders: listFolders(named) };
  return listed.folders;
}

/** Cached while the environment is the same: every file access asks for it. */
let listed: { key: string; folders: readonly string[] } | undefined;

function listFolders(named: readonly string[]): string[] {
  const usual = homeFolders().flatMap((home) =>
    ['.local/state', '.config', '.cache'].map((path) => join(home, path)),
  );
  const all = [...named, ...usual].filter((path) => isAbsolute(path));
  return [...new Set(all.map((path) => join(path, 'teddy')))];
}

/** From the environment, and from the system. */
export function homeFolders(): string[] {
  const homes = [process.env.HOME ?? '', systemHome()];
  return [...new Set(homes.filter((path) => isAbsolute(path)))];
}

export function temporaryFolders(): string[] {
  return [tmpdir(), '/tmp', '/var/tmp'];
}

/** A path for a new folder among the system's temporary ones. */
export function nameTemporaryFolder(): string {
  return join(tmpdir(), `teddy-${randomId(12)}`);
}

/** The system's ids; -1 if it has none. */
export function currentUser(): { user: number; group: number } {
  return { user: process.getuid?.() ?? -1, group: process.getgid?.() ?? -1 };
}

/** Empty if the system does not know this user. */
function systemHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    return '';
  }
}

/** `$XDG_STATE_HOME/teddy`, else `~/.local/state/teddy`. */
export function stateFolder(): string {
  return folderOfUser('XDG_STATE_HOME') ?? refuseHomeless('XDG_STATE_HOME');
}

const USUAL = { XDG_STATE_HOME: '.local/state', XDG_CONFIG_HOME: '.config' } as const;
type UserFolderVariable = keyof typeof USUAL;

/** A relative path would be inside the project, so it does not count. */
function folderOfUser(variable: UserFolderVariable): string | undefined {
  const { [variable]: named, HOME: home } = process.env;
  if (named && isAbsolute(named)) return join(named, 'teddy');
  return home && isAbsolute(home) ? join(home, USUAL[variable], 'teddy') : undefined;
}

function refuseHomeless(variable: UserFolderVariable): never {
  throw new UserError(`Neither HOME nor ${variable} is set: there is no place for what teddy keeps for you.`);
}

/** A file of this user's state, outside every project; undefined if missing. */
export function readUserState(folder: string, name: string): string | undefined {
  const path = join(stateFolder(), folder);
  return withUserErrors(path, () => {
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

/** Writes such a file atomically, readable only by this user. */
export function writeUserState(folder: string, name: string, text: string): void {
  const path = join(stateFolder(), folder);
  withUserErrors(path, () => inUserFolder(path, (opened) => replaceIn(opened, name, text)));
}

/** Makes sure that such a file has exactly this content. Returns its path. */
export function keepUserFile(folder: string, name: string, bytes: Uint8Array): string {
  const path = join(stateFolder(), folder);
  withUserErrors(path, () =>
    inUserFolder(path, (opened) => {
      if (!isContent(opened, name, bytes)) replaceIn(opened, name, bytes);
    }),
  );
  return join(path, name);
}

function isContent(folder: Folder, name: string, bytes: Uint8Array): boolean {
  if (!folder.lstat(name)?.isFile()) return false;
  const found = closing(folder.openToRead(name), (file) => readAll(file, bytes.length, bytes.length));
  return found !== undefined && Buffer.compare(found, bytes) === 0;
}

/** A file of the user's own settings. `path` is for messages. */
export interface UserSettingsFile {
  path: string;
  /** Undefined if there is no such file. */
  text: string | undefined;
}

/**
 * Reads `$XDG_CONFIG_HOME/teddy/<name>`, else `~/.config/teddy/<name>`; undefined without a home. Follows links,
 * since many users keep their settings elsewhere. Throws `UserError` if anyone else could have written it.
 */
export function readUserSettings(name: string): UserSettingsFile | undefined {
  const config = folderOfUser('XDG_CONFIG_HOME');
  if (config === undefined) return undefined;
  const path = join(config, name);
  return withUserErrors(
    path,
    () => {
      if (files.statAt(path) === undefined) return { path, text: undefined };
      inOwnFolder(config, () => {});
      const real = files.realpath(path);
      return inOwnFolder(dirname(real), (folder) =>
        closing(folder.openToRead(basename(real)), (file) => {
          const stats = files.stat(file);
          if (!stats.isFile()) throw new UserError(`${path} is not used because it is not a regular file.`);
          requireOwn(path, stats);
          const bytes = readAll(file, stats.size, MOST_SETTINGS);
          if (bytes === undefined) throw new UserError(`${path} is larger than 1 MB.`);
          const decoded = decodeText(bytes);
          if (decoded.status === 'refused') throw new UserError(`${path} ${decoded.reason}.`);
          return { path, text: decoded.text };
        }),
      );
    },
    'XDG_CONFIG_HOME',
  );
}

const MOST_SETTINGS = 1024 * 1024;

/** Replaces that file and returns its path; only this user can read a new one. */
export function writeUserSettings(name: string, text: string): string {
  const config = folderOfUser('XDG_CONFIG_HOME') ?? refuseHomeless('XDG_CONFIG_HOME');
  const path = join(config, name);
  withUserErrors(
    path,
    () => {
      makeFolders(config);
      inOwnFolder(config, () => {});
      const real = realPath(path) ?? join(files.realpath(config), name);
      inOwnFolder(dirname(real), (folder) => {
        const before = folder.lstat(basename(real));
        replaceIn(folder, basename(real), text, before && before.mode & 0o777);
      });
    },
    'XDG_CONFIG_HOME',
  );
  return path;
}

/** Works in a folder, which is created for this user alone if missing. */
export function inUserFolder<T>(path: string, work: (folder: Folder) => T): T {
  makeFolders(path);
  return inOpenFolder(path, work);
}

/** Throws `UserError` if the folder, or teddy's folder around it, is not this user's alone. */
function inOpenFolder<T>(path: string, work: (folder: Folder) => T): T {
  const state = stateFolder();
  if (path !== state) inOwnFolder(state, () => {});
  return inOwnFolder(path, work);
}

function inOwnFolder<T>(path: string, work: (folder: Folder) => T): T {
  const folder = Folder.open(files.realpath(path));
  try {
    requireOwn(path, folder.stat());
    return work(folder);
  } finally {
    folder.close();
  }
}

function replaceIn(folder: Folder, name: string, content: string | Uint8Array, mode?: number): void {
  const part = `${name}-${randomId(8)}`;
  writeNew(folder, part, content, mode);
  folder.rename(part, folder, name);
  folder.sync();
}

export function writeNew(folder: Folder, name: string, content: string | Uint8Array, mode = 0o600): void {
  closing(folder.create(name, mode), (file) => {
    writeAll(file, Buffer.from(content));
    files.sync(file);
  });
}

/** Reports errors at `path` as problems of the environment. */
export function withUserErrors<T>(
  path: string,
  work: () => T,
  variable: UserFolderVariable = 'XDG_STATE_HOME',
): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(
      `${path} cannot be used (${errorCode(error)}). Set ${variable} to use another folder.`,
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

/** Read once for each state folder: every seal needs it. */
let known: { folder: string; key: string } | undefined;

/**
 * A secret of this user, outside every project, created on first use. What is sealed with it was written by this
 * user's teddy: it cannot come from a cloned repository or an archive.
 */
export function userKey(): string {
  const folder = stateFolder();
  if (known?.folder !== folder) known = { folder, key: readKey(folder) };
  return known.key;
}

/** The seal of a text, which only this user's teddy can make. */
export function sealOf(body: string): string {
  return sign(body, userKey());
}

/** Whether this user's teddy made that seal of the text. Checking a foreign project creates no key. */
export function isSealOf(body: string, seal: unknown): boolean {
  return hasKey() && seal === sealOf(body);
}

function hasKey(): boolean {
  const folder = stateFolder();
  if (known?.folder === folder) return true;
  const path = join(folder, 'key');
  return withUserErrors(path, () => files.statAt(path) !== undefined);
}

function readKey(path: string): string {
  const text = withUserErrors(path, () =>
    inUserFolder(path, (folder) => {
      if (folder.lstat('key') === undefined) makeKey(folder);
      // Anyone who can read it could make this user's seals.
      const stats = folder.lstat('key');
      const refusal = stats && refuseShown(join(path, 'key'), stats);
      if (refusal !== undefined) throw new UserError(refusal);
      return readText(folder, 'key').trim();
    }),
  );
  if (text.length >= 32) return text;
  throw new UserError(`${join(path, 'key')} is damaged. Delete it, and teddy creates a new one.`);
}

/** Under another name first, so that no one reads a half-written key. */
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
