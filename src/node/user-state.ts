import { isAbsolute, join } from 'node:path';
import { files } from './file-calls.js';
import { closing, Folder, isAbsent, isAlreadyThere, readText, writeText } from './folder.js';
import { randomId } from './ids.js';
import { refuseShown, requireOwn } from './ownership.js';
import { UserError } from './user-error.js';

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
    const why = error instanceof Error && 'code' in error ? error.code : error;
    throw new UserError(`${path} cannot be used (${why}); XDG_STATE_HOME may name another folder for it.`);
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

let known: string | undefined;

/**
 * A secret of this user, kept outside every project and made on first use. What is sealed with it, nobody
 * else wrote: no repository that was cloned and no archive that was unpacked.
 */
export function userKey(): string {
  known ??= readKey(stateFolder());
  return known;
}

function readKey(path: string): string {
  const key = orUnusable(path, () =>
    inUserFolder(path, (folder) => {
      if (folder.lstat('key') === undefined) makeKey(folder);
      // Who else can read it can write what counts as this user's, too.
      const stats = folder.lstat('key');
      const refusal = stats && refuseShown(join(path, 'key'), stats);
      if (refusal !== undefined) throw new UserError(refusal);
      return readText(folder, 'key').trim();
    }),
  );
  if (key.length >= 32) return key;
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
