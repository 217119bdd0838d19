import type { FileEdit } from '../../core/file-edit.js';
import type { Tree } from '../../core/tree.js';
import { UserError } from '../../node/user-error.js';

export const MEMOS = '.teddy/memos.yaml';

// YAML is costly to load, and most plans have no memos.
const yaml = () => import('./memos-yaml.js');

/** The memos kept for the project; none where the file is not there. Throws `UserError` on any other file. */
export async function readMemos(tree: Tree): Promise<readonly string[]> {
  const read = tree.text(MEMOS);
  if (read.status === 'missing') return [];
  if (read.status === 'refused') throw new UserError(`${MEMOS} ${read.reason}.`);
  const memos = (await yaml()).parseMemos(read.text);
  if (memos.status === 'refused') throw new UserError(`${MEMOS} ${memos.reason}.`);
  return memos.memos;
}

/** Adds and removes memos; a memo that is there already, or is not there, is left and told. */
export async function editMemos(
  text: string | null,
  changes: readonly { op: '+' | '-'; text: string }[],
): Promise<FileEdit> {
  const { parseMemos, editMemoList: edit } = await yaml();
  const read = parseMemos(text ?? '');
  if (read.status === 'refused') return { status: 'refused', reason: read.reason };
  const held = new Set(read.memos.map((memo) => memo.trim()));
  const notApplied: string[] = [];
  const applicable = changes.filter(({ op, text: memo }) => {
    const there = held.has(memo);
    if (op === '+' && there) notApplied.push(`The memo "${memo}" exists already.`);
    if (op === '-' && !there) notApplied.push(`The memo "${memo}" does not exist.`);
    if (op === '+') held.add(memo);
    else held.delete(memo);
    return there === (op === '-');
  });
  const edited = edit(text, applicable);
  if (edited.status === 'refused') return edited;
  return { status: 'edited', text: applicable.length > 0 ? edited.text! : text, notApplied };
}
