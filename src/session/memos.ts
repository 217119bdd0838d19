import type { Tree } from '../formats/tree.js';
import { Unusable } from '../platform/index.js';

const MEMOS = '.teddy/memos.yaml';

/** The memos kept for the project; none where the file is not there. Throws `Unusable` on any other file. */
export async function readMemos(tree: Tree): Promise<readonly string[]> {
  const read = tree.text(MEMOS);
  if (read.status === 'missing') return [];
  if (read.status === 'refused') throw new Unusable(`${MEMOS} ${read.reason}.`);
  // YAML is costly to load, and most plans have no memos.
  const { parseMemos } = await import('./memos-yaml.js');
  const memos = parseMemos(read.text);
  if (memos.status === 'refused') throw new Unusable(`${MEMOS} ${memos.reason}.`);
  return memos.memos;
}
