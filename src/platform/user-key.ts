import { isAbsolute, join } from 'node:path';
import { files } from './file-calls.js';
import { closing, Folder, isAlreadyThere, readText, writeText } from './folder.js';
import { randomId } from './ids.js';
import { Unusable } from './unusable.js';

let known: string | undefined;

/**
 * A secret of this user, kept outside every project and made on first use. What is sealed with it, nobody
 * else wrote: no repository that was cloned and no archive that was unpacked.
 */
export function userKey(): string {
  known ??= readKey(stateFolder());
  return known;
}

/** `$XDG_STATE_HOME/teddy`, else `~/.local/state/teddy`. A relative one would lie in the project. */
function stateFolder(): string {
  const { XDG_STATE_HOME: named, HOME: home } = process.env;
  if (named && isAbsolute(named)) return join(named, 'teddy');
  if (home && isAbsolute(home)) return join(home, '.local', 'state', 'teddy');
  throw new Unusable(
    'Neither HOME nor XDG_STATE_HOME is set: there is no place for what teddy keeps for you.',
  );
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

function readKey(path: string): string {
  let folder: Folder | undefined;
  try {
    makeFolders(path);
    folder = Folder.open(files.realpath(path));
    if (folder.lstat('key') === undefined) makeKey(folder);
    const key = readText(folder, 'key').trim();
    if (key.length >= 32) return key;
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? error.code : error;
    throw new Unusable(`${path} cannot be used (${why}); XDG_STATE_HOME may name another folder for it.`);
  } finally {
    folder?.close();
  }
  throw new Unusable(`${join(path, 'key')} is damaged; remove it, and a new one is made.`);
}

/** Under another name first: whoever finds the key finds all of it. */
function makeKey(folder: Folder): void {
  const part = `key-${randomId(8)}`;
  closing(folder.create(part, 0o600), (file) => {
    writeText(file, `${randomId(48)}\n`);
    files.sync(file);
  });
  try {
    folder.link(part, folder, 'key');
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
  }
  folder.unlink(part);
  folder.sync();
}
