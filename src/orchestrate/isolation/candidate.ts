import { dirname } from 'node:path/posix';
import { compareTrees, type EntryChange, SUBMODULE } from '../../node/git/entries.js';
import type { WorkTree } from '../../node/git/work-tree.js';
import { listPaths } from './place-folder.js';
import type { Candidate } from './types.js';

const LINK = '120000';

/** What is asked of every path that a candidate changes. Paths are from the top of the repository. */
export interface CandidateRules {
  /** From the top of the repository to the root. */
  prefix: string;
  /** Outside the project, or the tool's own. */
  isForeign(path: string): boolean;
}

export type CheckedCandidate =
  | { status: 'ok'; files: string[] }
  /** It must not land. Whole sentences. */
  | { status: 'refused'; reason: string }
  /** It completes "git cannot tell what was done: …". */
  | { status: 'failed'; reason: string };

/**
 * What a candidate would change in the project, by the commit itself: whatever was put back or left out before, the
 * index and the branch are in the reach of whoever works in the folder.
 */
export async function checkCandidate(
  tree: WorkTree,
  { head, commit }: NonNullable<Candidate>,
  { prefix, isForeign }: CandidateRules,
): Promise<CheckedCandidate> {
  const compared = await compareTrees(tree, head, commit);
  if (compared.status !== 'ok') return { status: 'failed', reason: compared.reason };
  const { changes } = compared;
  const refuse = (paths: readonly string[], why: string) =>
    ({ status: 'refused', reason: `The work changes ${listPaths(paths)}, ${why}` }) as const;
  const foreign = changes.map(({ path }) => path).filter(isForeign);
  if (foreign.length > 0) return refuse(foreign, "which is not the task's to change. Nothing of it lands.");
  const modules = findModules(changes);
  if (modules.length > 0)
    return refuse(modules, 'a submodule, whose files are not verified. Nothing of it lands.');
  const leading: string[] = [];
  for (const { path, after } of changes)
    if (after?.mode === LINK && (await leadsOut(tree, path, after.id, prefix))) leading.push(path);
  if (leading.length > 0)
    return refuse(leading, 'a link that leads out of the project. Nothing of it lands.');
  return { status: 'ok', files: changes.map(({ path }) => path) };
}

/** Those that are new: whoever adds a submodule on purpose names it. */
function findModules(changes: readonly EntryChange[]): string[] {
  const isNamed = changes.some(({ path, after }) => path.endsWith('.gitmodules') && after !== null);
  const isModule = ({ before, after }: EntryChange) =>
    after?.mode === SUBMODULE && before?.mode !== SUBMODULE;
  return isNamed ? [] : changes.filter(isModule).map(({ path }) => path);
}

/** By its text alone: where `..` stands behind a name, that may be a link itself, and nobody can tell. */
async function leadsOut(tree: WorkTree, path: string, id: string, prefix: string): Promise<boolean> {
  const read = await tree.run(['cat-file', 'blob', id]);
  if (read.status !== 'ok' || read.stdout.startsWith('/')) return true;
  const parts = read.stdout.split('/').filter((part) => part !== '' && part !== '.');
  const up = parts.findIndex((part) => part !== '..');
  const steps = up === -1 ? parts.length : up;
  if (parts.slice(steps).includes('..')) return true;
  const folder = dirname(path.slice(prefix.length));
  return steps > (folder === '.' ? 0 : folder.split('/').length);
}
