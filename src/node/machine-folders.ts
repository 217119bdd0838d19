import { tmpdir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { realPath } from './files.js';

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
  if (known?.key !== key) known = { key, folders: listFolders(named) };
  return known.folders;
}

/** The same list for as long as the environment is the same: it is asked for at every look at a file. */
let known: { key: string; folders: readonly string[] } | undefined;

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
