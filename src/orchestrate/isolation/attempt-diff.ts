import type { WorkTree } from '../../node/git/work-tree.js';
import { openTree } from '../../workspace/tree.js';

/** For people: textual, and no program of the repository runs. */
const DIFF = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--submodule=short', '-M'];
const MOST_NEW = 200;

/** The files of a work tree compared with a commit, new files included, as a diff. Without `isOwn` files. Never throws. */
export async function diffWorkTree(
  tree: WorkTree,
  base: string,
  isOwn: (path: string) => boolean,
): Promise<string> {
  const changed = await tree.run([...DIFF, base, '--']);
  const listed = await tree.list(['ls-files', '--others', '--exclude-standard', '-z']);
  if (changed.status !== 'ok') return `git cannot show the changes: ${changed.reason}.\n`;
  if (listed.status !== 'ok') return `git cannot list new files: ${listed.reason}.\n`;
  const files = openTree(tree.folder);
  const added = listed.items.filter((path) => !isOwn(path));
  const shown = added.slice(0, MOST_NEW).map((path) => {
    const read = files.text(path);
    const head = `new file ${path}\n`;
    if (read.status !== 'text') return `${head}(${read.status === 'refused' ? read.reason : 'missing'})\n`;
    return `${head}${read.text.replace(/\n$/, '').replace(/^/gm, '+')}\n`;
  });
  const more = added.length > MOST_NEW ? `… and ${added.length - MOST_NEW} more new files\n` : '';
  return `${withoutOwn(changed.stdout, isOwn)}${shown.join('')}${more}`;
}

function withoutOwn(diff: string, isOwn: (path: string) => boolean): string {
  const parts = diff.split(/^(?=diff --git )/m);
  return parts.filter((part) => !isOwn(/^diff --git a\/(.*) b\//.exec(part)?.[1] ?? '')).join('');
}
