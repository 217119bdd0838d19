import { bringsPath, editContext, GLOBAL_CONTEXT, TURN_CONTEXT } from '../../core/context/context-file.js';
import type { FileEdit } from '../../core/file-edit.js';
import type { Tree } from '../../core/tree.js';
import { sha256 } from '../../node/ids.js';
import { UserError } from '../../node/user-error.js';
import type { CommitResult } from '../../workspace/commit/change.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { Applied, NextTurn, NoteOf, TurnState } from './turn-state.js';

/** Memos and context where there is no session: `.teddy/memos.yaml` and `.teddy/turn.context`. */
export function projectState(workspace: Workspace, tree: Tree, run: string): TurnState {
  const place = { workspace, tree, run };
  return {
    changeMemos: (changes, note) => changeStateFile(place, MEMOS, (text) => editMemos(text, changes), note),
    changeContext: (changes, note) => {
      const global = tree.text(GLOBAL_CONTEXT);
      const isBrought = (path: string) => global.status === 'text' && bringsPath(global.text, path, tree);
      return changeStateFile(
        place,
        TURN_CONTEXT,
        (text) => editContext(text, changes, isBrought, tree),
        note,
      );
    },
    isInContext: (path) => {
      const texts = [GLOBAL_CONTEXT, TURN_CONTEXT].map((name) => tree.text(name));
      return bringsPath(
        texts.map((read) => (read.status === 'text' ? read.text : '')).join('\n'),
        path,
        tree,
      );
    },
  };
}

/** The same within a session, where the next turn's context is worked out of the run's record, once that is made. */
export function sessionState(workspace: Workspace, tree: Tree, run: string, nextTurn: NextTurn): TurnState {
  return {
    ...projectState(workspace, tree, run),
    changeContext: async () => ({ status: 'applied', notApplied: [] }),
    isInContext: (path) => nextTurn.isInContext(path),
    nextTurn,
  };
}

const TRIES = 3;

/** Reads, edits and commits one of the tool's own files, anew when another program was there in between. */
async function changeStateFile(
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

const MEMOS = '.teddy/memos.yaml';

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
async function editMemos(
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
