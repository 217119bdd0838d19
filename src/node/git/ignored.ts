import { type GitRefusal, refuse } from './refusal.js';
import type { WorkTree } from './work-tree.js';

/** From the top of the repository. */
export type IgnoredPaths = { status: 'ok'; paths: string[] } | GitRefusal;

const STATUS = ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--ignored=matching'];

/** What git ignores in a work tree, sorted. A folder that a rule names is one path, with a `/` at its end. Never throws. */
export async function listIgnored(tree: WorkTree): Promise<IgnoredPaths> {
  const listed = await tree.list([...STATUS, '--no-renames', '--ignore-submodules=all']);
  if (listed.status !== 'ok') return refuse(listed);
  const ignored = listed.items.filter((item) => item.startsWith('! '));
  return { status: 'ok', paths: ignored.map((item) => item.slice(2)).sort() };
}
