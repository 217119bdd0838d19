import type { Folder } from '../node/folder.js';
import type { Jail } from './jail.js';
import { makeFolder } from './store.js';

/** Paths relative to the root, without links on the way. */
export interface FolderMove {
  from: string;
  to: string;
}

/** False where there is nothing to move, or something stands in the new place already. */
export function moveFolder(jail: Jail, { from, to }: FolderMove): boolean {
  const [source, name] = parentAndName(jail, from, false);
  if (!source?.lstat(name)?.isDirectory()) return false;
  const [target, newName] = parentAndName(jail, to, true);
  if (!target || target.lstat(newName) !== undefined) return false;
  source.rename(name, target, newName);
  target.sync();
  source.sync();
  return true;
}

function parentAndName(jail: Jail, path: string, make: boolean): [Folder | undefined, string] {
  const names = path.split('/');
  const name = names.pop()!;
  if (!make) return [jail.folder(names.join('/')), name];
  for (let depth = 1; depth <= names.length; depth++) {
    const parent = jail.folder(names.slice(0, depth - 1).join('/'));
    if (!parent) return [undefined, name];
    if (makeFolder(parent, names[depth - 1]!, 0o777)) parent.sync();
  }
  return [jail.folder(names.join('/')), name];
}
