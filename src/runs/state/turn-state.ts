import type { SessionFacts } from '../../core/plan/check.js';
import type { ContextChange, MemoChange } from '../../core/plan/types.js';
import type { Run } from '../../core/report/record.js';
import type { TipLimits } from '../../core/report/sections.js';
import type { TurnMark } from '../progress.js';

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
  /** Whether the context has a resource, before anything that the run changes of it. Does not throw. */
  isInContext(path: string): boolean;
  /** Only within a session: what its next turn needs of actions. */
  nextTurn?: NextTurn;
}

export interface NextTurn extends SessionFacts {
  isInContext(path: string): boolean;
  /** How long a text can be that the next turn shows whole. */
  mostCharacters: number;
  /** Whether a model is told of the next turn for sure: by clipboard, the report may be all that a chat gets to see. */
  isTold: boolean;
  /** Keeps a page of the network, whole and masked, for the next turn to see; gives why it cannot, as a sentence. */
  keepPage(url: string, text: string): Promise<string | undefined>;
}

/** A turn while its plan is carried out. */
export interface TurnInHand {
  mark: TurnMark;
  nextTurn: NextTurn;
  /** Ends the turn with its run, as one commit. Gives why it could not, as a sentence; then the run has no record yet. */
  conclude(run: Run, tip: TipLimits): Promise<string | undefined>;
}
