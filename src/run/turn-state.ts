import type { ContextChange, MemoChange } from '../formats/plan/index.js';

/** A change of what the next turn knows, as far as it could be applied. */
export type Applied =
  /** `notApplied`: a sentence for each change that could not be. */
  | { status: 'applied'; notApplied: string[] }
  /** Nothing was changed. `reason` is a whole sentence. */
  | { status: 'failed'; reason: string };

/** `note` makes what the run's journal keeps with the change, exactly when it happens. */
export type NoteOf = (notApplied: string[]) => unknown;

/**
 * What a run changes of the next turn: the agent's memos and the files in its context. Neither method throws.
 */
export interface TurnState {
  changeMemos(changes: readonly Pick<MemoChange, 'op' | 'text'>[], note: NoteOf): Promise<Applied>;
  changeContext(changes: readonly Pick<ContextChange, 'op' | 'path'>[], note: NoteOf): Promise<Applied>;
}
