import { bringsPath, editContext, GLOBAL_CONTEXT, TURN_CONTEXT } from '../core/context/context-file.js';
import type { SessionFacts } from '../core/plan/check.js';
import type { ContextChange, MemoChange } from '../core/plan/types.js';
import type { TipLimits } from '../core/report/markdown.js';
import type { Run } from '../core/report/record.js';
import type { FileEdit, Tree } from '../core/tree.js';
import { UserError } from '../node/errors.js';
import { sha256 } from '../node/ids.js';
import type { CommitResult } from '../workspace/commit/change.js';
import type { Workspace } from '../workspace/workspace.js';
import type { TurnMark } from './progress.js';

/** A change of what the next turn knows, as far as it could be applied. */
export type Applied =
  /** `notApplied`: a sentence for each change that could not be. */
  | { status: 'applied'; notApplied: string[] }
  /** Nothing was changed. `reason` is a whole sentence. */
  | { status: 'failed'; reason: string };

/** `note` makes what the run's journal keeps with the change, exactly when it happens. */
type NoteOf = (notApplied: string[]) => unknown;

/**
 * What a run changes of the next turn: the agent's memos and the files in its context. Neither method throws.
 */
export interface TurnState {
  changeMemos(changes: readonly Pick<MemoChange, 'op' | 'text'>[], note: NoteOf): Promise<Applied>;
  changeContext(changes: readonly Pick<ContextChange, 'op' | 'path'>[], note: NoteOf): Promise<Applied>;
  /** Whether the context has a resource, before anything that the run changes of it. Does not throw. */
  isInContext(path: string): boolean;
  /** Only within a session: what its next turn needs of actions. */
  nextTurn?: NextTurn;
}

export interface NextTurn extends SessionFacts {
  isInContext(path: string): boolean;
  /** How long a text can be that the next turn shows whole. */
  mostCharacters: number;
  /** Whether a model certainly gets the next turn: by clipboard, a chat may see only the report. */
  isModelInformed: boolean;
  /** Keeps a page of the network, whole and masked, for the next turn to see; gives why it cannot, as a sentence. */
  keepPage(url: string, text: string): Promise<string | undefined>;
}

/** A turn while its plan runs. */
export interface RunningTurn {
  mark: TurnMark;
  nextTurn: NextTurn;
  /** Ends the turn with its run, as one commit. Gives why it could not, as a sentence; then the run has no record yet. */
  conclude(run: Run, tip: TipLimits): Promise<string | undefined>;
}

/** Memos and context where there is no session: `.teddy/memos.yaml` and `.teddy/turn.context`. */
export function projectState(workspace: Workspace, tree: Tree, run: string): TurnState {
  const place = { workspace, tree, run };
  return {
    changeMemos: (changes, note) =>
      changeStateFile(place, MEMOS, async (text) => (await memoList()).editMemos(text, changes), note),
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

/** Reads, edits and commits one of the tool's own files, and again if another program changed it in between. */
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
    const result = await workspace.commit(changes, { origin: 'tool', run, note: note(notApplied) });
    if (result.status === 'committed') return { status: 'applied', notApplied };
    if (result.status !== 'conflict' || left === 1)
      return { status: 'failed', reason: explain(result, path) };
  }
}

function explain(result: Exclude<CommitResult, { status: 'committed' }>, path: string): string {
  if (result.status === 'conflict') return `${path} is being changed by another program.`;
  if (result.status === 'locked') return 'Another teddy process holds the lock on this project.';
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
const memoList = () => import('./memos.js');

/** The memos kept for the project; none where the file is not there. Throws `UserError` on any other file. */
export async function readMemos(tree: Tree): Promise<readonly string[]> {
  const read = tree.text(MEMOS);
  if (read.status === 'missing') return [];
  if (read.status === 'refused') throw new UserError(`${MEMOS} ${read.reason}.`);
  const memos = (await memoList()).parseMemos(read.text);
  if (memos.status === 'refused') throw new UserError(`${MEMOS} ${memos.reason}.`);
  return memos.memos;
}
