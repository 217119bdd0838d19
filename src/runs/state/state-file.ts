import type { FileEdit } from '../../core/file-edit.js';
import type { Tree } from '../../core/tree.js';
import { sha256 } from '../../node/ids.js';
import type { CommitResult } from '../../workspace/commit/change.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { Applied, NoteOf } from './turn-state.js';

const TRIES = 3;

/** Reads, edits and commits one of the tool's own files, anew when another program was there in between. */
export async function changeStateFile(
  { workspace, tree, run }: { workspace: Workspace; tree: Tree; run: string },
  path: string,
  edit: (text: string | null) => FileEdit | Promise<FileEdit>,
  note: NoteOf,
): Promise<Applied> {
  for (let left = TRIES; ; left--) {
    const read = tree.text(path);
    if (read.status === 'refused') return { status: 'failed', reason: `${path} ${read.reason}.` };
    const before = read.status === 'text' ? read.text : null;
    const edited = await edit(before);
    if (edited.status === 'refused') return { status: 'failed', reason: `${path} ${edited.reason}.` };
    const { text, notApplied } = edited;
    const changes =
      text === before || text === null ? [] : [{ path, before: hash(before), after: encode(text) }];
    const result = await workspace.commit(changes, { door: 'tool', run, note: note(notApplied) });
    if (result.status === 'committed') return { status: 'applied', notApplied };
    if (result.status !== 'conflict' || left === 1)
      return { status: 'failed', reason: explain(result, path) };
  }
}

function explain(result: Exclude<CommitResult, { status: 'committed' }>, path: string): string {
  if (result.status === 'conflict') return `${path} is being changed by another program.`;
  if (result.status === 'locked') return 'Another teddy holds the lock on this project.';
  return `${path} cannot be written (${result.reason}).`;
}

function hash(text: string | null): string | null {
  return text === null ? null : sha256(text);
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
