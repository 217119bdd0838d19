import { SUBMODULE } from './entries.js';

/** A commit of another repository that git has at a path. */
export interface GitModule {
  path: string;
  id: string;
}

/** Lists `H 100644 1f0c… 0⇥path`: what git knows of each file in the index. */
export const TRACKED = ['ls-files', '-z', '-v', '--stage'];

/** Small letters are files that are assumed to be unchanged, `S` are those that are left out of the work tree. */
export function readFlagged(items: readonly string[]): string[] {
  return items.filter((item) => /^[a-zS] /.test(item)).map(pathOf);
}

export function readModules(items: readonly string[]): GitModule[] {
  const modules = items.filter((item) => item.startsWith(`${SUBMODULE} `, 2));
  return modules.map((item) => ({ path: pathOf(item), id: item.split(' ', 3)[2]! }));
}

function pathOf(item: string): string {
  return item.slice(item.indexOf('\t') + 1);
}
